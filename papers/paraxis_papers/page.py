"""A report as one HTML page: self-contained, light or dark, readable on a phone."""

import re
from html import escape

from paraxis.drawing.figure import Figure, figure_html
from paraxis.drawing.frame import document, header

from .document import VERDICT_HEADS, Diagram, Table, agrees, cells, verdict_cells

KINDS = {"quantity": "quantity", "printed": "number", "measured": "number", "note": "note"}

REPORT_STYLE = """main { max-width: 1060px; }
h1 { font-size: clamp(25px, 5vw, 36px); }
section > ul { margin: 14px 0 0; padding-left: 18px; font-size: 13.5px; color: var(--soft); }
.compared { table-layout: fixed; }
.compared th, .compared td { white-space: normal; vertical-align: top; }
.compared .number { width: 14%; text-align: right; white-space: nowrap; }
.compared .quantity { width: 29%; }
.compared .note { color: var(--soft); padding-right: 0; }
.compared tr.same .number { color: var(--c1); font-weight: 600; }
.compared tbody tr:last-child td { border-bottom: 0; }
.verdicts th, .verdicts td { white-space: normal; vertical-align: top; }
.verdicts td:nth-child(2) { font-weight: 600; white-space: nowrap; }
.verdicts tr.confirmed td:nth-child(2) { color: var(--c1); }
.verdicts td:last-child { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14px; }
@media (max-width: 600px) {
  .compared thead, .verdicts thead { display: none; }
  .verdicts, .verdicts tbody, .verdicts tr, .verdicts td { display: block; }
  .verdicts tr { padding: 10px 0; border-bottom: 1px solid var(--line); }
  .verdicts td { border: 0; padding: 1px 0; }
  .compared, .compared tbody { display: block; }
  .compared tr { display: flex; flex-wrap: wrap; column-gap: 16px; padding: 8px 0;
    border-bottom: 1px solid var(--line); }
  .compared tr:last-child { border-bottom: 0; }
  .compared td { border: 0; padding: 1px 0; }
  .compared .quantity, .compared .note { width: 100%; }
  .compared .quantity { font-weight: 600; }
  .compared .number { width: auto; min-width: 9em; text-align: left; }
  .compared .number::before { content: attr(data-head) " "; color: var(--soft);
    font-weight: 400; }
  .compared .note { font-size: 13px; }
}
"""


def report_page(report, version):
    """The whole document."""
    parts = report.parts
    contents = "".join(f'<a href="#t{k}">{escape(part.title)}</a>' for k, part in enumerate(parts))
    nav = f"<nav>{contents}</nav>"
    head = header(escape(report.title), _prose(report.lead), nav, version=version)
    sections = [_section(k, part) for k, part in enumerate(parts)]
    references = "".join(f"<li>{_prose(reference)}</li>" for reference in report.references)
    foot = f"""<p class="fine">{_prose(report.rule)}</p>
<footer><h2>References</h2><ul>{references}</ul></footer>"""
    opening = [head, _verdicts(report.verdicts)] if report.verdicts else [head]
    body = "\n".join([*opening, *sections, foot])
    style = REPORT_STYLE + "".join(dict.fromkeys(each.style for each in report.diagrams))
    return document(report.title, body, style)


def _verdicts(verdicts):
    heads = "".join(f"<th>{word}</th>" for word in VERDICT_HEADS)
    rows = "\n".join(
        f'<tr class="{each.outcome.replace(" ", "-")}">'
        + "".join(f"<td>{_prose(text)}</td>" for text in verdict_cells(each))
        + "</tr>"
        for each in verdicts
    )
    return f"""<section id="verdicts">
<h2>Verdicts</h2>
<table class="verdicts"><thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table>
</section>"""


def _section(k, part):
    inner = _IN_HTML[type(part)](part)
    return f"""<section id="t{k}">
<h2>{escape(part.title)}</h2>
<p>{_prose(part.lead)}</p>
{inner}
</section>"""


def _compared(table):
    conventions = "".join(f"<li>{_prose(sentence)}</li>" for sentence in table.conventions)
    return _table(table.rows) + (f"\n<ul>{conventions}</ul>" if conventions else "")


_IN_HTML = {Table: _compared, Figure: figure_html, Diagram: lambda diagram: diagram.html}


def _table(rows):
    heads = "".join(f'<th class="{KINDS[word]}">{word}</th>' for word in KINDS)
    body = "\n".join(_line(row) for row in rows)
    return (
        f'<table class="compared"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )


def _line(row):
    _, *texts = cells(row)
    same = ' class="same"' if agrees(row) else ""
    inner = "".join(
        f'<td class="{KINDS[word]}" data-head="{word}">{_unbroken(text)}</td>'
        for word, text in zip(KINDS, texts, strict=True)
    )
    return f"<tr{same}>{inner}</tr>"


def _unbroken(text):
    """With differences such as 150n − 48 kept on one line."""
    return _prose(text).replace(" − ", "&nbsp;−&nbsp;")


def _prose(text):
    """Text with its `code` set as such."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
