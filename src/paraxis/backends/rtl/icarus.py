"""The test bench of a folder of Verilog, run by Icarus."""

import shlex
import shutil
import subprocess
from pathlib import Path

from ...errors import HardwareError, MissingPackageError

TOOLS = ("iverilog", "vvp")


def commands(name):
    """What compiles the test bench of a module and what runs it, in the folder of both."""
    return (
        f"iverilog -g2005 -o {name}_test.vvp {name}.v {name}_test.v",
        f"vvp -N {name}_test.vvp",  # -N: ends with 1 where the test bench stops
    )


def is_installed():
    return all(map(shutil.which, TOOLS))


def run_test_bench(folder):
    """The line with which the test bench in a folder ends; an error where it does not pass."""
    if not is_installed():
        raise MissingPackageError(
            "Icarus Verilog: expected the commands iverilog and vvp, found not both of them; "
            "they are in Debian's package iverilog"
        )
    folder = Path(folder)
    benches = sorted(folder.glob("*_test.v"))
    if len(benches) != 1:
        raise HardwareError(f"{folder}: expected one file *_test.v, found {len(benches)}")
    for command in commands(benches[0].name.removesuffix("_test.v")):
        done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True)
        said = (done.stdout + done.stderr).strip()
        if done.returncode:
            raise HardwareError(f"{command}: {said}")
    return said.splitlines()[-1]
