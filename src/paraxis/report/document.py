"""A report: tables of what a paper prints beside what is measured here, and why they differ.

Every report is such a value, and what renders it knows nothing of what it is about. Cells as text,
JSON and Markdown are here; the terminal is in terminal.py, HTML in report_page.py.
"""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One quantity. `printed` and `measured` are numbers, pairs, or None where there is none."""

    paper: str
    quantity: str
    printed: object
    measured: object
    note: str


@dataclass(frozen=True)
class Table:
    """Rows that belong together; what it is about, and how to read its numbers."""

    title: str
    lead: str
    rows: list
    conventions: tuple = ()  # one sentence each


@dataclass(frozen=True)
class Figure:
    """Curves over one quantity. `curves` maps a name to its (x, y) points; dashed: bounds and
    what is printed. Log: which axes are logarithmic, as "x", "y" or "xy"."""

    title: str
    lead: str
    x: str
    y: str
    curves: dict
    dashed: tuple = ()
    log: str = ""


@dataclass(frozen=True)
class Report:
    name: str
    title: str
    lead: str
    tables: list
    rule: str  # how things were measured, for all tables
    figures: tuple = ()

    @property
    def rows(self):
        return [row for table in self.tables for row in table.rows]


HEADS = ("paper", "quantity", "printed", "measured", "note")


def cells(row):
    """A row as text."""
    return (row.paper, row.quantity, text_of(row.printed), text_of(row.measured), row.note)


def agrees(row):
    """Whether what is measured is what is printed."""
    return row.printed is not None and row.printed == row.measured


def text_of(value):
    """A number with its thousands apart; a pair as multiplications + additions."""
    if value is None:
        return "–"
    if isinstance(value, (list, tuple)):
        return " + ".join(text_of(each) for each in value).replace("+ −", "− ")
    return f"{value:,}".replace("-", "−")


def as_json(report):
    """The rows, as objects that json can write."""
    return [asdict(row) for row in report.rows]


def markdown(report):
    """The report as a Markdown document."""
    parts = [f"# {report.title}", report.lead]
    for table in report.tables:
        parts += [f"## {table.title}", table.lead]
        lines = [_line(HEADS), "|---|---|---:|---:|---|"]
        parts.append("\n".join([*lines, *(_line(cells(row)) for row in table.rows)]))
        if table.conventions:
            parts.append("\n".join(f"- {sentence}" for sentence in table.conventions))
    return "\n\n".join([*parts, report.rule]) + "\n"


def _line(words):
    return "| " + " | ".join(word.replace("|", "\\|") for word in words) + " |"
