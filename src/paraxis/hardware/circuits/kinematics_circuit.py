"""The inverse kinematics of the PUMA family as a circuit: Lee and Chang 1988, section 2.2."""

import math

from ...api import forward_kinematics
from ...errors import ArgumentError
from ...graph.trace import trace
from ...physics.inverse_kinematics.puma import joint_angles
from ...robots.puma_geometry import puma_geometry
from ...robots.refusals import single_joints
from ...robots.robot import Robot, check_frame_name
from ..tasks.decompose import decompose
from ..tasks.tasks import Input
from .circuit import NEAR, Circuit

SIGNS = (1, -1)


def inverse_kinematics_circuit(
    robot: Robot,
    arm: int = 1,
    elbow: int = 1,
    wrist: int = 1,
    frame: str | None = None,
    word: int = 24,
    iterations: int | None = None,
    near: float = NEAR,
) -> Circuit:
    """Return the Circuit that computes joint positions `q` from poses, `(4, 4)`, of a frame.

    **Arguments:**

    - `robot`: a `px.Robot` of the PUMA family.
    - `arm`, `elbow`, `wrist`: 1 or -1; which of the eight solutions of
      `px.kinematics.inverse_kinematics_solutions`.
    - `frame`: the name of a frame; by default the tool.
    - `word`: the number of bits of all words.
    - `iterations`: clocks per stage; by default `word`.
    - `near`: poses where a length that determines an angle is below `near` times its largest
      possible value are invalid, and so are poses out of reach.

    **Returns:** a `px.hardware.Circuit`.

    **Raises:** `px.RobotError` if the robot is not of the PUMA family.

    **Example:**

    >>> puma = px.load("puma560")
    >>> circuit = px.hardware.inverse_kinematics_circuit(puma)
    >>> circuit.stages, circuit.iterations
    (12, 24)
    >>> pose = px.forward_kinematics(puma, [0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
    >>> found = circuit(pose)
    >>> bool(found.valid), px.forward_kinematics(puma, found.q)[:3, 3] - pose[:3, 3]  # m
    (True, array([-0., -0.,  0.]))
    """
    geometry = family_geometry(robot, frame)
    tasks = inverse_kinematics_tasks(robot, arm, elbow, wrist, frame)
    ranges, lengths = _workspace(geometry)

    def sample(rng, count):
        q = rng.uniform(-math.pi, math.pi, (count, robot.n))
        return {"pose": forward_kinematics(robot, q, frame=frame)}

    place = robot.tool().name if frame is None else frame
    notes = (
        f"Robot {robot.name}: joint positions q, in rad, for poses of frame {place} in the world, "
        "with lengths in m. Rows and columns of a pose count from 0; its axes must be of length "
        "one and at right angles; neither this nor joint limits are checked.",
        f"The solution, of eight, with arm {arm}, elbow {elbow} and wrist {wrist}.",
        f"Invalid: out of reach, or within {near} of a singularity.",
    )
    return Circuit(tasks, ranges, word, iterations, near, lengths, sample=sample, notes=notes)


def inverse_kinematics_tasks(robot, arm=1, elbow=1, wrist=1, frame=None):
    """The CORDIC tasks of this solution."""
    geometry = family_geometry(robot, frame)
    signs = {"arm": arm, "elbow": elbow, "wrist": wrist}
    for name, sign in signs.items():
        if sign not in SIGNS:
            raise ArgumentError(f"{name}: expected 1 or -1, found {sign!r}")

    def inverse_kinematics(pose):
        return {"q": geometry.positions(joint_angles(geometry, pose, arm, elbow, wrist))}

    others = [name for name, sign in signs.items() if sign < 0]
    name = "_other_".join([f"{robot.name}_inverse_kinematics", *others])
    return decompose(trace(inverse_kinematics, {"pose": (4, 4)}, name))


def family_geometry(robot, frame):
    """The dimensions of an arm of the PUMA family; a RobotError if it is not one."""
    single_joints(robot, "a circuit")
    check_frame_name(frame)
    return puma_geometry(robot, robot.tool() if frame is None else robot.frame(frame))


def _workspace(geometry):
    """The ranges of a pose's entries, and the lengths of its columns."""
    reach = math.hypot(abs(geometry.a1) + geometry.a2 + geometry.forearm, geometry.d2)
    tool = math.hypot(*geometry.tool.translation)
    ranges, lengths = {}, []
    for column in range(3):
        entries = [Input("pose", 4 * row + column) for row in range(3)]
        ranges |= dict.fromkeys(entries, (-1.0, 1.0))
        lengths.append((entries, 1.0))
    position = [Input("pose", 4 * row + 3) for row in range(3)]
    for entry, middle in zip(position, geometry.base.translation, strict=True):
        ranges[entry] = (middle - reach - tool, middle + reach + tool)
    if not any(geometry.base.translation):
        lengths.append((position, reach + tool))
    return ranges, lengths
