"""A model whose body coordinates do not turn with the body where that costs less.

A rotation by a joint's angle is applied to five vectors a joint. Two joints with parallel axes
need not both apply one: the vectors of the first body stay in the frame its joint stands in, its
constants (moments of mass, offsets of its children) turn instead, and the second joint turns by
the sum of both angles, whose sine and cosine come from those of each. Nor need a last body turn
its vectors, when it is round about its axis or has few constants.

Recursions see no difference: their equations hold in any coordinates at the instant, and none
takes a derivative of coordinates. Exact in real arithmetic.
"""

from ...spatial import AxisRotation, Transform, Turn
from ..joint import WORLD, Row
from ..model import Model

# What turning costs and saves, in operations. Rough: they decide, they do not count.
FIVE_VECTORS, THREE_VECTORS = 30, 18  # ω, α, a, f, n; without force and acceleration three
PLANAR = 18  # saved besides while frames have turned about one axis since the first body: zeros
ACROSS, MIXED = 5, 7  # turning xx and yy; using the xy this makes
PLANE_VECTOR, ONE_COMPONENT = 6, 12  # turning (x, y); turning (x, 0) and using the y this makes
ANGLE_SUM = 6


class Unturned(Model):
    """A reframed robot with bodies as Moments, its joints at `q`."""

    def __init__(self, robot, bodies, q):
        super().__init__(robot, bodies=list(bodies))
        staying = self._staying()
        ahead = {}  # (cosine, sine) by which a body that stayed is turned against its coordinates
        self._transforms = []
        for i, joint in enumerate(robot.joints):
            geometry, position = self._joints[i], q[self._places[i]]
            if isinstance(joint, Row) or not joint.is_revolute:
                self._transforms.append(geometry.transform(position))
                continue
            before, origin = geometry.before, geometry.origin
            c, s = geometry.angle(position)
            if joint.parent in ahead:
                origin = AxisRotation(2, *ahead[joint.parent]) @ origin
                before, c, s = _angle_sum(before, *ahead[joint.parent], c, s)
            if i in staying:
                ahead[i] = c, s
                if not _is_round(bodies[i]):
                    self.inertia[i] = bodies[i].turned(AxisRotation(2, c, s))
            else:
                before = (*before, AxisRotation(2, c, s))
            self._transforms.append(Transform(Turn(*before), origin))

    def transform(self, i, q):
        """Body i's coordinates in its parent's, at the position given when this was made."""
        return self._transforms[i]

    def _staying(self):
        """The bodies whose coordinates stay."""
        children = [[] for _ in self.inertia]
        for geometry in self._joints:
            if geometry.joint.parent != WORLD:
                children[geometry.joint.parent].append(geometry)
        staying, planar = set(), {WORLD}
        for i, p in self.outward:
            if p == WORLD:
                planar.add(i)  # and it turns: on the ground, that is free
            elif self._turns(i) and all(map(_is_parallel, children[i])):
                pulled = children[i] or _is_pulled(self.inertia[i])
                saved = FIVE_VECTORS if pulled else THREE_VECTORS
                if _price(self.inertia[i], children[i]) < saved + (PLANAR if p in planar else 0):
                    staying.add(i)
                    if p in planar:
                        planar.add(i)
        return staying

    def _turns(self, i):
        return self.is_revolute[i] and not isinstance(self.robot.joints[i], Row)


def _price(body, children):
    """Of turning a body's constants."""
    price = sum(ANGLE_SUM + _price_of(child.origin.x, child.origin.y) for child in children)
    if _is_round(body):
        return price
    J = body.second
    if J.xy or J.xx != J.yy:
        price += ACROSS + (ACROSS - 1 if J.xy else MIXED)
    return price + _price_of(body.first.x, body.first.y) + _price_of(J.xz, J.yz)


def _price_of(x, y):
    if x and y:
        return PLANE_VECTOR
    return ONE_COMPONENT if x or y else 0


def _is_round(body):
    h, J = body.first, body.second
    return not any((h.x, h.y, J.xy, J.xz, J.yz)) and J.xx == J.yy


def _is_pulled(body):
    return any((body.mass, body.first.x, body.first.y))


def _is_parallel(geometry):
    """Whether a joint turns about its parent's axis, maybe the other way round."""
    if isinstance(geometry.joint, Row) or not geometry.joint.is_revolute:
        return False
    return all(factor.sine == 0 for factor in geometry.before if factor.axis == 0)


def _angle_sum(before, c, s, c_own, s_own):
    """A parallel joint on a body that stayed, turned by (c, s).

    Returns what comes before the joint's spin, and the cosine and sine of that spin.
    """
    flip = ()
    for factor in before:
        if factor.axis == 2:
            c, s = c * factor.cosine - s * factor.sine, s * factor.cosine + c * factor.sine
        else:
            flip, s = (factor,), -s  # Rz(b) Rx(pi) = Rx(pi) Rz(-b)
    return flip, c * c_own - s * s_own, s * c_own + c * s_own
