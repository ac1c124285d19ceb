"""Base inertial parameters: the combinations of inertial parameters that torques depend on.

Columns of the regressor that are linear combinations of others in every state add no information,
so their parameters can only be identified together (Khalil, Gautier). They are found from the
regressor at random states. Columns are taken from the root outward, so that a parameter that cannot
be distinguished from those of bodies nearer the root is attributed to them.

Rounding must not decide: a column may consist entirely of rounding errors, where terms cancel, so
the residual of a column with respect to the previous ones is compared with the largest column. For
this to mean the same for a finger and a crane, in any units, all numbers are first made
dimensionless by a length and a time of the robot. Both are powers of two, so that this changes no
digit.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..api import neutral, program
from ..checks import quoted, shown
from ..errors import RobotError
from ..robots.joint import WORLD
from ..robots.linear_parameters import inertial_parameters, parameter_labels
from ..robots.refusals import open_tree, unsprung
from ..robots.robot import Robot
from ..robots.rows import rows_of

# Both relative to the largest column. Residuals below NEGLIGIBLE are rounding, or a right angle
# typed with twelve digits; one that is typed as 1.5708 is a different angle, and shows at 1e-7. A
# column whose residual is below CLEAR is deferred: a later one may show the same much better, while
# this one would amplify the rounding of all others.
NEGLIGIBLE = 1e-9
CLEAR = 1e-4
LARGEST_POWER = 300  # of two, in a unit of length or time


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters of a robot: τ = Y[..., columns] @ values, with its regressor Y; printable.

    - `columns`: the columns of `px.regressor`.
    - `combination`: `(base, 11 n)`: values = combination @ px.inertial_parameters(robot).
    - `values`: `(base,)`, SI units.
    - `labels`: the labels of the inertial parameters.
    """

    columns: tuple[int, ...]
    combination: np.ndarray
    values: np.ndarray
    labels: tuple[str, ...]

    def __len__(self):
        return len(self.columns)

    def __str__(self):
        lines = [f"{len(self)} base parameters of {len(self.labels)} inertial parameters"]
        for value, row, column in zip(self.values, self.combination, self.columns, strict=True):
            others = [k for k in np.flatnonzero(row) if k != column]
            terms = [shown(self.labels[column])]
            terms += [f"{row[k]:+.6g} {shown(self.labels[k])}" for k in others]
            lines.append(f"{value:13.6g} = {' '.join(terms)}")
        return "\n".join(lines)


def base_parameters(robot: Robot) -> BaseParameters:
    """Return the base parameters: the smallest set of parameters on which joint torques depend.

    They give τ = Y[..., columns] @ values, with the regressor Y, and are the parameters that
    measured torques can identify (Khalil, Gautier).

    **Arguments:**

    - `robot`: the robot to be identified.

    **Returns:** `columns` of `px.regressor`, their `values`, and the `combination` of
    `px.inertial_parameters` of which each value consists. It prints as a table.

    **Raises:** `px.RobotError` if the regressor is not finite, because a length is absurdly small
    or large.

    **Example:**

    >>> base = px.base_parameters(px.robots.planar(2))
    >>> base.columns, base.values  # columns of the 22 of px.regressor
    ((1, 3, 5, 11, 13, 15, 21), array([1.5  , 0.   , 1.333, 0.5  , 0.   , 0.333, 0.   ]))
    """
    plain = unsprung(open_tree(robot, "px.base_parameters"), "px.base_parameters")
    regressor = program(plain, "regressor").evaluate  # a few states are not worth compiling for
    labels = parameter_labels(robot)
    units = _Units(robot)
    Y = units.sampled(robot, regressor, states=4 * len(labels) // robot.nv + 8)
    largest = np.linalg.norm(Y, axis=0).max()
    if not np.isfinite(largest):
        raise RobotError(
            f"robot {quoted(robot.name)} has no base parameters because its regressor is not "
            "finite; look for a length that is far too small or too large"
        )
    kept, basis, own = _independent(Y, CLEAR * largest, NEGLIGIBLE * largest)
    combination = _relations(basis.T @ Y, kept, own, NEGLIGIBLE * largest)
    combination *= units.parameters[kept, None] / units.parameters
    values = combination @ inertial_parameters(robot)
    return BaseParameters(tuple(kept), combination, values, tuple(labels))


def _independent(Y, clear, negligible):
    """The independent columns, an orthonormal basis, and the size of the residual of each."""
    kept, own, basis = [], [], np.empty((len(Y), 0))

    def rest(columns):
        columns = columns - basis @ (basis.T @ columns)
        return columns - basis @ (basis.T @ columns)  # again, because of rounding

    for k, column in enumerate(Y.T):
        left = rest(column)
        length = np.linalg.norm(left)
        if length > clear:
            kept, own = [*kept, k], [*own, length]
            basis = np.column_stack((basis, left / length))
    while True:  # the others, the largest residual first
        left = rest(Y)
        lengths = np.linalg.norm(left, axis=0)
        k = int(lengths.argmax())
        if lengths[k] <= negligible:
            break
        kept, own = [*kept, k], [*own, lengths[k]]
        basis = np.column_stack((basis, left[:, k] / lengths[k]))
    order = np.argsort(kept)
    return [kept[i] for i in order], basis, np.array(own)[order]


def _relations(Y, kept, own, negligible):
    """Every column as a combination of the independent ones, with only the significant terms.

    If independent columns are nearly dependent, rounding is spread over many terms. These are
    omitted, and the others are determined again.
    """
    K = Y[:, kept]
    combination = np.linalg.solve(K, Y)
    combination[:, kept] = np.eye(len(kept))
    for k in sorted({*range(Y.shape[1])} - {*kept}):
        terms = abs(combination[:, k]) * own > negligible
        few, *_ = np.linalg.lstsq(K[:, terms], Y[:, k])
        if np.linalg.norm(K[:, terms] @ few - Y[:, k]) <= negligible:
            combination[:, k] = 0.0
            combination[terms, k] = few
    return combination


class _Units:
    """A length and a time of a robot, as units for steps, torques and parameters.

    The length is that between its joints, and the time such that gravity and motion have similar
    accelerations. The unit of mass has no effect, as all parameters are proportional to it.
    """

    def __init__(self, robot):
        between = [joint.placement.translation for joint in robot.joints if joint.parent != WORLD]
        self.length = _power_of_two(max((math.hypot(*step) for step in between), default=0.0))
        weight = math.hypot(*robot.gravity)
        self.time = _power_of_two(math.sqrt(self.length / weight)) if weight else 1.0
        turns = np.array([row.is_revolute for row in rows_of(robot).own_rows])
        self.steps = np.where(turns, 1.0, self.length)  # of positions, along velocities
        self.torques = self.steps * self.length / self.time**2
        of_body = self.length ** np.array([0.0, *[1.0] * 3, *[2.0] * 6])
        slides = np.array([joint.kind == "prismatic" for joint in robot.joints])
        self.parameters = np.concatenate(
            (np.tile(of_body, robot.n), self.length**2 * ~slides + slides)
        )

    def sampled(self, robot, regressor, states):
        """The regressor at random states in these units, (states nv, parameters)."""
        rng, nv = np.random.default_rng(0), robot.nv
        ways = rng.uniform(-np.pi, np.pi, (states, nv)) * self.steps
        q = program(robot, "integrate").evaluate(q=neutral(robot), v=ways)
        qd, qdd = rng.uniform(-3, 3, (2, states, nv)) * self.steps
        Y = regressor(q=q, qd=qd / self.time, qdd=qdd / self.time**2)
        Y = Y * self.parameters / self.torques[:, None]
        return Y.reshape(-1, Y.shape[-1])


def _power_of_two(value):
    """The power of two nearest to a number; 1 for 0; limited so that squares are finite."""
    exponent = math.log2(value) if value else 0.0
    return 2.0 ** round(max(-LARGEST_POWER, min(exponent, LARGEST_POWER)))
