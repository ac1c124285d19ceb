"""The command line, run in this process and as one of its own. No test asserts a time."""

import json
import os
import platform
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from support.pages import addresses
from support.processes import SOURCE, environment

import paraxis
from paraxis.checks import shown
from paraxis.cli import arguments, bench, measure, neighbours, peer, schedule_text, tables
from paraxis.cli import demo_plots as plots
from paraxis.cli import main as cli
from paraxis.cli.terminal import Terminal
from paraxis.drawing.axes import number_text
from paraxis.parallel.schedules.scheduling import METHODS, methods_with
from paraxis.physics import CHEAP

VOID = {"meta", "link", "br", "hr", "img", "input"}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path_factory):
    """Leave the user's cache alone."""
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path_factory.mktemp("cache")))


def run(capsys, *argv):
    """(exit code, stdout, stderr) of a command."""
    code = cli.main([str(word) for word in argv])
    done = capsys.readouterr()
    return code, done.out, done.err


def spawn(*argv, **options):
    """The command as a process of its own."""
    command = [sys.executable, "-m", "paraxis", *argv]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(), timeout=60, **options
    )


def urdf(folder, robot="arm", joint="hinge", link="beam", mass=1.0):
    """A file with one joint, its names as given (XML text already)."""
    path = folder / "robot.urdf"
    inertia = "".join(f' i{a}="{mass if a[0] == a[1] else 0}"' for a in ("xx", "yy", "zz"))
    path.write_text(
        f'<robot name="{robot}"><link name="base"/><link name="{link}"><inertial>'
        f'<origin xyz="0.1 0 0.2"/><mass value="{mass}"/>'
        f'<inertia{inertia} ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="{joint}" type="continuous"><parent link="base"/><child link="{link}"/>'
        '<axis xyz="0 1 0"/></joint></robot>',
        encoding="utf-8",
    )
    return path


class Page(HTMLParser):
    """The elements of a page, in order; every tag must be closed by its own."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


# -- info ------------------------------------------------------------------------------------------


def test_info_of_a_built_in_robot(capsys):
    code, out, err = run(capsys, "info", "puma560")
    assert code == 0 and err == ""
    for word in ("puma560", "joint6", "revolute", "gravity", "frames", "link6", "Counting rule"):
        assert word in out
    for name in (*CHEAP, "chosen", "cheapest"):
        assert name in out
    assert str(paraxis.program(paraxis.load("puma560")).count().flops) in out
    assert "\x1b" not in out  # not a terminal: plain


def test_info_of_a_file_up_to_a_tip(capsys, tmp_path):
    code, out, _ = run(capsys, "info", urdf(tmp_path), "--tip", "beam")
    assert code == 0 and "hinge" in out and "1 joint" in out


def test_a_floating_base(capsys, tmp_path):
    code, out, _ = run(capsys, "info", urdf(tmp_path), "--floating-base")
    assert code == 0 and "floating_base" in out and "free" in out
    path = tmp_path / "own.stg"
    paraxis.TaskGraph({"a": 2, "b": 3}, [("a", "b")]).to_stg(path)
    code, _, err = run(capsys, "schedule", path, "--processors", "2", "--floating-base")
    assert code == 2 and "--floating-base cannot be used with an STG file" in err


def test_info_hints_at_right_angles_typed_with_few_digits(capsys, tmp_path):
    path = tmp_path / "arm.urdf"
    text = paraxis.robots.chain(3).to_urdf()
    path.write_text(text.replace('rpy="0.0 0.0 0.0"', 'rpy="1.5708 0 0"'))
    code, out, _ = run(capsys, "info", str(path))
    words = " ".join(out.split())
    found = re.search(r"Exact right angles would take (\d+) flops instead of (\d+)", words)
    assert code == 0 and int(found[1]) < int(found[2]) and "--snap 1e-4" in words
    code, out, _ = run(capsys, "info", str(path), "--snap", "1e-4")
    assert code == 0 and "right angles" not in out.lower()
    code, _, err = run(capsys, "info", str(path), "--snap", "some")
    assert code == 2 and "expected a number, found 'some'" in err


def test_info_leaves_out_columns_that_do_not_fit(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    code, out, _ = run(capsys, "info", "ur5")
    assert code == 0 and "In a wider window also" in out
    assert "shoulder_lift_joint" in out  # whole, not folded
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 50


def test_a_robot_without_mass(capsys, tmp_path):
    path = urdf(tmp_path, mass=0)
    assert run(capsys, "info", path)[0] == 0
    page = tmp_path / "page.html"
    assert run(capsys, "demo", "--quick", "--robot", path, "-o", page)[0] == 0
    Page(page.read_text(encoding="utf-8"))


def test_a_task_graph_is_not_a_robot(capsys, tmp_path):
    path = tmp_path / "own.stg"
    paraxis.TaskGraph({"a": 2, "b": 3}, [("a", "b")]).to_stg(path)
    for command in (["info"], ["bench"], ["demo", "--robot"]):
        code, _, err = run(capsys, *command, path)
        assert code == 2 and "is a task graph" in err and "`paraxis schedule`" in err
        assert "XML" not in err and err.count("\n") == 1


# -- bench -----------------------------------------------------------------------------------------


def test_bench_writes_the_documented_json(capsys, tmp_path):
    path = tmp_path / "out.json"
    code, out, _ = run(
        capsys, "bench", "planar3", "--batch", "1,1e1", "--threads", "2", "--json", path
    )
    assert code == 0 and "cold" in out and "from the cache" in out and "interpreter" in out
    assert "built in" in out  # why there is no Pinocchio
    figures = json.loads(path.read_text(encoding="utf-8"))
    for key in figures:
        assert key in bench.JSON_KEYS
    for part in ("operations", "compile"):
        for key in figures[part]:
            assert key in bench.JSON_KEYS
    assert figures["robot"] == {"name": "planar3", "joints": 3}
    assert [(row["batch"], row["threads"]) for row in figures["rows"]] == [
        (1, 1),
        (10, 1),
        (1, 2),
        (10, 2),
    ]
    assert figures["error"] < 1e-10 and figures["pinocchio"] is None


def test_bench_json_on_stdout_is_alone_there(capsys):
    options = ("--batch", "4", "--threads", 1, "--dtype", "float32", "--json", "-")
    code, out, err = run(capsys, "bench", "planar3", *options)
    assert code == 0 and "per state" in err
    assert json.loads(out)["dtype"] == "float32"


def test_bench_beside_pinocchio(capsys, tmp_path):
    pytest.importorskip("pinocchio")
    path, out_path = urdf(tmp_path), tmp_path / "out.json"
    code, out, _ = run(
        capsys, "bench", path, "--batch", "8", "--threads", 1, "--json", out_path
    )  # fmt: skip
    assert code == 0 and re.search(r"Pinocchio +ratio\n", out)  # the heads of columns
    found = json.loads(out_path.read_text(encoding="utf-8"))["pinocchio"]
    assert found["error"] < 1e-10 and found["rows"][0]["batch"] == 8


def test_bench_without_pinocchio_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    code, out, _ = run(capsys, "bench", urdf(tmp_path), "--batch", "8", "--threads", 1)
    assert code == 0 and "Pinocchio: not measured: not installed" in out
    assert not re.search(r"\bratio\b", out)


def test_bench_of_a_function(capsys, tmp_path):
    path, out_path = urdf(tmp_path), tmp_path / "out.json"
    words = words_of("--function forward_dynamics_derivatives --batch 8 --threads 2 --json")
    code, out, _ = run(capsys, "bench", path, *words, out_path)
    assert code == 0 and "forward dynamics derivatives, float64" in out
    found = json.loads(out_path.read_text(encoding="utf-8"))
    assert found["function"] == "forward_dynamics_derivatives" and found["error"] < 1e-10
    for name, near in (("jacobain", "jacobian"), ("crba", "mass_matrix"), ("ABA", "forward_dyn")):
        code, _, err = run(capsys, "bench", path, "--function", name)
        assert code == 2 and f"did you mean '{near}" in err and len(err) < 120


QUICK_BESIDE = ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives")


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(name, marks=() if name in QUICK_BESIDE else pytest.mark.long)
        for name in peer.FUNCTIONS
    ],
)
def test_bench_beside_pinocchio_of_every_function(capsys, tmp_path, function):
    pytest.importorskip("pinocchio")
    path = tmp_path / "arm.urdf"
    path.write_text(paraxis.load("ur5").to_urdf())
    out_path = tmp_path / "out.json"
    words = ["bench", path, "--function", function, *words_of("--batch 2 --threads 2 --json")]
    code, _, _ = run(capsys, *words, out_path)
    found = json.loads(out_path.read_text(encoding="utf-8"))["pinocchio"]
    assert code == 0 and found["error"] < 1e-9 and found["call"] == peer.FUNCTIONS[function].call
    threads = {row["threads"] for row in found["rows"]}
    assert threads == ({1, 2} if peer.FUNCTIONS[function].batch else {1})


def neighbours_busy(monkeypatch, cores, start, stop):
    """What is said on a machine of so many cores after two readings of the clocks."""
    readings = iter([start, stop])
    monkeypatch.setattr(neighbours, "_others", lambda: next(readings))
    monkeypatch.setattr(neighbours, "available", lambda: cores)
    with neighbours.Neighbours() as others:
        pass
    return others


def test_a_busy_machine_is_reported(monkeypatch):
    others = neighbours_busy(monkeypatch, 2, (0.0, 0.0), (1.0, 0.9))  # 0.9 CPU s in one second
    assert others.cores == pytest.approx(0.9)
    assert others.crowd(2) and not others.crowd(1)
    assert "0.9 of 2 cores" in others.warning(2) and "several threads" in others.warning(2)
    others = neighbours_busy(monkeypatch, 2, (0.0, 0.0), (1.0, 1.5))
    assert others.crowd(1) and "several threads" not in others.warning(2)
    others = neighbours_busy(monkeypatch, 64, (0.0, 0.0), (1.0, 1.5))
    assert others.crowd(64) and not others.crowd(16)


@pytest.mark.parametrize("stop", [(1.0, 0.01), (1.0, -0.1), None])
def test_a_quiet_or_unknown_machine_is_not_reported(monkeypatch, stop):
    others = neighbours_busy(monkeypatch, 2, (0.0, 0.0), stop)
    assert not others.crowd(2) and others.warning(2) == ""


def test_ratios_of_crowded_figures_are_left_out(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")  # wide enough for every column
    rows = [measure.Speed(10, threads, 1.0, 1e9) for threads in (1, 2)]
    slow = [measure.Speed(10, threads, 7.0, 1e9 / 7) for threads in (1, 2)]
    compared = peer.Comparison("0", "rnea", slow, 1e-6, 0.0)
    tables.print_speeds(Terminal(), rows, compared)
    assert capsys.readouterr().out.split()[-1] == "7.0"
    tables.print_speeds(Terminal(), rows, compared, lambda threads: threads > 1)
    words = capsys.readouterr().out.split()
    assert words[-1] == "–" and words.count("7.0") == 1


# -- drives ----------------------------------------------------------------------------------------


def drives(folder):
    """Of the joint of `urdf`; the rotor's inertia is 2 at the joint."""
    path = folder / "own.yaml"
    path.write_text(
        "joints: {hinge: {friction: {viscous: 0.125}, "
        "transmission: {ratio: 100, rotor_inertia: 2e-4}}}"
    )
    return path


def test_a_robot_with_drives_of_a_file(capsys, tmp_path):
    code, out, err = run(capsys, "info", urdf(tmp_path), "--drives", drives(tmp_path))
    assert code == 0 and err == ""
    assert re.search(r"joint +viscous +ratio", out) and re.search(r"hinge +0.125 +100", out)
    code, _, err = run(capsys, "info", "ur5", "--drives", drives(tmp_path))
    assert code == 2 and "'hinge'" in err and err.count("\n") == 1


def test_pinocchio_is_not_measured_with_rotors_it_does_not_read(capsys, tmp_path):
    options = words_of("--batch 8 --threads 1")
    code, out, _ = run(capsys, "bench", urdf(tmp_path), "--drives", drives(tmp_path), *options)
    assert code == 0 and "it does not read the rotor inertias of these drives" in " ".join(
        out.split()
    )


# -- schedule --------------------------------------------------------------------------------------


def words_of(*argv):
    """A command as someone types it."""
    return [word for text in argv for word in str(text).split()]


def test_schedule_of_a_built_in_robot(capsys, tmp_path):
    page, figures = tmp_path / "out.html", tmp_path / "out.json"
    code, out, err = run(
        capsys, "schedule", "puma560", "--processors", 6, "--html", page, "--json", figures
    )
    assert code == 0 and err == ""
    found = json.loads(figures.read_text(encoding="utf-8"))
    program = paraxis.program(paraxis.load("puma560"))
    flops = program.count().flops
    assert sum(task["weight"] for task in found["tasks"]) == flops
    assert (found["processors"], found["method"]) == (6, "list")
    for word in (
        "puma560",
        "inverse dynamics  the cheapest Program, one task per operation",
        f"{flops}: the time on one processor",
        f"makespan      {found['makespan']}",
        f"{found['speedup']:.2f}",
        f"{found['efficiency']:.1%}",
        "critical path",
        "out.html",
    ):
        assert word in out
    source = page.read_text(encoding="utf-8")
    Page(source)
    assert "puma560" in source and found["tasks"][-1]["name"] in source


def test_schedules_over_numbers_of_processors(capsys, tmp_path):
    page, figures = tmp_path / "out.html", tmp_path / "out.json"
    code, out, _ = run(
        capsys, "schedule", "planar3", "--processors", "3,1-2", "--html", page, "--json", figures
    )
    assert code == 0 and re.search(r"processors +makespan +bound +speed-up +efficiency", out)
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert [each["processors"] for each in found] == [1, 2, 3]
    for each in found:
        assert re.search(rf"^ +{each['processors']} +{each['makespan']} ", out, re.M)
    parsed = Page(page.read_text(encoding="utf-8"))
    assert parsed.tags.count("svg") == 5 and "Efficiency over processors" in parsed.words


def test_schedule_of_tasks_of_ones_own(capsys, tmp_path):
    path = tmp_path / "own.stg"
    tasks = paraxis.TaskGraph({"a": 2, "b": 3, "c": 4}, [("a", "b"), ("a", "c")])
    tasks.to_stg(path)
    code, out, _ = run(capsys, "schedule", path, "--processors", 2)
    assert code == 0 and "a Standard Task Graph" in out and "makespan      6, optimal" in out


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_asked_for(capsys, method):
    words = words_of("schedule planar3 --processors 2 --tasks streamlined --method", method)
    limit = words_of("--time-limit 0.2" if method in methods_with("time_limit") else "")
    code, out, _ = run(capsys, *words, *limit)
    assert code == 0 and re.search(rf"method +{method}", out)


def test_schedule_of_other_tasks(capsys):
    argv = words_of("schedule ur5 --processors 2 --function mass_matrix --grain 8")
    code, out, _ = run(capsys, *argv)
    assert code == 0 and "mass matrix  the cheapest Program, at most 8 flops per task" in out
    code, out, _ = run(capsys, *words_of("schedule ur5 --processors 2 --tasks streamlined"))
    assert code == 0 and "Dhanaraj's subtasks" in out
    argv = words_of("schedule ur5 --processors 2 --algorithm newton_euler --priority hlf")
    assert run(capsys, *argv)[0] == 0


def test_schedule_with_messages_and_balanced_sums(capsys, tmp_path):
    figures = tmp_path / "out.json"
    argv = words_of("schedule ur5 --processors 2 --balanced --latency 4 --messages 0.5 --json")
    code, out, _ = run(capsys, *argv, figures)
    assert code == 0 and "balanced sums, one task per operation" in " ".join(out.split())
    assert "a message takes 4 plus 0.5 per value" in " ".join(out.split())
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert {size for task in found["tasks"] for size in task["messages"]} == {4.5}
    program = paraxis.program(paraxis.load("ur5"))
    spans = [paraxis.TaskGraph.from_program(p).span for p in (program, program.balanced())]
    assert spans[1] < spans[0] and re.search(rf"longest path +{spans[1]}:", out)


def test_several_processors_that_bring_nothing(capsys):
    argv = words_of("schedule planar3 --processors 2 --latency 1000 --method")
    code, out, _ = run(capsys, *argv, "list")
    assert code == 0 and "speed-up      1.00, all on one processor" in out
    code, out, _ = run(capsys, *argv, "streamlined")
    assert code == 0 and ", slower than one processor" in out


def test_a_search_that_was_left_out_is_said(capsys):
    argv = words_of("schedule ur5 --latency 3 --method optimal --time-limit 1e-9")
    code, out, _ = run(capsys, *argv)
    assert code == 0 and out.count("No exact search was made: the time limit.") == 1


def test_options_of_other_methods_are_named(capsys):
    _, _, err = run(capsys, *words_of("schedule ur5 --time-limit 3"))
    needed = " or ".join(methods_with("time_limit"))
    assert err == f"paraxis: --time-limit needs --method {needed}\n"
    _, _, err = run(capsys, *words_of("schedule ur5 --method heft --priority hlf"))
    assert err == "paraxis: --priority needs --method list\n"
    _, _, err = run(capsys, *words_of("schedule ur5 --processors 0"))
    assert "expected integers >= 1" in err


def test_who_watches_sees_what_is_waited_for(capsys, monkeypatch):
    argv = words_of("schedule planar3 --processors 2 --method optimal --time-limit 5")
    assert run(capsys, *argv)[2] == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if it were a terminal
    assert "method optimal on 2 processors, at most 5 s" in run(capsys, *argv)[2]


def test_schedule_on_stdout_is_alone_there(capsys):
    code, out, err = run(capsys, *words_of("schedule planar3 --processors 2 --json -"))
    assert code == 0 and json.loads(out)["processors"] == 2 and "makespan" in err
    code, out, err = run(capsys, *words_of("schedule planar3 --html -"))
    assert code == 0 and out.startswith("<!DOCTYPE html>") and "makespan" in err


def test_a_missing_solver_is_named_where_it_is_needed(capsys, monkeypatch, tmp_path):
    path = tmp_path / "own.stg"
    paraxis.TaskGraph(dict(enumerate([4, 4, 4, 3, 3]))).to_stg(path)  # 10 is best, the bound 9
    for name in ("ortools", "ortools.sat.python", "ortools.sat.python.cp_model"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, err = run(capsys, "schedule", path, *words_of("--processors 2 --method optimal"))
    assert code == 2 and err.count("\n") == 1 and "pip install 'paraxis[opt]'" in err


def test_charts_in_letters():
    tasks = paraxis.TaskGraph({"a": 1, "b": 2, "c": 0, "d": 1}, [("a", "b")], groups={"b": 1})
    schedule = paraxis.parallel.Schedule(tasks, 2, (0, 1, 0, 2), (0, 0, 1, 1))

    def rows(width):
        return [row.plain for row in schedule_text.chart(schedule, width)]

    assert rows(6) == ["P0 █▓▓", "P1 ··█", "   0 3"]
    assert rows(9) == ["P0 a│b  │", "P1 ····d│", "   0    3"]
    assert schedule_text.chart(schedule, 5) == []  # less than a letter a task
    idle = paraxis.parallel.Schedule(tasks, 10**6, (0, 1, 0, 2), (0, 0, 7, 7))
    assert [row.plain for row in schedule_text.chart(idle, 6)] == [
        "P0 █▓▓",
        "P7 ··█",
        "and 999,998 idle",
        "   0 3",
    ]
    assert schedule_text.key(tasks).plain == "· idle  █ link 1"
    many = paraxis.TaskGraph(dict.fromkeys(range(100), 1))
    assert schedule_text.chart(paraxis.schedule(many, 100), 80) == []  # more rows than a screen
    assert schedule_text.chart(paraxis.schedule(paraxis.TaskGraph({}), 1), 80) == []


def test_colours_of_a_chart_are_explained(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if it were a terminal
    monkeypatch.setenv("COLUMNS", "80")
    words = words_of("schedule planar3 --processors 3 --tasks streamlined")
    key = run(capsys, *words)[1].splitlines()[-1]
    for link, code in (("link 1", 34), ("link 2", 33), ("link 3", 32)):
        assert f"\x1b[{code}m█\x1b[0m {link}" in key


def test_schedules_fit_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for argv in ("schedule planar3 --processors 3", "schedule planar3 --processors 1-3"):
        code, out, _ = run(capsys, *words_of(argv))
        assert code == 0 and max(len(line.rstrip()) for line in out.splitlines()) <= 60


# -- report ----------------------------------------------------------------------------------------


def test_without_the_papers_a_report_says_how_to_install_them(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "paraxis_papers", None)
    for words in ([], ["counts"], ["counts", "--json", "-"]):
        code, out, err = run(capsys, "report", *words)
        assert (code, out) == (2, "") and err.count("\n") == 1 and "pip install ./papers" in err
    code, out, _ = run(capsys, "report", "--help")
    assert code == 0 and "pip install ./papers" in out


def test_only_the_report_command_knows_of_the_papers():
    package = SOURCE / "paraxis"
    found = [path for path in package.rglob("*.py") if "paraxis_papers" in path.read_text("utf-8")]
    assert found == [package / "cli" / "report.py"]


# -- demo ------------------------------------------------------------------------------------------


def test_demo_writes_one_self_contained_page(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "demo", "--quick")
    assert code == 0 and err == "" and "against the interpreter" in out
    source = (tmp_path / "paraxis-demo.html").read_text(encoding="utf-8")
    page = Page(source)
    assert page.tags.count("svg") == 7  # the mark; three plots for wide and narrow screens
    labels = {value for name, value in page.attributes if name == "aria-label"}
    assert len(labels) == 3
    assert "script" not in page.tags and page.tags.count("iframe") == 1  # where the robot moves
    assert not addresses(page.attributes)
    words = " ".join(page.words)
    program = paraxis.program(paraxis.load("puma560"))
    for word in ("states per second", "states per call", "flops at once", "average", "1 thread"):
        assert word in words
    for word in ("joint6", "CPU", "numpy", f"{program.count().flops} flops", "newton_euler"):
        assert word in words
    assert f"depth: {program.depth().flops} steps" in words
    assert "prefers-color-scheme: dark" in source
    assert str(tmp_path) not in source and str(SOURCE) not in source
    assert not re.search(rf"\b{re.escape(platform.node())}\b", words)


@pytest.mark.parametrize("wrong", [1.0, float("nan")])
def test_demo_that_finds_an_error_fails(capsys, monkeypatch, tmp_path, wrong):
    monkeypatch.setattr(measure, "interpreter_error", lambda *_: wrong)
    page = tmp_path / "page.html"
    code, _, err = run(capsys, "demo", "--quick", "--robot", "planar3", "-o", page)
    assert code == 1 and err.startswith("paraxis: ") and not page.exists()


def test_measuring_leaves_the_cache_setting_alone(monkeypatch):
    program = paraxis.program(paraxis.load("planar3"))
    for before in (None, "off"):
        if before is None:
            monkeypatch.delenv("PARAXIS_CACHE", raising=False)
        else:
            monkeypatch.setenv("PARAXIS_CACHE", before)
        measure.compile_times(lambda: program, "float64")
        assert os.environ.get("PARAXIS_CACHE") == before


# -- names are anyone's text -----------------------------------------------------------------------

SCRIPT = "&lt;script&gt;alert(1)&lt;/script&gt;"  # as XML writes <script>alert(1)</script>


def test_hostile_names_are_inert(capsys, tmp_path):
    path = urdf(
        tmp_path,
        robot=f"{SCRIPT}&quot;&gt;",
        joint="&lt;img src=x&gt;[bold red]x[/bold red]&#x9b;31m&#x202e;&#10;b",
        link=f"{SCRIPT}[link=file:///etc/passwd]",
    )
    code, out, err = run(capsys, "info", path)
    assert code == 0 and err == ""
    assert "<script>alert(1)</script>" in out and "[bold red]x[/bold red]" in out
    assert "\\x9b31m\\u202e\\nb" in out
    for c in "\x1b\x9b\u202e":
        assert c not in out
    target = tmp_path / "page.html"
    assert run(capsys, "demo", "--quick", "--robot", path, "-o", target)[0] == 0
    source = target.read_text(encoding="utf-8")
    page = Page(source)
    assert not {"script", "img"} & set(page.tags) and "<script" not in source
    assert "<script>alert(1)</script>" in " ".join(page.words)
    assert not {"\x9b", "\u202e"} & set(source)


def test_escape_sequences_never_reach_the_terminal(capsys, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(b'<robot name="\x1b]0;gone\x07"/>')  # no XML at all
    for argv in (
        ("info", path),
        ("info", "\x1b[31mred"),
        ("\x1b[2J",),
        ("info", "ur5", "--\x1b[2J"),
    ):
        code, out, err = run(capsys, *argv)
        assert code == 2 and "\x1b" not in out + err and "\x07" not in err


def test_shown_text_is_one_short_line():
    assert shown("a\nb\x1b") == "a\\nb\\x1b"
    assert shown("x" * 1000) == "x" * 59 + "…"
    assert len(shown("\x1b" * 1000)) <= 60


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ("info", "no_such_robot"),
        ("info", "no/such/file.urdf"),
        ("info", "."),
        ("info", "puma560", "--tip", "nowhere"),
        ("info",),
        ("fly",),
        ("bench", "ur5", "--batch", "0"),
        ("bench", "ur5", "--batch", "1,,2"),
        ("bench", "ur5", "--batch", "1.5"),
        ("bench", "ur5", "--batch", "nan"),
        ("bench", "ur5", "--batch", "1e9"),
        ("bench", "ur5", "--batch", "1e99"),
        ("bench", "ur5", "--dtype", "float16"),
        ("bench", "ur5", "--threads", "0"),
        ("bench", "ur5", "--threads", "many"),
        ("bench", "ur5", "--json", "no/such/folder/out.json"),
        ("schedule",),
        ("schedule", "no_such_robot"),
        ("schedule", "no/such/tasks.stg"),
        ("schedule", "ur5", "--processors", "0"),
        ("schedule", "ur5", "--processors", "-1"),
        ("schedule", "ur5", "--processors", "2.5"),
        ("schedule", "ur5", "--processors", "1,,2"),
        ("schedule", "ur5", "--processors", "5-3"),
        ("schedule", "ur5", "--processors", "1-99999"),
        ("schedule", "ur5", "--processors", "1-999999999999999999"),
        ("schedule", "ur5", "--latency", "-1"),
        ("schedule", "ur5", "--messages", "nan"),
        ("schedule", "ur5", "--messages", "many"),
        ("schedule", "ur5", "--tasks", "streamlined", "--balanced"),
        ("schedule", "tasks.stg", "--latency", "0"),
        ("schedule", "ur5", "--processors", "many"),
        ("schedule", "ur5", "--method", "magic"),
        ("schedule", "ur5", "--method", "list", "--time-limit", "3"),
        ("schedule", "ur5", "--time-limit", "nan"),
        ("schedule", "ur5", "--time-limit", "-1"),
        ("schedule", "ur5", "--priority", "mine"),
        ("schedule", "ur5", "--function", "flight"),
        ("schedule", "ur5", "--algorithm", "magic"),
        ("schedule", "ur5", "--grain", "0"),
        ("schedule", "ur5", "--tasks", "all"),
        ("schedule", "ur5", "--tasks", "streamlined", "--grain", "4"),
        ("schedule", "tasks.stg", "--tip", "tool0"),
        ("schedule", "ur5", "--html", "no/such/folder/out.html"),
        ("schedule", "ur5", "--html", "-", "--json", "-"),
        ("demo", "-o", "."),
        ("demo", "--robot", "no_such_robot"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(capsys, argv):
    code, out, err = run(capsys, *argv)
    assert code == 2 and out == ""
    assert err.startswith("paraxis: ") and err.count("\n") == 1


def test_mistakes_say_what_to_do(capsys):
    for words, expected in (
        ("bench", "expected ROBOT (see paraxis bench --help)"),
        ("inof ur5", "COMMAND: expected one of 14 names, found 'inof'; did you mean 'info'?"),
        ("bench ur5 --functon x", "unknown argument: --functon x; did you mean '--function'?"),
        ("bench ur5 --threads 0", "--threads: expected an integer from 1 to 1,024, found '0'"),
        ("info pandda", "found 'pandda'; did you mean 'panda'?"),
        ("info ur5 --tip tol0", "'tool0'; did you mean 'tool0'?"),
        ("schedule ur5 --function jacobain", "found 'jacobain'; did you mean 'jacobian'?"),
        ("schedule ur5 --method lst", "found 'lst'; did you mean 'list'?"),
        ("safe-rate ur5 --kp 1 --kd 1 --policy hamiltn", "did you mean 'hamilton'?"),
    ):
        code, _, err = run(capsys, *words_of(words))
        assert code == 2 and expected in err
    _, _, err = run(capsys, "schedule", "ur5", "--html", "no/such/folder/out.html")
    assert err == "paraxis: no/such/folder/out.html: there is no folder no/such/folder\n"
    assert run(capsys, "demo", "-o", ".")[2] == "paraxis: . is a folder, not a file\n"
    assert run(capsys, "help")[2] == "paraxis: there is no command 'help'; run paraxis --help\n"


def test_an_odd_robot_is_loaded_with_a_warning(capsys, tmp_path):
    path = urdf(tmp_path)
    path.write_text(path.read_text().replace('ixx="1.0"', 'ixx="9.0"'))
    code, out, err = run(capsys, "info", path)
    assert code == 0 and "hinge" in out
    assert err.startswith("paraxis: warning: ") and err.count("\n") == 1


def test_interruption_is_quiet(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(arguments, "load", interrupted)
    assert run(capsys, "info", "ur5") == (130, "", "")


def test_help_and_version(capsys):
    assert run(capsys, "--version")[:2] == (0, f"paraxis {paraxis.__version__}\n")
    code, out, _ = run(capsys, "--help")
    assert code == 0 and "examples" in out and "exit codes" in out
    assert run(capsys)[:2] == (0, out)  # no command: the same


NAMES = [command.__name__.rpartition(".")[2].replace("_", "-") for command in cli.COMMANDS]


@pytest.mark.parametrize("command", ["", *NAMES])
def test_help_fits_80_columns(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capsys, *command.split(), "--help")
    assert code == 0 and err == "" and "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert len(out[: out.index("\n\n")].splitlines()) <= 2  # usage names what is needed, no more
    if not command:
        rows = out.partition("commands:\n")[2].splitlines()[: len(NAMES)]
        assert [row.split()[0] for row in rows] == NAMES  # one line each


@pytest.mark.parametrize("command", ["", *NAMES])
def test_examples_of_help_are_understood(capsys, command):
    out = run(capsys, *command.split(), "--help")[1]
    lines = re.findall(r"^  paraxis (.*?)(?:  +.*)?$", out, re.M)
    assert lines or command in ("page", "studio", "report", "demo")
    for line in lines:
        assert cli._parser().parse_args(line.split()).run  # an error otherwise


def test_only_a_command_that_needs_them_imports_heavy_packages():
    heavy = ("rich", "paraxis_papers", "paraxis.control.controller", "paraxis.cli.measure")
    code = f"""
import sys
from paraxis.cli.main import main
main(["--version"])
print([name for name in {heavy} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_as_a_process():
    done = spawn("info", "planar3")
    assert done.returncode == 0 and "planar3" in done.stdout and done.stderr == ""
    done = spawn("info", "no_such_robot")
    assert done.returncode == 2 and done.stderr.startswith("paraxis: ")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of another kind")
@pytest.mark.parametrize("words", ["info ur5", "--help"])
def test_a_closed_pipe_is_quiet(words):
    line = f"{sys.executable} -m paraxis {words} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment(), timeout=60
    )
    assert done.stderr == "" and done.returncode in (0, cli.BROKEN_PIPE)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of another kind")
def test_files_are_written_before_a_pipe_breaks(tmp_path):
    chart = tmp_path / "chart.html"
    words = [sys.executable, "-m", "paraxis", "schedule", "puma560", "--html", str(chart)]
    reading, writing = os.pipe()
    os.close(reading)  # nobody reads what is printed
    done = subprocess.run(words, stdout=writing, env=environment(), timeout=60)
    os.close(writing)
    assert done.returncode == cli.BROKEN_PIPE
    assert "</html>" in chart.read_text(encoding="utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a file that is always full")
@pytest.mark.parametrize("words", ["export planar3 --language c -o .", "info puma560"])
def test_a_full_stdout_is_one_line(words, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "paraxis", *words_of(words)],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            timeout=60,
        )
    assert done.returncode == 2
    assert re.fullmatch("paraxis: input or output failed: .*No space left.*\n", done.stderr)


def test_whole_numbers_are_shown_in_full():
    assert number_text(10**20 + 1) == "100,000,000,000,000,000,001"
    assert number_text(-(10**400)).startswith("−10,000,000")
    assert (number_text(-0.0), number_text(-0.5)) == ("0", "−0.5")


# -- plots -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [340, 720])
def test_plots_of_extreme_data(width):
    one = [("1 thread", [measure.Speed(1, 1, 500.0, 2e6)])]
    for drawing in (
        plots.throughput(one, width),
        plots.layers([1], 1, width),
        plots.layers([3] * 100_000, 300_000, width),
        plots.operations([("a", [("c1", "customised", 0), ("c3", "general", 7)])], width),
    ):
        source = drawing.svg("plot")
        Page(source)
        assert "nan" not in source and "inf" not in source and len(source) < 100_000
