"""Forward dynamics of a robot that touches its environment (Fijany, 1994, Table I).

    M q̈ = τ - h - Jᵀ F,    V̇ = J q̈ + J̇ q̇

with an equation for each unknown of a contact (contact_forms.py). F is exerted by the robot. Five
steps: bias forces and J̇ q̇ from one Newton-Euler sweep; accelerations without contact; Λ⁻¹, of
which only the part between rows and force directions is needed; the contact forces; the
accelerations. All of M⁻¹ is represented by one factorisation, M = Lᵀ D L, whose halves are mostly
sufficient: with y = L⁻ᵀ b, products with M⁻¹ are products of halves, a M⁻¹ b = (L⁻ᵀ a) D⁻¹ (L⁻ᵀ b).

Closed loops are solved first, by themselves: a contact force then acts on the robot together with
the loop forces that it causes. Dependent equations of loops are omitted, so that accelerations are
correct for redundant loops; forces are one of many solutions.

To use it inside another trace, such as a time step: `constrained_forward_dynamics(model, q, qd,
tau, forms, tolerance, loops)` takes a Model, lists of scalars, SplitForms or GeneralForms, and
LoopForms; it returns accelerations, forces, accelerations of frames and ranks. Positions, rates and
torques are those of joints, which rows may follow. Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from ...scalar import less, select, sqrt
from ...spatial import Matrix, Rotation, Spatial, Vector, cross
from ..composite_body import mass_matrix
from ..kinematics import forward_kinematics, jacobian
from ..linear.dense import dot, minus, plus
from ..linear.factor import back_solve, half_solve
from ..linear.ranked_elimination import Span, solve_gram_with_rank, solve_with_rank
from ..modified_newton_euler import torques_reactions_and_motions
from ..parts.ties import ties_of
from . import loop_motion
from .loop_rank import geometry
from .typical_mobility import typical_mobility

NOTHING = Span([], [], None)  # without any constraint of a loop


class ConstrainedMotion(NamedTuple):
    """The motion of a robot in contact; meaningless if the rank is less than the unknowns."""

    qdd: list
    force: list  # of each contact, six scalars: exerted by the robot at the frame's origin
    acceleration: list  # of each contact's frame, six scalars
    rank: object  # of the equations for all contact forces
    loop_force: list  # of each loop, six scalars: exerted by its first frame on the second
    loop_rank: object  # the number of independent equations of loops


class Tolerance(NamedTuple):
    """The thresholds that decide the rank, a few rounding errors of the quantities compared."""

    angle: float  # sin² of the angle between effects of forces along directions, and a mobility
    pivot: float  # of elimination if the equations are not symmetric; 1 is large
    # Of loops, sin² of the angle between rows of their Jacobian: larger than the gaps allowed in a
    # simulation or in a description with few digits. Otherwise redundant equations would constrain
    # what should move.
    loop: float = 1e-8


class Place(NamedTuple):
    """The position and motion of a contact, in its coordinates."""

    pose: list  # 4x4, in the world
    J: list  # by rows
    velocity: list  # J q̇
    coasting: list  # J̇ q̇


class LoopPlace(NamedTuple):
    """How far a loop is open, and the motion of its first frame relative to the second."""

    error: list  # along the directions of the loop
    J: list
    velocity: list
    coasting: list


def constrained_forward_dynamics(robot, q, qd, tau, contacts, tolerance, loops=()):
    """Return the ConstrainedMotion under the torques tau; `tolerance` decides its rank."""
    ties = ties_of(robot, q)
    q, rates, coasting = ties.q, ties.rates(qd), ties.coasting(qd)
    h, _, motions = torques_reactions_and_motions(robot, q, rates, coasting)
    factors = ties.factored(mass_matrix(robot, q))
    reciprocal = ties.of_leaders(factors.reciprocal)

    def touch(form, place, joints, frames, span):
        typical = typical_mobility(robot, joints, frames, reciprocal)
        return _Touch(form, place._replace(J=ties.columns(place.J)), factors, typical, span)

    def closure(form):
        place = _loop_place(robot, q, rates, coasting, form.loop)
        joints = [i for way in loop_motion.between(robot, form.loop) for i in way]
        return touch(form, place, joints, [form.loop.first, form.loop.second], NOTHING)

    def contact_touch(form):
        body = form.frame.body
        place = _place(robot, q, rates, motions[body], form)
        return touch(form, place, robot.path(body), [form.frame], span)

    closures = [closure(form) for form in loops]
    closed = _joined(closures, "rows")
    around = geometry(robot, [(each.contact.loop, each.place.J) for each in closures])
    counts = around.span(tolerance.loop).counts
    span = Span([row.half for row in closed], factors.reciprocal, lambda k, _: counts[k])
    touches = [contact_touch(form) for form in contacts]
    columns = _joined(touches, "columns")

    torque = plus(tau, ties.of_joints(robot.turning(rates)))
    torque = minus(torque, ties.torques(h))
    for each in touches:
        torque = minus(torque, _through(each.known_force, each.place.J))
    y = half_solve(factors, torque)  # of the accelerations under known forces

    in_loops = span.solve(_lacking(closures, y))
    y = _after(y, in_loops, closed)
    x, rank = _contact_forces(touches, y, factors.reciprocal, tolerance)
    y = _after(y, x, columns)
    for k, column in zip(x, columns, strict=True):
        in_loops = minus(in_loops, [k * share for share in column.evoked])
    qdd = back_solve(factors, y)

    accelerations = [each.acceleration(qdd) for each in touches]
    qdd = minus(qdd, ties.of_joints(robot.coast(rates)))
    forces, loop_forces = _forces(touches, x), _forces(closures, in_loops)
    return ConstrainedMotion(qdd, forces, accelerations, rank, loop_forces, span.rank)


def _lacking(touches, y):
    """The excess of accelerations along rows over the prescribed ones, if y is half of q̈."""
    rows, rest = _joined(touches, "rows"), _joined(touches, "rest")
    return [dot(row.scaled, y) + other for row, other in zip(rows, rest, strict=True)]


def _after(y, x, directions):
    """y after forces x along directions."""
    for k, direction in zip(x, directions, strict=True):
        y = minus(y, [entry * k for entry in direction.half])
    return y


def _contact_forces(touches, y, reciprocal, tolerance):
    """The unknowns of all contacts, and the rank of the equations for them."""
    rows, columns = _joined(touches, "rows"), _joined(touches, "columns")
    b = _lacking(touches, y)
    if all(touch.contact.symmetric for touch in touches):
        halves, least = [row.half for row in rows], [row.least(tolerance) for row in rows]
        return solve_gram_with_rank(halves, reciprocal, b, least, tolerance.angle)
    A = [[dot(row.scaled, column.half) for column in columns] for row in rows]
    left, right = [], []  # scales with which no entry exceeds 1, except for slack
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
    """The force of each contact, given the unknowns x of all."""
    forces = []
    for touch in touches:
        force = touch.known_force
        for column in touch.columns:
            k, *x = x
            force = [f + entry * k for f, entry in zip(force, column.direction, strict=True)]
        forces.append(force)
    return forces


class _Touch:
    """A contact, or a loop, in the present state; `span` is that of the previous loops."""

    def __init__(self, contact, place, factors, typical, span):
        self.contact, self.place = contact, place

        def directions(several):
            return [_Direction(each, place.J, factors, typical, span) for each in several]

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
    """The effect of a force along a direction at a frame on the joints: a half of M⁻¹ Jᵀ direction.

    `scaled` is without, `half` with the forces that it causes in loops.
    """

    def __init__(self, direction, J, factors, typical, span):
        self.direction = direction
        half = half_solve(factors, _through(direction, J))
        self.scaled = [y * d for y, d in zip(half, factors.reciprocal, strict=True)]
        self.half, self.evoked = span.without(half)
        turning, sliding = typical
        angular, linear = direction[:3], direction[3:]
        self.typical = dot(angular, angular) * turning + dot(linear, linear) * sliding

    def least(self, tolerance):
        """The mobility that may be a rounding error."""
        return self.typical * tolerance.angle

    def scale(self, tolerance):
        """The reciprocal root of the mobility, or 0 if it is zero."""
        mobility = dot(self.scaled, self.half)
        moves = less(self.least(tolerance), mobility)
        return select(moves, 1.0 / sqrt(select(moves, mobility, 1.0)), 0.0)


def _joined(touches, name):
    return [each for touch in touches for each in getattr(touch, name)]


def _through(wrench, J):
    """Jᵀ wrench."""
    return [dot(column, wrench) for column in zip(*J, strict=True)]


def _place(robot, q, qd, motion, contact):
    """J̇ q̇ is the result of the outward sweep, minus gravity, which enters it as a rising base."""
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


def _loop_place(robot, q, qd, coasting, loop):
    """`coasting` are accelerations of rows while joints keep their rates."""
    seen = loop_motion.seen_from_second(robot, q, loop)
    J = loop_motion.jacobian(robot, seen)
    velocity = [dot(row, qd) for row in J]
    swept = [dot(row, coasting) for row in J]
    return LoopPlace(
        loop.error(seen.turn, seen.way), J, velocity, plus(loop_motion.coasting(seen, qd), swept)
    )
