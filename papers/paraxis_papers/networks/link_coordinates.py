"""The same equations in link coordinates: recurrences are inhomogeneous, x(i) = A(i) x(i−1) + b(i).

Their operator glues pairs (A, b): a product of matrices, and a vector that is turned and added.
Joints are revolute and each link's frame stands at its far end, as in equations.py. This file is
for counting; compute with `algorithms.newton_euler`.
"""

from dataclasses import dataclass

from paraxis.robots.model import Model
from paraxis.spatial import Matrix, Vector, cross

from ..counts.plain_count import some_state
from .equations import general_links


@dataclass(frozen=True)
class Turned:
    """x -> turn @ x + shift, over the joints from `first` to `last`; a value has no turn."""

    turn: Matrix | None
    shift: Vector
    first: int = 0
    last: int = 0

    def scalars(self):
        return (*(self.turn.scalars() if self.turn else ()), *self.shift)


class Turns:
    """Products of the links' rotations. Where they are `shared` each span of joints is multiplied
    once, for all recurrences outward and, transposed, inward."""

    def __init__(self, shared):
        self.shared, self._known = shared, {}

    def outward(self, left, right):
        """Glue `right`, which is farther out, to `left`."""
        shift = right.turn @ left.shift + right.shift
        if left.turn is None:
            return Turned(None, shift)
        first, last = left.first, right.last
        turn = self._product((first, last), lambda: right.turn @ left.turn)
        return Turned(turn, shift, first, last)

    def inward(self, left, right):
        """Glue `right`, which is farther in, to `left`."""
        shift = right.turn @ left.shift + right.shift
        if left.turn is None:
            return Turned(None, shift)
        first, last = right.first, left.last
        turn = self._product((first, last), lambda: left.turn.T @ right.turn.T).T
        return Turned(turn, shift, first, last)

    def _product(self, span, multiplied):
        if not self.shared or span not in self._known:
            self._known[span] = multiplied()
        return self._known[span]


def torques(machine, robot, shared):
    """The torques of a chain of revolute joints at `some_state`."""
    number = machine.ledger.number
    links = list(general_links(robot, machine.ledger))
    _, qd, qdd = ([number(x) for x in row] for row in some_state(robot))
    rise = Vector(*map(number, Model(robot).base_acceleration.linear))
    load = Vector(number(0.0), number(0.0), number(0.0))  # of the hand: a force, and a moment
    each, turns, tip = machine.each, Turns(shared), len(links) - 1

    def outward(name, b, start=None):
        """The first value is b(0) itself, unless the recurrence starts from a given one."""
        terms = [Turned(link.A.T, b[i], i, i) for i, link in enumerate(links)]
        if start is None:
            terms[0] = Turned(None, b[0])
        first = None if start is None else Turned(None, start)
        return [x.shift for x in machine.outward(name, turns.outward, terms, first)]

    def inward(name, b):
        """Link i + 1 hands on to link i by its own rotation; the last link hands on to none."""
        terms = [Turned(links[i + 1].A, b[i], i + 1, i + 1) for i in range(tip)]
        terms.append(Turned(None, b[tip]))
        return [x.shift for x in machine.inward(name, turns.inward, terms)]

    spin = each("spin", lambda i: links[i].z * qd[i])
    ω = outward("ω", spin)
    b = each("b of α", lambda i: links[i].z * qdd[i] + cross(ω[i], spin[i]))
    α = outward("α", b)
    b = each("b of a", lambda i: cross(α[i], links[i].p) + cross(ω[i], cross(ω[i], links[i].p)))
    a = outward("a", b, rise)
    s = [link.s for link in links]
    r = each("r", lambda i: cross(α[i], s[i]) + cross(ω[i], cross(ω[i], s[i])) + a[i])
    F = each("F", lambda i: r[i] * links[i].m)
    N = each("N", lambda i: links[i].J @ α[i] + cross(ω[i], links[i].J @ ω[i]))
    f = inward("f", [*F[:tip], F[tip] + load])
    arm = each("arm", lambda i: cross(links[i].p + s[i], F[i]) + cross(links[i].p, f[i] - F[i]))
    b = each("b of n", lambda i: N[i] + arm[i] + (load if i == tip else Vector(0.0, 0.0, 0.0)))
    n = inward("n", b)
    return [torque.value for torque in each("τ", lambda i: n[i] @ links[i].z)]
