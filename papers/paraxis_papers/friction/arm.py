"""The arm of the thesis's case study: three links of a PUMA 560 (programs D.1.2 and D.1.3).

The two programs do not agree on how far the wrist stands off the first axis: 0.1501 m in the
dynamics, 0.127 m in the kinematics. As in the thesis, each is used where it stands there. Nor do
they agree on where on link 3 the wrist is: D.1.2 has it, and the mass of the forearm, along -y,
D.1.3 along +y. Here it is along -y, and state.py says what comes of taking them as they stand.
"""

import math
from dataclasses import replace

from paraxis import Robot
from paraxis.robots import Frame, Friction, JournalBearing, Pose, Transmission

from ..printed import printed

SHOULDER, REACH = 0.2435, 0.4318  # d2; and a2, which is also the length of the forearm


def arm(offset, curve=None, length=None):
    """The arm whose wrist stands `offset` off the first axis, with losses if these are given.

    `curve` is the efficiency of its transmissions over the load, `length` that of its bearings.
    """
    told = printed("dhanaraj")["case_study"]
    rows = [(0, 0, 0, 0), (-math.pi / 2, 0, SHOULDER, 0), (0, REACH, offset - SHOULDER, 0)]
    links = list(zip(told["mass"], told["com"], told["inertia"], strict=True))
    gravity = (0, 0, -told["gravity"])
    robot = Robot.from_dh(rows, links, name="puma_case_study", gravity=gravity, warn=False)
    wrist = Frame("wrist", 2, Pose(translation=(0, -REACH, 0)))
    joints = robot.joints
    if curve is not None:
        joints = [_with_losses(joint, i, told, curve, length) for i, joint in enumerate(joints)]
    return replace(robot, joints=joints, frames=(wrist,), warn=False)


def _with_losses(joint, i, told, curve, length):
    bearing = JournalBearing(told["coefficient"][i], told["radius"][i], length)
    limit, away = told["max_torque"][i], told["break_away"][i]
    drive = Transmission(efficiency=curve, break_away=away, torque_limit=limit)
    return replace(joint, friction=Friction(bearing), transmission=drive)
