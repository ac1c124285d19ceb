"""The mass matrix from composite bodies, and forward dynamics by solving with it.

Walker and Orin's third method (1982): all bodies beyond a joint act as one rigid body on it, whose
momentum at unit rate, carried inward, acts on the other joints. Vectors are 6-D, angular part
first, each in its own body's frame. Symbols: docs/concepts/notation.md.
"""

from functools import partial

from ..robots.joint import WORLD
from ..scalar import mark
from .linear.factor import factor, solve
from .linear.inverse import inverse
from .modified_newton_euler import inverse_dynamics
from .parts.massless import require_inertia


def mass_matrix(robot, q):
    """Return M, by rows: the torques M q̈ accelerate the robot from rest without gravity."""
    X = {i: robot.transform(i, q) for i, _ in robot.outward}
    Ic = dict(enumerate(robot.inertia))  # of everything that body i carries, itself included
    M = [[0.0] * robot.n for _ in range(robot.n)]
    for i, p in robot.inward:  # children first
        mark("composite", i, Ic[i])
        S = robot.subspace[i]
        f = Ic[i] @ S
        M[i][i] = S @ f + robot.rotor_inertia[i]
        below = i
        for j in robot.ancestors[i]:
            f = X[below].T @ f
            M[i][j] = M[j][i] = robot.subspace[j] @ f
            below = j
        if p != WORLD:
            Ic[p] = Ic[p] + Ic[i].seen_from(X[i])
    return M


def forward_dynamics(robot, q, qd, tau):
    """Return the accelerations under the torques tau."""
    return accelerations(robot, q, tau, inverse_dynamics(robot, q, qd, [0.0] * robot.nv))


def accelerations(robot, q, tau, h):
    """The accelerations under the torques tau with bias forces h: M q̈ = tau - h."""
    return solve(factored(robot, q), [t - b for t, b in zip(tau, h, strict=True)])


def mass_matrix_inverse(robot, q):
    """Return M⁻¹, by rows."""
    return inverse(factored(robot, q))


def factored(robot, q):
    """The factors of the mass matrix."""
    return factor(robot.ancestors, mass_matrix(robot, q), partial(require_inertia, robot))
