"""The terminal: tables that fit its width, a progress bar for the wait. Plain when piped.

Text is never markup here: what is printed may come from anyone's file.
"""

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from paraxis_papers.document import MOST_POINTS, Diagram, agrees, cells
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..checks import shown
from ..drawing.figure import Figure
from ..robots.table import HEAD, LOSSES, NUMERIC, drive_table, joint_rows, summary
from .operations import NOTE, cheapest
from .text import duration, names, short

WIDE = 160  # a pipe has no width


class Terminal(Console):
    """A console that takes no text for markup and leaves a broken pipe to its caller."""

    def __init__(self, stderr=False):
        stream = sys.stderr if stderr else sys.stdout
        fixed = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False, width=fixed)

    def on_broken_pipe(self):
        raise BrokenPipeError

    def title(self, text, rest=""):
        self.print()
        self.print(Text.assemble((text, "bold"), "  " if rest else "", (rest, "")))

    def note(self, text, style="dim"):
        """A footnote, in lines that are pleasant to read."""
        for line in Text(text, style=style).wrap(self, min(self.width, 100) - 3):
            line.rstrip()
            self.print(Text(" ").append_text(line))

    def warn(self, text):
        """Something that must not be overlooked; nothing where there is nothing."""
        if text:
            self.note(text, style="bold yellow")


@dataclass(frozen=True)
class Column:
    """A column of a table. Of those with a rank, the lowest go first when space is short."""

    head: str
    right: bool = False
    rank: int | None = None


def print_table(terminal, columns, rows, marked=()):
    """Rows of text under columns; what does not fit is left out and said so. Marked rows shine."""
    kept, dropped = list(columns), []
    table = _table(columns, kept, rows, marked)
    unlimited = terminal.options.update(max_width=10_000)
    while terminal.measure(table, options=unlimited).maximum > terminal.width:
        ranked = [column for column in kept if column.rank is not None]
        if not ranked:
            break
        goes = min(ranked, key=lambda column: column.rank)
        kept.remove(goes)
        dropped.append(goes.head)
        table = _table(columns, kept, rows, marked)
    terminal.print(table)
    if dropped:
        terminal.note(f"In a wider window also: {', '.join(reversed(dropped))}.")


def _table(columns, kept, rows, marked):
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in kept:
        side = "right" if column.right else "left"
        table.add_column(Text(column.head), justify=side, overflow="fold")
    for k, row in enumerate(rows):
        cells = [Text(cell) for column, cell in zip(columns, row, strict=True) if column in kept]
        table.add_row(*cells, style="bold green" if k in marked else None)
    return table


def print_robot(terminal, robot):
    """Totals, one line a joint, and one a drive if there are any."""
    ranks = {"rotor": 0, "range": 1, "centre of mass m": 2, "parent": 3, "axis": 4}
    ranks |= {head: rank for rank, head in enumerate(reversed(LOSSES))}
    terminal.title(shown(robot.name), summary(robot))
    for head, rows in ((HEAD, joint_rows(robot)), drive_table(robot)):
        if rows:
            terminal.print()
            print_table(terminal, [Column(h, h in NUMERIC, ranks.get(h)) for h in head], rows)


def print_frames(terminal, robot):
    terminal.title("frames", names(robot.frame_names))


def print_operations(terminal, rows, chosen):
    """The cost of each algorithm, the cheapest marked, and of the Program that is used."""
    best = cheapest(rows)
    heads = ("mul", "add", "trig", "flops", "depth")
    columns = [Column("algorithm"), *(Column(head, right=True) for head in heads), Column("")]
    lines = [
        (row.name, *(str(getattr(row, head)) for head in heads), "cheapest" if row is best else "")
        for row in rows
    ]
    lines.append(("chosen", *(str(getattr(chosen, head)) for head in heads), "used"))
    terminal.title("inverse dynamics", "operations for one state")
    terminal.print()
    print_table(terminal, columns, lines, marked=(rows.index(best), len(rows)))
    terminal.note(
        "Rows with a name: that algorithm as written, in the body frames of the description. "
        "chosen: what is used when none is named; frames and masses are moved to where they cost "
        "less, without changing the torques."
    )
    terminal.note(NOTE)


def print_customised(terminal, pairs, chosen):
    """Operations before and after customising: (general, customised) an algorithm."""
    columns = [
        Column("algorithm"),
        Column("general flops", right=True),
        Column("customised flops", right=True),
        Column("left", right=True),
        Column("general depth", right=True, rank=0),
        Column("customised depth", right=True, rank=1),
    ]
    lines = [_pair(general.name, general, own) for general, own in pairs]
    lines.append(_pair("chosen", cheapest([general for general, _ in pairs]), chosen))
    print_table(terminal, columns, lines, marked=(len(pairs),))


def _pair(name, general, own):
    left = f"{own.flops / general.flops:.0%}"
    return (name, str(general.flops), str(own.flops), left, str(general.depth), str(own.depth))


def print_speeds(terminal, speeds, peer=None, crowded=lambda threads: False):
    """One line a batch size; for each number of threads our speed and, if measured, the peer's.

    Ratios are left out where others took the cores: they would be nonsense.
    """
    counts = list(dict.fromkeys(speed.threads for speed in speeds))
    ours = {(speed.batch, speed.threads): speed for speed in speeds}
    theirs = {(speed.batch, speed.threads): speed for speed in (peer.speeds if peer else ())}
    columns = [Column("batch", right=True)]
    for count in counts:
        threads = "1 thread" if count == 1 else f"{count} threads"
        columns += [Column(f"{threads}\nper state", right=True)]
        columns += [Column(f"{threads}\nstates/s", right=True, rank=count)]
        if peer:
            columns += [Column(f"{threads}\nPinocchio", right=True)]
            columns += [Column(f"{threads}\nratio", right=True)]
    lines = []
    for batch in dict.fromkeys(speed.batch for speed in speeds):
        line = [f"{batch:,}"]
        for count in counts:
            own = ours[batch, count]
            line += [duration(own.ns_per_state / 1e9), short(own.states_per_s)]
            if peer:
                other = theirs[batch, count]
                ratio = f"{other.ns_per_state / own.ns_per_state:.1f}"
                line += [duration(other.ns_per_state / 1e9), "–" if crowded(count) else ratio]
        lines.append(line)
    print_table(terminal, columns, lines)


@contextmanager
def progress(total, description):
    """A bar on stderr while several things are measured; nothing where nobody watches.

    Yields the function to call after each. No thread redraws the bar meanwhile: that would
    show in the times.
    """
    terminal = Terminal(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=terminal,
        transient=True,
        auto_refresh=False,
        disable=total < 2 or not terminal.is_terminal,
    )
    task = bar.add_task(description, total=total)
    with bar:
        bar.refresh()
        yield lambda: bar.update(task, advance=1, refresh=True)


def print_report(terminal, report):
    """A report's tables; notes wrap, and rows whose numbers agree shine."""
    terminal.title(report.title)
    terminal.note(report.lead, style="")
    for each in report.parts:
        terminal.title(each.title)
        terminal.note(each.lead, style="")
        terminal.print()
        if isinstance(each, Figure):
            heads = enumerate(each.heads)
            columns = [Column(head, right=True, rank=-k if k else None) for k, head in heads]
            print_table(terminal, columns, each.rows(MOST_POINTS))
            terminal.note(f"{each.y} over {each.x}.")
        elif isinstance(each, Diagram):
            terminal.print(Text(each.text))
        else:
            terminal.print(_compared(each.rows))
            for sentence in each.conventions:
                terminal.note(f"· {sentence}")
    terminal.print()
    terminal.note(report.rule)


def _compared(rows):
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("quantity", min_width=18, overflow="fold")
    table.add_column("printed", justify="right", no_wrap=True)
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for row in rows:
        _, *words = cells(row)
        table.add_row(*map(Text, words), style="green" if agrees(row) else None)
    return table
