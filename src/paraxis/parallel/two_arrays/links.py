"""What a processor does for its link: projections, Newton-Euler terms, six-vectors.

Fijany's frames: frame i is fixed to the body before joint i, with its z axis along the joint, so
that what belongs to link i is constant in frame i+1, and a force across joint i splits into a
moment about z, which does work, and five components that do none. `turn` takes coordinates in
frame i+1 to frame i, `arm` is the way from joint i to joint i+1 in frame i+1. Six-vectors have the
angular part first. Arrays hold floats or traced scalars; None stands for what is not there.
"""

import numpy as np

from .blocks import factor, less, solve, symmetric

HELD = [0, 1, 3, 4, 5]  # the components of a force across a joint that do no work
AXIS = 2  # the one that does


def cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def six(angular, linear):
    return np.concatenate((angular, linear))


# -- step I: the blocks of the system --------------------------------------------------------------


def turn(cosine, sine, seat):
    """Frame i+1 to frame i: the joint's rotation times a constant one."""
    x, y, z = seat
    return np.array([cosine * x - sine * y, sine * x + cosine * y, z])


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


def diagonal_block(inverse_inertia, inner_inverse_inertia):
    """A of a joint: the links on both its sides, or the one link if the other is the ground."""
    held = inverse_inertia[np.ix_(HELD, HELD)]
    if inner_inverse_inertia is None:
        return held
    return held + inner_inverse_inertia[np.ix_(HELD, HELD)]


def held_rows(turn, constant):
    """The five held rows, in frame i, of six-vectors that are constant in frame i+1."""
    return np.concatenate((turn[:2] @ constant[:3], turn @ constant[3:]))


def tip_inverse_inertia(LD, tip_column, right_side, inverse_inertia_at_tip):
    """Λ⁻¹ = D - Eᵀ A⁻¹ E, where only the last block of E is not zero."""
    return inverse_inertia_at_tip - symmetric(tip_column.T, solve(LD, right_side))


# -- step II: bias forces in the coordinates of the tip --------------------------------------------


def transposed(turn):
    return turn.T


def product(own, other):
    """A term of a recurrence of products, the farther one to the left."""
    return own if other is None else other @ own


def total(own, other):
    """A term of a recurrence of sums."""
    return own if other is None else own + other


def to_tip(beyond, vector):
    """A vector that is constant in frame i+1, in the tip's; `beyond` is the last link's nothing."""
    return vector if beyond is None else beyond @ vector


def axis(to_tip):
    """The axis of joint i, in the tip's coordinates."""
    return to_tip[:, 2]


def spin(axis, rate):
    """What joint i adds to the angular velocity."""
    return axis * rate


def spin_change(whole, own):
    """What joint i adds to the angular acceleration while it keeps its rate."""
    return cross(whole, own)


def swing(spin, change, arm):
    """How much faster the end of an arm accelerates than its beginning."""
    return cross(change, arm) + cross(spin, cross(spin, arm))


def lift(to_tip, rise):
    """The acceleration of the ground that stands for gravity, in the tip's coordinates."""
    return to_tip @ rise


def force(mass, spin, change, com, beyond_acceleration, swing_of_arm):
    """What accelerates the link; its own origin is one arm before the next."""
    here = beyond_acceleration - swing_of_arm
    return mass * (here + swing(spin, change, com))


def moment(beyond, inertia, spin, change):
    """What turns the link about its centre of mass."""
    if beyond is None:
        return inertia @ change + cross(spin, inertia @ spin)
    own_spin, own_change = beyond.T @ spin, beyond.T @ change
    return beyond @ (inertia @ own_change + cross(own_spin, inertia @ own_spin))


def joint_moment(moment, com, force, arm, carried):
    """What link i adds to the moments of all joints before it; `carried` is its own force and all
    beyond."""
    return moment + cross(com, force) + cross(arm, carried - force)


def driving(torque, axis, moment):
    """What is left of a torque to accelerate the chain."""
    return np.asarray(torque - axis @ moment)


# -- steps II.c and IV.b: the inverse of the mass matrix times a vector ----------------------------


def free_acceleration(inverse_inertia, turn, own, outer):
    """How a link would accelerate if joints did no more than drive it (X¹)."""
    n = np.array([0.0 * own, 0.0 * own, own])
    return inverse_inertia[:, :3] @ (n if outer is None else n - turn[:, AXIS] * outer)


def carried_out(turn, arm, acceleration):
    """The acceleration that a link hands on to the next joint, in that joint's frame."""
    angular, linear = turn.T @ acceleration[:3], turn.T @ acceleration[3:]
    return six(angular, linear + cross(angular, arm))


def gap(acceleration, handed_on):
    """By how much the two sides of a joint would part in the held directions (X²)."""
    return less(acceleration, handed_on)[HELD]


def held_acceleration(inverse_inertia, turn, arm, free, own, outer):
    """How a link does accelerate, with the forces that hold the joints (X⁵)."""
    zero = 0.0 * own[0]
    wrench = np.array([own[0], own[1], zero, *own[2:]])
    if outer is not None:
        moment, push = np.array([outer[0], outer[1], zero]), outer[2:]
        wrench = wrench - six(turn @ (moment + cross(arm, push)), turn @ push)
    return free - inverse_inertia @ wrench


def along_next_axis(turn, acceleration):
    """The part of a link's acceleration that turns about the next joint's axis."""
    return np.asarray(turn[:, AXIS] @ acceleration[:3])


def joint_acceleration(acceleration, handed_on):
    return np.asarray(less(acceleration[AXIS], handed_on))


# -- the tip ---------------------------------------------------------------------------------------


def tip_motion(axis, way):
    """How the tip moves with joint i; `way` leads from the joint to the tip."""
    return six(axis, cross(axis, way))


def scaled(motion, acceleration):
    return motion * acceleration


def tip_bias(change, acceleration, lift):
    """J̇ q̇: how the tip accelerates while all joints keep their rates."""
    return six(change, acceleration - lift)


def contact_force(tip_inverse_inertia, open_tip, bias, constraint, motion, given_force, given):
    """The force that the arm exerts, for a contact of type I (equations 24 and 29)."""
    pushed = motion @ given_force
    unmet = constraint.T @ (open_tip + bias - tip_inverse_inertia @ pushed) - given
    felt = symmetric(constraint.T @ tip_inverse_inertia, constraint)
    return pushed + constraint @ solve(factor(felt), unmet)


def either(own, other):
    """Whichever there is."""
    return other if own is None else own


def held_torque(motion, force):
    return np.asarray(motion @ force)


def closed(open_acceleration, by_contact):
    return np.asarray(open_acceleration - by_contact)
