"""The operations of a link's processor: projections, Newton-Euler terms, six-vectors.

Fijany's frames: frame i is fixed to the body before joint i, with its z axis along the joint, so
that the properties of link i are constant in frame i+1, and a force across joint i splits into
components H F_T that do work and W F_S that do none (joints.py). `turn` transforms coordinates from
frame i+1 to frame i, and `arm` is the vector from joint i to joint i+1 in frame i+1, which for a
sliding joint grows with its travel. Six-vectors have the angular part first. Arrays have floats or
traced scalars; None is a missing value.
"""

import numpy as np

from .blocks import factor, less, solve, symmetric


def cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def six(angular, linear):
    return np.concatenate((angular, linear))


# -- step I: the blocks of the system --------------------------------------------------------------


def turn(rotation, seat):
    """Frame i+1 to frame i: the joint's rotation times a constant one."""
    return rotation @ seat


def slid(vector, seat, travel):
    """A vector from joint i in frame i+1, with the travel of the joint along its axis."""
    return vector + seat[2] * travel


def slid_columns(constant, seat, travel):
    """Motions of link i in frame i+1, at its joint instead of where the link has slid to."""
    angular = constant[:3]
    back = np.array([cross(seat[2] * travel, column) for column in angular.T]).T
    return np.concatenate((angular, constant[3:] + back))


def inverse_inertia(turn, com, inverse_about_com, inverse_mass):
    """The inverse of the link's spatial inertia about joint i, in frame i (equations 76 to 78)."""
    s = turn @ com
    J = symmetric(turn @ inverse_about_com, turn.T)
    T = np.array([cross(s, column) for column in J]).T  # J is symmetric: its rows are its columns
    corner = symmetric(T, _cross_matrix(-s))
    for k in range(3):
        corner[k, k] = corner[k, k] + inverse_mass
    return np.block([[J, T.T], [T, corner]])


def _cross_matrix(s):
    zero = 0.0 * s[0]
    return np.array([[zero, -s[2], s[1]], [s[2], zero, -s[0]], [-s[1], s[0], zero]])


def diagonal_block(inverse_inertia, inner_inverse_inertia, W, yields):
    """A of a joint: the links on both its sides, or the one link if the other is the ground."""
    both = inverse_inertia
    if inner_inverse_inertia is not None:
        both = both + inner_inverse_inertia
    block = symmetric(W.T @ both, W)
    for k, more in enumerate(yields):
        block[k, k] = block[k, k] + more
    return block


def held_rows(turn, constant, W):
    """The constrained rows, in frame i, of six-vectors that are constant in frame i+1."""
    return W.T @ six(turn @ constant[:3], turn @ constant[3:])


def tip_inverse_inertia(LD, tip_column, right_side, inverse_inertia_at_tip):
    """Λ⁻¹ = D - Eᵀ A⁻¹ E, where only the last block of E is not zero."""
    return inverse_inertia_at_tip - symmetric(tip_column.T, solve(LD, right_side))


# -- step II: bias forces in the coordinates of the tip --------------------------------------------


def transposed(turn):
    return turn.T


def product(own, other):
    """A term of a recurrence of products, the farther one to the left."""
    return own if other is None else other @ own


def total(own, *others):
    """A term of a recurrence of sums, or a sum of those that exist."""
    for other in others:
        own = own if other is None else own + other
    return own


def to_tip(beyond, vector):
    """A vector that is constant in frame i+1, in tip coordinates; `beyond` is None for the last."""
    return vector if beyond is None else beyond @ vector


def axes(to_tip, H):
    """The directions of joint i, six-vectors in the tip's coordinates."""
    return six(to_tip @ H[:3], to_tip @ H[3:])


def spin(axes, rate):
    """The contribution of joint i to the angular velocity."""
    return axes[:3] @ rate


def spin_change(whole, own):
    """The contribution of joint i to the angular acceleration while it keeps its rate."""
    return cross(whole, own)


def slide_change(whole, axes, rate):
    """The contribution of a sliding joint i to the acceleration of its turning link (Coriolis)."""
    return 2.0 * cross(whole, axes[3:] @ rate)


def swing(spin, change, arm):
    """The acceleration of the end of an arm relative to its beginning."""
    return cross(change, arm) + cross(spin, cross(spin, arm))


def lift(to_tip, rise):
    """The acceleration of the ground that represents gravity, in tip coordinates."""
    return to_tip @ rise


def force(mass, spin, change, com, beyond_acceleration, swing_of_arm):
    """The force that accelerates the link; its own origin is one arm before the next."""
    here = beyond_acceleration - swing_of_arm
    return mass * (here + swing(spin, change, com))


def moment(beyond, inertia, spin, change):
    """The moment that turns the link about its centre of mass."""
    if beyond is None:
        return inertia @ change + cross(spin, inertia @ spin)
    own_spin, own_change = beyond.T @ spin, beyond.T @ change
    return beyond @ (inertia @ own_change + cross(own_spin, inertia @ own_spin))


def joint_moment(moment, com, force, arm, carried):
    """The contribution of link i to the moments of all joints before it; `carried` is the force of
    it and all links beyond."""
    return moment + cross(com, force) + cross(arm, carried - force)


def driving(torque, axes, moment, carried):
    """The part of a torque, or a force, that accelerates the chain."""
    return torque - (axes[:3].T @ moment + axes[3:].T @ carried)


# -- steps II.c and IV.b: the inverse of the mass matrix times a vector ----------------------------


def free_acceleration(inverse_inertia, turn, arm, H, own, outer_H, outer):
    """The acceleration of a link if joints only transmitted their driving forces (X¹)."""
    return inverse_inertia @ _net(turn, arm, H @ own, outer_H, outer)


def _net(turn, arm, own, directions, outer):
    """The force of joint i on its link, minus that of joint i+1, each given by its components
    along some directions."""
    if outer is None:
        return own
    wrench = directions @ outer
    push = turn @ wrench[3:]
    return own - six(turn @ (wrench[:3] + cross(arm, wrench[3:])), push)


def carried_out(turn, arm, acceleration):
    """The acceleration that a link passes on to the next joint, in that joint's frame."""
    angular, linear = turn.T @ acceleration[:3], turn.T @ acceleration[3:]
    return six(angular, linear + cross(angular, arm))


def gap(acceleration, handed_on, W):
    """The acceleration at which the two sides of a joint would separate in held directions (X²)."""
    return W.T @ less(acceleration, handed_on)


def held_acceleration(inverse_inertia, turn, arm, free, W, own, outer_W, outer):
    """The acceleration of a link, with the forces that hold the joints (X⁵)."""
    return free - inverse_inertia @ _net(turn, arm, W @ own, outer_W, outer)


def along_next(turn, arm, acceleration, outer_H):
    """The component of a link's acceleration along the directions of the next joint."""
    return outer_H.T @ carried_out(turn, arm, acceleration)


def joint_acceleration(acceleration, handed_on, H):
    return less(H.T @ acceleration, handed_on)


# -- the tip ---------------------------------------------------------------------------------------


def tip_motion(axes, way):
    """The motion of the tip due to joint i; `way` leads from the joint to the tip."""
    swept = np.array([cross(axis, way) for axis in axes[:3].T]).T
    return six(axes[:3], axes[3:] + swept)


def along(motion, acceleration):
    return motion @ acceleration


def tip_bias(change, acceleration, lift):
    """J̇ q̇: the acceleration of the tip while all joints keep their rates."""
    return six(change, acceleration - lift)


def contact_force(tip_inverse_inertia, open_tip, bias, constraint, motion, given_force, given):
    """The force that the arm exerts, for a contact of type I (equations 24 and 29)."""
    pushed = motion @ given_force
    unmet = constraint.T @ (open_tip + bias - tip_inverse_inertia @ pushed) - given
    felt = symmetric(constraint.T @ tip_inverse_inertia, constraint)
    return pushed + constraint @ solve(factor(felt), unmet)


def either(own, other):
    """The one that exists."""
    return other if own is None else own


def held_torque(motion, force):
    return motion.T @ force


def closed(open_acceleration, by_contact):
    return open_acceleration - by_contact
