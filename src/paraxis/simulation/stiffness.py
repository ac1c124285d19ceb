"""Whether steps are short enough for the friction of joints that come to rest.

Near rest the smooth direction of motion makes friction a drag, dry friction over smoothing, with
which a rate decays at drag / inertia. Explicit steps that are too long for that overshoot.
"""

from functools import partial

import numpy as np

from .. import api
from ..body import Body
from ..checks import quoted
from ..errors import SimulationWarning, warn
from ..graph.trace import trace
from ..physics.friction.holding_band import holding_band
from ..physics.friction.shared_friction import driven_rows, shared_friction
from ..physics.modified_newton_euler import torques_and_reactions
from ..robot_functions import MATTERS, input_shapes
from ..robots.joint import Joint
from ..robots.model import Model
from ..robots.rows import rows_of
from ..spatial import ZERO
from ..targets.target import CPU
from .smooth_friction import with_full_peak

STABLE = 2.78  # the largest rate times dt with which rk4 decays


def decay_rates(robot, q, parameters, target=CPU):
    """The rate (1/s) at which friction brings each joint to rest, at positions q `(..., n)`, and
    after these each sum of joints that share friction.

    Dry friction is half the width of what holds the joint: it holds either way.
    """

    known = input_shapes(robot, "forward_dynamics", tuple(parameters))
    shapes = {name: known[name] for name in ("q", *parameters)}
    kernel = target.map(Body(trace, partial(_decay_rates, robot), shapes, "decay_rates"))
    return kernel(q, *parameters.values())


def _decay_rates(robot, q, **given):
    still, rates = [0.0] * robot.nv, []
    if robot.has_bearings:
        model = Model(rows_of(robot), given)
        dynamic, reactions = torques_and_reactions(model, q, still, still)
    else:  # which alone feel reactions
        of_gravity = {name: given[name] for name in given if name in MATTERS["gravity_torques"]}
        dynamic = api.gravity_torques(robot, q, **of_gravity)
        reactions = [ZERO] * robot.nv
    if robot.has_springs:
        springs = api.spring_torques(robot, q)
        dynamic = [a + b for a, b in zip(dynamic, springs, strict=True)]
    of_masses = {name: given[name] for name in given if name in MATTERS["mass_matrix"]}
    inverse = api.mass_matrix_inverse(robot, q, **of_masses)
    for i, joint in enumerate(map(with_full_peak, driven_rows(robot))):
        least, largest = holding_band(joint, dynamic[i], reactions[i])
        dry = (largest - least) * (0.5 * abs(joint.transmission.ratio))
        drag = dry * (1 / joint.friction.smoothing) + joint.friction.viscous
        rates.append(drag * inverse[i][i])
    for each in map(with_full_peak, shared_friction(robot)):
        drag = each.friction.static * (1 / each.friction.smoothing) + each.friction.viscous
        gives_way = sum(a * b * inverse[i][j] for i, a in each.arms for j, b in each.arms)
        rates.append(drag * gives_way)
    return {"rate": rates}


def stiffest(robot, q, dt, parameters, target=CPU):
    """By what factor rk4's dt is too long for friction near rest, and of which joint; or None."""
    excess = decay_rates(robot, q, parameters, target) * dt / STABLE
    if not (excess > 1).any():
        return None
    excess = target.in_main_memory(excess)
    *_, i = worst = np.unravel_index(np.nanargmax(excess), excess.shape)
    return excess[worst], [*driven_rows(robot), *shared_friction(robot)][i]


def named(part):
    """The joint or the tendon that has the friction."""
    return f"{'joint' if isinstance(part, Joint) else 'tendon'} {quoted(part.name)}"


def warn_if_stiff(robot, q, dt, parameters, target, adaptive=False):
    """Warn that rk4 is unstable with the friction of a joint that comes to rest.

    `adaptive`: whether adaptive steps are possible, which those of controllers with memory are not.
    """
    found = stiffest(robot, q, dt, parameters, target)
    if found is None:
        return
    factor, joint = found
    smoothing, method = joint.friction.smoothing, "method 'adaptive', or " if adaptive else ""
    warn(
        f"rk4: the friction of {named(joint)} near rest is too stiff for dt {dt:g} and will make "
        f"it shake; use {method}smoothing >= {smoothing * factor:.2g} instead of "
        f"{smoothing:g}, or dt <= {dt / factor:.2g}; 'semi_implicit_euler' copes with stiff "
        f"friction at this dt, but is of first order, so that its error falls only as dt",
        SimulationWarning,
    )
