"""The machine that figures were measured on. It is described, never named: no host, no paths."""

import os
import platform
import subprocess

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from ..checks import shown
from ..targets.cpu import host, threads


def machine():
    """CPU, cores, vector width, memory and versions, by name."""
    memory = memory_bytes()
    return {
        "cpu": shown(_cpu()),
        "cores": threads.available(),
        "vector_bits": host.register_bits(),
        "memory_gib": round(memory / 2**30, 1) if memory else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": llvmlite.__version__,
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
    }


def lines(description):
    """The description as (what, value) pairs for people."""
    doubles = description["vector_bits"] // 64
    memory = description["memory_gib"]
    return [
        ("CPU", description["cpu"]),
        ("cores", f"{description['cores']} that this process may use"),
        ("vectors", f"{description['vector_bits']} bits: {doubles} doubles at a time"),
        ("memory", f"{memory:g} GiB" if memory else "unknown"),
        ("system", description["system"]),
        ("versions", ", ".join(f"{n} {description[n]}" for n in ("python", "numpy", "llvmlite"))),
    ]


def memory_bytes():
    """The memory of this machine, or None where the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _cpu():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    if platform.system() == "Darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
            return done.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    return platform.processor() or host.cpu_name()
