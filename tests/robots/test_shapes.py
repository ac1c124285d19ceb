"""Shapes: read from URDF, MuJoCo and Pinocchio, and kept wherever their bodies go."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from support.robot_files import ROBOTS
from support.rows import model_of_rows

import paraxis as px
from paraxis.physics.kinematics import frame_poses
from paraxis.robots import Frame, Inertia, Joint, Pose, Shape
from paraxis.robots.joint import WORLD
from paraxis.robots.readers import urdf_shapes
from paraxis.robots.readers.urdf import parse_urdf

BODY = Inertia.of(1.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.25))
TEXT = """
<robot name="painted">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
  </link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
      iyz="0"/></inertial>
    <visual name="upper"><origin xyz="0 0 .5" rpy="0 0 1"/>
      <geometry><cylinder radius=".1" length="2"/></geometry>
      <material name="green"><color rgba="0 1 0 .5"/></material></visual>
    <visual><geometry><mesh filename="meshes/arm.stl" scale="1 -1 1"/></geometry></visual>
    <collision><geometry><sphere radius=".3"/></geometry></collision>
  </link>
  <link name="hand">
    <collision name="grip"><origin xyz="0 .1 0"/>
      <geometry><capsule radius=".1" length=".4"/></geometry></collision>
    <visual><geometry><sphere radius=".1"/></geometry><material name="green"/></visual>
  </link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/>
    <origin xyz="0 0 1" rpy=".2 0 0"/></joint>
</robot>"""


def in_the_world(robot, q):
    """The poses of all shapes, in floats."""
    frames = [Frame(f"s{k}", shape.body, shape.pose) for k, shape in enumerate(robot.shapes)]
    placed = replace(robot, frames=frames, warn=False)
    model = model_of_rows(placed)
    poses = frame_poses(model, list(q), list(model.robot.frames))
    return np.array(poses).reshape(-1, 4, 4)


def one(geometry, rest="", folder=None):
    """A robot whose root link has a visual, and what was ignored."""
    moving = '<link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
    visual = f'<link name="a"><visual><geometry>{geometry}</geometry>{rest}</visual></link>'
    text = f'<robot name="r">{visual}{moving}</joint></robot>'
    with pytest.warns(px.RobotWarning, match="no link that moves has mass"):
        return parse_urdf(text, folder=folder)


# -- URDF ------------------------------------------------------------------------------------------


def test_what_urdf_has():
    robot = parse_urdf(TEXT)
    box, cylinder, mesh, sphere, capsule, ball = robot.shapes
    assert (box.name, box.body, box.kind, box.size) == ("base", WORLD, "box", (1.0, 2.0, 3.0))
    assert (box.purpose, box.colour, box.pose) == ("visual", (1.0, 0.0, 0.0, 1.0), Pose())
    assert (cylinder.name, cylinder.body, cylinder.size) == ("upper", 0, (0.1, 2.0))
    assert cylinder.colour == (0.0, 1.0, 0.0, 0.5)
    assert cylinder.pose == Pose.from_rpy((0, 0, 0.5), (0, 0, 1))
    assert (mesh.kind, mesh.path, mesh.scale) == ("mesh", "meshes/arm.stl", (1.0, -1.0, 1.0))
    assert mesh.colour is None
    assert (sphere.purpose, sphere.size) == ("collision", (0.3,))
    assert (capsule.name, capsule.body, capsule.size) == ("grip", 0, (0.1, 0.4))
    expected = Pose.from_rpy((0, 0, 1), (0.2, 0, 0)) @ Pose.from_rpy((0, 0.1, 0))
    np.testing.assert_allclose(capsule.pose.matrix, expected.matrix, atol=1e-15)
    assert ball.colour == cylinder.colour  # by the name of a material of another link
    assert robot.ignored == ()


@pytest.mark.parametrize(
    ("geometry", "reason"),
    [
        ('<box size="1 2"/>', "<box> size: expected 3 numbers, found 2"),
        ('<box size="1 0 3"/>', "size: expected numbers > 0, found 0"),
        ('<sphere radius="nan"/>', "<sphere> radius: expected 1 finite decimal number"),
        ('<sphere radius="-1"/>', "size: expected numbers > 0, found -1"),
        ('<mesh filename=""/>', "<mesh>: expected the attribute 'filename', found an empty one"),
        ('<mesh filename="a.stl" scale="1 0 1"/>', "scale: expected numbers other than 0"),
        ('<sphere radius="1"/><box size="1 1 1"/>', "found box and sphere"),
        ("", "expected one of box, sphere, cylinder, capsule, mesh in <geometry>"),
    ],
)
def test_a_bad_shape_is_left_out_and_named(geometry, reason):
    robot = one(geometry)
    assert not robot.shapes
    assert len(robot.ignored) == 1 and reason in robot.ignored[0]
    assert robot.ignored[0].startswith("shapes that are not valid: visual of link 'a': ")


def test_a_bad_material_is_left_out_too():
    robot = one('<sphere radius="1"/>', '<material name="m"><color rgba="1 2"/></material>')
    assert not robot.shapes and "<color> rgba: expected 4 numbers" in robot.ignored[0]


def test_the_number_of_shapes_is_bounded(monkeypatch):
    monkeypatch.setattr(urdf_shapes, "MAX_SHAPES", 4)
    robot = parse_urdf(TEXT)
    assert len(robot.shapes) == 4
    assert robot.ignored == ("all shapes but the first 4 of 6",)


def test_many_bad_shapes_are_counted():
    bad = TEXT.replace('<link name="hand">', '<link name="hand">' + "<visual/>" * 9)
    (sentence,) = parse_urdf(bad).ignored
    assert sentence.count("visual of link 'hand'") == 5 and sentence.endswith("; 4 more")


def mesh_path(written, folder):
    return one(f'<mesh filename="{written}"/>', folder=folder).shapes[0].path


def test_where_meshes_are(tmp_path, monkeypatch):
    package = tmp_path / "stuff" / "arm_description"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    mesh = package / "meshes" / "a.stl"
    mesh.touch()
    urdf = package / "urdf"
    for written in ("../meshes/a.stl", str(mesh), f"file://{mesh}",
                    "package://arm_description/meshes/a.stl", "model://arm_description/meshes/a.stl",
                    "package://called_otherwise/meshes/a.stl"):  # fmt: skip
        assert mesh_path(written, urdf) == str(mesh)
    for written in ("../meshes/b.stl", "package://arm_description/b.stl", "package://", "http://x/a.stl",
                    "package://../../../a.stl"):  # fmt: skip
        assert mesh_path(written, urdf) == written
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    name = "package://arm_description/meshes/a.stl"
    assert mesh_path(name, elsewhere) == name
    assert mesh_path(name, None) == name
    for root in (package, package.parent):
        monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{root}")
        assert mesh_path(name, elsewhere) == mesh_path(name, None) == str(mesh)


def test_px_load_looks_beside_the_file(tmp_path):
    (tmp_path / "meshes").mkdir()
    mesh = tmp_path / "meshes" / "arm.stl"
    mesh.touch()
    (tmp_path / "arm.urdf").write_text(TEXT)
    assert px.load(tmp_path / "arm.urdf").shapes[2].path == str(mesh)


# -- wherever bodies go ----------------------------------------------------------------------------


def test_dynamics_does_not_depend_on_them():
    robot = parse_urdf(TEXT)
    bare = replace(robot, shapes=(), warn=False)
    assert bare.digest == robot.digest and bare == robot and hash(bare) == hash(robot)


def test_a_pickle_keeps_them():
    robot = parse_urdf(TEXT)
    assert pickle.loads(pickle.dumps(robot)).shapes == robot.shapes


def two_arms():
    """A revolute joint that carries a spherical and a prismatic one, a shape on each body."""
    joints = [Joint("a", "revolute", -1, Pose.from_rpy((0, 0, 1), (0.1, 0.2, 0.3))),
              Joint("b", "spherical", 0, Pose.from_rpy((1, 0, 0), (0.4, 0, 0))),
              Joint("c", "prismatic", 0, Pose.from_rpy((0, 1, 0), (0, 0.5, 0)))]  # fmt: skip
    shapes = [Shape(f"s{k}", k, Pose.from_rpy((0.1, 0.2, k), (0.3, k, 0.1)), "sphere", (1.0,))
              for k in range(-1, 3)]  # fmt: skip
    frames = [Frame("end", 1, Pose.from_rpy((0, 0, 0.3)))]
    return px.Robot("tree", joints, [BODY] * 3, frames, root=BODY, shapes=shapes)


Q = [0.3, *(np.array([0.1, 0.2, 0.3, 0.9]) / math.sqrt(0.95)), 0.4]


def test_locked_joints_keep_them_where_they_are():
    robot = two_arms()
    held = robot.locked({"b": Q[1:5], "a": 0.3})
    assert [shape.body for shape in held.shapes] == [-1, -1, -1, 0]
    np.testing.assert_allclose(in_the_world(held, Q[5:]), in_the_world(robot, Q), atol=1e-14)


def test_other_surgery():
    robot = two_arms()
    there = in_the_world(robot, Q)
    floating = robot.with_floating_base()
    assert [shape.body for shape in floating.shapes] == [0, 1, 2, 3]
    at_origin = [0.0] * 6 + [1.0, *Q]
    np.testing.assert_allclose(in_the_world(floating, at_origin), there, atol=1e-14)
    assert [shape.name for shape in robot.without("b").shapes] == ["s-1", "s0", "s2"]
    assert [shape.body for shape in robot.without("b").shapes] == [-1, 0, 1]
    assert len(robot.subchain("end").shapes) == 4
    assert len(robot.subchain("end", drop_rest=True).shapes) == 3
    pair = robot.with_attached(robot, "end", Pose.from_rpy((0, 0, 1)), prefix="x_")
    assert [shape.name for shape in pair.shapes[4:]] == ["x_s-1", "x_s0", "x_s1", "x_s2"]
    assert [shape.body for shape in pair.shapes[4:]] == [1, 3, 4, 5]
    np.testing.assert_allclose(in_the_world(pair, [*Q, *Q])[:4], there, atol=1e-14)
    seat = Pose.from_rpy((0, 0, 1.3)).matrix  # of the second robot on the body of `end`
    on_body = np.linalg.inv(robot.shapes[2].pose.matrix)
    expected = there[2] @ on_body @ seat @ robot.shapes[0].pose.matrix
    np.testing.assert_allclose(in_the_world(pair, [*Q, *Q])[4], expected, atol=1e-14)
    for same in (
        robot.with_gravity((0, 0, 0)),
        robot.snapped(1e-4),
        robot.with_payload(1.0, frame="end"),
        robot.with_tool("t", frame="end"),
        robot.with_base(Pose.from_rpy((1, 0, 0))),
    ):
        assert same.shapes == robot.shapes


def test_urdf_and_back(tmp_path):
    robot = replace(parse_urdf(TEXT), warn=False)
    with pytest.warns(px.RobotWarning, match="other shapes are left out: 'grip'$"):
        again = parse_urdf(robot.to_urdf())
    kept = [shape for shape in robot.shapes if shape.kind != "capsule"]
    assert len(again.shapes) == len(kept)
    for ours, theirs in zip(again.shapes, kept, strict=True):
        assert abs(ours.pose.matrix - theirs.pose.matrix).max() <= 4e-16
        assert replace(ours, pose=theirs.pose) == theirs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "cone"}, "kind: expected .*'cone'"),
        ({"purpose": "both"}, "purpose: expected"),
        ({"size": (1, 2)}, "size: expected 1 number"),
        ({"size": (math.inf,)}, "size: expected finite"),
        ({"kind": "plane", "size": ("x", math.inf)}, "size: expected 2 numbers, found"),
        ({"colour": (1, 0, 0)}, "colour: expected 4 numbers"),
        ({"kind": "mesh", "size": ()}, "a mesh needs a path, or vertices and faces"),
        ({"kind": "mesh", "size": (), "vertices": [1], "faces": [[0] * 3]}, "vertices: expected"),
        ({"kind": "mesh", "size": (), "vertices": "x", "faces": [[0] * 3]}, "vertices: expected"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(px.RobotError, match=f"shape 's' {message}|shape 's': {message}"):
        Shape(**{"name": "s", "body": 0, "pose": Pose(), "kind": "sphere", "size": (1,)} | changes)


def test_a_shape_on_no_body():
    robot = two_arms()
    with pytest.raises(px.RobotError, match="shape 's1' body: expected -1 or the index of a joint"):
        replace(robot, shapes=[replace(robot.shapes[2], body=3)])
    with pytest.raises(px.RobotError, match="shapes: expected each to be a Shape, found str"):
        replace(robot, shapes=["box"])


# -- from other programs ---------------------------------------------------------------------------

GEOMS = """
<mujoco><compiler angle="radian"/>
<asset><material name="blue" rgba="0 0 1 1"/><mesh name="t" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/>
  <mesh name="f" file="f.obj" scale="-1 2 1"/>
  <hfield name="h" nrow="3" ncol="4" size="1 2 .3 .1" elevation="0 0 0 0 1 1 2 2 3 3 3 3"/></asset>
<worldbody><geom name="floor" type="plane" size="0 4 .1"/>
  <body name="a" pos=".1 .2 .3" euler=".1 .2 .3"><joint name="j" axis="0 1 1" pos=".1 0 0"/>
    <geom name="box" type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 .3 0" material="blue"/>
    <geom name="seen" size=".1" contype="0" conaffinity="0" rgba="1 0 0 1" material="blue"/>
    <geom name="felt" type="capsule" size=".1 .2" group="3"/>
    <geom name="egg" type="ellipsoid" size=".1 .2 .3" group="4" contype="0" conaffinity="0"/>
    <body pos="0 0 1"><geom type="mesh" mesh="t" pos="0 1 0" euler=".5 0 0"/>
      <geom name="file" type="mesh" mesh="f" euler=".5 0 0"/><geom type="hfield" hfield="h"/></body>
  </body>
</worldbody></mujoco>"""
FILE = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def test_geoms_of_mujoco(tmp_path, monkeypatch):
    mujoco = pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.obj").write_text(FILE)
    (tmp_path / "m.xml").write_text(GEOMS)
    robot = px.load(tmp_path / "m.xml")
    model = mujoco.MjModel.from_xml_path("m.xml")
    data = mujoco.MjData(model)
    data.qpos[:] = 0.4
    mujoco.mj_kinematics(model, data)
    names = [(shape.name, shape.kind, shape.purpose) for shape in robot.shapes]
    both = ("visual", "collision")
    assert names == [
        *(("floor", "plane", p) for p in both),
        *(("box", "box", p) for p in both),
        ("seen", "sphere", "visual"),
        ("felt", "capsule", "collision"),
        *(("body2", "mesh", p) for p in both),
        *(("file", "mesh", p) for p in both),
        *(("body2", "mesh", p) for p in both),
    ]
    floor, box, seen, felt = (robot.shapes[k] for k in (0, 2, 4, 5))
    assert floor.size == (math.inf, 8.0) and floor.body == WORLD
    assert box.size == (0.2, 0.4, 0.6) and felt.size == (0.1, 0.4) and seen.size == (0.1,)
    assert box.colour == (0, 0, 1, 1) and seen.colour == (1, 0, 0, 1)  # its own comes first
    assert "the shapes of geoms that neither show nor touch: 'egg'" in robot.ignored
    assert not any("the shapes of" in each for each in robot.ignored if "egg" not in each)

    poses = in_the_world(robot, [0.4])
    geoms = [0, 0, 1, 1, 2, 3, 5, 5, 6, 6, 7, 7]
    for shape, pose, g in zip(robot.shapes, poses, geoms, strict=True):
        turn, place = data.geom_xmat[g].reshape(3, 3), data.geom_xpos[g]
        if shape.kind != "mesh":
            np.testing.assert_allclose(pose[:3, :3], turn, atol=1e-14)
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-14)
        elif g != 7:  # vertices, where MuJoCo has them
            k = model.geom_dataid[g]
            start = model.mesh_vertadr[k]
            theirs = model.mesh_vert[start : start + model.mesh_vertnum[k]] @ turn.T + place
            np.testing.assert_allclose(
                shape.vertices @ pose[:3, :3].T + pose[:3, 3], theirs, atol=1e-6
            )
            assert len(shape.faces) == model.mesh_facenum[k]
    visual, collision = robot.shapes[8:10]
    assert visual.path == str(tmp_path / "f.obj") and visual.scale == (-1.0, 2.0, 1.0)
    assert visual.vertices is collision.vertices and not visual.vertices.flags.writeable
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]) * visual.scale
    apart = np.linalg.norm(visual.vertices[:, None] - corners, axis=-1)
    assert apart.min(axis=0).max() < 1e-6 and apart.min(axis=1).max() < 1e-6
    again = pickle.loads(pickle.dumps(robot)).shapes[8]
    assert again == visual and (again.vertices == visual.vertices).all()


def test_a_height_field_is_where_mujoco_has_it():
    mujoco = pytest.importorskip("mujoco")
    text = GEOMS.replace('<mesh name="f" file="f.obj" scale="-1 2 1"/>', "")
    text = text.replace('<geom name="file" type="mesh" mesh="f" euler=".5 0 0"/>', "")
    model = mujoco.MjModel.from_xml_string(text)
    field = px.robots.from_mujoco(model).shapes[-1]
    assert field.vertices.shape == (12, 3) and field.faces.shape == (12, 3)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turn, place = data.geom_xmat[-1].reshape(3, 3), data.geom_xpos[-1]
    for corner in field.faces[[0, 3, 7, 10]]:
        middle = field.vertices[corner].mean(axis=0)
        start, down = turn @ (middle + [0, 0, 5]) + place, turn @ np.array([0.0, 0, -1])
        hit = mujoco.mj_rayHfield(model, data, model.ngeom - 1, start, down, *_normal(mujoco))
        assert abs(hit - 5) < 1e-6


def _normal(mujoco):
    """Newer versions of MuJoCo also return the normal."""
    return (None,) if "normal" in mujoco.mj_rayHfield.__doc__ else ()


def test_a_model_with_absurd_numbers_is_read_without_the_shape():
    mujoco = pytest.importorskip("mujoco")
    text = '<mujoco><worldbody><body name="a"><joint/><geom size=".1"/></body></worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    model.geom_size[0] = np.nan
    robot = px.robots.from_mujoco(model)
    assert not robot.shapes and "geom 0 of body 'a': shape 'a' size" in robot.ignored[-1]


@pytest.mark.parametrize("name", ["g1_29dof", "ur3", "solo12"])
@pytest.mark.filterwarnings("ignore::paraxis.errors.RobotWarning", "ignore:You passed package")
def test_geometries_of_pinocchio_are_those_of_the_file(name):
    pinocchio = pytest.importorskip("pinocchio")
    if not ROBOTS.exists():
        pytest.skip("example-robot-data is not installed")
    from paraxis.robots.by_name import source_of

    path, folder = source_of(name, ()), str(ROBOTS.parent.parent)
    model = pinocchio.buildModelFromUrdf(path)
    kinds = pinocchio.GeometryType
    visual, collision = (
        pinocchio.buildGeomFromUrdf(model, path, kind, [folder])
        for kind in (kinds.VISUAL, kinds.COLLISION)
    )
    theirs = px.robots.from_pinocchio(model, visual=visual, collision=collision)
    ours = px.load(path, couplings="independent")
    assert len(ours.shapes) > 10 and not theirs.ignored

    def listed(robot):
        names = [*robot.joint_names, "world"]  # the last is that of index -1
        found = [
            (shape.purpose, names[shape.body], shape.kind, (shape.path or "").replace("//", "/"),
             *np.round([*shape.size, *shape.scale, *shape.pose.matrix.flat], 6) + 0.0)
            for shape in robot.shapes
        ]  # fmt: skip
        return sorted(found)

    assert listed(ours) == listed(theirs)
