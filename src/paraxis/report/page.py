"""One HTML page about a robot on this machine: self-contained, small, light or dark.

Every piece of text that a file could have brought is escaped here, and the page's own policy
forbids scripts and fetches altogether.
"""

from dataclasses import dataclass
from html import escape

from ..robot.table import HEAD, NUMERIC, joint_rows, shown, summary
from . import plots
from .machine import lines
from .measure import SAMPLE
from .operations import NOTE, cheapest
from .text import duration, short

WIDTHS = (("wide", 720), ("narrow", 340))  # CSS pixels a plot is drawn for


@dataclass(frozen=True)
class Tour:
    """What the demo found out: all the page shows."""

    version: str
    robot: object
    call: str  # how to load this robot, as Python
    program: object
    pairs: list  # (general, customised) Operations, one pair an algorithm
    chosen: object  # Operations
    compiled: object  # measure.Compiled
    error: float  # of the kernel against the interpreter
    general_error: float  # against the interpreted general robot, given this robot's numbers
    latency_s: float
    speeds: list
    machine: dict
    warning: str  # that others were computing too, or nothing


def page(tour):
    """The whole HTML document."""
    name = escape(shown(tour.robot.name))
    best = max(tour.speeds, key=lambda speed: speed.states_per_s)
    body = "\n".join(
        (_head(tour, name, best), _speed(tour), _operations(tour), _layers(tour))
        + (_robot(tour, name), _try(tour), _measured(tour))
    )
    return DOCUMENT.format(title=f"{name} in Paraxis", style=STYLE, body=body)


def _head(tour, name, best):
    general = cheapest([general for general, _ in tour.pairs])
    single = min((s for s in tour.speeds if s.threads == 1), key=lambda s: s.ns_per_state)
    tiles = (
        (duration(single.ns_per_state / 1e9), "per state on one core"),
        (f"{tour.chosen.flops} flops", f"per state; the general robot needs {general.flops}"),
        (duration(tour.compiled.cold_s), "to compile, once per machine"),
        (f"{max(tour.error, tour.general_error):.0e}", "largest error, against the interpreter"),
    )
    shown_tiles = "".join(f"<li><b>{a}</b><span>{b}</span></li>" for a, b in tiles)
    return f"""<header>
<p class="brand">Paraxis {escape(tour.version)}</p>
<h1>{name}: {_spoken(best.states_per_s)} states a second</h1>
<p class="lead">The torques behind a motion, computed by straight-line machine code that was made
for this very robot and this very CPU.</p>
<ul class="tiles">{shown_tiles}</ul>
</header>"""


def _speed(tour):
    counts = list(dict.fromkeys(speed.threads for speed in tour.speeds))
    series = [
        (_threads(count), [speed for speed in tour.speeds if speed.threads == count])
        for count in counts
    ]
    rows = [
        (f"{batch:,}",)
        + tuple(
            cell
            for _, speeds in series
            for s in speeds
            if s.batch == batch
            for cell in (duration(s.ns_per_state / 1e9), short(s.states_per_s))
        )
        for batch in dict.fromkeys(speed.batch for speed in tour.speeds)
    ]
    heads = ["states per call"]
    for name, _ in series:
        heads += [f"{name}, per state", f"{name}, states/s"]
    return _section(
        "How fast",
        f"Inverse dynamics of many states in one call: the more a call brings, the less the call "
        f"itself costs. Small batches use one thread in either case. A call with a single state "
        f"takes {duration(tour.latency_s)}, from Python and back.",
        f'<p class="warning">{escape(tour.warning)}</p>' if tour.warning else "",
        _plot(plots.throughput, series),
        _details("The same as numbers", _table(heads, rows, numeric=set(heads))),
    )


def _operations(tour):
    groups = [
        (shown(general.name), [("c3", "general", general.flops), ("c1", "customised", own.flops)])
        for general, own in tour.pairs
    ]
    groups.append(("chosen", [("c1", "customised", tour.chosen.flops)]))
    return _section(
        "What customising saves",
        "Flops for one state before and after the robot is known. In the general robot every mass, "
        "centre of mass, inertia, length and gravity is an input; in the customised one they are "
        "numbers, and zeros, ones and repetitions disappear. Chosen is the cheapest over all "
        "algorithms and equivalent body frames and masses, and is what runs.",
        _plot(plots.operations, groups),
        f'<p class="fine">{escape(NOTE)}</p>',
    )


def _layers(tour):
    widths, flops = tour.program.width(), tour.chosen.flops
    if not widths:  # a robot without mass
        return _section("Where the parallelism is", "There is nothing to compute.")
    average = flops / len(widths)
    return _section(
        "Where the parallelism is",
        f"With a processor for every operation, {flops} flops take {len(widths)} steps one after "
        f"another; this many could run at once in each. On average that is {average:.1f}: however "
        "many processors share one state, it gets at most that many times faster. Different states "
        "are independent, which is where vectors and threads come in.",
        _plot(plots.layers, widths, flops),
        '<p class="fine">Each flop stands as early as its arguments allow; sines and cosines of '
        "the joint angles are taken as given.</p>",
    )


def _robot(tour, name):
    table = _table(HEAD, joint_rows(tour.robot), NUMERIC)
    return _section("The robot", f"{name}: {escape(summary(tour.robot))}.", table)


def _try(tour):
    code = f"""import paraxis as px

robot = px.load({tour.call})
# arrays (..., {tour.robot.n}), any batch shape
tau = px.inverse_dynamics(robot, q, qd, qdd)"""
    return _section("Try it", "The same from Python:", f"<pre><code>{escape(code)}</code></pre>")


def _measured(tour):
    made = tour.compiled
    cached = "" if made.cached_s is None else f", found on disk in {duration(made.cached_s)}"
    notes = (
        f"Traced in {duration(made.trace_s)}, compiled in {duration(made.cold_s)}{cached}. "
        "Every time is the best of a few runs, float64, results written to a given array. "
        f"Checked on {SAMPLE} random states: the machine code differs from the interpreter by "
        f"{tour.error:.1e}, from the interpreted general robot given this robot's numbers by "
        f"{tour.general_error:.1e} (max|Δ| / max(1, max|reference|) of the worst state)."
    )
    facts = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in lines(tour.machine))
    return _section("How it was measured", escape(notes), f"<dl>{facts}</dl>")


# -- pieces ----------------------------------------------------------------------------------------


def _section(title, sentence, *content):
    """`sentence` and content are HTML already."""
    inner = "\n".join(content)
    return f"<section>\n<h2>{title}</h2>\n<p>{sentence}</p>\n{inner}\n</section>"


def _plot(draw, *data):
    drawings = (draw(*data, width).svg(f"plot {kind}") for kind, width in WIDTHS)
    return "<figure>\n" + "\n".join(drawings) + "\n</figure>"


def _table(heads, rows, numeric):
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


def _details(summary, content):
    return f"<details><summary>{summary}</summary>\n{content}\n</details>"


def _threads(count):
    return "1 thread" if count == 1 else f"{count} threads"


def _spoken(value):
    words = (("billion", 1e9), ("million", 1e6), ("thousand", 1e3))
    for word, factor in words:
        if value >= 0.9995 * factor:
            return f"{short(value / factor)} {word}"
    return short(value)


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
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12151c; --card: #1a1f29; --ink: #e8ebf1; --soft: #9aa5b8; --line: #2d3442;
    --c1: #6ea8ff; --c2: #ff9d66; --c3: #59657a; --code: #222936;
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
svg .fill, svg .dot { fill: var(--hue); }
svg .curve { stroke: var(--hue); }
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
