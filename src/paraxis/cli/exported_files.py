"""A function of a robot as files to take away, which say of which robot they are."""

import re
from inspect import signature

from .. import api
from ..checks import did_you_mean, one_of
from ..errors import ArgumentError
from ..targets.source.files import LANGUAGES, write_files
from ..targets.source.text import LONGEST


def export(
    robot,
    function,
    language,
    folder,
    *,
    algorithm=None,
    parameters=(),
    frame=None,
    coordinates=None,
    dtype="float64",
    name=None,
    cpu=None,
):
    """Write the files of one function to `folder`; see `Program.export`.

    `algorithm`, `parameters`, `frame` and `coordinates` are as for `px.program`. `name` is the
    function's name in the source, by default made from those of robot and function.
    """
    program = api.program(robot, function, algorithm, parameters, frame, coordinates)
    name = name or _default_name(robot, function)
    return write_files(
        program.graph, language, folder, name, dtype, cpu, _notes(robot, algorithm, frame)
    )


CIRCUITS = ("inverse_kinematics", "inverse_dynamics")


def export_circuit(robot, function, folder, *, architecture, name=None, **options):
    """Write Verilog of one function of CIRCUITS to `folder`, with a test bench.

    `name` is the module's. The rest are what `px.hardware.inverse_kinematics_circuit` or
    `px.hardware.inverse_dynamics_circuit` take.
    """
    from .. import hardware

    one_of(function, CIRCUITS, "function in Verilog")
    make = getattr(hardware, f"{function}_circuit")
    known = signature(make).parameters
    for option in options:
        if option not in known:
            near = did_you_mean(option, known)
            raise ArgumentError(f"{option}: {function} has none to choose{near}")
    return make(robot, **options).export(folder, architecture, name=name)


def _default_name(robot, function):
    stem = re.sub(r"[^A-Za-z0-9]+", "_", robot.name).strip("_")
    if not stem[:1].isalpha():
        stem = f"robot_{stem}".rstrip("_")
    return f"{stem[: LONGEST - len(function) - 1]}_{function}"


def _notes(robot, algorithm, frame):
    """What the source says about the robot. Names may be anyone's: back ends make them harmless."""
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    about = "" if frame is None else f"; about its frame {_short(frame)}"
    joints = [f"  {i}  {_short(joint.name)}, {joint.kind}" for i, joint in enumerate(robot.joints)]
    return [
        f"The robot is {_short(robot.name)}, under gravity ({gravity}) m/s^2{about}. The algorithm "
        f"is {algorithm or 'the cheapest of all'}. Units are SI: positions in rad, or in m for "
        "prismatic joints; torques in N m, or forces in N. Spatial vectors are angular first.",
        ["Joints, numbered from 0 in the order of entries:", *joints],
    ]


def _short(name, most=60):
    return name if len(name) <= most else name[: most - 3] + "..."


__all__ = ["CIRCUITS", "LANGUAGES", "export", "export_circuit"]
