"""A design as one HTML page: self-contained, light or dark, readable on a phone."""

from collections import Counter
from html import escape

from ..checks import shown
from ..drawing.figure import Figure, figure_html
from ..drawing.frame import document, header, tiles
from ..drawing.page import plot, section, table
from ..drawing.svg import LINE, Drawing, legend_places
from ..parallel.gantt.page import counted, group_words
from ..parallel.methods.plan import busy_rows
from ..parallel.schedules.speedup_curve import speedup_curve
from ..parallel.tasks.task_groups import groups_of
from ..robots.table import HEAD, NUMERIC, drive_table, joint_rows, summary
from .design_text import FLOPS, kinematics_words, rate_words, schedule_words, waits_words
from .machine import lines
from .operations import NOTE
from .short_numbers import duration, short
from .transmission_figure import input_over_output

MOST_CURVES = 6  # transmissions that are drawn
HUES, OTHERS = ("c1", "c4", "c2", "c5", "c6", "c7", "c8"), "c3"  # of groups, common ones first
ROW, GAP, LEFT = 26, 8, 34  # pixels of a processor's row, between rows, before them


def page(design):
    """The whole HTML document."""
    name = shown(design.robot.name)
    body = "\n".join(
        part
        for part in (
            _head(design, escape(name)),
            _kinematics(design),
            _operations(design),
            _drives(design),
            _schedule(design),
            _times(design),
            _rate(design),
            _robot(design, escape(name)),
            _files(design),
            _made(design),
        )
        if part
    )
    title = f"{name} on {counted(design.processors, 'core')}"
    return document(title, body)


def _head(design, name):
    best, last = design.schedule, design.operations[-1]
    proof = "no schedule is shorter" if best.optimal else f"gap {best.gap:.1%}"
    figures = [
        (f"{last.flops} flops", f"{last.name}, per state"),
        (
            f"{best.makespan:g} flops",
            f"on the busiest of {counted(best.processors, 'core')}; {proof}",
        ),
    ]
    if design.loop:
        count, times = design.loop
        figures.append((duration(times.median), f"the fastest loop here, {counted(count, 'core')}"))
    if design.rate:
        figures.append((f"{short(1 / design.rate.predicted.period)} Hz", "the lowest safe rate"))
    return header(
        f"{name} on {counted(design.processors, 'core')}",
        "Kinematics, dynamics and friction as C, with their schedule, what they cost, how fast "
        "they run here, and how fast they must.",
        tiles((escape(figure), escape(words)) for figure, words in figures),
        version=design.version,
    )


def _kinematics(design):
    return section("Inverse kinematics", escape(_sentence(kinematics_words(design))))


def _operations(design):
    heads = ("", *FLOPS, "trig", "flops", "depth")
    rows = [
        (each.name, *(str(getattr(each, head)) for head in heads[1:])) for each in design.operations
    ]
    without = (
        ""
        if len(rows) > 1
        else " No drives were given, so torques are those at the joints, "
        "without friction: add them with --drives."
    )
    return section(
        "Operations",
        f"What one state costs, customised for this robot.{without}",
        table(heads, rows, numeric=set(heads[1:])),
        f'<p class="fine">{escape(NOTE)}</p>',
    )


# -- drives ----------------------------------------------------------------------------------------


def _drives(design):
    """The input of each transmission over its output: Dhanaraj's Fig. 3.5."""
    drawn = {}
    for joint in design.robot.joints:
        if not joint.transmission.is_ideal:
            turns = joint.kind != "prismatic"
            drawn.setdefault((joint.transmission, turns), []).append(joint.name)
    if not drawn:
        return ""
    several = [(escape(", ".join(map(shown, names))), kind) for kind, names in drawn.items()]
    curves = [
        f"<p><b>{names}</b></p>\n{figure_html(input_over_output(*kind))}"
        for names, kind in several[:MOST_CURVES]
    ]
    rest = "; ".join(names for names, _ in several[MOST_CURVES:])
    if rest:
        rest = f'<p class="fine">Transmissions that are not drawn: {rest}.</p>'
    return section(
        "Transmissions",
        "The torque a motor must give over the torque the joint needs, both on the side of the "
        "joint: more where the motor drives, less where the load drives it.",
        *curves,
        rest,
    )


# -- the schedule ----------------------------------------------------------------------------------


def _schedule(design):
    best = design.schedule
    curve = speedup_curve(best.tasks, max(2 * best.processors, 4), "list")
    bends = Figure(
        "Speed-up over cores",
        "",
        "cores",
        "speed-up without messages",
        {"list schedules": [(each.processors, each.speedup) for each in curve.schedules]},
    )
    return section(
        "The schedule",
        f"{escape(design.tasks_in_words.capitalize())}: {escape(schedule_words(best))}. "
        "Times are in flops, and messages are free here. Point at a task to see its time; "
        '<a href="schedule.html">schedule.html</a> shows who waits for whom.',
        plot(gantt, best),
        f"<p class='fine'>{escape(waits_words(design))}. Values go in lines of shared memory whose "
        "stamp is written last; a core waits for the stamp, so there is no barrier that all meet "
        "at but the one at the end of a call.</p>",
        figure_html(bends),
    )


def gantt(schedule, width):
    """A row per processor, a bar per task, coloured by what the tasks compute."""
    tasks, rows = schedule.tasks, busy_rows(schedule.tasks, schedule.starts, schedule.places)
    groups = groups_of(tasks)
    common = [group for group, _ in Counter(groups.values()).most_common()]
    hues = dict.fromkeys(common, OTHERS) | dict(zip(common, HUES, strict=False))
    legend = [(hue, group_words(group)) for group, hue in hues.items() if hue != OTHERS]
    if len(common) > len(HUES):
        legend.append((OTHERS, "others"))
    top = legend_places(legend, width)[-1][1] + LINE + GAP if legend else 0
    drawing = Drawing(width, top + len(rows) * (ROW + GAP) + 20, "The schedule as a chart")
    drawing.legend(legend)
    scale = (width - LEFT) / (schedule.makespan or 1)
    for k, (place, row) in enumerate(rows.items()):
        y = top + k * (ROW + GAP)
        drawing.text(0, y + ROW - 8, str(place), "tick")
        for task in row:
            start, weight = schedule.starts[task], tasks.weights[task]
            name = tasks.names[task]
            group = groups.get(name, "")
            drawing.add(
                "rect",
                title=f"{name}, {group}: {start:g} to {start + weight:g}",
                x=LEFT + scale * start,
                y=y,
                width=max(scale * weight - 0.6, 0.6),
                height=ROW,
                kind=f"fill {hues.get(group, 'c1')}",
            )
    floor = top + len(rows) * (ROW + GAP) + 10
    drawing.text(LEFT, floor, "0", "tick")
    drawing.text(width, floor, f"{schedule.makespan:g} flops", "tick", "end")
    return drawing


# -- times, rates, files ---------------------------------------------------------------------------


def _times(design):
    rows = [
        (counted(count, "core"), *(duration(each) for each in times))
        for count, times in design.times.items()
    ]
    heads = ("", "fastest", "median", "slowest")
    words = "One call with one state, from C, as this machine's compiler makes it (-O2)."
    warnings = [each for each in (design.why_no_times, design.warning) if each]
    return section(
        "Loop time, measured here",
        escape(f"{words} {_worth(design)}"),
        table(heads, rows, numeric=set(heads[1:])) if rows else "",
        *(f'<p class="warning">{escape(_sentence(each))}</p>' for each in warnings),
    )


def _worth(design):
    """Whether several cores are worth it, by the fastest rounds; nothing if that is not known."""
    if len(design.times) < 2 or design.warning:
        return ""
    most = max(design.times)
    one, several = design.times[1].fastest, design.times[most].fastest
    if several < one:
        return f"{most} cores are {one / several:.2f} times as fast as one."
    return (
        f"{most} cores are {several / one:.0f} times slower than one: a message between cores "
        "costs more than it saves."
    )


def _sentence(words):
    end = "" if words.endswith(".") else "."
    return f"{words[:1].upper()}{words[1:]}{end}"


def _rate(design):
    return section(
        "Safe rate",
        escape(_sentence(rate_words(design))),
        '<p class="fine">Computed torque control, its loop linear about that posture. At this rate '
        "errors are about to grow, so choose a higher one; joints with much viscous friction are "
        "stable at rates that are of no use. Other postures: paraxis safe-rate --postures.</p>",
    )


def _robot(design, name):
    joints = table(HEAD, joint_rows(design.robot), NUMERIC)
    head, rows = drive_table(design.robot)
    drives = table(head, rows, NUMERIC) if rows else ""
    return section("The robot", f"{name}: {escape(summary(design.robot))}.", joints, drives)


def _files(design):
    commands = escape("\n".join(design.commands))
    return section(
        "Files",
        f"{counted(len(design.sources), 'C file')}, each with a header; self-tests compare with "
        "results of the interpreter. Build and "
        "run them, from the folder where paraxis design ran:",
        f"<pre><code>{commands}</code></pre>",
    )


def _made(design):
    facts = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in lines(design.machine))
    return section(
        "How it was made",
        f"From the description to C and its schedule in {duration(design.generated_s)}, here:",
        f"<dl>{facts}</dl>",
    )
