"""Ctrl-C again and again, at random moments: nothing crashes, leaks, or is written afterwards."""

import signal

import pytest
from support.processes import script

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="there are no interval timers"
)

START = """
import os, random, signal, sys, threading, time
import numpy as np, paraxis as px
from paraxis.targets.cpu.threads import workers

class Interrupt(BaseException):
    pass

def interrupt(*_):
    raise Interrupt

def native_threads():
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0

signal.signal(signal.SIGALRM, interrupt)
dice = random.Random(20)

def soak(call, check, interrupts, longest):
    "Interrupt it so often, after up to so many seconds each; how often it came in the call."
    hits = 0
    for _ in range(interrupts):
        inside = False
        try:
            signal.setitimer(signal.ITIMER_REAL, dice.uniform(1e-5, longest))
            while True:
                inside = True
                call()
                inside = False
        except Interrupt:
            hits += inside
        check()
    return hits
"""


def soaked(text):
    """The output of a text after START; it is shown too."""
    output = script(text, before=START, options=("-X", "faulthandler"), timeout=3000)
    print(output)
    return output


def test_interrupts_of_batches_on_two_threads():
    text = """
    kernel = px.program(px.load("ur5")).compile(threads=2)
    q = np.random.default_rng(0).normal(size=(20_000, 6))
    right, out = kernel(q, q, q), np.empty_like(q)

    def check():
        assert workers.idle() == len(workers) == 1
        out[...] = 7.0

    def batch():
        kernel(q, q, q, out=out)

    before = native_threads()
    hits = soak(batch, check, 20_000, 1e-3)
    time.sleep(0.1)
    assert (out == 7.0).all(), "written after the call had raised"
    assert native_threads() == before
    batch()
    assert out.tobytes() == right.tobytes()
    assert hits > 10_000, hits
    print("done", hits)
    """
    assert "done" in soaked(text)


def test_interrupts_of_threads_that_begin():
    """Every time with none, as in a new process."""
    text = """
    from paraxis.targets.cpu import threads, workers as native

    kernel = px.program(px.load("ur5")).compile(threads=4)
    q = np.random.default_rng(0).normal(size=(20_000, 6))
    kernel(q, q, q)
    pools = []

    def fresh():
        pools.append(native.workers)
        native.workers = threads.Workers()

    def batch():
        kernel(q, q, q)

    hits = soak(batch, fresh, 300, 5e-4)
    time.sleep(1.0)
    assert all(pool.idle() == len(pool) <= 3 for pool in pools)
    assert hits > 100, hits
    print("done", hits)
    """
    assert "done" in soaked(text)


def test_interrupts_of_compilations_and_of_everything_else():
    """Small calls of many kinds; results are right afterwards, and locks are free."""
    text = """
    arm, rest = px.robots.planar(2), np.zeros(2)
    poses = px.forward_kinematics(arm, np.random.default_rng(0).normal(size=(2000, 2)))
    links = np.linspace(0, 1, 3000)
    chain = px.robots.chain(3000)
    scheme = px.control.unsynchronised(px.robots.chain(4))
    still = np.zeros((20, 4))
    count = 0

    def compiled():
        global count
        count += 1
        k = count
        assert px.trace(lambda x: px.math.sin(x) + float(k), x=()).compile()(np.array(0.0)) == k

    calls = {
        "compile": (compiled, 500, 2e-2),
        "simulate": (lambda: px.simulate(arm, rest, rest, dt=1e-3, steps=3000), 2000, 3e-3),
        "inverse kinematics": (lambda: px.inverse_kinematics(arm, poses), 500, 2e-2),
        "chain": (lambda: px.forward_dynamics(chain, links, links, links), 3000, 2e-3),
        "unsynchronised": (lambda: scheme(still, still, still, period=1e-4), 1000, 5e-3),
    }
    for name, (call, interrupts, longest) in calls.items():
        call()
        before = native_threads()
        hits = soak(call, lambda: None, interrupts, longest)
        call()
        end = time.monotonic() + 20
        while native_threads() > before + 4 and time.monotonic() < end:
            time.sleep(0.1)  # what runs aside ends by itself
        assert native_threads() <= before + 4, (name, before, native_threads())
        print(name, hits, flush=True)
    print("done")
    """
    assert "done" in soaked(text)
