"""Every error raised on purpose. Each names the thing, what was expected, what was found."""

import sys
import warnings


class ParaxisError(Exception):
    """Base of all errors raised by Paraxis."""


class RobotError(ParaxisError, ValueError):
    """A robot description that cannot be a robot."""


class TraceError(ParaxisError, TypeError):
    """A function that cannot become a straight-line Program."""


class ProgramError(ParaxisError, ValueError):
    """A Program, or a request to a Program, that makes no sense."""


class ArgumentError(ParaxisError, ValueError):
    """An argument of wrong shape, dtype, device or name."""


class TaskError(ParaxisError, ValueError):
    """Tasks that cannot be done in any order, or a file that holds none."""


class ScheduleError(ParaxisError, ValueError):
    """A schedule that breaks a rule of its tasks or of its processors."""


class HardwareError(ParaxisError, RuntimeError):
    """Hardware that does not do what it should, or a tool that could not work on it."""


class MissingPackageError(ParaxisError, ImportError):
    """An optional package that is needed for what was asked, and the extra that brings it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a call whose result so far is worth keeping: `partial` is that result.

    As any KeyboardInterrupt it passes by `except Exception`, so it is no ParaxisError.
    """

    def __init__(self, message="interrupted", partial=None):
        super().__init__(message)
        self.partial = partial


class RobotWarning(UserWarning):
    """A robot that can be computed with but could not be built."""


class SimulationWarning(UserWarning):
    """A simulation that goes on, but not as its caller may think."""


def warn(message, category):
    """Warn whoever called Paraxis, however deep in it this is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
