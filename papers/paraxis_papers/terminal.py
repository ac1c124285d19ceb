"""A report in the terminal: its verdicts, tables, figures and diagrams."""

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from paraxis.cli.terminal import Column, print_table, ruled
from paraxis.drawing.figure import Figure

from .document import (
    CONFIRMED,
    MOST_POINTS,
    VERDICT_HEADS,
    Diagram,
    agrees,
    cells,
    verdict_cells,
)

WIDE_ENOUGH = 120  # columns, for notes of a few dozen letters beside three columns


def print_report(terminal, report):
    """Print a report; notes wrap, and rows whose numbers agree are green."""
    terminal.title(report.title)
    terminal.note(report.lead, style="")
    if report.verdicts:
        terminal.print()
        terminal.print(_verdicts(report.verdicts))
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
            terminal.print(_compared(each.rows, terminal.width))
            for sentence in each.conventions:
                terminal.note(f"· {sentence}")
    terminal.print()
    terminal.note(report.rule)
    for reference in report.references:
        terminal.note(f"· {reference}")


def _verdicts(verdicts):
    table = ruled()
    for head in VERDICT_HEADS:
        table.add_column(head, overflow="fold", no_wrap=head == "verdict")
    for each in verdicts:
        style = "green" if each.outcome == CONFIRMED else None
        table.add_row(*map(Text, verdict_cells(each)), style=style)
    return table


def _compared(rows, width):
    """Printed numbers beside measured ones. Notes are below quantities where lines are short."""
    table, beside = ruled(), width >= WIDE_ENOUGH
    table.add_column("quantity", min_width=18, overflow="fold")
    table.add_column("printed", justify="right", no_wrap=True)
    table.add_column("measured", justify="right", no_wrap=True)
    if beside:
        table.add_column("note", overflow="fold")
    for row in rows:
        _, quantity, *numbers, note = cells(row)
        words = [Text(quantity), *map(Text, numbers)]
        if beside:
            words.append(Text(note))
        elif note:
            words[0] = Group(words[0], Padding(Text(note, "dim"), (0, 0, 0, 2)))
        table.add_row(*words, style="green" if agrees(row) else None)
    return table
