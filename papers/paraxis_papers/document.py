"""A report: what became of a paper's claims, then its numbers beside those measured here.

Every report is such a value, rendered without knowledge of its subject. Cells as text, JSON and
Markdown are here; the terminal is in terminal.py, HTML in page.py.
"""

from dataclasses import asdict, dataclass

from paraxis.drawing.axes import number_text
from paraxis.drawing.figure import Figure

from .references import REFERENCES


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


CONFIRMED, REFUTED = "confirmed", "refuted"
DEPENDS, NOT_REPRODUCED = "depends", "not reproduced"
OUTCOMES = (CONFIRMED, REFUTED, DEPENDS, NOT_REPRODUCED)


@dataclass(frozen=True)
class Verdict:
    """What became of a paper's claim, one of OUTCOMES, and what that rests on, in one line.

    A claim that depends holds in some cases, and the evidence says in which. Not reproduced means
    that the paper does not say how its number came about, and ours is another.
    """

    paper: str
    claim: str
    outcome: str
    evidence: str


def judged(cases):
    """The outcome of a claim that holds or not in each of some cases."""
    cases = list(cases)
    return CONFIRMED if all(cases) else DEPENDS if any(cases) else REFUTED


@dataclass(frozen=True)
class Report:
    """A report: verdicts, parts in reading order, and the `rule` of how things were measured.

    `quoted` are papers that have no row or verdict of their own, but are named in others.
    """

    name: str
    title: str
    lead: str
    verdicts: list[Verdict]
    parts: list[Table | Figure | Diagram]
    rule: str
    quoted: tuple[str, ...] = ()

    @property
    def references(self) -> list[str]:
        """Of the papers that are named, in full."""
        named = {each.paper for each in [*self.verdicts, *self.rows]} | {*self.quoted}
        return [text for paper, text in REFERENCES.items() if paper in named]

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


VERDICT_HEADS = ("claim", "verdict", "evidence")
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
    """The verdicts, the rows, the curves of figures, then diagrams as text, for JSON."""
    verdicts = [asdict(verdict) for verdict in report.verdicts]
    rows = [asdict(row) for row in report.rows]
    curves = [
        {"figure": figure.title, "curve": name, "x": figure.x, "y": figure.y, "points": points}
        for figure in report.figures
        for name, points in figure.curves.items()
    ]
    diagrams = [{"diagram": each.title, "text": each.text} for each in report.diagrams]
    return verdicts + rows + curves + diagrams


def markdown(report):
    """The report as a Markdown document."""
    found = [f"# {report.title}", report.lead]
    if report.verdicts:
        found += ["## Verdicts", _of_verdicts(report.verdicts)]
    for part in report.parts:
        found += [f"## {part.title}", part.lead]
        found += _IN_MARKDOWN[type(part)](part)
    found.append(report.rule)
    if report.references:
        found += ["## References", "\n".join(f"- {each}" for each in report.references)]
    return "\n\n".join(found) + "\n"


def verdict_cells(verdict):
    """A verdict as text."""
    return f"{verdict.paper}: {verdict.claim}", verdict.outcome, verdict.evidence


def _of_verdicts(verdicts):
    lines = [_line(VERDICT_HEADS), "|---|---|---|"]
    return "\n".join([*lines, *(_line(verdict_cells(each)) for each in verdicts)])


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
