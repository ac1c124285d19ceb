"""What the times were measured on, without naming the machine."""

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def machine() -> dict:
    """Processor, memory, versions, and the day."""
    info = {}
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        info = {a.strip(): b.strip() for a, _, b in (line.partition(":") for line in lines)}
    versions = {}
    packages = "paraxis", "numpy", "pin", "casadi", "crocoddyl", "mujoco", "llvmlite"
    packages += ("example-robot-data",)
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True)
    return {
        "date": date.today().isoformat(),
        "cpu": info.get("model name", platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "flags": [f for f in ("avx512f", "avx2", "fma") if f in info.get("flags", "").split()],
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "gcc": gcc.stdout.strip(),
        **versions,
    }
