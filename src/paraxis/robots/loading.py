"""A Robot from a file, from text, from an object of another library, or a built-in name."""

import os
import re
from collections.abc import Mapping
from os import PathLike
from types import ModuleType
from typing import Any

from ..checks import one_of, quoted
from ..errors import RobotError
from .coupling import COUPLINGS
from .readers.urdf import parse_urdf, read_urdf
from .robot import Robot
from .snapping import SNAP
from .text import contents, naming

HEAD = 2**20  # bytes of a file within which its root element is
BEFORE_ROOT = re.compile(r"(?:[\s\ufeff]|<\?.*?\?>|<!--.*?-->)*+<([\w:.-]+)", re.S)


def load(
    source: str | PathLike | ModuleType | Any,
    tip: str | None = None,
    drives: Mapping[str, Mapping] | str | PathLike | None = None,
    floating_base: bool = False,
    couplings: str = "followed",
    snap: float = SNAP,
) -> Robot:
    """A robot from a description, or a built-in one.

    **Arguments:**

    - `source`: one of

      - the path of a URDF file, of an MJCF file (with MuJoCo installed: the extra `mjcf`), or of a
        `.xacro` file that becomes URDF (with xacrodoc installed);
      - the text of URDF or MJCF, which begins with "<";
      - the name of a built-in robot, such as "ur5"; of a robot of the package example-robot-data,
        such as "panda" or "g1", if it is installed; or of a module of `robot_descriptions`, such as
        "fr3_description", if that is installed and its files are in its cache already;
      - a module of `robot_descriptions`;
      - a `yourdfpy.URDF`.

      `px.robots.from_mujoco` and `px.robots.from_pinocchio` take the models of these libraries.
    - `tip`: keep only the joints between the root and that link, as `Robot.subchain` does: all
      others are locked at zero, their masses kept.
    - `drives`: friction and transmissions, as for `Robot.with_drives`: a mapping, or the path of a
      YAML file. By default `arm.urdf` is read with `arm.drives.yaml`, if that file is in the same
      folder.
    - `floating_base`: let the root link move freely, as `Robot.with_floating_base` does. By
      default it is fixed to the world.
    - `couplings`: "followed" if joints that a description ties to others (mimic joints, equalities
      of joints in MJCF) follow them and are no part of q, "independent" if they move by themselves.
    - `snap`: an angle, rad. Orientations and axes that are nearer than this to a right angle, as
      those typed with few digits are (1.5708), become exact, which saves operations; 0 keeps all
      as they are. See `Robot.snapped`.

    **Returns:** a `px.Robot`, whose `ignored` lists what was not read. A `px.RobotWarning` names
    what of it changes the motion, and bodies that cannot exist.

    **Raises:** `px.RobotError` if there is no such file or name, or the description is not valid;
    `px.MissingPackageError` if a package that it needs is not installed.

    **Example:**

    >>> robot = px.load("ur5")
    >>> robot
    <Robot ur5: 6 joints, a chain, 16.99 kg moving, gravity (0 0 -9.81) m/s²>
    >>> robot.joint_names[:3]
    ['shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint']
    >>> free = px.load("ur5", floating_base=True)
    >>> free.nq, free.nv
    (13, 12)
    """
    one_of(couplings, COUPLINGS, "couplings")
    options: dict[str, Any] = {"floating_base": floating_base, "couplings": couplings, "snap": snap}
    arguments = None
    if isinstance(source, ModuleType):
        from .readers.descriptions import path_of_module

        source, arguments = path_of_module(source)
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return _from_text(source, tip, drives, options)
    if _is_name(source):
        from .zoo import ZOO  # here: a file needs none of the built-in robots

        if source not in ZOO:
            from .by_name import source_of

            return load(source_of(source, ZOO), tip, drives, **options)
        return _finished(ZOO[str(source)]().snapped(snap), tip, drives, floating_base)
    if type(source).__module__.partition(".")[0] == "yourdfpy":
        from .readers.descriptions import text_of_yourdfpy

        with naming("yourdfpy.URDF"):
            return _from_text(text_of_yourdfpy(source), tip, drives, options)
    _refuse_models(source)
    drives = _beside(source) if drives is None else drives
    suffix = _suffix(source)
    if suffix == ".xacro":
        from .readers.descriptions import expanded

        with naming(quoted(os.fspath(source), most=300)):
            folder = os.path.dirname(os.fsdecode(source))
            return _from_text(expanded(source, arguments), tip, drives, options, folder)
    if suffix == ".mjcf" or (suffix is not None and _root_of_file(source) == "mujoco"):
        from .readers.mjcf import read_mjcf  # here: few robots are MJCF

        with naming(quoted(os.fspath(source), most=300)):
            robot = read_mjcf(source, floating_base=floating_base, couplings=couplings)
            return _finished(robot.snapped(snap), tip, drives)
    return read_urdf(source, tip=tip, drives=drives, **options)


def _from_text(text, tip, drives, options, folder=None):
    if _root(text) == "mujoco":
        from .readers.mjcf import parse_mjcf

        snap = options.pop("snap")
        return _finished(parse_mjcf(text, **options).snapped(snap), tip, drives)
    return parse_urdf(text, tip=tip, drives=drives, folder=folder, **options)


def _finished(robot, tip, drives, floating_base=False):
    if floating_base:
        robot = robot.with_floating_base()
    robot = robot if drives is None else robot.with_drives(drives)
    return robot if tip is None else robot.subchain(tip)


# -- what a source is ------------------------------------------------------------------------------


def _is_name(source):
    """Whether it cannot be a path: no folder, no suffix, and no file of that name."""
    if not isinstance(source, str):
        return False
    folder, name = os.path.split(source)
    return not folder and not os.path.splitext(name)[1] and not os.path.isfile(source)


def _refuse_models(source):
    """Raise for the models of other libraries, which have readers of their own."""
    for package, reader in (("mujoco", "from_mujoco"), ("pinocchio", "from_pinocchio")):
        if type(source).__module__.partition(".")[0] == package:
            found = type(source).__name__
            raise RobotError(
                f"robot: expected a description, found a {package} object, {found}; "
                f"px.robots.{reader} takes models"
            )


def _suffix(source):
    """The suffix of a path in lower case, or None if it is no path; its reader then says so."""
    try:
        return os.path.splitext(os.fsdecode(source))[1].lower()
    except TypeError:
        return None


def _root_of_file(path):
    """The tag of the root element of a file, or None if that is not clear."""
    try:
        head = contents(path, "URDF or MJCF", HEAD)
    except RobotError:  # which the file's reader raises with its own words
        return None
    return _root(head.decode("utf-8", errors="replace"))


def _root(text):
    """The tag of the root element; unlike a parser, whatever comments there are before it."""
    found = BEFORE_ROOT.match(text)
    return found[1] if found else None


def _beside(path):
    """The file of drives beside a description, or None if there is none."""
    try:
        drives = os.path.splitext(os.fsdecode(path))[0] + ".drives.yaml"
    except TypeError:  # not a path; its reader raises the error
        return None
    return drives if os.path.isfile(drives) else None
