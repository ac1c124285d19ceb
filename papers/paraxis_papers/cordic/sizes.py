"""Processors, stages and buffers: what is printed, the printed equations, and shorter ones."""

from collections import Counter

from ..document import Row, Table
from ..printed import printed
from .circuits import PAPER, balanced, circuit, printed_tasks

CONVENTIONS = (
    "A stage is one pass through a CORDIC. All inputs arrive at stage 0 and all results leave "
    "together; a delay line counts as long as its last tap, and is tapped if it is read within "
    "as well. What needs no register is a wire.",
    "No timing of the same tasks has fewer buffer stages: the integer program is solved to its "
    "end.",
    "Times are stages times the paper's 40 µs, the CORDIC chip of 1980; nothing here was timed.",
)


def sizes_tables():
    """The paper's tasks made anew, and ours."""
    return [_as_printed(), _shorter()]


def _as_printed():
    found = printed("lee_chang")["cordic"]
    tasks = printed_tasks()
    line = balanced(tasks)
    less = balanced(printed_tasks(identities=True))
    rows = [
        *_totals(found, tasks, line),
        Row(
            PAPER,
            "tapped delay lines",
            found["tapped_delay_lines"],
            line.tapped_delay_lines,
            "; ".join(
                f"{line.line_name(each).removesuffix('.word')} by {', '.join(line.readers(each))}"
                for each in line.lines
                if each.tapped
            ),
        ),
        *_lines(found["buffers_of_figure_3"], line),
        _unshared(tasks),
        *_times(found, line),
        Row(
            PAPER,
            "processors, what vectoring gives used again",
            None,
            less.processors,
            f"{less.stages} stages, {less.buffers} buffer stages: the length of a vector is no "
            "second rotation, and sums are made of what is there first",
        ),
    ]
    lead = (
        "The equations of appendix A, with their misprints corrected, taken as they are written: "
        "each operation that a CORDIC does is a task, and the tasks are balanced."
    )
    return Table("The printed pipeline, from the printed equations", lead, rows, CONVENTIONS)


def _shorter():
    found, tasks = printed("lee_chang")["cordic"], circuit().tasks
    line = circuit().pipeline
    rows = [
        *_totals(found, tasks, line),
        Row(PAPER, "tapped delay lines", found["tapped_delay_lines"], line.tapped_delay_lines, ""),
        Row(PAPER, "delay lines", len(found["buffers_of_figure_3"]), len(line.delays), ""),
        _unshared(tasks),
        *_times(found, line),
    ]
    lead = (
        "The same joint angles by shorter equations: the wrist's centre is not turned into the "
        "arm's plane, since one root gives how far it is from axis 1; one more vectoring gives its "
        "distance from axis 2 and its elevation; and θ2 is that less the angle of a triangle, so "
        "it waits for no sine of θ3."
    )
    return Table("The same in fewer", lead, rows)


def _totals(found, tasks, line):
    return [
        Row(PAPER, "processors", found["processors"], line.processors, _kinds(tasks)),
        Row(PAPER, "stages", found["stages"], line.stages, ""),
        Row(PAPER, "buffer stages", found["buffer_stages"], line.buffers, "the fewest there are"),
    ]


def _unshared(tasks):
    buffers = balanced(tasks, shared=False).buffers
    what, note = "buffer stages, a line for each taker", "the fewest without tapped lines"
    return Row(PAPER, what, None, buffers, note)


def _lines(listed, line):
    """The buffers under Figure 3 beside the delay lines here."""
    printed_lengths, lengths = Counter(listed), Counter(line.delays.values())
    same = (printed_lengths & lengths).total()
    there, here = (
        ", ".join(str(length) for length in sorted(rest.elements()))
        for rest in (printed_lengths - lengths, lengths - printed_lengths)
    )
    return [
        Row(
            PAPER,
            "delay lines",
            len(listed),
            len(line.delays),
            f"printed: the buffers listed under Figure 3, of which {same} are as long as one here",
        ),
        Row(
            PAPER,
            "all of these together",
            sum(listed),
            line.buffers,
            f"the list adds up to more than the text says; the others are {there} long there, "
            f"{here} here",
        ),
    ]


def _times(found, line):
    stage = found["stage_us"]
    return [
        Row(
            PAPER,
            "µs from a pose to its joint angles",
            found["latency_us"],
            line.stages * stage,
            f"{line.stages} stages of {stage} µs",
        ),
        Row(PAPER, "µs from one solution to the next", stage, line.spacing * stage, "one stage"),
    ]


def _kinds(tasks):
    return ", ".join(f"{count} {kind}" for kind, count in tasks.counts.items())
