"""A trajectory at one scalar time, which may be traced: pieces are chosen by `select`.

The same numbers, but for rounding, as a Trajectory gives for arrays of times, so that a motion can
be compiled into what follows it. Every piece is there, so this is for trajectories that have few.
"""

from ..scalar import less, less_equal, maximum, minimum, select
from .trajectory import CREEP


def piece_count(trajectory):
    """How many polynomials it is made of."""
    each = [part for leg in trajectory.legs for part in leg]
    return sum(len(part.knots) - 1 for part in each)


def motion_at(trajectory, t):
    """q, qd and qdd at the time t, lists of n scalars."""
    starts = trajectory.starts.tolist()
    motions = [
        _leg_motion(leg, t - start) for leg, start in zip(trajectory.legs, starts[:-1], strict=True)
    ]
    motion = motions.pop()
    for earlier, end in zip(reversed(motions), reversed(starts[1:-1]), strict=True):
        motion = _chosen(less(t, end), earlier, motion)
    q, qd, qdd = motion
    for i, rests in enumerate(trajectory.comes_to_rest):
        if rests:
            over = less_equal(trajectory.duration, t)
            qd[i], qdd[i] = select(over, 0.0, qd[i]), select(over, 0.0, qdd[i])
    return q, qd, qdd


def _leg_motion(leg, t):
    """As Leg.__call__ of arrays."""
    (s,), (sd,), (sdd,) = _polynomials_at(leg.profile, t)
    under_way = select(less(0.0, t), less(t, leg.profile.length), 0.0)
    sd = select(under_way, maximum(sd, CREEP), sd)
    q, dq, ddq = _polynomials_at(leg.path, minimum(maximum(s, 0.0), leg.path.length))
    bends = zip(dq, ddq, strict=True)
    return q, [d * sd for d in dq], [d * sdd + dd * (sd * sd) for d, dd in bends]


def _polynomials_at(pieces, x):
    """As PiecewisePolynomial.__call__ of arrays: values and two derivatives, a list each."""
    inside = minimum(maximum(x, 0.0), pieces.length)
    knots, tables = pieces.knots.tolist(), pieces.coefficients.tolist()
    start, table = knots[-2], tables[-1]
    for k in reversed(range(len(tables) - 1)):
        before = less(inside, knots[k + 1])
        start, table = select(before, knots[k], start), _chosen(before, tables[k], table)
    z = inside - start
    value = rate = acceleration = [0.0] * len(table[0])
    for row in reversed(table):  # Horner, with its derivatives
        acceleration = [a * z + 2.0 * r for a, r in zip(acceleration, rate, strict=True)]
        rate = [r * z + v for r, v in zip(rate, value, strict=True)]
        value = [v * z + c for v, c in zip(value, row, strict=True)]
    still = select(less(x, 0.0), 1.0, less(pieces.length, x))
    slopes = ([select(still, 0.0, each) for each in slope] for slope in (rate, acceleration))
    return value, *slopes


def _chosen(condition, these, others):
    """One of two lists of lists of scalars."""
    rows = zip(these, others, strict=True)
    return [[select(condition, a, b) for a, b in zip(*row, strict=True)] for row in rows]
