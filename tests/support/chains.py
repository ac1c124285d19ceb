"""Chains of any length, their states, and how closely algorithms agree on them."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
from support.robots import random_axis, random_inertia, random_pose, states

import paraxis as px
from paraxis import Robot
from paraxis.robots import Inertia, Joint, Pose

FORWARD, INVERSE = "forward_dynamics", "inverse_dynamics"
FUNCTIONS = {FORWARD: px.forward_dynamics, INVERSE: px.inverse_dynamics}

DIGITS = {"odd_even_elimination": 1e-7}  # it forms differences of inertias; else:
ROUNDING = 1e-10
KINDS = {
    "revolute": ("revolute", "continuous"),
    "prismatic": ("prismatic",),
    "mixed": ("revolute", "prismatic", "continuous"),
}


@cache
def chain(n, kinds="mixed", rotors=True, reach=1.0, seed=0):
    """Any seats and axes, any inertias, any base; steps from joint to joint up to `reach`."""
    rng = random.Random(f"{n} {kinds} {rotors} {seed}")
    joints = []
    for i in range(n):
        pose = random_pose(rng)
        seat = replace(pose, translation=tuple(reach * x for x in pose.translation))
        kind, rotor = rng.choice(KINDS[kinds]), rng.uniform(0.01, 2.0) if rotors else 0.0
        joints.append(Joint(f"j{i}", kind, i - 1, seat, random_axis(rng), rotor_inertia=rotor))
    if kinds == "mixed" and n > 1:
        joints[0] = replace(joints[0], kind="revolute")
        joints[-1] = replace(joints[-1], kind="prismatic")
    bodies = [random_inertia(rng) for _ in range(n)]
    gravity = tuple(rng.uniform(-12, 12) for _ in range(3))
    return Robot("random", joints, bodies, (), gravity, random_pose(rng))


def long_chain(n, rotors=True):
    return chain(n, "mixed", rotors, reach=0.1)


def slow_states(robot, count, seed=0):
    """q, qd, qdd. Rates add up along a chain: these keep the far end from whirling."""
    q, qd, qdd = states(robot, count, seed)
    turns = np.array([joint.is_revolute for joint in robot.joints])
    slow = np.sqrt(robot.n)
    return np.where(turns, q, 0.1 * q), qd / slow, qdd / slow


def universal_joints(n, first):
    """A chain of which every other link has no mass, from the `first` on."""
    robot = chain(n, "revolute", rotors=False)
    across = Pose.from_rpy((0.1, 0.0, 0.0), (np.pi / 2, 0.0, 0.3))
    bodies = [
        Inertia() if i % 2 == first and i < n - 1 else body for i, body in enumerate(robot.inertias)
    ]
    joints = [replace(joint, placement=across, axis=(0.0, 0.0, 1.0)) for joint in robot.joints]
    return replace(robot, joints=tuple(joints), inertias=tuple(bodies), warn=False)
