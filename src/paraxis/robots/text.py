"""Text from untrusted files, read within bounds, and numbers in it."""

import math
import os
import re
from contextlib import contextmanager

from ..errors import RobotError

# Python's float() also takes "1_000", "infinity", "nan" and the digits of other scripts.
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def contents(path, kind, most):
    """The bytes of a file, at most one more than `most`."""
    try:
        with open(path, "rb") as file:
            return file.read(most + 1)
    except FileNotFoundError:
        raise RobotError(f"no such file; expected a {kind} file") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        if os.path.isdir(path):
            raise RobotError(f"is a directory; expected a {kind} file") from None
        reason = getattr(error, "strerror", None) or error
        raise RobotError(f"the {kind} file cannot be read: {reason}") from None


def number(word):
    """The finite decimal number that `word` is, or None."""
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    return value if math.isfinite(value) else None


@contextmanager
def naming(what):
    """Put `what` in front of the message of any error raised within."""
    try:
        yield
    except RobotError as error:
        raise RobotError(f"{what}: {error}") from None
