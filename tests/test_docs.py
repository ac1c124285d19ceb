"""The pages say what is true: names, examples, tables, links and versions."""

import ast
import builtins
import importlib
import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from base64 import b64decode
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from paraxis_papers.document import markdown
from paraxis_papers.reports import REPORTS, report

import paraxis as px
from paraxis.cli.main import main
from paraxis.drawing import frame

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def namespaces():
    return [name for name in dir(px) if isinstance(getattr(px, name), ModuleType)]


def public_names():
    """Those of px plain, those of its namespaces in full."""
    inner = [
        f"paraxis.{space}.{name}" for space in namespaces() for name in dir(getattr(px, space))
    ]
    return [*px.__all__, *inner]


def listed_names():
    """Every name that has a page, in full: those that tables in docs/api list."""
    listed = []
    for page in sorted((ROOT / "docs/api").glob("*.md")):
        module = ""
        for line in page.read_text().splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif re.fullmatch(r"   [\w.]+", line):
                listed.append(f"{module}.{line.strip()}")
    return listed


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_a_page(name):
    assert f"paraxis.{name.removeprefix('paraxis.')}" in listed_names()


def test_no_name_has_two_pages():
    assert len(listed_names()) == len(set(listed_names()))


@pytest.mark.parametrize("name", [name for name in listed_names() if ".torch." not in name])
def test_names_with_pages_exist(name):
    module, _, attribute = name.rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("name", [name for name in listed_names() if name.count(".") > 2])
def test_fields_of_results_are_explained(name):
    module, _, attribute = name.rpartition(".")
    result = getattr(importlib.import_module(module), attribute)
    fields = [*getattr(result, "__dataclass_fields__", ()), *getattr(result, "_fields", ())]
    text = result.__doc__
    assert [field for field in fields if field[0] != "_" and f"`{field}`" not in text] == []


def test_the_api_introduces_every_namespace():
    rows = re.findall(r"^\|.*\|(.*)\|$", (ROOT / "docs/api/index.md").read_text(), re.M)
    assert set(namespaces()) <= set(re.findall(r"`px\.(\w+)`", " ".join(rows)))


def test_the_api_lists_every_command_and_report(capsys):
    assert main(["--help"]) == 0
    commands = re.findall(r"^  ([a-z][a-z-]+)  ", capsys.readouterr().out, re.M)
    page = (ROOT / "docs/api/commands.md").read_text()
    assert len(commands) > 5
    assert sorted(re.findall(r"^\| `paraxis ([a-z-]+)", page, re.M)) == sorted(commands)
    assert sorted(re.findall(r"\(../papers/reports/([a-z-]+)\.md\)", page)) == sorted(REPORTS)


def test_the_page_on_installing_names_every_package_that_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = [re.match(r"[\w-]+", each)[0].lower() for each in project["dependencies"]]
    page = (ROOT / "docs/start/install.md").read_text()
    sentence = re.search(r"pip brings (.*?)\.", page, re.S)[1]
    assert sorted(re.findall(r"[\w-]+", sentence.lower().replace(" and ", ", "))) == sorted(
        packages
    )


def test_the_page_on_installing_names_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rows = re.findall(r"^\| (`.+?) \|", (ROOT / "docs/start/install.md").read_text(), re.M)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_every_plot_of_the_pages_has_a_text_that_describes_it():
    cells = [
        cell
        for page in PAGES
        for cell in re.findall(r"```\{code-cell\}\n(.*?)```", page.read_text(), re.S)
        if re.search(r"\bplt\.(?!show)\w+\(", cell)
    ]
    assert len(cells) >= 10
    assert not [cell for cell in cells if "  image:\n    alt: " not in cell]


def test_the_readme_runs(monkeypatch, tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", README, re.S)
    monkeypatch.chdir(tmp_path)  # it writes a page
    space = {}
    exec(block, space)
    assert abs(px.forward_dynamics(space["robot"], space["q"], space["qd"], space["tau"])[:9]
               - space["qdd"][:9]).max() < 1e-9  # fmt: skip
    assert space["by_q"].shape == space["by_qd"].shape == (1000, 6, 6)
    assert abs(space["run"].q[-1] - space["goal"]).max() < 1e-3
    assert Path("run.html").stat().st_size > 1e5


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120
    (block,) = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len([line for line in block.splitlines() if line]) <= 12
    first = README.split("\n\n")[1]
    assert "for people who" in first.partition(".")[0]  # for whom, before anything else


def test_numbers_of_the_readme_are_made_from_results():
    """Speeds and ratios are only in the parts that make_tables.py writes."""
    typed = re.sub(r"<!-- (\w+:\w+) -->.*?<!-- /\1 -->", "", README, flags=re.S)
    assert re.findall(r"[\d.,]+ ?(?:×|ns\b|µs\b|ms\b|times\b|%|[GM] states)", typed) == []
    assert len(re.findall(r"<!-- (?:plot|answer|table):\w+ -->", README)) >= 3


def test_the_readme_compares_in_both_directions():
    """What others have and Paraxis lacks is in the table, too."""
    rows = [row.split("|")[2:-1] for row in README.splitlines() if row.startswith("| ")]
    marks = [[cell.strip()[:1] for cell in row] for row in rows if len(row) == 6]
    marks = [row for row in marks if set(row) <= set("●◐○")]
    assert len(marks) >= 10
    ahead = [row for row in marks if row[0] == "●" and "○" in row]
    behind = [row for row in marks if row[0] in "◐○" and "●" in row[1:]]
    assert len(ahead) >= 3 and len(behind) >= 3


def first_cells(text, columns):
    """Of the rows of tables with so many columns, heads left out."""
    rows = [row.split("|")[1:-1] for row in text.splitlines() if row.startswith("| ")]
    return [row[0].strip() for row in rows if len(row) == columns and row[0].strip()]


def test_the_comparison_of_the_readme_has_sources():
    """For every row, and every package that a cell names; each link leads somewhere."""
    page = (ROOT / "docs/project/comparison.md").read_text()
    assert first_cells(page, 6) == first_cells(README, 7)
    table = README.partition("## Beside other libraries")[2].partition("\n## ")[0]
    named = {name for names in re.findall(r"by ((?:[A-Z]\w+(?:, )?)+)", table)
             for name in names.split(", ")}  # fmt: skip
    assert {"MJX", "MJWarp", "CusADi", "Coal"} <= named
    assert [name for name in named if name not in page] == []
    used, defined = re.findall(r"\]\[([\w-]+)\]", page), re.findall(r"^\[([\w-]+)\]: ", page, re.M)
    assert sorted(set(used)) == defined


def test_the_home_page_runs(monkeypatch, tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/index.md").read_text(), re.S)
    assert len([line for line in block.splitlines() if line]) == 10
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(block, space)
    assert space["tau"].shape == (1_000_000, 6)
    assert abs(space["run"].q[-1] - space["goal"]).max() < 1e-3
    assert Path("run.html").stat().st_size > 1e5


SLOW = (  # examples
    *("safe_rate", "jax_least_effort", "reach_many", "mpc_ur5", "fly_around"),
    *("cordic_inverse_kinematics", "payload_sweep", "learn_a_policy", "line_to_motors"),
)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.long if path.stem in SLOW else ())
        for path in EXAMPLES
    ],
)
def test_examples_run(path):
    for package in re.findall(r"^import (jax|torch)$", path.read_text(), re.M):
        pytest.importorskip(package)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


GALLERY = sorted((ROOT / "examples/gallery").glob("*.py"))
QUICK_OF_GALLERY = ("swing", "linkage")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, id=path.stem, marks=() if path.stem in QUICK_OF_GALLERY else pytest.mark.long
        )
        for path in GALLERY
    ],
)
def test_the_gallery_moves(path, tmp_path):
    """Each script writes a page with a motion, and the gallery shows it."""
    page = tmp_path / "page.html"
    done = subprocess.run([sys.executable, path, page], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"))[1])
    assert data["motion"]["times"]["shape"][0] > 50
    assert f"examples/gallery/{path.name}" in (ROOT / "docs/gallery.md").read_text("utf-8")


def markdown_links():
    return [
        pytest.param(page, target, id=f"{page.name}:{target}")
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
        if "://" not in target
    ]


@pytest.mark.parametrize("page, target", markdown_links())
def test_links_lead_somewhere(page, target):
    path, _, heading = target.partition("#")
    path = page.parent / path if path else page
    assert path.exists()
    if heading:
        lines = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
        assert heading in [line.lower().replace(" ", "-") for line in lines]


SLOW = dict.fromkeys(  # some take half a minute
    ("cordic", "depth", "log-depth", "networks", "speculation", "systolic"), pytest.mark.long
)


@pytest.mark.parametrize("name", [pytest.param(x, marks=SLOW.get(x, ())) for x in REPORTS])
def test_the_reports_are_those_of_today(name):
    current = (ROOT / f"docs/papers/reports/{name}.md").read_text() == markdown(report(name))
    assert current, f"docs/papers/reports/{name}.md is out of date: run make reports"


# Pages of benchmarks begin with an answer (test_tables.py).
WITHOUT_AIM = re.compile(r"docs/(\w+/)*index\.md|docs/(api|benchmarks|project|papers/reports)/.*")


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES[2:]])
def test_pages_begin_with_what_a_reader_can_do_afterwards(page):
    name = page.relative_to(ROOT).as_posix()
    if not WITHOUT_AIM.fullmatch(name):
        assert re.search(r"^# .+\n\nAfter this page you (can|know) ", page.read_text(), re.M)


def test_no_two_pages_have_the_same_title():
    """Indexes may share theirs with a part of the API."""
    pages = [page for page in PAGES[2:] if page.name != "index.md"]
    titles = [each[1] for page in pages if (each := re.search(r"^# (.+)$", page.read_text(), re.M))]
    assert len(titles) > 100 and [each for each in titles if titles.count(each) > 1] == []


# -- what cells print ----------------------------------------------------------------------------


def shown():
    """Pages whose cells have blocks with what they print."""
    return [page for page in PAGES if "```{output}" in page.read_text()]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=page.stem, marks=() if page.stem == "first_steps" else pytest.mark.long
        )
        for page in shown()
    ],
)
def test_pages_print_what_they_show(page, monkeypatch):
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.syspath_prepend(ROOT / "docs")
    from extensions.outputs import differences
    from make_outputs import executed

    ran = [{"cell_type": "code", "outputs": outputs} for outputs in executed(page)]
    assert differences(page.read_text(), {"cells": ran}) == []


def test_what_cells_print_goes_into_blocks(monkeypatch):
    pytest.importorskip("sphinx")
    pytest.importorskip("nbclient")
    monkeypatch.syspath_prepend(ROOT / "docs")
    from extensions.outputs import cells, differences, rewritten, same, text_of

    def result(text, **more):
        return [{"output_type": "execute_result", "data": {"text/plain": text} | more}]

    page = "```{code-cell}\n1 + 1\n```\n\n```{code-cell}\n:tags: [varies]\n\nnow()\n```\nend\n"
    written = rewritten(page, ["2", "12:30"])
    assert written.count("```{output}\n2\n```\n") == 1 and "12:30" not in written
    assert cells(written) == [("1 + 1\n", True, "2"), ("now()\n", False, None)]
    assert rewritten(written, ["2.0000000001", "12:31"]) == written
    assert rewritten(written, ["", ""]) == page
    notebook = {"cells": [{"cell_type": "code", "outputs": result(x)} for x in ("3", "12:30")]}
    assert differences(written, notebook) == [(1, "2", "3")]
    printed = ["1\n", "2\n", "3\n"]
    merged = ["1\n2\n3\n", "2\n", "3\n"]
    merged_from_ends = ["1\n2\n3\n", "2\n3", "\n"]  # an end of a line came by itself
    for pieces in (printed, merged, merged_from_ends):
        streams = [{"output_type": "stream", "name": "stdout", "text": each} for each in pieces]
        notebook["cells"][0] = {"cell_type": "code", "outputs": streams}
        assert differences(rewritten(page, ["1\n2\n3", ""]), notebook) == []
    assert same("[-0.  1e-17]", "[ 0.  -2e-16]") and not same("a 1", "b 1")
    assert not same("1 2", "1 2 3") and not same("1.001", "1.002")
    assert text_of(result("<Figure>", **{"image/png": "..."})) == ""
    assert text_of(result("<IPython.HTML>", **{"text/html": "..."})) == ""
    assert text_of(result("\n".join("abc" * 20))).endswith("\n...")


def test_synonyms_name_pages_and_have_the_words_of_the_field():
    table = tomllib.loads((ROOT / "docs/synonyms.toml").read_text())
    assert [name for name in table if not (ROOT / f"docs/{name}.md").is_file()] == []
    glossary = re.findall(r"^([^:\n].*)$", (ROOT / "docs/concepts/glossary.md").read_text(), re.M)
    words = {
        word.lower() for word in [*glossary, *(each for row in table.values() for each in row)]
    }
    wanted = "CRBA RNEA ABA OSIM FK IK MPC iLQR stale URDF Coriolis".lower().split()
    assert {*wanted, "mass matrix", "gravity compensation"} - words == set()


def test_the_icon_of_the_pages_is_the_mark(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", "")  # which it changes, as it does the path
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("conf.py", "synonyms.toml", "extensions/startup.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs" / name, tmp_path / name)
    settings = runpy.run_path(str(tmp_path / "conf.py"))
    icon = (tmp_path / settings["html_favicon"]).read_text("utf-8")
    assert ElementTree.fromstring(icon).tag == "{http://www.w3.org/2000/svg}svg"
    assert icon == b64decode(frame.FAVICON.partition(",")[2]).decode()  # as on pages of robots


def test_colour_maps_stay_as_they_are_in_the_dark():
    assert "img:not(.colour-map) { filter" in (ROOT / "docs/_static/paraxis.css").read_text()
    for page in PAGES:
        for cell in re.findall(r"```\{code-cell\}\n(.*?)```", page.read_text(), re.S):
            assert ("colorbar(" in cell) == ("\n    classes: colour-map\n" in cell), page


def test_pictures_follow_the_theme_of_the_page():
    """By the reader's choice and by the system's preference alike, and never on paper."""
    style = (ROOT / "docs/_static/paraxis.css").read_text()
    screen = re.search(r"^@media not print \{$(.*?)^\}$", style, re.S | re.M)[1]
    dark = dict(re.findall(r"(body\S+) \{ (--scheme: dark;.*?) \}", screen))
    assert list(dark) == ['body[data-theme="dark"]', 'body:not([data-theme="light"])']
    assert len(set(dark.values())) == 1
    (named,) = set(dark.values())
    light = re.search(r"^body \{ (.*) \}$", style, re.M)[1]
    names = [re.findall(r"(--[\w-]+):", each) for each in (light, named)]
    assert names[0] == names[1] == re.findall(r"img\S* \{ \S+ var\((--[\w-]+)\); \}", style)


def test_the_search_knows_synonyms_and_puts_guides_first(tmp_path, monkeypatch):
    """Built with the extension and the scorer of the pages, ordered by Node where there is one."""
    application = pytest.importorskip("sphinx.application")
    monkeypatch.syspath_prepend(ROOT / "docs")
    (tmp_path / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   guide\n\nSave it.\n")
    (tmp_path / "guide.rst").write_text("Guide\n=====\n\nSave it.\n")
    app = application.Sphinx(
        tmp_path, None, tmp_path / "html", tmp_path / "tree", "html", status=None,
        confoverrides={
            "extensions": ["extensions.synonyms"],
            "synonyms": {"guide": ["moving picture"]},
            "html_search_scorer": str(ROOT / "docs/extensions/search.js"),
        },
    )  # fmt: skip
    app.build()
    text = (tmp_path / "html/searchindex.js").read_text()
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    assert index["docnames"][index["terms"]["pictur"]] == "guide"
    assert "moving picture" in index["indexentries"]
    if not (node := shutil.which("node")):
        return
    words = (tmp_path / "html/_static/language_data.js").read_text()
    ask = """
        const pages = ["project/a", "papers/a", "api/a", "howto/a", "gallery"];
        const score = page => Scorer.score([page, "", "", null, page === "howto/a" ? 5 : 6]);
        console.log(pages.sort((a, b) => score(b) - score(a)).join(" "), stopwords.has("get"));
    """
    said = subprocess.run(
        [node, "-e", "globalThis.window = globalThis;" + words + ask],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    order = "howto/a api/a gallery project/a papers/a true"
    assert said.stdout.split() == order.split()


def physics_symbols():
    """The names in recursions that are too short to be words."""
    words = {"_", "add", "out", "own", *dir(builtins)}
    names = set()
    for path in (ROOT / "src/paraxis/physics").glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and function.name in px.functions():
                names |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
                names |= {a.arg for a in function.args.args}
    return sorted(name for name in names - words if len(name) <= 3)


def test_notation_explains_every_symbol():
    text = (ROOT / "docs/concepts/notation.md").read_text()
    assert [name for name in physics_symbols() if f"`{name}`" not in text] == []


def test_versions_agree():
    assert f"\nversion: {px.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{px.__version__}]" in (ROOT / "CHANGELOG.md").read_text()
