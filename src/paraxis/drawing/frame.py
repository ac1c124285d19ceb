"""The frame of every page: its head, what it may do, one style in light and dark, and the mark.

A page is one file that fetches nothing. It is as light or dark as the system asks, unless the page
around it, such as documentation with a theme of its own, is the other (interactive/elements.js).
"""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

# two links of an arm whose axes are parallel
SHAPES = (
    '<rect width="32" height="32" rx="8" fill="#2563c9"/>'
    '<path d="M8 23 13.5 9M18.5 23 24 9" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/>'
    '<path d="M13.5 9 18.5 23" stroke="#9cc3ff" stroke-width="3.4" stroke-linecap="round"/>'
    '<g fill="#fff"><circle cx="8" cy="23" r="3.2"/><circle cx="13.5" cy="9" r="3.2"/>'
    '<circle cx="18.5" cy="23" r="3.2"/><circle cx="24" cy="9" r="3.2"/></g>'
)
MARK = f'<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">{SHAPES}</svg>'
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{SHAPES}</svg>'
FAVICON = "data:image/svg+xml;base64," + b64encode(ICON.encode()).decode()
WASM = "'wasm-unsafe-eval'"  # what scripts that compile WebAssembly need
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}\s*\}", re.DOTALL)


def document(title, body, style="", scripts="", may_run=(), allow=""):
    """The whole page. `title` is text, the others are sources.

    `may_run`: the scripts that it runs, in it or in frames with `srcdoc`, which are ruled by the
    policy of the page around them; `allow`: what else they may do, in words of a
    Content-Security-Policy, such as "'wasm-unsafe-eval'".
    """
    return file_text(__package__, "page.html").format(
        policy=_policy(may_run, allow),
        icon=FAVICON,
        title=escape(title),
        style=both_themes(file_text(__package__, "style.css") + style),
        body=body,
        scripts=scripts,
    )


def _policy(may_run, allow):
    digests = (b64encode(sha256(each.encode()).digest()).decode() for each in may_run)
    words = [*(f"'sha256-{digest}'" for digest in digests), *allow.split()]
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return f"{policy}; script-src {' '.join(words)}" if words else policy


def both_themes(style):
    """Colours for the dark, given once for a dark system, hold for a dark page around as well.

    On paper the light ones hold.
    """

    def both(found):
        return (
            '@media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {'
            f'{found[1]}}} }}\n@media screen {{ :root[data-theme="dark"] {{{found[1]}}} }}'
        )

    return DARK.sub(both, style)


def brand(version="", back=None):
    """The first line of a page: the mark, and the way back to the page that leads here.

    back: (address of a file beside this one, what it is), or None.
    """
    line = f'<p class="brand">{MARK}Paraxis{escape(f" {version}" if version else "")}</p>'
    if back is None:
        return line
    address, words = back
    return f'{line}\n<p class="back"><a href="{escape(address)}">← {escape(words)}</a></p>'


def header(title, lead, *more, version="", back=None):
    """The head of a page. All but `version` and `back` are HTML."""
    inner = "\n".join(filter(None, more))
    return (
        f"<header>\n{brand(version, back)}\n<h1>{title}</h1>\n"
        f'<p class="lead">{lead}</p>\n{inner}\n</header>'
    )


def tiles(pairs, attributes=""):
    """Figures in large letters, each over what it is; HTML."""
    items = "".join(f"<li><b>{figure}</b><span>{words}</span></li>" for figure, words in pairs)
    return f'<ul class="tiles"{attributes}>{items}</ul>'


def file_text(package, name):
    """A file beside the modules of a package."""
    return files(package).joinpath(name).read_text("utf-8")
