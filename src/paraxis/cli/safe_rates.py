"""Safe sampling rates in the terminal: a line a policy, predicted and, if asked, simulated."""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import shown
from ..control.dry_friction import has_dry_friction
from ..control.safe_periods import SafePeriod, safe_period
from ..control.simulated_period import SimulatedPeriod, simulated_safe_period
from ..control.speculation import speculate
from ..robots.scales import joint_scales
from .terminal import Column, print_table
from .text import duration, short

AROUND = 2.0  # simulated periods go from the predicted one by this to it times this


SEED = 1989  # of postures by chance
REACH = {True: (-math.pi, math.pi), False: (0.0, 1.0)}  # rad or m, of joints without a range
OFF = 1e-6  # of a radian, or of the robot's length: nearer, the arm rests at the posture


@dataclass(frozen=True)
class SafeRate:
    """What is found of a policy at a posture; `simulated` where it was asked for."""

    policy: str
    predicted: SafePeriod
    simulated: SimulatedPeriod | None
    time_steps: int
    depth: int  # flops


@dataclass(frozen=True)
class LeastRate:
    """What is found of a policy at postures: the least safe period and the median, None for none.

    unstable: at how many of them no period is known to be stable.
    """

    policy: str
    least: float | None
    median: float | None
    unstable: int
    method: str
    time_steps: int
    depth: int


def middle_posture(robot):
    """The middle of each joint's range; 0 where it has none."""
    ranges = np.array([(joint.lower, joint.upper) for joint in robot.joints], float)
    finite = np.isfinite(ranges).all(axis=1)
    return np.where(finite, np.where(finite[:, None], ranges, 0.0).mean(axis=1), 0.0)


def postures_by_chance(robot, count):
    """(count, n), even in the joints' ranges, always the same."""
    ranges = [
        (joint.lower, joint.upper)
        if math.isfinite(joint.upper - joint.lower)
        else REACH[joint.is_revolute]
        for joint in robot.joints
    ]
    return np.random.default_rng(SEED).uniform(*np.transpose(ranges), (count, robot.nv))


def safe_rate(law, plant, posture, delay=0.0, missed=0, check=False):
    """The SafeRate of a Controller of a robot at a posture."""
    found = safe_period(plant, law, posture, delay_share=delay, missed_in_a_row=missed)
    simulated = None
    if check and found.period is not None:
        simulated = simulated_safe_period(
            plant,
            law,
            posture,
            shortest=found.period / AROUND,
            longest=found.period * AROUND,
            duration=_long_enough(found),
            delay_share=delay,
        )
    return SafeRate(law.policy.name, found, simulated, *_cost(law))


def least_rate(law, plant, postures, delay=0.0, missed=0):
    """The LeastRate of a Controller of a robot at postures (count, n)."""
    conditions = {"delay_share": delay, "missed_in_a_row": missed}
    found = [safe_period(plant, law, posture, **conditions) for posture in postures]
    periods = np.array([each.period or 0.0 for each in found])
    least, median = (float(edge) or None for edge in (periods.min(), np.median(periods)))
    unstable = int((periods == 0).sum())
    return LeastRate(law.policy.name, least, median, unstable, found[0].method, *_cost(law))


def _cost(law):
    program = speculate(law.robot, law.policy)
    return program.time_steps, program.depth().flops


def _long_enough(found):
    """In which errors under good control die out, so that they hide nothing."""
    short = found.shortest
    return 20.0 / max(-math.log(found.spectral_radius(short)) / short, 1e-3)


def rests_elsewhere(robot, found, posture):
    """Does the arm come to rest off the posture, as its weight is not well known?"""
    return bool((np.abs(found.posture - posture) / joint_scales(robot)).max() > OFF)


def print_safe_rates(terminal, robot, rates, conditions):
    """A table; `conditions` are words on what was asked."""
    bounded = any(rate.predicted.bounded for rate in rates)
    checked = any(rate.simulated is not None for rate in rates)
    columns = [Column("policy"), Column("safe period", right=True), Column("rate", right=True)]
    columns += [Column("shown unstable from", right=True)] * bounded
    columns += [Column("simulated", right=True)] * checked
    rows = []
    for rate in rates:
        row = [rate.policy, *_period(rate.predicted)]
        row += [_seconds(rate.predicted.unstable)] * bounded
        row += [_simulated(rate.simulated)] * checked
        rows.append((*row, *_costs(rate)))
    _print(terminal, robot, conditions, columns, rows)
    notes = [f"Predicted by the {rates[0].predicted.method}, for small errors"]
    notes[0] += ", bounds over all orders of what is missed." if bounded else "."
    notes += ["Between the two periods nothing is known."] * bounded
    notes += ["Simulated: runs that begin a little apart come together."] * checked
    notes += ["A posture stands for itself only: --postures looks at others."]
    terminal.note(" ".join(notes + _on_friction(robot)))


def print_least_rates(terminal, robot, rates, conditions):
    """A table of what is found at postures by chance."""
    gaps = any(rate.unstable for rate in rates)
    heads = ["least safe period", "rate", "median"] + ["without one"] * gaps
    columns = [Column("policy"), *(Column(head, right=True) for head in heads)]
    rows = []
    for rate in rates:
        row = [rate.policy, _seconds(rate.least), _hertz(rate.least), _seconds(rate.median)]
        rows.append((*row, *[str(rate.unstable)] * gaps, *_costs(rate)))
    _print(terminal, robot, conditions, columns, rows)
    notes = [f"Predicted by the {rates[0].method}, for small errors; there may be worse postures."]
    terminal.note(" ".join(notes + _on_friction(robot)))


def _print(terminal, robot, conditions, columns, rows):
    terminal.title(shown(robot.name), f"computed torque, {conditions}")
    terminal.print()
    costs = [Column("time steps", right=True, rank=1), Column("depth", right=True, rank=0)]
    print_table(terminal, [*columns, *costs], rows)


def _costs(rate):
    return str(rate.time_steps), f"{rate.depth} flops"


def _on_friction(robot):
    words = "Dry friction and losses of gears, which are not linear, are left out."
    return [words] * has_dry_friction(robot)


def _period(found):
    if found.period is None:
        known = found.unstable <= found.shortest
        return "none found" if known else "none proved", ""
    sign = "> " if math.isinf(found.unstable) else ""
    return sign + _seconds(found.period), _hertz(found.period)


def _seconds(time):
    if time is None:
        return "none found"
    return duration(time) if math.isfinite(time) else ""


def _hertz(period):
    if period is None:
        return ""
    rate = short(1.0 / period)
    return f"{rate}Hz" if rate[-1].isalpha() else f"{rate} Hz"


def _simulated(found):
    if found is None:
        return ""
    if found.period is None:
        return f"< {_seconds(found.shortest)}"
    return ("> " if math.isinf(found.unstable) else "") + _seconds(found.period)
