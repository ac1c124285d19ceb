"""Every page with cells can be downloaded as the notebook that was run."""

import json
import re
from pathlib import Path

import nbformat

from .outputs import merged

BLOCK = re.compile(r"```\{output\}\n.*?^```\n?", re.S | re.M)  # a notebook has the output itself


def executed(app, page):
    return Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb"


def link(app, page, template, context, doctree):
    context["notebook"] = executed(app, page).is_file() and f"{page.rpartition('/')[2]}.ipynb"


def copy(app, error):
    if error or app.builder.format != "html":
        return
    for page in app.env.found_docs:
        if executed(app, page).is_file():
            notebook = nbformat.read(executed(app, page), as_version=4)
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    cell["source"] = BLOCK.sub("", cell["source"]).strip("\n")
                else:
                    cell["outputs"] = merged(cell["outputs"])
            kept = [cell for cell in notebook["cells"] if cell["source"]]
            text = json.dumps(notebook | {"cells": kept}, indent=1, ensure_ascii=False)
            Path(app.outdir, f"{page}.ipynb").write_text(text + "\n", "utf-8")


def setup(app):
    app.connect("html-page-context", link)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
