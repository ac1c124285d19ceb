"""Joints that reach hard stops in a step: the impulses that keep them within their ranges.

A joint that is at or beyond a limit at the end of a step, and moves outward, gets an impulse p,
which all joints feel through M⁻¹. If it came with a rate, it *bounces*: the rate is reversed, times
the restitution, and the joint returns from where it is, beyond the limit by at most its rate times
dt. If it owes most of its rate to the load of this very step, as a joint that rests on its stop, or
if there is no restitution, it is *held*: its rate becomes zero, and it is put back to the limit.
The other joints move by as much as the impulse would have moved them, spread over the time beyond.

Several joints at once are a complementarity problem, p >= 0 where no rate is outward: Moreau's
impact law, by projected Gauss-Seidel. A few sweeps need not solve it, so that a joint may reach its
stop again in the next step. But no impulse adds kinetic energy: every sweep lowers it, and p is
scaled such that restitution gives back no more than was taken. Bouncing joints are not moved, since
to go back to the time of the impact would have to undo what the joints did to each other since:
that makes energy, in proportion to dt. Putting held joints back makes some of the order dt².
"""

from ..scalar import less, maximum, minimum, select

SWEEPS = 4
SWIFT = 2.0  # a joint bounces if its rate at the beginning of the step, times this, was more
TINY = 1e-300  # instead of a division by zero


def impact(stops, q, qd, before, dt, inverse, restitution):
    """The rates after it, by how much positions move, as rates times a second; and of every stop
    whether it was hit, and whether it holds its joint."""
    rows = [stop.row for stop in stops]
    side = [stop.side(q[stop.place]) for stop in stops]
    depth = [s * stop.beyond(q[stop.place]) for s, stop in zip(side, stops, strict=True)]
    W = [[inverse[i][j] for j in rows] for i in rows]
    rates, bounce, held = [qd[i] for i in rows], [0.0] * len(rows), side
    if restitution:
        came = [before[i] * SWIFT for i in rows]
        swift = [less(s * u, s * v) for s, u, v in zip(side, rates, came, strict=True)]
        hit = [select(each, s, 0.0) for each, s in zip(swift, side, strict=True)]
        held = [select(each, 0.0, s) for each, s in zip(swift, side, strict=True)]
        p = _scaled(W, hit, rates, _projected(W, hit, rates))
        bounce = [s * ((1.0 + restitution) * each) for s, each in zip(hit, p, strict=True)]
        rates = [u - dot(row, bounce) for u, row in zip(rates, W, strict=True)]
    hold = times(held, _projected(W, held, rates))
    each = zip(side, rates, depth, strict=True)
    late = times(hold, [minimum(x / maximum(s * u, TINY), dt) for s, u, x in each])
    total = [a + b for a, b in zip(bounce, hold, strict=True)]
    after, moved = [], []
    for rate, row in zip(qd, inverse, strict=True):
        own = [row[j] for j in rows]
        after.append(rate - dot(own, total))
        moved.append(-dot(own, late))
    return after, moved, *([less(0.0, abs(p)) for p in each] for each in (total, hold))


def _projected(W, side, rates):
    """Impulses p >= 0 after which no joint on a stop moves outward, nearly; 0 of other joints.

    A joint that is at no stop has side 0 and so stays without an impulse.
    """
    rates, p = list(rates), [0.0] * len(rates)
    for _ in range(SWEEPS if len(rates) > 1 else 1):
        for j, s in enumerate(side):
            new = maximum(p[j] + s * rates[j] / W[j][j], 0.0)
            change, p[j] = s * (new - p[j]), new
            rates = [u - W[i][j] * change for i, u in enumerate(rates)]
    return p


def _scaled(W, side, rates, p):
    """Impulses whose work on the mean of the rates before and after an impact without restitution
    is what that takes: pᵀ W p = pᵀ u, as it is when they are exact."""
    signed = times(side, p)
    taken, curved = dot(signed, rates), dot(signed, [dot(row, signed) for row in W])
    by = taken / select(less(0.0, curved), curved, 1.0)
    return [by * each for each in p]


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)


def times(x, y):
    return [a * b for a, b in zip(x, y, strict=True)]
