"""Safe periods: theory where there is one, simulation everywhere else."""

import math
from functools import cache

import numpy as np
import pytest
from support.loop_by_hand import HandLaw

import paraxis as px
from paraxis.control import growth as growth_module
from paraxis.control import joint_spectral_radius
from paraxis.control.few_entries import with_few_entries
from paraxis.control.growth import _product
from paraxis.control.linear_loop import LinearLoop
from paraxis.control.spectral_radius import spectral_radii

ARM, POSTURE = px.robots.planar(3), (0.3, 0.4, 0.5)
PENDULUM = px.robots.planar(1)
WEIGHTLESS = PENDULUM.with_gravity((0, 0, 0))
KP, KD = 100.0, 20.0
RATES = (2.0, 1.0, 3.0)  # of a motion that goes round in 2 pi


@cache
def controller(policy="exact", kp=KP, kd=KD, robot=ARM):
    return px.control.computed_torque(robot, kp, kd, policy)


@cache
def predicted(policy="exact", **options):
    return px.control.safe_period(ARM, controller(policy), POSTURE, **options)


def round_and_round(t):
    q = [0.4 * px.math.sin(rate * t) for rate in RATES]
    qd = [0.4 * rate * px.math.cos(rate * t) for rate in RATES]
    return q, qd, [-0.4 * rate**2 * px.math.sin(rate * t) for rate in RATES]


def distances(robot, law, period, samples, start=POSTURE, **options):
    """Of a run from one that begins a little apart, in rates above all, at the samples."""
    apart = 1e-9 * np.array([[0, 0, 0], [1.0, -0.6, 0.3]])
    q0, qd0 = start + apart, apart / period
    options = {"duration": samples * period, "record": "q"} | options
    run = px.control.closed_loop(robot, law, POSTURE, period, q0=q0, qd0=qd0, **options)
    return np.abs(run.q[:, 1] - run.q[:, 0]).max(-1)


def growth(distance, samples):
    """The factor a step at which it grows over the last samples."""
    ends = distance[-samples : -samples // 2].max(), distance[-samples // 2 :].max()
    return (ends[1] / ends[0]) ** (2 / samples)


# -- theory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kp, kd", [(100.0, 20.0), (1.0, 50.0), (1000.0, 10.0)])
def test_a_double_integrator_obeys_jury(kp, kd):
    """z² - (2 - kd T - kp T²/2) z + 1 - kd T + kp T²/2 has its roots inside the circle for
    T < 2 / kd and T < 2 kd / kp."""
    law = controller(kp=kp, kd=kd, robot=WEIGHTLESS)
    found = px.control.safe_period(WEIGHTLESS, law, [0.3])
    assert found.period == pytest.approx(min(2 / kd, 2 * kd / kp), rel=2e-4)
    assert found.period < found.unstable and found.rate == 1 / found.period
    assert found.spectral_radius(found.period) < 1 < found.spectral_radius(found.unstable) + 1e-8
    T = 0.7 * found.period
    roots = np.roots([1, -(2 - kd * T - kp * T**2 / 2), 1 - kd * T + kp * T**2 / 2])
    assert found.spectral_radius(T) == pytest.approx(abs(roots).max(), rel=1e-9)


def test_gravity_acts_between_samples():
    """A pendulum swings by itself while its torque is held: sines and cosines, not powers."""
    q, T = 0.3, 0.08
    inertia = px.mass_matrix(PENDULUM, [q])[0, 0]
    pull = -px.gravity_torques(PENDULUM, [0.0])[0] * math.sin(q) / inertia  # slope of gravity
    w = np.emath.sqrt(pull)
    c, s = np.cos(w * T), np.sin(w * T)
    gain = np.array([pull - KP, -KD])
    loop = np.array([[c, s / w], [-w * s, c]]) + np.outer([(1 - c) / pull, s / w], gain)
    found = px.control.safe_period(PENDULUM, controller(robot=PENDULUM), [q])
    assert found.spectral_radius(T) == pytest.approx(abs(np.linalg.eigvals(loop)).max(), rel=1e-9)


def test_a_delay_of_a_period_is_a_pipeline_of_two_stages():
    late, two = predicted(delay_share=1), predicted("pipelined")
    assert late.period == pytest.approx(two.period, rel=1e-6)  # both are found to 1e-4
    assert predicted(delay_share=0.999999).period == pytest.approx(two.period, rel=1e-3)


def test_a_delay_holds_the_last_torque():
    """A double integrator whose input changes 0.4 of a period late, by hand."""
    T, d = 0.06, 0.4 * 0.06
    late, soon = [d * (T - d) + d**2 / 2, d], [(T - d) ** 2 / 2, T - d]  # of the old, of the new
    gain = np.array([-KP, -KD])
    loop = np.zeros((3, 3))
    loop[:2, :2] = np.array([[1, T], [0, 1]]) + np.outer(soon, gain)
    loop[:2, 2], loop[2, :2] = late, gain
    law = controller(robot=WEIGHTLESS)
    found = px.control.safe_period(WEIGHTLESS, law, [0.3], delay_share=0.4).spectral_radius(T)
    assert found == pytest.approx(abs(np.linalg.eigvals(loop)).max(), rel=1e-9)


def test_decay_counts_the_time_of_missed_steps():
    law = controller(robot=WEIGHTLESS)
    found = px.control.safe_period(WEIGHTLESS, law, [0.3], missed_in_a_row=1, decay=5.0)
    T = found.period
    hit = np.array([[1, T], [0, 1]]) + np.outer([T**2 / 2, T], [-KP, -KD])
    both = np.array([[1, 2 * T], [0, 1]]) + np.outer([2 * T**2, 2 * T], [-KP, -KD])
    rates = [-math.log(abs(np.linalg.eigvals(each)).max()) for each in (hit, both)]
    assert min(rates[0] / T, rates[1] / (2 * T)) == pytest.approx(5.0, rel=0.05)


def test_a_round_is_the_product_in_order_of_time():
    maps = np.random.default_rng(2).normal(size=(11, 4, 4))
    product, logarithm = _product(maps)
    expected = np.linalg.multi_dot(maps[::-1])
    np.testing.assert_allclose(math.exp(logarithm) * product, expected, rtol=1e-12)


def test_an_age_of_zero_is_exact_control():
    exact, cut = predicted(), px.control.computed_torque(ARM, KP, KD, [px.control.Cut(age=0)])
    found = px.control.safe_period(ARM, cut, POSTURE)
    assert (found.period, found.unstable) == (exact.period, exact.unstable)
    assert found.spectral_radius(0.05) == exact.spectral_radius(0.05)


@pytest.mark.parametrize("policy", px.control.policies())
def test_all_policies_are_exact_control_in_very_short_steps(policy):
    """Errors fall at the slowest rate of the continuous loop, kp/kd-wise, whatever is old."""
    T = 1e-5
    rate = -math.log(predicted(policy).spectral_radius(T)) / T
    exact = -math.log(predicted().spectral_radius(T)) / T
    assert rate == pytest.approx(exact, rel=0.03)


def test_decay_asks_for_more_than_stability():
    found = predicted("hamilton", decay=5.0)
    assert found.period < predicted("hamilton").period
    assert found.spectral_radius(found.period) == pytest.approx(
        math.exp(-5 * found.period), rel=1e-4
    )
    assert found.margin == 1 - found.spectral_radius(found.period)
    assert predicted("hamilton", decay=50.0).period is None  # faster than the gains make it
    assert predicted("hamilton", decay=np.float32(1e9)).period is None  # faster than numbers go


def test_few_entries_have_the_growth_of_all():
    """Of products too, in which ages change from step to step."""
    law = px.control.computed_torque(ARM, KP, KD, px.control.policy("vuskovic", age=(1, 2)))
    linear = LinearLoop(ARM, law, {})
    q, still = np.array([POSTURE]), np.zeros((1, 3))
    desired = np.concatenate([q, still, still], axis=-1)
    tau, past = linear.exact((q, still), desired)
    whole = linear.linearised((q, still), tau, (q, still), desired, desired, past)
    few = with_few_entries(whole)
    assert few.S.shape[-1] < whole.S.shape[-1]
    for word in np.random.default_rng(0).integers(len(linear.ages), size=(5, 6)):
        radii = []
        for each in (whole, few):
            maps = each.steps(2e-3, 1e-3, True)[:, 0]
            radii.append(spectral_radii(np.linalg.multi_dot(maps[word])[None])[0])
        assert radii[0] == pytest.approx(radii[1], rel=1e-9)


# -- simulation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0.0, pytest.param(0.5, marks=pytest.mark.long)])
@pytest.mark.parametrize("policy", px.control.policies())
def test_the_boundary_is_that_of_simulation(policy, delay):
    period = predicted(policy, delay_share=delay).period
    found = px.control.simulated_safe_period(
        ARM,
        controller(policy),
        POSTURE,
        shortest=0.8 * period,
        longest=1.2 * period,
        duration=2.0,
        delay_share=delay,
    )
    assert found.period == pytest.approx(period, rel=0.05)


def test_the_boundary_with_a_delay_is_that_of_simulation():
    period = predicted("hamilton", delay_share=0.5).period
    found = px.control.simulated_safe_period(
        ARM,
        controller("hamilton"),
        POSTURE,
        shortest=0.8 * period,
        longest=1.25 * period,
        duration=1.0,
        delay_share=0.5,
    )
    assert found.period == pytest.approx(period, rel=0.05)
    assert found.period < found.unstable and f"{found.period:.4g} s" in repr(found)


@pytest.mark.parametrize("policy", ["exact", "hamilton"])
def test_the_spectral_radius_is_the_growth_of_an_error(policy):
    T = 1.1 * predicted(policy).period
    expected = predicted(policy).spectral_radius(T)
    distance = distances(ARM, controller(policy), T, samples=math.ceil(14 / math.log(expected)))
    assert growth(distance, 40) == pytest.approx(expected, rel=0.01)


def test_a_wrong_payload_moves_where_it_rests():
    """Feed-forward of the wrong weight: the arm hangs off the posture, and is judged there."""
    loaded = ARM.with_payload(2.0)
    law = px.control.feed_forward(ARM, 300.0, 30.0)
    found = px.control.safe_period(loaded, law, POSTURE)
    run = px.control.closed_loop(loaded, law, POSTURE, 0.002, duration=20.0, record="q")
    rest = run.q[-1]
    assert np.abs(rest - POSTURE).max() > 0.05
    np.testing.assert_allclose(found.posture, rest, atol=1e-4)
    T = 1.1 * found.period
    assert growth(distances(loaded, law, T, 60, start=rest), 20) == pytest.approx(
        found.spectral_radius(T), rel=0.02
    )
    same = px.control.safe_period(ARM, law, POSTURE, **px.payload(ARM, 2.0))
    assert same.period == pytest.approx(found.period, rel=1e-9)


# -- friction --------------------------------------------------------------------------------------


def with_friction(robot=ARM, transmission=None, **friction):
    parts = {"friction": px.robots.Friction(**friction)}
    parts |= {"transmission": px.robots.Transmission(**transmission)} if transmission else {}
    return robot.with_drives({joint.name: parts for joint in robot.joints})


@pytest.mark.parametrize("compensate", [False, True])
def test_dry_friction_is_no_part_of_a_linear_loop(compensate):
    """Nor losses of gears; their ratios and rotors are."""
    bearing = px.robots.JournalBearing(coefficient=0.1, radius=0.02, length=0.1)
    gears = {"ratio": 50.0, "rotor_inertia": 1e-4}
    lossy = gears | {"efficiency": 0.7, "break_away": 0.3}
    dry = with_friction(coulomb=1.0, static=2.0, bearings=bearing, viscous=0.5, transmission=lossy)
    smooth = with_friction(viscous=0.5, transmission=gears)
    periods = []
    for arm in (dry, smooth):
        law = px.control.computed_torque(arm, KP, KD, "hamilton", compensate_friction=compensate)
        periods.append(px.control.safe_period(arm, law, POSTURE).period)
    assert periods[0] == periods[1]


def test_viscous_friction_by_hand():
    """v' = -(d/m) v + u, held u = -kp x - kd v: the plant's own decay is exact between samples."""
    arm, T = with_friction(WEIGHTLESS, viscous=1.5), 0.07
    a = 1.5 / px.mass_matrix(arm, [0.3])[0, 0]
    fall = (1 - math.exp(-a * T)) / a
    loop = np.array([[1, fall], [0, math.exp(-a * T)]])
    loop += np.outer([(T - fall) / a, fall], [-KP, -KD])
    found = px.control.safe_period(arm, controller(robot=arm), [0.3])
    assert found.spectral_radius(T) == pytest.approx(abs(np.linalg.eigvals(loop)).max(), rel=1e-9)


@pytest.mark.parametrize("viscous", [1e3, 1e6])
def test_a_plant_that_is_far_faster_than_its_control_is_stable(viscous):
    arm = with_friction(WEIGHTLESS, viscous=viscous)
    found = px.control.safe_period(arm, controller(robot=arm), [0.3])
    assert found.spectral_radius(found.shortest) < 1 - 1e-8
    a = viscous / px.mass_matrix(arm, [0.3])[0, 0]
    assert found.period == pytest.approx(2 * a / KP, rel=0.01)  # it creeps: x' = -(kp / a) x


def test_friction_too_stiff_for_the_steps_of_the_plant_is_named():
    arm = with_friction(coulomb=1.0)
    law, limits = controller(robot=arm), {"shortest": 1e-2, "longest": 0.3, "duration": 1.0}
    with pytest.raises(
        px.ArgumentError, match="plant_step: the friction of joint .*smoothing >= .*0.001"
    ):
        px.control.simulated_safe_period(arm, law, POSTURE, **limits)
    found = px.control.simulated_safe_period(
        with_friction(coulomb=0.1, smoothing=0.5), law, POSTURE, amplitude=0.1, **limits
    )
    assert 0.05 < found.period < found.unstable


# -- along a motion --------------------------------------------------------------------------------


def test_the_monodromy_is_the_derivative_of_a_round():
    """Of exact control, where nothing but q and qd is carried, by differences of whole rounds."""
    law = controller(kp=20.0, kd=4.0)
    found = px.control.safe_period(
        ARM, law, round_and_round, duration=2 * math.pi, periodic=True, shortest=0.01, longest=0.05
    )
    q, qd = np.zeros(3), np.multiply(0.4, RATES)
    step = 1e-6 * np.concatenate([np.zeros((1, 6)), np.eye(6)])
    errors = []
    for count in (100, 200):
        T = 2 * math.pi / count
        run = px.control.closed_loop(
            ARM, law, round_and_round, T, q0=q + step[:, :3], qd0=qd + step[:, 3:],
            duration=2 * math.pi, record=("q", "qd"),
        )  # fmt: skip
        end = np.concatenate([run.q[-1], run.qd[-1]], axis=-1)
        radius = spectral_radii((end[1:] - end[0])[None] / 1e-6)[0]
        errors.append(abs(found.spectral_radius(T) ** count / radius - 1))
    assert errors[1] < 0.05 and errors[1] < 0.8 * errors[0]


@pytest.mark.parametrize("policy", ["binder_herzog_first_order", "yamakita_one_step_ahead"])
def test_slopes_of_a_stale_law_are_with_what_it_carries_and_foresees_there(policy):
    """By differences of steps by hand, on the motion, whose past is that of the motion."""
    law, by_hand, t, T = controller(policy), HandLaw(ARM, KP, KD, policy), 0.3, 0.02
    found = px.control.safe_period(
        ARM, law, round_and_round, duration=2 * math.pi, shortest=T / 2, longest=T
    )
    slopes = found._growth._linearised(np.array([t]), T)

    def motion(t):
        return np.array(round_and_round(t))

    past = {age: by_hand.program.start(*motion(t - age * T)) for age in (1, 2)}
    past = {name: past[int(name[-1])][name] for name in by_hand.program.carry}

    def step(x):
        by_hand.carried = past
        torques = by_hand.step(x[:3], x[3:], motion(t), motion(t + T))
        following = by_hand.carried
        return [*torques, *(following[f"{e.variable}_{e.age}"][e.link, e.k] for e in law.entries)]

    here = motion(t)[:2].ravel()
    columns = [np.subtract(step(here + x), step(here - x)) / 2e-5 for x in 1e-5 * np.eye(6)]
    expected = np.stack(columns, axis=-1)
    difference = abs(np.concatenate([slopes.K[0, 0], slopes.P[0, 0]]) - expected).max()
    assert difference < 1e-7 * abs(expected).max()


def test_runs_that_are_compared_meet_the_same_chance():
    law, limits = controller("hamilton"), {"shortest": 5e-4, "longest": 4e-3, "duration": 2.0}
    found = px.control.simulated_safe_period(ARM, law, round_and_round, jitter=0.1, **limits)
    assert 2e-3 < found.period < found.unstable < 4e-3


def test_the_boundary_of_a_periodic_motion_is_that_of_simulation():
    law, around = controller("hamilton"), 0.2 * math.pi  # s a round

    def quick(t):
        sines = [px.math.sin(10 * rate * t) for rate in RATES]
        q = [place + 0.05 * sine for place, sine in zip(POSTURE, sines, strict=True)]
        qd = [0.5 * rate * px.math.cos(10 * rate * t) for rate in RATES]
        return q, qd, [-5.0 * rate**2 * sine for rate, sine in zip(RATES, sines, strict=True)]

    found = px.control.safe_period(
        ARM, law, quick, duration=around, periodic=True, shortest=1e-3, longest=1e-2
    )
    steps = around / found.period
    assert steps == pytest.approx(round(steps), rel=1e-12)  # it goes evenly round
    T = found.period
    assert found.spectral_radius(1.0001 * T) == found.spectral_radius(T)  # the nearest that divides
    simulated = px.control.simulated_safe_period(
        ARM, law, quick, shortest=0.8 * found.period, longest=1.2 * found.period, duration=2.0
    )
    assert simulated.period == pytest.approx(found.period, rel=0.05)


def test_a_motion_is_as_safe_as_its_worst_point():
    """One that stays near a posture is the posture; its Trajectory knows how long it takes."""
    still = px.control.safe_period(
        ARM,
        controller("hamilton"),
        lambda t: (list(POSTURE), [0.0] * 3, [0.0] * 3),
        duration=1.0,
    )
    assert still.period == pytest.approx(predicted("hamilton").period, rel=2e-4)
    moving = px.control.safe_period(
        ARM, controller("hamilton"), round_and_round, duration=2 * math.pi
    )
    at = [np.multiply(0.4, np.sin(np.multiply(RATES, t))) for t in (0.0, 1.0)]
    fixed = [px.control.safe_period(ARM, controller("hamilton"), each).period for each in at]
    assert moving.period <= min(fixed) * (1 + 2e-4)
    assert "50 points" in moving.method and moving.posture is None


def test_a_joint_that_turns_is_back_after_a_turn():
    law = px.control.computed_torque(PENDULUM, KP, KD)
    given = PENDULUM, law, lambda t: ([t], [1.0], [0.0])
    found = px.control.safe_period(*given, duration=2 * math.pi, periodic=True)
    assert 0.05 < found.period < 0.2
    with pytest.raises(px.ArgumentError, match="periodic: .*differ by up to 0.28"):
        px.control.safe_period(*given, duration=6.0, periodic=True)


# -- any order -------------------------------------------------------------------------------------


def test_missed_steps_in_any_order():
    """Proved stable: 200 patterns decay. Shown unstable: the worst pattern diverges."""
    law = controller("hamilton")
    found = predicted("hamilton", missed_in_a_row=1)
    assert found.period < found.unstable < predicted("hamilton").period
    lower, upper = found.bounds(found.period)
    assert lower <= upper < 1
    samples = 300
    missed = np.random.default_rng(3).random((samples, 200)) < 0.5
    for k in range(1, samples):  # never two in a row
        missed[k] &= ~missed[k - 1]
    T, off = 0.9 * found.period, np.add(POSTURE, 1e-6)
    run = px.control.closed_loop(
        ARM, law, POSTURE, T, q0=off, missed=missed, duration=samples * T, record="q"
    )
    together = np.abs(run.q - POSTURE).max(-1)
    assert (together[-50:].max(0) < together[100:150].max(0)).all()
    T = 1.1 * found.unstable
    every_other = np.arange(1500)[:, None] % 2 == 1
    apart = distances(ARM, law, T, 1500, missed=every_other)
    assert apart[-1] > 10 * apart[-301]
    lower, _ = found.bounds(T)
    assert lower > 1 and growth(apart, 800) ** 2 == pytest.approx(lower, rel=0.01)


@pytest.mark.long
def test_ages_in_any_order():
    policy = px.control.policy("vuskovic", age=(1, 2))
    found = px.control.safe_period(ARM, px.control.computed_torque(ARM, KP, KD, policy), POSTURE)
    assert found.period < found.unstable
    for age in (1, 2):
        one = predicted(px.control.policy("vuskovic", age=age))
        assert found.period < one.period
        lower, upper = found.bounds(found.period)
        assert one.spectral_radius(found.period) <= lower * (1 + 1e-9) <= upper * (1 + 1e-9) < 1
    assert "unstable from" in repr(found)


def test_between_what_is_proved_and_what_is_shown_nothing_is_said():
    arm = px.robots.planar(2)
    law = px.control.computed_torque(arm, KP, KD, px.control.Cut(age=(0, 1)))
    found = px.control.safe_period(arm, law, POSTURE[:2])
    assert found.bounds(found.period)[1] < 1
    assert 1.02 * found.period < found.unstable
    assert found.bounds(found.unstable)[0] >= 1 - 1e-9


def test_torques_held_before_a_step_are_no_state_of_missed_ones():
    """Without a delay nothing reads them: bounds of six joints are found only without them."""
    growth = predicted("hamilton", missed_in_a_row=1)._growth
    maps = growth.maps(growth.where(0.0), 1e-3)
    assert len(maps) == 2 and not maps[..., -3:].any()
    assert maps[..., -3:, :].any()  # they are made, for the steps that are missed


def test_what_is_not_proved_is_not_said_to_be_stable(monkeypatch):
    """Nothing is proved below the shortest period that is shown to be unstable, which is close."""
    monkeypatch.setattr(joint_spectral_radius, "shorten", lambda matrices, target: matrices)
    monkeypatch.setattr(growth_module, "MOST_PRODUCTS", 10)
    found = px.control.safe_period(ARM, controller("hamilton"), POSTURE, missed_in_a_row=1)
    assert found.period is None and found.unstable < predicted("hamilton").period
    lower, _ = found.bounds(found.unstable)
    before, _ = found.bounds(0.98 * found.unstable)
    assert before < 1 - 1e-9 <= lower
    assert "none proved" in repr(found) and "shown unstable from" in repr(found)


# -- answers that are no number --------------------------------------------------------------------


@pytest.mark.parametrize("kp, kd", [(-10.0, 20.0), (100.0, -1.0), (0.0, 20.0), (0.0, 0.0)])
def test_no_period_is_stable(kp, kd):
    found = px.control.safe_period(WEIGHTLESS, controller(kp=kp, kd=kd, robot=WEIGHTLESS), [0.3])
    assert found.period is None and found.rate is None and found.margin is None
    assert repr(found).startswith("<SafePeriod none: unstable even")


def test_every_period_is_stable():
    """Looked at only where it is."""
    found = predicted(longest=0.05)
    assert found.unstable == math.inf and found.period == pytest.approx(0.05)
    assert "nothing unstable found up to 0.05 s" in repr(found)


def test_a_loop_that_overflows_is_unstable():
    law = controller(kp=1e200, kd=1.0)
    found = px.control.safe_period(ARM, law, POSTURE, shortest=1e-3, longest=1e3)
    assert found.period is None
    assert found.spectral_radius(1e3) > 1


def test_bad_input_is_named():
    law = controller()
    around = ARM, law, round_and_round
    cases = [
        ("controller: .*3 joints", (ARM, controller(robot=PENDULUM), POSTURE), {}),
        ("controller: .*found str", (ARM, "pd", POSTURE), {}),
        (
            "one set of gains",
            (ARM, px.control.computed_torque(ARM, np.ones((2, 3)), 1.0), POSTURE),
            {},
        ),
        ("trajectory: ", (ARM, law, (0.1, 0.2)), {}),
        ("delay_share: .*found 1.5; .*pipelined", (ARM, law, POSTURE), {"delay_share": 1.5}),
        ("missed_in_a_row: ", (ARM, law, POSTURE), {"missed_in_a_row": -1}),
        ("decay: .*found -1", (ARM, law, POSTURE), {"decay": -1}),
        ("shortest: ", (ARM, law, POSTURE), {"shortest": 0.0}),
        (
            "longest: .*shortest, 2",
            (ARM, law, POSTURE),
            {"shortest": 2.0, "longest": 1.0},
        ),
        ("periodic: .*posture", (ARM, law, POSTURE), {"periodic": True}),
        ("duration: ", (ARM, law, round_and_round), {}),
        (
            "periodic cannot",
            around,
            {"periodic": True, "missed_in_a_row": 1, "duration": 1.0},
        ),
        (
            "periodic: .*positions differ by up to 0.36",
            around,
            {"periodic": True, "duration": 2.0},
        ),
        ("mass: .*found", (ARM, law, POSTURE), {"mass": np.ones((2, 3))}),
        ("weight", (ARM, law, POSTURE), {"weight": 1.0}),
    ]
    for message, given, options in cases:
        with pytest.raises(px.ArgumentError, match=message):
            px.control.safe_period(*given, **options)
    with pytest.raises(px.ArgumentError, match="period: "):
        predicted().spectral_radius(0.0)
    with pytest.raises(px.ArgumentError, match="q0: simulated_safe_period sets it"):
        px.control.simulated_safe_period(
            ARM, law, POSTURE, shortest=1e-3, longest=1e-2, duration=1.0, q0=POSTURE
        )
    with pytest.raises(px.ArgumentError, match="hold the robot"):
        px.control.safe_period(
            ARM, px.control.computed_torque(ARM, 1.0, 1.0, torque_limit=1e-3), (0.0, 0.0, 0.0)
        )
