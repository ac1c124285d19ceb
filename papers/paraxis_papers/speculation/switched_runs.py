"""Runs that are exact until 1.57 s and stale from then on, over conditions that are not printed."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from paraxis.control import closed_loop
from paraxis.math import cos, sin

from ..printed import printed
from .arms import PLANAR, arm, control

PERIODS = (0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3)
RUNS = 200  # of each period
DURATION = 4.0
PLANT_STEP = 4e-3  # s: RK4 of an arm that turns by some hundredths of a radian in it
FREQUENCIES, DAMPINGS = (5.0, 50.0), (0.5, 2.0)
SIZES, RATES = (0.05, 1.5), (0.5, 5.0)


@dataclass(frozen=True)
class Conditions:
    """What the paper does not say of its runs: one number per run, (periods, runs)."""

    period: np.ndarray  # s
    frequency: np.ndarray  # 1/s: kp is its square
    damping: np.ndarray  # kd = 2 damping frequency
    size: np.ndarray  # rad: all joints move as size sin(rate t)
    rate: np.ndarray  # 1/s

    @property
    def turn(self):
        """Period x natural frequency, by which the loop of a still arm is ordered."""
        return self.period * self.frequency


@cache
def conditions():
    """Drawn evenly in their logarithms."""
    chance, shape = np.random.default_rng(1996), (len(PERIODS), RUNS)

    def drawn(least, most):
        return np.exp(chance.uniform(np.log(least), np.log(most), shape))

    ranges = (FREQUENCIES, DAMPINGS, SIZES, RATES)
    period = np.broadcast_to(np.array(PERIODS)[:, None], shape)
    return Conditions(period, *(drawn(*each) for each in ranges))


def swing(t, size, rate):
    """All joints to and fro."""
    turn = rate * t
    return (
        [size * sin(turn)] * 3,
        [size * rate * cos(turn)] * 3,
        [-size * rate * rate * sin(turn)] * 3,
    )


def run(name, policy, k, which=slice(None), **records):
    """Runs of the k-th period."""
    c = conditions()
    frequency, damping = (
        values[k, which, None] * np.ones(3) for values in (c.frequency, c.damping)
    )
    return closed_loop(
        arm(name),
        control(name, policy, frequency, damping),
        swing,
        PERIODS[k],
        duration=DURATION,
        switch_at=printed("hamilton")["switch_at"],
        plant_step=PLANT_STEP,
        size=c.size[k, which],
        rate=c.rate[k, which],
        **records,
    )


@dataclass(frozen=True)
class Outcomes:
    """Of all conditions: which runs were lost, and the worst error of each."""

    lost: np.ndarray
    error: np.ndarray


@cache
def outcomes(name, policy):
    runs = [run(name, policy, k) for k in range(len(PERIODS))]
    return Outcomes(*(np.stack([getattr(r, n) for r in runs]) for n in ("diverged", "error")))


def lost(policy, name=PLANAR):
    return outcomes(name, policy).lost
