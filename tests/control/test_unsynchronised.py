"""Threads that do not wait for each other. What they find is chance; what follows from it is not.

No test asks how fast or how punctual a thread is: on a busy machine it may be neither.
"""

import io
import os
from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis.control.decoupled.link_groups import LinkGroups
from paraxis.graph.evaluate import evaluate
from paraxis.graph.trace import trace
from paraxis.targets.cpu.aside import on_another_thread
from paraxis.targets.cpu.free_running import compile_free_running
from paraxis.targets.cpu.team import team
from paraxis.targets.cpu.text.free_running import FreeBody
from paraxis.targets.cpu.threads import available

ARM = px.load("puma560")


def motion(robot, samples, size=1.0, seed=1):
    """Rows of joint values that all change from sample to sample, `size` in all."""
    rng = np.random.default_rng(seed)
    ways = np.linspace(0, size, samples)[:, None]
    return [rng.uniform(-1, 1, robot.n) + ways * rng.uniform(-1, 1, robot.n) for _ in range(3)]


def fork():
    """Two arms on one shoulder, a joint of one of them sliding."""
    one = px.robots.chain(3)
    joints = [*one.joints, replace(one.joints[1], name="slide", kind="prismatic")]
    joints += [replace(one.joints[2], name="wrist", parent=3)]
    return px.Robot("fork", joints, [*one.inertias, *one.inertias[1:]], [])


# -- one pass, by the interpreter ------------------------------------------------------------------


def taking_turns(groups, given, found, sample):
    """All groups in turn on one sample, until no data is of an earlier one; their last `kept`."""
    boards, kept = [None] * len(groups.bodies), [None] * len(groups.bodies)
    for _ in range(2 * ARM.n):  # the longest way through the links, a group at each
        for g, body in enumerate(groups.bodies):
            if all(boards[h] is not None for h in body.reads):
                found[g] = [boards[h][k] for h, places in body.reads.items() for k in places]
            arrays = {"sample": float(sample), "given": given[g]}
            arrays |= {"found": found[g]} if body.reads else {}
            results = evaluate(body.graph, arrays)
            boards[g], kept[g] = results.get("sent"), results["kept"]
    return kept


@pytest.mark.parametrize("groups", [1, 2, 6, [[0, 2, 4], [1, 3, 5]]], ids=str)
def test_groups_that_take_turns_agree_on_the_exact_torques(groups):
    split = LinkGroups(ARM, groups)
    joints = motion(ARM, 2)
    found = split.found_at_first(*(rows[0] for rows in joints))
    kept = taking_turns(split, [rows[1] for rows in split.given(*joints)], found, 1)
    exact = px.inverse_dynamics(ARM, *(rows[1] for rows in joints))
    for links, row in zip(split.links, kept, strict=True):
        torques, origins = np.split(row, 2)
        assert abs(torques - exact[links]).max() < 1e-12 * abs(exact).max()
        assert (origins == 1).all()


def test_a_pass_with_what_is_there_at_first_is_a_step_of_the_policy():
    """A group for each link, all at once with values of sample 0: Vuskovic's policy, age 1."""
    split = LinkGroups(ARM, ARM.n)
    joints = motion(ARM, 2)
    before, now = ([rows[k] for rows in joints] for k in (0, 1))
    program = px.control.speculate(ARM, "vuskovic")
    expected = program.evaluate(
        **dict(zip(("q", "qd", "qdd"), now, strict=True)), **program.start(*before)
    )["tau"]
    found, given = split.found_at_first(*before), [rows[1] for rows in split.given(*joints)]
    for i, body in enumerate(split.bodies):
        arrays = {"sample": 1.0, "given": given[i], "found": found[i]}
        torque, origin = evaluate(body.graph, arrays)["kept"]
        assert torque == pytest.approx(expected[i], rel=1e-12, abs=1e-12)
        assert origin == 0


# -- on threads ------------------------------------------------------------------------------------


def check(run, joints, robot):
    """What holds of every run, whatever the threads found."""
    samples = len(joints[0])
    exact = px.inverse_dynamics(robot, *joints)
    scale = np.maximum(1, abs(exact).max(axis=1))
    np.testing.assert_allclose(run.exact, exact, rtol=1e-12, atol=1e-12)
    assert (run.error == abs(run.torque - run.exact).max(axis=1) / scale).all()
    assert ((run.torque_age >= 0) & (run.torque_age <= np.arange(samples)[:, None])).all()
    fresh = run.torque_age == 0
    assert abs(np.where(fresh, run.torque - run.exact, 0)).max() < 1e-11 * scale.max()
    assert fresh[0].all()  # all there is at first is of sample 0
    for g in range(len(run.groups)):
        for h in range(len(run.groups)):
            if (g, h) in run.ages:
                assert run.ages[g, h].sum() == run.passes[:, g].sum()
                assert len(run.ages[g, h]) <= samples
    assert run.largest_age < samples
    assert (run.passes_per_second >= 0).all() and (run.overtaken >= 0).all()


def test_one_group_is_exact_and_late_at_most():
    joints = motion(ARM, 400)
    run = px.control.unsynchronised(ARM, groups=1)(*joints, period=1e-4)
    check(run, joints, ARM)
    assert run.ages == {} and run.overtaken.sum() == 0
    (age,) = np.unique(run.torque_age, axis=1).T  # one group: one age for all its torques
    late = run.exact[np.arange(400) - age]  # what was in place was exact for an earlier sample
    np.testing.assert_allclose(run.torque, late, rtol=1e-12, atol=1e-11)
    assert run.passes.sum() > 0


@pytest.mark.parametrize("groups", [2, [[5, 0, 2], [1, 3, 4]], 6], ids=str)
def test_a_constant_motion_has_exact_torques_whatever_the_ages(groups):
    joints = [np.repeat(rows, 3000, axis=0) for rows in motion(ARM, 1)]
    run = px.control.unsynchronised(ARM, groups)(*joints, period=5e-6)
    check(run, joints, ARM)
    assert run.error.max() < 1e-14


@pytest.mark.parametrize("period", [1e-3, 1e-5, 2e-7])
def test_two_groups_err_no_more_than_the_motion_can_change(period):
    samples, size = min(20_000, int(0.05 / period)), 1e-3
    joints = motion(ARM, samples, size)
    run = px.control.unsynchronised(ARM)(*joints, period)
    check(run, joints, ARM)
    state, step = np.concatenate([rows[0] for rows in joints]), 1e-6
    nearby = np.split(state + step * np.eye(len(state)), 3, axis=1)
    steepest = abs(px.inverse_dynamics(ARM, *nearby) - run.exact[0]).sum(axis=0).max() / step
    change = size * run.torque_age.max(axis=1) / (samples - 1)  # of a joint value since then
    scale = np.maximum(1, abs(run.exact).max(axis=1))
    assert (run.error <= 10 * steepest * change / scale + 1e-13).all()


@pytest.mark.parametrize("robot", [fork(), px.robots.planar(3)], ids=lambda robot: robot.name)
def test_trees_and_planar_arms_in_more_threads_than_there_may_be_cores(robot):
    joints = motion(robot, 2000)
    run = px.control.unsynchronised(robot, robot.n)(*joints, period=1e-5)
    check(run, joints, robot)
    assert set(run.ages) <= {(g, h) for g in range(robot.n) for h in range(robot.n) if g != h}


def test_a_record_is_of_one_pass():
    """A body sends one number many times over; what another finds of it is always one number."""
    width, samples = 200, 20_000

    def sender(sample, given):
        return {"kept": [given[0]], "sent": [sample, *(given[0] for _ in range(width))]}

    def reader(sample, given, found):
        low = high = found[0]
        for scalar in found[1:]:
            low, high = px.math.minimum(low, scalar), px.math.maximum(high, scalar)
        return {"kept": [high - low, found[0]]}

    sends = trace(sender, {"sample": (), "given": (1,)})
    takes = trace(reader, {"sample": (), "given": (1,), "found": (width,)})
    bodies = FreeBody(sends, {}), FreeBody(takes, {0: tuple(range(1, width + 1))})
    numbers = np.arange(samples, dtype=float)[:, None]
    logs = compile_free_running(bodies)([numbers, numbers], [[], np.zeros(width)], 1e-6)
    done = logs[1].passes > 0
    spread, taken = logs[1].kept[done].T
    assert done.any() and (spread == 0).all()
    assert (taken <= numbers[done, 0]).all() and (np.diff(taken) >= 0).all()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
@pytest.mark.skipif(available() < 2, reason="there is one core")
class TestCores:
    def test_a_run_stays_off_the_cores_of_the_others_and_leaves_the_caller_alone(self):
        cores = os.sched_getaffinity(0)
        px.control.unsynchronised(ARM)(*motion(ARM, 2), period=1e-5)  # now there is a member
        (other,) = (os.sched_getaffinity(thread) for thread in team._threads[:1])
        assert len(other) == 1 and other < cores
        own = on_another_thread(lambda: (team.keep_apart(2), os.sched_getaffinity(0))[1])
        (other,) = (os.sched_getaffinity(thread) for thread in team._threads[:1])
        assert own == cores - other
        assert os.sched_getaffinity(0) == cores

    def test_with_fewer_cores_than_threads_nobody_has_one_of_its_own(self):
        cores = os.sched_getaffinity(0)
        few = {min(cores)}
        os.sched_setaffinity(0, few)
        try:
            found = on_another_thread(lambda: (team.keep_apart(2), os.sched_getaffinity(0))[1])
        finally:
            os.sched_setaffinity(0, cores)
        assert found == few


def test_one_sample_and_a_period_shorter_than_any_pass():
    joints = motion(ARM, 1)
    run = px.control.unsynchronised(ARM)(*joints, period=1e-12)
    assert run.torque.shape == (1, 6) and run.error.max() < 1e-14
    check(run, joints, ARM)


def test_it_can_be_read():
    scheme = px.control.unsynchronised(ARM, [[0, 1, 2], [3, 4, 5]])
    assert scheme.groups == [[0, 1, 2], [3, 4, 5]]
    assert "links [3, 4, 5]: " in repr(scheme) and "values from others" in repr(scheme)
    run = scheme(*motion(ARM, 50), period=1e-4)
    assert "50 samples of 100 µs" in repr(run) and "error at most" in repr(run)


def test_ages_in_the_middle_and_at_most():
    run = px.control.unsynchronised(ARM)(*motion(ARM, 2), period=1e-5)
    counts = {(0, 1): np.array([7, 1, 0, 1]), (1, 0): np.array([1, 0, 4, 1]), (1, 2): np.array([])}
    found = replace(run, ages=counts)
    assert found.median_age == {(0, 1): 0, (1, 0): 2} and found.largest_age == 3
    assert "median age of values 0 to 2 samples, at most 3" in repr(found)
    assert "old" not in repr(replace(run, ages={}))


# -- what makes no sense ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "groups, says",
    [
        ([[0, 1, 2], [4, 5]], r"every link once, but links \[3\] are in none"),
        ([[0, 1, 2], [2, 3, 4, 5]], "link 2 in group 0 and in group 1"),
        ([[0, 1, 2, 3, 4, 5], []], "group 1 is empty"),
        ([[0, 1, 2, 3, 4, 5, 6]], r"group 0: expected links of 0 to 5 .* found 6"),
        ([["elbow"], [0, 1, 2, 3, 4, 5]], "found 'elbow'"),
        (0, "expected 1 to 6"),
        (7, "found 7"),
        (1.5, "expected a number, or a list of links"),
        ([], r"links \[0, 1, 2, 3, 4, 5\] are in none"),
    ],
)
def test_groups_that_are_none(groups, says):
    with pytest.raises(px.ArgumentError, match=says):
        px.control.unsynchronised(ARM, groups)


def test_more_groups_than_threads_are_refused():
    with pytest.raises(px.ArgumentError, match="at most 64"):
        px.control.unsynchronised(px.robots.chain(65), 65)


@pytest.mark.parametrize("period", [0, -1e-3, np.nan, np.inf, "fast", True])
def test_periods_that_are_none(period):
    with pytest.raises(px.ArgumentError, match="period: expected a number > 0 in seconds"):
        px.control.unsynchronised(ARM)(*motion(ARM, 3), period)


def test_motions_that_are_none():
    scheme, (q, qd, qdd) = px.control.unsynchronised(ARM), motion(ARM, 3)
    with pytest.raises(px.ArgumentError, match=r"qd: expected shape \(samples, 6\)"):
        scheme(q, qd[0], qdd, 1e-3)
    with pytest.raises(px.ArgumentError, match=r"found \(0, 6\)"):
        scheme(q[:0], qd[:0], qdd[:0], 1e-3)
    with pytest.raises(px.ArgumentError, match=r"equal numbers of samples, found \[3, 3, 2\]"):
        scheme(q, qd, qdd[:2], 1e-3)
    with pytest.raises(px.ArgumentError, match="qdd: expected finite"):
        scheme(q, qd, qdd * np.nan, 1e-3)
    with pytest.raises(px.ArgumentError, match="expected a Robot"):
        px.control.unsynchronised("puma560")


# -- the benchmark ---------------------------------------------------------------------------------


@pytest.mark.long
def test_the_benchmark_measures_and_prints():
    benchmark = pytest.importorskip("unsynchronised")  # of benchmarks/, with the peers' packages
    console = pytest.importorskip("rich.console")
    case = benchmark.measure("puma560", (1e-4,), 0.05)
    assert case["exact_pass_ns"] > 0 and case["rows"][0]["samples"] == 500
    page = io.StringIO()
    benchmark.show({"cases": [case]}, console.Console(file=page, width=150))
    assert "100 µs" in page.getvalue()
