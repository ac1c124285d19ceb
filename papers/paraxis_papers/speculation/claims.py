"""What the papers claim, and what became of it: the verdicts of this report."""

import numpy as np

from ..document import Verdict, judged
from . import against_period, boundaries, buffering, equal_hardware, pipelines, speeds
from .arms import (
    BINDER_HERZOG,
    DISTINCT,
    EXACT,
    FIGURE_3,
    PAPER,
    PLANAR,
    PUMA,
    READINGS,
    ROTORS,
    STALE,
    TABLE_1,
    rounded,
)
from .figures_6_and_7 import ARMS, EDGES, only_lost
from .frozen_posture import COUNTS, periods, rate_of_decay, ratios
from .switched_runs import conditions, lost, outcomes
from .time_steps import PRINTED_AS, SIZES, chain_depth, depth, program, told

FIRST_ORDER, OUTPUT = "binder_herzog_first_order", "vuskovic_output_prediction"
BINDER, VUSKOVIC, YAMAKITA = "Binder 1986", "Vuskovic 1990", "Yamakita 1991"
CHAINS = (4, 8)  # links
LINEAR = (0.9, 1.1)  # slopes that are called so
MUCH = 1.5  # times: a safe period that is so much longer is called much longer
OFTEN = 2.0  # times: what is lost so much more often is lost in those tasks, otherwise rarely
HALF, FEWER = 0.5, 0.01  # of conditions: nearer in so many, lost in so many fewer, is better


def verdicts():
    """One per claim. Each is put to every case of a table of the report."""
    return [claim() for claim in CLAIMS]


def _claim(claim, cases, why, paper=PAPER):
    cases = np.asarray(list(cases)).ravel()
    held = f"holds in {cases.sum():,} of {cases.size:,} cases: " if cases.size > 1 else ""
    return Verdict(paper, claim, judged(cases), held + why)


def _percent(cases):
    return f"{np.mean(list(cases)):.0%}"


def _by_hardware(said):
    """Of pairs of a hardware and words, one for each arm."""
    each = {}
    for hardware, words in said:
        each.setdefault(hardware, []).append(words)
    arms = " and ".join(equal_hardware.ARMS)
    return f"{arms}: " + "; ".join(f"{where}: {', '.join(w)}" for where, w in each.items())


# -- the length of the loop ------------------------------------------------------------------------


def time_steps():
    found = {which: program(PLANAR, which).time_steps for which in PRINTED_AS}
    return _claim(
        "three links take 6 time steps in series, 2 with Binder and Herzog's, 1 with Hamilton's",
        [found[which] == told(PLANAR, which) for which in PRINTED_AS],
        f"Table 1 as printed takes {found[TABLE_1]}; Figure 3's {found[FIGURE_3]} needs two more "
        "variables stale than Table 1 boxes",
    )


def shorter_loop():
    cases, said = [], []
    for hardware in equal_hardware.HARDWARE:
        for name in SIZES:
            ours, theirs = (
                min(equal_hardware.loop_time(name, which, hardware).period for which in several)
                for several in (READINGS, (BINDER_HERZOG,))
            )
            cases.append(ours < theirs)
            said.append((hardware, f"{ours:g} for {theirs:g}"))
    paths = ", ".join(
        f"{min(depth(name, which) for which in READINGS)} for {depth(name, BINDER_HERZOG)}"
        for name in SIZES
    )
    return _claim(
        "Hamilton's is more efficient: its loop is shorter than Binder and Herzog's",
        cases,
        f"flops of the better reading, {_by_hardware(said)}. Only the critical path is "
        f"always shorter ({paths}), and not by half",
    )


def higher_rates():
    cases, proved, said = [], 0, []
    for hardware in equal_hardware.HARDWARE:
        for name in SIZES:
            exact = equal_hardware.loop_time(name, EXACT, hardware)
            found = [equal_hardware.loop_time(name, which, hardware).period for which in STALE]
            cases += [period < exact.period for period in found]
            proved += sum(period < exact.bound for period in found)
            said.append((hardware, f"{exact.period / min(found):.2f}"))
    return _claim(
        "stale data allow higher rates: the loop is shorter than that of exact control",
        cases,
        f"in {proved} of them shorter than any schedule of exact control can be; the highest rate "
        f"over that of exact control, {_by_hardware(said)}",
    )


def constant_cycle():
    cases = {
        (which, old): [chain_depth(n, which, old) for n in CHAINS]
        for which in (buffering.BUFFERED, FIGURE_3)
        for old in (False, True)
    }
    short, long = CHAINS
    said = "; ".join(
        f"{which}, gravity {'stale too' if old else 'of this step'}: {a} and {b} flops"
        for (which, old), (a, b) in cases.items()
    )
    return _claim(
        "the cycle does not grow with the number of links",
        [a == b for a, b in cases.values()],
        f"chains of {short} and {long} links, {said}",
        paper=YAMAKITA,
    )


# -- Figures 6 and 7 -------------------------------------------------------------------------------


def all_hold_at_high_rates():
    high = conditions().turn < EDGES[1]
    cases = {which: not lost(which)[high].any() for which in DISTINCT}
    failing = ", ".join(which for which, held in cases.items() if not held)
    return _claim(
        "at high sampling rates no scheme has problems",
        cases.values(),
        f"where period × natural frequency is below {EDGES[1]:g}, all hold in all runs but "
        f"{failing or 'none'}",
    )


def lost_at_lower_rates():
    cases, said = [], []
    for name in ARMS:
        for reading in READINGS:
            theirs = only_lost(BINDER_HERZOG, reading, name)
            ours = only_lost(reading, BINDER_HERZOG, name)
            cases.append(theirs[theirs | ours])
            said.append(f"{name}, {reading}: {theirs.mean():.0%}, opposite {ours.mean():.0%}")
    return _claim(
        "at lower rates Binder and Herzog's loses an arm that Hamilton's holds, not the opposite",
        np.concatenate(cases),
        f"in these shares of the conditions: {'; '.join(said)}",
    )


def hamilton_remains_stable():
    gone = lost(BINDER_HERZOG)
    cases = np.concatenate([~lost(reading)[gone] for reading in READINGS])
    each = ", ".join(f"{reading} {_percent(~lost(reading)[gone])}" for reading in READINGS)
    return _claim(
        "Hamilton's remains stable where Binder and Herzog's is lost",
        cases,
        f"of the planar arm's conditions in which the latter is lost, {each}",
    )


def high_frequency_dynamics():
    """Among those conditions in which neither outcome is certain."""
    c = conditions()
    open_ = (c.turn > EDGES[1]) & (c.turn < EDGES[4])
    gone = lost(BINDER_HERZOG)
    middle = np.sqrt(c.rate.min() * c.rate.max())
    quick = c.rate > middle
    lively, calm = gone[open_ & quick].mean(), gone[open_ & ~quick].mean()
    tight = c.frequency > np.median(c.frequency)
    stiff, soft = gone[open_ & tight].mean(), gone[open_ & ~tight].mean()
    return _claim(
        "Binder and Herzog's is lost in tasks with quick motion, otherwise rarely",
        [lively > OFTEN * calm],
        f"with period × natural frequency between {EDGES[1]:g} and {EDGES[4]:g}, {lively:.0%} of "
        f"quick motions (above {middle:.2f} rad/s) are lost and {calm:.0%} of slow ones; "
        f"{OFTEN:g} times as many would confirm it. Gains and period decide: {stiff:.0%} are lost "
        f"with a natural frequency above the median, {soft:.0%} below",
    )


def better_convergence():
    rivals = (BINDER_HERZOG, buffering.BUFFERED)
    shares = {
        name: {which: lost(which, name).mean() for which in (*READINGS, *rivals)} for name in ARMS
    }
    said = "; ".join(
        f"{name}: " + ", ".join(f"{which} {share:.0%}" for which, share in each.items())
        for name, each in shares.items()
    )
    return _claim(
        "Hamilton's converges better than others without correction terms",
        [
            each[ours] < each[theirs]
            for each in shares.values()
            for ours in READINGS
            for theirs in rivals
        ],
        f"lost, of the conditions: {said}. It depends on what a joint turns: the links that hang "
        f"on it, whose forces are stale with all of them, or a rotor of its own ({ROTORS}), which "
        "no policy makes stale",
    )


# -- frozen posture --------------------------------------------------------------------------------


def marginally_stable():
    stale = [rate_of_decay(name, which) for name in (PLANAR, PUMA) for which in STALE]
    exact = [rate_of_decay(name, EXACT) for name in (PLANAR, PUMA)]
    return _claim(
        "with a frozen posture both schemes are marginally stable",
        [rate <= 0 for rate in stale],
        f"at short periods errors decay at {min(stale):.2f} or more of the rate that the gains "
        f"ask, {min(exact):.2f} under exact control, and 0 would be marginal; the spectral radius "
        "is 1 at the safe period only, or as the period goes to 0, where it is so for exact "
        "control too",
    )


def greater_relative_stability():
    each = {(name, reading): ratios(name, reading) for name in COUNTS for reading in READINGS}
    said = "; ".join(
        f"{name}, {which}: {rounded(np.median(found)):g}" for (name, which), found in each.items()
    )
    return _claim(
        "Hamilton's has much greater relative stability",
        np.concatenate([found >= MUCH for found in each.values()]),
        f"its safe period over Binder and Herzog's, {MUCH:g} or more at each posture being much "
        f"greater; medians: {said}",
    )


def predicted_boundaries():
    found = [
        abs(boundaries.boundary(which, case).off) for which in DISTINCT for case in boundaries.CASES
    ]
    return _claim(
        "safe sampling rates can be identified by stability analysis",
        [off <= boundaries.ASKED for off in found],
        "left open there. The linear loop's largest period and the simulated one differ by at "
        f"most {max(found):.0%}, every policy; {boundaries.ASKED:.0%} is asked",
    )


# -- errors ----------------------------------------------------------------------------------------


def errors_are_linear():
    zero_order = [which for which in against_period.STALE if which != FIRST_ORDER]
    found = [
        against_period.slope(against_period.LONG, against_period.torques(name, which))
        for name in against_period.ARMS
        for which in zero_order
    ]
    found += [
        against_period.slope(against_period.SHORT, against_period.positions(which))
        for which in STALE
    ]
    return _claim(
        "errors are proportional to the period",
        [LINEAR[0] <= slope <= LINEAR[1] for slope in found],
        f"slopes of {min(found):.2f} to {max(found):.2f} in logarithms, torques and control, of "
        f"all policies that do not extrapolate values; {LINEAR[0]:g} to {LINEAR[1]:g} are called "
        "proportional",
        paper=VUSKOVIC,
    )


def first_order_is_poor():
    torques = {
        name: against_period.torques(name, FIRST_ORDER)[0]
        / against_period.torques(name, BINDER_HERZOG)[0]
        for name in against_period.ARMS
    }
    shorter = periods(PLANAR, FIRST_ORDER) / periods(PLANAR, BINDER_HERZOG)
    more = (lost(FIRST_ORDER).mean(), lost(BINDER_HERZOG).mean())
    said = ", ".join(f"{rounded(ratio):g} times on the {name}" for name, ratio in torques.items())
    return _claim(
        "first-order prediction does not work well",
        [*(ratio > 1 for ratio in torques.values()), (shorter < 1).all(), more[0] > more[1]],
        f"torque errors along a smooth motion are {said} those of zero order; but the arm is lost "
        f"in {more[0]:.0%} of the conditions, not {more[1]:.0%}, and the safe period is "
        f"{rounded(np.median(shorter)):g} times as long, median. Larger errors on either arm, more "
        "losses, and shorter safe periods at all postures are the cases",
        paper=VUSKOVIC,
    )


def first_order_takes_longer():
    ratios = {
        (name, hardware): equal_hardware.loop_time(name, FIRST_ORDER, hardware).period
        / equal_hardware.loop_time(name, BINDER_HERZOG, hardware).period
        for name in SIZES
        for hardware in equal_hardware.HARDWARE
    }
    bus = equal_hardware.HARDWARE[-1]
    links = bus._replace(network=equal_hardware.LINKS)
    contention = [ratios[name, bus] > ratios[name, links] for name in SIZES]
    said = [(hardware, f"{ratio:.2f}") for (_, hardware), ratio in ratios.items()]
    return _claim(
        "the reasons: more operations, and contention for the bus",
        [*(ratio > 1 for ratio in ratios.values()), *contention],
        f"its loop over that of zero order, {_by_hardware(said)}. Operations are a reason "
        "on all hardware; contention is one where the ratio is larger on a bus than on links",
        paper=VUSKOVIC,
    )


def output_prediction_is_good():
    found = {
        (name, speed): [
            float(np.median(speeds.torques(name, which, speed, speeds.PERIODS[1])))
            for which in (OUTPUT, BINDER_HERZOG)
        ]
        for name in speeds.ARMS
        for speed in speeds.lengths()
    }
    said = "; ".join(
        f"{name}, {speed}: {ours:.1%}, zero order {theirs:.1%}"
        for (name, speed), (ours, theirs) in found.items()
    )
    return _claim(
        "prediction of the torques alone leaves small errors",
        [ours <= speeds.NOTICEABLE for ours, _ in found.values()],
        f"torque errors along motions at {speeds.PERIODS[1] * 1e3:g} ms, medians, small being at "
        f"most {speeds.NOTICEABLE:.0%}: {said}; in control the planar arm is lost in "
        f"{lost(OUTPUT).mean():.0%} of the conditions, zero order in "
        f"{lost(BINDER_HERZOG).mean():.0%}",
        paper=VUSKOVIC,
    )


def small_unless_very_fast():
    cases, said = [], []
    for speed in speeds.lengths():
        found = [
            float(np.median(speeds.torques(name, BINDER_HERZOG, speed, period)))
            for name in speeds.ARMS
            for period in speeds.PERIODS
        ]
        very_fast = speed == list(speeds.lengths())[-1]
        cases += [(error > speeds.NOTICEABLE) == very_fast for error in found]
        said.append(f"{speed} {rounded(min(found)):g} to {rounded(max(found)):g}")
    return _claim(
        "zero-order errors are small in slow and fast motion, noticeable in very fast",
        cases,
        f"torque errors, medians, by arm and period: {', '.join(said)}; noticeable is taken as "
        f"above {speeds.NOTICEABLE:.0%}",
        paper=BINDER,
    )


def slightly_better_tracking():
    cases = {
        (name, reading): [
            np.median(speeds.tracking(name, BINDER_HERZOG, speed, period))
            < np.median(speeds.tracking(name, reading, speed, period))
            for speed in speeds.lengths()
            for period in speeds.PERIODS
        ]
        for name in speeds.ARMS
        for reading in READINGS
    }
    for reading in READINGS:
        theirs, ours = outcomes(PLANAR, BINDER_HERZOG), outcomes(PLANAR, reading)
        both = ~theirs.lost & ~ours.lost
        cases[PLANAR, reading] = theirs.error[both] < ours.error[both]
    said = "; ".join(f"{name}, {which}: {_percent(each)}" for (name, which), each in cases.items())
    return _claim(
        "at equal periods Binder and Herzog's tracks slightly better than Hamilton's",
        np.concatenate([np.asarray(each) for each in cases.values()]),
        f"where both hold, the share of cases: {said}",
    )


# -- other schemes ---------------------------------------------------------------------------------


def buffering_diverges():
    gone = lost(buffering.BUFFERED)
    return _claim(
        "buffering alone diverges",
        gone,
        f"in {_percent(gone)} of the planar arm's conditions; where period × natural frequency is "
        f"below {rounded(conditions().turn[gone].min()):g}, in none",
        paper=YAMAKITA,
    )


def last_joints_first():
    joints = buffering.lost_joints()
    return _claim(
        "and does so first at joints near the end",
        [joints[-1] == joints.max()],
        f"the last joint is the farthest off in {joints[-1]:.0%} of lost runs, the first in "
        f"{joints[0]:.0%}; more than any other joint is asked",
        paper=YAMAKITA,
    )


def one_step_ahead_helps():
    found = [
        buffering.torque_ratio(name, speed) for name in speeds.ARMS for speed in speeds.lengths()
    ]
    fewer = lost(buffering.BUFFERED).mean() - lost(buffering.AHEAD).mean()
    return _claim(
        "one step ahead is more accurate than buffering alone",
        [*(ratio < 1 for ratio in found), buffering.closer() > HALF, fewer > FEWER],
        f"torque errors are {min(found):.2f} to {max(found):.2f} times as large, but under control "
        f"the planar arm is nearer in {buffering.closer():.0%} of the conditions that both hold; "
        f"lost in {lost(buffering.AHEAD).mean():.0%} and {lost(buffering.BUFFERED).mean():.0%}. "
        f"Nearer in more than {HALF:.0%}, and lost in {FEWER:.0%} fewer, would be better control",
        paper=YAMAKITA,
    )


def pipelines_oscillate():
    gone = [float(lost(pipelines.pipeline(m)).mean()) for m in pipelines.STAGES]
    safe = [pipelines.safe(m) for m in pipelines.STAGES]
    return _claim(
        "a pipeline of more stages oscillates sooner",
        [*(np.diff(gone) > 0), *(np.diff(safe) < 0)],
        f"lost with {', '.join(map(str, pipelines.STAGES))} stages: "
        f"{', '.join(f'{each:.0%}' for each in gone)}; safe period × natural frequency "
        f"{', '.join(f'{rounded(each):g}' for each in safe)}",
        paper=pipelines.PAPER,
    )


def same_as_pipelines():
    gone = lost(BINDER_HERZOG)
    late = lost(pipelines.pipeline(2))[gone]
    return _claim(
        "what Binder and Herzog's suffers from is what pipelines do: torques that come late",
        late,
        f"of the conditions in which it is lost, a pipeline whose torques are all one step late "
        f"is lost in {_percent(late)}: age alone does not explain the losses",
    )


# -- at equal hardware -----------------------------------------------------------------------------


def _wins(kind):
    return {
        (hardware, name): np.stack(
            [equal_hardware.wins(name, which, kind, hardware) for which in STALE]
        )
        for hardware in equal_hardware.HARDWARE
        for name in equal_hardware.ARMS
    }


def serial_better_when_slow():
    found = _wins(equal_hardware.SLOW)
    said = [(hardware, _percent(~won)) for (hardware, _), won in found.items()]
    return _claim(
        "at equal hardware exact control is better than stale in slow motion",
        np.concatenate([~won.ravel() for won in found.values()]),
        f"the arm is nearer, {_by_hardware(said)}",
    )


def stale_better_when_quick():
    found = _wins(equal_hardware.QUICK)
    said = [(hardware, _percent(won)) for (hardware, _), won in found.items()]
    return _claim(
        "at equal hardware the higher rate makes stale control better in quick motion",
        np.concatenate([won.ravel() for won in found.values()]),
        f"the arm is nearer, {_by_hardware(said)}",
    )


CLAIMS = (
    time_steps,
    shorter_loop,
    higher_rates,
    constant_cycle,
    all_hold_at_high_rates,
    lost_at_lower_rates,
    hamilton_remains_stable,
    high_frequency_dynamics,
    better_convergence,
    marginally_stable,
    greater_relative_stability,
    predicted_boundaries,
    errors_are_linear,
    first_order_is_poor,
    first_order_takes_longer,
    output_prediction_is_good,
    small_unless_very_fast,
    slightly_better_tracking,
    buffering_diverges,
    last_joints_first,
    one_step_ahead_helps,
    pipelines_oscillate,
    same_as_pipelines,
    serial_better_when_slow,
    stale_better_when_quick,
)
