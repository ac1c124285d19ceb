"""Newton-Euler in rows: inverse dynamics of a chain that is cut into rows of links.

How the last body of a row moves follows from how the row's start moves and from how the row would
move with its start at rest; the load on its start from the load on its end and from the sum of its
own. So all rows are swept at once, and joined one to another in between: Lee and Chang's p-fold
scheme on Lathrop's gluing forms. Accelerations are those of points.
Symbols: docs/concepts/notation.md.
"""

from ...spatial import Matrix, Spatial, Vector, cross
from .link import Link


def reach(link, q, qd, qdd, W, r, ω, v, a, kinds):
    """Outward, how a row moves with its start at rest.

    W turns the coordinates of its last body so far to those of the start, r is where it is, along
    the start's axes; ω, v and a = (angular, linear) are its motion along its own.
    """
    link = Link.of(link, kinds)
    angle = link.angle(q)
    X, W, ω, a = link.transform(angle, q), Matrix(*W), Vector(*ω), Spatial.of(a)
    moved = X.turn.T @ (Vector(*v) + cross(ω, X.origin))
    onward = X @ a + link.drift(X, ω, qd) + link.subspace * qdd
    return {
        "angle": angle,
        "W": _turned(W, X),
        "r": list(Vector(*r) + W @ X.origin),
        "ω": list(link.spun(X, ω, qd)),
        "v": list(moved + Vector(0.0, 0.0, qd * link.slides)),
        "a": onward.scalars(),
    }


def join_motions(W, r, ω, v, a, rate, rise):
    """How the start of the next row moves, from how this row's does: its `rate` and `rise`."""
    back, r, ω_start, a_start = Matrix(*W).T, Vector(*r), Vector(*rate), Spatial.of(rise)
    turned = back @ ω_start
    whirl = cross(ω_start, cross(ω_start, r)) + cross(a_start.angular, r)
    fast = cross(turned, Vector(*v))
    start = Spatial(
        back @ a_start.angular + cross(turned, Vector(*ω)),
        back @ (a_start.linear + whirl) + (fast + fast),
    )
    return {
        "start_rate": list(rate),
        "start_rise": list(rise),
        "rate": list(turned + Vector(*ω)),
        "rise": (start + Spatial.of(a)).scalars(),
    }


def glued_motions(left, right):
    """Two adjacent rows as one, by the parts of `reach`."""
    W, r, ω = Matrix(*left["W"]), Vector(*right["r"]), Vector(*left["ω"])
    joined = join_motions(**right, rate=left["ω"], rise=left["a"])
    moved = Matrix(*right["W"]).T @ (Vector(*left["v"]) + cross(ω, r))
    return {
        "W": [list(row) for row in W @ Matrix(*right["W"])],
        "r": list(Vector(*left["r"]) + W @ r),
        "ω": joined["rate"],
        "v": list(moved + Vector(*right["v"])),
        "a": joined["rise"],
    }


def glued_loads(beyond, own):
    """A row and all beyond it as one, by the parts of `motion`."""
    W, r = Matrix(*own["W"]), Vector(*own["r"])
    return {
        "W": [list(row) for row in W @ Matrix(*beyond["W"])],
        "r": list(r + W @ Vector(*beyond["r"])),
        "sum_": join_loads(**own, beyond=beyond["sum_"])["beyond"],
    }


def motion(link, q, qd, qdd, ω, a, kinds, angle=None, W=None, r=None, sum_=None):
    """Outward, the motion of each body and the load that gives it that; with W and r also the sum
    of the loads so far, at the row's start and along its axes."""
    link = Link.of(link, kinds)
    known_angle = angle
    angle = link.angle(q) if known_angle is None else angle
    X, ω, a = link.transform(angle, q), Vector(*ω), Spatial.of(a)
    onward = X @ a + link.drift(X, ω, qd) + link.subspace * qdd
    ω = link.spun(X, ω, qd)
    load = link.inertia @ onward + link.gyroscopic(ω)
    result = {"load": load.scalars(), "ω": list(ω), "a": onward.scalars()}
    if known_angle is None:
        return result | {"angle": angle}
    W, r = Matrix(*W), Vector(*r)
    r, W = r + W @ X.origin, Matrix(*_turned(W, X))
    f, n = W @ load.linear, W @ load.angular
    total = Spatial.of(sum_) + Spatial(n + cross(r, f), f)
    return result | {"W": [list(row) for row in W], "r": list(r), "sum_": total.scalars()}


def join_loads(W, r, sum_, beyond):
    """The load on the start of a row, from that on its end."""
    W, load = Matrix(*W), Spatial.of(beyond)
    f = W @ load.linear
    carried = Spatial(W @ load.angular + cross(Vector(*r), f), f)
    return {"end": list(beyond), "beyond": (Spatial.of(sum_) + carried).scalars()}


def torque(link, q, qdd, angle, load, carried, kinds):
    """Inward, the torque of each joint and the load on the body before it."""
    link = Link.of(link, kinds)
    X = link.transform(angle, q)
    total = Spatial.of(load) + Spatial.of(carried)
    return {
        "tau": link.subspace @ total + link.rotor * qdd,
        "carried": (X.T @ total).scalars(),
    }


def _turned(W, X):
    for factor in X.turn.factors:
        W = W @ factor
    return [list(row) for row in W]
