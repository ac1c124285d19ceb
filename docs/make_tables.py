"""Write measurements and operation counts into README.md and the pages of docs/.

    make bench                            (measures, and then does this)
    python docs/make_tables.py            (with --check: only report whether pages are out of date)

A page has pairs of markers, <!-- table:cpu --> and <!-- /table:cpu -->; the text between them
is replaced. No number that code can compute is typed by hand. Tables are made in docs/tables, a
module for each page of docs/benchmarks, and so are the answers that pages begin with, which
<!-- index:answers --> lists. Where results are missing, or were written by an older version of the
script that measures them, what the page has stays as it is, and a line says so.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for those who load this by its path

from tables import ANSWERS, TABLES
from tables.cpu import chart_text
from tables.text import markdown

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
PLOT = ROOT / "docs/images/cpu.svg"
MARKED = re.compile(r"(<!-- (\w+:\w+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)
OPENING = re.compile(r"<!-- (\w+:\w+) -->")
# marker -> (files of results, function of their contents)
SOURCES = {
    name if ":" in name else f"table:{name}": ((file,) if file else (), make)
    for name, (file, make) in TABLES.items()
} | {f"answer:{page}": source for page, source in ANSWERS.items()}
CHART, INDEX = "plot:cpu", "index:answers"  # made for a page, and from other pages
BENCHMARKS = ROOT / "docs/benchmarks"


class OldResults(Exception):
    """Results of an earlier version of a benchmark."""


def pages():
    """The pages that have tables."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        page
        for page in every
        if "_build" not in page.parts and OPENING.search(page.read_text(encoding="utf-8"))
    ]


def markers(page):
    """The names of the parts of a page that are made."""
    found = OPENING.findall(page.read_text(encoding="utf-8"))
    unknown = [name for name in found if name not in (*SOURCES, CHART, INDEX)]
    if unknown:
        raise SystemExit(f"{page.name}: nothing is called {', '.join(unknown)}")
    return found


def text_of(name, folder):
    """The text of a table; FileNotFoundError or OldResults when it cannot be made."""
    files, make = SOURCES[name]
    paths = [folder / f"{file}.json" for file in files]
    data = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    try:
        return make(*data)
    except KeyError as key:
        if not data:
            raise
        raise OldResults(f"{', '.join(path.name for path in paths)}: there is no {key}") from key


def made(names, folder=RESULTS):
    """(name -> text, name -> why there is none) for those of these names that have results."""
    texts, missing = {}, {}
    for name in names:
        try:
            texts[name] = text_of(name, folder)
        except FileNotFoundError as reason:
            missing[name] = f"benchmarks/results/{Path(reason.filename).name} does not exist"
        except OldResults as reason:
            missing[name] = f"{reason}, so an older benchmark wrote it"
    return texts, missing


def index():
    """One line per benchmarks page: its question, its answer and where it is."""
    rows = [["question", "answer"]]
    for name in ANSWERS:
        text = (BENCHMARKS / f"{name}.md").read_text(encoding="utf-8")
        question = re.search(r"^# (.*)$", text, re.MULTILINE)[1]
        answer = re.search(rf"<!-- answer:{name} -->\n(.*?)<!-- /", text, re.DOTALL)[1]
        rows.append([f"[{question}]({name}.md)", " ".join(answer.split())])
    return markdown(rows).replace("| ---: |", "| --- |")


def chart(page, folder=RESULTS):
    """The picture with what it shows as its alternative text and as a caption."""
    path = folder / "cpu.json"
    if not (PLOT.is_file() and path.is_file()):
        return None
    alternative, caption = chart_text(json.loads(path.read_text(encoding="utf-8")))
    relative = Path(os.path.relpath(PLOT, page.parent)).as_posix()
    return f"![{alternative}]({relative})\n\n*{caption}*"


def rewritten(text, texts):
    """`text` with every marked part replaced that has a new text."""

    def replace(match):
        opening, name, closing = match.groups()
        return f"{opening}\n{texts[name]}\n\n{closing}" if name in texts else match.group(0)

    return MARKED.sub(replace, text)


def fresh(page, texts):
    """The page as it should be."""
    text = page.read_text(encoding="utf-8")
    if f"<!-- {CHART} -->" in text and (picture := chart(page)):
        texts = texts | {CHART: picture}
    if f"<!-- {INDEX} -->" in text:
        texts = texts | {INDEX: index()}
    return rewritten(text, texts)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail when out of date")
    options = parser.parse_args(arguments)
    shown = {page: markers(page) for page in pages()}
    texts, missing = made(dict.fromkeys(n for each in shown.values() for n in each if n in SOURCES))
    stale = []
    for page in sorted(shown, key=lambda page: INDEX in shown[page]):  # after those that it lists
        name = page.relative_to(ROOT).as_posix()
        for own in shown[page]:
            if own in missing:
                print(f"{name}: {own} stays as it is: {missing[own]}")
        new = fresh(page, texts)
        if new != page.read_text(encoding="utf-8"):
            stale.append(name)
            if not options.check:
                page.write_text(new, encoding="utf-8")
    if options.check and stale:
        sys.exit(f"out of date: {', '.join(stale)}; run python docs/make_tables.py")
    print(f"{'out of date' if options.check else 'written'}: {', '.join(stale) or 'none'}")


if __name__ == "__main__":
    main()
