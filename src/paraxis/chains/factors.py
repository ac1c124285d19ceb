"""Fijany's factors of M⁻¹ and Λ⁻¹ as dense matrices: to read, to check, and not to compute with.

The forces through all joints are F = H F_T + W F_S, those on bodies P F, and bodies accelerate by
V̇ = I⁻¹ P F (equations 45 to 50 of the paper; physics/constraint_force.py applies the same factors
one by one). Joints are in the order of the chain, base first; the paper has the tip first. Body i's
frame has its z along joint i, so that H and W are selections, but for the columns of W that stand
for rotors (physics/parts/joint_split.py). Vectors are 6-D, angular part first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quoted
from ..drivers.map import as_array
from ..errors import ArgumentError
from ..physics.linear.dense import unit
from ..physics.parts.joint_split import splits
from ..physics.parts.mobility import mobilities
from ..robots.branching import require_chain
from ..robots.equal.upright import upright, upright_frame
from ..robots.model import Model
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..robots.rows import rows_of
from ..spatial import Rotation, Spatial, Transform, Turn, Vector

NAME = "constraint_force"  # of the algorithm that needs the same of a robot


@dataclass(frozen=True, eq=False)
class ConstraintFactors:
    """The factors of a chain in one posture. Made by `px.chains.constraint_factors`.

    With n bodies, nv degrees of freedom and m forces that hold them: `H` is (6n, nv), `W` (6n, m),
    `P` (6n, 6n), `mobility` (6n, 6n), that is I⁻¹, `tip` `(6, 6n)`, the paper's β, and `rotors`
    (m, m), zero unless there are rotors.
    """

    H: np.ndarray
    W: np.ndarray
    P: np.ndarray
    mobility: np.ndarray
    tip: np.ndarray
    rotors: np.ndarray

    @property
    def A(self) -> np.ndarray:
        """Wᵀ Pᵀ I⁻¹ P W: how joints give way to the forces that hold them. Block tridiagonal."""
        return self._between(self.W, self.W) + self.rotors

    @property
    def B(self) -> np.ndarray:
        """Wᵀ Pᵀ I⁻¹ P H."""
        return self._between(self.W, self.H)

    @property
    def C(self) -> np.ndarray:
        """Hᵀ Pᵀ I⁻¹ P H."""
        return self._between(self.H, self.H)

    @property
    def D(self) -> np.ndarray:
        """β I⁻¹ βᵀ: how the last body gives way at the tip, were it free."""
        return self.tip @ self.mobility @ self.tip.T

    @property
    def E(self) -> np.ndarray:
        """Wᵀ Pᵀ I⁻¹ βᵀ."""
        return self.W.T @ self.P.T @ self.mobility @ self.tip.T

    @property
    def K(self) -> np.ndarray:
        """I⁻¹ - I⁻¹ P W A⁻¹ Wᵀ Pᵀ I⁻¹: how bodies held together answer to forces on them."""
        through = self.mobility @ self.P @ self.W
        return self.mobility - through @ np.linalg.solve(self.A, through.T)

    @property
    def mass_matrix_inverse(self) -> np.ndarray:
        """M⁻¹ = Hᵀ Pᵀ K P H, which is C - Bᵀ A⁻¹ B."""
        driven = self.P @ self.H
        return driven.T @ self.K @ driven

    @property
    def tip_mobility(self) -> np.ndarray:
        """Λ⁻¹ = β K βᵀ, which is D - Eᵀ A⁻¹ E."""
        return self.tip @ self.K @ self.tip.T

    @property
    def jacobian(self) -> np.ndarray:
        """β P⁻ᵀ H."""
        return self.tip @ np.linalg.solve(self.P.T, self.H)

    @property
    def mass_matrix(self) -> np.ndarray:
        """M = C⁻¹ + C⁻¹ Bᵀ (A - B C⁻¹ Bᵀ)⁻¹ B C⁻¹: equation 63, whose first line lacks the inverse
        of the bracket and has A⁻¹ in it for A."""
        inverse = np.linalg.inv(self.C)
        middle = np.linalg.solve(self.A - self.B @ inverse @ self.B.T, self.B @ inverse)
        return inverse + inverse @ self.B.T @ middle

    def __repr__(self):
        bodies, (nv, m) = len(self.P) // 6, (self.H.shape[1], self.W.shape[1])
        return f"<ConstraintFactors of {bodies} bodies: {nv} directions of motion, {m} forces>"

    def _between(self, left, right):
        return left.T @ self.P.T @ self.mobility @ self.P @ right


def constraint_factors(robot: Robot, q: ArrayLike, frame: str | None = None) -> ConstraintFactors:
    """Fijany's factors of the inverses of the mass matrix and of the tip's inertia, as matrices.

    **Arguments:**

    - `robot`: a chain of revolute, prismatic, planar, spherical or free joints, with or without
      rotors, whose links all have mass and inertia.
    - `q`: positions, `(nq,)`.
    - `frame`: the frame on the last body that Λ is of; the tool if it is left out. Its
      six coordinates are along its own axes.

    **Returns:** `ConstraintFactors`, with `A`, `B`, `C`, `D`, `E`, `K`, `mass_matrix`,
    `mass_matrix_inverse`, `tip_mobility` and `jacobian`.

    **Raises:** `px.ArgumentError` if the robot is a tree or a shape is wrong; `px.RobotError` if
    there is no such frame.

    **Example:**

    >>> robot = px.robots.chain(4)
    >>> factors = px.chains.constraint_factors(robot, np.full(4, 0.3))
    >>> np.allclose(factors.mass_matrix, px.mass_matrix(robot, np.full(4, 0.3)))
    True
    >>> factors.A.shape
    (20, 20)
    """
    rows = rows_of(open_tree(robot, "constraint_factors"))
    q = as_array(q, "q", (robot.nq,))
    if q.ndim > 1:
        raise ArgumentError(f"q: expected one posture, shape ({robot.nq},), found {q.shape}")
    model = Model(rows)
    require_chain(model, NAME)
    chain, tip = upright(model, NAME), upright_frame(rows, _frame(rows, frame))
    if tip.body != chain.n - 1:
        raise ArgumentError(f"frame {quoted(tip.name)} is not on the last body of the chain")
    joints, size = splits(chain), 6 * chain.n
    mobility, P = np.zeros((2, chain.n, 6, chain.n, 6))
    for i, body in enumerate(mobilities(chain, NAME)):
        mobility[i, :, i], P[i, :, i] = body.rows(), np.eye(6)
        if i:
            P[i - 1, :, i] = -_matrix(chain.transform(i, q.tolist())).T
    beyond = Transform(Turn(Rotation(*tip.pose.rotation)), Vector(*tip.pose.translation))
    return ConstraintFactors(
        H=_diagonal([_columns([(k, 1.0) for _, k in joint.directions]) for joint in joints]),
        W=_diagonal([_columns(joint.holding) for joint in joints]),
        P=P.reshape(size, size),
        mobility=mobility.reshape(size, size),
        tip=np.hstack((np.zeros((6, size - 6)), _matrix(beyond))),
        rotors=np.diag([more for joint in joints for more in joint.yields]),
    )


def _frame(robot, name):
    return robot.tool() if name is None else robot.frame(name)


def _matrix(X):
    """The 6x6 matrix that takes motions from the parent frame of a Transform to its child frame."""
    return np.transpose([(X @ Spatial.of(unit(k, 6))).scalars() for k in range(6)])


def _columns(entries):
    """(6, k): the coordinate of each column's only entry, and that entry."""
    found = np.zeros((6, len(entries)))
    for column, (k, entry) in enumerate(entries):
        found[k, column] = entry
    return found


def _diagonal(blocks):
    """Blocks of six rows each along the diagonal."""
    widths = np.cumsum([0, *(block.shape[1] for block in blocks)])
    found = np.zeros((6 * len(blocks), widths[-1]))
    for i, block in enumerate(blocks):
        found[6 * i : 6 * i + 6, widths[i] : widths[i + 1]] = block
    return found
