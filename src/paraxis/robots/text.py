"""Text from anyone's file: read within bounds, its numbers told from words."""

import math
import os
import re
from contextlib import contextmanager

from ..errors import RobotError

# Python's float() also takes "1_000", "infinity", "nan" and the digits of other scripts.
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def contents(path, kind, most):
    """The bytes of a file, of which no more than one beyond `most` are ever read."""
    try:
        with open(path, "rb") as file:
            return file.read(most + 1)
    except FileNotFoundError:
        raise RobotError(f"expected a {kind} file, found no file of that name") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        if os.path.isdir(path):
            raise RobotError(f"expected a {kind} file, found a directory") from None
        reason = getattr(error, "strerror", None) or error
        raise RobotError(f"expected a {kind} file, but it cannot be read: {reason}") from None


def number(word):
    """The finite number that `word` writes in decimal, or None when it writes none."""
    value = float(word) if NUMBER.fullmatch(word) else math.nan
    return value if math.isfinite(value) else None


@contextmanager
def naming(what):
    """Say, in front of any error within, what it is about."""
    try:
        yield
    except RobotError as error:
        raise RobotError(f"{what}: {error}") from None
