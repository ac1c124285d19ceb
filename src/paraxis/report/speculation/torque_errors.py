"""How wrong the torques of a policy are along given motions: nothing is controlled by them."""

from functools import cache

import numpy as np

from ...api import inverse_dynamics
from .arms import arm
from .motions import ends, quintic
from .time_steps import program


@cache
def torque_errors(name, policy, length, period, after=0.0):
    """The largest error of each motion, of states as max|Δ| / max(1, max|reference|).

    after: the share of the motion that does not count.
    """
    times = period * np.arange(round(length / period) + 1)
    begin, end = ends(name).values()

    def at(t):
        motion = quintic(t[:, None, None], begin, end, length)
        return dict(zip(("q", "qd", "qdd"), motion, strict=True))

    given, found = at(times), program(name, policy)
    joints = dict(given)
    if found.policy.ahead:  # nothing is off, so that what is foreseen is what comes
        joints |= {f"{key}_ahead": value for key, value in at(times + period).items()}
    start = found.start(**{key: value[0] for key, value in given.items()})
    _, made = _loop(name, policy)(steps=len(times), **joints, **start)
    exact = inverse_dynamics(arm(name), **given)
    off = np.abs(made["tau"] - exact).max(-1) / np.maximum(1.0, np.abs(exact).max(-1))
    return off[times >= after * length].max(0)


@cache
def _loop(name, policy):
    found = program(name, policy)
    joints = [key for key in found.inputs if key not in found.carry]
    return found.compile_loop(found.carry, per_step=joints, record=["tau"])
