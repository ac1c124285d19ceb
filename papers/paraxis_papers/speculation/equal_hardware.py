"""At equal hardware: a loop takes as long as its longest path of flops, so that some are faster."""

from functools import cache

import numpy as np

from paraxis.control import closed_loop
from paraxis.math import cos, sin

from ..document import Figure, Row, Table
from .arms import COMPARED, EXACT, PAPER, PLANAR, PUMA, arm, control, rounded
from .frozen_posture import periods as safe_periods
from .motions import MOTIONS, postures
from .time_steps import depth

ARMS = (PLANAR, PUMA)
FREQUENCY, DURATION = 10.0, 2.0  # critically damped
PLANT_STEP = 5e-3
EXACT_PERIODS = (1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 32e-3)  # of exact control: what a flop takes
PIPELINED, STAGES = "pipelined", 2
LOOPS = (*COMPARED, PIPELINED)
SLOW, QUICK = KINDS = "slow motion", "quick motion"
AT_ONCE, LATE = WHEN = "torques at once", "torques when computed"
WHOLE = 0.98  # of a period: computed so late that the torques come with the next sample


def period_share(name, policy):
    """How long a policy's loop is for one of exact control; stages of a pipeline share it."""
    stages = STAGES if policy == PIPELINED else 1
    return depth(name, policy) / stages / depth(name, EXACT)


def wave(t, centre, size, rate, ripple, shaking):
    """Joints that swing to and fro, with a ripple of high frequency."""
    turn, shake = rate * t, shaking * t
    return (
        centre + size * sin(turn) + ripple * sin(shake),
        size * (rate * cos(turn)) + ripple * (shaking * cos(shake)),
        size * (-rate * rate * sin(turn)) + ripple * (-shaking * shaking * sin(shake)),
    )


@cache
def motions(name, kind):
    """The settings of `wave`, at random: slow ones without a ripple, quick ones with one."""
    chance, each = np.random.default_rng(1996), (MOTIONS, arm(name).n)
    size, ripple = chance.uniform(-0.5, 0.5, each), chance.uniform(-0.03, 0.03, each)
    rate, shaking = chance.uniform(0.5, 1.0, MOTIONS), chance.uniform(15.0, 30.0, MOTIONS)
    if kind == SLOW:
        ripple = np.zeros(each)
    else:
        rate = 4 * rate
    centre = postures(name, MOTIONS)
    return {"centre": centre, "size": size, "rate": rate, "ripple": ripple, "shaking": shaking}


def errors(name, policy, kind, when):
    """How far a joint is off at worst: (flop times, motions)."""
    return _all_errors(name, policy)[KINDS.index(kind), WHEN.index(when)]


@cache
def _all_errors(name, policy):
    """(kinds of motion, at once or late, flop times, motions)."""
    batch = (len(KINDS), len(WHEN), len(EXACT_PERIODS), MOTIONS)
    period = np.broadcast_to(np.array(EXACT_PERIODS)[:, None], batch) * period_share(name, policy)
    delay = period * np.array([0.0, WHOLE])[:, None, None]
    settings = {}
    for key in motions(name, SLOW):
        each = np.stack([motions(name, kind)[key] for kind in KINDS])[:, None, None]
        settings[key] = np.broadcast_to(each, batch + each.shape[4:])
    law = control(name, policy, FREQUENCY)
    plant = {"duration": DURATION, "plant_step": PLANT_STEP, "delay": delay}
    return closed_loop(arm(name), law, wave, period, **plant, **settings).error


def wins(name, policy, kind, when):
    """Where the arm is nearer to what is desired than under exact control, of the same."""
    return errors(name, policy, kind, when) < errors(name, EXACT, kind, when)


def hardware_table():
    rows = []
    for when in WHEN:
        for name in ARMS:
            for kind in KINDS:
                rows += [_row(name, policy, kind, when) for policy in LOOPS]
    lead = (
        "A loop takes the time of its longest path of flops, whatever a flop takes, so that a "
        f"stale one samples faster. How far a joint is off at worst, medians of {MOTIONS} motions, "
        f"where exact control samples every {EXACT_PERIODS[2] * 1e3:g} ms; notes: the share of "
        f"motions in which exact control, sampling at "
        f"{', '.join(f'{p * 1e3:g}' for p in EXACT_PERIODS)} ms, is farther off."
    )
    conventions = (
        "Torques at once: computing takes no time but limits the rate, as in the paper's figures. "
        "When computed: torques come a period after their sample.",
        "Slow motion: joints swing at 0.5 to 1 rad/s. Quick: four times as fast, with a ripple of "
        "up to 0.03 rad at 15 to 30 rad/s.",
        f"Natural frequency {FREQUENCY:g} 1/s, critically damped.",
        "Pipelined: two stages of half the path each.",
    )
    return Table("At equal hardware: control", lead, rows, conventions)


def _row(name, policy, kind, when):
    middle = np.median(errors(name, policy, kind, when)[2])
    share = period_share(name, policy)
    note = f"period × {share:.2f}"
    if policy != EXACT:
        shares = wins(name, policy, kind, when).mean(1)
        note += "; nearer than exact in " + ", ".join(f"{each:.0%}" for each in shares)
    measured = rounded(middle) if middle < 1 else None
    return Row(PAPER, f"{when}, {name}, {kind}, {policy}", None, measured, note)


def slowest_table():
    """How slow the hardware may be before a policy is unstable."""
    rows = []
    for name in ARMS:
        for policy in COMPARED:
            ratio = slowest(name, policy)
            note = f"longest path {depth(name, policy)} flops"
            rows.append(Row(PAPER, f"{name}, {policy}", None, rounded(ratio), note))
    lead = (
        "The longest time of a flop with which the arm can be held at a posture, over that of "
        "exact control: safe period over longest path, medians. Above 1 the shorter loop makes up "
        "for the shorter period that it needs."
    )
    return Table("At equal hardware: the slowest that is safe", lead, rows)


def slowest(name, policy):
    ratios = safe_periods(name, policy) / safe_periods(name, EXACT)
    return float(np.median(ratios)) / period_share(name, policy)


def hardware_figures():
    return [_figure(name) for name in ARMS]


def _figure(name):
    curves = {
        policy: [
            (period * 1e3, rounded(middle))
            for period, middle in zip(
                EXACT_PERIODS, np.median(errors(name, policy, QUICK, LATE), -1), strict=True
            )
            if middle < 1
        ]
        for policy in LOOPS
    }
    return Figure(
        f"At equal hardware: {name}",
        f"How far a joint is off at worst in {QUICK}, {LATE}, medians; where a curve ends the arm "
        "is lost.",
        "period of exact control, ms",
        "rad",
        curves,
        log="xy",
    )
