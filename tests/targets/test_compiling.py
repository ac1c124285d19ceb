"""People who wait for a compiler read what it is at, once per call, while they wait."""

import logging
import re
import sys
import threading
import time

import numpy as np
import pytest
from support.processes import python

import paraxis as px
from paraxis import compiling
from paraxis.targets import store
from paraxis.targets.cpu import host

KEPT = "; kept for next time"


def is_notice(text, what, note=KEPT):
    """Whether it is one line, at whichever stage it was given: machines are of many speeds."""
    line = re.fullmatch(r"paraxis: (tracing|generating code for|compiling) (.*)\n", text)
    return line is not None and line[2] == f"{what} (0.02 s so far{note})"


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path))
    monkeypatch.setattr(compiling, "NOTICES", (0.02,))
    compiling._explained.set()
    # without pytest's handlers, as in a program that does not configure logging
    monkeypatch.setattr(compiling, "_log", logging.Logger("paraxis"))


class Slow:
    """A compiler that does not begin before there was a notice, if it is to wait for one."""

    def __init__(self, capsys):
        self.seen, self.wait, self.calls = "", True, 0
        self._capsys, self._compile = capsys, host._compiled

    def __call__(self, make_machine, ir):
        self.calls += 1
        until = time.monotonic() + (20.0 if self.wait else 0.2)
        while "\n" not in self.seen and time.monotonic() < until:
            time.sleep(0.005)
            self.seen += self._capsys.readouterr().err
        return self._compile(make_machine, ir)


@pytest.fixture
def compiler(capsys, monkeypatch):
    slow = Slow(capsys)
    store.forget()
    monkeypatch.setattr(host, "_compiled", slow)
    return slow


def multiplied(number):
    return px.trace(lambda x: x * number, x=()).compile()(2.0)


def test_a_function_of_a_robot_is_named_while_it_is_compiled(compiler, capsys):
    px.gravity_torques(px.robots.planar(2), np.zeros(2))
    assert is_notice(compiler.seen, "gravity_torques of 'planar2'")
    assert capsys.readouterr().err == ""


def test_a_program_is_called_by_its_name(compiler):
    def spring(x):
        return -3.0 * x

    px.trace(spring, x=()).compile()
    assert is_notice(compiler.seen, "spring")


def test_what_is_not_kept_is_not_promised(compiler, monkeypatch):
    monkeypatch.setenv("PARAXIS_CACHE", "off")
    multiplied(3.0)
    assert is_notice(compiler.seen, "program", note="")


def test_tracing_a_program_takes_time_too(capsys, monkeypatch):
    from paraxis import function_bodies

    seen, graph_of = [], function_bodies.graph_of

    def slow(*arguments):
        until = time.monotonic() + 20.0
        while not seen and time.monotonic() < until:
            time.sleep(0.005)
            seen.extend(capsys.readouterr().err.splitlines())
        return graph_of(*arguments)

    monkeypatch.setattr(function_bodies, "graph_of", slow)
    px.program(px.robots.planar(2), "gravity_torques")
    assert seen == ["paraxis: tracing gravity_torques of 'planar2' (0.02 s so far)"]


def test_a_call_that_compiles_several_things_says_so_once(compiler, capsys):
    robot = px.robots.planar(2, length=0.7251)  # which no other test has
    px.inverse_kinematics(robot, np.eye(4))
    assert compiler.calls > 1
    assert is_notice(compiler.seen, "inverse_kinematics of 'planar2'")
    compiler.seen, compiler.calls = "", 0
    store.forget()  # what other tests have loaded, for all chains
    chain = px.robots.chain(3)
    px.chains.chain_dynamics(chain)(*np.zeros((3, 3)))
    assert compiler.calls > 1
    assert is_notice(compiler.seen, f"forward_dynamics of {chain.name!r}")
    assert capsys.readouterr().err == ""


def test_short_times_add_up_within_a_call(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "NOTICES", (0.4,))
    with compiling.one_call("much"):
        for _ in range(6):
            with compiling.compiling("compiling"):
                time.sleep(0.1)
    assert capsys.readouterr().err.count("compiling much (0.4 s so far)") == 1


def test_whoever_waits_longer_reads_what_happens_now(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "NOTICES", (0.1, 0.3))
    monkeypatch.setattr(compiling, "INTERVAL", 0.2)
    with compiling.one_call("much"), compiling.compiling("generating code for", "; kept"):
        with compiling.compiling("tracing"):
            time.sleep(0.2)
        with compiling.compiling("compiling"):
            time.sleep(0.2)
        time.sleep(0.2)
    assert capsys.readouterr().err.splitlines() == [
        "paraxis: tracing much (0.1 s so far; kept)",
        "paraxis: compiling much (0.3 s so far; kept)",
        "paraxis: generating code for much (0.5 s so far; kept)",
    ]


def test_the_first_notice_names_the_switch(compiler, monkeypatch):
    monkeypatch.setattr(compiling, "_explained", threading.Event())
    multiplied(3.0)
    assert compiler.seen.endswith(f"; {compiling.SWITCH}\n") and len(compiler.seen) < 200
    compiler.seen = ""
    multiplied(4.0)
    assert compiler.seen and compiling.SWITCH not in compiler.seen


def test_the_next_call_has_a_notice_of_its_own(compiler):
    multiplied(3.0)
    first, compiler.seen = compiler.seen, ""
    multiplied(4.0)
    assert first == compiler.seen != ""


def test_logging_silences_it(compiler, monkeypatch, caplog):
    compiler.wait = False
    logger = logging.getLogger("paraxis")
    monkeypatch.setattr(compiling, "_log", logger)
    exec(compiling.SWITCH.partition(" turns")[0], {"logging": logging})
    try:
        multiplied(3.0)
    finally:
        logger.setLevel(logging.NOTSET)
    assert compiler.calls == 1 and not caplog.records


def test_a_program_that_configures_logging_gets_records(compiler, caplog, monkeypatch):
    monkeypatch.setattr(compiling, "_log", logging.getLogger("paraxis"))
    compiler.wait = False
    px.gravity_torques(px.robots.planar(2), np.zeros(2))
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("paraxis", "WARNING")


@pytest.mark.parametrize("derive", ("jacobian", "hessian"))
def test_derivatives_are_called_by_the_name_of_their_program(derive, monkeypatch):
    seen, kept = [], compiling._Call.end
    monkeypatch.setattr(compiling._Call, "end", lambda call: (seen.append(call.what), kept(call)))
    program = px.trace(lambda x: x * x, x=())
    getattr(program, derive)("result", "x")
    assert seen[-1] == program.name


def test_what_is_in_the_cache_says_nothing(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "NOTICES", (60.0,))
    program = px.trace(lambda x: x * 3.0, x=())
    program.compile()
    started = []
    monkeypatch.setattr(compiling.threading, "Timer", lambda *rest: started.append(rest))
    program.compile()
    assert started == []  # what is loaded costs no timer
    assert capsys.readouterr().err == ""


def test_an_error_leaves_no_timer_behind(monkeypatch, capsys):
    monkeypatch.setattr(compiling, "NOTICES", (0.1,))
    with pytest.raises(KeyboardInterrupt), compiling.compiling("compiling"):
        raise KeyboardInterrupt
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_threads_are_told_apart(monkeypatch, capsys):
    """Each thread's call is its own, whoever began first."""

    def work(name):
        with compiling.one_call(name), compiling.compiling("compiling"):
            time.sleep(0.3)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = capsys.readouterr().err.splitlines()
    assert sorted(line.split()[2] for line in lines) == ["first", "second"]


@pytest.mark.parametrize("stderr", (None, "closed"))
def test_nobody_to_tell(compiler, monkeypatch, tmp_path, stderr):
    compiler.wait = False
    if stderr == "closed":
        stderr = open(tmp_path / "stderr", "w")  # noqa: SIM115
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert multiplied(3.0) == 6.0


def test_a_thread_that_compiles_while_python_ends():
    """The process ends at once, without a notice and without a crash."""
    text = """
    import atexit, threading, time

    atexit.register(time.sleep, 0.5)  # handlers run in reverse order: this one is the last
    from paraxis import compiling

    compiling.NOTICES = (0.1,)

    def work():
        with compiling.compiling("compiling"):
            ready.set()
            time.sleep(60)

    ready = threading.Event()
    threading.Thread(target=work, daemon=True).start()
    ready.wait()
    """
    process = python(text, timeout=50)
    assert process.returncode == 0
    assert process.stderr == ""
