"""Runs the test bench of a folder of Verilog with Icarus."""

import shlex
import shutil
import subprocess
from pathlib import Path

from ...errors import HardwareError, MissingPackageError

TOOLS = ("iverilog", "vvp")


def commands(name):
    """The commands that compile and run the test bench of a module, in the folder of both."""
    return (
        f"iverilog -g2005 -o {name}_test.vvp {name}.v {name}_test.v",
        f"vvp -N {name}_test.vvp",  # -N: exits with 1 if the test bench stops
    )


def is_installed():
    return all(map(shutil.which, TOOLS))


def run_test_bench(folder, name=None):
    """The last line printed by a test bench; an error if it does not pass.

    `name` is the name of the tested module; it may be left out if the folder has one test bench.
    """
    if not is_installed():
        raise MissingPackageError(
            "Icarus Verilog is not installed: the commands iverilog and vvp are needed; on Debian "
            "and Ubuntu, apt install iverilog"
        )
    folder = Path(folder)
    tested = _tested(folder)
    if name is None and len(tested) == 1:
        name = tested[0]
    if name not in tested:
        expected = "one test bench, or a name" if name is None else f"a test bench of {name}"
        raise HardwareError(f"{folder}: expected {expected}, found test benches of {tested}")
    for command in commands(name):
        done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True)
        said = (done.stdout + done.stderr).strip()
        if done.returncode:
            raise HardwareError(f"{command}: {said}")
    return said.splitlines()[-1]


def _tested(folder):
    """The modules with a test bench. Names may end in _test, so their own files must exist."""
    names = sorted(path.name.removesuffix("_test.v") for path in folder.glob("*_test.v"))
    return [name for name in names if (folder / f"{name}.v").exists()]
