"""A Robot from a file or a built-in name."""

import os
from collections.abc import Mapping
from os import PathLike

from .readers.urdf import read_urdf
from .robot import Robot
from .snapping import SNAP


def load(
    source: str | PathLike,
    tip: str | None = None,
    drives: Mapping[str, Mapping] | str | PathLike | None = None,
    snap: float = SNAP,
) -> Robot:
    """A robot from a URDF file, or a built-in one.

    **Arguments:**

    - `source`: the path of a URDF file; the name of a built-in robot such as "ur5"; or that of a
      robot of the package example-robot-data, such as "panda" or "g1", if it is installed.
    - `tip`: keep only the joints between the root and that link, as `Robot.subchain` does: all
      others are locked at zero, their masses kept.
    - `drives`: friction and transmissions, as for `Robot.with_drives`: a mapping, or the path of a
      YAML file. By default `arm.urdf` is read with `arm.drives.yaml`, if that file is in the same
      folder.
    - `snap`: an angle, rad. Orientations and axes that are nearer than this to a right angle, as
      those typed with few digits are (1.5708), become exact, which saves operations; 0 keeps all
      as they are. See `Robot.snapped`.

    **Returns:** a `px.Robot`. A warning, `px.RobotWarning`, lists what the file contains but has
    no effect, and bodies that cannot exist.

    **Raises:** `px.RobotError` if there is no such file or name, or the file is not valid.
    """
    if not _is_name(source):
        drives = _beside(source) if drives is None else drives
        return read_urdf(source, tip=tip, drives=drives, snap=snap)
    from .zoo import ZOO  # here: a file needs none of the built-in robots

    if source not in ZOO:
        from .by_name import path_of

        return load(path_of(source, ZOO), tip, drives, snap)
    robot = ZOO[str(source)]().snapped(snap)
    robot = robot if drives is None else robot.with_drives(drives)
    return robot if tip is None else robot.subchain(tip)


def _is_name(source):
    """Whether it cannot be a path: no folder, no suffix, and no file of that name."""
    if not isinstance(source, str):
        return False
    folder, name = os.path.split(source)
    return not folder and not os.path.splitext(name)[1] and not os.path.isfile(source)


def _beside(path):
    """The file of drives beside a description, or None if there is none."""
    try:
        drives = os.path.splitext(os.fsdecode(path))[0] + ".drives.yaml"
    except TypeError:  # not a path; its reader raises the error
        return None
    return drives if os.path.isfile(drives) else None
