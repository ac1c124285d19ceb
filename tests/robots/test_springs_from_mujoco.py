"""Springs and fixed tendons of MuJoCo's models: the same forces, energy and motion as there."""

import warnings

import numpy as np
import pytest

import paraxis as px

mujoco = pytest.importorskip("mujoco")

from support.functions import error, interpreted  # noqa: E402

BOX = '<geom type="box" size=".1 .2 .3" pos=".05 .1 .1" euler=".3 .2 .1"/>'
SPRUNG = f"""
<mujoco model="sprung"><compiler angle="radian"/><option gravity="0.3 -1 -9"/>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody>
  <body name="torso" pos=".1 .2 .3" euler=".1 .2 .3">
    <joint name="root" type="free" stiffness="3"/>{BOX}
    <body name="arm" pos=".2 .1 0" quat=".9 .1 .3 .2">
      <joint name="s" type="slide" axis="1 2 3" ref=".1" stiffness="4" springref=".3"/>
      <joint name="h1" axis="0 1 1" pos=".02 .03 .1" ref=".7" stiffness="2" springref="-.4"/>
      <joint name="h2" axis="1 0 0" damping="1"/>{BOX}
      <body name="hand" pos="0 0 .2">
        <joint name="b" type="ball" stiffness="1.5" damping=".2"/>{BOX}
        <body pos="0 .1 0"><joint name="h3" axis="0 1 0"/>{BOX}</body>
      </body>
    </body>
  </body>
</worldbody>
<tendon>
  <fixed name="band" stiffness="5" springlength="-.2 .4" damping=".3" frictionloss=".1">
    <joint joint="h1" coef=".7"/><joint joint="h2" coef="-1.2"/><joint joint="s" coef=".5"/>
  </fixed>
  <fixed name="tight" stiffness="7"><joint joint="h2" coef="2"/><joint joint="h3" coef="1"/></fixed>
</tendon></mujoco>"""

CURVED = {  # newer versions of MuJoCo take polynomials
    'name="root" type="free" stiffness="3"': 'name="root" type="free" stiffness="3 2 1"',
    'springref=".3"': 'springref=".3"',
    'ref=".7" stiffness="2"': 'ref=".7" stiffness="2 .5 .25"',
    'type="ball" stiffness="1.5"': 'type="ball" stiffness="1.5 0 2"',
    'name="tight" stiffness="7"': 'name="tight" stiffness="7 3"',
}


def conservative(text):
    """A model with no force but gravity and springs, in a random motion."""
    model = mujoco.MjModel.from_xml_string(text)
    bits = mujoco.mjtDisableBit
    for word in ("DAMPER", "CONSTRAINT", "CONTACT", "ACTUATION"):
        model.opt.disableflags |= int(getattr(bits, f"mjDSBL_{word}"))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    return model


def moving(model, seed=0, far=1.0):
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    turn, data.qvel[:], data.qacc[:] = rng.normal(size=(3, model.nv))
    mujoco.mj_integratePos(model, data.qpos, far * turn, 1.0)
    return data


def without_warning(model, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return px.robots.from_mujoco(model, **options)


def differences(robot, model, data):
    """Of inverse dynamics, forward dynamics, energy and the forces of springs."""
    states = px.robots.mujoco_convention(robot, model)
    position, velocity, acceleration = data.qpos.copy(), data.qvel.copy(), data.qacc.copy()
    q, qd = states.from_position(position), states.from_velocity(position, velocity)
    qdd = states.from_acceleration(position, velocity, acceleration)
    mujoco.mj_inverse(model, data)
    tau = states.from_force(position, data.qfrc_inverse)
    yield error(interpreted("inverse_dynamics", robot, q, qd, qdd), tau)
    yield error(interpreted("forward_dynamics", robot, q, qd, tau), qdd)
    springs = states.from_force(position, -data.qfrc_spring)
    yield error(interpreted("spring_torques", robot, q), springs)
    mujoco.mj_energyPos(model, data)
    yield error(interpreted("potential_energy", robot, q), data.energy[0])


@pytest.mark.parametrize("far", [0.1, 1.0, 3.0])
def test_the_forces_and_the_energy_of_springs(far):
    model = conservative(SPRUNG)
    robot = without_warning(model)
    assert robot.tendon_names == ["band", "tight"]
    for seed in range(3):
        assert max(differences(robot, model, moving(model, seed, far))) <= 1e-10


def test_springs_that_harden():
    text = SPRUNG
    for linear, curved in CURVED.items():
        assert linear in text
        text = text.replace(linear, curved)
    try:
        model = conservative(text)
    except ValueError:
        pytest.skip("this version of MuJoCo has linear springs only")
    robot = without_warning(model)
    assert robot.joint("h1").spring.stiffness == (2.0, 0.5, 0.25)
    for seed in range(3):
        assert max(differences(robot, model, moving(model, seed))) <= 1e-10


def test_what_flags_switch_off():
    model = conservative(SPRUNG)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    for word in ("SPRING", "PASSIVE"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{word}", 0))
    robot = without_warning(model)
    assert not robot.has_springs and not robot.tendons


def test_the_damping_of_tendons():
    """What MuJoCo's dampers take is what motors bring."""
    model = conservative(SPRUNG)
    bits = mujoco.mjtDisableBit
    model.opt.disableflags &= ~int(bits.mjDSBL_DAMPER)
    model.opt.disableflags |= int(bits.mjDSBL_FRICTIONLOSS)
    robot = without_warning(model)
    data = moving(model)
    states = px.robots.mujoco_convention(robot, model)
    position, velocity = data.qpos.copy(), data.qvel.copy()
    q, qd = states.from_position(position), states.from_velocity(position, velocity)
    qdd = states.from_acceleration(position, velocity, data.qacc)
    mujoco.mj_inverse(model, data)
    found = interpreted("motor_torques", robot, q, qd, qdd)
    assert error(found[-1], states.from_force(position, data.qfrc_inverse)) <= 1e-10
    dampers = states.from_force(position, -data.qfrc_damper)
    assert error(found[1], dampers) <= 1e-12 and abs(dampers).max() > 0.1


# -- equalities ------------------------------------------------------------------------------------

TIED = f"""
<mujoco model="tied"><compiler angle="radian"/>
<default><geom contype="0" conaffinity="0"/></default>
<worldbody><body><joint name="a" axis="0 1 0" ref=".2"/>{BOX}
  <body pos="0 0 .5"><joint name="b" axis="1 0 0" stiffness="2"/>{BOX}
    <body pos="0 .2 .1"><joint name="c" type="slide" axis="0 0 1" ref="-.1"/>{BOX}
      <body pos=".1 0 .1"><joint name="d" axis="0 1 0" stiffness="3"/>{BOX}
        <body pos=".1 0 .1"><joint name="e" axis="0 0 1"/>{BOX}</body></body>
    </body></body></body></worldbody>
<tendon>
  <fixed name="t1"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed>
  <fixed name="t2"><joint joint="c" coef="4"/><joint joint="d" coef=".5"/></fixed>
</tendon>
<equality>{{}}</equality></mujoco>"""
EQUALITIES = {
    "of two tendons": ('<tendon name="x" tendon1="t1" tendon2="t2" polycoef=".1 .3"/>', {"d": 3}),
    "of one": ('<tendon tendon1="t2" polycoef=".1"/>', {"d": 1}),
    "of both": (
        '<tendon tendon1="t1"/><tendon tendon1="t2" tendon2="t1" polycoef="0 2"/>',
        {"b": 1, "d": 1},
    ),
    "after joints": (
        '<joint joint1="d" joint2="b" polycoef=".2 .5"/><tendon tendon1="t1" tendon2="t2"/>',
        {"c": 2, "d": 1},
    ),
    "of leaders": (
        '<joint joint1="e" joint2="d" polycoef="0 1 .3"/><joint joint1="b" joint2="c"/>'
        '<tendon tendon1="t2" polycoef=".2"/>',
        {"b": 1, "d": 1, "e": 1},
    ),
}


@pytest.mark.parametrize("words", EQUALITIES)
def test_equalities_of_tendons_are_couplings(words):
    equalities, followers = EQUALITIES[words]
    model = mujoco.MjModel.from_xml_string(TIED.format(equalities))
    robot = without_warning(model)
    found = {j.name: len(j.coupling.leaders) for j in robot.joints if j.coupling}
    assert found == followers and robot.nv == 5 - len(found)
    states = px.robots.mujoco_convention(robot, model)
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, robot.nv))
    data.qpos[:], data.qvel[:] = states.to_position(q), states.to_velocity(q, qd)
    data.qacc[:] = states.to_acceleration(q, qd, qdd)
    mujoco.mj_inverse(model, data)  # which also finds by how much constraints are missed
    assert data.nefc and abs(data.efc_pos[: data.nefc]).max() <= 1e-12
    assert abs(data.efc_vel[: data.nefc]).max() <= 1e-12
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mujoco.mj_inverse(model, data)
    tau = states.from_force(data.qpos, data.qfrc_inverse)
    assert error(interpreted("inverse_dynamics", robot, q, qd, qdd), tau) <= 1e-10


def test_independent_joints_are_not_tied():
    model = mujoco.MjModel.from_xml_string(TIED.format('<tendon name="x" tendon1="t1"/>'))
    with pytest.warns(px.RobotWarning, match="equality constraints \\(tendon\\) are not .*: 'x'"):
        assert px.robots.from_mujoco(model, couplings="independent").nv == 5


@pytest.mark.parametrize(
    ("equality", "tendon", "message"),
    [
        ('<tendon name="x" tendon1="t1" tendon2="t2" polycoef="0 1 1"/>', "", "\\(tendon\\).*'x'"),
        ('<tendon name="x" tendon1="t3"/>', '<joint joint="e" coef="1"/>', "\\(tendon\\).*'x'"),
        ("", '<joint joint="e" coef="1"/>', "limits of tendons are not applied: 't3'"),
    ],
)
def test_what_is_left_out_of_fixed_tendons(equality, tendon, message):
    text = TIED.format(equality)
    if tendon:
        limit = 'limited="true" range="-1 1"' if not equality else ""
        text = text.replace(
            "</tendon>\n<eq", f'<fixed name="t3" {limit}>{tendon}</fixed></tendon><eq'
        )
    with pytest.warns(px.RobotWarning, match=message):
        px.robots.from_mujoco(mujoco.MjModel.from_xml_string(text))
