"""Drives: the friction and the transmission of a robot's joints, by the names of the joints.

In code they are {joint: {"friction": Friction(...), "transmission": Transmission(...)}}. A YAML
file has the same mapping under `joints`, with the arguments of these classes written out:

    joints:
      elbow:
        friction:
          viscous: 0.1
          coulomb: 0.5
          bearings:
            - journal: {coefficient: 0.1, radius: 0.02, length: 0.2}
            - thrust: {coefficient: 0.1, radius: 0.03}
        transmission: {ratio: 100, efficiency: [[0, 0.3], [1, 0.8]], torque_limit: 97.6}

A part that is named replaces the whole part that the robot had; one that is not stays.
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from .friction import BEARING_NAMES, BEARINGS, Friction
from .text import contents, naming
from .transmission import Transmission

PARTS = {"friction": Friction, "transmission": Transmission}
BEARING_KINDS = {name: kind for kind, name in BEARING_NAMES.items()}


def with_drives(robot, drives):
    """`robot` with the friction and transmissions that `drives`, a mapping or a path, names."""
    if isinstance(drives, Mapping):
        return _with_parts(robot, drives)
    try:
        path = os.fspath(drives)
    except TypeError:
        raise RobotError(
            "drives: expected a mapping of joints or the path of a YAML file, "
            f"found {type(drives).__name__}"
        ) from None
    with naming(quoted(path, most=300)):
        return _with_parts(robot, read_drives(path))


def read_drives(path):
    """The mapping under `joints` in a file."""
    from .yaml_text import MAX_BYTES, parse_yaml  # here: most robots need no YAML

    given = _mapping(parse_yaml(contents(path, "YAML", MAX_BYTES)), ("joints",))
    if not given:
        raise RobotError("expected the key 'joints', found none")
    return given["joints"]


def _with_parts(robot, drives):
    joints = {joint.name: joint for joint in robot.joints}
    for name, given in _mapping(drives, joints, "joints").items():
        with naming(f"joint {quoted(name)}"):
            given = _mapping(given, PARTS)
            parts = {key: _made(PARTS[key], part, key) for key, part in given.items()}
            joints[name] = replace(joints[name], **parts)
    return replace(robot, joints=tuple(joints.values()), warn=False)


def _made(kind, given, what):
    """`given` itself where it is a `kind`; otherwise the `kind` of the arguments that it maps."""
    if isinstance(given, kind):
        return given
    with naming(what):
        arguments = dict(_mapping(given, [each.name for each in fields(kind)]))
        for each in fields(kind):
            if each.default is MISSING and each.name not in arguments:
                raise RobotError(f"expected the key {each.name!r}, found none")
        if "bearings" in arguments:
            arguments["bearings"] = _bearings(arguments["bearings"])
    return kind(**arguments)


def _bearings(given):
    if not isinstance(given, list | tuple):
        raise RobotError(f"bearings: expected a list, found {quoted(given)}")
    return [_bearing(each, f"bearing {k}") for k, each in enumerate(given, start=1)]


def _bearing(given, what):
    if isinstance(given, BEARINGS):
        return given
    with naming(what):
        if len(_mapping(given, BEARING_KINDS)) != 1:
            raise RobotError(f"expected one of {listing([*BEARING_KINDS])}, found {len(given)}")
        ((name, arguments),) = given.items()
        return _made(BEARING_KINDS[name], arguments, name)


def _mapping(given, known, what="keys"):
    """`given`, when it is a mapping whose keys are known."""
    expected = f"{what} among {listing(list(known), most=100)}"
    if not isinstance(given, Mapping):
        found = "nothing" if given == "" else quoted(given)  # as of a YAML key without a value
        raise RobotError(f"expected a mapping with {expected}, found {found}")
    for key in given:
        if key not in known:
            raise RobotError(f"expected {expected}, found {quoted(key)}{did_you_mean(key, known)}")
    return given
