"""A pipeline as one HTML page: its sizes, its picture, and a table of its delay lines."""

from html import escape

from ...checks import shown
from ...drawing.axes import number_text
from ...drawing.frame import document, header, tiles
from ...drawing.page import section, table
from .drawing import draw

MOST = 2000  # tasks in a useful picture

LEGEND = (
    "Time runs from left to right. Boxes are tasks, squares the registers of delay lines, dots "
    "the taps; values of the same item meet at one boundary. Point at an element to see what it "
    "is, and where its values go."
)
WIDTH = "main { max-width: 1200px; }\n"
PICTURE = """.scroll svg { display: block; max-width: none; }
svg .task { fill: var(--code); stroke: var(--soft); }
svg .register { fill: var(--card); stroke: var(--hue); stroke-width: 1.5; }
svg .wire { fill: none; stroke: var(--hue); stroke-width: 1.3; }
svg .inside { font-size: 12px; pointer-events: none; }
svg .place { font-size: 9px; fill: var(--soft); }
svg g:hover .wire { stroke-width: 3; }
svg:has(g:hover) g:not(:hover) :is(.wire, .register, .fill) { opacity: 0.15; }
"""


def page(pipeline):
    """The whole document. Names of tasks are untrusted text, and escaped."""
    name = shown(pipeline.tasks.name)
    body = "\n".join((_head(pipeline, escape(name)), _picture(pipeline), _lines(pipeline)))
    return document(f"{name}: a pipeline", body, WIDTH + PICTURE)


def _head(pipeline, name):
    figures = (
        (pipeline.stages, "stages from the inputs to the results"),
        (pipeline.processors, f"processors, which accept an item {pipeline.pace}"),
        (pipeline.buffers, f"buffer stages in {len(pipeline.delays)} delay lines"),
        (pipeline.tapped_delay_lines, "of these lines are tapped"),
    )
    lead = (
        f"Latency {number_text(pipeline.latency)}, interval {number_text(pipeline.interval)}, in "
        f"{escape(shown(pipeline.tasks.unit, 40)) or 'the unit of the weights'}."
    )
    shown_figures = tiles((number_text(figure), words) for figure, words in figures)
    return header(f"{name}: a pipeline", lead, shown_figures)


def _picture(pipeline):
    if len(pipeline.tasks) > MOST:
        return section("Stages", f"More than {MOST:,} tasks are not drawn.")
    return section("Stages", LEGEND, picture(pipeline))


def picture(pipeline):
    """The drawing in its own size, scrollable on narrower pages; styled by PICTURE."""
    drawing = draw(pipeline)
    svg = drawing.svg("plot").replace("<svg ", f'<svg style="width:{drawing.width:.0f}px" ', 1)
    return f'<div class="scroll">{svg}</div>'


def _lines(pipeline):
    rows = [
        (shown(pipeline.line_name(line)), str(line.length), ", ".join(pipeline.readers(line)))
        for line in pipeline.lines
        if line.length
    ]
    if not rows:
        return section("Delay lines", "There are none.")
    words = "The length of each, and its readers."
    return section("Delay lines", words, table(("line", "stages", "read by"), rows, {"stages"}))
