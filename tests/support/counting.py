"""What every soak test shares: its random numbers, its size, its limits, and the line it reports.

PARAXIS_SEED (default 0) chooses the random numbers, PARAXIS_SOAK (default 1) how much is tried: 10
tries ten times as many cases, and the first of them are the same ones. Every case has its own
random numbers, made from the seed, the name of the test and the number of the case, which a
failure names: a case can be repeated without those before it.
"""

import os
import random
import resource
import signal
from contextlib import contextmanager

from support.summary import SOAK

SEED = int(os.environ.get("PARAXIS_SEED", "0"))
SIZE = float(os.environ.get("PARAXIS_SOAK", "1"))


def scaled(count):
    """So many, times PARAXIS_SOAK."""
    return max(1, round(count * SIZE))


def source(*names):
    """Random numbers that depend on the seed and these names only."""
    return random.Random("/".join(map(str, (SEED, *names))))


@contextmanager
def case(*names):
    """Run one case on random numbers of its own; an error that leaves it names the case."""
    try:
        yield source(*names)
    except BaseException as error:
        error.add_note(f"soak case {'/'.join(map(str, names))}, PARAXIS_SEED={SEED}")
        raise


def report(record_property, count, what):
    """Add to a line of the summary: `1,572 checks of parameters as inputs`. None is a failure."""
    assert count > 0, f"0 {what}: nothing was tried"
    record_property(SOAK, (what, count))


class Hangs(BaseException):
    """Not an Exception, nor TimeoutError, which is an OSError: nothing under test may catch it."""


@contextmanager
def at_most(seconds):
    """A guard against what hangs: raise Hangs in the main thread after so many seconds."""

    def late(*_):
        raise Hangs(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def memory_within(megabytes):
    """Let the process ask for at most so much more address space: beyond, it gets MemoryError."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def resident_bytes():
    """The main memory that this process occupies now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()
