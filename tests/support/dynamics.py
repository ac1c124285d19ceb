"""Torques by any algorithm, interpreted or on floats, and the poses of frames."""

from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

import paraxis as px
from paraxis.physics import ALGORITHMS, CHEAP
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model

NAMES = CHEAP  # the others are compared in physics/test_algorithms.py
seeds = st.integers(0, 2**32 - 1)  # for the states a random robot is tried in
choices = st.sampled_from((None, *NAMES))  # of an algorithm; None leaves it to `px.program`


@lru_cache(maxsize=64)
def program(robot, algorithm=None):
    return px.program(robot, algorithm=algorithm)


def torques(robot, q, qd, qdd, algorithm=None):
    """By the interpreter; without an algorithm, of the Program that `px` would compile."""
    return program(robot, algorithm).evaluate(q=q, qd=qd, qdd=qdd)


def recursion(robot, algorithm, q, qd, qdd):
    """By the algorithm itself, run on the scalars given, one state."""
    return ALGORITHMS["inverse_dynamics"][algorithm](Model(robot), q, qd, qdd)


def model_poses(robot, q):
    """The 4x4 pose of every body in the world, as `Model.transform` gives them."""
    model, poses = Model(robot), {WORLD: robot.base.matrix}
    for i, parent in model.outward:
        X, here = model.transform(i, q), np.eye(4)
        here[:3, :3] = [list(row) for row in X.turn.matrix()]
        here[:3, 3] = list(X.origin)
        poses[i] = poses[parent] @ here
    return poses


def frame_poses(robot, q):
    poses = model_poses(robot, q)
    return {frame.name: poses[frame.body] @ frame.pose.matrix for frame in robot.frames}
