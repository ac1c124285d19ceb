"""Vectors, rotations and transforms of 3-D and 6-D space over generic scalars.

A 6-D vector has its angular part first. A `Transform` is the pose of a child frame
in its parent frame: `X @ motion` takes a motion from parent to child coordinates,
`X.T @ force` takes a force from child to parent coordinates (Featherstone's convention).
"""

from dataclasses import dataclass

from .scalar import known


class Vector:
    """Three scalars in some frame."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        return iter((self.x, self.y, self.z))

    scalars = __iter__

    def __repr__(self):
        return f"Vector({self.x}, {self.y}, {self.z})"

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self):
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, scalar):
        return Vector(self.x * scalar, self.y * scalar, self.z * scalar)

    __rmul__ = __mul__

    def __matmul__(self, other):
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z


def cross(a, b):
    """The vector product of two 3-D vectors."""
    return Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


class Matrix:
    """Nine scalars, by rows."""

    __slots__ = ("rows",)

    def __init__(self, *rows):
        self.rows = tuple(Vector(*row) for row in rows)

    def __iter__(self):
        return iter(self.rows)

    def scalars(self):
        return tuple(scalar for row in self.rows for scalar in row)

    def __matmul__(self, other):
        if isinstance(other, Vector):
            return Vector(*(row @ other for row in self.rows))
        columns = other.T.rows
        return Matrix(*([row @ column for column in columns] for row in self.rows))

    def __add__(self, other):
        return Matrix(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other):
        return Matrix(*(a - b for a, b in zip(self, other, strict=True)))

    @property
    def T(self):
        return Matrix(*zip(*self.rows, strict=True))


def skew(v):
    """[v]ₓ: the vector product as a matrix."""
    return Matrix((0.0, -v.z, v.y), (v.z, 0.0, -v.x), (-v.y, v.x, 0.0))


class Symmetric:
    """A symmetric 3x3 matrix: (xx, yy, zz, xy, xz, yz)."""

    __slots__ = ("xx", "xy", "xz", "yy", "yz", "zz")

    def __init__(self, xx, yy, zz, xy, xz, yz):
        self.xx, self.yy, self.zz, self.xy, self.xz, self.yz = xx, yy, zz, xy, xz, yz

    @classmethod
    def upper(cls, matrix):
        """A matrix that is known to be symmetric."""
        x, y, z = matrix
        return cls(x.x, y.y, z.z, x.y, x.z, y.z)

    def scalars(self):
        return (self.xx, self.yy, self.zz, self.xy, self.xz, self.yz)

    def __iter__(self):
        yield Vector(self.xx, self.xy, self.xz)
        yield Vector(self.xy, self.yy, self.yz)
        yield Vector(self.xz, self.yz, self.zz)

    def __matmul__(self, vector):
        return Vector(*(row @ vector for row in self))

    def __add__(self, other):
        return Symmetric(*(a + b for a, b in zip(self.scalars(), other.scalars(), strict=True)))

    def __sub__(self, other):
        return Symmetric(*(a - b for a, b in zip(self.scalars(), other.scalars(), strict=True)))


class Rotation(Matrix):
    """Coordinates in the child frame to coordinates in the parent."""

    __slots__ = ()

    @property
    def T(self):
        return Rotation(*zip(*self.rows, strict=True))

    def tensor(self, tensor):
        """R tensor Rᵀ: a Matrix or a Symmetric seen from the parent."""
        turned = self @ Matrix(*tensor) @ self.T
        return Symmetric.upper(turned) if isinstance(tensor, Symmetric) else turned


IDENTITY = Rotation((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class AxisRotation(Rotation):
    """The rotation about a coordinate axis (0, 1, 2) by the angle with this cosine and sine."""

    __slots__ = ("axis", "cosine", "sine")

    def __init__(self, axis, cosine, sine):
        self.axis, self.cosine, self.sine = axis, cosine, sine
        c, s = cosine, sine
        if axis == 0:
            super().__init__((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
        elif axis == 1:
            super().__init__((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
        else:
            super().__init__((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))

    @property
    def T(self):
        return AxisRotation(self.axis, self.cosine, -self.sine)

    def tensor(self, tensor):
        """As for any rotation, in half the operations: with s² + c² = 1 the block across the axis
        changes by multiples of one number."""
        c, s, k = self.cosine, self.sine, self.axis
        if any(known(part) in (-1.0, 0.0, 1.0) for part in (c, s)):
            return super().tensor(tensor)  # a right angle moves entries and computes nothing
        i, j = (k + 1) % 3, (k + 2) % 3
        m = [list(row) for row in tensor]
        t = s * (m[i][i] - m[j][j]) + c * (m[i][j] + m[j][i])
        m[i][i], m[j][j] = m[i][i] - s * t, m[j][j] + s * t
        m[i][j], m[j][i] = c * t - m[j][i], c * t - m[i][j]
        m[i][k], m[j][k] = c * m[i][k] - s * m[j][k], s * m[i][k] + c * m[j][k]
        m[k][i], m[k][j] = c * m[k][i] - s * m[k][j], s * m[k][i] + c * m[k][j]
        return Symmetric.upper(Matrix(*m)) if isinstance(tensor, Symmetric) else Matrix(*m)


class Turn:
    """A rotation kept as a product of simpler ones, applied one after another.

    Rotating a vector by a constant right angle is free and by a joint angle costs
    4 multiplications; by their product it would cost 8.
    """

    __slots__ = ("factors",)

    def __init__(self, *factors):
        self.factors = factors

    def __matmul__(self, vector):
        for factor in reversed(self.factors):
            vector = factor @ vector
        return vector

    def tensor(self, tensor):
        """R tensor Rᵀ for a Matrix or a Symmetric."""
        for factor in reversed(self.factors):
            tensor = factor.tensor(tensor)
        return tensor

    @property
    def T(self):
        return Turn(*(factor.T for factor in reversed(self.factors)))

    def matrix(self):
        """The product, as one Rotation."""
        product = IDENTITY
        for factor in self.factors:
            product = product @ factor
        return Rotation(*product)


class Spatial:
    """A 6-D vector: a motion (angular, linear velocity) or a force (moment, force)."""

    __slots__ = ("angular", "linear")

    def __init__(self, angular, linear):
        self.angular, self.linear = angular, linear

    @classmethod
    def of(cls, six):
        """From its six scalars."""
        return cls(Vector(*six[:3]), Vector(*six[3:]))

    def scalars(self):
        return (*self.angular, *self.linear)

    def __add__(self, other):
        return Spatial(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other):
        return Spatial(self.angular - other.angular, self.linear - other.linear)

    def __neg__(self):
        return Spatial(-self.angular, -self.linear)

    def __mul__(self, scalar):
        return Spatial(self.angular * scalar, self.linear * scalar)

    def __matmul__(self, other):
        """The power of a force along a motion."""
        return self.angular @ other.angular + self.linear @ other.linear


ZERO3 = Vector(0.0, 0.0, 0.0)
ZERO = Spatial(ZERO3, ZERO3)


def cross_motion(v, m):
    """The rate of change of a motion `m` fixed in a frame that moves with velocity `v`."""
    return Spatial(
        cross(v.angular, m.angular), cross(v.angular, m.linear) + cross(v.linear, m.angular)
    )


def cross_force(v, f):
    """The rate of change of a force `f` fixed in a frame that moves with velocity `v`."""
    return Spatial(
        cross(v.angular, f.angular) + cross(v.linear, f.linear), cross(v.angular, f.linear)
    )


@dataclass(frozen=True, slots=True)
class Transform:
    """The pose of a child frame in its parent frame: its rotation and its origin."""

    turn: Turn
    origin: Vector  # of the child frame, in parent coordinates

    def __matmul__(self, motion):
        """A motion in parent coordinates, seen in the child frame."""
        back = self.turn.T
        return Spatial(
            back @ motion.angular, back @ (motion.linear + cross(motion.angular, self.origin))
        )

    @property
    def T(self):
        return TransposedTransform(self)


@dataclass(frozen=True, slots=True)
class TransposedTransform:
    """The way back, for forces."""

    transform: Transform

    def __matmul__(self, force):
        """A force in child coordinates, seen in the parent frame."""
        linear = self.transform.turn @ force.linear
        moment = self.transform.turn @ force.angular + cross(self.transform.origin, linear)
        return Spatial(moment, linear)
