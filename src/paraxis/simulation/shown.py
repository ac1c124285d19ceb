"""A Run as a Scene: the robots, the ground, its forces, and the torques of the motors."""

from dataclasses import replace

import numpy as np

from .. import api
from ..errors import ArgumentError
from ..robots.joint import WORLD
from ..robots.pose import Pose
from ..robots.shape import Shape
from ..scene.motion import Motion, host
from ..scene.scene import Scene
from ..scene.skeleton import along
from ..targets.blocks import is_lazy
from .ground.forces import contact_forces
from .ground.scene import Box, HeightField, Plane, Sphere

MOST_FORCES = 400_000  # arrows of all moments of a page


def scene_of_run(run, title=None):
    """The Scene of a Run that knows what it was a run of."""
    setup = run.setup
    if setup is None:
        raise ArgumentError(
            "run: it does not know its robot; px.show(robot, run.q, run.t, qd=run.qd) shows it"
        )
    if is_lazy(run.q):
        import dask  # here, where it is

        computed = dask.compute(run.t, run.q, run.qd, run.impulses, run.force, run.loop_force)
        names = ("t", "q", "qd", "impulses", "force", "loop_force")
        run = replace(run, **dict(zip(names, computed, strict=True)))
    robot, torques = setup.robot, None
    arrays = {"q": host(run.q, "q", robot.nq), "qd": host(run.qd, "qd", robot.nv)}
    if setup.step is not None:
        there = setup.target
        with there.stream():
            given = [there.array(run.t, "t", ()), there.array(run.q, "q", (robot.nq,))]
            given.append(there.array(run.qd, "qd", (robot.nv,)))
            torques = host(there.given_back(setup.torques(*given)), "tau", robot.nv)
    t, arrows, notes = host(run.t, "t", None), {}, []
    if torques is None and len(t) > 1 and not _held(run):
        qdd = np.gradient(arrays["qd"], t, axis=0)
        torques = _needed(robot, arrays["q"], arrays["qd"], qdd)
        notes.append(
            "Torques are those of inverse dynamics, with accelerations from differences of rates: "
            "the controller is not known any more."
        )
    if run.impulses is not None and setup.ground is not None:
        arrows = _forces(run, setup, arrays["q"])
    elif run.force is not None:
        arrows = _forces_of_contacts(run, setup, arrays["q"])
    motion = Motion.of(robot, **arrays, t=t, tau=torques, arrows=arrows, notes=notes)
    ground = () if setup.ground is None else setup.ground.scene
    return Scene(robot, motion, title, surroundings=[shape_of(piece) for piece in ground])


def _needed(robot, q, qd, qdd):
    """The torques of the motors that a motion needs."""
    if robot.has_losses or any(ratio != 1.0 for ratio in robot.ratios):
        return api.motor_torques(robot, q, qd, qdd).input
    return api.inverse_dynamics(robot, q, qd, qdd)


def _held(run):
    """Whether other forces than those of the motors move the robots."""
    return run.impulses is not None or run.force is not None or run.loop_force is not None


def _forces(run, setup, q):
    """Points and forces of contacts, (records, robots, k, 3), of the robots there is room for."""
    impulses = host(run.impulses, "impulses", None)
    count, contacts = len(q), impulses.shape[-2]
    q, impulses = q.reshape(count, -1, q.shape[-1]), impulses.reshape(count, -1, contacts, 3)
    few = max(1, MOST_FORCES // (count * contacts))
    found = contact_forces(setup.robot, setup.ground, q[:, :few], impulses[:, :few], setup.dt)
    return {"points": found.point, "forces": found.force}


def _forces_of_contacts(run, setup, q):
    """The same of contacts that the robots are in all the time, at the origins of their frames."""
    force = host(run.force, "force", 6)
    contacts, count = len(setup.contacts), len(q)
    force = force.reshape(count, -1, contacts, 6)
    few = max(1, MOST_FORCES // (count * contacts))
    q, exerted = q.reshape(count, -1, q.shape[-1])[:, :few], force[:, :few, :, 3:]
    points, forces = np.empty(exerted.shape), np.empty(exerted.shape)
    for k, (frame, coordinates) in enumerate(setup.contacts):
        pose = api.forward_kinematics(setup.robot, q, frame)
        points[:, :, k] = pose[..., :3, 3]
        own = exerted[:, :, k]
        world = own if coordinates == "world" else np.vecdot(pose[..., :3, :3], own[..., None, :])
        forces[:, :, k] = -world  # on the robot
    return {"points": points, "forces": forces}


def shape_of(piece):
    """A piece of the ground as a Shape on the world."""
    if isinstance(piece, Plane):
        return _shape("plane", (np.inf, np.inf), Pose.of(along(piece.normal), piece.point))
    if isinstance(piece, Sphere):
        return _shape("sphere", (piece.radius,), Pose.of(np.eye(3), piece.centre))
    if isinstance(piece, Box):
        return _shape("box", piece.size, piece.pose)
    assert isinstance(piece, HeightField)
    heights = np.array(piece.heights)
    (nx, ny), (dx, dy), (x0, y0) = heights.shape, piece.spacing, piece.origin
    x, y = np.meshgrid(x0 + dx * np.arange(nx), y0 + dy * np.arange(ny), indexing="ij")
    corners = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]
    faces = np.stack([a, b, c, a, c, d], -1).reshape(-1, 3)
    points = np.stack([x, y, heights], -1).reshape(-1, 3)
    return Shape("ground", WORLD, Pose(), "mesh", vertices=points, faces=faces)


def _shape(kind, size, pose):
    return Shape("ground", WORLD, pose, kind, size)
