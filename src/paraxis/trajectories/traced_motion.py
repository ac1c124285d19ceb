"""A trajectory at one scalar time, which may be traced: pieces are chosen by `select`.

The numbers are, except for rounding, those of a Trajectory at arrays of times, so that a motion can
be compiled into what follows it. Every piece is there, so this is for trajectories that have few.
What is compiled depends on how many pieces there are, not on their numbers, which are given apart.
"""

from typing import NamedTuple

from ..scalar import less, less_equal, maximum, minimum, select
from .smooth_pieces import CREEP


def piece_count(trajectory):
    """How many polynomials it is made of."""
    each = [part for leg in trajectory.legs for part in leg]
    return sum(len(part.knots) - 1 for part in each)


class Pieces(NamedTuple):
    """A PiecewisePolynomial as lists of scalars."""

    knots: list
    coefficients: list

    @property
    def length(self):
        return self.knots[-1]


def numbers_of(trajectory):
    """name -> array, of all its numbers."""
    numbers = {"starts": trajectory.starts}
    for k, leg in enumerate(trajectory.legs):
        for name, part in leg._asdict().items():
            numbers[f"{name}_{k}_knots"] = part.knots
            numbers[f"{name}_{k}_coefficients"] = part.coefficients
    return numbers


def motion_at(trajectory, t, numbers=None):
    """q, qd and qdd at the time t, lists of n scalars; `numbers` replace the trajectory's own."""
    numbers = numbers_of(trajectory) if numbers is None else numbers
    lists = {name: array.tolist() for name, array in numbers.items()}
    starts = lists["starts"]
    motions = []
    for k, leg in enumerate(trajectory.legs):
        path, profile = (
            Pieces(lists[f"{name}_{k}_knots"], lists[f"{name}_{k}_coefficients"])
            for name in leg._fields
        )
        motions.append(_leg_motion(path, profile, t - starts[k]))
    motion = motions.pop()
    for earlier, end in zip(reversed(motions), reversed(starts[1:-1]), strict=True):
        motion = _chosen(less(t, end), earlier, motion)
    q, qd, qdd = motion
    for i, rests in enumerate(trajectory.comes_to_rest):
        if rests:
            over = less_equal(starts[-1], t)
            qd[i], qdd[i] = select(over, 0.0, qd[i]), select(over, 0.0, qdd[i])
    return q, qd, qdd


def _leg_motion(path, profile, t):
    """As Leg.__call__ of arrays."""
    (s,), (sd,), (sdd,) = _polynomials_at(profile, t)
    under_way = select(less(0.0, t), less(t, profile.length), 0.0)
    sd = select(under_way, maximum(sd, CREEP), sd)
    q, dq, ddq = _polynomials_at(path, minimum(maximum(s, 0.0), path.length))
    bends = zip(dq, ddq, strict=True)
    return q, [d * sd for d in dq], [d * sdd + dd * (sd * sd) for d, dd in bends]


def _polynomials_at(pieces, x):
    """As PiecewisePolynomial.__call__ of arrays: values and two derivatives, a list each."""
    inside = minimum(maximum(x, 0.0), pieces.length)
    knots, tables = pieces.knots, pieces.coefficients
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
