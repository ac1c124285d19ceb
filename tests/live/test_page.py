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
from paraxis.live.ground import points_of, stance, standing
from paraxis.live.page import _ranges, _rows, _without_sliders, home
from paraxis.live.programs import (
    TOOL,
    method_for,
    poses_program,
    reach_program,
    step_program,
    with_tool,
)
from paraxis.robots.friction import Friction
from paraxis.robots.inertia import Inertia
from paraxis.robots.pose import Pose
from paraxis.robots.shape import Shape
from paraxis.robots.transmission import Transmission

HOSTILE = '</script><img src=x onerror="alert(1)">'
LIVE = "window.paraxis.live"
MASSLESS = """<robot name="massless"><link name="base"/><link name="arm"><inertial>
<origin xyz="0 0 0.2"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/></joint>
</robot>"""


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html)
    return json.loads(found[1])


def given(robot, q, qd, **others):
    """Inputs of a step, nothing acting but gravity and what is named."""
    push = np.zeros((robot.n, 6))
    arrays = {"tau": np.zeros(robot.nv), "gravity": robot.gravity, "load": 0.0}
    arrays |= {"damping": np.zeros(robot.nv), "push": push, "dt": 1e-3, "q": q, "qd": qd}
    return arrays | others


@pytest.fixture
def without_laws(monkeypatch):
    """Pages without control laws, whose safe periods take most of the time."""
    monkeypatch.setattr("paraxis.live.page.laws", lambda robot, home: ([], []))


@pytest.mark.usefixtures("without_laws")
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


def test_friction_that_is_too_stiff_for_rk4_is_implicit():
    joint = replace(px.robots.planar(1).joints[0], friction=Friction(viscous=1e4, coulomb=0.1))
    robot = replace(px.robots.planar(1), joints=(joint,), warn=False)
    matrix = px.mass_matrix(robot, np.zeros(1))
    assert method_for(robot, matrix, 1e-3) == "semi_implicit_euler"
    assert method_for(robot.without_friction(), matrix, 1e-3) == "rk4"
    step = step_program(robot, (0, [0.1, 0.0, 0.0]), method="semi_implicit_euler")
    arrays = given(robot, np.zeros(1), np.ones(1))
    expected = px.simulate(robot, [0.0], [1.0], dt=1e-3, steps=1, method="semi_implicit_euler")
    np.testing.assert_allclose(step.evaluate(**arrays)["qd_next"], expected.qd[-1], atol=1e-12)
    assert abs(expected.qd[-1]) < 1


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
        assert law["carry"]
        for own, other in zip(law["safe"], exact["safe"], strict=True):
            assert own < other
    robot = px.robots.planar(3)
    controller = px.control.computed_torque(robot, kp=4, kd=4, policy="hamilton")
    expected = px.control.safe_period(robot, controller, home(robot)).period
    found = dict(zip(data["frequencies"], data["laws"][2]["safe"], strict=True))[2.0]
    assert found == pytest.approx(expected, rel=1e-3)


@pytest.mark.usefixtures("without_laws")
def test_a_branched_robot_with_a_free_base_has_a_page():
    robot = random_robot(3, (2, 3)).with_floating_base()
    data = data_of(px.live_page(robot, ground=False))
    assert data["live"]["ground"] is None
    assert len(data["live"]["home"]) == robot.nq
    assert all(low <= high for _, _, low, high, _ in data["live"]["ranges"])


def legged():
    """A box on two legs that bend, with spheres as feet."""
    robot = px.robots.planar(2).with_floating_base()
    heavy = Inertia.of(3.0, (0.0, 0.0, 0.0), np.diag([0.1, 0.2, 0.3]))
    robot = replace(robot, inertias=(heavy, *robot.inertias[1:]), warn=False)
    sizes = (("box", (0.3, 0.3, 0.1), 0), ("sphere", (0.05,), 2))
    shapes = [Shape(kind, body, Pose(), kind, size, "collision") for kind, size, body in sizes]
    return replace(robot, shapes=tuple(shapes), warn=False)


def test_a_second_on_the_ground_is_a_second_of_simulate():
    wasm = pytest.importorskip("support.wasm")
    robot = legged()
    page = px.live_page(robot)
    ground, data = page.standing.ground, data_of(page)["live"]
    assert (
        len(ground.points) == 9
        and not page.standing.forces()
        .evaluate(q=page.home, impulses=np.zeros((9, 3)), dt=1.0)["gap"]
        .min()
        > 1e-9
    )
    instance = wasm.Instance(b64decode(data["plant"]["module"]))
    tau = np.array([0, 0, 0, 0, 0, 0, 0.3, -0.2])
    arrays = given(robot, page.home, np.zeros(8), tau=tau)
    arrays |= {"friction": np.full(9, 0.8), "impulses": np.zeros((9, 3))}
    carried = {"q": 9, "qd": 8, "impulses": 27}
    at = {name: instance.put(arrays[name]) for name in data["plant"]["about"]["inputs"]}
    rows = [(at[name], 8 * carried.get(name, 0)) for name in at]
    instance.call("plant_iterate", 1, 1000, 1000, 0, *(word for pair in rows for word in pair))
    run = px.simulate(robot, page.home, np.zeros(8), tau, dt=1e-3, steps=1000, ground=ground)
    np.testing.assert_allclose(instance.get(at["q"], (9,)), run.q[-1], atol=1e-9)
    np.testing.assert_allclose(instance.get(at["qd"], (8,)), run.qd[-1], atol=1e-9)
    assert run.impulses[-1].any() and np.isfinite(run.q[-1]).all()


def test_a_body_alone_stands_on_its_corners():
    text = """<robot name="crate"><link name="crate"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 2 3"/></geometry></collision></link></robot>"""
    robot = px.load(text, floating_base=True)
    assert {tuple(map(abs, point.position)) for point in points_of(robot)} == {(0.5, 1.0, 1.5)}
    found, _ = standing(robot, None, (0, (0.0, 0.0, 0.0)))
    assert found.lowered(px.neutral(robot))[2] == pytest.approx(1.5)


def test_a_ground_that_does_not_fit_is_refused():
    robot = legged()
    found, (note,) = standing(replace(robot, shapes=()), None, (0, (0.0, 0.0, 0.0)))
    assert found is None and "no collision shapes" in note
    for other, ground, why in (
        (robot, 3, "expected a px.simulation.Ground or False"),
        (px.robots.planar(1), px.simulation.Ground([px.simulation.ContactPoint("a")]), "free"),
    ):
        with pytest.raises(px.ArgumentError, match=why):
            px.live_page(other, ground=ground)
    for q in (np.zeros(3), np.zeros((2, 1)), [np.nan]):
        with pytest.raises(px.ArgumentError, match="q: expected"):
            px.live_page(px.robots.planar(1), q=q)


def test_knees_that_cannot_be_straight_leave_feet_where_they_stand():
    robot = px.load("go2", floating_base=True)
    q = stance(robot)
    assert abs(q[9::3] + 0.8378).max() < 1e-3  # as straight as they can be
    np.testing.assert_allclose(q[8::3], 0.42, atol=0.03)


def test_only_driven_joints_reach():
    robot = random_robot(3, (3, 3)).with_floating_base()
    rows = _rows(_ranges(robot))
    assert rows == [6, 7, 8]
    reach = reach_program(robot, (robot.tips[0], [0.1, 0.2, 0.3]), rows)
    q = home(robot)
    after = reach.evaluate(q=q, target=np.array([0.4, 0.5, 0.6]))
    np.testing.assert_array_equal(after[:7], q[:7])
    assert abs(after[7:] - q[7:]).max() > 1e-3


@pytest.mark.parametrize(
    "kind, lower, upper, expected",
    [
        ("revolute", 1.5, 1.6, (1.5, 1.6)),
        ("revolute", 4.0, 6.0, (4.0, 6.0)),
        ("revolute", -2 * np.pi, 2 * np.pi, (-np.pi, np.pi)),
        ("continuous", -np.inf, np.inf, (-np.pi, np.pi)),
        ("prismatic", 4.0, 6.0, (4.0, 6.0)),
        ("prismatic", 4.0, np.inf, (4.0, 5.0)),
        ("prismatic", 0.0, 0.04, (0.0, 0.04)),
        ("prismatic", -0.2, -0.1, (-0.2, -0.1)),
    ],
)
def test_sliders_and_the_first_posture_are_within_limits(kind, lower, upper, expected):
    (joint,) = px.robots.planar(1).joints
    joint = replace(joint, kind=kind, lower=lower, upper=upper)
    robot = replace(px.robots.planar(1), joints=(joint,), warn=False)
    ((_, _, *found, _),) = _ranges(robot)
    assert tuple(found) == pytest.approx(expected)
    assert found[0] < home(robot)[0] < found[1]


def test_joints_without_a_slider_are_named():
    robot = px.robots.planar(120)
    (note,) = _without_sliders(robot, _ranges(robot))
    assert "first 100 of 120 joints" in note
    robot = px.robots.planar(2).with_floating_base()
    (note,) = _without_sliders(robot, _ranges(robot))
    assert "'floating_base'" in note and "as if they had motors" in note


def test_a_robot_whose_accelerations_are_undefined_is_refused(tmp_path):
    path = tmp_path / "massless.urdf"
    path.write_text(MASSLESS)
    with pytest.warns(px.RobotWarning, match="no mass"):
        robot = px.load(path).with_floating_base()
    for ground in (False, px.simulation.Ground([px.simulation.ContactPoint("arm")])):
        with pytest.raises(px.ArgumentError, match="without mass"):
            px.live_page(robot, ground=ground)


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
    arm = px.robots.planar(3)
    geared = replace(arm.joints[0], transmission=Transmission(ratio=-50.0, rotor_inertia=1e-5))
    arm = replace(arm, joints=(geared, *arm.joints[1:]), warn=False)
    px.live_page(arm).to_html(path)
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

        # torques are held for long, but the robot moves on; no frame computes for longer than asked
        page.run(f"{LIVE}.reset(); {LIVE}.settings.period = 0.6")
        assert 0 < page.run(f"{LIVE}.advance(0.1, Infinity)") < 0.11
        assert page.run(f"{LIVE}.advance(1e3, performance.now() - 1)") < 0.05
        page.run("(law => { law.value = '2'; law.dispatchEvent(new Event('change')); })"
                 "(document.getElementById('law'))")  # fmt: skip
        assert page.run(f"{LIVE}.left") <= 600
        # a law that is chosen anew begins with the values of where the robot is
        torques = [
            page.run(
                f"(r => {{ r.law = {k}; r.plant.set({{ q: [1, -1, 0.5], qd: [1, 2, -1] }});"
                f"r.restart(); r.control(); return [...r.plant.arrays.tau]; }})({LIVE})"
            )
            for k in range(3)
        ]
        for stale in torques[1:]:
            np.testing.assert_allclose(stale, torques[0], rtol=1e-9)
        page.run(f"{LIVE}.laws[2].safe[1] = null; {LIVE}.settings.held = true")
        page.run("document.getElementById('law').dispatchEvent(new Event('change'))")
        verdict = page.run("document.getElementById('verdict').textContent")
        assert verdict.startswith("No safe period is known")


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")
def test_gravity_of_a_robot_that_has_none_can_be_turned_on(tmp_path):
    path = tmp_path / "still.html"
    px.live_page(replace(px.robots.planar(1), gravity=(0.0, 0.0, 0.0))).to_html(path)
    rows = "[...document.querySelectorAll('#panel .row')]"
    slider = f"{rows}.find(row => row.textContent.includes('Gravity'))"
    with browser() as page:
        page.look(width=640, height=480)
        page.open(path)
        page.until(f"{LIVE}?.time > 0", 60)
        assert page.run(f"{slider}.querySelector('output').textContent") == "0.0 m/s\u00b2"
        moved = "(i => { i.value = 1; i.dispatchEvent(new Event('input')); })"
        page.run(f"{moved}({slider}.querySelector('input'))")
        assert page.run(f"[...{LIVE}.plant.arrays.gravity]") == pytest.approx([0, 0, -9.81])

        px.live_page(legged()).to_html(path)
        page.open(path)
        carried = "document.getElementById('reading')?.textContent.includes('The ground carries')"
        page.until(carried, 60)
        assert page.run(f"{LIVE}.advance(0.3, Infinity), {LIVE}.touch()") > 0
        page.run(f"{LIVE}.reset(), {LIVE}.settings.held = false, {LIVE}.advance(0.01, Infinity)")
        assert not any(page.run(f"[...{LIVE}.plant.arrays.tau]"))
        assert page.run("paraxis.view.shown.forces && paraxis.buttons.forces.textContent")
        page.send("Page.addScriptToEvaluateOnNewDocument",
                  source="HTMLCanvasElement.prototype.getContext = () => null")  # fmt: skip
        page.open(path)
        page.until("!document.getElementById('trouble').hidden")
        assert "cannot draw in 3-D" in page.run("document.getElementById('trouble').textContent")
        assert not page.errors
