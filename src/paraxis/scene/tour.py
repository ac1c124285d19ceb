"""A tour of a robot: each joint in turn moves to either side and back, the others stand still."""

import numpy as np

from ..robots.joint import REVOLUTE, SINGLE

MOST_JOINTS = 60
SECONDS, RATE = 1.6, 10  # per joint; moments per second, between which pages interpolate
TURN, SLIDE = 0.6, 0.15  # rad, and of the robot's size


def tour_of(robot, q, size):
    """(t, positions (moments, nq), the joint that moves in each moment); None if none can alone.

    Joints that follow others go with them; those of closed loops cannot move alone.
    """
    places, k = [], 0
    for i, joint in enumerate(robot.joints):
        if joint.nq == 1 and joint.kind in (*SINGLE, "helical"):
            places.append((i, k))
        k += joint.nq
    if not places or len(places) > MOST_JOINTS or robot.loops:
        return None
    each = int(SECONDS * RATE)
    wave = np.sin(2.0 * np.pi * np.arange(each) / each)
    path = np.tile(np.asarray(q, float), (len(places) * each + 1, 1))
    moving = np.empty(len(path), int)
    moving[-1] = places[-1][0]
    for turn, (i, k) in enumerate(places):
        far = SLIDE * size if robot.joints[i].kind not in REVOLUTE else TURN
        room = [min(far, max(side, 0.0)) for side in (robot.upper[k] - q[k], q[k] - robot.lower[k])]
        rows = slice(turn * each, (turn + 1) * each)
        path[rows, k] = q[k] + np.where(wave > 0, room[0], room[1]) * wave
        moving[rows] = i
    return np.arange(len(path)) / RATE, path, moving
