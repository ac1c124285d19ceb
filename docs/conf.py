"""Sphinx: the pages are Markdown, the examples in them are run."""

import hashlib
import logging
import os
import shutil
import sys
import tomllib
from pathlib import Path

import paraxis
from paraxis.drawing.frame import ICON

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # api_pages, extensions

project = "Paraxis"
author = "The Paraxis developers"
copyright = f"{author}, Apache-2.0"
version = release = paraxis.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "api_pages",
    *(f"extensions.{name}" for name in ("outputs", "notebooks", "synonyms", "navigation")),
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst-nb.lexer"]  # only an executed notebook knows its language
# Indexes order pages by patterns, and end with `*`, for pages that nobody has ordered yet.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", "") != "empty_glob"
)

# Pages are read, and run, again when they change, and all of them when the library does.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
kernels = HERE / "_build/ipython"
os.environ["IPYTHONDIR"] = str(kernels)
(kernels / "profile_default/startup").mkdir(parents=True, exist_ok=True)
shutil.copy(HERE / "extensions/startup.py", kernels / "profile_default/startup")
nb_merge_streams = True
nb_render_markdown_format = "gfm"  # cells show tables

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    "ArrayLike": "ArrayLike",
    "DTypeLike": "DTypeLike",
}  # not what they stand for
python_maximum_signature_line_length = 80
autodoc_mock_imports = ["torch"]  # a large package for one signature
default_role = "literal"

html_theme = "furo"
html_title = f"Paraxis {version}"
html_static_path = ["_static"]
html_css_files = ["paraxis.css"]
html_favicon = "_build/mark.svg"
(HERE / html_favicon).write_text(ICON, "utf-8")
html_search_scorer = str(HERE / "extensions/search.js")
copybutton_exclude = ".linenos, .gp, .go"

synonyms = tomllib.loads((HERE / "synonyms.toml").read_text("utf-8"))


def setup(app):
    sources = sorted(Path(paraxis.__file__).parent.rglob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    app.add_config_value("sources", digest, "env", str)
