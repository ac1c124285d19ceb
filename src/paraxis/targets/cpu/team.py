"""A team: threads that do the parts of one computation together with the thread that calls.

Members wait for work in native code (targets/cpu/text/team.py): spinning for some milliseconds, so
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
from contextlib import suppress

from .threads import (
    BLOCK,
    WORD,
    address_of,
    aligned_words,
    available,
    begin_thread,
    held_lock,
    python,
)

MOST = 64  # processors, the caller among them
MOST_ARRAYS = 126
BUSY, JOB, MEMBERS, UNSETTLED, YIELD, WAKE, SLEEP = range(7)  # words of the team
FUNCTION, ARRAYS = 1, 2  # words of a desk, after the number of the job
DESK = (ARRAYS + MOST_ARRAYS) * WORD // BLOCK + 2  # blocks
DONE, ASLEEP = ((DESK - k) * BLOCK // WORD for k in (2, 1))
LOCK = ASLEEP + 1

_libc = None if sys.platform == "win32" else ctypes.CDLL(None)


def desk(k):
    """The word at which the desk of member k = 1, 2, ... begins."""
    return (1 + (k - 1) * DESK) * BLOCK // WORD


class Team:
    """`address` is that of its memory, which stays where it is."""

    def __init__(self):
        self._words, self._memory = aligned_words(desk(MOST))
        self.address = ctypes.addressof(self._words)
        for word, function in {
            YIELD: _libc.sched_yield if _libc else ctypes.WinDLL("kernel32").SwitchToThread,
            WAKE: python.PyThread_release_lock,
            SLEEP: python.PyThread_acquire_lock,
        }.items():
            self._words[word] = address_of(function)
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
        words = self._words

        def life(enlisted):
            try:
                with self._guard:
                    k = words[MEMBERS] + 1
                    if k >= processors:
                        return  # somebody else was quicker
                    at = desk(k)
                    words[at + DONE] = words[at]
                    words[at + ASLEEP], words[at + LOCK] = 0, held_lock()
                    self._threads.append(threading.get_native_id())
                    words[UNSETTLED], words[MEMBERS] = 1, k
            finally:
                enlisted.release()
            work(self.address, self.address + at * WORD)

        while words[MEMBERS] + 1 < processors:
            begin_thread(life)
        if words[UNSETTLED]:
            words[UNSETTLED] = _spread(list(self._threads)) is None

    def keep_apart(self, processors):
        """For a long job on a thread that ends with it: that stays on a core of its own, too.

        A short one is over before the system moves the caller to the core of a member.
        """
        taken = _spread(self._threads[: processors - 1])
        if taken and hasattr(os, "sched_setaffinity"):
            with suppress(OSError):
                os.sched_setaffinity(0, os.sched_getaffinity(0) - taken)


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


team = Team()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=team.forget)
