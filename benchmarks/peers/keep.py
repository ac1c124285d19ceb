"""What was measured, as a file."""

import json


def keep(results, path):
    """Write JSON where it was asked for; `path` may be None."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results, indent=1) + "\n")
