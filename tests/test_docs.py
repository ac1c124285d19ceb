"""The pages say what is true: names, examples, tables, links and versions."""

import ast
import builtins
import importlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from paraxis_papers.document import markdown
from paraxis_papers.reports import REPORTS, report

import paraxis as px
from paraxis.cli.main import main

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


def test_the_api_introduces_every_namespace():
    rows = re.findall(r"^\|.*\|(.*)\|$", (ROOT / "docs/api/index.md").read_text(), re.M)
    assert set(namespaces()) <= set(re.findall(r"`px\.(\w+)`", " ".join(rows)))


def test_the_api_lists_every_command_and_report(capsys):
    assert main(["--help"]) == 0
    commands = re.findall(r"^    ([a-z-]+)\b", capsys.readouterr().out, re.M)
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
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(blocks) == 12
    monkeypatch.chdir(tmp_path)  # one of them writes a file
    space = {}
    for block in blocks:
        exec(block, space)
    assert space["reached"].solved and abs(space["run"].q[-1] - space["move"].q[-1]).max() < 1e-3
    assert len(space["kernel"].inputs) == 3
    assert abs(space["back"] - space["qdd"]).max() < 1e-9
    assert space["plans"].solved.mean() > 0.9 and abs(space["u"]).max() <= 150
    assert space["heavy"].shape == (1_000_000, 6)
    assert abs(space["simulator"].state.q[:, 2] - 0.32).max() < 0.03  # standing
    assert space["safe"].period > 1e-3 and not space["runs"].diverged.any()
    assert space["study"].status.complete and space["errors"].shape == (20, 3)


SLOW = ("safe_rate", "jax_least_effort", "reach_many", "mpc_ur5", "fly_around")  # examples


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


WITHOUT_AIM = re.compile(r"docs/(\w+/)*index\.md|docs/(api|project|papers/reports)/.*")
OWED = re.compile(  # pages that do not say it yet
    r"docs/(performance|gallery)\.md|docs/(start|tutorials|concepts|papers|benchmarks)/.*"
    r"|docs/howto/(models|kinematics|dynamics|simulation|show|gpu|cluster|codegen)/.*"
)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES[2:]])
def test_pages_begin_with_what_a_reader_can_do_afterwards(page):
    name = page.relative_to(ROOT).as_posix()
    if not WITHOUT_AIM.fullmatch(name) and not OWED.fullmatch(name):
        assert re.search(r"^# .+\n\nAfter this page you can ", page.read_text(), re.M)


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


# -- the tables of measurements ------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs/make_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MEASURED = {
    "machine": {"cpu": "some CPU", "cores": 2, "pin": "1.2", "casadi": "3.4", "flags": ["a", "b"]},
    "batch": 65536,
    "dtype": "float64",
    "robots": {
        "arm": {
            "n": 6,
            "pinocchio": {"1": 1000.0, "2": 500.0},
            "casadi_c": {"1": 300.0, "2": 150.0},
            "casadi_lanes": {"1": 90.0, "2": 45.0},
            "paraxis": {"1": 20.0, "2": 10.0},
            "error": 1.4e-15,
        }
    },
    "functions": {
        "arm": {
            "call_overhead": 270.0,
            "functions": {
                "forward_dynamics": {
                    "paraxis": {"1": 40.0, "2": 20.0},
                    "pinocchio": {"2": 600.0},
                    "pinocchio_calls": {"1": 1500.0},
                    "casadi_missing": "gcc took too long",
                    "error": 2e-15,
                }
            }
            | {
                name: {
                    "paraxis": {"1": 40.0, "2": 20.0},
                    "pinocchio_calls": {"1": 900.0},
                    "casadi_c": {"2": 110.0},
                    "error": 2e-15,
                }
                for name in (
                    "mass_matrix",
                    "mass_matrix_inverse",
                    "inverse_dynamics_derivatives",
                    "forward_dynamics_derivatives",
                )
            },
        }
    },
    "largest": {
        "robot": "arm",
        "function": "inverse_dynamics_derivatives",
        "cold_s": 25.0,
        "cold_peak_mib": 1536.0,
        "cached_s": 0.2,
    },
    "one_state": {"pin.rnea": 1300.0, "kernel": 140.0, "kernel_out": 99.5},
    "start": {"import_s": 0.1, "first_call_cold_s": {"arm": 1.5}, "first_call_cached_s": {}},
}


def test_tables_come_from_measurements(tables):
    page = "before\n<!-- table:cpu -->\nold\n<!-- /table:cpu -->\nafter <!-- table:other -->\n"
    made = tables.measured(MEASURED)
    written = tables.rewritten(page, made)
    assert "old" not in written
    assert written.startswith("before\n<!-- table:cpu -->\n")
    assert written.endswith("<!-- /table:cpu -->\nafter <!-- table:other -->\n")
    assert tables.rewritten(written, made) == written
    row = "| arm | 6 | 500 ns (50×) | 150 ns (15×) | 45.0 ns (4.5×) | **10.0 ns** | 1e-15 |"
    assert row in written
    assert "| 1,000 ns (50×) |" in made["table:threads1"]
    assert "| `kernel(q, qd, qdd, out=tau)` | 99.5 ns |" in made["table:one_state"]
    assert "| first call, arm, nothing cached | 1.50 s |" in made["table:start"]
    assert "- flags: a, b" in made["table:machine"]
    assert "| arm | 20.0 ns | 10.0 ns |" in made["table:layouts"]
    functions = made["table:functions"]
    assert "| arm, mass matrix |  | 900 ns (45×) | 110 ns (5.5×) | **20.0 ns** |" in functions
    assert "| arm, forward dynamics | 600 ns (30×) | 1,500 ns (75×) |  |" in functions
    assert "No CasADi for arm, forward dynamics: gcc took too long." in functions
    assert "| mass matrix | 45× / 5.5× |" in made["table:ratios"]
    assert "| forward dynamics | 30× / – |" in made["table:ratios"]
    assert "derivatives, nothing cached | 25.00 s, 1.5 GiB |" in made["table:start"]


def on_gpu(robot, function, dtype, layout, rate, **more):
    row = {"robot": robot, "function": function, "dtype": dtype, "layout": layout}
    row |= {"states_per_s": rate, "percent_of_copy": rate / 5e8, "percent_of_peak": 12.3}
    return row | {"operations": 1234, "registers": 64, "spilled": 0, "error": 2e-7} | more


GPU = {
    "device": "Some GPU",
    "copy": {"best": 4.25e12},
    "versions": {"jax": "1.2.3"},
    "rows": [
        on_gpu("panda", "inverse_dynamics", "float32", "rows", 4e10),
        on_gpu("panda", "inverse_dynamics", "float32", "columns", 4.5e10, registers=70),
        on_gpu("panda", "inverse_dynamics", "float64", "rows", 2e9, error=1e-15, spilled=1280),
        on_gpu("panda", "forward_dynamics", "float32", "rows", 9e9),
        {"robot": "panda", "function": "regressor", "dtype": "float32", "layout": "rows"}
        | {"missing": "not compiled"},
    ],
    "peers": [
        {"peer": "frax", "way": way, "robot": "panda", "function": "inverse_dynamics"}
        | {"dtype": "float32", "states_per_s": rate, "error": 1e-3}
        for way, rate in (("as it comes", 1e8), ("full precision", 5e7))
    ],
    "transfers": [
        {"robot": "panda", "function": "inverse_dynamics", "dtype": "float32"}
        | {kind: {"to_s": 0.01, "on_s": 1e-3, "back_s": 0.004, "states_per_s": 2.5e8}
           for kind in ("pageable", "pinned")},
        {"missing": "no memory"},
    ],
    "loops": [
        {"what": "closed loop", "robot": "arm", "states": 1000, "steps": 4000, "seconds": 2.0,
         "steps_per_s": 2e6, "error": 1e-12, "policy": "exact"},
    ],
    "chains": [
        {"function": "forward_dynamics", "n": 1000, "ms": 0.25, "serial_ms": 0.5,
         "times_serial": 2.0, "gpu_mib": 3.0, "error": 1e-13},
    ],
}  # fmt: skip


def test_tables_of_a_gpu_come_from_its_run(tables, tmp_path):
    assert tables.on_gpu(tmp_path) == {}
    (tmp_path / "gpu.json").write_text(json.dumps(GPU))
    made = tables.on_gpu(tmp_path)
    assert list(made) == list(tables.GPU)
    short, functions, peers, transfers, loops, chains = made.values()
    assert "| panda | 45.0 G (90%) | 2,000 M (4%) | 9,000 M (18%) | – | – |" in short
    assert "one Some GPU" in short and "(4.25 TB/s in the same run)" in short
    assert "For a panda in float32 that is 400× frax's inverse dynamics." in short
    line = "| inverse dynamics | 40.0 G (80%) | 45.0 G (90%) | 2,000 M (4%) | – | 1,234 | 12% |"
    assert f"{line} 64 – 70 | 0 B – 1,280 B | 1e-15 – 2e-07 |" in functions
    assert "- panda, regressor, float32, rows: not compiled" in functions
    line = "| panda, inverse dynamics, float32 | frax, as it comes | 100 M | 400× | 1e-03 |"
    assert line in peers and "full precision" not in peers and "JAX 1.2.3" in peers
    assert "| 10 ms | 1 ms | 4 ms | 250 M | 250 M |" in transfers
    assert "| closed loop of arm, exact | 1,000 | 4,000 | 2.00 s | 2.00 M | 1e-12 |" in loops
    line = "| forward dynamics, 1,000 | 0.25 ms | 250.0 ns | 0.5 ms (2.0×) | 3 MiB | 1e-13 |"
    assert line in chains
    assert set(tables.everything(tmp_path / "cpu.json")) >= set(tables.GPU)


def test_tables_of_a_gpu_say_what_was_not_reached_or_not_measured(tables):
    about = {"device": "Some GPU", "versions": {"paraxis": "7.8"}}
    cell = {"robot": "arm", "function": "inverse_dynamics"}
    call = {"call": "a * b", "ours_us": 2.0, "theirs_us": 1.0, "beside": "c * d", "limit": 1.5}
    call |= {"reached": 2.0, "is_difference": False, "holds": False}
    calls = [call, {"call": "torch", "missing": "no such package"}]
    made = tables.gpu_calls_table(about | {"states": 64, "rows": calls})
    assert "| a * b | 2.0 | c \\* d | 1.0 | **2.00 ×** | 1.5 × |" in made
    assert "float32, with Paraxis 7.8." in made and "- torch: no such package" in made

    small = [cell | {"states": 16, "us": 3.0, "error": 1e-7, "first_s": 0.25}]
    small += [cell | {"states": 64, "missing": "not compiled"}]
    made = tables.gpu_small_batches_table(about | {"floor_us": 0.8, "rows": small})
    assert "| arm, inverse dynamics | 3.0 | – | 1e-07 |" in made
    assert "took 0.25 s" in made and "- arm, inverse_dynamics, 64: not compiled" in made

    def beside(time, states, ratio, least):
        row = {"time": time, "states": states, "ours_us": 2.0, "theirs_us": 2.0 * ratio}
        return cell | row | {"ratio": ratio, "least": least, "holds": ratio >= least}

    grid = [beside("PyTorch", 16, 4.0, 2.0), beside("kernel", 16, 3.0, 5.0)]
    grid += [beside("captured", 16, 6.0, 5.0)]
    grid += [cell | {"time": "PyTorch", "states": 64, "missing": "no time left"}]
    made = tables.gpu_grid_table(about | {"rows": grid})
    assert "| kernel, 16 | its call captured, 16 | PyTorch, 16 |" in made
    line = "2.0 / 6.0 = **3.00 ×** | 2.0 / 12.0 = 6.0 × | 2.0 / 8.0 = 4.0 × |"
    assert line in made and "- arm, inverse_dynamics, 64, PyTorch: no time left" in made
    made = tables.gpu_first_table(about | {"rows": grid})
    assert "| arm, inverse dynamics | 2 µs (4.0 × GRiD) |" in made


def test_pages_have_known_markers_only(tables):
    known = {*tables.measured(MEASURED), *tables.counted(), *tables.MOTION, *tables.GPU, "plot:cpu"}
    for page in tables.PAGES:
        found = re.findall(r"<!-- (\w+:\w+) -->", page.read_text())
        assert found
        assert set(found) <= known


def test_pages_show_what_was_measured_and_counted(tables):
    made = tables.everything(tables.RESULTS)
    for page in tables.PAGES:
        text = page.read_text()
        names = re.findall(r"<!-- (\w+:\w+) -->", text)
        here = dict.fromkeys(names, "") | made | {"plot:cpu": tables.plot_line(page)}
        current = tables.rewritten(text, here) == text
        assert current, f"{page.name} is out of date: run python docs/make_tables.py"
