"""Sphinx: the pages are Markdown, the examples in them are run."""

import logging
import sys
from pathlib import Path

import paraxis

sys.path.insert(0, str(Path(__file__).parent))  # api_pages

project = "Paraxis"
author = "The Paraxis developers"
copyright = f"{author}, Apache-2.0"
version = release = paraxis.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "api_pages"]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
nb_merge_streams = True

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
suppress_warnings = ["myst-nb.lexer"]  # only an executed notebook knows its language
# Indexes order pages by patterns, and end with `*`, for pages that nobody has ordered yet.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", "") != "empty_glob"
)
nb_render_markdown_format = "gfm"  # cells show tables
