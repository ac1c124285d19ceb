"""The fewest flops of one processor for an arm whose tip is pinned, by the algorithms here.

A parallel plan should be compared with the best that one processor can do, and not only with its
own algorithm on one processor. For short arms that is the mass matrix, factored; for long ones
articulated bodies, whose inertias serve the motion without contact and the answers to three forces
at the tip. Both are traced for the arm at hand, and counted.
"""

from dataclasses import replace
from functools import cache

from paraxis import Contact, constrained_forward_dynamics
from paraxis import trace as program_of
from paraxis.graph.trace import trace
from paraxis.passes.count import count
from paraxis.physics import ALGORITHMS
from paraxis.physics.kinematics import forward_kinematics, jacobian
from paraxis.physics.linear.dense import dot
from paraxis.physics.linear.elimination import solve_linear
from paraxis.physics.spatial_newton_euler import base_acceleration
from paraxis.robots import Frame, Pose
from paraxis.robots.model import Model
from paraxis.spatial import Matrix, Vector, cross, cross_motion

from .chains import robot_of
from .forward_costs import BEST

INPUTS = ("q", "qd", "tau")
LINE = (6, 12)  # lengths from which on flops of articulated bodies are on a line
LONGEST = 16  # arms whose mass matrix is tried: its flops grow with the cube of the length
TIP = Pose.from_rpy((0.3, 0.4, 0.5), (0.6, 0.7, 0.8))
ARTICULATED, COMPOSITE = "articulated bodies", "mass matrix"


@cache
def pinned_arm(kind, n):
    """A chain of these links with a tip away from its last joint."""
    return replace(robot_of(kind, n), frames=[Frame("tip", n - 1, TIP)], warn=False)


def best_serial_flops(kind, n):
    """(flops, algorithm) of the cheapest."""
    found = {ARTICULATED: articulated_flops(kind, n)}
    if n <= LONGEST:
        found[COMPOSITE] = composite_flops(kind, n)
    return min((flops, name) for name, flops in found.items())


@cache
def composite_flops(kind, n):
    """By `px.constrained_forward_dynamics`, the cheapest way to bias forces included."""

    def run(q, qd, tau):
        return constrained_forward_dynamics(pinned_arm(kind, n), q, qd, tau, Contact.pinned()).qdd

    return program_of(run, **dict.fromkeys(INPUTS, n)).count().flops


def articulated_flops(kind, n):
    """By articulated bodies; exact, as flops are on a line."""
    short, long = LINE
    if n <= long:
        return _articulated_flops(kind, n)
    least, most = (_articulated_flops(kind, each) for each in LINE)
    return least + (n - short) * (most - least) // (long - short)


@cache
def _articulated_flops(kind, n):
    return articulated_flops_of(pinned_arm(kind, n))


def articulated_flops_of(robot):
    """Those of any chain, pinned at its tool."""
    run = by_articulated_bodies(robot)
    return count(trace(run, dict.fromkeys(INPUTS, (robot.n,)))).flops


def by_articulated_bodies(robot):
    """A function of q, qd and tau: the accelerations of the arm while its tip is pinned."""
    free_to_move = ALGORITHMS["forward_dynamics"][BEST]
    model = Model(robot)
    weightless = Model(replace(robot, gravity=(0.0, 0.0, 0.0), warn=False))
    tip, still = robot.tool(), [0.0] * robot.n

    def run(q, qd, tau):
        qdd = free_to_move(model, q, qd, tau)
        J = jacobian(model, q, tip, "world")[3:]
        answers = [free_to_move(weightless, q, still, row) for row in J]
        felt = [[dot(row, answer) for answer in answers] for row in J]
        force = solve_linear(felt, list(tip_acceleration(model, q, qd, qdd, tip)))
        for push, answer in zip(force, answers, strict=True):
            qdd = [own - push * change for own, change in zip(qdd, answer, strict=True)]
        return qdd

    return run


def tip_acceleration(model, q, qd, qdd, tip):
    """Of the frame's origin in the world. Written as forward dynamics is, so that a trace has most
    of it already."""
    v, a = model.base_velocity, base_acceleration(model)
    for i, _ in model.outward:
        S, X = model.subspace[i], model.transform(i, q)
        vj = S * qd[i]
        v = X @ v + vj
        a = X @ a + cross_motion(v, vj) + S * qdd[i]
    r = Vector(*tip.pose.translation)
    here = a.linear + cross(a.angular, r) + cross(v.angular, v.linear + cross(v.angular, r))
    body = replace(tip, pose=Pose())
    turn = Matrix(*(row[:3] for row in forward_kinematics(model, q, body)[:3]))
    return turn @ here + model.base_turn @ model.gravity
