"""Native code on all threads of a team at once: the way to short jobs that share out their work.

Members of a team spin for a while after a job, so that the next one reaches them in less than a
microsecond; threads that sleep (workers.py) take some ten times as long to wake.
"""

import ctypes
from functools import cache

from . import host
from .parts import member
from .team import team
from .text.module import Module
from .text.team import define_job, define_member, define_waiting
from .threads import address_of
from .workers import run_together as run_on_workers


def run_together(function, job, processors, long=False):
    """Call the native `function(job)` on so many threads, this one among them; wait for all.

    long: the caller is a thread that ends with this job, and worth some microseconds to see that
    each stays on a core of its own.
    """
    if processors == 1:
        function(job)
        return
    team.ready(processors, member())
    if long:
        team.keep_apart(processors)
    if not _caller(processors)(address_of(function), job):  # another thread has the team
        run_on_workers(function, job, processors)


@cache
def _caller(processors):
    code = host.loaded(f"together {processors}", lambda: _source(processors))
    ctypes.c_void_p.from_address(code.global_address("team")).value = team.address
    return code.function("together", ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


def _source(processors):
    """The module with `i1 @together(ptr function, ptr job)`; false when the team is busy."""
    module = Module()
    define_waiting(module)
    module.define(
        "part",
        """
define internal void @part(ptr %array0, ptr %array1, i64 %job, ptr %team, ptr %frame) nounwind {
  call void %array0(ptr %array1)
  ret void
}""",
    )
    define_member(module, "member", "part", 2, 0, "double")
    define_job(module, "post", 2, ["member"] * (processors - 1), "part")
    module.define(
        "together",
        """
define zeroext i1 @together(ptr %function, ptr %job) nounwind {
  %done = call i1 @post(ptr %function, ptr %job, ptr null)
  ret i1 %done
}""",
    )
    return str(module)
