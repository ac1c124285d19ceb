"""A schedule in the terminal: its figures, and a chart of characters where it fits."""

from rich.text import Text

from ..checks import shown
from ..drawing.axes import number_text
from ..parallel.gantt.page import bound_words, counted, group_words
from ..parallel.methods.bounds import gap_words
from ..parallel.methods.optimal.search import unsearched
from ..parallel.methods.plan import busy_rows
from ..parallel.tasks.task_groups import groups_of
from .terminal import Column, print_table

HUES = ("blue", "yellow", "green", "magenta", "cyan", "red")  # of groups, in turn
BLOCKS = "█▓"  # in turn, so that neighbours are told apart without colours
IDLE = "·"
MOST_ROWS = 32


def print_tasks(terminal, tasks, title, source):
    """The tasks in numbers, and where they come from."""
    terminal.title(shown(title), source)
    terminal.print()
    edges = counted(tasks.edge_count, "dependency", "dependencies")
    _facts(
        terminal,
        ("tasks", f"{number_text(len(tasks))}, {edges}"),
        ("work", f"{number_text(tasks.work)}: the time on one processor"),
        ("longest path", f"{number_text(tasks.span)}: the least time on any number of processors"),
        ("parallelism", f"{tasks.parallelism:.1f}: work divided by longest path"),
    )


def print_schedule(terminal, schedule):
    """One schedule: its makespan, its bounds and a chart."""
    terminal.title(counted(schedule.processors, "processor"))
    terminal.print()
    _facts(
        terminal,
        ("method", schedule.method),
        ("makespan", f"{number_text(schedule.makespan)}, {_proved(schedule)}"),
        ("bound", f"{number_text(schedule.bound)}, by {bound_words(schedule)}"),
        ("speed-up", f"{schedule.speedup:.2f}{_beside_one(schedule)}"),
        ("efficiency", f"{schedule.efficiency:.1%}"),
    )
    _note_unsearched(terminal, [schedule])
    rows = chart(schedule, terminal.width - 2)
    if rows:
        terminal.print()
        for row in rows:
            terminal.print(Text("  ") + row)
        terminal.print()
        for line in key(schedule.tasks).wrap(terminal, terminal.width - 3):
            terminal.print(Text("  ") + line)


def print_schedules(terminal, schedules):
    """One line per schedule, over the number of processors."""
    terminal.title("speed-up", f"method {schedules[0].method}")
    terminal.print()
    heads = ("processors", "makespan", "bound", "speed-up", "efficiency")
    columns = [*(Column(head, right=True) for head in heads), Column("proved", rank=0)]
    rows = [
        (
            number_text(each.processors),
            number_text(each.makespan),
            number_text(each.bound),
            f"{each.speedup:.2f}",
            f"{each.efficiency:.1%}",
            _proved(each),
        )
        for each in schedules
    ]
    print_table(terminal, columns, rows)
    _note_unsearched(terminal, schedules)


def _note_unsearched(terminal, schedules):
    for reason in dict.fromkeys(filter(None, map(unsearched, schedules))):
        terminal.note(f"No exact search was made: {reason}.")


def _facts(terminal, *facts):
    for what, value in facts:
        terminal.print(f"  {what:<14}{value}")


def _beside_one(schedule):
    """A remark where several processors gain nothing."""
    if schedule.is_slow:
        return ", slower than one processor"
    return ", all on one processor" if len(set(schedule.places)) == 1 < schedule.processors else ""


def _proved(schedule):
    return "optimal" if schedule.optimal else f"{gap_words(schedule.gap)} above the shortest"


def key(tasks):
    """What the signs and colours of the chart mean."""
    by_hue: dict[str, list] = {}
    for group, hue in _hues(tasks).items():
        by_hue.setdefault(hue, []).append(shown(group_words(group), 30))
    parts = [Text(f"time in {shown(tasks.unit, 40)}")] if tasks.unit else []
    parts.append(Text.assemble((IDLE, "dim"), " idle"))
    if not by_hue:
        parts.append(Text.assemble((BLOCKS, HUES[0]), " tasks in turn"))
    for hue, names in by_hue.items():
        parts.append(Text.assemble((BLOCKS[0], hue), f" {', '.join(names)}"))
    return Text("  ").join(parts)


def _hues(tasks):
    """group -> colour."""
    groups = dict.fromkeys(groups_of(tasks).values())
    return {group: HUES[k % len(HUES)] for k, group in enumerate(groups)}


def chart(schedule, width):
    """One line per processor; no lines where a task would be narrower than a character.

    With names where there is room for all of them. Processors without tasks are only counted.
    """
    tasks = schedule.tasks
    processors = busy_rows(tasks, schedule.starts, schedule.places)
    lengths = {name: tasks.weights[k] for k, name in enumerate(tasks.names) if tasks.weights[k]}
    if not lengths or len(processors) > MOST_ROWS:
        return []
    gutter = len(f"P{max(processors)}") + 1
    scale = (width - gutter) / schedule.makespan
    scale = int(scale) or scale  # an integer keeps equal tasks equal
    if min(lengths.values()) * scale < 1:
        return []
    named = all(len(shown(str(name))) < int(length * scale) for name, length in lengths.items())
    group_of = groups_of(tasks)
    hues = _hues(tasks)
    rows = []
    for place, own in processors.items():
        row, until = Text(f"P{place}".ljust(gutter)), 0
        for k, name in enumerate(tasks.names[task] for task in own if tasks.weights[task]):
            start = schedule.start[name]
            first, last = (round(time * scale) for time in (start, start + lengths[name]))
            block = BLOCKS[k % 2] * (last - first)
            row.append(IDLE * (first - until), "dim")
            row.append(
                shown(str(name)).ljust(last - first - 1) + "│" if named else block,
                hues.get(group_of.get(name), HUES[0]),
            )
            until = last
        row.append(IDLE * (round(schedule.makespan * scale) - until), "dim")
        rows.append(row)
    if idle := schedule.processors - len(processors):
        rows.append(Text(f"and {number_text(idle)} idle", "dim"))
    length = round(schedule.makespan * scale) - 1
    rows.append(Text(" " * gutter + "0" + number_text(schedule.makespan).rjust(length), "dim"))
    return rows
