"""Accelerations under which losses and motion agree, by Newton's method in a straight line:

    M q̈ + bias = net torque (rate, resistance(q̈)),   rate = q̇ + dt q̈, or q̇ where there is no dt

The resistance of bearings, which feel reactions, needs a recursion; rates need none. So there are
rounds: at the start of each, bearings are made linear in q̈; then the rates follow in some steps,
each of them one small linear system. What bearings take in the end, other than was assumed, is
missing.

Friction is concave in a rate on either side of zero, and steepest there. So a tangent far from zero
may lead through it, where the next one would lead back; a joint's rate that would pass zero
therefore stops there, and from there tangents lead outward without going too far.
"""

from functools import partial

from .. import api
from ..physics.linear.elimination import solve_linear
from ..physics.parts.massless import require_inertia
from ..physics.parts.torque_sizes import torque_sizes
from ..robot_functions import MATTERS
from ..robots.model import Model
from ..robots.rows import rows_of
from ..robots.scales import SMALLEST
from ..scalar import equal, less, maximum, minimum, select, sign

# Rounds leave about 1e-12 of what bearings take, if they are far from jamming.
ROUNDS = 4  # where rates are given: each needs one step
ROUNDS_WITH_RATES, STEPS = 3, 4  # where rates are sought, too
STEPS_WITHOUT_BEARINGS = 7  # in one round; few joints in the step in which they stop need as many
BESIDE_REST = 1e-9  # of the smoothing: gears lose by |direction|, whose slope is none at rest


def balanced(losses, q, qd, motor, dt, beside, given):
    """The accelerations, and the missing torque, relative to the parts that make up a torque.

    `beside`: torques at the joints that pass no transmission."""
    robot, driving = losses.robot, losses.driving(motor)
    rounds, steps = (ROUNDS, 1) if dt is None else (ROUNDS_WITH_RATES, STEPS)
    if not losses.feels_reactions:
        rounds, steps = 1, STEPS_WITHOUT_BEARINGS
    of_masses = {name: given[name] for name in given if name in MATTERS["mass_matrix"]}
    M = api.mass_matrix(robot, q, **of_masses)
    bias = api.inverse_dynamics(robot, q, qd, [0.0] * robot.nv, **given)
    bias = [a - b for a, b in zip(bias, beside, strict=True)]

    drag = losses.shared_drag() if dt is not None and losses.shared else None

    def improved(qdd, rate, taken, feels):
        """Accelerations after a step, when bearings take that much and feel q̈ by these slopes."""
        net, by_rate = losses.net_torques(rate, motor, taken)
        dynamic = plus(bias, times(M, qdd))
        slopes = [
            [m + direction * felt for m, felt in zip(*rows, strict=True)]
            for direction, *rows in zip(losses.directions(rate), M, feels, strict=True)
        ]
        for i in range(robot.nv) if dt is not None else ():
            # Where friction falls with the rate (Stribeck's) its slope would make the matrix
            # smaller, perhaps singular; without it a step is only shorter.
            slopes[i][i] = slopes[i][i] - dt * minimum(by_rate[i], 0.0)
            if drag is not None:
                slopes[i] = [a + dt * b for a, b in zip(slopes[i], drag[i], strict=True)]
        lacking = [a - b for a, b in zip(net, dynamic, strict=True)]
        return plus(
            qdd, solve_linear(slopes, lacking, partial(require_inertia, Model(rows_of(robot))))
        )

    qdd, rate = [0.0] * robot.nv, qd
    nearby = [BESIDE_REST * joint.friction.smoothing for joint in losses.joints]
    taken, feels = losses.resistances(q, qd, qdd, given)
    for _ in range(rounds):
        for _ in range(steps):
            before = qdd
            if dt is None:
                qdd = improved(qdd, rate, taken, feels)
            else:
                beside = [beside_rest(*each) for each in zip(rate, driving, nearby, strict=True)]
                free = improved(qdd, beside, taken, feels)
                qdd, rate = stopped_at_rest(qd, rate, free, dt)
            change = [a - b for a, b in zip(qdd, before, strict=True)]
            taken = plus(taken, times(feels, change))
        assumed = taken
        taken, feels = losses.resistances(q, qd, qdd, given)
    if not losses.feels_reactions:
        return qdd, 0.0
    model, worst = Model(rows_of(robot), given), 0.0
    sizes = torque_sizes(model, q, qd, model.rows_accelerations(qd, qdd))
    for i, direction in enumerate(losses.directions(rate)):
        size = maximum(sizes[i] + abs(driving[i]), SMALLEST)
        worst = maximum(abs(direction * (taken[i] - assumed[i])) / size, worst)
    return qdd, worst


def stopped_at_rest(qd, rate, qdd, dt):
    """Accelerations and the rates that they lead to, both of them to zero where that is passed."""
    accelerations, rates = [], []
    for start, old, acceleration in zip(qd, rate, qdd, strict=True):
        new = start + dt * acceleration
        passes = less(old * new, 0.0)
        accelerations.append(select(passes, -start / dt, acceleration))
        rates.append(select(passes, 0.0, new))
    return accelerations, rates


def beside_rest(rate, driving, nearby):
    """The rate, or at rest one that is next to it, on the steeper side: where the motor drives."""
    return select(equal(rate, 0.0), sign(driving) * nearby, rate)


def plus(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]


def times(matrix, x):
    return [sum((a * b for a, b in zip(row, x, strict=True)), 0.0) for row in matrix]
