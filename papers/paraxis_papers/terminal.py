"""A report in the terminal: its verdicts, tables, figures and diagrams."""

from rich import box
from rich.table import Table
from rich.text import Text

from paraxis.cli.terminal import Column, print_table
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
            terminal.print(_compared(each.rows))
            for sentence in each.conventions:
                terminal.note(f"· {sentence}")
    terminal.print()
    terminal.note(report.rule)
    for reference in report.references:
        terminal.note(f"· {reference}")


def _verdicts(verdicts):
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in VERDICT_HEADS:
        table.add_column(head, overflow="fold", no_wrap=head == "verdict")
    for each in verdicts:
        style = "green" if each.outcome == CONFIRMED else None
        table.add_row(*map(Text, verdict_cells(each)), style=style)
    return table


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
