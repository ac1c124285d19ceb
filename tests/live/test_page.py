"""Pages that simulate a robot: the physics is that of px.simulate, and they work when opened."""

import json
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from support.browser import browser, chromium
from support.loops import four_bar
from support.robots import random_robot

import paraxis as px
from paraxis.live.page import home
from paraxis.live.programs import TOOL, poses_program, reach_program, step_program, with_tool

HOSTILE = '</script><img src=x onerror="alert(1)">'
LIVE = "window.paraxis.live"


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html)
    return json.loads(found[1])


def given(robot, q, qd, **others):
    """Inputs of a step, nothing acting but gravity and what is named."""
    push = np.zeros((robot.n, 6))
    arrays = {"tau": np.zeros(robot.nv), "gravity": robot.gravity, "load": 0.0}
    arrays |= {"damping": np.zeros(robot.nv), "push": push, "dt": 1e-3, "q": q, "qd": qd}
    return arrays | others


def test_a_second_of_the_page_is_a_second_of_simulate():
    wasm = pytest.importorskip("support.wasm")
    page, robot = px.live_page(px.load("ur5")), px.load("ur5")
    data, shapes = data_of(page)["live"], {"q": (6,), "qd": (6,)}
    assert data["home"] == page.home.tolist()
    instance = wasm.Instance(b64decode(data["plant"]["module"]))
    tau = np.linspace(-3, 3, 6)
    arrays = given(robot, page.home, np.zeros(6), tau=tau)
    at = {name: instance.put(arrays[name]) for name in data["plant"]["about"]["inputs"]}
    rows = [(at[name], 48 if name in shapes else 0) for name in at]
    instance.call("plant_iterate", 1, 1000, 1000, 0, *(word for pair in rows for word in pair))
    run = px.simulate(robot, page.home, np.zeros(6), tau, dt=1e-3, steps=1000)
    np.testing.assert_allclose(instance.get(at["q"], (6,)), run.q[-1], atol=1e-9)
    np.testing.assert_allclose(instance.get(at["qd"], (6,)), run.qd[-1], atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_loads_pushes_and_friction_are_those_of_the_library(seed):
    robot = random_robot(seed, (3, 5))
    tool = robot.tips[0], [0.1, 0.2, -0.1]
    step = step_program(robot, tool, limits=False)
    rng = np.random.default_rng(seed)
    q, qd, tau = rng.normal(size=(3, robot.n))
    push, damping = rng.normal(size=(robot.n, 6)), rng.uniform(size=robot.n)
    dt = 1e-7
    arrays = given(robot, q, qd, tau=tau, push=push, damping=damping, load=2.0, dt=dt)
    qdd = (step.evaluate(**arrays)["qd_next"] - qd) / dt
    load = px.payload(with_tool(robot, tool), 2.0, frame=TOOL)
    expected = px.forward_dynamics(
        robot, q, qd, tau - damping * qd, external_force=push, gravity=robot.gravity, **load
    )
    np.testing.assert_allclose(qdd, expected, rtol=1e-4, atol=1e-4 * abs(expected).max())


def test_matrices_of_bodies_and_the_way_to_a_point():
    robot = px.load("ur5")
    q = home(robot)
    poses = poses_program(robot).evaluate(q=q)
    assert poses.shape == (6, 4, 4)
    tool = robot.tips[0], [0.0, 0.1, 0.0]
    point = poses[tool[0]] @ [*tool[1], 1.0]
    target = point[:3] + [0.05, -0.1, 0.05]
    reach = reach_program(robot, tool)
    for _ in range(60):
        q = reach.evaluate(q=q, target=target)
    found = poses_program(robot).evaluate(q=q)[tool[0]] @ [*tool[1], 1.0]
    np.testing.assert_allclose(found[:3], target, atol=1e-3)


def test_what_a_page_says_of_each_law():
    data = data_of(px.live_page(px.robots.planar(3)))["live"]
    exact, *stale = data["laws"]
    assert exact["policy"] == "exact" and not exact["carry"]
    for law in stale:
        assert set(law["carry"]) == set(law["start"])
        for own, other in zip(law["safe"], exact["safe"], strict=True):
            assert own < other
    robot = px.robots.planar(3)
    controller = px.control.computed_torque(robot, kp=4, kd=4, policy="hamilton")
    expected = px.control.safe_period(robot, controller, home(robot)).period
    assert dict(zip(data["frequencies"], data["laws"][2]["safe"], strict=True))[2.0] == expected


def test_a_branched_robot_with_a_free_base_has_a_page():
    robot = random_robot(3, (2, 3)).with_floating_base()
    data = data_of(px.live_page(robot))
    assert len(data["live"]["home"]) == robot.nq
    assert all(low <= high for _, _, low, high, _ in data["live"]["ranges"])


def test_names_are_no_markup():
    robot = px.robots.planar(2)
    joints = [replace(joint, name=HOSTILE + str(k)) for k, joint in enumerate(robot.joints)]
    page = px.live_page(replace(robot, joints=tuple(joints), name=HOSTILE))
    assert "<img src=x" not in page.html and page.html.count("<script>") == 1
    assert "'wasm-unsafe-eval'" in page.html and "://" not in page.html.split("<script>")[0]


def test_closed_loops_are_refused():
    with pytest.raises(px.ArgumentError, match="loop"):
        px.live_page(four_bar())


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")
def test_a_page_in_chromium(tmp_path):
    """It moves, answers, loses an arm that is beyond its safe period, and asks for nothing."""
    path = tmp_path / "arm.html"
    px.live_page(px.robots.planar(3)).to_html(path)
    with browser() as page:
        page.look(width=640, height=480)
        page.open(path)
        page.until(f"{LIVE}?.time > 0.1", 60)
        rest = page.run(f"[...{LIVE}.q]")
        page.run(f"{LIVE}.goal[0] += 0.5")
        page.until(f"{LIVE}.q[0] - {rest[0]} > 0.4", 60)
        page.run("document.getElementById('s2').value = 1.0")
        page.run("document.getElementById('s2').dispatchEvent(new Event('input'))")
        page.until(f"{LIVE}.q[0] > 0.95", 60)

        ball = page.run("paraxis.view.project(paraxis.ball.position.clone())")
        goal = page.run(f"[...{LIVE}.goal]")
        page.drag(ball, (ball[0] - 30, ball[1] - 30), (ball[0] - 60, ball[1] - 60))
        assert page.run(f"[...{LIVE}.goal]") != goal

        page.run("(law => { law.value = '1'; law.dispatchEvent(new Event('change')); })"
                 "(document.getElementById('law'))")  # fmt: skip
        page.run(f"{LIVE}.settings.period = 2 * {LIVE}.laws[1].safe[1]; {LIVE}.qd[0] += 1")
        page.until(f"{LIVE}.lost", 90)
        page.until("document.getElementById('verdict').textContent.startsWith('Lost')")
        assert all(map(np.isfinite, page.run(f"[...{LIVE}.q]")))
        assert not page.errors and not page.messages and len(page.requests) == 1
