"""Forward dynamics of a robot that touches its environment (Fijany, 1994, Table I).

    M q̈ = τ - h - Jᵀ F,    V̇ = J q̈ + J̇ q̇

with an equation for each unknown of a contact (contact_forms.py). F is exerted by the robot. Five
steps: bias forces and J̇ q̇ from one Newton-Euler sweep; accelerations without contact; Λ⁻¹, of which
only the part between rows and force directions is needed; the contact forces; the accelerations.
All of M⁻¹ is in one factorisation, M = Lᵀ D L, of which mostly halves are used: with y = L⁻ᵀ b,
products with M⁻¹ are products of halves, a M⁻¹ b = (L⁻ᵀ a) D⁻¹ (L⁻ᵀ b).

To use it inside another trace, as a step in time does: `constrained_forward_dynamics(model, q, qd,
tau, forms, tolerance)` takes a Model, lists of scalars and SplitForms or GeneralForms, and
returns accelerations, forces, accelerations of frames and the rank. Symbols: docs/notation.md.
"""

from typing import NamedTuple

from ...scalar import less, select, sqrt
from ...spatial import Matrix, Rotation, Spatial, Vector, cross
from ..composite_body import factored
from ..kinematics import forward_kinematics, jacobian
from ..linear.dense import dot, minus
from ..linear.factor import back_solve, half_solve
from ..linear.ranked_elimination import solve_gram_with_rank, solve_with_rank
from ..modified_newton_euler import torques_reactions_and_motions


class ConstrainedMotion(NamedTuple):
    """What a robot in contact does. Where the rank is short of the unknowns, it means nothing."""

    qdd: list
    force: list  # of each contact, six scalars: exerted by the robot at the frame's origin
    acceleration: list  # of each contact's frame, six scalars
    rank: object  # of the equations for all contact forces


class Tolerance(NamedTuple):
    """What decides the rank, a few rounding errors of what it is compared with."""

    angle: float  # sin² of the angle between what forces along directions do, and a mobility
    pivot: float  # of elimination where the equations are not symmetric; 1 is large


class Place(NamedTuple):
    """Where a contact is and how it moves, in its coordinates."""

    pose: list  # 4x4, in the world
    J: list  # by rows
    velocity: list  # J q̇
    coasting: list  # J̇ q̇


def constrained_forward_dynamics(robot, q, qd, tau, contacts, tolerance):
    """Return the ConstrainedMotion under the torques tau; `tolerance` decides its rank."""
    h, _, motions = torques_reactions_and_motions(robot, q, qd, [0.0] * robot.nv)
    factors = factored(robot, q)
    touches = [_Touch(robot, q, qd, motions, factors, contact) for contact in contacts]

    torque = [t - b for t, b in zip(tau, h, strict=True)]
    for touch in touches:
        torque = minus(torque, _through(touch.known_force, touch.place.J))
    y = half_solve(factors, torque)  # of the accelerations that known forces leave

    x, rank = _contact_forces(touches, y, factors.reciprocal, tolerance)
    for k, column in zip(x, _joined(touches, "columns"), strict=True):
        y = minus(y, [entry * k for entry in column.half])
    qdd = back_solve(factors, y)

    accelerations = [touch.acceleration(qdd) for touch in touches]
    return ConstrainedMotion(qdd, _forces(touches, x), accelerations, rank)


def _contact_forces(touches, y, reciprocal, tolerance):
    """The unknowns of all contacts, and the rank of the equations for them."""
    rows, columns = _joined(touches, "rows"), _joined(touches, "columns")
    b = [
        dot(row.scaled, y) + rest for row, rest in zip(rows, _joined(touches, "rest"), strict=True)
    ]
    if all(touch.contact.symmetric for touch in touches):
        halves, least = [row.half for row in rows], [row.least(tolerance) for row in rows]
        return solve_gram_with_rank(halves, reciprocal, b, least, tolerance.angle)
    A = [[dot(row.scaled, column.half) for column in columns] for row in rows]
    left, right = [], []  # scales with which no entry is larger than 1, but for slack
    for k, slack in enumerate(d for touch in touches for d in touch.contact.slack):
        A[k][k] = A[k][k] + slack
        left.append(1.0 / slack if slack else rows[k].scale(tolerance))
        right.append(1.0 if slack else columns[k].scale(tolerance))
    for row, s in zip(A, left, strict=True):
        row[:] = [entry * s * t for entry, t in zip(row, right, strict=True)]
    b = [entry * s for entry, s in zip(b, left, strict=True)]
    x, rank = solve_with_rank(A, b, tolerance.pivot)
    return [entry * t for entry, t in zip(x, right, strict=True)], rank


def _forces(touches, x):
    """The force of each contact, with unknowns x of all."""
    forces = []
    for touch in touches:
        force = touch.known_force
        for column in touch.columns:
            k, *x = x
            force = [f + entry * k for f, entry in zip(force, column.direction, strict=True)]
        forces.append(force)
    return forces


class _Touch:
    """A contact in the state at hand."""

    def __init__(self, robot, q, qd, motions, factors, contact):
        self.contact = contact
        self.place = place = _place(robot, q, qd, motions[contact.frame.body], contact)
        typical = _typical_mobility(robot, contact.frame, factors.reciprocal)

        def directions(several):
            return [_Direction(each, place.J, factors, typical) for each in several]

        self.rows = directions(contact.rows)
        self.rest = [
            dot(row, place.coasting) - demanded
            for row, demanded in zip(contact.rows, contact.demanded(place), strict=True)
        ]
        self.columns = directions(contact.force_directions(place))
        self.known_force = contact.known_force()

    def acceleration(self, qdd):
        place = self.place
        return [dot(row, qdd) + c for row, c in zip(place.J, place.coasting, strict=True)]


class _Direction:
    """What a force along a direction at a frame does to the joints: a half of M⁻¹ Jᵀ direction."""

    def __init__(self, direction, J, factors, typical):
        self.direction = direction
        self.half = half_solve(factors, _through(direction, J))
        self.scaled = [y * d for y, d in zip(self.half, factors.reciprocal, strict=True)]
        turning, sliding = typical
        angular, linear = direction[:3], direction[3:]
        self.typical = dot(angular, angular) * turning + dot(linear, linear) * sliding

    def least(self, tolerance):
        """The mobility that may be a rounding error."""
        return self.typical * tolerance.angle

    def scale(self, tolerance):
        """The reciprocal root of the mobility, or 0 where there is none."""
        mobility = dot(self.scaled, self.half)
        moves = less(self.least(tolerance), mobility)
        return select(moves, 1.0 / sqrt(select(moves, mobility, 1.0)), 0.0)


def _joined(touches, name):
    return [each for touch in touches for each in getattr(touch, name)]


def _through(wrench, J):
    """Jᵀ wrench."""
    return [dot(column, wrench) for column in zip(*J, strict=True)]


def _typical_mobility(robot, frame, reciprocal):
    """How easily a unit moment turns a frame, and a unit force at arm's length moves it, roughly.

    It tells a mobility from a rounding error, whatever cancels in the Jacobian.
    """
    path = robot.path(frame.body)
    places = [robot.robot.joints[i].placement for i in path] + [frame.pose]
    length = sum(sqrt(dot(place.translation, place.translation)) for place in places)
    turning = sum((reciprocal[i] for i in path if robot.is_revolute[i]), 0.0)
    sliding = sum((reciprocal[i] for i in path if not robot.is_revolute[i]), 0.0)
    return turning, turning * length**2 + sliding


def _place(robot, q, qd, motion, contact):
    """J̇ q̇ is what the outward sweep found, without the gravity that it has as a rising base."""
    frame, coordinates = contact.frame, contact.coordinates
    pose = forward_kinematics(robot, q, frame)
    J = jacobian(robot, q, frame, coordinates)
    velocity = [dot(row, qd) for row in J]
    gravity = robot.base_turn @ robot.gravity
    turn = Matrix(*(row[:3] for row in pose[:3]))
    to_frame = Rotation(*frame.pose.rotation).T
    α = to_frame @ motion.α
    a = to_frame @ (motion.a + motion.λ @ Vector(*frame.pose.translation))
    if coordinates == "world":
        coasting = Spatial(turn @ α, turn @ a + gravity)
    else:  # the rate of coordinates that turn with the frame
        swept = cross(Vector(*velocity[:3]), Vector(*velocity[3:]))
        coasting = Spatial(α, a + turn.T @ gravity - swept)
    return Place(pose, J, velocity, list(coasting.scalars()))
