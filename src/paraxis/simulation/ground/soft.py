"""The soft law of one contact: MuJoCo's convex optimisation, at velocities.

The impulse f and the velocity u after the step, both along (normal, two tangents), satisfy

    f in K,   g = u - reference + R f in the dual cone of K,   f.g = 0,

where K is the cone of friction |f_t| <= mu f_n. The reference is that of a damped spring: the
velocity before the step plus dt times -b u - k d depth. R = (1 - d) / d times a typical mobility is
what makes it soft; d is the impedance at that depth (`solimp`), k and b come from `solref`. Names
and numbers are MuJoCo's, for elliptic cones and condim 3. A contact that is open has no impulse.
Unlike by the hard law, sliding makes some normal motion.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ...physics.linear.dense import dot
from ...scalar import exp, less, less_equal, log, logical_and, maximum, minimum, select, sqrt
from .hard import ease_of, inverse_of, larger_eigenvalue, product

SMALL = 1e-30


@dataclass(frozen=True, slots=True)
class Soft:
    """The numbers of one contact in a step."""

    midway: ClassVar[bool] = True  # a contact is halfway between surfaces, as in MuJoCo
    size: ClassVar[int] = 16  # numbers

    normal: Any  # bounds of the mobility, regularised: diag(normal, tangent, tangent) - A - R
    tangent: Any  # has no negative eigenvalue
    regular: tuple  # R along the normal and the tangents
    ease: tuple  # reciprocals of the first two, 0 where the contact is open
    reference: tuple  # velocities
    friction: Any
    inverse: tuple  # of A + R: its upper triangle by rows, 0 where the contact is open

    @classmethod
    def of(cls, mobility, least, gap, before, free, dt, friction, _, ground, typical):
        d, stiffness, damping = impedance(gap, dt, ground)
        R = (1.0 - d) / d * typical
        regular = R, R / ground.impratio
        normal, tangent = mobility[0][0] + regular[0], larger_eigenvalue(mobility) + regular[1]
        a, b = mobility[1][0], mobility[2][0]
        coupled = 1.0 + sqrt((a * a + b * b) / maximum(normal * tangent, least * least))
        normal, tangent = normal * coupled, tangent * coupled
        closed = less(gap, 0.0)
        ease = [select(closed, ease_of(each, least), 0.0) for each in (normal, tangent)]
        slower = 1.0 - dt * damping
        spring = dt * stiffness * d * gap
        reference = before[0] * slower - spring, before[1] * slower, before[2] * slower
        rows = [list(row) for row in mobility]
        for i, more in enumerate((regular[0], regular[1], regular[1])):
            rows[i][i] = rows[i][i] + more
        inverse = [select(closed, entry, 0.0) for entry in inverse_of(rows, least)]
        return cls(normal, tangent, regular, tuple(ease), reference, friction, tuple(inverse))

    def scalars(self):
        numbers = self.normal, self.tangent, *self.regular, *self.ease, *self.reference
        return [*numbers, self.friction, *self.inverse]

    @classmethod
    def from_scalars(cls, numbers):
        normal, tangent, *rest = numbers
        return cls(normal, tangent, rest[:2], rest[2:4], rest[4:7], rest[7], rest[8:])

    def size_of(self, step):
        normal, first, second = step
        sideways = maximum(abs(first), abs(second)) * self.tangent
        return maximum(abs(normal) * self.normal, sideways)

    def updated(self, f, u):
        """The least cost while other contacts keep their impulses, if the cone does not bind; else
        a step towards it, projected to the cone. Never uphill."""
        slope = self._slope(f, u)
        x, y, z = (own - way for own, way in zip(f, product(self.inverse, slope), strict=True))
        limit = self.friction * x
        within = less_equal(y * y + z * z, limit * limit)
        inside = logical_and(within, logical_and(less(0.0, x), less(0.0, self.inverse[0])))
        others = self._projected(f, slope)
        return [select(inside, a, b) for a, b in zip((x, y, z), others, strict=True)]

    def _projected(self, f, slope):
        to, side = self.ease
        moved = [f[0] - slope[0] * to, f[1] - slope[1] * side, f[2] - slope[2] * side]
        ratio = self.tangent / self.normal  # distances are those of the bound
        found = in_cone(*moved, self.friction, ratio)
        return [select(less(0.0, to), entry, 0.0) for entry in found]

    def residual(self, f, u):
        """How far f is from solving the law, as velocities: the natural map."""
        new = self._projected(f, self._slope(f, u))
        sizes = self.normal, self.tangent, self.tangent
        return [(a - b) * size for a, b, size in zip(f, new, sizes, strict=True)]

    def may_return(self, f):
        """The energy that the spring of the contact may return, J."""
        return dot(f, self.reference)

    def _slope(self, f, u):
        R, side = self.regular
        un, u1, u2 = (own - wanted for own, wanted in zip(u, self.reference, strict=True))
        return un + R * f[0], u1 + side * f[1], u2 + side * f[2]


def impedance(gap, dt, ground):
    """d of `solimp` at this gap, and stiffness and damping of `solref`."""
    low, high, width, middle, power = ground.solimp
    x = minimum(abs(gap) / width, 1.0)
    if power == 1.0:
        y = x
    else:
        rising = _power(x, power) * (1.0 / middle ** (power - 1.0))
        falling = 1.0 - _power(1.0 - x, power) * (1.0 / (1.0 - middle) ** (power - 1.0))
        y = select(less(x, middle), rising, falling)
    d = low + (high - low) * y
    first, second = ground.solref
    if first > 0.0:
        period = maximum(first, 2.0 * dt)  # MuJoCo's refsafe
        return d, 1.0 / (high * high * period * period * second * second), 2.0 / (high * period)
    return d, -first / (high * high), -second / high


def _power(x, power):
    if power == int(power) and power < 16:
        result = x
        for _ in range(int(power) - 1):
            result = result * x
        return result
    return select(less(0.0, x), exp(power * log(maximum(x, SMALL))), 0.0)


def in_cone(n, x, y, friction, ratio):
    """The point of the cone of friction nearest to (n, x, y), where lengths along the tangents
    count `ratio` times, squared."""
    side = sqrt(maximum(x * x + y * y, SMALL))
    slope = friction * friction * ratio
    push = maximum((n + friction * ratio * side) / (1.0 + slope), 0.0)
    outside = less(friction * n, side)  # of the cone, and perhaps in its polar cone
    scale = select(outside, friction * push / side, 1.0)
    return [select(outside, push, n), x * scale, y * scale]
