"""The pages of benchmarks: tables come from results, and pages begin with an answer."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = sorted((ROOT / "docs/benchmarks").glob("*.md"))
PAGES = [page for page in BENCHMARKS if page.stem != "index"]


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs/make_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def made(tables, tmp_path):
    """A function from results to the texts that are made of them."""

    def texts(name, results, *markers):
        (tmp_path / f"{name}.json").write_text(json.dumps(results))
        found, missing = tables.made(markers, tmp_path)
        assert not missing
        return [found[marker] for marker in markers]

    return texts


# -- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_its_answer_and_says_what_is_not_fair(page):
    text = page.read_text(encoding="utf-8")
    answer = f"<!-- answer:{page.stem} -->"
    assert re.match(rf"# [^\n]+\?\n\n{answer}\n\n\w", text)
    headings = ["Setting", "What is not fair", "Measured", "Why", "Run it"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings


def test_every_table_is_on_a_page_of_benchmarks(tables):
    shown = [name for page in BENCHMARKS for name in tables.markers(page)]
    assert sorted(shown) == sorted([*tables.SOURCES, tables.CHART, tables.INDEX])


def test_pages_have_known_markers_only(tables, tmp_path):
    for page in tables.pages():
        tables.markers(page)
    (tmp_path / "page.md").write_text("<!-- table:nobodys -->\n<!-- /table:nobodys -->\n")
    with pytest.raises(SystemExit, match=r"page\.md: nothing is called table:nobodys"):
        tables.markers(tmp_path / "page.md")


def test_pages_show_what_was_measured_and_counted(tables):
    texts, _ = tables.made(tables.SOURCES)
    for page in tables.pages():
        current = tables.fresh(page, texts) == page.read_text(encoding="utf-8")
        assert current, f"{page.name} is out of date: run make tables"


def test_every_measured_table_ends_in_its_setting(tables):
    texts, _ = tables.made(tables.SOURCES)
    for name, text in texts.items():
        if name.startswith("table:") and name not in ("table:machine", "table:cordic"):
            assert "*Setting:* " in text.split("\n\n")[-1], name


# -- results that are missing or old ---------------------------------------------------------------


def test_a_table_without_results_stays_as_it_is(tables, tmp_path):
    page = "<!-- table:cpu -->\nas it was\n<!-- /table:cpu -->\n"
    texts, missing = tables.made(["table:cpu"], tmp_path)
    assert missing == {"table:cpu": "benchmarks/results/cpu.json does not exist"}
    assert tables.rewritten(page, texts) == page
    (tmp_path / "cpu.json").write_text('{"batch": 3}')
    texts, missing = tables.made(["table:cpu"], tmp_path)
    assert "cpu.json: there is no 'robots', so an older benchmark wrote it" in missing.values()
    assert tables.rewritten(page, texts) == page


# -- tables ----------------------------------------------------------------------------------------

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


def test_tables_come_from_measurements(tables, made):
    functions = [f"table:{name}" for name in ("layouts", "functions", "ratios", "start", "machine")]
    names = "table:cpu", "table:threads1", "table:one_state", *functions
    cpu, one, single, layouts, others, ratios, start, machine = made("cpu", MEASURED, *names)
    page = "before\n<!-- table:cpu -->\nold\n<!-- /table:cpu -->\nafter <!-- table:other -->\n"
    written = tables.rewritten(page, {"table:cpu": cpu})
    assert "old" not in written
    assert written.startswith("before\n<!-- table:cpu -->\n")
    assert written.endswith("<!-- /table:cpu -->\nafter <!-- table:other -->\n")
    assert tables.rewritten(written, {"table:cpu": cpu}) == written
    row = "| arm | 6 | 500 ns (50×) | 150 ns (15×) | 45.0 ns (4.5×) | **10.0 ns** | 1e-15 |"
    assert row in cpu and "2 threads; batch of 65,536 states; float64; fixed base; one call" in cpu
    assert "some CPU, 2 cores, Pinocchio 1.2, CasADi 3.4" in cpu
    assert "| 1,000 ns (50×) |" in one
    assert "| `kernel(q, qd, qdd, out=tau)` | 99.5 ns |" in single
    assert "| first call, arm, inverse dynamics, nothing cached | 1.50 s |" in start
    assert "inverse dynamics, nothing cached | 25.00 s, 1.5 GiB |" in start
    assert "- flags: a, b" in machine
    assert "| arm | 20.0 ns | 10.0 ns |" in layouts
    assert "| arm, mass matrix |  | 900 ns (22×) | 110 ns (5.5×) | **20.0 ns** |" in others
    assert "| arm, forward dynamics | 600 ns (30×) | 1,500 ns (38×) |  |" in others
    assert "No CasADi for arm, forward dynamics: gcc took too long." in others
    assert "| mass matrix | 16× / 5.5× |" in ratios  # without the overhead of calls
    assert "| forward dynamics | 30× / – |" in ratios


def test_the_chart_says_how_it_was_measured(tables, tmp_path):
    (tmp_path / "cpu.json").write_text(json.dumps(MEASURED))
    command = [sys.executable, ROOT / "docs/make_plot.py", "--results", tmp_path / "cpu.json"]
    subprocess.run([*command, "--out", tmp_path / "cpu.svg"], check=True)
    assert "prefers-color-scheme: dark" in (tmp_path / "cpu.svg").read_text()
    text = tables.chart(ROOT / "docs/benchmarks/cpu.md", tmp_path)
    assert "arm: Pinocchio 500, CasADi, generated C 150, CasADi, vectorised C 45.0, Par" in text
    assert "](../images/cpu.svg)" in text
    assert "2 threads, batch of 65,536 states, float64, fixed base, one call" in text
    assert "call overhead included" in text


def test_compile_times_are_those_of_first_calls(made):
    row = {"first_call_s": 1.25, "machine_code_s": 0.75, "cached_s": 0.02, "peak_mib": 512.0}
    names = "inverse_dynamics", "inverse_dynamics_derivatives"
    rows = [row | {"function": name} for name in names]
    rows += [row | {"function": "simulate", "cached_s": 0.25}]
    cases = [
        {"robot": robot, "base": base, "velocities": 6, "rows": rows}
        for robot, base in (("ur5", "fixed"), ("panda", "fixed"), ("giant", "free"))
    ]
    results = {"machine": {"cpu": "some CPU", "cores": 1}, "cases": cases}
    markers = "table:compile_times", "answer:compile_times"
    table, answer = made("compile_times", results, *markers)
    assert "| first call of | ur5, 6 velocities | panda, 6 velocities | giant, free base," in table
    assert "| derivatives of inverse dynamics | **1.2** (0.75) |" in table
    assert "takes at most 20 ms (of simulations and optimal control 250 ms). A process" in table
    assert "takes 1.2 s for an arm, of derivatives 1.2 s for an arm and 1.2 s for a hum" in answer


def on_gpu(robot, function, dtype, layout, rate, **more):
    row = {"robot": robot, "function": function, "dtype": dtype, "layout": layout}
    row |= {"states_per_s": rate, "percent_of_copy": rate / 5e8, "percent_of_peak": 12.3}
    row |= {"operations": 1234, "registers": 64, "spilled": 0, "error": 2e-7}
    return row | {"trace_s": 0.5, "compile_s": 0.25} | more


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


def test_tables_of_a_gpu_come_from_its_run(made):
    names = ("", "_functions", "_peers", "_transfers", "_loops", "_compile_times")
    found = made("gpu", GPU, *(f"table:gpu{name}" for name in names))
    short, functions, peers, transfers, loops, compiled = found
    (chains,) = made("gpu_chains", GPU, "table:gpu_chains")
    assert "| panda | 45.0 G (90%) | 2,000 M (4%) | 9,000 M (18%) | – | – |" in short
    assert "Some GPU" in short and "(4.25 TB/s in the same run)" in short
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
    assert "| inverse dynamics | **0.75** (0.25) |" in compiled


def test_tables_of_a_gpu_say_what_was_not_reached_or_not_measured(made):
    about = {"device": "Some GPU", "versions": {"paraxis": "7.8"}}
    cell = {"robot": "arm", "function": "inverse_dynamics"}
    call = {"call": "a * b", "ours_us": 2.0, "theirs_us": 1.0, "beside": "c * d", "limit": 1.5}
    call |= {"reached": 2.0, "is_difference": False, "holds": False}
    calls = about | {"states": 64, "rows": [call, {"call": "torch", "missing": "no such package"}]}
    (text,) = made("gpu_calls", calls, "table:gpu_calls")
    assert "| a * b | 2.0 | c \\* d | 1.0 | **2.00 ×** | 1.5 × |" in text
    assert "Some GPU, Paraxis 7.8." in text and "- torch: no such package" in text

    small = [cell | {"states": 16, "us": 3.0, "error": 1e-7, "first_s": 0.25}]
    small += [cell | {"states": 64, "missing": "not compiled"}]
    batches = about | {"floor_us": 0.8, "rows": small}
    (text,) = made("gpu_small_batches", batches, "table:gpu_small_batches")
    assert "| arm, inverse dynamics | 3.0 | – | 1e-07 |" in text
    assert "took 0.25 s" in text and "- arm, inverse_dynamics, 64: not compiled" in text

    def beside(time, states, ratio, least):
        row = {"time": time, "states": states, "ours_us": 2.0, "theirs_us": 2.0 * ratio}
        return cell | row | {"ratio": ratio, "least": least, "holds": ratio >= least}

    grid = [beside("PyTorch", 16, 4.0, 2.0), beside("kernel", 16, 3.0, 5.0)]
    grid += [beside("captured", 16, 6.0, 5.0)]
    grid += [cell | {"time": "PyTorch", "states": 64, "missing": "no time left"}]
    text, first = made("gpu_grid", about | {"rows": grid}, "table:gpu_grid", "table:gpu_first")
    assert "| kernel, 16 | captured call, 16 | PyTorch, 16 |" in text
    line = "2.0 / 6.0 = **3.00 ×** | 2.0 / 12.0 = 6.0 × | 2.0 / 8.0 = 4.0 × |"
    assert line in text and "- arm, inverse_dynamics, 64, PyTorch: no time left" in text
    assert "| arm, inverse dynamics | 2 µs (4.0×) |" in first and "earlier" not in text
    (text,) = made("gpu_grid", about | {"rows": [grid[1] | {"earlier": True}]}, "table:gpu_grid")
    assert "= **3.00 ×** † |" in text and "†: from an earlier run" in text


def test_inverse_kinematics_on_a_gpu(made):
    row = {"robot": "arm", "frame": "hand", "poses": 2000, "solved": 1990, "ms": 10.0}
    about = {"device": "Some GPU", "versions": {"paraxis": "7.8"}, "rows": [row]}
    (text,) = made("gpu_inverse_kinematics", about, "table:gpu_inverse_kinematics")
    assert "| arm, `hand` | 2,000 | 99.5000% | 10.0 ms | 5.000 µs |" in text


def test_optimal_control_and_the_ground_on_a_gpu(made):
    """Rows as benchmarks/gpu_optimal.py and gpu_ground.py write them."""
    row = {"dtype": "float32", "problems": 128, "knots_in_a_row": 0, "passes": 0.001}
    row |= {"iteration": 0.002, "first": 30.0, "error": 1e-5}
    rows = [row, row | {"problems": 1, "knots_in_a_row": 4}]
    (text,) = made("gpu_optimal", {"horizon": 64, "rows": rows}, "table:gpu_optimal")
    assert "| 128 | float32 | 1 ms | **2 ms** | 15.6 µs | 1e-05 |" in text
    assert "| 1, in rows of 4 knots | float32 |" in text and "64 steps of 10 ms" in text

    row = {"robot": "go2", "law": "hard", "robots": 8192, "steps": 200, "error": 1e-6}
    row |= {"allowed": 2e-5, "registers": 255, "spilled": 1024, "compiled_s": 40.0}
    row |= {"steps_per_s": 3.2e7, "step_calls_per_s": 2e7, "residual": [1e-6, 1e-5]}
    results = {"device": "Some GPU", "versions": {"paraxis": "7.8"}, "rows": [row]}
    (text,) = made("gpu_ground", results, "table:gpu_ground")
    line = (
        "| 8,192 go2, hard | **32.0** | 20.0 | 255 | 1,024 B | 40 s | 1e-06 | 2e-05 | 1e-05 m/s |"
    )
    assert line in text and "200 steps of 2 ms" in text and "Some GPU, Paraxis 7.8" in text
