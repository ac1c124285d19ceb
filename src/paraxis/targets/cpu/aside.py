"""Long native calls on a thread of their own, so that Ctrl-C reaches whoever waits for them.

Python runs signal handlers in the main thread only, and only between its own instructions: a
native call of a minute holds them up for a minute. So the call goes to another thread, and the
main thread waits for it in small steps.

An interrupt ends the waiting, not the call. That one may go on for a while, so it must not touch
anything of the caller's: it owns what it works on, and its result is no longer read.
"""

import threading
from _thread import allocate_lock, start_new_thread

LOOK = 0.05  # seconds between looks; on Windows nothing else lets handlers run
ENOUGH_STACK = 1 << 21  # bytes: LLVM recurses deeply


def aside(call, stop=None):
    """`call()`, on another thread if this is the main one; `stop` as for `on_another_thread`."""
    if threading.current_thread() is not threading.main_thread() or _little_stack():
        return call()
    return on_another_thread(call, stop)


def on_another_thread(call, stop=None):
    """`call()`, on a thread that ends with it.

    Whatever interrupts the waiting is raised at once; `stop()` has then asked the call to end. It
    may come before the call has begun, so it must leave something that the call will find.
    """
    outcome, done = [], allocate_lock()
    done.acquire()

    def work():
        try:
            outcome.append((call(), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            done.release()

    try:
        start_new_thread(work, ())
        while not done.acquire(timeout=LOOK):
            pass
    except BaseException:
        if stop is not None:
            stop()
        raise
    result, error = outcome.pop()
    if error is not None:
        raise error
    return result


def _little_stack():
    """Has somebody asked for new threads with small stacks?"""
    return 0 < threading.stack_size() < ENOUGH_STACK
