"""Files that commands write; the path `-` stands for stdout."""

import json
import os

from ..checks import shown
from ..errors import ArgumentError


def check_writable(**paths):
    """Refuse paths that cannot be written, or two on stdout, before minutes are spent.

    paths: option -> path, or None where the option was not given.
    """
    if list(paths.values()).count("-") > 1:
        options = " and ".join(f"--{option}" for option, path in paths.items() if path == "-")
        raise ArgumentError(f"only one of {options} can write to stdout")
    for path in paths.values():
        if path in (None, "-"):
            continue
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path):
            raise ArgumentError(f"{shown(path, 300)} is a folder, not a file")
        if not os.path.isdir(folder):
            raise ArgumentError(f"{shown(path, 300)}: there is no folder {shown(folder, 300)}")
        if not os.access(folder, os.W_OK):
            raise ArgumentError(f"{shown(path, 300)}: cannot write a file of that name")


def check_folder(path):
    """Refuse a path that is a file, where files are to be written to a folder."""
    if os.path.isfile(path):
        raise ArgumentError(f"{shown(path, 300)} is a file, not a folder")


def write(path, text):
    """Write text to a file, or to stdout for `-`."""
    if path == "-":
        print(text, end="")
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{shown(path, 300)}: cannot be written: {reason}") from None


def write_json(path, figures):
    write(path, json.dumps(_finite(figures), indent=2) + "\n")


def _finite(value):
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if value != value or value in (float("inf"), -float("inf")) else value


def write_or_open(scene, terminal, path):
    """Write the page of a Scene; without a path, open it in a browser."""
    if path is None:
        scene.open()
        return
    write(path, scene.html)
    print_written(terminal, path)


def print_written(terminal, *paths):
    """Name the files that were written; None stands for one that was not asked for."""
    for path in paths:
        if path not in (None, "-"):
            terminal.print(f"  wrote {shown(path, 300)}", soft_wrap=True)
