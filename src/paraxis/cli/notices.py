"""Warnings and errors of the library as commands print them: a line each, in their own words.

The library advises in Python. Where a command has an option for the same, its messages name that.
"""

import sys
import warnings
from contextlib import contextmanager

from .. import compiling
from ..checks import shown
from ..errors import RobotWarning, SimulationWarning

LONGEST = 2_000  # characters
WORDS = {  # what the library says -> what a command says
    "load it with floating_base=True": "give --floating-base",
    "in its px.robots.Friction": "in the file of --drives",
    " (run.failed_at)": "",
}


def in_words_of_commands(message):
    """A message of the library on one line, with options instead of arguments of Python."""
    text = str(message)
    for ours, theirs in WORDS.items():
        text = text.replace(ours, theirs)
    return shown(text, LONGEST)


@contextmanager
def notices():
    """Inside, warnings of the library are lines on stderr."""
    usual = warnings.showwarning

    def show(message, category, *place, **more):
        if issubclass(category, RobotWarning | SimulationWarning):
            print(f"paraxis: warning: {in_words_of_commands(message)}", file=sys.stderr)
        else:
            usual(message, category, *place, **more)

    compiling.hide_switch()
    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = usual
