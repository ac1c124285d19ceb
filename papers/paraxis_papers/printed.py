"""The numbers the papers print, as far as reports need them: papers.json."""

import json
from functools import cache
from importlib.resources import files


@cache
def printed(paper):
    """What one paper prints."""
    return json.loads(files(__package__).joinpath("papers.json").read_text("utf-8"))[paper]
