"""Python text run in a process of its own, on the package that is under test."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import paraxis

SOURCE = Path(paraxis.__file__).resolve().parent.parent  # the folder that `paraxis` is in


def environment(**changes):
    """The environment of a child process that imports the package from the same folder."""
    path = filter(None, (str(SOURCE), os.environ.get("PYTHONPATH")))
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)} | changes


def python(text, *arguments, before="", options=(), timeout=120, **changes):
    """Run a text, indented as it may be, to its end, `before` in front of it.

    `options` are Python's, `changes` are to the environment. Returns what subprocess.run returns.
    """
    return subprocess.run(
        [sys.executable, *options, "-c", before + textwrap.dedent(text), *map(str, arguments)],
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def script(text, *arguments, **options):
    """The output of a text that must run without an error. Arguments: as of `python`."""
    done = python(text, *arguments, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
