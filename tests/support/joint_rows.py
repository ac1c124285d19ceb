"""Robots with joints of given kinds, one after another, in random places."""

import random

import numpy as np

import paraxis as px
from paraxis.robots import Coupling, Frame, Joint

from .robots import random_inertia, random_pose


def row_of(kinds, seed=0, coupled=False):
    """Joints of these kinds in a row; with a last one that follows the first revolute one."""
    rng, joints = random.Random(seed), []
    for k, kind in enumerate(kinds):
        axis = np.array([rng.gauss(0, 1) for _ in range(3)])
        axis = tuple((axis / np.linalg.norm(axis)).tolist())
        more = {"universal": {"second_axis": axis[::-1]}, "helical": {"pitch": 0.1}}
        joints.append(Joint(f"j{k}", kind, k - 1, random_pose(rng), axis, **more.get(kind, {})))
    if coupled:
        law = Coupling(f"j{kinds.index('revolute')}", (0.2, -1.5, 0.1))
        last = len(joints) - 1
        joints.append(Joint("follower", "revolute", last, random_pose(rng), coupling=law))
    bodies = [random_inertia(rng) for _ in joints]
    tip = Frame("tip", len(joints) - 1, random_pose(rng))
    return px.Robot("row", joints, bodies, [tip], warn=False)
