"""Robots with joints of every kind, and states of them."""

import random

import numpy as np
from support.robots import random_inertia, random_pose

import paraxis as px
from paraxis.robots import Frame, Joint

KINDS = ("free", "spherical", "planar", "universal", "revolute", "prismatic")


def unit(rng):
    vector = np.array([rng.gauss(0, 1) for _ in range(3)])
    return tuple((vector / np.linalg.norm(vector)).tolist())


def robot_of(kinds, parents, seed, **options):
    """A robot with joints of these kinds, in random places."""
    rng = random.Random(seed)
    joints = []
    for k, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        axis = (0.0, 0.0, 1.0) if kind == "planar" else unit(rng)
        more = {}
        if kind == "universal":  # Pinocchio's axes are perpendicular
            second = np.cross(axis, unit(rng))
            more["second_axis"] = tuple((second / np.linalg.norm(second)).tolist())
        more["rotor_inertia"] = rng.choice((0.0, rng.uniform(0.1, 1.0)))
        joints.append(Joint(f"j{k}", kind, parent, random_pose(rng), axis, **more))
    bodies = [random_inertia(rng) for _ in kinds]
    frames = [Frame("tip", len(joints) - 1, random_pose(rng))]
    return px.Robot("joints", joints, bodies, frames, warn=False, **options)


def tree(seed):
    """A random tree with a joint of every kind, depth first."""
    rng = np.random.default_rng(seed)
    kinds, parents, path = rng.permutation(KINDS).tolist(), [-1], [0]
    for k in range(1, len(kinds)):
        del path[rng.integers(1, len(path) + 1) :]
        parents.append(path[-1])
        path.append(k)
    return robot_of(kinds, parents, seed)


def motion(robot, seed=0):
    """One state: a position with unit quaternions, velocities and torques."""
    rng = np.random.default_rng(seed)

    def somewhere():
        return px.integrate(robot, px.neutral(robot), rng.uniform(-1.2, 1.2, robot.nv))

    rates = ("qd", "qdd", "tau", "v")
    state = {name: rng.normal(size=robot.nv) for name in rates}
    return state | {"q": somewhere(), "q0": somewhere(), "q1": somewhere()}
