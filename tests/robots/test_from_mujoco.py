"""MJCF and MuJoCo's models: the same motion as in MuJoCo, and a list of what is not read."""

import importlib.util
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import paraxis as px

mujoco = pytest.importorskip("mujoco")

from support.mujoco_functions import (  # noqa: E402
    Motion,
    bare,
    largest_difference,
    spring_difference,
)

BOX = '<geom type="box" size=".1 .2 .3" pos=".05 .1 .1" euler=".3 .2 .1"/>'
ROD = '<geom type="capsule" size=".03" fromto="0 0 0 .1 .2 .3"/>'

EVERYTHING = f"""
<mujoco model="everything"><compiler angle="radian"/><option gravity="0.3 -1 -9"/>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody>
  <site name="origin" pos="1 2 3"/>
  <body name="torso" pos=".1 .2 .3" euler=".1 .2 .3"><freejoint name="root"/>{BOX}
    <body name="arm" pos=".2 .1 0" quat=".9 .1 .3 .2">
      <joint name="s" type="slide" axis="1 2 3" pos=".1 .2 .3" ref=".1" range="-1 3"/>
      <joint name="h1" axis="0 1 1" pos=".02 .03 .1" ref=".7" armature=".1" range="-1 2"
             damping=".3" frictionloss=".2" actuatorfrcrange="-5 5"/>
      <joint name="h2" axis="1 0 0" pos="0 .1 0"/>{ROD}
      <body name="lump" pos=".1 0 .1" euler="0 .4 0"><geom size=".05"/>
        <site name="tip" pos="0 0 .1" euler=".1 .2 .3"/><site name="arm"/>
        <body pos="0 0 .2">
          <joint axis="0 0 1" ref="-.4"/>
          <joint name="b" type="ball" pos=".1 -.1 .2" armature=".05"/>{BOX}
        </body>
      </body>
    </body>
    <body name="leg" pos="-.2 0 0">
      <joint name="b2" type="ball" pos=".1 0 0"/><joint name="s2" type="slide" axis="0 1 0"/>{ROD}
    </body>
  </body>
  <body name="pole" pos="1 0 0"><geom size=".3"/>
    <body name="door"><joint name="d" axis="0 0 1" pos=".2 0 0"/>{BOX}</body>
  </body>
</worldbody></mujoco>"""


def body(joints, inside=BOX, rest=""):
    """A robot of one body."""
    world = f'<body name="a" pos="1 2 3" euler=".1 .2 .3">{joints}{inside}</body>'
    compiler = '<compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default>'
    return f"<mujoco>{compiler}<worldbody>{world}</worldbody>{rest}</mujoco>"


@pytest.fixture(autouse=True)
def _in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo, called by tests, writes its warnings to a file


def compiled(text):
    return mujoco.MjModel.from_xml_string(text)


def read(model):
    """A robot of a model, and the messages of warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        return px.robots.from_mujoco(model), [str(each.message) for each in found]


# -- the same motion -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "joints",
    [
        '<joint axis="1 2 3" pos=".1 .2 .3" ref=".5" armature=".2"/>',
        '<joint type="slide" axis="1 2 3" pos=".1 .2 .3" ref=".5" armature=".2"/>',
        '<joint type="ball" pos=".1 0 .2" armature=".3"/>',
        "<freejoint/>",
        '<joint axis="0 1 0"/><joint axis="0 1 1" pos=".1 0 0"/><joint axis="1 0 0"/>',
        '<joint axis="0 1 0" ref="1"/><joint type="ball" pos=".1 0 0"/>',
        '<joint type="ball" pos=".1 0 0"/><joint type="slide" axis="0 1 0" ref="1"/>',
    ],
)
def test_one_body_on_joints_of_each_kind(joints):
    model = compiled(body(joints))
    assert largest_difference(px.robots.from_mujoco(model), model) < 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_everything_at_once(seed):
    model = compiled(EVERYTHING)
    assert largest_difference(px.robots.from_mujoco(model), model, seed) < 1e-13


def test_everything_compiled():
    model = bare(compiled(EVERYTHING))
    robot = px.robots.from_mujoco(model)
    states = px.robots.mujoco_convention(robot, model)
    motions = [Motion(model, seed) for seed in range(3)]
    q, v, a, tau = (np.array([getattr(m, k) for m in motions]) for k in ("q", "v", "a", "tau"))
    Q, V, A = states.from_position(q), states.from_velocity(q, v), states.from_acceleration(q, v, a)
    T = states.from_force(q, tau)
    np.testing.assert_allclose(px.inverse_dynamics(robot, Q, V, A), T, rtol=1e-10, atol=1e-10)
    theirs = [m.accelerations() for m in motions]
    found = states.to_acceleration(Q, V, px.forward_dynamics(robot, Q, V, T))
    np.testing.assert_allclose(found, theirs, rtol=1e-10, atol=1e-10)
    sites = px.forward_kinematics(robot, Q, frame="tip")
    tip = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, "tip")
    there = [m.data.site_xpos[tip] for m in motions]
    np.testing.assert_allclose(sites[..., :3, 3], there, atol=1e-12)


def carried():
    """MJCF files in packages that are installed; those of MuJoCo itself are always there."""
    found = []
    for package in ("mujoco", "dm_control", "gymnasium", "mujoco_warp"):
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations if spec else ():
            found += sorted(Path(folder).rglob("*.xml"))
    return found


def test_models_that_packages_carry():
    compare_carried(0, 100)


@pytest.mark.long
def test_large_models_that_packages_carry():
    compare_carried(100, 10_000)


def compare_carried(above, most):
    """Those whose degrees of freedom are more than `above` and at most `most`."""
    compared = 0
    for path in carried():
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except (ValueError, mujoco.FatalError):
            continue  # parts of models
        large_or_small = not above < model.nv <= most  # and 0 of files without joints
        if large_or_small or getattr(model, "tendon_armature", np.zeros(1)).any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", px.RobotWarning)
            robot = px.robots.from_mujoco(model, couplings="independent")
        assert spring_difference(robot, model) < 1e-10, path
        assert largest_difference(robot, model) < 1e-10, path
        compared += 1
    if not compared:
        pytest.skip("no package carries a model")


# -- what is read ----------------------------------------------------------------------------------


def test_joints_and_frames():
    robot = px.robots.from_mujoco(compiled(EVERYTHING))
    assert robot.name == "everything"
    assert robot.gravity == (0.3, -1, -9)
    assert robot.joint_names == ["root", "s", "h1", "h2", "joint4", "b", "b2", "s2", "d"]
    assert [joint.kind for joint in robot.joints] == [
        *("free", "prismatic", "revolute", "revolute", "revolute"),
        *("spherical", "spherical", "prismatic", "revolute"),
    ]
    bodies = ["world", "torso", "arm", "lump", "body4", "leg", "pole", "door"]
    assert robot.frame_names == [*bodies, "origin", "tip", "arm_site"]
    slide, hinge = robot.joints[1:3]
    assert (slide.lower, slide.upper) == (-1, 3)
    assert (hinge.lower, hinge.upper, hinge.rotor_inertia, hinge.max_effort) == (-1, 2, 0.1, 5)
    assert hinge.friction == px.robots.Friction(viscous=0.3, coulomb=0.2)
    assert robot.root.mass == pytest.approx(1000 * 4 / 3 * math.pi * 0.3**3)
    assert [not body.is_massless() for body in robot.inertias] == [
        *(True, False, False, True, False, True, False, True, True)
    ]


def test_q_is_qpos():
    model = compiled(EVERYTHING)
    robot = px.robots.from_mujoco(model)
    q = px.robots.mujoco_convention(robot, model).from_position(model.qpos0)
    assert q.tolist() == [
        *(*model.qpos0[:3], *model.qpos0[4:7], model.qpos0[3]),
        *(0.1, 0.7, 0, -0.4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0),
    ]


def test_flags_that_switch_things_off():
    robot = px.robots.from_mujoco(bare(compiled(body('<joint damping="1" frictionloss="2"/>'))))
    assert robot.gravity == (0, 0, -9.81)
    assert not robot.has_losses
    weightless = '<option><flag gravity="disable"/></option>'
    robot = px.load(body('<joint damping="1" frictionloss="2"/>', rest=weightless))
    assert robot.gravity == (0, 0, 0)
    assert robot.has_losses


@pytest.mark.skipif(not hasattr(compiled(body("<joint/>")), "actuator_armature"), reason="MuJoCo 4")
def test_armature_and_damping_of_actuators_act_through_gears():
    drive = '<actuator><motor joint="h" gear="3" armature="2" damping=".7"/></actuator>'
    model = compiled(body('<joint name="h" armature=".5" damping="1"/>', rest=drive))
    robot, found = read(model)
    assert robot.joints[0].rotor_inertia == pytest.approx(18.5)
    assert robot.joints[0].friction.viscous == pytest.approx(7.3)
    assert largest_difference(robot, model) < 1e-13
    assert not found


def test_a_floating_base():
    text = body('<joint name="h"/>').replace(
        "<worldbody>", f'<worldbody><body name="w">{BOX}</body>'
    )
    fixed, floating = px.load(text), px.load(text, floating_base=True)
    assert floating == fixed.with_floating_base()
    assert floating.inertias[0] == fixed.root != px.robots.Inertia()
    with pytest.raises(px.RobotError, match="no moving joint; load it with floating_base=True"):
        px.load(body(""))
    assert px.load(body(""), floating_base=True).nv == 6
    with pytest.raises(px.RobotError, match="not on the free joint 'joint0'; load it without"):
        px.load(body("<freejoint/>"), floating_base=True)


# -- joints that follow others ---------------------------------------------------------------------

TIED = body(
    '<joint name="x" axis="0 0 1" ref=".3" armature=".2"/>'
    '<joint name="y" type="slide" axis="1 0 0" ref=".1"/>',
    BOX + f'<body name="b" pos="0 0 1"><joint name="z" axis="0 1 0" armature=".5"/>{ROD}</body>',
    """<equality><joint joint1="y" joint2="x" polycoef=".2 .5 -.3 .1 .05"/>
    <joint joint1="z" joint2="y" polycoef="0 2 0 0 0"/></equality>""",
)


def test_joints_that_equalities_tie_follow_others():
    model = compiled(TIED)
    robot, found = read(model)
    assert not found
    assert (robot.joint_names, robot.nq, robot.nv) == (["x", "y", "z"], 1, 1)
    states = px.robots.mujoco_convention(robot, model)
    bare(model)
    q, qd, qdd = np.array([[0.9], [-1.1]]), np.array([[0.7], [0.4]]), np.array([[1.3], [2.0]])
    position = states.to_position(q)
    x = q[0, 0] - 0.3
    y = 0.2 + 0.5 * x - 0.3 * x**2 + 0.1 * x**3 + 0.05 * x**4
    assert position[0].tolist() == pytest.approx([0.9, 0.1 + y, 2 * y])
    velocity, acceleration = states.to_velocity(q, qd), states.to_acceleration(q, qd, qdd)
    step = 1e-6
    ahead = states.to_position(q + step * qd), states.to_velocity(q + step * qd, qd + step * qdd)
    np.testing.assert_allclose((ahead[0] - position) / step, velocity, atol=1e-4)
    np.testing.assert_allclose((ahead[1] - velocity) / step, acceleration, atol=1e-4)
    program = px.program(robot, "inverse_dynamics", algorithm="spatial")
    data = mujoco.MjData(model)
    for k in range(2):
        data.qpos[:], data.qvel[:], data.qacc[:] = position[k], velocity[k], acceleration[k]
        mujoco.mj_inverse(model, data)
        found = program.evaluate(q=q[k], qd=qd[k], qdd=qdd[k])
        found = found["tau"] if isinstance(found, dict) else found
        there = states.from_force(position[k], data.qfrc_inverse)
        np.testing.assert_allclose(np.ravel(found), there, rtol=1e-12)
    assert states.from_position(position).tolist() == q.tolist()


def test_couplings_may_be_left_out():
    with pytest.warns(px.RobotWarning, match=r"equality constraints \(joint\) are not applied"):
        robot = px.load(TIED, couplings="independent")
    assert robot.nq == 3
    with pytest.raises(px.ArgumentError, match="couplings: expected one of 'followed', 'indep"):
        px.robots.from_mujoco(compiled(TIED), couplings="none")


def test_ties_that_no_joint_can_follow():
    more = '<joint joint1="x" joint2="z"/><joint joint1="z" joint2="x"/><joint joint1="x"/>'
    with pytest.warns(px.RobotWarning, match="not applied: 'eq2', 'eq3', 'eq4'"):
        robot = px.load(TIED.replace("</equality>", more + "</equality>"))
    assert robot.nq == 1


# -- what is not -----------------------------------------------------------------------------------

NOT_READ = {
    "a loop with a mocap body": (
        body(
            "<joint/>",
            f'{BOX}</body><body name="m" mocap="true">',
            rest='<equality><weld name="e" body1="a" body2="m"/></equality>',
        ),
        r"equality constraints \(weld\) are not applied: 'e'",
    ),
    "a tendon": (
        body(
            '<joint name="h"/><site name="x"/>',
            rest='<tendon><spatial name="t" stiffness="1"><site site="x"/><site site="y"/>'
            "</spatial></tendon>",
        ).replace("<worldbody>", '<worldbody><site name="y"/>'),
        "spatial tendons exert no force .*: 't'",
    ),
    "a fluid": (body("<joint/>", rest='<option viscosity="1"/>'), "the medium .* no force"),
    "gravity compensation": (
        body("<joint/>").replace('<body name="a"', '<body name="a" gravcomp="1"'),
        "gravity compensation exerts no force: 'a'",
    ),
    "a free joint's armature": (
        body('<joint type="free" name="f" armature="1"/>'),
        "the armature of a free joint acts along the axes of its body.*: 'f'",
    ),
}


@pytest.mark.parametrize("case", NOT_READ)
def test_what_changes_the_motion_is_told_once(case):
    text, message = NOT_READ[case]
    with pytest.warns(px.RobotWarning, match=f"^robot 'MuJoCo Model': {message}") as found:
        robot = px.load(text)
    assert len(found) == 1
    assert f"robot 'MuJoCo Model': {robot.ignored[0]}" == str(found[0].message)


def test_the_rest_is_listed_without_a_warning():
    rest = """<actuator><motor name="m" joint="h"/></actuator>
    <tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>
    <sensor><jointpos name="s" joint="h"/></sensor><keyframe><key name="home"/></keyframe>
    <equality><joint name="e" joint1="h" active="false"/></equality>"""
    robot, found = read(compiled(body('<joint name="h" actuatorfrcrange="-1 2"/>', rest=rest)))
    assert not found
    assert robot.ignored == (
        "actuators: 'm'",
        "sensors: 's'",
        "equality constraints that are switched off: 'e'",
        "tendons that exert no force of their own: 't'",
        "ranges of force of joints that differ by direction; the smaller of both is the limit: 'h'",
        "keyframes: 'home'",
    )
    assert robot.with_gravity((0, 0, 0)).ignored == robot.ignored
    assert px.load("ur5").ignored == ()


# -- files, and what is wrong with them ------------------------------------------------------------


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = body('<joint name="h"/>', BOX + '<site name="tip"/>')
    same = px.load(text)
    head = '<?xml version="1.0"?>\n<!-- -- as MuJoCo allows -- -->\n'
    for name in ("scene.xml", "scene.mjcf", "scene"):
        Path(name).write_text("\ufeff" + head + text, encoding="utf-8")
        assert px.load(Path(name).resolve()) == same == px.load(name)
    Path("scene.drives.yaml").write_text("joints:\n  h:\n    friction: {viscous: 3}\n")
    driven = px.load("scene.xml", tip="tip")
    assert driven.joints[0].friction.viscous == 3
    Path("outer.xml").write_text('<mujoco><include file="scene.xml"/></mujoco>')
    assert px.load("outer.xml") == same
    assert px.load(text, drives={"h": {"friction": px.robots.Friction(viscous=3)}}) == px.load(
        "scene.xml"
    )


def test_the_compilers_warnings_are_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deep = "".join(f"<body><joint/>{BOX}" for _ in range(2)) + "</body>" * 2
    text = f'<mujoco><compiler settotalmass="1"/><worldbody>{deep}</worldbody></mujoco>'
    before = mujoco.get_mju_user_warning()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        px.load(text)
    assert all(each.category is px.RobotWarning for each in found)
    assert mujoco.get_mju_user_warning() is before
    assert not list(tmp_path.iterdir())  # where MuJoCo would have written a log


HOSTILE = {
    "nothing": "<mujoco>",
    "another tag": "<mujoco><robot/></mujoco>",
    "a made-up joint": body('<joint type="helical"/>'),
    "no number": body('<joint axis="0 0 x"/>'),
    "no axis": body('<joint axis="0 0 0"/>'),
    "not a number": body('<joint armature="nan"/>'),
    "no mass": body("<joint/>", ""),
    "negative mass": body("<joint/>", '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'),
    "no such file": body("<joint/>", '<geom type="mesh" mesh="m"/>').replace(
        "<worldbody>", '<asset><mesh name="m" file="nothere.stl"/></asset><worldbody>'
    ),
    "no such include": '<mujoco><include file="nothere.xml"/></mujoco>',
    "a name twice": body('<joint name="j"/><joint name="j" axis="1 0 0"/>'),
    "a ball and a hinge": body('<joint type="ball"/><joint/>'),
    "an entity bomb": '<!DOCTYPE m [<!ENTITY a "aaaa">]><mujoco model="&a;"/>',
    "too deep": "<mujoco><worldbody>" + "<body>" * 100_000,
    "a NUL": body("<joint/>") + "\0",
    "half a character": '<mujoco model="\ud800"/>',
    "a long name": f'<mujoco model="{"x" * 100_000}"/>',
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning")
def test_hostile_text(case, tmp_path):
    with pytest.raises(px.RobotError) as error:
        px.load(HOSTILE[case])
    assert len(str(error.value)) < 1_000 and str(error.value).isprintable()
    if case != "half a character":
        path = tmp_path / "scene.mjcf"
        path.write_text(HOSTILE[case], encoding="utf-8")
        with pytest.raises(px.RobotError, match="scene.mjcf': ") as error:
            px.load(path)


def test_text_that_lost_characters(tmp_path):
    """Whatever is left of a model is read, or refused with words."""
    rng = np.random.default_rng(1)
    for _ in range(150):
        text = EVERYTHING
        for _ in range(rng.integers(1, 4)):
            start = rng.integers(len(text))
            middle = str(rng.choice(["", "nan", "1e999", "-1", "<body>", '"', "ball", "é", "/>"]))
            text = text[:start] + middle + text[start + rng.integers(0, 12) :]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", px.RobotWarning)
            try:
                robot = px.load(text)
            except px.RobotError:
                continue
        assert np.isfinite([body.mass for body in robot.inertias]).all()


def test_not_a_model():
    with pytest.raises(px.RobotError, match="expected a mujoco.MjModel, found str; see also"):
        px.robots.from_mujoco("scene.xml")
    with pytest.raises(px.RobotError, match="found a mujoco object, MjModel; px.robots.from_muj"):
        px.load(compiled(EVERYTHING))


def test_a_joint_whose_degrees_differ():
    model = compiled(body('<joint name="b" type="ball"/>'))
    model.dof_armature[:] = 1, 2, 3
    with pytest.raises(px.RobotError, match="joint 'b': armature: expected the same for all"):
        px.robots.from_mujoco(model)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(px.MissingPackageError, match=r"pip install 'paraxis\[mjcf\]'"):
        px.load(EVERYTHING)
