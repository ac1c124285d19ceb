"""MJCF, MuJoCo's own format, read through MuJoCo's own compiler: it means what MuJoCo makes of it.

The compiler reads what a file includes and the assets that it names. What it objects to becomes a
RobotError with its words; what it warns of becomes a RobotWarning, instead of a file of its own in
the current folder.
"""

import os
import threading
from contextlib import contextmanager

from ...checks import shown
from ...errors import RobotError
from ..check import warn_of
from ..text import contents
from .compiled import mujoco_package
from .mujoco_model import from_mujoco
from .xml_text import MAX_BYTES

MOST = 500  # characters of the compiler's words

_lock = threading.Lock()  # MuJoCo has one handler of warnings for all threads


def read_mjcf(path, **options):
    """The Robot of an MJCF file; options as for `from_mujoco`."""
    mujoco = mujoco_package()
    path = os.fsdecode(path)
    _check(contents(path, "MJCF", MAX_BYTES), b"\0")
    return _read(mujoco, mujoco.MjModel.from_xml_path, path, options)


def parse_mjcf(text, **options):
    """The Robot of MJCF given as text; files that it names are sought in the current folder."""
    mujoco = mujoco_package()
    _check(text, "\0")
    return _read(mujoco, mujoco.MjModel.from_xml_string, text, options)


def _check(text, nul):
    if len(text) > MAX_BYTES:
        raise RobotError(f"MJCF: expected at most {MAX_BYTES // 2**20} MB, found more")
    if nul in text:  # where the compiler would stop, and not say so
        raise RobotError("MJCF: expected text, found a NUL character")


def _read(mujoco, compiler, source, options):
    with _warnings_of(mujoco) as said:
        try:
            model = compiler(source)
        except (ValueError, TypeError, mujoco.FatalError, UnicodeError, MemoryError) as error:
            words = shown(" ".join(str(error).split()), MOST)
            raise RobotError(f"MuJoCo cannot compile it: {words}") from None
    warn_of("MuJoCo's compiler", [shown(" ".join(each.split()), MOST) for each in said])
    return from_mujoco(model, **options)


@contextmanager
def _warnings_of(mujoco):
    """A list of what MuJoCo warns of meanwhile."""
    with _lock:
        said, before = [], mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(said.append)
        try:
            yield said
        finally:
            mujoco.set_mju_user_warning(before)
