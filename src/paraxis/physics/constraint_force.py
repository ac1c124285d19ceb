"""Forward dynamics from the forces that hold the joints together (Fijany, 1994).

The force through a joint has a part that does work, its torque, and a part that only holds the
links together: F = H F_T + W F_S. Links that move under those forces alone, I V̇ = P F, must not
separate in the directions held by joints: Wᵀ Pᵀ V̇ = 0. This is a block-tridiagonal system, A F_S =
-B F_T with A = Wᵀ Pᵀ I⁻¹ P W, and with its solution

    M⁻¹ = C - Bᵀ A⁻¹ B        Λ⁻¹ = D - Eᵀ A⁻¹ E.

Of these products only A is computed; the others are applied, factor by factor. Vectors are 6-D,
angular part first, each in its own body's frame, rotated so that H and W are selections. Rotors are
explained in joint_split.py. Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ..robots.branching import require_chain
from ..robots.equal.upright import upright, upright_frame
from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import ZERO, Matrix, Rotation, Spatial, Symmetric, Transform, Turn, Vector
from .kinematics import forward_kinematics
from .linear.block_tridiagonal import BlockTridiagonal
from .linear.dense import unit
from .parts.angular_velocities import biases, drifts, serial
from .parts.joint_split import coupling, splits
from .parts.mobility import assembled, mobilities
from .parts.two_joint_link import NOTHING, joint_mobility, two_joint_links

NAME = "constraint_force"


def forward_dynamics(robot, q, qd, tau):
    """Return the accelerations of the joints under the torques tau."""
    return forward_dynamics_by(robot, q, qd, tau, NAME, serial, BlockTridiagonal)


def forward_dynamics_by(robot, q, qd, tau, algorithm, angular_velocities, solver):
    """The same with a choice of methods for angular velocities and for A x = b."""
    held = HeldLinks(robot, q, algorithm, solver)
    ω = angular_velocities(held.robot, held.X, qd)
    # The paper first computes Newton and Euler's torques b from tau. These sum up, at each joint,
    # the loads of all links beyond it, which P then takes apart again. Here every link keeps its
    # own bias and every joint its own drift: no sums, no second recursion, no loss of digits.
    p, c = biases(held.robot, ω), drifts(held.robot, held.X, ω, qd)
    motion = held.answer(tau, p, c, held.robot.base_acceleration)
    for i in range(held.robot.n):
        mark("constraint_force", i, motion.F_S[i])
        mark("force", i, motion.F[i])
        mark("acceleration", i, motion.a[i])
    return motion.qdd


def mass_matrix_inverse(robot, q):
    """Return M⁻¹ = C - Bᵀ A⁻¹ B, by rows: column k is the response of the joints to torque k."""
    held = HeldLinks(robot, q, NAME, BlockTridiagonal)
    return _symmetric([held.answer(unit(k, robot.nv)).qdd for k in range(robot.nv)])


def operational_space_inertia_inverse(robot, q, frame, coordinates):
    """Return Λ⁻¹ = D - Eᵀ A⁻¹ E, by rows: column k is the response of the frame to force k."""
    held = HeldLinks(robot, q, NAME, BlockTridiagonal)
    if frame.body == WORLD:
        return [[0.0] * 6 for _ in range(6)]
    frame = upright_frame(robot.robot, frame)
    X = Transform(Turn(Rotation(*frame.pose.rotation)), Vector(*frame.pose.translation))
    columns = []
    for k in range(6):
        p = [ZERO] * held.robot.n
        p[frame.body] = -(X.T @ Spatial.of(unit(k, 6)))
        motion = held.answer([0.0] * robot.nv, p)
        columns.append((X @ motion.a[frame.body]).scalars())
    rows = _symmetric(columns)
    if coordinates == "body":
        return rows
    pose = forward_kinematics(held.robot, q, frame)
    return _turned(Rotation(*(row[:3] for row in pose[:3])), rows)


class Motion(NamedTuple):
    """The motion of links that are held together."""

    qdd: list  # of the rows of the joints
    a: list  # the accelerations of the links
    F: list  # the forces through the joints
    F_S: list  # their constraint parts


class HeldLinks:
    """The links of a chain, free except for the forces through their joints; A is factored."""

    def __init__(self, robot, q, algorithm, solver):
        require_chain(robot, algorithm)
        self.robot = robot = upright(robot, algorithm)
        self.X = X = [robot.transform(i, q) for i in range(robot.n)]
        self.mobilities = mobilities(robot, algorithm)
        self.joints = joints = splits(robot)
        links = two_joint_links(self.mobilities, X)
        diagonal = [
            joint.mobility(joint_mobility(before, link))
            for joint, before, link in zip(joints, links[:-1], links[1:], strict=True)
        ]
        above = [
            coupling(joint, link.across, after)
            for joint, link, after in zip(joints[:-1], links[1:-1], joints[1:], strict=True)
        ]
        self.A = solver(diagonal, above)

    def answer(self, tau, p=None, c=None, base=ZERO):
        """The Motion under the torques tau.

        The links have the biases p, the joints the drifts c, and the base accelerates by `base`;
        without these, everything is at rest and without loads.
        """
        joints, still = self.joints, [ZERO] * self.robot.n
        p, c = p or still, c or still
        H_F_T = [Spatial.of(joint.driven(tau)) for joint in joints]
        apart = self.gaps(self.moved(H_F_T, p), c, base)
        F_S = self.A.solve(
            [joint.held_part((-r).scalars()) for joint, r in zip(joints, apart, strict=True)]
        )
        F = [joint.force(tau, held) for joint, held in zip(joints, F_S, strict=True)]
        a = self.moved(F, p)
        gaps = self.gaps(a, c, base)
        moved = [joint.moved_part(r.scalars()) for joint, r in zip(joints, gaps, strict=True)]
        return Motion([rate for each in moved for rate in each], a, F, F_S)

    def moved(self, F, p):
        """I⁻¹ (P F - p): the accelerations of the links under the forces through their joints."""
        beyond = zip([*self.X[1:], NOTHING], [*F[1:], ZERO], strict=True)
        passed_on = [X.T @ force for X, force in beyond]
        return [
            K @ (own - given - bias)
            for K, own, given, bias in zip(self.mobilities, F, passed_on, p, strict=True)
        ]

    def gaps(self, a, c, base):
        """Pᵀ V̇ - c: the relative acceleration of the links at each joint, in all directions."""
        return [
            own - X @ before - drift
            for own, X, before, drift in zip(a, self.X, [base, *a[:-1]], c, strict=True)
        ]


def _symmetric(columns):
    """The rows of a symmetric matrix, from the entries below the diagonal."""
    indices = range(len(columns))
    return [[columns[min(i, k)][max(i, k)] for k in indices] for i in indices]


def _turned(R, rows):
    """A symmetric 6x6 matrix in the parent coordinates of the rotation R."""
    angular, coupled, linear = (
        Matrix(*(row[j : j + 3] for row in rows[i : i + 3])) for i, j in ((0, 0), (0, 3), (3, 3))
    )
    blocks = Symmetric.upper(angular), coupled, Symmetric.upper(linear)
    return assembled(*map(R.tensor, blocks))
