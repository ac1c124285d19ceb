"""A page of sections, tables and pictures: self-contained, small, light or dark.

Its policy forbids scripts and fetches altogether. What is given as HTML is escaped already.
"""

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


DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""

STYLE = """:root {
  --paper: #fbfbf9; --card: #ffffff; --ink: #1d2330; --soft: #5c6575; --line: #e3e5ea;
  --c1: #2563c9; --c2: #d9622b; --c3: #aab4c5; --code: #f2f4f8;
  --c4: #1b8a5a; --c5: #8a4fc7; --c6: #b0850b; --c7: #c2447f; --c8: #0d8aa0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12151c; --card: #1a1f29; --ink: #e8ebf1; --soft: #9aa5b8; --line: #2d3442;
    --c1: #6ea8ff; --c2: #ff9d66; --c3: #59657a; --code: #222936;
    --c4: #5fcf9b; --c5: #c39bf5; --c6: #e2bd55; --c7: #f58bbd; --c8: #59c8dc;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 800px; margin: 0 auto; padding: 40px 16px 64px; }
header { margin-bottom: 28px; }
.brand { margin: 0; color: var(--c1); font-weight: 650; letter-spacing: 0.02em; }
h1 { margin: 4px 0 10px; font-size: clamp(26px, 6vw, 40px); line-height: 1.15;
  letter-spacing: -0.02em; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin: 0 0 6px; font-size: 21px; letter-spacing: -0.01em; }
p { margin: 0 0 14px; }
.lead { font-size: 18px; color: var(--soft); }
.warning { padding: 10px 14px; border-left: 4px solid var(--c2); background: var(--code);
  border-radius: 6px; font-size: 14.5px; }
.fine { margin: 10px 0 0; font-size: 13.5px; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px;
  margin: 20px 0 0; padding: 0; list-style: none; }
.tiles li, section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
.tiles li { padding: 14px 16px; }
.tiles b { display: block; font-size: 24px; line-height: 1.3; letter-spacing: -0.01em; }
.tiles span { display: block; font-size: 14px; line-height: 1.4; color: var(--soft); }
section { margin: 0 0 20px; padding: 22px; }
figure { margin: 6px 0 0; }
.plot { display: block; width: 100%; height: auto; }
.plot.narrow { display: none; }
@media (max-width: 600px) {
  main { padding: 24px 10px 48px; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  section { padding: 16px 12px; }
  .plot.wide { display: none; }
  .plot.narrow { display: block; }
}
svg text { font-size: 13px; fill: var(--ink); }
svg .tick, svg .unit { fill: var(--soft); font-size: 12.5px; }
svg .value, svg .group { font-weight: 600; }
svg .grid { stroke: var(--line); }
svg .axis { stroke: var(--soft); }
svg .mean { stroke: var(--c2); stroke-width: 2; stroke-dasharray: 6 5; }
svg .curve { fill: none; stroke-linejoin: round; stroke-linecap: round; }
svg .dot { stroke: var(--card); stroke-width: 1.5; }
svg .c1 { --hue: var(--c1); } svg .c2 { --hue: var(--c2); } svg .c3 { --hue: var(--c3); }
svg .c4 { --hue: var(--c4); } svg .c5 { --hue: var(--c5); } svg .c6 { --hue: var(--c6); }
svg .c7 { --hue: var(--c7); } svg .c8 { --hue: var(--c8); }
svg .fill, svg .dot { fill: var(--hue); }
svg .curve { stroke: var(--hue); }
svg .curve.dashed { stroke-dasharray: 6 5; }
svg line.curve { stroke-width: 2.5; stroke-dasharray: 5 3; }
svg .fill:hover, svg .dot:hover { opacity: 0.75; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px;
  font-variant-numeric: tabular-nums; }
th, td { padding: 6px 16px 6px 0; text-align: left; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
th.num, td.num { text-align: right; }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--soft); font-size: 14px; }
pre { margin: 0; padding: 14px 16px; overflow-x: auto; background: var(--code);
  border-radius: 10px; font-size: 13.5px; line-height: 1.5; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 0;
  font-size: 14px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
"""
