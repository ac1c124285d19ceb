"""A few threads that wait for native work. They are started once and cost microseconds to wake.

They wait in native code (targets/cpu/workers.py). So does the thread that gives them work: it
claims workers, wakes them, takes part and waits for them in a single native call, between whose
instructions no signal handler can raise. An interrupt therefore finds all of them at work, with
the caller in that call, or none. Caller and workers speak through memory of 64-bit words, in
blocks that share no cache line:

    workers | the functions that release and acquire a lock
    for each worker: busy | function | its argument | a lock to wake it | a lock it opens when done

A worker is never dismissed. It holds nothing of Python's, so it does not keep the process from
ending; a forked child begins without any.
"""

import ctypes
import os
import threading
from _thread import allocate_lock, start_new_thread

from ..own_thread import kept

MOST = 512  # workers
WORD, BLOCK = 8, 128  # bytes; a block is two lines, for some machines fetch lines in pairs
MEMBERS, RELEASE, ACQUIRE = range(3)  # words of the pool
BUSY, FUNCTION, ARGUMENT, START, DONE = range(5)  # words of a desk

# Python's C functions; those of its locks need no interpreter lock.
python = ctypes.PyDLL("python", handle=ctypes.pythonapi._handle)
python.PyThread_allocate_lock.restype = ctypes.c_void_p
python.PyThread_acquire_lock.argtypes = [ctypes.c_void_p, ctypes.c_int]


def available():
    """How many cores a call may use: those of this process, or its own thread's."""
    if kept():
        return 1
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


def address_of(function):
    """Of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value


def held_lock():
    """Who acquires it sleeps until somebody releases it."""
    lock = python.PyThread_allocate_lock()
    python.PyThread_acquire_lock(lock, 1)
    return lock


def aligned_words(count):
    """So many words at the boundary of a block, all zero, and the memory that they are in."""
    memory = ctypes.create_string_buffer(count * WORD + BLOCK)
    address = -(-ctypes.addressof(memory) // BLOCK) * BLOCK
    return (ctypes.c_int64 * count).from_address(address), memory


def begin_thread(life):
    """Start a thread that calls `life(enlisted)`; wait until that releases `enlisted`.

    Signal handlers run in the main thread only, so what a new thread does before that is never
    interrupted; the waiting may be, and the thread enlists all the same.
    """
    enlisted = allocate_lock()
    enlisted.acquire()
    start_new_thread(life, (enlisted,))
    enlisted.acquire()


class Workers:
    """`address` is that of the memory, which stays where it is."""

    def __init__(self):
        self._words, self._memory = aligned_words((1 + MOST) * BLOCK // WORD)
        self.address = ctypes.addressof(self._words)
        self._words[RELEASE] = address_of(python.PyThread_release_lock)
        self._words[ACQUIRE] = address_of(python.PyThread_acquire_lock)
        self.forget()

    def forget(self):
        """There are none, as in a forked child."""
        self._guard, self._words[MEMBERS] = threading.Lock(), 0
        for k in range(MOST):
            self._words[desk(k) + BUSY] = 1  # until somebody sits there

    def idle(self):
        """How many wait for work."""
        return sum(not self._words[desk(k) + BUSY] for k in range(self._words[MEMBERS]))

    def __len__(self):
        return self._words[MEMBERS]

    def hire(self, wanted, sit_down, work):
        """See that so many are idle, if others do not take them.

        `sit_down(desk)` and `work(pool, desk)` are what workers do, in native code.
        """

        def life(enlisted):
            try:
                with self._guard:
                    k = self._words[MEMBERS]
                    if k == MOST or self.idle() >= wanted:
                        return  # somebody else was quicker
                    words, at = self._words, desk(k)
                    words[at + START], words[at + DONE] = held_lock(), held_lock()
                    words[MEMBERS] = k + 1
                    place = self.address + at * WORD
                    sit_down(place)
            finally:
                enlisted.release()
            work(self.address, place)

        while self.idle() < min(wanted, MOST):
            begin_thread(life)


def desk(k):
    """The word at which the desk of worker k = 0, 1, ... begins."""
    return (1 + k) * BLOCK // WORD


workers = Workers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=workers.forget)
