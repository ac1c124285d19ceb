"""The page: data as JSON, words as HTML, style and script inline.

What is given as HTML is escaped already. In the JSON `<` is, so that no text ends the element; the
script puts texts on the page as text only, and the page's policy runs no other script.
"""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from ..page import STYLE


def interactive_page(title, body, data, style, scripts, allow=""):
    """The whole document. style, scripts: sources; each script may use those before it. `allow` is
    what else they may do, in words of a Content-Security-Policy."""
    sources = [file_text(__package__, "elements.js"), *scripts]
    script = '(() => {\n"use strict";\n\n' + "\n".join(sources) + "})();\n"
    return file_text(__package__, "page.html").format(
        policy=b64encode(sha256(script.encode()).digest()).decode(),
        allow=f" {allow}" if allow else "",
        title=escape(title),
        style=STYLE + file_text(__package__, "controls.css") + style,
        body=body,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script=script,
    )


def framed(title, document, height):
    """A document as an element of another page. It finds its height by itself, later."""
    style = f"width: 100%; height: {height}px; border: 0; border-radius: 14px"
    head = f'<iframe title="{escape(title)}" style="{style}"'
    return f'{head} srcdoc="{escape(document)}"></iframe>'


def file_text(package, name):
    """A file beside the modules of a package."""
    return files(package).joinpath(name).read_text("utf-8")
