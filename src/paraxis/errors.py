"""All errors that Paraxis raises. Messages name the thing, what was expected, what was found."""

import sys
import warnings
from typing import Any


class ParaxisError(Exception):
    """Base of all errors raised by Paraxis."""


class RobotError(ParaxisError, ValueError):
    """A robot description that is not valid."""


class TraceError(ParaxisError, TypeError):
    """A function that cannot become a straight-line Program."""


class ProgramError(ParaxisError, ValueError):
    """A Program, or a request to a Program, that is not valid."""


class ArgumentError(ParaxisError, ValueError):
    """An argument of wrong shape, dtype, device or name."""


class TaskError(ParaxisError, ValueError):
    """Tasks with a cycle of dependencies or invalid times, or a file without tasks."""


class ScheduleError(ParaxisError, ValueError):
    """A schedule that breaks a rule of its tasks or of its processors."""


class HardwareError(ParaxisError, RuntimeError):
    """A circuit with wrong results, or a hardware tool that failed."""


class MissingPackageError(ParaxisError, ImportError):
    """An optional package is missing; the message names the extra that installs it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a call whose result so far is worth keeping: `partial` is that result.

    Like any KeyboardInterrupt it is not caught by `except Exception`, so it is no ParaxisError.
    """

    def __init__(self, message: str = "interrupted", partial: Any = None):
        super().__init__(message)
        self.partial = partial


class RobotWarning(UserWarning):
    """A robot that can be computed with but could not exist, or a description read incompletely."""


class SimulationWarning(UserWarning):
    """A simulation that continues, but perhaps not as the caller expects."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code that called Paraxis, from any depth inside it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
