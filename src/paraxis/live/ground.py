"""A robot that stands on the ground in its page: where it touches, how it stands, and its step.

Servos hold the joints, nothing holds the base. The step is that of `px.simulate` on the ground.
"""

import warnings
from dataclasses import replace

import numpy as np

from .. import api
from ..checks import listing, shown
from ..drivers.iterate import Plan
from ..drivers.row import Row, Stage
from ..dynamics.loads import payload
from ..errors import ArgumentError, RobotError, RobotWarning
from ..programs import Program
from ..robots.frame import Frame
from ..robots.pose import Pose
from ..scene.meshes.files import read_mesh
from ..scene.skeleton import size_of
from ..simulation.ground.drag import Drag
from ..simulation.ground.forces import forces_graph
from ..simulation.ground.from_shapes import contact_points
from ..simulation.ground.ground import Ground
from ..simulation.ground.stages import after_prepare
from ..simulation.ground.step import CARRIED, GroundStep
from ..simulation.stops import stops_of
from .programs import TOOL, with_tool

MOST_POINTS = 24  # that are chosen for the user; each makes steps longer
ROUND, OF_FOOT = 8, 4  # points of the root, and of a tip
SMALL = 0.15  # of the robot's size: a tip that is a sphere
STIFF = 1.5  # of a servo: N m/rad of joint torque per robot's weight times its size
FASTEST = 600.0  # rad/s: of a servo that moves what is on its joint
DAMPED = 0.05  # s: damping per stiffness, at most
BRAKED = 0.8  # and damping times the sampling period, of the inertia that is on the joint
SAMPLED = 1e-3  # s: the period for which servos are made
SEARCHES = 60
LOADED = ("mass", "com", "inertia")


class Standing:
    """A robot on a `Ground`. `load` is (body, point in it) where a load is put."""

    def __init__(self, robot, ground, load, limits=True):
        self.robot, self.ground, self.load = robot, ground, load
        self.stops, self.drag = stops_of(robot, limits), Drag(robot)
        self.step = GroundStep(robot, ground, ("gravity", "external_force", *LOADED))

    @property
    def points(self):
        return len(self.step.contacts)

    def row(self):
        """One step under motor torques `tau`; other inputs as of `programs.step_program`."""
        prepare = api.trace(self._prepare, **self._shapes())
        return Row([Stage(prepare), *after_prepare(self.step)], "live_on_ground")

    def plan(self, row):
        return Plan(row.inputs, row.outputs, CARRIED)

    def _shapes(self):
        nv, n = self.robot.nv, self.robot.n
        shapes = {"q": self.robot.nq, "qd": nv, "tau": nv, "gravity": 3, "load": ()}
        shapes |= {"damping": nv, "push": (n, 6), "dt": (), "friction": (self.points,)}
        return shapes | {"impulses": (self.points, 3)}

    def _prepare(self, q, qd, tau, gravity, load, damping, push, dt, friction, impulses):
        loaded = with_tool(self.robot, self.load)
        given = payload(loaded, load, frame=TOOL) | {"gravity": gravity, "external_force": push}
        motor, beside = self.stops.acting(q, qd, tau, dt) if self.stops else (tau, None)
        torques, drag = self.drag.acting(qd, motor)
        torques = [t - d * rate for t, d, rate in zip(torques, damping, qd, strict=True)]
        if beside is not None:
            torques = [a + b for a, b in zip(torques, beside, strict=True)]
        return self.step.prepare(
            q, qd, torques, dt, impulses, friction=friction, drag=drag, **given
        )

    def forces(self):
        """The Program of the forces of all contacts, in the world."""
        return Program.of(forces_graph(self.step))

    def lowered(self, q):
        """The same posture with the base where the lowest point touches the ground."""
        q, forces = np.array(q), self.forces()
        up = 2  # in q: positions of a free base begin with x, y and z
        for _ in range(3):  # once would do on a plane
            gap = forces.evaluate(q=q, impulses=np.zeros((self.points, 3)), dt=1.0)["gap"]
            q[up] -= gap.min()
        return q

    def servos(self, q):
        """(stiffness, damping), of each number of qd: zero where nothing drives."""
        robot, matrix = self.robot, api.program(self.robot, "mass_matrix").evaluate(q=q)
        weight = 9.81 * sum(body.mass for body in robot.inertias)
        most = STIFF * weight * size_of(robot)
        kp, row = np.zeros(robot.nv), 0
        for joint in robot.joints:
            if joint.nv == 1 and joint.coupling is None:
                kp[row] = min(most, FASTEST**2 * matrix[row, row])
            row += joint.nv
        kd = np.minimum(DAMPED * kp, BRAKED / SAMPLED * np.diagonal(matrix)) * (kp > 0)
        return kp.tolist(), kd.tolist()


def standing(robot, ground, load):
    """(Standing, notes): on this Ground, or on a plane where the robot's shapes allow; or None."""
    if ground is not None:
        return Standing(robot, ground, load), []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RobotWarning)
            points = points_of(robot)
        found = Standing(robot, Ground(points), load)
    except (ArgumentError, RobotError) as error:
        return None, [f"There is no ground: {error}"]
    notes = [
        f"It touches the ground with {len(points)} points, of "
        f"{listing(sorted({shown(point.frame) for point in points}))}. What is between them, and "
        "other bodies, pass through the ground."
    ]
    return found, notes + [str(warning.message) for warning in caught]


def points_of(robot):
    """Points that may touch: of the root all round, of tips those that stand, of others one each.

    A small tip, such as a round foot, is a sphere. Others are the heaviest for which there is room.
    """
    tips = [body for body in robot.tips if body]
    feet, small = _if_any(robot, tips, 1), {}
    for point in feet:
        body = robot.frame(point.frame).body
        own = [each for each in _solids(robot, body) if each.name == point.frame]
        if sphere := _as_sphere(own, SMALL * size_of(robot)):
            small[body] = replace(robot, shapes=(sphere,), warn=False)
    found = [point for each in small.values() for point in contact_points(each)]
    large = [body for body in tips if body not in small]
    most = min(max((MOST_POINTS - len(found) - ROUND) // max(len(large), 1), 1), OF_FOOT)
    found += _if_any(robot, large, most)
    found += _if_any(robot, [0], ROUND)
    others = sorted(set(range(1, robot.n)) - set(tips), key=lambda k: -robot.inertias[k].mass)
    found += _if_any(robot, sorted(others[: max(MOST_POINTS - len(found), 0)]), 1)
    return found or contact_points(robot)  # whose error says why there are none


def _if_any(robot, bodies, most):
    """Points of bodies that have shapes of which points can be made."""
    posed = _with_shapes(robot, bodies)
    try:
        return list(contact_points(posed, most=most)) if posed.shapes else []
    except ArgumentError:
        return []


def _with_shapes(robot, bodies):
    """The robot with the solid shapes of these bodies alone."""
    shapes = tuple(shape for body in bodies for shape in _solids(robot, body))
    return replace(robot, shapes=shapes, warn=False)


def _solids(robot, body):
    """The collision shapes of a body, or its visual ones where it has no others."""
    own = [shape for shape in robot.shapes if shape.body == body and shape.kind != "plane"]
    own = [shape for shape in own if shape.purpose == "collision"] or own
    return [replace(_with_vertices(shape), purpose="collision") for shape in own]


def _as_sphere(shapes, most):
    """A mesh no larger than this as a sphere; None for others."""
    if len(shapes) != 1 or shapes[0].kind != "mesh" or shapes[0].vertices is None:
        return None
    (shape,) = shapes
    low, high = shape.vertices.min(0), shape.vertices.max(0)
    if (high - low).max() > most:
        return None
    turn = shape.pose.rotation
    at = Pose(turn, tuple(np.array(turn) @ (low + high) / 2 + shape.pose.translation))
    radius = float((high - low).mean() / 2)
    return replace(
        shape, kind="sphere", size=(radius,), pose=at, path=None, vertices=None, faces=None
    )


def _with_vertices(shape):
    """The same, a mesh with the vertices of its file if it can be read."""
    if shape.kind != "mesh" or shape.vertices is not None:
        return shape
    try:
        found = np.concatenate([mesh.vertices for mesh in read_mesh(shape.path)])
    except RobotError:
        return shape
    return replace(shape, vertices=found * np.array(shape.scale), faces=np.zeros((0, 3), int))


def stance(robot):
    """Within limits, with tips above the same places of the floor as in the neutral position.

    Knees that cannot be straight carry feet away from where they hold the robot.
    """
    tips = [(body, _far(robot, body)) for body in robot.tips]
    frames = tuple(
        Frame(f"tip {k}", body, Pose(translation=at)) for k, (body, at) in enumerate(tips)
    )
    posed = replace(robot, frames=frames, shapes=(), warn=False)
    poses = api.program(posed, "frame_poses")
    q = np.array(api.neutral(robot))
    wanted, q = poses.evaluate(q=q)[:, :2, 3], np.clip(q, *_limits(robot))
    slopes = [api.program(posed, "jacobian", frame=frame.name) for frame in frames]
    places, rows = _single(robot)
    for _ in range(SEARCHES):
        off = (wanted - poses.evaluate(q=q)[:, :2, 3]).ravel()
        if abs(off).max(initial=0.0) < 1e-4:
            break
        J = np.concatenate([each.evaluate(q=q)[3:5] for each in slopes])[:, rows]
        q[places] += 0.5 * J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(len(J)), off)
        q = np.clip(q, *_limits(robot))
    return q


def _far(robot, body):
    """The point of a tip that stands: its last frame, or beyond its centre of mass."""
    own = [frame.pose.translation for frame in robot.frames if frame.body == body]
    return max(own, key=np.linalg.norm) if own else tuple(2 * x for x in robot.inertias[body].com)


def _single(robot):
    """(places in q, rows of qd) of joints that a servo can move by themselves."""
    places, rows, place, row = [], [], 0, 0
    for joint in robot.joints:
        if joint.nq == 1 and joint.coupling is None:
            places.append(place)
            rows.append(row)
        place, row = place + joint.nq, row + joint.nv
    return places, rows


def _limits(robot):
    low, high, place = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf), 0
    for joint in robot.joints:
        if joint.nq == 1:
            low[place], high[place] = joint.lower, joint.upper
        place += joint.nq
    return low, high
