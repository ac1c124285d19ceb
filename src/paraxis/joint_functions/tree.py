"""A robot as tables for the lanes of a warp: its bodies, its rows, and the pairs that meet.

Every joint's own z axis is that of its body's frame here, so that all joints turn and slide alike.
Slots are places for what bodies have: one for each body, and one for the world.
"""

from itertools import accumulate

import numpy as np

from ..robots.joint import SINGLE, WORLD, Row
from ..robots.rows import rows_of
from ..robots.seat import align_z

MOST = 256  # degrees of freedom


def tree_of(robot):
    """The Tree of a robot that has only single joints, on the world or on a floating base; None
    for others, and for more joints than a block has room for."""
    if robot.loops or robot.has_springs or robot.nv > MOST:
        return None
    rows = rows_of(robot)
    if rows.followers:
        return None
    floats = isinstance(rows.joints[0], Row) and rows.joints[0].of == "free"
    base = rows.joints[:6] if floats else ()
    others = rows.joints[len(base) :]
    is_plain = others and all(type(joint) is not Row and joint.kind in SINGLE for joint in others)
    on_base = not floats or all(joint.parent != WORLD for joint in rows.joints[1:])
    if not is_plain or not on_base or any(row.reflected_inertia for row in base):
        return None
    return Tree(rows, len(base))


class Tree:
    """`slots`, and tables: columns of integers and of constants, by the name of what they list."""

    def __init__(self, rows, base):
        joints, self.n, self.base = rows.joints, rows.nv, base
        self.ancestors = [tuple(above) for above in rows.ancestors]
        first = base - 1 if base else 0  # the row of body 0
        self.rows = range(base, self.n)
        self.bodies = self.n - first
        self.world = self.bodies
        # Odd: components are as many numbers apart, and lanes read banks of their own.
        self.slots = (self.bodies + 1) | 1
        self.nq = sum(joint.nq for joint in joints)
        frames = {WORLD: np.eye(3)}  # z along the joint
        body = {WORLD: self.world} | {k: max(k - first, 0) for k in range(self.n)}
        carrier = {k: self.world if k < base else body[joints[k].parent] for k in range(self.n)}
        position = [*accumulate((joint.nq for joint in joints), initial=0)]
        for k in range(self.n):
            frames[k] = np.eye(3) if k < base else align_z(joints[k].axis)
        level = {}
        for k in self.rows:
            level[k] = level.get(joints[k].parent, 0) + 1
        order = sorted(self.rows, key=lambda k: (level[k], k))
        last = {level[k]: at + 1 for at, k in enumerate(order)}
        self.spans = tuple(last.values())
        seats = {}
        for k in order:
            joint = joints[k]
            up = frames[joint.parent]
            turned = up.T @ np.array(joint.placement.rotation) @ frames[k]
            seats[k] = (*turned.T.ravel(), *(up.T @ np.array(joint.placement.translation)))
        turns = {k: float(joints[k].is_revolute) for k in order}
        self.moving = (
            {
                "row": order,
                "body": [body[k] for k in order],
                "parent": [carrier[k] for k in order],
                "position": [position[k] for k in order],
            },
            {
                "across": [seats[k][:6] for k in order],
                "axis": [seats[k][6:9] for k in order],
                "origin": [seats[k][9:] for k in order],
                "turns": [(turns[k],) for k in order],
                "slides": [(1.0 - turns[k],) for k in order],
            },
        )
        carrying = [k for k in range(self.n) if k >= first]  # rows that have a body
        masses = {}
        for k in carrying:
            inertia, A = rows.inertias[k], frames[k]
            xx, yy, zz, xy, xz, yz = inertia.about_com
            J = A.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ A
            six = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            masses[body[k]] = inertia.mass, A.T @ np.array(inertia.com), six
        each = range(self.bodies)
        self.each_body = (
            {"body": [*each]},
            {
                "mass": [(masses[k][0],) for k in each],
                "com": [tuple(masses[k][1]) for k in each],
                "inertia": [tuple(masses[k][2]) for k in each],
            },
        )
        carried = [masses[k][0] for k in each]
        for k in reversed(order):
            if carrier[k] != self.world:
                carried[carrier[k]] += carried[body[k]]
        rotors = [joint.reflected_inertia for joint in joints]
        every = range(self.n)
        self.joints = (
            {
                "row": [*every],
                "body": [body[k] for k in every],
                "carrier": [carrier[k] for k in every],
                "seen": [carrier[k] if k >= base else body[k] for k in every],
            },
            {
                "rotor": [(each,) for each in rotors],
                "carried": [(carried[body[k]],) for k in every],
            },
        )
        group = [range(base) if k < base else range(k, k + 1) for k in every]
        filled = {}
        for i, above in enumerate(self.ancestors):
            for j in (i, *above):
                filled[i, j] = len(filled)
        self.filled = filled  # entries of the mass matrix -> where they are kept
        self.pairs = (
            _pairs(filled, self.n) | {"packed": [*filled.values()]},
            {"rotor": [(rotors[i] if i == j else 0.0,) for i, j in filled]},
        )
        self.within = _pairs([(c, b) for c in every for b in group[c]], self.n)
        self.between = _pairs([(c, b) for c, b in filled if b not in group[c]], self.n)
        self.root = {
            "gravity": np.array(rows.base.rotation).T @ np.array(rows.gravity),
            "seat": np.array(joints[0].placement.rotation) if base else np.eye(3),
            "rails": np.zeros((1, 3)) if base else _rails(joints),
        }
        axes = np.array([joint.axis for joint in joints[:base]]).reshape(-1, 3)
        turning = np.array([joint.is_revolute for joint in joints[:base]], dtype=bool)
        self.base_axes = [
            (*(axis * turns), *(axis * (not turns)))
            for axis, turns in zip(axes, turning, strict=True)
        ]


def _rails(joints):
    """Where, in the base's frame, the first joint that turns or branches is at q = 0, and the
    directions of the joints before it, all of which slide. Of several on the world, the mean."""
    first = [joint for joint in joints if joint.parent == WORLD]
    if len(first) > 1:
        return np.mean([joint.placement.translation for joint in first], axis=0)[None]
    point, turn, rails = np.zeros(3), np.eye(3), []
    for k, joint in enumerate(joints):
        point = point + turn @ np.array(joint.placement.translation)
        turn = turn @ np.array(joint.placement.rotation)
        if joint.is_revolute:
            break
        rails.append(turn @ np.array(joint.axis))
        if sum(other.parent == k for other in joints) != 1:
            break
    return np.array([point, *rails])


def _pairs(pairs, n):
    """Columns of pairs of rows (c, b), and where entries of n x n matrices are."""
    return {
        "c": [c for c, _ in pairs],
        "b": [b for _, b in pairs],
        "bc": [b * n + c for c, b in pairs],
        "cb": [c * n + b for c, b in pairs],
    }
