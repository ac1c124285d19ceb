"""A clock for native code: whole ticks that never go back, the same on all cores."""

import ctypes
import sys

MONOTONIC = 6 if sys.platform == "darwin" else 1  # as <time.h> numbers it


def define_now(module):
    """Add `i64 @now()`: ticks since some moment in the past."""
    module.define("now", _COUNTER if sys.platform == "win32" else _POSIX)


def ticks_a_second():
    if sys.platform != "win32":
        return 10**9
    found = ctypes.c_int64()
    ctypes.windll.kernel32.QueryPerformanceFrequency(ctypes.byref(found))
    return found.value


_POSIX = f"""
declare i32 @clock_gettime(i32, ptr)
define internal i64 @now() nounwind {{
  %time = alloca [2 x i64], align 8
  %ok = call i32 @clock_gettime(i32 {MONOTONIC}, ptr %time)
  %seconds = load i64, ptr %time, align 8
  %rest.at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest.at, align 8
  %whole = mul i64 %seconds, 1000000000
  %ticks = add i64 %whole, %rest
  ret i64 %ticks
}}"""

_COUNTER = """
declare i32 @QueryPerformanceCounter(ptr)
define internal i64 @now() nounwind {
  %count = alloca i64, align 8
  %ok = call i32 @QueryPerformanceCounter(ptr %count)
  %ticks = load i64, ptr %count, align 8
  ret i64 %ticks
}"""
