"""The best cut: what is passed over could not have won."""

import numpy as np
import pytest

import paraxis as px
from paraxis.control.stale_policies import policy
from paraxis.control.tradeoff.best_cut import structured_cuts
from paraxis.control.tradeoff.pass_time import pass_time

ARM = px.robots.planar(2)
HARDWARE = 2, 20


def slowest(candidate, *postures):
    """Safe period over loop time, with nothing passed over."""
    law = px.control.computed_torque(ARM, 100.0, 20.0, candidate)
    each = [px.control.safe_period(ARM, law, q, delay_share=1.0).period for q in postures]
    safe = min(period or 0.0 for period in each)
    return safe / pass_time(px.control.speculate(ARM, candidate), *HARDWARE).period


@pytest.mark.parametrize("postures", [[[0.0, 0.0]], [[0.0, 0.0], [0.5, -2.0], [1.0, 1.5]]])
def test_it_is_the_best_of_all_that_were_searched(postures):
    """One posture or several, the least safe of which counts."""
    each = {candidate.name: slowest(candidate, *postures) for candidate in structured_cuts(ARM)}
    found = px.control.best_cut(ARM, *HARDWARE, posture=postures)
    assert found.postures == len(postures)
    assert found.searched == len(each) == 11
    assert found.slowest == pytest.approx(max(each.values()), rel=1e-3)
    assert found.slowest == pytest.approx(each[found.policy.name], rel=1e-9)
    assert found.exact_slowest == pytest.approx(each["exact"], rel=1e-9)
    assert found.gain >= max(1.0, found.proved_gain) and found.scheduled <= found.searched


def test_binder_and_herzog_and_yamakita_are_among_the_cuts():
    arm = px.robots.chain(3)
    reads = [px.control.speculate(arm, each).reads for each in structured_cuts(arm)]
    for name in ("exact", "binder_herzog", "yamakita_buffered", "hamilton", "pipelined"):
        assert px.control.speculate(arm, policy(name)).reads in reads


def test_with_one_processor_nothing_is_better_than_exact_control():
    found = px.control.best_cut(ARM, 1, 10)
    assert found.policy.name == "exact" and found.gain == 1
    with pytest.raises(px.ArgumentError, match="network"):
        px.control.best_cut(ARM, 1, 10, network="ring")


def test_what_cannot_be_searched_is_refused_by_name():
    best_cut = px.control.best_cut
    with pytest.raises(px.ArgumentError, match="kp, kd: exact control is not stable at any period"):
        best_cut(ARM, 2, 10, kd=0.0)
    with pytest.raises(px.ArgumentError, match="at most 10 joints between links, found 39"):
        best_cut(px.robots.chain(40), 2, 10)
    with pytest.raises(px.ArgumentError, match="latency: expected one number of flops, found 2"):
        best_cut(ARM, 2, [10, 20])


def test_the_default_posture_is_that_of_joints_of_any_kind():
    joints = [
        px.robots.Joint("ball", "spherical", -1, px.robots.Pose()),
        px.robots.Joint("hinge", "revolute", 0, px.robots.Pose(translation=(0.5, 0.0, 0.0))),
    ]
    robot = px.Robot("ball", joints, [px.robots.Inertia.of(1.0, (0, 0, 0.2), (0.1, 0.1, 0.1))] * 2)
    found = px.control.best_cut(robot, 2, 10)
    there = px.control.best_cut(robot, 2, 10, posture=[0.0, 0.0, 0.0, 1.0, 0.0])
    assert (found.slowest, found.policy.name) == (there.slowest, there.policy.name)
    with pytest.raises(px.ArgumentError, match="posture: the quaternion of joint 'ball'"):
        px.control.best_cut(robot, 2, 10, posture=np.zeros(5))


@pytest.mark.parametrize("posture", [[0.0], np.zeros((0, 2)), [[0.0, np.nan]], "up"])
def test_what_is_no_posture_is_refused(posture):
    with pytest.raises(px.ArgumentError, match=r"posture: expected 2 numbers, \(nq,\), or several"):
        px.control.best_cut(ARM, *HARDWARE, posture=posture)


def test_processors_without_tasks_cost_nothing():
    program = px.control.speculate(px.robots.planar(1), "exact")
    assert pass_time(program, 10**12, 5) == pass_time(program, 100, 5)
