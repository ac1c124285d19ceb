"""A schedule in the terminal: its figures, and a chart in letters where it fits."""

from rich.text import Text

from ..drawing.axes import number_text
from ..parallel.gantt.page import bound_words
from ..robot.table import shown
from .terminal import Column, print_table

HUES = ("blue", "yellow", "green", "magenta", "cyan", "red")  # of groups, in turn
BLOCKS = "█▓"  # in turn, so that neighbours are told apart without colours
IDLE = "·"
MOST_ROWS = 32


def print_tasks(terminal, tasks, title, source):
    """What is to be done, and where it comes from."""
    terminal.title(shown(title), source)
    terminal.print()
    edges = sum(map(len, tasks.predecessors))
    _facts(
        terminal,
        ("tasks", f"{number_text(len(tasks))}, {number_text(edges)} dependencies"),
        ("work", f"{number_text(tasks.work)}: the time of one processor"),
        ("longest path", f"{number_text(tasks.span)}: the time of any number of processors"),
        ("parallelism", f"{tasks.parallelism:.1f}: work by longest path"),
    )


def print_schedule(terminal, schedule):
    """One schedule: what it reaches, what bounds it, and a chart."""
    count = schedule.processors
    terminal.title("1 processor" if count == 1 else f"{number_text(count)} processors")
    terminal.print()
    _facts(
        terminal,
        ("method", schedule.method),
        ("makespan", f"{number_text(schedule.makespan)}, {_proved(schedule)}"),
        ("bound", f"{number_text(schedule.bound)}, by {bound_words(schedule)}"),
        ("speed-up", f"{schedule.speedup:.2f}"),
        ("efficiency", f"{schedule.efficiency:.1%}"),
    )
    rows = chart(schedule, terminal.width - 2)
    if rows:
        terminal.print()
        for row in rows:
            terminal.print(Text("  ") + row)


def print_schedules(terminal, schedules):
    """A line a schedule, over the number of processors; the best use of them shines."""
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


def chart(schedule, width):
    """A line a processor, so many letters a unit of time; none where tasks would be too small.

    With names where there is room for all of them.
    """
    tasks, gutter = schedule.tasks, len(f"P{schedule.processors - 1}") + 1
    lengths = {name: tasks.weights[k] for k, name in enumerate(tasks.names) if tasks.weights[k]}
    if not lengths or schedule.processors > MOST_ROWS:
        return []
    scale = (width - gutter) / schedule.makespan
    scale = int(scale) or scale  # whole letters keep equal tasks equal
    if min(lengths.values()) * scale < 1:
        return []
    named = all(len(shown(str(name))) < int(length * scale) for name, length in lengths.items())
    groups = dict.fromkeys(tasks.groups.values())
    hues = {group: HUES[k % len(HUES)] for k, group in enumerate(groups)}
    rows = []
    for place, names in enumerate(schedule.rows):
        row, until = Text(f"P{place}".ljust(gutter)), 0
        for k, name in enumerate(name for name in names if name in lengths):
            start = schedule.start[name]
            first, last = (round(time * scale) for time in (start, start + lengths[name]))
            block = BLOCKS[k % 2] * (last - first)
            row.append(IDLE * (first - until), "dim")
            row.append(
                shown(str(name)).ljust(last - first - 1) + "│" if named else block,
                hues.get(tasks.groups.get(name), HUES[0]),
            )
            until = last
        row.append(IDLE * (round(schedule.makespan * scale) - until), "dim")
        rows.append(row)
    length = round(schedule.makespan * scale) - 1
    rows.append(Text(" " * gutter + "0" + number_text(schedule.makespan).rjust(length), "dim"))
    return rows


def _facts(terminal, *facts):
    for what, value in facts:
        terminal.print(f"  {what:<14}{value}")


def _proved(schedule):
    return "optimal" if schedule.optimal else f"at most {schedule.gap:.1%} above the shortest"
