"""The plain count: every operation of an algorithm, none shared and none simplified.

The papers count the multiplications and additions of their equations as written. So an algorithm
is run here on `Tally` scalars, which do the arithmetic and enter each operation in a `Ledger`.
A Tally is a number that is only there at run time; a float is one that the author of the equations
knew beforehand: the mass of a link, a zero of the joint axis, the rest of the base. Sums with a
known 0, products with a known 0, 1 or -1 and whatever is made of floats alone are free, and so are
sign changes and doubling. What a robot knows of itself is thus the counting convention.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from paraxis import Robot
from paraxis.robots import Inertia, Joint, Pose
from paraxis.robots.model import Model
from paraxis.spatial import Rotation, Transform, Turn, Vector


@dataclass(frozen=True)
class Work:
    """Multiplications and additions."""

    mul: int = 0
    add: int = 0

    def __add__(self, other):
        return Work(self.mul + other.mul, self.add + other.add)

    def __sub__(self, other):
        return Work(self.mul - other.mul, self.add - other.add)

    @property
    def pair(self):
        return [self.mul, self.add]


class Ledger:
    """Who did what: operations, entered under the step and link whose mark came next."""

    def __init__(self):
        self._closed = []  # (step, its operations)
        self._open = []
        self._kept = []  # marked values and results

    def enter(self, operation):
        self._open.append(operation)

    def close(self, step, values):
        """What was done since the last step was for these values."""
        self._closed.append((step, self._open))
        self._open = []
        self._kept += [value for value in values if isinstance(value, Tally)]

    def steps(self):
        """(name, link) -> Work. What met a known zero and led to no value that is kept is left
        out: nobody would have computed it."""
        needed, left = set(), list(self._kept)
        while left:
            value = left.pop()
            if id(value) not in needed:
                needed.add(id(value))
                left += value.made_of
        done = defaultdict(Work)
        for step, operations in self._closed:
            kinds = [operation.kind for operation in operations if id(operation) in needed]
            done[step] += Work(kinds.count("mul"), kinds.count("add"))
        return done

    def total(self):
        return sum(self.steps().values(), Work())

    def number(self, value):
        """A number of run time."""
        return Tally(self, float(value))

    def entry(self, value):
        """An entry of a matrix: known beforehand if it is 0, 1 or -1."""
        return float(value) if value in (0, 1, -1) else self.number(value)


class Tally:
    """A scalar that counts what is done with it."""

    __slots__ = ("kind", "ledger", "made_of", "value")

    def __init__(self, ledger, value, kind=None, made_of=()):
        self.ledger, self.value, self.kind, self.made_of = ledger, value, kind, made_of
        if kind:
            ledger.enter(self)

    def __repr__(self):
        return f"Tally({self.value})"

    def __add__(self, other):
        if other is self:
            return Tally(self.ledger, 2 * self.value, made_of=(self,))
        if isinstance(other, Tally):
            return Tally(self.ledger, self.value + other.value, "add", (self, other))
        return self if other == 0 else Tally(self.ledger, self.value + other, "add", (self,))

    __radd__ = __add__

    def __neg__(self):
        return Tally(self.ledger, -self.value, made_of=(self,))

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, Tally):
            return Tally(self.ledger, self.value * other.value, "mul", (self, other))
        if other in (0, 1, -1):
            return {0: 0.0, 1: self, -1: -self}[other]
        return Tally(self.ledger, self.value * other, "mul", (self,))

    __rmul__ = __mul__

    def mark(self, name, link, scalars):
        """See `paraxis.math.mark`."""
        self.ledger.close((name, link), scalars)
        return scalars


class PlainModel(Model):
    """A robot whose rotations are given as whole matrices; forming them is not counted."""

    def __init__(self, robot, ledger, bodies=None):
        super().__init__(robot, bodies=bodies)
        self.ledger = ledger

    def transform(self, i, q):
        X, entry = super().transform(i, [each.value for each in q]), self.ledger.entry
        rotation = Rotation(*(map(entry, row) for row in X.turn.matrix()))
        return Transform(Turn(rotation), Vector(*map(entry, X.origin)))


def plain_count(algorithm, robot, bodies=None):
    """The Ledger of one run of an inverse dynamics algorithm, and the torques."""
    ledger = Ledger()
    model = PlainModel(robot, ledger, bodies)
    state = ([ledger.number(x) for x in row] for row in some_state(robot))
    tau = algorithm(model, *state)
    ledger.close(("torques", None), tau)
    return ledger, [torque.value for torque in tau]


def some_state(robot):
    """q, qd and qdd without any special value in them."""
    return np.random.default_rng(1985).uniform(0.2, 1.2, (3, robot.nv))


def general_chain(kinds, aligned=()):
    """A chain with nothing special about it but its axes along z, as Denavit and Hartenberg's.

    Gravity has three components too. The joints in `aligned` stand parallel to their parents.
    """
    random = np.random.default_rng(1980)
    joints, inertias = [], []
    for i, kind in enumerate(kinds):
        place, angles, com = random.uniform(0.2, 0.9, (3, 3))
        seat = Pose.from_rpy(place, (0, 0, 0) if i in aligned else angles)
        joints.append(Joint(f"joint{i + 1}", kind, i - 1, seat))
        inertias.append(Inertia.of(1.5 + i, com, (1.1, 1.2, 1.3, 0.11, 0.12, 0.13)))
    return Robot("general", joints, inertias, gravity=(1.5, 2.5, -9.0), warn=False)
