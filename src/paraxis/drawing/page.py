"""What pages are made of: sections, tables and pictures, as HTML."""

from html import escape

WIDTHS = (("wide", 720), ("narrow", 340))  # CSS pixels a picture is drawn for


def section(title, sentence, *content):
    """`sentence` and content are HTML already."""
    inner = "\n".join(content)
    return f"<section>\n<h2>{title}</h2>\n<p>{sentence}</p>\n{inner}\n</section>"


def plot(draw, *data):
    """What `draw(*data, width)` gives for either kind of screen."""
    drawings = (draw(*data, width).svg(f"plot {kind}") for kind, width in WIDTHS)
    return "<figure>\n" + "\n".join(drawings) + "\n</figure>"


def table(heads, rows, numeric):
    """Rows of text under headings; numbers are aligned to the right."""
    kinds = [' class="num"' if head in numeric else "" for head in heads]
    top = "".join(f"<th{kind}>{escape(h)}</th>" for h, kind in zip(heads, kinds, strict=True))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(c)}</td>" for c, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def details(summary, content):
    return f"<details><summary>{summary}</summary>\n{content}\n</details>"
