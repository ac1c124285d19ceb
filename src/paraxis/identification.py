"""Base inertial parameters: the combinations of inertial parameters that torques depend on.

Columns of the regressor that are sums of others at every state tell the torques nothing new, so
their parameters can be known only together (Khalil, Gautier). Which they are is found from the
regressor at random states. Columns are taken from the root outward, so that a parameter that
cannot be told from those of bodies nearer the root is counted to them.
"""

from dataclasses import dataclass

import numpy as np

from .robot.inertial_parameters import inertial_parameters, parameter_labels
from .robot.text import shown

DEPENDENT = 1e-9  # of a column's length: what is left of it beyond the columns before
NEGLIGIBLE = 1e-9  # a coefficient this small is a rounding error


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """τ = Y[..., columns] @ values, with the regressor Y."""

    columns: tuple  # of the regressor
    combination: np.ndarray  # (base, 11 n): values = combination @ px.inertial_parameters(robot)
    values: np.ndarray
    labels: tuple  # of the inertial parameters

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


def base_parameters(robot, regressor):
    """The base parameters of a robot. `regressor(q=, qd=, qdd=)` is that robot's."""
    labels = parameter_labels(robot)
    rng, states = np.random.default_rng(0), 4 * len(labels) // robot.nv + 8
    q = rng.uniform(-np.pi, np.pi, (states, robot.nq))
    qd, qdd = rng.uniform(-3, 3, (2, states, robot.nv))
    Y = regressor(q=q, qd=qd, qdd=qdd).reshape(-1, len(labels))
    kept, basis = [], np.empty((len(Y), 0))
    for k, column in enumerate(Y.T):
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # again, for what rounding left
        if np.linalg.norm(rest) > DEPENDENT * np.linalg.norm(column):
            kept.append(k)
            basis = np.column_stack((basis, rest / np.linalg.norm(rest)))
    combination = np.linalg.solve(basis.T @ Y[:, kept], basis.T @ Y)
    combination[abs(combination) < NEGLIGIBLE] = 0.0
    values = combination @ inertial_parameters(robot)
    return BaseParameters(tuple(kept), combination, values, tuple(labels))
