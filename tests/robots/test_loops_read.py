"""Closed loops as MuJoCo and Pinocchio have them: open by as much, closed by the same motion."""

import numpy as np
import pytest
from support.rows import model_of_rows

import paraxis as px
from paraxis.physics.contact.loop_motion import closing, seen_from_second

# a free body with two arms, whose ends meet at qpos0 by construction of the equality
TREE = """
<mujoco><compiler angle="radian"/><option jacobian="dense" gravity="0 0 0"/>
<default><geom contype="0" conaffinity="0" size=".1"/></default>
<worldbody><site name="spot" pos=".3 .2 .1" euler=".1 .5 .2"/>
  <body name="trunk" pos=".1 .2 .3" euler=".1 .2 .3"><freejoint name="root"/><geom/>
    <body name="a" pos=".5 0 0" euler=".3 0 .1"><joint name="a1" axis="0 1 0" ref=".3"/>
      <joint name="a2" type="ball" pos=".1 0 0"/><geom/>
      <body name="b" pos=".4 .1 0"><joint name="b" axis="1 1 0"/><geom/>
        <site name="tip" pos=".2 0 .1" euler=".4 .2 .1"/>
        <body name="lump" pos=".1 .2 .1"><geom/></body>
      </body></body>
    <body name="c" pos="-.5 0 0" euler="0 .3 .1"><joint name="c" type="slide" axis="0 1 1"/><geom/>
      <body name="d" pos=".1 .1 .3"><joint name="d" axis="0 1 0" pos=".1 0 0"/><geom/>
        <site name="pin" pos=".1 .2 .3" euler=".1 0 .3"/></body></body>
  </body>
</worldbody>
<equality>{}</equality></mujoco>"""

EQUALITIES = {
    "connect": '<connect name="e" body1="b" body2="d" anchor=".1 .2 .3"/>',
    "a part of a body": '<connect name="e" body1="lump" body2="c" anchor=".1 .2 .3"/>',
    "to the world": '<connect name="e" body1="b" anchor=".1 .2 .3"/>',
    "weld": '<weld name="e" body1="b" body2="d" anchor=".1 .2 .3" torquescale="2"/>',
    "to the world, welded": '<weld name="e" body1="d" anchor=".1 .2 .3"/>',
    "a pose": '<weld name="e" body1="b" body2="c" relpose=".1 .2 .3 .8 .2 .1 .3"/>',
    "sites": '<connect name="e" site1="tip" site2="pin"/>',
    "sites, welded": '<weld name="e" site1="tip" site2="pin"/>',
    "a site of the world": '<weld name="e" site1="tip" site2="spot" torquescale=".5"/>',
    "a weld that lets turn": '<weld name="e" body1="b" body2="d" torquescale="0"/>',
}


def read(case, **options):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(TREE.format(EQUALITIES[case]))
    return model, px.robots.from_mujoco(model, **options)


def rows_of_mujoco(model, qpos):
    """efc_pos and efc_J of the equality, along the axes of the world."""
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    mine = np.flatnonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY))
    return data.efc_pos[mine], data.efc_J.reshape(-1, model.nv)[mine]


def ours(robot, q):
    """What the loop is open by, and its slopes, in floats."""
    here = model_of_rows(robot)
    (loop,) = here.robot.loops
    error, slopes = closing(here, list(q), loop)
    return np.array(error, float), np.array(slopes, float)


@pytest.mark.parametrize("case", EQUALITIES)
def test_it_is_open_as_in_mujoco(case):
    import mujoco

    model, robot = read(case)
    states = px.robots.mujoco_convention(robot, model)
    scale = model.eq_data[0][10]
    for seed in range(3):
        qpos = model.qpos0.copy()
        v = 0.5 * np.random.default_rng(seed).normal(size=model.nv)
        mujoco.mj_integratePos(model, qpos, v, 1.0)
        theirs, _ = rows_of_mujoco(model, qpos)
        error, _ = ours(robot, states.from_position(qpos))
        turns = len(error) - 3  # rotations first here, last there
        assert turns == (3 if "weld" in EQUALITIES[case] and scale else 0)
        np.testing.assert_allclose(
            np.linalg.norm(error[turns:]), np.linalg.norm(theirs[:3]), atol=1e-12
        )
        if turns:  # a chord is twice the sine of half the angle, which MuJoCo has, times the scale
            np.testing.assert_allclose(error[:3], 2 / scale * theirs[3:], atol=1e-12)


CLOSED = [case for case in EQUALITIES if "site" not in case and case != "a pose"]


@pytest.mark.parametrize("case", CLOSED)
def test_where_it_is_closed_the_same_motion_keeps_it_closed(case):
    model, robot = read(case)
    states = px.robots.mujoco_convention(robot, model)
    qpos = model.qpos0
    error, slopes = ours(robot, states.from_position(qpos))
    np.testing.assert_allclose(error, 0, atol=1e-9)
    _, J = rows_of_mujoco(model, qpos)
    turns = len(error) - 3
    theirs = np.array([states.from_force(qpos, row) for row in J[: 3 + turns]])
    # the same up to the axes: so both have the same Jᵀ J of their parts
    for part, other, scale in (
        (slopes[turns:], theirs[:3], 1.0),
        (slopes[:turns], theirs[3:], 2 / model.eq_data[0][10] if turns else 1.0),
    ):
        np.testing.assert_allclose(part.T @ part, scale**2 * other.T @ other, atol=1e-9)


def test_how_fast_it_closes():
    mujoco = pytest.importorskip("mujoco")
    for solref, expected in ((".04 .5", (50.0, 0.5)), ("-100 -10", (50.0, 1.0))):
        text = TREE.format(f'<connect body1="b" body2="d" anchor="0 0 0" solref="{solref}"/>')
        (loop,) = px.robots.from_mujoco(mujoco.MjModel.from_xml_string(text)).loops
        assert loop.stabilisation == expected and loop.name == "eq0"


def test_a_floating_base_takes_the_world_with_it():
    mujoco = pytest.importorskip("mujoco")
    text = TREE.format(EQUALITIES["to the world"]).replace('<freejoint name="root"/>', "")
    model = mujoco.MjModel.from_xml_string(text)
    (loop,) = px.robots.from_mujoco(model).loops
    with pytest.warns(px.RobotWarning, match="hold them to the floating base: 'e'"):
        (moved,) = px.robots.from_mujoco(model, floating_base=True).loops
    assert (moved.first.body, moved.second.body) == (loop.first.body + 1, 0)


def test_those_that_are_switched_off():
    mujoco = pytest.importorskip("mujoco")
    text = TREE.format(EQUALITIES["weld"].replace("/>", ' active="false"/>'))
    robot = px.robots.from_mujoco(mujoco.MjModel.from_xml_string(text))
    assert not robot.loops and "equality constraints that are switched off: 'e'" in robot.ignored


# -- Pinocchio -------------------------------------------------------------------------------------


def test_rigid_constraints_of_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model, rng = pin.buildSampleModelHumanoid(), np.random.default_rng(0)
    ends = [(5, 13), (20, 3), (0, 9)]
    kinds = (pin.ContactType.CONTACT_6D, pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D)
    given = [
        pin.RigidConstraintModel(kind, model, a, pin.SE3.Random(), b, pin.SE3.Random(), pin.LOCAL)
        for kind, (a, b) in zip(kinds, ends, strict=True)
    ]
    robot = px.robots.from_pinocchio(model, constraints=given)
    states = px.robots.pinocchio_convention(robot, model)
    data = model.createData()
    for _ in range(2):
        q = pin.integrate(model, pin.neutral(model), 0.5 * rng.normal(size=model.nv))
        pin.computeJointJacobians(model, data, q)
        here = model_of_rows(robot)
        for loop, constraint in zip(here.robot.loops, given, strict=True):
            places, jacobians = [], []
            for joint, placement in (
                (constraint.joint1_id, constraint.joint1_placement),
                (constraint.joint2_id, constraint.joint2_placement),
            ):
                places.append(data.oMi[joint] * placement)
                J = np.zeros((6, model.nv))
                if joint:
                    J = pin.getJointJacobian(model, data, joint, pin.WORLD)
                jacobians.append(J)
            seen = seen_from_second(here, list(states.from_position(q)), loop)
            relative = places[1].inverse() * places[0]
            np.testing.assert_allclose(
                np.array([*map(list, seen.turn)]), relative.rotation, atol=1e-12
            )
            np.testing.assert_allclose(list(seen.way), relative.translation, atol=1e-12)
            moved = places[0].inverse().action @ (jacobians[0] - jacobians[1])
            turned = np.kron(np.eye(2), relative.rotation) @ moved  # along the second's axes
            linear, angular = turned[:3], turned[3:]
            columns = [seen.columns[i].scalars() if i in seen.columns else [0.0] * 6
                       for i in range(robot.nv)]  # fmt: skip
            found = np.array(columns, float).T
            np.testing.assert_allclose(found, [*angular, *linear], atol=1e-12)


def test_constraints_that_are_not_read():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildSampleModelManipulator()
    with pytest.raises(px.RobotError, match=r"constraints\[0\]: expected a .*Rigid.*found str"):
        px.robots.from_pinocchio(model, constraints=["weld"])
    kind = pin.ContactType.CONTACT_6D
    moved = pin.RigidConstraintModel(kind, model, 2, pin.SE3.Identity(), pin.LOCAL)
    moved.desired_contact_placement = pin.SE3.Random()
    with pytest.raises(px.RobotError, match="desired_contact_placement is not supported"):
        px.robots.from_pinocchio(model, constraints=[moved])
