"""The robot as algorithms see it: one entry per body, scalars generic.

A `Model` is made from a Robot's floats, or with some of them replaced by other scalars
(graph inputs, to make masses or lengths run-time parameters). Vectors of body i are in
body i's frame; WORLD entries are in the root frame, which the robot's base pose places.
"""

import math
from itertools import accumulate

import numpy as np

from ..checks import one_of
from ..scalar import cos, sin
from ..spatial import (
    ZERO,
    ZERO3,
    AxisRotation,
    Rotation,
    Spatial,
    Symmetric,
    Transform,
    Turn,
    Vector,
    cross,
    cross_motion,
)
from .joint import WORLD, Row
from .refusals import single_joints
from .seat import align_z, decompose

# name -> shape, in terms of the number of joints n; what `parameters=` may turn into inputs.
# First what a description says of a robot, then what may act on it, of which it says nothing.
DESCRIPTION = {
    "mass": ("n",),
    "com": ("n", 3),
    "inertia": ("n", 6),
    "origin": ("n", 3),
    "rotor_inertia": ("n",),
    "gravity": (3,),
}
PARAMETERS = DESCRIPTION | {
    "external_force": ("n", 6),
    "base_velocity": (6,),
    "base_acceleration": (6,),
}
AXES = {name: len(shape) for name, shape in PARAMETERS.items()}  # of one state


def parameter_values(robot, name):
    """The floats of one parameter of `robot`, as nested tuples (px.parameter_values explains)."""
    one_of(name, PARAMETERS, "parameter")
    return {
        "mass": lambda: tuple(body.mass for body in robot.inertias),
        "com": lambda: tuple(body.com for body in robot.inertias),
        "inertia": lambda: tuple(body.about_com for body in robot.inertias),
        "origin": lambda: tuple(joint.placement.translation for joint in robot.joints),
        "rotor_inertia": lambda: tuple(joint.reflected_inertia for joint in robot.joints),
        "gravity": lambda: robot.gravity,
        "external_force": lambda: ((0.0,) * 6,) * robot.n,
        "base_velocity": lambda: (0.0,) * 6,
        "base_acceleration": lambda: (0.0,) * 6,
    }[name]()


class BodyInertia:
    """A rigid body over generic scalars. `I @ v` is its momentum at motion v."""

    __slots__ = ("about_com", "about_origin", "com", "mass", "moment")

    def __init__(self, mass, com, about_com):
        self.mass, self.com = mass, Vector(*com)
        self.about_com = Symmetric(*about_com)
        self.moment = self.com * mass  # the first moment, mass times centre of mass
        h, c, i = self.moment, self.com, self.about_com
        self.about_origin = Symmetric(
            i.xx + (h.y * c.y + h.z * c.z),
            i.yy + (h.x * c.x + h.z * c.z),
            i.zz + (h.x * c.x + h.y * c.y),
            i.xy - h.x * c.y,
            i.xz - h.x * c.z,
            i.yz - h.y * c.z,
        )

    @classmethod
    def about_frame(cls, mass, moment, about_origin):
        """From the first moment and the inertia about the frame's origin; there is no centre."""
        body = cls.__new__(cls)
        body.mass, body.moment, body.about_origin = mass, moment, about_origin
        return body

    def __add__(self, other):
        """Two bodies of the same frame, welded together."""
        return BodyInertia.about_frame(
            self.mass + other.mass,
            self.moment + other.moment,
            self.about_origin + other.about_origin,
        )

    def seen_from(self, X):
        """The same body in the parent frame of the transform X."""
        r, h = X.origin, X.turn @ self.moment
        moved = h + r * self.mass
        I, g = X.turn.tensor(self.about_origin), h + moved
        shift = Symmetric(
            r.y * g.y + r.z * g.z,
            r.x * g.x + r.z * g.z,
            r.x * g.x + r.y * g.y,
            -(h.x * r.y + r.x * moved.y),
            -(h.x * r.z + r.x * moved.z),
            -(h.y * r.z + r.y * moved.z),
        )
        return BodyInertia.about_frame(self.mass, moved, I + shift)

    def scalars(self):
        return (self.mass, *self.moment, *self.about_origin.scalars())

    def __matmul__(self, v):
        return Spatial(
            self.about_origin @ v.angular + cross(self.moment, v.linear),
            v.linear * self.mass + cross(v.angular, self.moment),
        )


class Model:
    """What a recursion needs of a robot, by body index."""

    def __init__(self, robot, parameters=None, bodies=None):
        """`parameters` replaces floats by other scalars, `bodies` whole inertias (see regroup).

        The robot has single joints, or is the rows of one that has others (robots/rows.py).
        """
        single_joints(robot)
        values = {name: parameter_values(robot, name) for name in PARAMETERS}
        given = parameters or {}
        values |= {name: robot.spread(name, each) for name, each in given.items()}
        self.robot, self.described = robot, robot.described
        self.n, self.nv = robot.n, robot.nv
        self.outward = [(i, joint.parent) for i, joint in enumerate(robot.joints)]
        self.inward = self.outward[::-1]
        self.path = robot.path
        self.base_turn = Rotation(*robot.base.rotation)  # of the root frame in the world
        self.base_origin = Vector(*robot.base.translation)
        self.gravity = self.base_turn.T @ Vector(*values["gravity"])  # in root coordinates
        self.base_velocity = _six(values["base_velocity"])
        # of the root's origin; gravity is felt as a base that rises
        self.base_acceleration = _six(values["base_acceleration"]) - Spatial(ZERO3, self.gravity)
        self.external_force = [_six(force) for force in values["external_force"]]
        self.rotor_inertia = values["rotor_inertia"]
        self.is_revolute = [joint.is_revolute for joint in robot.joints]
        self.axis = [Vector(*joint.axis) for joint in robot.joints]
        self.subspace = [
            Spatial(axis, ZERO3) if revolute else Spatial(ZERO3, axis)
            for axis, revolute in zip(self.axis, self.is_revolute, strict=True)
        ]
        self.inertia = bodies or [
            BodyInertia(mass, com, inertia)
            for mass, com, inertia in zip(
                values["mass"], values["com"], values["inertia"], strict=True
            )
        ]
        self.origin = [Vector(*origin) for origin in values["origin"]]  # of each joint's seat
        self._joints = [
            (RowGeometry if isinstance(joint, Row) else JointGeometry)(joint, origin)
            for joint, origin in zip(robot.joints, self.origin, strict=True)
        ]
        ends = [*accumulate((joint.nq for joint in robot.joints), initial=0)]
        self._places = [  # of each joint's position in q
            slice(*ends[i : i + 2]) if isinstance(joint, Row) else ends[i]
            for i, joint in enumerate(robot.joints)
        ]

    @property
    def ancestors(self):
        """Of each body: those that carry it, nearest first. Long for long chains, so on demand."""
        return self.robot.ancestors

    def transform(self, i, q):
        """Body i in its parent's frame when the joints are at q."""
        return self._joints[i].transform(q[self._places[i]])

    def travel(self, i, q):
        """How far body i is from its joint's seat, in its own frame."""
        return self._joints[i].travel(q[self._places[i]])

    def coast(self, qd):
        """The accelerations of the rows (robots/rows.py) while no joint changes its velocity.

        Velocities of a joint along axes of its body turn with the body, as `cross_motion` says;
        rows, one on another, would add that each turns those that follow.
        """
        coasting = [0.0] * self.nv
        for rows in self.turning_rows:
            v, carried = ZERO, ZERO
            for k in rows:
                own = self.subspace[k] * qd[k]
                v, carried = v + own, carried + cross_motion(v, own)
            for k in rows:
                coasting[k] = -(self.subspace[k] @ carried)
        return coasting

    @property
    def limb_by_limb(self):
        """(rows, parent, whether it is the way out) of each joint, on the way out and on the way
        back, when all that it carries is done: so few values are alive at once.

        What moves as single joints do, one after another, is several joints.
        """
        turning = {rows[0]: rows for rows in self.turning_rows}
        inner = {k for rows in turning.values() for k in rows[1:]}
        carried = {}
        for i, p in self.inward:
            if i not in inner:
                carried.setdefault(p, []).append((turning.get(i, range(i, i + 1)), p))
        steps = [(*joint, True) for joint in carried[WORLD]]
        while steps:
            rows, p, is_outward = steps.pop()
            yield rows, p, is_outward
            if is_outward:
                steps.append((rows, p, False))
                steps += [(*joint, True) for joint in carried.get(rows[-1], ())]

    @property
    def turning_rows(self):
        """The rows of each joint whose velocities are along the axes of its body."""
        robot = self.robot
        return [rows for rows in robot.groups if isinstance(robot.joints[rows[0]], Row)]

    def rows_accelerations(self, qd, qdd):
        """Those of the rows while joints accelerate by qdd."""
        return [rate + own for rate, own in zip(qdd, self.coast(qd), strict=True)]

    def joint_accelerations(self, qd, qdd):
        """Those of the joints while rows accelerate by qdd."""
        return [rate - own for rate, own in zip(qdd, self.coast(qd), strict=True)]

    def joint_torques(self, qd, tau):
        """Those of the joints whose rows have the torques tau: a rotor does not feel its joint's
        axes turn, which is in the accelerations of rows."""
        return [torque - own for torque, own in zip(tau, self.turning(qd), strict=True)]

    def rows_torques(self, qd, tau):
        """Those of the rows of joints that have the torques tau."""
        return [torque + own for torque, own in zip(tau, self.turning(qd), strict=True)]

    def turning(self, qd):
        """What the rotors of rows take while no joint changes its velocity."""
        turning, coasting = [0.0] * self.nv, self.coast(qd)
        for rows in self.turning_rows:
            for k in rows:
                turning[k] = self.rotor_inertia[k] * coasting[k]
        return turning


def _six(values):
    return Spatial(Vector(*values[:3]), Vector(*values[3:]))


class JointGeometry:
    """The transform of one joint as a function of its position.

    The constant seat is split so that its last factor turns about the joint axis: that part
    joins the joint's own angle, and what is left is at most two elementary rotations.
    """

    def __init__(self, joint, origin):
        self.joint, self.origin = joint, origin
        self.seat = Rotation(*joint.placement.rotation)
        align = align_z(joint.axis)  # columns: the joint's own x, y, z in the body frame
        turned = np.array(joint.placement.rotation) @ align
        (cb, sb), (ca, sa), self.zero = decompose(turned)
        factors = (AxisRotation(2, cb, sb), AxisRotation(0, ca, sa))
        self.before = tuple(f for f in factors if not is_identity(f))
        back = Rotation(*align.T.tolist())
        self.after = () if is_identity(back) else (back,)

    def transform(self, q):
        if not self.joint.is_revolute:
            slid = self.origin + self.seat @ (Vector(*self.joint.axis) * q)
            return Transform(Turn(*self.before, AxisRotation(2, *self.zero), *self.after), slid)
        spin = AxisRotation(2, *self.angle(q))
        return Transform(Turn(*self.before, spin, *self.after), self.origin)

    def travel(self, q):
        return ZERO3 if self.joint.is_revolute else Vector(*self.joint.axis) * q

    def angle(self, q):
        """The cosine and sine of the joint's angle beyond its constant zero.

        A zero that is no right angle is added to q before the sine is taken, which costs one
        addition and moves q by a rounding error.
        """
        c0, s0 = self.zero
        if 0.0 in self.zero:
            c, s = cos(q), sin(q)
            return c * c0 - s * s0, s * c0 + c * s0
        angle = q + math.atan2(s0, c0)
        return cos(angle), sin(angle)


class RowGeometry:
    """The transform of one row of a joint: the whole pose of the joint, or nothing but its seat."""

    def __init__(self, joint, origin):
        self.joint, self.origin = joint, origin
        self.seat = Rotation(*joint.placement.rotation)
        self.before = () if is_identity(self.seat) else (self.seat,)

    def transform(self, q):
        turn, slid = self._pose(q) if self.joint.first else ((), None)
        origin = self.origin if slid is None else self.origin + self.seat @ slid
        return Transform(Turn(*self.before, *turn), origin)

    def travel(self, q):
        turns, slid = self._pose(q) if self.joint.first else ((), None)
        return ZERO3 if slid is None else Turn(*turns).T @ slid

    def _pose(self, q):
        """Its turns, and how far it is moved, in its seat."""
        if self.joint.of == "spherical":
            return (quaternion_rotation(*q),), None
        if self.joint.of == "free":
            x, y, z, *quaternion = q
            return (quaternion_rotation(*quaternion),), Vector(x, y, z)
        x, y, angle = q
        plane = Rotation(*self.joint.frame)
        spin = AxisRotation(2, cos(angle), sin(angle))
        turns = (spin,) if is_identity(plane) else (plane, spin, plane.T)
        return turns, plane @ Vector(x, y, 0.0)


def quaternion_rotation(x, y, z, w):
    """The rotation of a unit quaternion. Of others it is the same polynomial, and no rotation."""
    xx, yy, zz = 2.0 * x * x, 2.0 * y * y, 2.0 * z * z
    xy, xz, yz = 2.0 * x * y, 2.0 * x * z, 2.0 * y * z
    xw, yw, zw = 2.0 * x * w, 2.0 * y * w, 2.0 * z * w
    return Rotation(
        (1.0 - (yy + zz), xy - zw, xz + yw),
        (xy + zw, 1.0 - (xx + zz), yz - xw),
        (xz - yw, yz + xw, 1.0 - (xx + yy)),
    )


def is_identity(rotation):
    return [tuple(row) for row in rotation.rows] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
