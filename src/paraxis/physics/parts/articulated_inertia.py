"""The inertia of a body while the joints beyond it are free, which no rigid body has."""

from ...scalar import known
from ...spatial import Matrix, Spatial, Symmetric, skew


class ArticulatedInertia:
    """Three 3x3 blocks. `I @ v` is the force along the motion v.

    moment = angular @ ω + coupling @ v and force = couplingᵀ @ ω + linear @ v.
    """

    __slots__ = ("angular", "coupling", "linear")

    def __init__(self, angular, coupling, linear):
        self.angular, self.coupling, self.linear = angular, coupling, linear

    @classmethod
    def of_body(cls, body):
        h, m = body.moment, body.mass
        return cls(body.about_origin, skew(h), Symmetric(m, m, m, 0.0, 0.0, 0.0))

    def __add__(self, other):
        return ArticulatedInertia(
            self.angular + other.angular, self.coupling + other.coupling, self.linear + other.linear
        )

    def __matmul__(self, v):
        return Spatial(
            self.angular @ v.angular + self.coupling @ v.linear,
            self.coupling.T @ v.angular + self.linear @ v.linear,
        )

    def freed(self, S, U, reciprocal, rotor):
        """The inertia presented through a free joint along S: I - U Uᵀ / d.

        U = I S, and d = Sᵀ U + rotor. In real arithmetic I S becomes U rotor / d, which is zero
        without a rotor; written in this way, the trace recognises it.
        """
        scaled = U * reciprocal
        held = scaled * rotor
        blocks = {
            (0, 0): _rows(self.angular),
            (0, 1): _rows(self.coupling),
            (1, 1): _rows(self.linear),
        }
        u, w = (tuple(U.angular), tuple(U.linear)), (tuple(scaled.angular), tuple(scaled.linear))
        kept, axis = (tuple(held.angular), tuple(held.linear)), _coordinate(S)
        for (a, b), block in blocks.items():
            for i in range(3):
                for j in range(3):
                    if (a, i) == axis:
                        block[i][j] = kept[b][j]
                    elif (b, j) == axis:
                        block[i][j] = kept[a][i]
                    else:
                        block[i][j] = block[i][j] - u[a][i] * w[b][j]
        return ArticulatedInertia(
            Symmetric.upper(Matrix(*blocks[0, 0])),
            Matrix(*blocks[0, 1]),
            Symmetric.upper(Matrix(*blocks[1, 1])),
        )

    def seen_from(self, X):
        """The same inertia in the parent frame of the transform X."""
        r = skew(X.origin)
        M, B = X.turn.tensor(self.linear), X.turn.tensor(self.coupling)
        moved = B + r @ Matrix(*M)
        A = Matrix(*X.turn.tensor(self.angular)) - B @ r - (moved @ r).T
        return ArticulatedInertia(Symmetric.upper(A), moved, M)

    def scalars(self):
        return (*self.angular.scalars(), *self.coupling.scalars(), *self.linear.scalars())


def _rows(block):
    return [list(row) for row in block]


def _coordinate(S):
    """(0 or 1, axis) when S is a unit vector along one coordinate, else None."""
    numbers = [known(scalar) for scalar in S.scalars()]
    if sorted(map(repr, numbers)) != ["0.0"] * 5 + ["1.0"]:
        return None
    return divmod(numbers.index(1.0), 3)
