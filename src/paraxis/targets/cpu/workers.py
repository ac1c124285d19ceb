"""Native code on several threads that share out a job: one native call begins, takes part, waits.

There is no moment between Python's instructions at which some thread works on the caller's arrays
and the caller could be interrupted (targets/cpu/threads.py).
"""

import ctypes
from functools import cache
from typing import NamedTuple

from . import host
from .text.job import lines
from .text.module import Module
from .threads import (
    ACQUIRE,
    ARGUMENT,
    BLOCK,
    BUSY,
    DONE,
    FUNCTION,
    MEMBERS,
    MOST,
    RELEASE,
    START,
    address_of,
    workers,
)


def run_together(function, job, threads):
    """Call the native `function(job)` on so many threads, this one among them; wait for all.

    It must share out the work by itself. A call that may be long is cut in pieces
    (targets/cpu/pieces.py), since it cannot be interrupted.
    """
    helpers = min(threads - 1, MOST)
    if not helpers:
        function(job)
        return
    native, address = _native(), address_of(function)
    while not native.together(workers.address, helpers, address, job):
        workers.hire(helpers, native.sit_down, native.work)


class Native(NamedTuple):
    together: object
    sit_down: object
    work: object


@cache
def _native():
    code = host.loaded("workers", _source)
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    return Native(
        code.function("together", ctypes.c_bool, pointer, number, pointer, pointer),
        code.function("sit_down", None, pointer),
        code.function("work", None, pointer, pointer),
    )


def _source():
    module = Module()
    module.define("sit_down", _sit_down())
    module.define("work", _work())
    module.define("together", _together())
    return str(module)


def _pool_function(name, word):
    return f"""  %{name}.at = getelementptr i64, ptr %pool, i64 {word}
  %{name} = load ptr, ptr %{name}.at, align 8"""


def _desk_word(name, word, desk="%desk"):
    return f"  %{name}.at = getelementptr i64, ptr {desk}, i64 {word}"


def _sit_down():
    """From now on the desk can be claimed; what was written there before is seen by then."""
    return f"""
define void @sit_down(ptr %desk) nounwind {{
{_desk_word("busy", BUSY)}
  store atomic i64 0, ptr %busy.at release, align 8
  ret void
}}"""


def _work():
    """The life of a worker: wait, call the function, say so."""
    loads = {"start": START, "done": DONE}
    return f"""
define void @work(ptr %pool, ptr %desk) nounwind {{
entry:
{_pool_function("release", RELEASE)}
{_pool_function("acquire", ACQUIRE)}
{lines(_desk_word(name, word) for name, word in loads.items())}
{lines(f"  %{name} = load ptr, ptr %{name}.at, align 8" for name in loads)}
{_desk_word("function", FUNCTION)}
{_desk_word("argument", ARGUMENT)}
  br label %next
next:
  %woken = call i32 %acquire(ptr %start, i32 1)
  %function = load ptr, ptr %function.at, align 8
  %argument = load ptr, ptr %argument.at, align 8
  call void %function(ptr %argument)
  call void %release(ptr %done)
  br label %next
}}"""


def _together():
    """`i1 @together(ptr pool, i64 helpers, ptr function, ptr job)`; false if not so many are idle.

    Nobody has begun then.
    """
    return f"""
define zeroext i1 @together(ptr %pool, i64 %helpers, ptr %function, ptr %job) nounwind {{
entry:
  %claimed = alloca [{MOST} x ptr], align 8
{_pool_function("release", RELEASE)}
{_pool_function("acquire", ACQUIRE)}
  %members.at = getelementptr i64, ptr %pool, i64 {MEMBERS}
  %members = load atomic i64, ptr %members.at acquire, align 8
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.next, %ask ], [ %k.next, %claim ]
  %got = phi i64 [ 0, %entry ], [ %got, %ask ], [ %got.next, %claim ]
  %enough = icmp uge i64 %got, %helpers
  br i1 %enough, label %wake, label %more
more:
  %some = icmp ult i64 %k, %members
  br i1 %some, label %ask, label %give.back
ask:
  %k.next = add i64 %k, 1
  %offset = mul i64 %k.next, {BLOCK}
  %desk = getelementptr i8, ptr %pool, i64 %offset
{_desk_word("busy", BUSY)}
  %pair = cmpxchg ptr %busy.at, i64 0, i64 1 acquire monotonic, align 8
  %free = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %free, label %claim, label %look
claim:
  %claim.at = getelementptr ptr, ptr %claimed, i64 %got
  store ptr %desk, ptr %claim.at, align 8
  %got.next = add i64 %got, 1
  br label %look

give.back:
  %g = phi i64 [ 0, %more ], [ %g.next, %given ]
  %all.given = icmp uge i64 %g, %got
  br i1 %all.given, label %refuse, label %given
given:
  %given.at = getelementptr ptr, ptr %claimed, i64 %g
  %given.desk = load ptr, ptr %given.at, align 8
{_desk_word("given.busy", BUSY, "%given.desk")}
  store atomic i64 0, ptr %given.busy.at release, align 8
  %g.next = add i64 %g, 1
  br label %give.back
refuse:
  ret i1 false

wake:
  %w = phi i64 [ 0, %look ], [ %w.next, %one ]
  %all.awake = icmp uge i64 %w, %helpers
  br i1 %all.awake, label %own, label %one
one:
  %one.at = getelementptr ptr, ptr %claimed, i64 %w
  %one.desk = load ptr, ptr %one.at, align 8
{_desk_word("function", FUNCTION, "%one.desk")}
  store ptr %function, ptr %function.at, align 8
{_desk_word("argument", ARGUMENT, "%one.desk")}
  store ptr %job, ptr %argument.at, align 8
{_desk_word("start", START, "%one.desk")}
  %start = load ptr, ptr %start.at, align 8
  call void %release(ptr %start)
  %w.next = add i64 %w, 1
  br label %wake

own:
  call void %function(ptr %job)
  br label %wait
wait:
  %d = phi i64 [ 0, %own ], [ %d.next, %each ]
  %all.done = icmp uge i64 %d, %helpers
  br i1 %all.done, label %over, label %each
each:
  %each.at = getelementptr ptr, ptr %claimed, i64 %d
  %each.desk = load ptr, ptr %each.at, align 8
{_desk_word("done", DONE, "%each.desk")}
  %done = load ptr, ptr %done.at, align 8
  %waited = call i32 %acquire(ptr %done, i32 1)
{_desk_word("each.busy", BUSY, "%each.desk")}
  store atomic i64 0, ptr %each.busy.at release, align 8
  %d.next = add i64 %d, 1
  br label %wait
over:
  ret i1 true
}}"""
