"""Safe sampling rates in the terminal: a line a policy, predicted and, if asked, simulated."""

import math
from dataclasses import dataclass

import numpy as np

from ..control.controller import computed_torque
from ..control.safe_period import SafePeriod, safe_period
from ..control.simulated_period import SimulatedPeriod, simulated_safe_period
from ..control.speculate import speculate
from ..robot.table import shown
from .terminal import Column, print_table
from .text import duration

AROUND = 2.0  # simulated periods go from the predicted one by this to it times this


@dataclass(frozen=True)
class SafeRate:
    """What is found of a policy; `simulated` where it was asked for."""

    policy: str
    predicted: SafePeriod
    simulated: SimulatedPeriod | None
    time_steps: int
    depth: int  # flops


def middle_posture(robot):
    """The middle of each joint's range; 0 where it has none."""
    ranges = np.array([(joint.lower, joint.upper) for joint in robot.joints], float)
    finite = np.isfinite(ranges).all(axis=1)
    return np.where(finite, np.where(finite[:, None], ranges, 0.0).mean(axis=1), 0.0)


def safe_rate(robot, kp, kd, policy, posture, delay=0.0, missed=0, payload=0.0, check=False):
    """The SafeRate of computed torque under a policy, of an arm whose payload it does not know."""
    law = computed_torque(robot, kp, kd, policy)
    plant = robot.with_payload(payload) if payload else robot
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
    program = speculate(robot, policy)
    return SafeRate(policy, found, simulated, program.time_steps, program.depth().flops)


def _long_enough(found):
    """In which errors under good control die out, so that they hide nothing."""
    short = found.shortest
    return 20.0 / max(-math.log(found.spectral_radius(short)) / short, 1e-3)


def print_safe_rates(terminal, robot, rates, conditions):
    """A table; `conditions` are words on what was asked."""
    terminal.title(shown(robot.name), f"computed torque, {conditions}")
    terminal.print()
    bounded = any(rate.predicted.bounded for rate in rates)
    checked = any(rate.simulated is not None for rate in rates)
    columns = [Column("policy"), Column("safe period", right=True), Column("rate", right=True)]
    columns += [Column("unstable from", right=True)] * bounded
    columns += [Column("simulated", right=True)] * checked
    columns += [Column("time steps", right=True, rank=1), Column("depth", right=True, rank=0)]
    rows = []
    for rate in rates:
        row = [rate.policy, *_period(rate.predicted)]
        row += [_seconds(rate.predicted.unstable)] * bounded
        row += [_simulated(rate.simulated)] * checked
        rows.append((*row, str(rate.time_steps), f"{rate.depth} flops"))
    print_table(terminal, columns, rows)
    terminal.note(
        f"Predicted by the {rates[0].predicted.method}, for small errors"
        + (", bounds over all orders of what is missed." if bounded else ".")
        + (" Simulated: runs that begin a little apart come together." if checked else "")
    )


def _period(found):
    if found.period is None:
        return "none found", ""
    sign = "> " if math.isinf(found.unstable) else ""
    return sign + _seconds(found.period), f"{found.rate:.4g} Hz"


def _seconds(time):
    return duration(time) if math.isfinite(time) else ""


def _simulated(found):
    if found is None:
        return ""
    if found.period is None:
        return f"< {_seconds(found.shortest)}"
    return ("> " if math.isinf(found.unstable) else "") + _seconds(found.period)
