"""Sphinx: the pages are Markdown, the examples in them are run."""

import logging

import paraxis

project = "Paraxis"
author = "The Paraxis developers"
copyright = f"{author}, Apache-2.0"
version = release = paraxis.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "none"
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
