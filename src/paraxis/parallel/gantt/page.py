"""The page: the data of the chart, and its text as HTML.

Names of tasks are untrusted text, and are escaped.
"""

from html import escape

from ...checks import shown
from ...drawing.axes import number_text
from ...drawing.figure import figure_html
from ...drawing.frame import brand, file_text, tiles
from ...drawing.interactive.page import framed as in_frame
from ...drawing.interactive.page import interactive_page
from ..methods.bounds import gap_text, gap_words
from ..methods.optimal.search import unsearched
from ..methods.plan import busy_rows
from ..tasks.task_groups import groups_of
from .called import called
from .waits import NEEDS, causes, slacks

OPERATIONS = {
    "mul": "multiplications",
    "add": "additions",
    "div": "divisions",
    "sqrt": "square roots",
    "trig": "sines",
}
SCRIPTS = ("model.js", "view.js", "picture.js", "words.js", "hands.js")  # each uses those before


def page(*schedules, title=None, source="", figures=(), back=None):
    """The whole document: a chart of each schedule of the same tasks, one at a time.

    The title names the tasks, by default by their own name; the source says where they come from;
    `back` leads to the page that links here, see `brand`.
    """
    name = shown(title or schedules[0].tasks.name, 200)
    title = f"{name}: {title_words(schedules)}"
    last = len(schedules) - 1
    body = _file("page.html").format(
        brand=brand(back=back),
        title=escape(title),
        about=escape(_sentence(shown(source, 200))) + _about(schedules[0].tasks),
        choices=_choices(schedules),
        tiles="\n".join(_tiles(k, each, k == last) for k, each in enumerate(schedules)),
        figures="\n".join(_figure(each) for each in figures),
    )
    return interactive_page(
        title, body.rstrip("\n"), _data(schedules), _file("style.css"), map(_file, SCRIPTS)
    )


def framed(*schedules, figures=()):
    """The page as an element of another page."""
    rows = min(schedules[-1].processors, len(set(schedules[-1].places)) + 1, 10)
    height = 741 + 42 * rows + 578 * len(figures)
    title = f"{shown(schedules[0].tasks.name, 200)}: {title_words(schedules)}"
    return in_frame(title, page(*schedules, figures=figures), height)


def _file(name):
    return file_text(__package__, name)


# -- words -----------------------------------------------------------------------------------------


def _sentence(source):
    return f"{source[:1].upper()}{source[1:]}. " if source else ""


def title_words(schedules):
    """A title such as 'schedule on 6 processors'."""
    counts = list(dict.fromkeys(each.computing for each in schedules))
    if len(counts) == 1:
        return f"schedule on {counted(counts[0], 'processor')}"
    return f"schedules on {number_text(min(counts))} to {number_text(max(counts))} processors"


def _about(tasks):
    if not len(tasks):
        return "There are no tasks."
    unit = f" {escape(shown(tasks.unit, 40))}" * bool(tasks.unit)
    unknown = "" if unit else " Times are in the unit of the tasks' weights."
    edges = counted(tasks.edge_count, "dependency", "dependencies")
    most = f"{tasks.parallelism:.1f}".removesuffix(".0")
    return (
        f"{counted(len(tasks), 'task')} and {edges}; work "
        f"{number_text(tasks.work)}{unit}, longest path {number_text(tasks.span)}{unit}, so at "
        f"most {most} {'processor' if most == '1' else 'processors'} can be busy on average."
        f"{unknown}"
    )


def _choices(schedules):
    """Buttons that select a schedule; none if there is only one."""
    if len(schedules) == 1:
        return ""
    buttons = "".join(
        f'<button type="button" data-schedule="{k}">{number_text(each.computing)}</button>'
        for k, each in enumerate(schedules)
    )
    return f'<div class="choices" role="group" aria-label="Processors">processors {buttons}</div>'


def _tiles(k, schedule, seen):
    """The figures of one schedule; those of the last are shown first."""
    above = f"{gap_words(schedule.gap)} above the shortest"
    idle = schedule.computing * schedule.makespan - schedule.tasks.work
    speedup, efficiency = f"{schedule.speedup:.2f}×", f"{schedule.efficiency:.1%}"
    if not schedule.makespan:
        speedup = efficiency = "–"
    processors, reason = counted(schedule.computing, "processor"), unsearched(schedule)
    unit = f" {escape(shown(schedule.tasks.unit, 40))}" * bool(schedule.tasks.unit)
    figures = (
        (f"{number_text(schedule.makespan)}{unit}", f"makespan, on {processors}"),
        ("optimal" if schedule.optimal else f"gap {gap_text(schedule.gap)}",
         "no schedule is shorter" if schedule.optimal else above),
        (f"{number_text(schedule.bound)}{unit}", escape(f"bound, by {bound_words(schedule)}")),
        (speedup, f"{'slower than' if schedule.is_slow else 'speed-up over'} one processor"),
        (efficiency, f"efficiency; idle {number_text(idle)}{unit}"),
        (escape(shown(schedule.method)), "method" + f"; no exact search: {reason}" * bool(reason)),
    )  # fmt: skip
    return tiles(figures, f' data-schedule="{k}"{"" if seen else " hidden"}')


def bound_words(schedule):
    """The best bounds by name, and the values of the others."""
    loose = [
        f"{name} {number_text(value)}"
        for name, value in schedule.bounds.items()
        if name not in schedule.tight
    ]
    return "; ".join(filter(None, (" and ".join(schedule.tight), ", ".join(loose))))


def counted(count, one, many=None):
    """A phrase such as '1 task' or '2,000 tasks'."""
    return f"{number_text(count)} {one if count == 1 else many or one + 's'}"


def _figure(figure):
    return (
        f"<section>\n<h2>{escape(figure.title)}</h2>\n<p>{escape(figure.lead)}</p>\n"
        f"{figure_html(figure)}\n</section>"
    )


# -- data ------------------------------------------------------------------------------------------


def _data(schedules):
    tasks = schedules[0].tasks
    group_of = groups_of(tasks)
    groups = list(dict.fromkeys(group_of[name] for name in tasks.names if name in group_of))
    if all(isinstance(group, int) for group in groups):
        groups.sort()
    number = {group: k for k, group in enumerate(groups)}
    bars, words, labels = ([shown(each, 200) for each in names] for names in called(tasks))
    return {
        "names": words,
        "bars": bars if bars != words else [],
        "labels": labels,
        "unit": shown(tasks.unit, 40),
        "groupNames": [shown(group_words(group)) for group in groups],
        "groups": [number.get(group_of.get(name), -1) for name in tasks.names],
        "weights": tasks.weights,
        "before": tasks.predecessors,
        "messages": [[first, then, size] for (first, then), size in tasks.messages.items()],
        "schedules": [_schedule(each) for each in schedules],
    }


def group_words(group):
    """A number is that of a link; text names what operations compute."""
    if isinstance(group, int):
        return f"link {group}"
    return ", ".join(OPERATIONS.get(word, word) for word in str(group).split(", "))


def _schedule(schedule):
    """Only processors with tasks have a row: `numbers` are theirs, `places` are those of rows.

    Rows of messages come last, with the numbers of their senders.
    """
    tasks, waited = schedule.tasks, causes(schedule)
    places = list(busy_rows(tasks, schedule.starts, schedule.places))
    row = {processor: k for k, processor in enumerate(places)}
    first_sender = schedule.processors - schedule.senders
    senders = [place - first_sender for place in places if place >= first_sender]
    return {
        "processors": schedule.computing,
        "numbers": places[: len(places) - len(senders)],
        "senders": senders,
        "makespan": schedule.makespan,
        "starts": schedule.starts,
        "places": [row[place] for place in schedule.places],
        "slacks": slacks(schedule),
        "causes": [-1 if cause is None else cause[0] for cause in waited],
        "needs": [int(cause is not None and cause[1] == NEEDS) for cause in waited],
    }
