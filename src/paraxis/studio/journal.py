"""What was done, as Python that does it again: kept as lines, and in a file as they come.

The file is begun with the first line, under a name that there is not yet, and every line is on the
disk before the next command. Whatever ends after that, browser or server, loses none of it.
"""

import os

from ..checks import shown
from ..errors import ArgumentError

HEAD = ("import numpy as np", "import paraxis as px", "")
MOST_FILES = 10_000


class Journal:
    """`lines` of Python; `path` of their file, None before there is one."""

    def __init__(self, folder=None, stem="studio"):
        self.folder = os.path.abspath(folder or os.getcwd())
        self.stem, self.lines, self.path = stem, [], None

    @property
    def text(self):
        return "\n".join([*HEAD, *self.lines, ""])

    def begin(self, *lines):
        """Lines to begin with, which are written once there are others."""
        self.lines += lines

    def add(self, *lines):
        """Keep lines, and write them to the file."""
        first = self.path is None
        self.lines += lines
        try:
            if first:
                self._begin()
            new = [*HEAD, *self.lines] if first else lines
            with open(self.path, "a", encoding="utf-8", newline="\n") as file:
                file.write("".join(f"{line}\n" for line in new))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ArgumentError(
                f"{shown(self.path or self.folder, 300)}: what was done cannot be saved: "
                f"{error.strerror}; copy it from the tab Python"
            ) from None

    def keep(self, text, ending):
        """Write a text beside the file, under a name of our own, which is returned."""
        try:
            if self.path is None:
                self._begin()
                with open(self.path, "a", encoding="utf-8", newline="\n") as file:
                    file.write("".join(f"{line}\n" for line in [*HEAD, *self.lines]))
            path = _new(os.path.splitext(self.path)[0], ending)
            with open(path, "wb") as file:
                file.write(text)
        except OSError as error:
            raise ArgumentError(
                f"{shown(self.folder, 300)}: the file cannot be kept: {error.strerror}"
            ) from None
        return os.path.basename(path)

    def _begin(self):
        self.path = _new(os.path.join(self.folder, self.stem), ".py")


def _new(start, ending):
    """A new, empty file: its name has the first number that is free."""
    for k in range(1, MOST_FILES):
        path = f"{start}-{k}{ending}"
        try:
            with open(path, "x"):  # never one that is there, nor where a link leads
                return path
        except FileExistsError:
            continue
    raise ArgumentError(f"{shown(start, 300)}: there are {MOST_FILES:,} files of that name")
