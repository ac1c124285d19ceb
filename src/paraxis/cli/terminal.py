"""The terminal: tables that fit its width, progress while one waits. Plain when piped.

Text is never markup here: what is printed may come from anyone's file.
"""

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

WIDE = 160  # a pipe has no width


class Terminal(Console):
    """A console that never reads text as markup and leaves a broken pipe to its caller."""

    def __init__(self, stderr=False):
        stream = sys.stderr if stderr else sys.stdout
        fixed = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False, width=fixed)

    def on_broken_pipe(self):
        raise BrokenPipeError

    def title(self, text, rest=""):
        """A heading, and what it is about; that breaks at commas where the line is short."""
        self.print()
        if len(text) + 2 + len(rest) <= self.width:
            self.print(Text.assemble((text, "bold"), "  " if rest else "", (rest, "")))
            return
        self.print(Text(text, style="bold"))
        lines = [""]
        for part in rest.split(", "):
            joined = f"{lines[-1]}, {part}" if lines[-1] else f"  {part}"
            if len(joined) < self.width:  # and a comma
                lines[-1] = joined
            else:
                lines[-1] += ","
                lines.append(f"  {part}")
        for line in lines:
            self.print(Text(line))

    def note(self, text, style="dim"):
        """Print a footnote, in lines of a readable length."""
        for line in Text(text, style=style).wrap(self, min(self.width, 100) - 3):
            line.rstrip()
            self.print(Text(" ").append_text(line))

    def warn(self, text):
        """Print a note that must not be overlooked, or nothing for an empty text."""
        if text:
            self.note(text, style="bold yellow")


@dataclass(frozen=True)
class Column:
    """A column of a table. When space is short, columns with a rank are dropped, lowest first."""

    head: str
    right: bool = False
    rank: int | None = None


def print_table(terminal, columns, rows, marked=()):
    """Rows of text under columns. A note names columns that do not fit. Marked rows stand out."""
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
        terminal.note(f"In a wider window also: {', '.join(reversed(dropped))}.".replace("\n", " "))


def ruled():
    """A table with a line below its head and two spaces between its columns."""
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def _table(columns, kept, rows, marked):
    table = ruled()
    for column in kept:
        side = "right" if column.right else "left"
        table.add_column(Text(column.head), justify=side, overflow="fold")
    for k, row in enumerate(rows):
        cells = [Text(cell) for column, cell in zip(columns, row, strict=True) if column in kept]
        table.add_row(*cells, style="bold green" if k in marked else None)
    return table


@contextmanager
def progress_bar(total, description):
    """A bar on stderr while several things are measured; nothing unless stderr is a terminal.

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
        redirect_stdout=False,  # what is printed there meanwhile stays there
        auto_refresh=False,
        disable=total < 2 or not terminal.is_terminal,
    )
    task = bar.add_task(description, total=total)
    with bar:
        bar.refresh()
        yield lambda: bar.update(task, advance=1, refresh=True)


@contextmanager
def waiting(still=False):
    """A line on stderr that names what is being waited for; nothing unless stderr is a terminal.

    Yields the function that sets the text. A line that is still has no thread that redraws it,
    which would show in times that are measured meanwhile.
    """
    terminal = Terminal(stderr=True)
    line = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=terminal,
        transient=True,
        redirect_stdout=False,  # what is printed there meanwhile stays there
        auto_refresh=not still,
        disable=not terminal.is_terminal,
    )
    task = line.add_task("")
    with line:
        yield lambda words: line.update(task, description=words, refresh=True)
