"""The response of a rigid body to a force: the inverse of its inertia."""

from ...checks import quoted
from ...errors import RobotError
from ...robots.branching import link_name
from ...scalar import known
from ...spatial import Matrix, Spatial, Symmetric, Vector, cross, skew
from ..linear.factor import factor
from ..linear.inverse import inverse

THIN = 1e-12  # relative to the sum of inertias about three axes: smaller ones are rounding errors


class Mobility:
    """`K @ force` is the acceleration that a force at the origin gives to a free body at rest.

    The centre of mass accelerates along the force, and the body turns about it.
    """

    __slots__ = ("com", "per_inertia", "per_mass")

    def __init__(self, per_mass, com, per_inertia):
        self.per_mass, self.com, self.per_inertia = per_mass, com, per_inertia

    @classmethod
    def of(cls, mass, com, about_com, checked=lambda _, pivot: pivot):
        """From the rows of the inertia about the centre; `checked` as for `factor`."""
        rows = inverse(factor([(), (0,), (1, 0)], about_com, checked))
        return cls(1.0 / mass, com, Symmetric.upper([Vector(*row) for row in rows]))

    def __matmul__(self, force):
        α = self.per_inertia @ (force.angular - cross(self.com, force.linear))
        return Spatial(α, force.linear * self.per_mass + cross(self.com, α))

    def rows(self):
        """The same as a 6x6 matrix, by rows."""
        return assembled(*self._blocks())

    def rows_seen_from(self, X):
        """The matrix for motions and forces in the child frame of the transform X.

        It is shifted before it is rotated: for a revolute joint only its angle is then not
        constant.
        """
        shifted = Mobility(self.per_mass, self.com - X.origin, self.per_inertia)
        return assembled(*map(X.turn.T.tensor, shifted._blocks()))

    def _blocks(self):
        """Rotation under a moment, rotation under a force, and translation under a force."""
        s, m = skew(self.com), self.per_mass
        swung = s @ Matrix(*self.per_inertia)
        shift = Symmetric(m, m, m, 0.0, 0.0, 0.0) - Symmetric.upper(swung @ s)
        return self.per_inertia, swung.T, shift


def assembled(angular, coupling, linear):
    """The rows of a symmetric 6x6 matrix, from three of its blocks."""
    above = [[*left, *right] for left, right in zip(angular, coupling, strict=True)]
    below = [[*left, *right] for left, right in zip(coupling.T, linear, strict=True)]
    return above + below


def mobilities(robot, algorithm):
    """The mobility of every body, or an error that names the first without one."""
    return [_mobility(robot, i, algorithm) for i in range(robot.n)]


def _mobility(robot, i, algorithm):
    I = robot.inertia[i]
    J = [list(row) for row in I.about_com]
    size = known(J[0][0] + J[1][1] + J[2][2])

    def checked(_, pivot):
        if None not in (size, known(pivot)) and known(pivot) <= THIN * size:
            raise immobile(robot.robot, i, algorithm, "inertia about some axis through its centre")
        return pivot

    if known(I.mass) == 0.0:
        raise immobile(robot.robot, i, algorithm, "mass")
    return Mobility.of(I.mass, I.com, J, checked)


def immobile(robot, i, algorithm, lacking):
    """The error for a link with unbounded mobility."""
    link, joint = link_name(robot, i), f"joint {quoted(robot.joints[i].name)}"
    moved = "" if joint in link else f", which {joint} moves,"
    return RobotError(
        f"robot {quoted(robot.name)}: {link}{moved} has no {lacking}, and algorithm {algorithm!r} "
        "needs the inverse of every link's inertia; articulated_body does not"
    )
