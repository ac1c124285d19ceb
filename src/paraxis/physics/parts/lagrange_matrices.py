"""The matrices of the Lagrange formulations: moments of mass and force, homogeneous transforms.

A matrix ∫ r dFᵀ, of points r in a body and the forces dF there, has all effects of forces on the
body: under a small motion r -> r + M r their work is trace(M ∫ r dFᵀ). Its 4x4 form, with the
points as (r, 1) and the forces as (dF, 0), has the sum of the forces in its last row.
"""

from ...spatial import Matrix, Symmetric, skew


def trace(a, b):
    """The trace of the product of two square matrices."""
    pairs = zip(a, zip(*b, strict=True), strict=True)
    return sum(x * y for row, column in pairs for x, y in zip(row, column, strict=True))


# -- 3x3 -------------------------------------------------------------------------------------------


def outer(a, b):
    """a bᵀ."""
    return Matrix(*(b * x for x in a))


def second_moments(I):
    """∫ r rᵀ dm of a body, about its frame's origin."""
    I = I.about_origin
    half = 0.5 * (I.xx + I.yy + I.zz)
    return Matrix(*Symmetric(half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz))


def couple(n):
    """∫ r dFᵀ of forces whose only resultant is the moment n."""
    return skew(n * -0.5)


# -- 4x4 -------------------------------------------------------------------------------------------


class Homogeneous:
    """A 4x4 matrix, by rows."""

    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = tuple(tuple(row) for row in rows)

    @classmethod
    def blocks(cls, corner, right=(0.0, 0.0, 0.0), below=(0.0, 0.0, 0.0), last=0.0):
        """From a 3x3 corner, the column right of it, the row below it and the last entry."""
        top = [(*row, x) for row, x in zip(corner, right, strict=True)]
        return cls([*top, (*below, last)])

    def __iter__(self):
        return iter(self.rows)

    def __matmul__(self, other):
        columns = tuple(zip(*other, strict=True))
        return Homogeneous([[_dot(row, column) for column in columns] for row in self])

    def __mul__(self, scalar):
        return Homogeneous([[x * scalar for x in row] for row in self])

    def __add__(self, other):
        pairs = zip(self, other, strict=True)
        return Homogeneous([[x + y for x, y in zip(a, b, strict=True)] for a, b in pairs])

    def __sub__(self, other):
        return self + other * -1.0

    @property
    def T(self):
        return Homogeneous(zip(*self, strict=True))

    def on(self, column):
        """Its product with four numbers."""
        return [_dot(row, column) for row in self]


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


IDENTITY4 = Homogeneous([[float(row == column) for column in range(4)] for row in range(4)])


def pose(X):
    """A child frame in its parent frame."""
    return Homogeneous.blocks(X.turn.matrix(), X.origin, last=1.0)


def generator(axis, is_revolute):
    """Q: the pose A of a body changes by A Q at unit rate of its joint."""
    if is_revolute:
        return Homogeneous.blocks(skew(axis))
    return Homogeneous.blocks(Matrix(*[(0.0, 0.0, 0.0)] * 3), axis)


def pseudo_inertia(I):
    """∫ r rᵀ dm of a body, with points as (r, 1)."""
    return Homogeneous.blocks(second_moments(I), I.moment, I.moment, I.mass)


def wrench(force):
    """∫ r dFᵀ of forces with this moment about the origin and this sum."""
    return Homogeneous.blocks(couple(force.angular), below=force.linear)
