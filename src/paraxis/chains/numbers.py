"""The numbers of the links of a chain, as the sweeps along it read them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ..physics.parts.mobility import THIN, immobile
from ..robots.inertia import matrix_of, six_of, swing
from ..robots.refusals import single_joints, unsprung
from .links import links
from .recursions.link import MIXED, NUMBERS, PRISMATIC, REVOLUTE

ROTOR = 16  # among the numbers of a link
IMMOVABLE = 1e100  # the inertia of a rotor that stands still whatever pulls


@dataclass(frozen=True, eq=False)
class Chain:
    """A row of numbers per link (chains/recursions/link.py), and gravity along the root's axes."""

    robot: object
    kinds: str  # of the joints: all revolute, all prismatic, or mixed
    link: np.ndarray
    gravity: np.ndarray
    root: np.ndarray  # (3, 3): the root's axes in the world

    @property
    def n(self):
        return len(self.link)

    @property
    def turns(self):
        """Which joints are revolute."""
        return self.link[:, NUMBERS] != 0.0 if self.kinds == MIXED else self.kinds == REVOLUTE

    @property
    def nothing(self):
        """A link that is not there: without mass, not twisted, and its joint does not move."""
        numbers = np.zeros(self.link.shape[1])
        numbers[0], numbers[ROTOR] = 1.0, IMMOVABLE
        return numbers

    @cached_property
    def mobile(self):
        """Which links have a mass, and inertia about every axis through its centre."""
        mass, moment = self.link[:, 6], self.link[:, 7:10]
        swung = swing(mass, moment / np.where(mass, mass, 1.0)[:, None])
        about_com = matrix_of(self.link[:, 10:16]) - swung
        # What is left of a moment after that of the mass is subtracted may be mere rounding.
        sizes = np.trace(about_com, axis1=1, axis2=2) + np.trace(swung, axis1=1, axis2=2)
        return (mass > 0.0) & (np.linalg.eigvalsh(about_com)[:, 0] > THIN * sizes)

    def require_mobile_links(self, algorithm):
        if not self.mobile.all():
            link = int(np.argmin(self.mobile))
            whole = "inertia about some axis through its centre"
            lacking = whole if self.link[link, 6] else "mass"
            raise immobile(self.robot, link, algorithm, lacking)

    def bears(self, cut):
        """Can it be cut so, into rows whose ends are free?

        A joint with a rotor always has some inertia to move. One without must find it in the links
        of its row; it does, unless in vain in the whole chain, where the last of these is mobile.
        """
        if self.link[:, ROTOR].all() or self.mobile[self.link[:, ROTOR] == 0.0].all():
            return True
        last = np.arange(cut.steps - 1 - cut.before, self.n - 1, cut.steps)
        return bool(self.mobile[last[last >= 0]].all())


@lru_cache(maxsize=16)
def chain_of(robot):
    """The chain that a robot is, in frames of its own; a tree is an error.

    A seat is Rz(b) Rx(a) Rz(c). The first turn is left to the parent's frame, which may turn about
    its own axis: so a is the link's twist, and c with the b of the next link its zero.
    """
    what = "a sweep along a chain"
    found = links(unsprung(single_joints(robot, what), what))
    n = found.mass.shape[0]
    b, a, c = _turns(found.rotation)
    back = _about_z(-b)  # of each seat's parent
    ahead = np.concatenate([back[1:], np.eye(3)[None]])
    columns = [
        np.cos(a),
        np.sin(a),
        c + np.append(b[1:], 0.0),
        *np.einsum("nij,nj->in", back, found.origin),
        found.mass,
        *np.einsum("nij,nj->in", ahead, found.moment),
        *six_of(ahead @ matrix_of(found.inertia) @ ahead.mT).T,
        found.rotor,
    ]
    if found.revolute.all():
        kinds = REVOLUTE
    elif not found.revolute.any():
        kinds = PRISMATIC
    else:
        kinds = MIXED
        columns.append(found.revolute.astype(float))
    link = np.empty((n, len(columns)))
    for k, column in enumerate(columns):
        link[:, k] = column
    root = np.array(robot.base.rotation) @ back[0].T
    return Chain(robot, kinds, link, back[0] @ found.gravity, root)


def _turns(rotation):
    """b, a, c with rotation = Rz(b) Rx(a) Rz(c); b is zero where the twist is."""
    x, y = rotation[:, 0, 2], rotation[:, 1, 2]
    sine = np.hypot(x, y)
    b = np.where(sine > 0.0, np.arctan2(x, -y), 0.0)
    rest = _about_z(-b) @ rotation
    return b, np.arctan2(sine, rotation[:, 2, 2]), np.arctan2(-rest[:, 0, 1], rest[:, 0, 0])


def _about_z(angle):
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    rows = [[c, -s, zero], [s, c, zero], [zero, zero, zero + 1.0]]
    return np.moveaxis(np.array(rows), -1, 0)
