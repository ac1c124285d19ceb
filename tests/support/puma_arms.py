"""Arms of six joints whose inverse kinematics has a closed form, described in many ways."""

import random

import numpy as np
from support.robots import RIGHT, random_pose

import paraxis as px
from paraxis.robots.joint import WORLD, Joint
from paraxis.robots.pose import Pose

LINK = (1.0, (0, 0, 0), (1, 1, 1))


def modified(a1=0.0, a2=0.43, a3=-0.02, d2=0.24, d3=-0.09, d4=0.43, zeros=(0.0,) * 6):
    rows = [
        (0, 0, 0.6, zeros[0]),
        (-RIGHT, a1, d2, zeros[1]),
        (0, a2, d3, zeros[2]),
        (RIGHT, a3, d4, zeros[3]),
        (-RIGHT, 0, 0, zeros[4]),
        (RIGHT, 0, 0.1, zeros[5]),
    ]
    return px.Robot.from_dh(rows, [LINK] * 6, name="modified", warn=False)


def standard(d6=0.05625):
    """The PUMA as Lee and Chang describe it: frames at the far ends of the links."""
    rows = [
        (-RIGHT, 0, 0, RIGHT),
        (0, 0.4318, 0.14909, 0),
        (RIGHT, -0.02032, 0, RIGHT),
        (-RIGHT, 0, 0.43307, 0),
        (RIGHT, 0, 0, 0),
        (0, 0, d6, 0),
    ]
    return px.Robot.from_dh(rows, [LINK] * 6, convention="standard", name="standard", warn=False)


def reframed(robot, rng):
    """The same arm as others might describe it: bodies framed anywhere on their axes, joints
    counted from elsewhere and the other way round, on another base, with another tool."""
    joints, frames, before = [], [], {WORLD: np.eye(4)}
    for i, joint in enumerate(robot.joints):
        own = random_pose(rng).matrix  # the new frame in the old one, on the joint's axis
        own[:3, 3] = rng.uniform(-1, 1) * np.array(joint.axis)
        zero = Pose.from_rpy((0, 0, 0), (0, 0, rng.uniform(-3, 3))).matrix
        seat = np.linalg.inv(before[joint.parent]) @ joint.placement.matrix @ zero @ own
        axis = rng.choice((-1, 1)) * own[:3, :3].T @ np.array(joint.axis)
        axis = tuple(axis / np.linalg.norm(axis))
        joints.append(Joint(joint.name, "revolute", joint.parent, Pose.from_matrix(seat), axis))
        before[i] = own
    frames = [px.robots.Frame("tool", robot.n - 1, random_pose(rng))]
    return px.Robot("reframed", joints, robot.inertias, frames, base=random_pose(rng), warn=False)


def random_member(seed):
    rng = random.Random(seed)
    lengths = {name: rng.choice((0.0, rng.uniform(-0.4, 0.4))) for name in ("a1", "a3", "d2", "d3")}
    lengths["d4"] = rng.choice((-1, 1)) * rng.uniform(0.2, 0.6)
    zeros = [rng.uniform(-3, 3) for _ in range(6)]
    return reframed(modified(a2=rng.uniform(0.2, 0.6), zeros=zeros, **lengths), rng)


MEMBERS = {
    "puma560": px.load("puma560"),
    "standard": standard(),
    "no offsets": modified(a3=0.0, d2=0.0, d3=0.0),
    "shoulder offset": modified(a1=0.35, a3=0.1, d2=0.0, d3=0.0),
    "other zeros": modified(zeros=(1, -2, 3, -0.5, 0.25, 2)),
    "elsewhere": px.load("puma560").with_base(Pose.from_rpy((1, 2, 3), (0.4, 0.5, 0.6))),
} | {f"random {seed}": random_member(seed) for seed in range(7)}

PUMA = MEMBERS["puma560"]
