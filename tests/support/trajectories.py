"""Trajectories of every kind."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import paraxis as px
from paraxis.trajectories.polyline import rotation

UR5 = px.load("ur5")
HOME = np.array([0.3, -1.0, 1.2, -0.4, 0.9, 0.1])
AWAY = np.array([-0.5, -0.2, 0.4, 0.8, 1.5, -1.0])
EFFORT = np.array([joint.max_effort for joint in UR5.joints])
SPEED = np.array([joint.max_velocity for joint in UR5.joints])

numbers = st.floats(-3, 3).map(lambda x: round(x, 3))


def vectors(n):
    return st.lists(numbers, min_size=n, max_size=n).map(np.array)


def pose_at(q, move=(0, 0, 0), turn=(0, 0, 0), robot=UR5):
    """The pose of the tool at q, moved along the world's axes and turned about its own."""
    pose = px.forward_kinematics(robot, q)
    pose[:3, 3] += move
    pose[:3, :3] = pose[:3, :3] @ rotation(np.array(turn, float))
    return pose


NEAR = pose_at(HOME, (-0.2, 0.1, -0.1), (0.5, 0.6, -0.7))
FAR = pose_at(HOME, (-0.1, 0.1, -0.3), (0.2, 0.9, -0.9))


def with_losses():
    """The UR5 with friction in its joints and gears."""
    gear = px.robots.Transmission(ratio=100, efficiency=((0.1, 0.5), (0.6, 0.8)), torque_limit=150)
    friction = px.robots.Friction(viscous=2.0, coulomb=3.0)
    joints = [
        replace(j, friction=friction, transmission=replace(gear, torque_limit=j.max_effort))
        for j in UR5.joints
    ]
    return replace(UR5, joints=tuple(joints), warn=False)


MADE = {
    "quintic": lambda: px.trajectories.quintic(HOME, AWAY, 2.0),
    "quintic_moving": lambda: px.trajectories.quintic(
        HOME, AWAY, 2.0, qd0=0.4, qd1=-1.0, qdd0=AWAY, qdd1=2.0
    ),
    "trapezoidal": lambda: px.trajectories.trapezoidal(HOME, AWAY, 0.9, 2.0),
    "triangular": lambda: px.trajectories.trapezoidal(HOME, AWAY, 9.0, 2.0),
    "via_points": lambda: px.trajectories.via_points(
        [HOME, AWAY, 0.5 * HOME, HOME], [0, 1, 1.3, 3]
    ),
    "line": lambda: px.trajectories.cartesian_line(UR5, HOME, NEAR, duration=1.5),
    "stops": lambda: px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR], max_velocity=0.4, max_acceleration=1.0
    ),
    "blends": lambda: px.trajectories.cartesian_via_points(
        UR5, HOME, [NEAR, FAR], blend=0.05, duration=2.0
    ),
    "fastest": lambda: px.trajectories.quintic(HOME, AWAY, 1.0).fastest(UR5),
}


positive = st.floats(0.05, 20)
