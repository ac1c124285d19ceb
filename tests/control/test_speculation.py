"""Inverse dynamics with stale values: exact where it must be, the paper's Table 1 where not."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, relative_error, robots, skew, states

import paraxis as px
from paraxis.physics import coupled_newton_euler, newton_euler
from paraxis.robots.model import Model

PLANAR, ARM = px.robots.planar(3), px.robots.chain(3)
TREE = random_robot(49, joints=(3, 3))
VARIABLES = coupled_newton_euler.VARIABLES
MOTION = ("q", "qd", "qdd")


def smooth_motion(robot, steps, period=0.01, start=0.3):
    """q, qd and qdd (steps, n) of sines that differ from joint to joint."""
    t = start + period * np.arange(steps)[:, None]
    rate = 1.0 + 0.7 * np.arange(robot.n)
    return np.sin(rate * t), rate * np.cos(rate * t), -(rate**2) * np.sin(rate * t)


@cache
def speculation(robot, policy):
    """The Program, made once: most of the time goes into compiling its start."""
    return px.control.speculate(robot, policy)


def exact_torques(robot, *motion, **parameters):
    """On floats, by another recursion than the one that is cut."""
    model = Model(robot, {name: value.tolist() for name, value in parameters.items()})
    states = zip(*(np.atleast_2d(each) for each in motion), strict=True)
    rows = [newton_euler.inverse_dynamics(model, *state) for state in states]
    return np.reshape(rows, np.shape(motion[0]))


def one_step(program, motion, carried, **more):
    """The torques of one state, and what is carried on from it."""
    inputs = dict(zip(MOTION, motion, strict=True)) | carried | more
    if program.policy.ahead:
        inputs = {f"{name}_ahead": inputs[name] for name in MOTION} | inputs
    results = program.evaluate(**inputs)
    if not program.carry:
        return results, {}
    return results["tau"], {name: results[after] for name, after in program.carry.items()}


def torques(program, motion, **more):
    """The torques (steps, n) of a motion, as if it had stood at its first state before."""
    rows = list(zip(*motion, strict=True))
    carried, found = program.start(*rows[0]), []
    for row in rows:
        tau, carried = one_step(program, row, carried, **more)
        found.append(tau)
    return np.array(found)


def an_arbitrary_past(program, seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-2, 2, program.inputs[name]) for name in program.carry}


# -- the recursion ---------------------------------------------------------------------------------


@settings(max_examples=20)
@given(robots(joints=(1, 5)))
def test_the_coupled_recursion_is_inverse_dynamics(robot):
    """Chains, trees, joints that slide, rotors, a base that is placed anywhere."""
    motion = states(robot, 2)
    ours = [
        coupled_newton_euler.inverse_dynamics(Model(robot), *row)
        for row in zip(*motion, strict=True)
    ]
    assert relative_error(ours, exact_torques(robot, *motion)) < 1e-12


@settings(max_examples=10)
@given(robots(joints=(1, 4)), st.integers(0, 999))
def test_the_coupled_recursion_on_a_moving_base_and_under_loads(robot, seed):
    rng = np.random.default_rng(seed)
    given = {
        "external_force": rng.uniform(-5, 5, (robot.n, 6)),
        "base_velocity": rng.uniform(-2, 2, 6),
        "base_acceleration": rng.uniform(-2, 2, 6),
    }
    motion = [row[-1] for row in states(robot, 2, seed)]
    model = Model(robot, {name: value.tolist() for name, value in given.items()})
    ours = coupled_newton_euler.inverse_dynamics(model, *motion)
    assert relative_error(ours, exact_torques(robot, *motion, **given)) < 1e-12


# -- where stale values change nothing -------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "name"),
    [(PLANAR, name) for name in px.control.policies()]
    + [(TREE, name) for name in ("hamilton", "yamakita_one_step_ahead")],
    ids=lambda part: getattr(part, "name", part),
)
def test_a_past_of_the_same_state_gives_exact_torques(robot, name):
    program = speculation(robot, name)
    for row in zip(*states(robot), strict=True):
        tau, carried = one_step(program, row, program.start(*row))
        assert relative_error(tau, exact_torques(robot, *row)) < 1e-12
        for kept, value in program.start(*row).items():
            assert abs(carried[kept] - value).max() < 1e-11


@pytest.mark.parametrize("name", px.control.policies())
def test_a_motion_that_stands_still_becomes_exact_from_any_past(name):
    program = speculation(ARM, name)
    row = [each[-1] for each in states(ARM, seed=3)]
    exact, carried = exact_torques(ARM, *row), an_arbitrary_past(program)
    errors = []
    for _ in range(25):
        tau, carried = one_step(program, row, carried)
        errors.append(relative_error(tau, exact))
    assert errors[-1] < 1e-10
    assert name == "exact" or errors[0] > 1e-2


@settings(max_examples=6)
@given(robots(joints=(1, 3), massless=True), st.sampled_from(px.control.policies()))
def test_any_robot_may_be_speculated_on(robot, name):
    row = [each[-1] for each in states(robot)]
    program = px.control.speculate(robot, name)
    tau, _ = one_step(program, row, program.start(*row))
    assert relative_error(tau, exact_torques(robot, *row)) < 1e-11


@pytest.mark.parametrize(
    "policy",
    [
        px.control.policy("exact"),
        px.control.policy("vuskovic", age=0),
        px.control.policy("hybrid", exact=VARIABLES),
        px.control.policy("hybrid", exact=VARIABLES, order=1),
        px.control.policy("pipelined", stages=1),
        [px.control.Cut(), px.control.Cut(age=0)],
        [px.control.Cut(age=0)],
        [],
    ],
    ids=str,
)
def test_no_stale_values_is_exact_control(policy):
    program = px.control.speculate(ARM, policy)
    motion = smooth_motion(ARM, 5)
    assert program.carry == {}
    assert relative_error(torques(program, motion), exact_torques(ARM, *motion)) < 1e-12


def test_stale_torques_go_to_the_exact_ones_with_the_period():
    """In proportion to it; to its square, where values are extrapolated."""

    def error(name, period):
        motion = smooth_motion(ARM, round(0.06 / period) + 1, period)
        last = torques(speculation(ARM, name), motion)[-1]
        return relative_error(last, exact_torques(ARM, *motion)[-1])

    for name in px.control.policies():
        if name != "exact":
            wide, narrow = error(name, 0.004), error(name, 0.002)
            order = 2 if name == "binder_herzog_first_order" else 1
            assert np.log2(wide / narrow) == pytest.approx(order, abs=0.25), name


# -- the paper's table -----------------------------------------------------------------------------

# The terms of Table 1, as "what is read in what": "i" is of the link itself, "p" of the link before
# it, "c" of the link after it. What a policy boxes is of the step before.
NEIGHBOURS = {"ωp", "ω̇p", "αp", "aep", "fc", "τc"}
BOXED = {
    "binder_herzog": NEIGHBOURS,
    "hamilton": NEIGHBOURS | {"ωi in α", "ωi in a", "ω̇i", "fi", "ωi in τ"},
    "hamilton_one_step": NEIGHBOURS
    | {"ωi in α", "ωi in a", "ω̇i", "fi", "ωi in τ", "aci in f", "αi in τ"},
    "yamakita_buffered": NEIGHBOURS | {"aci in f", "αi in τ", "ωi in τ"},
}


def rotation(joint, angle):
    k = skew(joint.axis)
    turn = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return np.array(joint.placement.rotation) @ turn


def table_1(robot, motion, boxed):
    """The paper's torques of an arm whose joints all turn, step by step, in plain NumPy.

    Links are counted from 1; link 0 is the base, and beyond the last link is nothing.
    """
    n, zero = robot.n, np.zeros(3)
    z = [None, *(np.array(joint.axis) for joint in robot.joints)]
    m = [None, *(body.mass for body in robot.inertias)]
    I = [None, *(body.matrix for body in robot.inertias)]
    centre = [None, *(np.array(body.com) for body in robot.inertias)]
    joint_at = [np.array(joint.placement.translation) for joint in robot.joints] + [zero]

    def step(q, qd, qdd, old, boxed):
        now = {name: {0: zero, n + 1: zero} for name in ("ω", "ω̇", "α", "ae", "ac", "f", "τ")}

        def read(term, i):
            name = term.split()[0][:-1]
            return (old if term in boxed else now)[name][i]

        R = {i: rotation(robot.joints[i - 1], q[i - 1]) for i in range(1, n + 1)}
        R[n + 1] = np.eye(3)
        g = {0: np.array(robot.gravity)}
        for i in range(1, n + 1):
            rate, push, T = z[i] * qd[i - 1], z[i] * qdd[i - 1], R[i].T
            ωp = T @ read("ωp", i - 1)
            now["ω"][i] = ωp + rate
            now["ω̇"][i] = T @ read("ω̇p", i - 1) + np.cross(ωp, rate) + push
            now["α"][i] = T @ read("αp", i - 1) + np.cross(read("ωi in α", i), rate) + push
            ω, ωd = read("ωi in a", i), read("ω̇i", i)
            for name, r in (("ae", joint_at[i]), ("ac", centre[i])):
                turning = np.cross(ωd, r) + np.cross(ω, np.cross(ω, r))
                now[name][i] = T @ read("aep", i - 1) + turning
            g[i] = T @ g[i - 1]
        for i in range(n, 0, -1):
            fc, s = R[i + 1] @ read("fc", i + 1), centre[i]
            now["f"][i] = fc + m[i] * read("aci in f", i) - m[i] * g[i]
            ω, α = read("ωi in τ", i), read("αi in τ", i)
            now["τ"][i] = (
                R[i + 1] @ read("τc", i + 1)
                - np.cross(read("fi", i), s)
                + np.cross(fc, s - joint_at[i])
                + I[i] @ α
                + np.cross(ω, I[i] @ ω)
            )
        return now

    rows = list(zip(*motion, strict=True))
    old, found = step(*rows[0], None, ()), []
    for row in rows:
        old = step(*row, old, boxed)
        found.append([z[i] @ old["τ"][i] for i in range(1, n + 1)])
    return np.array(found)


@pytest.mark.parametrize("name", BOXED)
@pytest.mark.parametrize("robot", [PLANAR, ARM], ids=["planar", "spatial"])
def test_torques_are_those_of_table_1(robot, name):
    motion = smooth_motion(robot, 20)
    exact = exact_torques(robot, *motion)
    assert relative_error(table_1(robot, motion, ()), exact) < 1e-12
    ours = torques(speculation(robot, name), motion)
    assert relative_error(ours, table_1(robot, motion, BOXED[name])) < 1e-12
    assert relative_error(ours, exact) > 1e-3


# -- what policies do ------------------------------------------------------------------------------


@pytest.mark.parametrize("age", [1, 2])
def test_extrapolation_is_exact_for_values_that_change_linearly(age):
    """At rest all values are linear in the accelerations."""
    program = px.control.speculate(ARM, [px.control.Cut(age=age, order=1)])
    q, _, qdd = (row[-1] for row in states(ARM))
    past = [program.start(q, 0 * q, qdd * (1 - 0.1 * ago)) for ago in range(age + 2)]
    carried = {name: past[int(name[-1])][name] for name in program.carry}
    tau, following = one_step(program, (q, 0 * q, qdd), carried)
    assert relative_error(tau, exact_torques(ARM, q, 0 * q, qdd)) < 1e-12
    for name, value in following.items():
        assert abs(value - past[int(name[-1]) - 1][name]).max() < 1e-12


def test_output_prediction_is_a_step_ahead():
    program = speculation(ARM, px.control.policy("vuskovic_output_prediction", age=0))
    motion = smooth_motion(ARM, 6)
    exact = exact_torques(ARM, *motion)
    expected = np.vstack([exact[:1], 2 * exact[1:] - exact[:-1]])
    assert relative_error(torques(program, motion), expected) < 1e-12
    the_same = speculation(ARM, (px.control.Cut(("torque",), age=0, order=1),))
    assert relative_error(torques(the_same, motion), expected) < 1e-12


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_a_pipeline_applies_the_torques_of_earlier_steps(stages):
    program = speculation(ARM, px.control.policy("pipelined", stages=stages))
    motion = smooth_motion(ARM, 8)
    exact, late = exact_torques(ARM, *motion), stages - 1
    expected = np.vstack([np.repeat(exact[:1], late, axis=0), exact[: 8 - late]])
    assert list(program.carry) == [f"torque_{age}" for age in range(1, stages)]
    assert relative_error(torques(program, motion), expected) < 1e-12


def test_one_motor_may_be_late():
    program = speculation(ARM, (px.control.Cut("torque", age=2, link=1),))
    motion = smooth_motion(ARM, 8)
    expected = exact_torques(ARM, *motion)
    expected[:, 1] = expected[[0, 0, 0, 1, 2, 3, 4, 5], 1]
    assert relative_error(torques(program, motion), expected) < 1e-12


def test_a_cut_tells_two_branches_apart():
    arm = px.robots.chain(3)
    fork = [replace(joint, parent=p) for joint, p in zip(arm.joints, (-1, 0, 0), strict=True)]
    program = px.control.speculate(
        replace(arm, joints=fork), [px.control.Cut("force", "force", of_link=2)]
    )
    cut = [read for read, ages in program.reads.items() if ages == (1,)]
    assert cut == [("force", 2, "force", 0)]


def test_one_step_ahead_forward_blocks_see_what_is_foreseen():
    """Backward blocks of a single link read what its forward block foresaw a step ago."""
    robot = px.robots.planar(1)
    program = px.control.speculate(robot, "yamakita_one_step_ahead")
    motion = smooth_motion(robot, 6)
    carried, found = program.start(*(row[0] for row in motion)), []
    for k in range(5):
        ahead = {f"{name}_ahead": row[k + 1] for name, row in zip(MOTION, motion, strict=True)}
        tau, carried = one_step(program, [row[k] for row in motion], carried, **ahead)
        found.append(tau)
    exact = exact_torques(robot, *motion)
    assert relative_error(found, exact[:5]) < 1e-12
    buffered = torques(speculation(robot, "yamakita_buffered"), motion)
    assert relative_error(buffered, exact) > 1e-4


@pytest.mark.parametrize("age", [1, 2])
def test_reads_that_may_meet_several_ages_are_told_which(age):
    motion = smooth_motion(ARM, 8)
    told = torques(
        speculation(ARM, px.control.policy("vuskovic", age=(1, 2))), motion, age=[age] * 3
    )
    known = torques(speculation(ARM, px.control.policy("vuskovic", age=age)), motion)
    assert abs(told - known).max() == 0


def test_an_age_that_no_read_can_meet_counts_as_the_oldest():
    motion = smooth_motion(ARM, 6)
    told = torques(
        speculation(ARM, px.control.policy("vuskovic", age=(2, 1))), motion, age=[7, 7, 7]
    )
    known = torques(speculation(ARM, px.control.policy("vuskovic", age=2)), motion)
    assert abs(told - known).max() == 0


def test_every_link_meets_its_own_age():
    motion, ages = smooth_motion(ARM, 8), (2, 0, 1)
    told = torques(speculation(ARM, px.control.policy("vuskovic", age=(0, 1, 2))), motion, age=ages)
    each = [px.control.Cut(between_links=True, age=age, link=i) for i, age in enumerate(ages)]
    assert abs(told - torques(px.control.speculate(ARM, each), motion)).max() == 0


# -- cuts of one's own -----------------------------------------------------------------------------


def test_a_cut_takes_the_reads_it_names():
    program = px.control.speculate(ARM, [px.control.Cut("force", "moment", age=2, link=1)])
    stale = {read for read, ages in program.reads.items() if ages == (2,)}
    assert stale == {("force", 1, "moment", 1), ("force", 2, "moment", 1)}
    assert set(program.carry) == {"force_1", "force_2"}
    own = px.control.speculate(ARM, [px.control.Cut("force", link=1, between_links=False)])
    assert [read for read, ages in own.reads.items() if ages != (0,)] == [("force", 1, "moment", 1)]


def test_a_cut_at_one_link_leaves_those_beyond_it_exact():
    motion = smooth_motion(ARM, 4)
    error = abs(
        torques(px.control.speculate(ARM, px.control.Cut("force", "moment", link=1)), motion)
        - exact_torques(ARM, *motion)
    ).max(axis=0)
    assert error[0] > 1e-6 and error[1] > 1e-6 and error[2] < 1e-12


def test_the_end_of_a_link_is_its_own_value():
    """An end acceleration belongs to the link that ends there, not to the joint that sits there."""
    owned = px.control.speculate(ARM, [px.control.Cut("end_acceleration", between_links=True)])
    assert {read for read, ages in owned.reads.items() if ages == (1,)} == {
        ("end_acceleration", 1, "com_acceleration", 1),
        ("end_acceleration", 1, "end_acceleration", 2),
        ("end_acceleration", 2, "com_acceleration", 2),
    }


def test_the_last_cut_that_matches_decides():
    program = px.control.speculate(
        ARM,
        [px.control.Cut(), px.control.Cut("omega", age=3), px.control.Cut("omega", "alpha", age=0)],
    )
    for (variable, _, by, _), ages in program.reads.items():
        expected = (
            0 if variable in ("gravity", "torque") or (variable, by) == ("omega", "alpha") else 1
        )
        assert ages == ((3 if variable == "omega" and expected else expected),)


def test_gravity_is_old_only_where_a_cut_names_it():
    motion = smooth_motion(PLANAR, 3)
    still = (motion[0], 0 * motion[1], 0 * motion[2])
    old = px.control.speculate(PLANAR, [px.control.Cut("gravity", age=1)])
    assert list(old.carry) == ["gravity_1"]
    assert "gravity_1" not in px.control.speculate(PLANAR, [px.control.Cut()]).carry
    # the torque of the last joint: gravity of a step ago, met as force and as gravity of link 2
    tau, _ = one_step(old, [row[2] for row in still], old.start(*(row[1] for row in still)))
    assert tau[2] == pytest.approx(exact_torques(PLANAR, *(r[1] for r in still))[2])
    assert tau[2] != pytest.approx(exact_torques(PLANAR, *(r[2] for r in still))[2])


# -- what is gained --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 9))
def test_time_steps_are_the_papers(n):
    robot = px.robots.chain(n)
    steps = {name: speculation(robot, name).time_steps for name in px.control.policies()}
    assert steps == {
        "exact": 2 * n,
        "binder_herzog": 2,
        "binder_herzog_first_order": 2,
        "hybrid": n + 1,  # the rates of turning go from link to link, all else is there
        "vuskovic": 2,
        "vuskovic_output_prediction": 2,
        "yamakita_buffered": 1,
        "yamakita_one_step_ahead": 1,
        "hamilton": 2,
        "hamilton_one_step": 1,
        "pipelined": 2 * n,
    }


def test_time_steps_of_a_tree_go_along_its_branches():
    arm = px.robots.chain(4)
    fork = [replace(joint, parent=p) for joint, p in zip(arm.joints, (-1, 0, 1, 0), strict=True)]
    assert px.control.speculate(replace(arm, joints=fork), "exact").time_steps == 6


def test_cuts_shorten_the_critical_path():
    names = ("exact", "binder_herzog", "hamilton", [px.control.Cut(), px.control.Cut("gravity")])
    for robot in (ARM, px.load("puma560")):
        depths = [px.control.speculate(robot, name).depth().flops for name in names]
        assert depths[0] > depths[1] > depths[2] >= depths[3]
    without_chains = [
        px.control.speculate(px.robots.chain(n), [px.control.Cut(), px.control.Cut("gravity")])
        .depth()
        .flops
        for n in (3, 12)
    ]
    assert without_chains[0] == without_chains[1]


# -- steps in a loop -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["binder_herzog_first_order", "hamilton", "pipelined"])
def test_a_compiled_loop_is_stepping_by_hand(name):
    program = speculation(ARM, name)
    motion = smooth_motion(ARM, 10)
    loop = program.compile_iterate(program.carry, per_step=MOTION, record=["tau"])
    first = program.start(*(row[0] for row in motion))
    carried, recorded = loop(steps=10, **dict(zip(MOTION, motion, strict=True)), **first)
    by_hand = torques(program, motion)
    assert relative_error(recorded["tau"], by_hand) < 1e-13
    again = {name: carried[name] for name in program.carry}
    last = [row[-1] for row in motion]
    assert (
        relative_error(
            one_step(program, last, again)[0],
            torques(program, [np.vstack([row, row[-1:]]) for row in motion])[-1],
        )
        < 1e-13
    )


def test_starts_have_batches():
    program = speculation(ARM, "hamilton")
    motion = states(ARM, 4)
    many = program.start(*motion)
    one = program.start(*(row[2] for row in motion))
    assert many["omega_1"].shape == (4, 3, 3)
    assert all(abs(many[name][2] - one[name]).max() == 0 for name in one)


def test_cuts_may_have_a_name():
    cuts = [px.control.Cut("force", age=2)]
    own = px.control.policy(cuts, name="mine")
    assert own.name == px.control.speculate(ARM, own).policy.name == "mine"
    assert px.control.policy(own) is own and own.cuts == px.control.policy(cuts).cuts
    assert px.control.policy(cuts).name == px.control.policy(cuts[0]).name == "cuts"


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: px.control.policy("bindr_herzog"),
            "found 'bindr_herzog'; did you mean 'binder_herzog'",
        ),
        (lambda: px.control.policy("quick"), r"policy: expected one of .*found 'quick'$"),
        (lambda: px.control.policy(3), "policy: expected .*found 3"),
        (
            lambda: px.control.policy(["omega"]),
            r"policy: expected a list of px.control.Cut, found 'omega'",
        ),
        (
            lambda: px.control.policy("hamilton", age=2),
            "'hamilton': expected no options, found 'age'",
        ),
        (
            lambda: px.control.policy("pipelined", stage=3),
            r"expected options of \(stages\), found 'stage'",
        ),
        (
            lambda: px.control.policy("hybrid", order=1, by=2),
            r"options of \(exact, order\), found 'by'",
        ),
        (lambda: px.control.policy("hybrid", exact=3), "policy 'hybrid': .*not iterable"),
        (
            lambda: px.control.policy([px.control.Cut()], age=2),
            r"of cuts: expected .*\(name\), found 'age'",
        ),
        (
            lambda: px.control.policy([px.control.Cut()], name="my own"),
            "expected a name of .*found 'my own'",
        ),
        (lambda: px.control.policy([px.control.Cut()], name=3), "expected a name of .*found 3"),
        (
            lambda: px.control.policy("hybrid", exact="spin"),
            r"cut variable: expected one of .*found 'spin'",
        ),
        (lambda: px.control.policy("hybrid", order=2), "order of .*found 2"),
        (
            lambda: px.control.policy("vuskovic", age=-1),
            "age as an integer >= 0.*found -1",
        ),
        (lambda: px.control.policy("pipelined", stages=0), "stages: expected .*>= 1, found 0"),
        (lambda: px.control.policy("pipelined", stages=1.5), "stages: expected .*found 1.5"),
        (lambda: px.control.Cut("velocity"), r"cut variable: expected one of .*found 'velocity'"),
        (
            lambda: px.control.Cut(by=("force", "torque")),
            "cut variable: expected one of .*found 'torque'",
        ),
        (lambda: px.control.Cut(["force"]), r"cut variable: expected one of .*found \['force'\]"),
        (lambda: px.control.Cut(age=-1), "found -1; values of future steps are not available"),
        (lambda: px.control.Cut(age=0.5), "age as an integer >= 0.*found 0.5$"),
        (lambda: px.control.Cut(age=()), r"age as an integer.*found \(\)"),
        (lambda: px.control.Cut(age=(1, 1)), r"several distinct ones, found \(1, 1\)"),
        (lambda: px.control.Cut(order=2), r"order of \(0, 1\), found 2"),
        (lambda: px.control.Cut(order=1, age=0), "needs age >= 1, found 0"),
        (lambda: px.control.Cut(order=1, age=(0, 1)), "needs age >= 1, found 0"),
        (lambda: px.control.Cut(link="joint2"), "number of a link or None, found 'joint2'"),
        (
            lambda: px.control.Cut(between_links="no"),
            "between_links True, False or None, found 'no'",
        ),
        (lambda: px.control.speculate(ARM, "stale"), "policy: expected one of .*found 'stale'"),
        (lambda: px.control.speculate("ur5"), "robot: expected a Robot .*found str"),
        (
            lambda: px.control.speculate(ARM, [px.control.Cut(link=3)]),
            "link=3.*matches no read of this robot",
        ),
        (
            lambda: px.control.speculate(ARM, [px.control.Cut("force", "omega")]),
            "'force'.*matches no read",
        ),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(px.ArgumentError, match=message):
        make()
