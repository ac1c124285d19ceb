"""The chains that are counted, and what an algorithm costs for them."""

from dataclasses import replace
from functools import cache

from paraxis import program
from paraxis.robots import chain

from ..counts.plain_count import general_chain

EQUAL, GENERAL, ROTORS = "equal links", "general links", "general links, rotors"
SOME_INERTIA = 0.01  # of a rotor; any that is not zero costs the same


@cache
def robot_of(kind, n):
    """n revolute links: all alike and full of zeros, or with no number zero; with rotors or not."""
    if kind == EQUAL:
        return chain(n)
    robot = general_chain(["revolute"] * n)
    if kind == GENERAL:
        return robot
    joints = [replace(joint, rotor_inertia=SOME_INERTIA) for joint in robot.joints]
    return replace(robot, joints=joints, warn=False)


@cache
def traced(kind, n, algorithm, function="forward_dynamics"):
    """The Program of a function of such a chain."""
    return program(robot_of(kind, n), function, algorithm)


def flops(*which):
    """All flops of a Program."""
    return traced(*which).count().flops


@cache
def depth(*which):
    """Those that wait for one another, sums balanced."""
    return traced(*which).depth().flops
