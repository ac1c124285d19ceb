"""A report: tables of a paper's numbers beside those measured here, and why they differ.

Every report is such a value, rendered without knowledge of its subject. Cells as text, JSON and
Markdown are here; the terminal is in terminal.py, HTML in page.py.
"""

from dataclasses import asdict, dataclass

from paraxis.drawing.axes import number_text
from paraxis.drawing.figure import Figure


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
    """Rows that belong together, with an introduction and conventions, one sentence each."""

    title: str
    lead: str
    rows: list[Row]
    conventions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagram:
    """A picture other than curves: HTML with its own style, and the same as text."""

    title: str
    lead: str
    html: str
    style: str
    text: str


@dataclass(frozen=True)
class Report:
    """A report: its parts in reading order, and the `rule` of how things were measured."""

    name: str
    title: str
    lead: str
    parts: list[Table | Figure | Diagram]
    rule: str

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def figures(self) -> list[Figure]:
        return [part for part in self.parts if isinstance(part, Figure)]

    @property
    def diagrams(self) -> list[Diagram]:
        return [part for part in self.parts if isinstance(part, Diagram)]

    @property
    def rows(self) -> list[Row]:
        return [row for table in self.tables for row in table.rows]


HEADS = ("paper", "quantity", "printed", "measured", "note")
MOST_POINTS = 16  # of a figure, where it is a table


def cells(row):
    """A row as text."""
    return (row.paper, row.quantity, text_of(row.printed), text_of(row.measured), row.note)


def agrees(row):
    """Whether the measured value equals the printed one."""
    return row.printed is not None and row.printed == row.measured


def text_of(value):
    """A number with thousands separated; a pair as multiplications + additions."""
    if value is None:
        return "–"
    if isinstance(value, (list, tuple)):
        return " + ".join(text_of(each) for each in value).replace("+ −", "− ")
    return number_text(value)


def as_json(report):
    """The rows, then the curves of figures, then diagrams as text, for JSON."""
    rows = [asdict(row) for row in report.rows]
    curves = [
        {"figure": figure.title, "curve": name, "x": figure.x, "y": figure.y, "points": points}
        for figure in report.figures
        for name, points in figure.curves.items()
    ]
    return rows + curves + [{"diagram": each.title, "text": each.text} for each in report.diagrams]


def markdown(report):
    """The report as a Markdown document."""
    found = [f"# {report.title}", report.lead]
    for part in report.parts:
        found += [f"## {part.title}", part.lead]
        found += _IN_MARKDOWN[type(part)](part)
    return "\n\n".join([*found, report.rule]) + "\n"


def _of_table(table):
    lines = [_line(HEADS), "|---|---|---:|---:|---|"]
    yield "\n".join([*lines, *(_line(cells(row)) for row in table.rows)])
    if table.conventions:
        yield "\n".join(f"- {sentence}" for sentence in table.conventions)


def _of_figure(figure):
    lines = [_line(figure.heads), "|---:" * len(figure.heads) + "|"]
    yield "\n".join([*lines, *(_line(row) for row in figure.rows(MOST_POINTS))])
    yield f"{figure.y} over {figure.x}."


def _of_diagram(diagram):
    yield f"```text\n{diagram.text}\n```"


_IN_MARKDOWN = {Table: _of_table, Figure: _of_figure, Diagram: _of_diagram}


def _line(words):
    return "| " + " | ".join(word.replace("|", "\\|") for word in words) + " |"
