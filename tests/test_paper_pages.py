"""The pages on the five papers: every number in their tables is one of the report they name."""

import re
from pathlib import Path

import pytest

PAPERS = Path(__file__).resolve().parent.parent / "docs/papers"
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
