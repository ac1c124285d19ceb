"""Robots with closed loops, and what NumPy and Pinocchio say of them."""

import random

import numpy as np
import pinocchio as pin
from support.functions import interpreted
from support.pinocchio_functions import Reference, placed
from support.robots import random_inertia

import paraxis as px
from paraxis.robots import Frame, Joint, Loop, Pose
from paraxis.robots.joint import WORLD

CRANK, ROD, ROCKER, GROUND = 0.3, 0.7, 0.5, 0.8
ABOUT_Y = (0.0, 1.0, 0.0)


def along_x(length):
    return Pose(translation=(length, 0.0, 0.0))


def four_bar(kind="connect", independent=("crank",), **options):
    """A crank and a rocker in the plane of x and z, and the rod between them."""
    rng = random.Random(1)
    joints = [
        Joint("crank", "revolute", WORLD, Pose(), ABOUT_Y),
        Joint("rod", "revolute", 0, along_x(CRANK), ABOUT_Y),
        Joint("rocker", "revolute", WORLD, along_x(GROUND), ABOUT_Y),
    ]
    frames = [Frame("rod_end", 1, along_x(ROD)), Frame("pin", 2, along_x(ROCKER))]
    bodies = [random_inertia(rng) for _ in joints]
    robot = px.Robot("four_bar", joints, bodies, frames, warn=False, **options)
    options = {"axis": ABOUT_Y} if kind == "hinge" else {}
    return robot.with_loops(
        getattr(Loop, kind)("knee", *frames, **options), independent=independent
    )


def assembled(crank):
    """Positions of the four-bar linkage by the law of cosines; they turn from x towards -z."""
    end = CRANK * np.array([np.cos(crank), np.sin(crank)])
    way = np.array([GROUND, 0.0]) - end
    far = np.hypot(*way)
    inner = np.arccos((ROD**2 + far**2 - ROCKER**2) / (2 * ROD * far))
    rod = np.arctan2(way[1], way[0]) + inner
    x, z = end + ROD * np.array([np.cos(rod), np.sin(rod)])
    return np.array([crank, rod - crank, np.arctan2(z, x - GROUND)])


TURNED = {"connect": (0.3, -0.2, 0.5), "hinge": (0.0, 0.0, 0.7), "weld": (0.0, 0.0, 0.0)}


def closed_at(robot, q, first, body, kind="connect", name="loop"):
    """A loop of `robot` that is closed at q, from one of its frames to a body, or to the world."""
    first = robot.frame(first)
    own = robot.joints[body].name if body != WORLD else "the world"
    seats = {first.name: first, own: Frame(own, body)}
    bare = px.Robot(
        robot.name, robot.joints, robot.inertias, [*seats.values()], base=robot.base, warn=False
    )
    there, here = interpreted("frame_poses", bare, q)
    pose = Pose.from_matrix(np.linalg.inv(here) @ there @ Pose.from_rpy(rpy=TURNED[kind]).matrix)
    return getattr(Loop, kind)(name, first, Frame(f"on {own}", body, pose))


def relative_motion(robot, q, qd):
    """J and J̇ q̇ of all loops, by NumPy from Jacobians in the world: along their directions."""
    tree = robot.without_loops()
    rows, coasting = [], []
    for loop in robot.loops:
        seen = []
        for frame in (loop.first, loop.second):
            only = px.Robot(
                tree.name, tree.joints, tree.inertias, [frame], base=tree.base, warn=False
            )
            pose = interpreted("forward_kinematics", only, q, frame=frame.name)
            J = interpreted("jacobian", only, q, frame=frame.name)
            seen.append((pose, J, interpreted("bias_acceleration", only, q, qd, frame=frame.name)))
        (A, J, a), (B, K, b) = seen
        R, r = B[:3, :3], A[:3, 3] - B[:3, 3]
        v, w = J @ qd, K @ qd
        turn, slide = J[:3] - K[:3], J[3:] - K[3:] - np.cross(K[:3].T, r).T
        α = a[:3] - b[:3] - np.cross(w[:3], v[:3] - w[:3])
        rate = v[3:] - w[3:]
        linear = a[3:] - b[3:] - np.cross(b[:3], r) - 2 * np.cross(w[:3], rate)
        linear += np.cross(w[:3], np.cross(w[:3], r))
        along = np.array(loop.constraint).T
        rows.append(along @ np.concatenate([R.T @ turn, R.T @ slide]))
        coasting.append(along @ np.concatenate([R.T @ α, R.T @ linear]))
    return np.concatenate(rows), np.concatenate(coasting)


def allowed(J, qd):
    """The rates nearest to qd that loops with this Jacobian allow."""
    return qd - np.linalg.pinv(J, 1e-9) @ (J @ qd)


def accelerations(robot, q, qd, tau, J, coasting):
    """Those of the Karush-Kuhn-Tucker equations, and the rank of J."""
    tree, m = robot.without_loops(), len(J)
    M, h = interpreted("mass_matrix", tree, q), interpreted("bias_forces", tree, q, qd)
    matrix = np.block([[M, J.T], [J, np.zeros((m, m))]])
    found = np.linalg.lstsq(matrix, np.concatenate([tau - h, -coasting]), rcond=1e-11)[0]
    return found[: robot.nv], np.linalg.matrix_rank(J, 1e-9)


def by_pinocchio(robot, q, qd, tau):
    """Accelerations by Pinocchio's constraint dynamics, without Baumgarte's gains."""
    tree = robot.without_loops()
    reference = Reference(tree)
    model, data, *state = reference.given(q, qd, tau)
    number = {tree.joint_index(name): k for k, name in enumerate(model.names) if k}
    types = {"connect": pin.ContactType.CONTACT_3D, "weld": pin.ContactType.CONTACT_6D}
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()

    def seat(frame):
        on_world = frame.body == WORLD
        pose = placed(robot.base) * placed(frame.pose) if on_world else placed(frame.pose)
        return 0 if on_world else number[frame.body], pose

    for loop in robot.loops:
        ends = *seat(loop.first), *seat(loop.second)
        local = pin.ReferenceFrame.LOCAL
        models.append(pin.RigidConstraintModel(types[loop.kind], model, *ends, local))
        datas.append(models[-1].createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 50)
    return reference.row(pin.constraintDynamics(model, data, *state, models, datas, settings))
