"""Pages on the papers: numbers are those of the report they name; what is cited is listed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAPERS = ROOT / "docs/papers"
PAGES = ["lathrop", "lee_chang", "dhanaraj", "hamilton", "fijany"]
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[−-]\d+)?%?")
NAMES = re.compile(r"`[^`]*`|[Tt]ables? [\d.]+|[Ff]igures? [\d.]+|[Ee]quations? [\d.]+")


def rows(page):
    """Cells of every row whose last one is a link to a report: (cells, the report)."""
    for line in (PAPERS / f"{page}.md").read_text("utf-8").splitlines():
        if report := re.search(r"\| \[[\w-]+\]\(reports/([\w-]+)\.md\) \|$", line):
            yield line.strip("| ").split(" | ")[:-1], report[1]


def numbers(text):
    return set(NUMBER.findall(NAMES.sub("", text).replace(", ", " ")))


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_those_of_the_reports(page):
    found = list(rows(page))
    assert len(found) > 10
    for cells, name in found:
        known = numbers((PAPERS / f"reports/{name}.md").read_text("utf-8"))
        unknown = numbers(" ".join(cells[1:])) - known
        assert not unknown, f"{cells[0]}: {sorted(unknown)} is not in reports/{name}.md"


NAME = r"[A-Z][\w'-]+"
YEAR = r"((?:19|20)\d\d)"
CITED = re.compile(  # (Name and Name, year) or Name (year)
    rf"\(({NAME})(?:(?:, | and ){NAME})*(?: et al\.)?,? {YEAR}\)|\b({NAME}) \({YEAR}\)"
)


def citations():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    for path in pages:
        for name, year, other, that in CITED.findall(path.read_text("utf-8")):
            yield path, name or other, year or that


def test_the_bibliography_has_what_is_cited():
    text = (PAPERS / "bibliography.md").read_text("utf-8")
    entries = re.split(r"\n(?=- |### )", text)
    found = list(citations())
    assert len(found) > 30
    for path, name, year in found:
        known = any(name in entry and year in entry for entry in entries)
        assert known, f"{path.name} cites {name} ({year}), which bibliography.md does not have"
