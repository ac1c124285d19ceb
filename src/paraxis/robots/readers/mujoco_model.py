"""A Robot from MuJoCo's compiled model, an MjModel.

A body with several joints becomes as many bodies, all but the last without mass. The body on a
joint has its origin at the joint's anchor; the body of MuJoCo is a Frame on it, and so is every
site. Bodies without joints are welded to their parents. Positions are MuJoCo's: `qpos0` is in the
joints' placements, so q is qpos but for the order of quaternions.
"""

import math

import numpy as np

from ...checks import listing, one_of, quoted
from ...errors import RobotError
from ..check import implausible, warn_of
from ..convention import SAME, W_FIRST, Convention, Written, written_alike
from ..coupling import COUPLINGS
from ..floating import free_root, moving, one_further
from ..frame import Frame
from ..friction import NO_FRICTION, Friction
from ..inertia import NOTHING, Inertia, welded
from ..joint import WORLD, Joint, checked_axis
from ..pose import Pose
from ..robot import Robot
from ..text import naming
from .compiled import Compiled, pose_of
from .left_out import Faulty, weightless
from .mujoco_loops import loops
from .mujoco_rest import MOST, not_read
from .mujoco_shapes import Geoms

HOW = {"free": W_FIRST, "spherical": W_FIRST}


def from_mujoco(model, floating_base: bool = False, couplings: str = COUPLINGS[0]) -> Robot:
    """A robot from a compiled MuJoCo model.

    **Arguments:**

    - `model`: a `mujoco.MjModel`.
    - `floating_base`: put all that is fixed to the world on a free joint, as `px.load` does.
    - `couplings`: "followed" if a joint that an equality ties to others follows them exactly and is
      no part of q, "independent" if it moves by itself. An equality of fixed tendons ties the last
      of their joints that no other joint follows.

    **Returns:** a `px.Robot` with MuJoCo's joints in MuJoCo's order, and a frame for every body and
    every site. `q` is `qpos` with quaternions as (x, y, z, w); velocities and forces of free joints
    are along the axes of the body: `px.robots.mujoco_convention` converts. Armature is the joints'
    `rotor_inertia`; damping and frictionloss are their `friction`; stiffness and springref are
    their `spring`. Fixed tendons with springs, damping or friction are the robot's `tendons`.
    `robot.ignored` lists what was not read; a warning, `px.RobotWarning`, names what of it changes
    the motion.

    **Raises:** `px.RobotError` if it is not such a model, or nothing in it moves;
    `px.MissingPackageError` if MuJoCo is not installed.

    **Example:**

    >>> import mujoco
    >>> hinge = '<joint name="hinge" axis="0 1 0" damping="0.1"/>'
    >>> body = f'<body>{hinge}<geom size="0.1" pos="0 0 -1"/></body>'
    >>> model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    >>> robot = px.robots.from_mujoco(model)
    >>> robot.joint_names, robot.joints[0].friction.viscous
    (['hinge'], 0.1)
    >>> px.mass_matrix(robot, [0.0]), model.dof_M0  # kg m²
    (array([[4.206]]), array([4.206]))
    """
    compiled = Compiled(model)
    what = f"robot {quoted(compiled.name)}"
    followed = one_of(couplings, COUPLINGS, "couplings") == COUPLINGS[0]
    with naming("MuJoCo model"), np.errstate(all="ignore"):
        faulty = Faulty()
        *parts, root, stands = _tree(compiled, compiled.couplings if followed else {}, faulty)
        closed = loops(compiled, stands)
        if floating_base:
            parts, root = free_root(*parts, root, of=compiled.name), NOTHING
            closed = {k: loop.carried(one_further) for k, loop in closed.items()}
        joints, bodies, frames, shapes = parts
        held = [loop.name for loop in closed.values() if floating_base and _holds_base(loop)]
        ties = compiled.followers.read if followed else set()
        changing, rest = not_read(compiled, {*ties, *closed})
        moving(joints, compiled.name)
        gravity = np.zeros(3) if compiled.is_disabled("GRAVITY") else model.opt.gravity
        robot = Robot(
            compiled.name,
            joints,
            bodies,
            frames,
            tuple(gravity.tolist()),
            root=root,
            warn=False,
            ignored=(*changing, *rest, *faulty.sentences),
            shapes=shapes,
            loops=closed.values(),
            tendons=compiled.tendons,
        )
        named = {
            f"the body of joint {quoted(joint.name)}": body
            for joint, body in zip(joints, bodies, strict=True)
        }
        sentences = [*changing, *weightless(robot, "a body a mass"), *implausible(named)]
        if held:
            sentences.append(
                "what was fixed to the world floats now, so loops that held bodies to the world "
                f"hold them to the floating base: {listing(held, MOST)}"
            )
        warn_of(what, sentences)
    return robot


def _holds_base(loop):
    """Whether a loop of a robot with a floating base, which comes first, is with that base."""
    return 0 in (loop.first.body, loop.second.body)


def mujoco_convention(robot: Robot, model=None) -> Convention:
    """How MuJoCo writes the states of a robot.

    MuJoCo's quaternions are (w, x, y, z), and its free joints have linear velocities, accelerations
    and forces along the axes of the world, angular ones along those of the body.

    **Arguments:**

    - `robot`: a `px.Robot`, from whatever description.
    - `model`: a `mujoco.MjModel` with joints of the same names, in any order and perhaps with more;
      by default one with exactly the joints of the robot, in the same order.

    **Returns:** a `px.robots.Convention`.

    **Raises:** `px.RobotError` if the model lacks a joint of the robot, or has it of another kind.

    **Example:**

    >>> brick = px.robots.Inertia(1.0, about_com=(0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    >>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
    >>> px.robots.mujoco_convention(robot).to_position(px.neutral(robot))  # w comes first there
    array([0., 0., 0., 1., 0., 0., 0.])
    """
    if model is None:
        written, nq, nv = written_alike(robot, HOW)
        return Convention(robot, written, "MuJoCo", np.zeros(nq), nv)
    compiled = Compiled(model)
    places = zip(model.jnt_qposadr.tolist(), model.jnt_dofadr.tolist(), strict=True)
    written = [
        Written(name, kind, *place, HOW.get(kind, SAME))
        for name, kind, place in zip(compiled.joints, compiled.kinds, places, strict=True)
    ]
    return Convention(robot, written, "MuJoCo", model.qpos0, model.nv)


def _tree(compiled, couplings, faulty):
    """Joints, inertias, frames, shapes, the inertia of what is fixed to the world, and stands.

    Of each body of MuJoCo, these are the body here that it is part of, and its pose there.
    """
    model, joints, bodies, root = compiled.model, [], [], NOTHING
    stands = [(WORLD, Pose())]
    for b in range(1, model.nbody):
        with naming(f"body {quoted(compiled.bodies[b])}"):
            body, pose = stands[model.body_parentid[b]]
            pose = pose @ pose_of(model.body_pos[b], model.body_quat[b])
            first = int(model.body_jntadr[b])
            for j in range(first, first + int(model.body_jntnum[b])):
                joint, pose = _joint(compiled, j, body, pose, couplings.get(j))
                body = len(joints)
                joints.append(joint)
                bodies.append(NOTHING)
            stands.append((body, pose))
            part = _inertia(compiled, b, pose)
            if body == WORLD:
                root = welded(root, part)
            else:
                bodies[body] = welded(bodies[body], part)
    frames = [Frame(name, *stand) for name, stand in zip(compiled.bodies, stands, strict=True)]
    for s, name in enumerate(compiled.sites):
        body, pose = stands[model.site_bodyid[s]]
        frames.append(Frame(name, body, pose @ pose_of(model.site_pos[s], model.site_quat[s])))
    shapes = [*Geoms(compiled).shapes(stands, faulty)]
    return joints, bodies, frames, shapes, root, stands


def _joint(compiled, j, parent, pose, coupling):
    """A joint on the body `parent`, and where MuJoCo's body is on the body that it carries.

    `pose` is where MuJoCo's body is on the parent while the joint is at its reference.
    """
    model, name, kind = compiled.model, compiled.joints[j], compiled.kinds[j]
    with naming(f"joint {quoted(name)}"):
        drive = _drive(compiled, j) | {"spring": compiled.spring(j)}
        if kind == "free":  # its position is in the world, wherever the description has it
            return Joint(name, kind, WORLD, **drive), Pose()
        anchor, axis, back = tuple(model.jnt_pos[j].tolist()), (0.0, 0.0, 1.0), Pose()
        if kind != "spherical":
            axis = checked_axis(tuple(model.jnt_axis[j].tolist()), kind)
            reference = float(model.qpos0[model.jnt_qposadr[j]])
            if kind == "prismatic":  # whose anchor means nothing
                anchor = (0.0, 0.0, 0.0)
                back = Pose(translation=tuple(-reference * a for a in axis))
            else:
                half = math.sin(-reference / 2)
                turn = (math.cos(reference / 2), *(half * a for a in axis))
                back = pose_of((0.0, 0.0, 0.0), turn)
            if model.jnt_limited[j]:
                drive["lower"], drive["upper"] = model.jnt_range[j].tolist()
        placement = pose @ Pose(translation=anchor) @ back
        left = Pose(translation=tuple(0.0 - a for a in anchor))
        return Joint(name, kind, parent, placement, axis, coupling=coupling, **drive), left


def _drive(compiled, j):
    """What a joint has of rotors, losses and limits of effort, as fields of Joint."""
    model, dofs = compiled.model, compiled.dofs(j)
    armature, damping = compiled.actuator_loads.get(j, (0.0, 0.0))
    armature += _one(model.dof_armature[dofs], "armature")
    damping += _one(model.dof_damping[dofs], "damping")
    dry = _one(model.dof_frictionloss[dofs], "frictionloss")
    dry = 0.0 if compiled.is_disabled("FRICTIONLOSS") else dry
    damping = damping if compiled.has_dampers else 0.0
    drive = {"rotor_inertia": armature, "friction": NO_FRICTION}
    if damping or dry:
        drive["friction"] = Friction(viscous=damping, coulomb=dry)
    if hasattr(model, "jnt_actfrclimited") and model.jnt_actfrclimited[j]:
        low, high = model.jnt_actfrcrange[j].tolist()
        drive["max_effort"] = max(min(-low, high), 0.0)
    return drive


def _one(values, what):
    """The value that all degrees of freedom of a joint have."""
    if (values != values[0]).any():
        raise RobotError(
            f"{what}: expected the same for all degrees of freedom of the joint, found "
            f"{values.tolist()}"
        )
    return float(values[0])


def _inertia(compiled, b, pose):
    """A body of MuJoCo on the body here, on which it has that pose."""
    model = compiled.model
    own = Inertia.of(float(model.body_mass[b]), (0, 0, 0), model.body_inertia[b].tolist(), "body")
    if own.is_massless():
        return NOTHING
    return own.seen_from(pose @ pose_of(*compiled.inertial_frame(b)))
