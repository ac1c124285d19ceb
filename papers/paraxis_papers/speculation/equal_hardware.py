"""At equal hardware: loops scheduled on the same processors, with messages, then run."""

from functools import cache
from typing import NamedTuple

import numpy as np

from paraxis.control import closed_loop
from paraxis.control.tradeoff.pass_time import pass_time
from paraxis.math import cos, sin
from paraxis.parallel.schedules.repeated_schedule import BUS, LINKS

from ..document import Figure, Row, Table
from .arms import COMPARED, EXACT, PAPER, PLANAR, PUMA, arm, control, rounded
from .frozen_posture import periods as safe_periods
from .motions import MOTIONS, postures
from .time_steps import program

ARMS = (PLANAR, PUMA)
FREQUENCY, DURATION = 10.0, 2.0  # critically damped
PLANT_STEP = 5e-3
EXACT_PERIODS = (1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 32e-3)  # of exact control: what a flop takes
MIDDLE = 2  # of these
PIPELINED, FIRST_ORDER = "pipelined", "binder_herzog_first_order"
LOOPS = (*COMPARED, PIPELINED)
SLOW, QUICK = KINDS = "slow motion", "quick motion"


class Hardware(NamedTuple):
    """Processors for each of n links, and what a message between two takes, in flops."""

    per_link: int
    latency: int
    network: str = LINKS

    def __str__(self):
        many = "n" if self.per_link == 1 else f"{self.per_link}n"
        sent = f"latency {self.latency}" if self.latency else "free messages"
        return f"p = {many}, {sent}" + (", bus" if self.network == BUS else "")


HARDWARE = (
    Hardware(1, 0),
    Hardware(4, 0),
    Hardware(1, 10),
    Hardware(4, 10),
    Hardware(1, 10, BUS),
)
DRAWN = HARDWARE[2]  # in figures


@cache
def loop_time(name, policy, hardware):
    """In flops, with a bound."""
    processors = hardware.per_link * arm(name).n
    return pass_time(program(name, policy), processors, hardware.latency, hardware.network)


def period_share(name, policy, hardware):
    """How long a policy's loop is for one of exact control on the same hardware."""
    ours, exact = (loop_time(name, which, hardware).period for which in (policy, EXACT))
    return ours / exact


def loop_table():
    rows = []
    for hardware in HARDWARE:
        for name in ARMS:
            for policy in (*LOOPS, FIRST_ORDER):
                found = loop_time(name, policy, hardware)
                proved = (
                    "proved optimal" if found.optimal else f"at least {rounded(found.bound, 3):g}"
                )
                if found.period < loop_time(name, EXACT, hardware).bound:
                    proved += "; proved shorter than any of exact control"
                rows.append(Row(PAPER, f"{hardware}, {name}, {policy}", None, found.period, proved))
    lead = (
        "How long one pass of the loop takes, in flops, on p processors for n links: the shortest "
        "schedule found, and what no schedule can beat. Stale data shorten the critical path, "
        "not the work: with one processor per link and free messages all loops take as long as "
        "their work, and exact control has the least of it. Where messages take time, exact "
        "control waits for them and stale control does not; where processors abound, its path is "
        "the limit."
    )
    conventions = (
        "Every processor measures all joints. Whatever else it reads of another is sent; a "
        "message takes the same time however many values a task sends, and stale values "
        "are sent as well, while the rest of the pass is computed.",
        "Links: every two processors have one. On a bus one message is sent at a time, to all, and "
        "the others queue; stale values of a processor are one message.",
        "Pipelined: two teams of half the processors take turns; on a bus, two processors.",
        "Bounds: work over processors, Fernandez and Bussell's, and Papadimitriou and Yannakakis's "
        "for messages.",
    )
    return Table("At equal hardware: loop times", lead, rows, conventions)


# -- control ---------------------------------------------------------------------------------------


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


def errors(name, policy, kind, hardware):
    """How far a joint is off at worst: (flop times, motions)."""
    return _all_errors(name, policy)[KINDS.index(kind), HARDWARE.index(hardware)]


@cache
def _all_errors(name, policy):
    """(kinds of motion, hardware, flop times, motions). Torques come when they are computed."""
    batch = (len(KINDS), len(HARDWARE), len(EXACT_PERIODS), MOTIONS)
    share = np.array([period_share(name, policy, each) for each in HARDWARE])
    period = np.broadcast_to((share[:, None] * EXACT_PERIODS)[..., None], batch)
    settings = {}
    for key in motions(name, SLOW):
        each = np.stack([motions(name, kind)[key] for kind in KINDS])[:, None, None]
        settings[key] = np.broadcast_to(each, batch + each.shape[4:])
    law = control(name, policy, FREQUENCY)
    plant = {"duration": DURATION, "plant_step": PLANT_STEP, "delay": period}
    return closed_loop(arm(name), law, wave, period, **plant, **settings).error


def wins(name, policy, kind, hardware):
    """Where the arm is nearer to what is desired than under exact control, of the same."""
    return errors(name, policy, kind, hardware) < errors(name, EXACT, kind, hardware)


def hardware_table():
    rows = [
        _row(name, policy, hardware) for hardware in HARDWARE for name in ARMS for policy in LOOPS
    ]
    lead = (
        "The same loops closed: the period is the loop time of the table above times what a flop "
        f"takes. How far a joint is off at worst in quick motion, medians of {MOTIONS} motions, "
        f"with flops with which exact control samples every {EXACT_PERIODS[MIDDLE] * 1e3:g} ms on "
        "that hardware; notes: the share of motions in which exact control is farther off, with "
        f"flops with which it samples at {', '.join(f'{p * 1e3:g}' for p in EXACT_PERIODS)} ms."
    )
    conventions = (
        "Torques come when they are computed, a period after their sample.",
        "Slow motion: joints swing at 0.5 to 1 rad/s. Quick: four times as fast, with a ripple of "
        "up to 0.03 rad at 15 to 30 rad/s.",
        f"Natural frequency {FREQUENCY:g} 1/s, critically damped.",
    )
    return Table("At equal hardware: control", lead, rows, conventions)


def _row(name, policy, hardware):
    middle = np.median(errors(name, policy, QUICK, hardware)[MIDDLE])
    note = f"period × {period_share(name, policy, hardware):.2f}"
    if policy != EXACT:
        for kind in KINDS:
            shares = wins(name, policy, kind, hardware).mean(1)
            note += f"; {kind}, nearer in " + ", ".join(f"{each:.0%}" for each in shares)
    measured = rounded(middle) if middle < 1 else None
    return Row(PAPER, f"{hardware}, {name}, {policy}", None, measured, note)


def slowest_table():
    """How slow the hardware may be before a policy is unstable."""
    rows = []
    for hardware in HARDWARE:
        for name in ARMS:
            for policy in LOOPS:
                ratio = slowest(name, policy, hardware)
                note = f"loop time {rounded(loop_time(name, policy, hardware).period, 3):g} flops"
                what = f"{hardware}, {name}, {policy}"
                rows.append(Row(PAPER, what, None, rounded(ratio), note))
    lead = (
        "The longest time of a flop with which the arm can be held at a posture, over that of "
        "exact control: safe period over loop time, medians; torques come a period after their "
        "sample. Above 1 the shorter loop makes up for the shorter period that it needs."
    )
    return Table("At equal hardware: the slowest that is safe", lead, rows)


def slowest(name, policy, hardware):
    ratios = safe_periods(name, policy, 1.0) / safe_periods(name, EXACT, 1.0)
    return float(np.median(ratios)) / period_share(name, policy, hardware)


def hardware_figures():
    return [_figure(name) for name in ARMS]


def _figure(name):
    curves = {
        policy: [
            (period * 1e3, rounded(middle))
            for period, middle in zip(
                EXACT_PERIODS, np.median(errors(name, policy, QUICK, DRAWN), -1), strict=True
            )
            if middle < 1
        ]
        for policy in LOOPS
    }
    return Figure(
        f"At equal hardware: {name}",
        f"How far a joint is off at worst in {QUICK}, medians; {DRAWN}. Where a curve ends the arm "
        "is lost.",
        "period of exact control, ms",
        "rad",
        curves,
        log="xy",
    )
