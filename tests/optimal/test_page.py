"""Pages of solutions: what is on them, and that robots move there without a script."""

import re

import numpy as np
import pytest
from support.joints import robot_of

import paraxis as px
from paraxis.checks import counted
from paraxis.drawing.stick_figure import MOST_PICTURES, stick_figure, sticks

STEP = px.trace(lambda x, u: [x[0] + 0.1 * x[1], x[1] + 0.1 * u[0]], x=2, u=1)


def page(found, tmp_path):
    found.to_html(tmp_path / "page.html")
    return (tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_arm_moves_on_the_page(tmp_path):
    arm = px.robots.planar(3)
    solver = px.optimal_control(
        arm, lambda qd, u: qd @ qd + 1e-3 * (u @ u), 20, dt=0.02, terminal=lambda q: 100 * (q @ q)
    )
    found = solver.solve(np.full((4, 6), 0.3))
    shown = px.show(found, open=False).motion
    assert shown.q.shape == (21, 4, 3) and np.array_equal(shown.q[:, 1], found.q[1])
    assert shown.t[-1] == pytest.approx(0.4)
    text = page(found, tmp_path)
    assert "<script" not in text and "4 problems" in text and "solved" in text
    for words in ("Least cost", "Median cost", "Largest cost", "from the side", "times slower"):
        assert words in text
    assert text.count("<polyline") >= 6 and 'attributeName="points"' in text


def test_what_is_not_drawn_is_named(tmp_path):
    solver = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 5)
    text = page(solver.solve([[np.nan, 0.0], [1.0, 0.0]]), tmp_path)
    with pytest.raises(px.ArgumentError, match="no robot to show"):
        px.show(solver.solve([[1.0, 0.0]]), open=False)
    assert "Not drawn" in text and "x0" in text and "failed" in text
    wide = px.trace(lambda x, u: x + 0.1 * u, x=10, u=10)
    solver = px.optimal_control(wide, lambda x, u: x @ x + u @ u, 3)
    assert "x8 to x9, u8 to u9" in page(solver.solve(np.ones(10)), tmp_path)


@pytest.mark.parametrize("batch", [(0,), (1,), (2, 3)])
def test_batches_of_every_shape(batch, tmp_path):
    solver = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 5)
    words = counted(int(np.prod(batch)), "problem")
    assert words in page(solver.solve(np.ones((*batch, 2))), tmp_path)


def test_a_single_problem_has_no_spread(tmp_path):
    solver = px.optimal_control(STEP, lambda x, u: x @ x + u @ u, 5)
    of_batch = "median", "cost over the batch", "problems that are done"
    alone, several = (page(solver.solve(np.ones(shape)), tmp_path) for shape in ((2,), (3, 2)))
    assert "The search" in alone and not any(words in alone for words in of_batch)
    assert all(words in several for words in of_batch)


def test_sticks_are_where_the_frames_are():
    robot = px.load("ur5")
    q = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    (points,) = sticks(robot, q)
    assert points.shape == (3, 8, 3) and not points[:, 0].any()
    assert np.allclose(points[:, -1], px.forward_kinematics(robot, q, "tool0")[:, :3, 3])
    free = robot_of(["free", "revolute", "revolute"], [-1, 0, 0], 2)
    q = px.integrate(free, px.neutral(free), np.full((5, free.nv), 0.1))
    found = sticks(free, q)
    assert len(found) == 2 and not np.allclose(found[0][:, 0], 0)


def test_long_motions_are_thinned_and_quick_ones_slowed():
    robot = px.robots.planar(2)
    q = np.linspace(0, 1, 1001)[:, None] * np.ones(2)
    text, slower = stick_figure(robot, q, 0.01)
    times = re.search('keyTimes="([^"]*)"', text).group(1).split(";")
    assert slower == 1 and len(times) <= MOST_PICTURES + 1
    assert times[0] == "0.0000" and times[-1] == "1.0000"
    assert stick_figure(robot, q[:11], 0.01)[1] == 20
