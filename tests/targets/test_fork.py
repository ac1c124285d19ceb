"""Children that are forked while threads of the parent are in the middle of something."""

import os

import pytest
from support.processes import script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

START = """
import os, signal, sys, threading, time, warnings
import numpy as np, paraxis as px

warnings.simplefilter("ignore")  # newer Pythons warn about forking beside threads

def in_child(call, patience=30):
    "Whether it is true in a child, which may not hang."
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if call() else 1)
        finally:
            os._exit(2)
    limit = time.monotonic() + patience
    while time.monotonic() < limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise SystemExit("a child hangs")
"""


def forked(text):
    """The words that a text prints after START, without the cache."""
    return script(text, before=START, timeout=300, PARAXIS_CACHE="off").split()


def test_a_child_forked_while_threads_compile_can_compile():
    """As a worker of multiprocessing, of a data loader or of a server that forks."""
    text = """
    def right(k):
        return px.trace(lambda x: px.math.sin(x) + float(k), x=()).compile()(np.array(0.0)) == k

    over, count = threading.Event(), 0

    def compiling():
        global count
        while not over.is_set():
            count += 1
            assert right(count)

    thread = threading.Thread(target=compiling)
    thread.start()
    for k in range(6):
        time.sleep(0.02 + 0.003 * k)
        assert in_child(lambda: right(-k))
    over.set()
    thread.join()
    assert right(0.5)  # the parent goes on as well
    print("done" if count > 1 else "nothing was compiled meanwhile")
    """
    assert forked(text) == ["done"]


def test_a_child_finds_locks_free_that_threads_held():
    text = """
    from functools import cached_property
    from paraxis.targets.exclusive import exclusive
    from paraxis.kinematics.rounds import Rounds

    lock, held, over = exclusive(), threading.Event(), threading.Event()
    made = vars(Rounds)["kernel"]  # before Python 3.12 it has a lock for all objects
    assert isinstance(made, cached_property)

    def holding():
        with lock:
            if hasattr(made, "lock"):
                made.lock.acquire()
            held.set()
            over.wait()

    thread = threading.Thread(target=holding, daemon=True)
    thread.start()
    held.wait()
    assert lock.locked()
    free = lambda: lock.acquire(False) and (not hasattr(made, "lock") or made.lock.acquire(False))
    assert in_child(free) and not free()
    print("done")
    """
    assert forked(text) == ["done"]


def test_a_child_forked_while_a_thread_imports_can_import():
    """px.simulate and others are imported when first asked for."""
    text = """
    for asked, pause in ((lambda: px.simulate, 0.002), (lambda: px.control.closed_loop, 0.02)):
        threading.Thread(target=asked).start()
        time.sleep(pause)
        print(in_child(lambda: callable(asked())))
    """
    assert forked(text) == ["True", "True"]
