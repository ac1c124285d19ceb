"""What the cells of a page print is repeated below them, so that the page can be read as a file.

The block after a cell is a fence named `{output}`. `docs/make_outputs.py` writes these blocks by
running the page. Sphinx runs it too, shows what it prints instead of the block, and warns where
the two differ. A build that runs nothing shows the blocks.
"""

import re
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

LOG = logging.getLogger(__name__)
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(.*?)^```\n(?:\n```\{output\}\n(.*?)^```\n)?", re.S | re.M
)
OPTIONS = re.compile(r"\A(?:---\n.*?\n---\n|(?::[\w-]+:[^\n]*\n)+)\n?", re.S)
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
HIDDEN = re.compile(r"varies|(?:remove|hide)-(?:output|cell)")  # tags of cells without a block
STYLE = re.compile(r"\x1b\[[\d;]*m")  # bold and colours of a terminal
LONGEST = 30  # lines


def text_of(outputs):
    """What a cell's outputs, as a notebook keeps them, say in text."""
    said = []
    for output in outputs:
        data = output.get("data", {})
        if output["output_type"] == "stream":
            said.append(output["text"] if output["name"] == "stdout" else "")
        elif not any(kind.startswith("image/") for kind in data):
            plain = "".join(data.get("text/markdown", data.get("text/plain", "")))
            said.append("" if "text/html" in data and plain.startswith("<") else plain)
    whole = "\n".join("".join(each).rstrip("\n") for each in said if each)
    lines = STYLE.sub("", whole).split("\n")
    lines = [line.rstrip() for line in lines]
    return "\n".join(lines if len(lines) <= LONGEST else [*lines[: LONGEST - 5], "..."])


def cells(page):
    """(code, whether a block belongs below it, the block or None) of every cell of a page."""
    found = []
    for code, block in CELL.findall(page):
        options = OPTIONS.match(code)
        shown = not (options and HIDDEN.search(options[0]))
        found.append((OPTIONS.sub("", code), shown, block.rstrip("\n") or None))
    return found


def rewritten(page, texts):
    """The page with the blocks of its cells, of which `texts` has one each, as they are now."""
    rest = iter(texts)

    def cell(match):
        options, text = OPTIONS.match(match[1]), next(rest)
        bare = match[0].partition("\n\n```{output}\n")[0].rstrip("\n") + "\n"
        if not text or (options and HIDDEN.search(options[0])):
            return bare
        return match[0] if same(match[2] or "", text) else f"{bare}\n```{{output}}\n{text}\n```\n"

    return CELL.sub(cell, page)


def same(block, text):
    """Equal but for spaces, and for the digits that another machine rounds differently."""
    parts = [" ".join(NUMBER.sub(" # ", each).split()) for each in (block, text)]
    pairs = zip(*(NUMBER.findall(each) for each in (block, text)), strict=False)
    values = [[float(number.replace(",", "")) for number in pair] for pair in pairs]
    return parts[0] == parts[1] and all(abs(a - b) <= 1e-6 * abs(a) + 1e-9 for a, b in values)


def squeezed(text):
    """Without spaces and ends of lines: a piece may end in the middle of a line."""
    return "".join(text.split())


def merged(outputs):
    """The outputs, without those that MyST-NB has copied into the first of their stream.

    What a slow cell prints comes in pieces. `nb_merge_streams` appends all of them to the first,
    and leaves them in the notebook as well.
    """
    first, *others = [each for each in outputs if each.get("name") == "stdout"] or [None]
    tail = squeezed("".join(each["text"] for each in others))
    copied = others and squeezed(first["text"]).endswith(tail)
    return [each for each in outputs if not (copied and any(each is other for other in others))]


def differences(page, notebook):
    """The cells, as (number, block, text), whose block is not what the executed notebook shows."""
    run = [merged(cell["outputs"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        (number, block, text_of(outputs))
        for number, ((_, shown, block), outputs) in enumerate(zip(cells(page), run, strict=True), 1)
        if shown and block is not None and not same(block, text_of(outputs))
    ]


class Output(SphinxDirective):
    has_content = True

    def run(self):
        if self.config.nb_execution_mode != "off":
            return []
        text = "\n".join(self.content)
        return [nodes.literal_block(text, text, language="text", classes=["output"])]


def check(app, error):
    if error or app.config.nb_execution_mode == "off":
        return
    for path in Path(app.outdir).parent.glob("jupyter_execute/**/*.ipynb"):
        name = path.relative_to(Path(app.outdir).parent / "jupyter_execute").with_suffix("")
        page = Path(app.srcdir, name).with_suffix(".md")
        if page.is_file():
            wrong = differences(page.read_text("utf-8"), nbformat.read(path, as_version=4))
            for number, block, text in wrong:
                LOG.warning(
                    "cell %d prints\n%s\nwhere its {output} says\n%s\n"
                    "Run `python docs/make_outputs.py docs/%s.md`.",
                    *(number, text, block, name.as_posix()),
                    location=name.as_posix(),
                )


def setup(app):
    app.add_directive("output", Output)
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
