"""One HTML page about a robot on this machine: self-contained, light or dark.

It begins with the robot as it moves: its live page in a frame. The policy of this page rules the
frame too, so that it allows the script of the live page and no other. Every piece of text that a
file could have brought is escaped here.
"""

from dataclasses import dataclass
from html import escape

from ..checks import counted, shown
from ..drawing.frame import WASM, document, header, tiles
from ..drawing.interactive.page import framed, script_of
from ..drawing.page import details, plot, section, table
from ..robots.table import HEAD, NUMERIC, drive_table, joint_rows, summary
from . import demo_plots as plots
from .machine import lines
from .measure import SAMPLE
from .operations import NOTE, cheapest
from .short_numbers import duration, short

WHAT = (
    "Paraxis turns the description of a robot into machine code for its dynamics, made for that "
    "robot and this processor, and shows which of its operations can run at the same time."
)
HEIGHT = 640  # pixels of the robot that moves
STYLE = """section .tiles { margin: 0 0 18px; }
.moves { margin-inline: calc(50% - min(50vw - 16px, 570px)); }
.moves iframe { display: block; margin-top: 10px; background: var(--code); }
@media (max-width: 600px) { section .tiles { margin: 0 0 18px; }
.moves { margin-inline: 0; } }
"""


@dataclass(frozen=True)
class Tour:
    """What the demo found: all that the page shows."""

    version: str
    robot: object
    call: str  # how to load this robot, as Python
    program: object
    pairs: list  # (general, customised) Operations, one pair per algorithm
    chosen: object  # Operations
    compiled: object  # measure.Compiled
    error: float  # of the kernel against the interpreter
    general_error: float  # against the interpreted general robot, given this robot's numbers
    latency_s: float
    speeds: list
    machine: dict
    warning: str  # that other processes were computing too, or nothing
    live: str | None  # the live page of the robot
    why_not_live: str


def page(tour):
    """The whole HTML document."""
    spoken = shown(tour.robot.name)
    name = escape(spoken)
    body = "\n".join(
        (_head(tour, name), _moves(tour), _speed(tour), _operations(tour), _layers(tour))
        + (_robot(tour, name), _try(tour), _measured(tour))
    )
    scripts = (script_of(tour.live),) if tour.live else ()
    allow = WASM if tour.live else ""
    return document(f"{spoken} in Paraxis", body, STYLE, may_run=scripts, allow=allow)


def _head(tour, name):
    return header(name, WHAT, version=tour.version)


def _moves(tour):
    if tour.live is None:
        return section("The robot does not move here", escape(tour.why_not_live))
    return section(
        "It moves",
        "This robot is simulated while you look, by its own dynamics, compiled to WebAssembly and "
        "placed in this page. Move a slider, pull a link with the mouse, or let the controller "
        "work with stale data and see how slow it may be.",
        framed("The robot, simulated in this page", tour.live, HEIGHT),
        '<p class="fine">As a page of its own: <code>paraxis page '
        f"{escape(tour.call)} -o arm.html</code></p>",
    ).replace("<section>", '<section class="moves">', 1)


def _figures(tour):
    best = max(tour.speeds, key=lambda speed: speed.states_per_s)
    general = cheapest([general for general, _ in tour.pairs])
    single = min((s for s in tour.speeds if s.threads == 1), key=lambda s: s.ns_per_state)
    figures = (
        (
            f"{short(best.states_per_s)}/s",
            f"states, inverse dynamics, {best.batch:,} per call, {_threads(best.threads)}; median",
        ),
        (
            duration(single.ns_per_state / 1e9),
            f"per state on one thread, {single.batch:,} per call; median",
        ),
        (f"{tour.chosen.flops} flops", f"per state; the general robot needs {general.flops}"),
        (duration(tour.compiled.cold_s), "to compile, once per machine"),
    )
    return tiles(figures)


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
    return section(
        "How fast",
        f"Inverse dynamics of many states in one call: larger batches spread the overhead of a "
        f"call over more states. Small batches always use one thread. A call with a single state "
        f"takes {duration(tour.latency_s)}, from Python and back.",
        _figures(tour),
        f'<p class="warning">{escape(tour.warning)}</p>' if tour.warning else "",
        plot(plots.throughput, series),
        details("The same as numbers", table(heads, rows, numeric=set(heads))),
    )


def _operations(tour):
    groups = [
        (shown(general.name), [("c3", "general", general.flops), ("c1", "customised", own.flops)])
        for general, own in tour.pairs
    ]
    groups.append(("chosen", [("c1", "customised", tour.chosen.flops)]))
    return section(
        "What it saves to know the robot",
        "Flops per state before and after the robot is known. In the general robot every mass, "
        "centre of mass, inertia, length and gravity is an input; in the customised one they are "
        "constants, and zeros, ones and repetitions disappear. Chosen is the cheapest over all "
        "algorithms and equivalent body frames and masses, and is what runs.",
        plot(plots.operations, groups),
        f'<p class="fine">{escape(NOTE)}</p>',
    )


def _layers(tour):
    widths, flops = tour.program.width(), tour.chosen.flops
    if not widths:  # a robot without mass
        return section("Where the parallelism is", "There is nothing to compute.")
    average = flops / len(widths)
    return section(
        "Where the parallelism is",
        f"With a processor for every operation, {flops} flops take {len(widths)} steps, one after "
        f"another; the plot shows how many flops could run at once in each step. The average is "
        f"{average:.1f}: no number of processors makes one state more than that many times "
        "faster. Different states are independent, which is what vectors and threads exploit.",
        plot(plots.layers, widths, flops),
        '<p class="fine">Each flop runs as early as its arguments allow; sines and cosines of '
        "the joint angles are taken as given.</p>",
    )


def _robot(tour, name):
    joints = table(HEAD, joint_rows(tour.robot), NUMERIC)
    head, rows = drive_table(tour.robot)
    drives = table(head, rows, NUMERIC) if rows else ""
    return section("The robot", f"{name}: {escape(summary(tour.robot))}.", joints, drives)


def _try(tour):
    code = f"""import paraxis as px

robot = px.load({tour.call})
# arrays (..., {tour.robot.n}), any batch shape
tau = px.inverse_dynamics(robot, q, qd, qdd)"""
    return section("Try it", "The same from Python:", f"<pre><code>{escape(code)}</code></pre>")


def _measured(tour):
    made = tour.compiled
    cached = "" if made.cached_s is None else f", found on disk in {duration(made.cached_s)}"
    notes = (
        f"Traced in {duration(made.trace_s)}, compiled in {duration(made.cold_s)}{cached}. "
        "Every time is the median of a few runs, float64, results written to a given array. "
        f"Checked on {SAMPLE} random states: the machine code differs from the interpreter by "
        f"{tour.error:.1e}, from the interpreted general robot given this robot's numbers by "
        f"{tour.general_error:.1e} (max|Δ| / max(1, max|reference|) of the worst state)."
    )
    facts = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in lines(tour.machine))
    return section("How it was measured", escape(notes), f"<dl>{facts}</dl>")


# -- pieces ----------------------------------------------------------------------------------------


def _threads(count):
    return counted(count, "thread")
