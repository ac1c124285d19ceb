"""The page: data as JSON, words as HTML, style and script inline.

What is given as HTML is escaped already. In the JSON `<` is, so that no text ends the element; the
script puts texts on the page as text only, and the page's policy runs no other script.
"""

import json
from html import escape

from ..frame import document, file_text


def interactive_page(title, body, data, style, scripts, allow=""):
    """The whole document. style, scripts: sources; each script may use those before it. `allow` is
    what else they may do, in words of a Content-Security-Policy."""
    sources = [file_text(__package__, "elements.js"), *scripts]
    script = '(() => {\n"use strict";\n\n' + "\n".join(sources) + "})();\n"
    known = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return document(
        title,
        body,
        file_text(__package__, "controls.css") + style,
        f'<script type="application/json" id="data">{known}</script>\n<script>{script}</script>\n',
        (script,),
        allow,
    )


def script_of(page):
    """The script of an interactive page."""
    return page.rpartition("<script>")[2].partition("</script>")[0]


def framed(title, document, height):
    """A document as an element of another page. It finds its height by itself, later."""
    style = f"width: 100%; height: {height}px; border: 0; border-radius: 14px"
    head = f'<iframe title="{escape(title)}" style="{style}"'
    return f'{head} srcdoc="{escape(document)}"></iframe>'
