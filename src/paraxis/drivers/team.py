"""A team: threads that do the parts of one computation together with the thread that calls.

Members wait for work in native code (backends/llvm/team.py): spinning for some milliseconds, so
that a call costs a fraction of a microsecond, then asleep. The caller and they speak through
memory of 64-bit words, in blocks that share no cache line:

    team      busy | number of the last job | members | unsettled | yield | wake | sleep
    desk k    number of the job | its function | addresses of its arrays
              number of the job that is done
              asleep | the lock to sleep on

One job at a time: whoever sets `busy` has the team. A team is never taken apart. Its members are
daemons that hold nothing of Python's, so they do not keep the process from ending; a forked child
begins without any.
"""

import ctypes
import os
import sys
import threading
from contextlib import contextmanager, suppress

from .threads import available

MOST = 64  # processors, the caller among them
MOST_ARRAYS = 126
WORD, BLOCK = 8, 128  # bytes; a block is two lines, for some machines fetch lines in pairs
BUSY, JOB, MEMBERS, UNSETTLED, YIELD, WAKE, SLEEP = range(7)  # words of the team
FUNCTION, ARRAYS = 1, 2  # words of a desk, after the number of the job
DESK = (ARRAYS + MOST_ARRAYS) * WORD // BLOCK + 2  # blocks
DONE, ASLEEP = ((DESK - k) * BLOCK // WORD for k in (2, 1))
LOCK = ASLEEP + 1

_libc = None if sys.platform == "win32" else ctypes.CDLL(None)
# Python's C functions; those of its locks need no interpreter lock.
_python = ctypes.PyDLL("python", handle=ctypes.pythonapi._handle)
_python.PyThread_allocate_lock.restype = ctypes.c_void_p
_python.PyThread_acquire_lock.argtypes = [ctypes.c_void_p, ctypes.c_int]


def desk(k):
    """The word at which the desk of member k = 1, 2, ... begins."""
    return (1 + (k - 1) * DESK) * BLOCK // WORD


class Team:
    """`address` is that of its memory, which stays where it is."""

    def __init__(self):
        size = desk(MOST) * WORD
        self._memory = ctypes.create_string_buffer(size + BLOCK)
        self.address = -(-ctypes.addressof(self._memory) // BLOCK) * BLOCK
        self._words = (ctypes.c_int64 * (size // WORD)).from_address(self.address)
        for word, function in {
            YIELD: _libc.sched_yield if _libc else ctypes.WinDLL("kernel32").SwitchToThread,
            WAKE: _python.PyThread_release_lock,
            SLEEP: _python.PyThread_acquire_lock,
        }.items():
            self._words[word] = ctypes.cast(function, ctypes.c_void_p).value
        self.forget()

    def forget(self):
        """There are no members, as in a forked child, and nobody has the team."""
        self._guard, self._threads = threading.Lock(), []
        self._words[MEMBERS] = self._words[BUSY] = 0

    def ready(self, processors, work):
        """See that it is so many, the caller among them, each on a core of its own.

        `work(team, desk)` is what members do. A team is unsettled while there are not so many
        cores, and when somebody waited long: then two may be on one core.
        """
        with self._guard:
            words = self._words
            while words[MEMBERS] + 1 < processors:
                self._hire(words[MEMBERS] + 1, work)
                words[UNSETTLED] = 1
            if words[UNSETTLED]:
                threads = [thread.native_id for thread in self._threads]
                words[UNSETTLED] = _spread(threads) is None

    @contextmanager
    def apart(self, processors):
        """For a long job: the caller, too, stays on a core of its own, if there are so many.

        A short one is over before the system moves the caller to the core of a member.
        """
        with self._guard:
            taken = _spread([thread.native_id for thread in self._threads[: processors - 1]])
        with _off(taken):
            yield

    def _hire(self, k, work):
        words, at = self._words, desk(k)
        words[at + DONE] = words[at]
        words[at + ASLEEP], words[at + LOCK] = 0, _held_lock()
        given = self.address, self.address + at * WORD
        thread = threading.Thread(target=work, args=given, name="paraxis", daemon=True)
        thread.start()
        self._threads.append(thread)
        words[MEMBERS] = k


def _held_lock():
    """Who acquires it sleeps until somebody releases it."""
    lock = _python.PyThread_allocate_lock()
    _python.PyThread_acquire_lock(lock, 1)
    return lock


def _spread(threads):
    """Put threads on cores of their own, off the caller's: which; None if there are not so many."""
    if not hasattr(os, "sched_setaffinity"):
        return set() if len(threads) < available() else None
    cores, here = sorted(os.sched_getaffinity(0)), _libc.sched_getcpu()
    others = [core for core in cores if core > here] + [core for core in cores if core < here]
    enough = len(threads) <= len(others)
    for k, thread in enumerate(threads):
        with suppress(OSError):  # where that is forbidden, the system knows best
            os.sched_setaffinity(thread, {others[k]} if enough else cores)
    return set(others[: len(threads)]) if enough else None


@contextmanager
def _off(taken):
    """Keep the caller off these cores."""
    if not taken:
        yield
        return
    cores = os.sched_getaffinity(0)
    with suppress(OSError):
        os.sched_setaffinity(0, cores - taken)
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, cores)


team = Team()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=team.forget)
