"""What this CPU can do, less what PARAXIS_DISABLE_CPU_FEATURES turns off.

As NumPy's NPY_DISABLE_CPU_FEATURES: names as LLVM has them, in any case, separated by commas or
spaces. What needs a feature goes with it, so that "avx512f" leaves AVX2 and "sse3" leaves SSE2. For
tests, for measurements, and for results that are the same to the bit on machines that differ.
"""

import os
import re

from ...checks import did_you_mean
from ...errors import ArgumentError

VARIABLE = "PARAXIS_DISABLE_CPU_FEATURES"
# Every x86-64 CPU has these, and doubles are passed in registers of SSE2.
ALWAYS = frozenset(("64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"))
NEEDS = {
    "ssse3": ("sse3",),
    "sse4.1": ("ssse3",),
    "sse4.2": ("sse4.1",),
    "sse4a": ("sse3",),
    "avx": ("sse4.2",),
    "avx2": ("avx",),
    "f16c": ("avx",),
    "fma": ("avx",),
    "fma4": ("avx",),
    "xop": ("fma4",),
    "vaes": ("avx2",),
    "vpclmulqdq": ("avx",),
    "avx512f": ("avx2", "f16c", "fma"),
}


def _needs(name):
    """The features that one cannot be without, of those that are ever turned off."""
    if name in NEEDS:
        return NEEDS[name]
    if name.startswith("avx512"):
        return ("avx512f",)
    return ("avx2",) if name.startswith("avx") else ()


def wanted(found):
    """Name -> is it there and not turned off? `found` has what LLVM finds, {'avx2': True, ...}."""
    off = _turned_off(found)
    while more := {name for name in found if name not in off and off.intersection(_needs(name))}:
        off |= more
    return {name: present and name not in off for name, present in found.items()}


def _turned_off(known):
    """The features that the variable names."""
    names = {name.lower() for name in re.split(r"[\s,]+", os.environ.get(VARIABLE, "")) if name}
    for name in sorted(names):
        if name not in known:
            near = did_you_mean(name, known)
            raise ArgumentError(
                f"{VARIABLE}: LLVM does not know a feature {name!r} of this CPU{near}"
            )
        if name in ALWAYS:
            raise ArgumentError(
                f"{VARIABLE}: {name} cannot be turned off, as every x86-64 CPU has it; turn off "
                "'sse3' to use nothing beyond SSE2"
            )
    return names
