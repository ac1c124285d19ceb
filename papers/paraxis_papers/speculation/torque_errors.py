"""How wrong the torques of a policy are along given motions: nothing is controlled by them."""

from functools import cache

import numpy as np

from paraxis import inverse_dynamics

from .arms import arm
from .motions import MOTIONS, ends, quintic
from .time_steps import program

REST = 32  # samples before a motion, after which all old values are those of rest


@cache
def torque_errors(name, policy, length, period, after=0.0):
    """The largest error of each motion, of states as max|Δ| / max(1, max|reference|).

    after: the share of the motion that does not count.
    """
    times = period * np.arange(round(length / period) + 1)
    rest = np.zeros(REST)
    found, now = program(name, policy), _joints(name, length, np.concatenate([rest, times]))
    inputs = dict(now)
    if found.policy.ahead:  # nothing is off, so that what is foreseen is what comes
        ahead = _joints(name, length, np.concatenate([rest, times + period]))
        inputs |= {f"{key}_ahead": value for key, value in ahead.items()}
    nothing = {key: np.zeros((MOTIONS, *found.inputs[key])) for key in found.carry}
    _, made = _loop(name, policy)(steps=REST + len(times), **inputs, **nothing)
    exact = inverse_dynamics(arm(name), **now)
    off = np.abs(made["tau"] - exact).max(-1) / np.maximum(1.0, np.abs(exact).max(-1))
    return off[REST:][times >= after * length].max(0)


def _joints(name, length, times):
    """What inverse dynamics takes, at some times of all motions of an arm."""
    motion = quintic(times[:, None, None], **ends(name), length=length)
    return dict(zip(("q", "qd", "qdd"), motion, strict=True))


@cache
def _loop(name, policy):
    found = program(name, policy)
    joints = [key for key in found.inputs if key not in found.carry]
    return found.compile_iterate(found.carry, per_step=joints, record=["tau"])
