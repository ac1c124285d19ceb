"""The C compiler of the system: the one that CC names, or the first that is found."""

import os
import shlex
import shutil
import subprocess

from ...errors import ArgumentError


def c_compiler() -> list[str] | None:
    """The words that call it, or None if there is none."""
    return shlex.split(os.environ.get("CC", "")) or next(
        ([found] for found in map(shutil.which, ("cc", "gcc", "clang")) if found), None
    )


def compile_c(words, compiler=None):
    """Call the compiler of the system, or another one, with these words."""
    command = [*(compiler or c_compiler() or ["cc"]), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise ArgumentError(f"{command[0]}: cannot be run: {error.strerror}") from None
    if done.returncode:
        raise ArgumentError(f"{shlex.join(command)}: {done.stderr.strip()}")
