"""From what a user has, a file or a name, to a Robot."""

import os

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from .readers.urdf import read_urdf


def load(source, tip=None, drives=None):
    """A robot from a URDF file, given by its path, or a built-in one, given by its name.

    `tip` keeps only the joints between the root and that link, as `Robot.subchain` does: all others
    are locked at zero, their masses kept. `drives` is friction and
    transmissions as of `Robot.with_drives`: a mapping, or the path of a YAML file. When it is left
    out, `arm.urdf` is read with `arm.drives.yaml`, if that file lies beside it.
    """
    if not _is_name(source):
        drives = _beside(source) if drives is None else drives
        return read_urdf(source, tip=tip, drives=drives)
    from .zoo import ZOO  # here: a file needs none of the built-in robots

    if source not in ZOO:
        raise RobotError(
            f"robot: expected a built-in name ({listing(sorted(ZOO), most=100)}) or a path to a "
            f"URDF file, found {quoted(source)}{did_you_mean(source, ZOO)}"
        )
    robot = ZOO[source]()
    robot = robot if drives is None else robot.with_drives(drives)
    return robot if tip is None else robot.subchain(tip)


def _is_name(source):
    """Whether it cannot be a path: no folder, no suffix, and no file of that name."""
    if not isinstance(source, str):
        return False
    folder, name = os.path.split(source)
    return not folder and not os.path.splitext(name)[1] and not os.path.isfile(source)


def _beside(path):
    """The file of drives that belongs to a description, or None when there is none."""
    try:
        drives = os.path.splitext(os.fsdecode(path))[0] + ".drives.yaml"
    except TypeError:  # not a path, which its reader says better
        return None
    return drives if os.path.isfile(drives) else None
