"""The hard law of one contact: Signorini's condition and Coulomb friction, at velocities.

A contact has an impulse f and a velocity u after the step, both along (normal, two tangents):

    f_n >= 0,   u_n >= target,   f_n (u_n - target) = 0,
    |f_t| <= mu f_n,   f_t opposes u_t, and |f_t| = mu f_n where it slides.

Sliding makes no normal motion, and friction takes as much energy as it can. The target is
-gap / dt while the contact is open, so that it closes at the end of a step and never beyond. What
contact does to kinetic energy is f.u - f.A.f / 2, where A is what impulses do to velocities, and
f.u <= f_n target: nothing is made where targets are not positive. They are in two cases, each with
a bound on the same sum, f.(u before + u after) / 2: restitution, where there is any, returns at
most the velocity of approach, at the beginning of the step; and a penetration is removed no faster
than the contact would be approaching without the impulse, so that this correction is a bounce, too,
with a coefficient of at most 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ...scalar import less, less_equal, logical_and, maximum, minimum, select, sqrt

SMALL = 1e-30
SINGULAR = 1e-9  # the determinant of a mobility over the product of its diagonal


@dataclass(frozen=True, slots=True)
class Hard:
    """The numbers of one contact in a step."""

    midway: ClassVar[bool] = False  # a contact is on the surface of the robot
    size: ClassVar[int] = 14  # numbers

    normal: Any  # mobility along the normal, 1/kg
    tangent: Any  # the larger one along the tangents
    across: tuple  # what a normal impulse does to the two tangential velocities
    ease: tuple  # reciprocals of the first two, 0 where the contact cannot move
    target: Any  # least normal velocity
    friction: Any
    inverse: tuple  # of the mobility: its upper triangle by rows, 0 where it has none

    @classmethod
    def of(cls, mobility, least, gap, before, free, dt, friction, restitution, ground, _):
        """From its 3x3 mobility and velocities before the step and without impulses."""
        before, free = before[0], free[0]
        normal, tangent = mobility[0][0], larger_eigenvalue(mobility)
        across = mobility[1][0], mobility[2][0]
        ease = ease_of(normal, least), ease_of(tangent, least)
        depth = maximum(-gap, 0.0)
        lifted = minimum(depth * ground.correction, maximum(-free * dt, 0.0))
        target = (lifted - maximum(gap, 0.0)) / dt
        closing = less(gap + dt * free, 0.0)
        fast = logical_and(less(before, -ground.restitution_speed), less(0.0, restitution))
        bounce = maximum(-(restitution * before), target)
        target = select(logical_and(closing, fast), bounce, target)
        return cls(normal, tangent, across, ease, target, friction, inverse_of(mobility, least))

    def scalars(self):
        numbers = [self.normal, self.tangent, *self.across, *self.ease, self.target, self.friction]
        return [*numbers, *self.inverse]

    @classmethod
    def from_scalars(cls, numbers):
        normal, tangent, a, b, c, d, target, friction, *inverse = numbers
        return cls(normal, tangent, (a, b), (c, d), target, friction, inverse)

    def size_of(self, step):
        """How much a change of the impulse changes velocities, roughly."""
        normal, first, second = step
        sideways = maximum(abs(first), abs(second)) * self.tangent
        return maximum(abs(normal) * self.normal, sideways)

    def updated(self, f, u):
        """The impulse that agrees with the law, while other contacts keep theirs.

        The one that lets the contact stick, if its cone allows that; else a step along the normal
        and one along the tangents, which agree with the law once sweeps change nothing.
        """
        fn, f1, f2 = f
        un, u1, u2 = u
        un = un - self.target
        steps = product(self.inverse, (un, u1, u2))
        stuck = [own - step for own, step in zip(f, steps, strict=True)]
        limit = self.friction * stuck[0]
        within = less_equal(stuck[1] * stuck[1] + stuck[2] * stuck[2], limit * limit)
        sticks = logical_and(within, logical_and(less(0.0, stuck[0]), less(0.0, self.inverse[0])))
        push = maximum(fn - un * self.ease[0], 0.0)
        more = push - fn
        g1 = f1 - (u1 + self.across[0] * more) * self.ease[1]
        g2 = f2 - (u2 + self.across[1] * more) * self.ease[1]
        slips = [push, *in_disk(g1, g2, self.friction * push)]
        return [select(sticks, one, other) for one, other in zip(stuck, slips, strict=True)]

    def residual(self, f, u):
        """How far f is from solving the law, as velocities: the natural map."""
        fn, f1, f2 = f
        un, u1, u2 = u
        normal = minimum(un - self.target, fn * self.normal)
        held = f1 * self.tangent, f2 * self.tangent
        allowed = self.friction * fn * self.tangent
        p1, p2 = in_disk(held[0] - u1, held[1] - u2, allowed)
        return [normal, held[0] - p1, held[1] - p2]

    def may_return(self, f):
        """The energy that a bounce or a correction may return, J."""
        return f[0] * maximum(self.target, 0.0)


def in_disk(x, y, radius):
    """The point of a disk that is nearest to (x, y)."""
    square = x * x + y * y
    inside = less_equal(square, radius * radius)
    scale = select(inside, 1.0, radius / sqrt(maximum(square, SMALL)))
    return x * scale, y * scale


def larger_eigenvalue(mobility):
    """Of the block of the tangents."""
    a, b, c = mobility[1][1], mobility[1][2], mobility[2][2]
    half = 0.5 * (a - c)
    return 0.5 * (a + c) + sqrt(half * half + b * b)


def inverse_of(mobility, least):
    """The upper triangle, by rows, of the inverse of a symmetric 3x3 matrix; 0 if singular."""
    (a, b, c), (_, d, e), (_, _, g) = mobility
    A, B, C = d * g - e * e, c * e - b * g, b * e - c * d
    determinant = a * A + b * B + c * C
    sizes = maximum(a, least) * maximum(d, least) * maximum(g, least)
    ease = ease_of(determinant, SINGULAR * sizes)
    entries = A, B, C, a * g - c * c, b * c - a * e, a * d - b * b
    return tuple(entry * ease for entry in entries)


def product(triangle, x):
    """A symmetric 3x3 matrix, by its upper triangle, times a vector."""
    a, b, c, d, e, g = triangle
    return (
        a * x[0] + b * x[1] + c * x[2],
        b * x[0] + d * x[1] + e * x[2],
        c * x[0] + e * x[1] + g * x[2],
    )


def ease_of(mobility, least):
    """1 / mobility, or 0 where the contact cannot move that way."""
    moves = less(least, mobility)
    return select(moves, 1.0 / select(moves, mobility, 1.0), 0.0)
