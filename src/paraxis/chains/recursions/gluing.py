"""Lathrop's logarithmic Newton-Euler for a link whose numbers are inputs.

What a joint adds to motion on the way out, and a body to force on the way in; how two adjacent
spans are glued is in logarithmic_newton_euler.py. Symbols: docs/concepts/notation.md.
"""

from ...physics.logarithmic_newton_euler import Load, Motion, glue_loads, glue_motions
from ...spatial import Matrix, Vector, cross
from .link import Link

MOTION = {"W": (3, 3), "ω": (3,), "α": (3,), "r": (3,), "v": (3,), "a": (3,)}
LOAD = {"f": (3,), "n": (3,), "U": (3, 3), "r": (3,)}


def own_motion(link, q, qd, qdd, kinds):
    """A body, seen from the body that its joint stands on."""
    link = Link.of(link, kinds)
    X, z = link.transform(link.angle(q), q), Vector(0.0, 0.0, 1.0)
    W = X.turn.matrix()
    turning, sliding = z * link.turns, z * link.slides
    return motion_parts(
        Motion(W, turning * qd, turning * qdd, W.T @ X.origin, sliding * qd, sliding * qdd)
    )


def own_load(link, beyond, q_beyond, ω, α, a, kinds):
    """What moves a body by itself, and where the next one stands."""
    own, after = Link.of(link, kinds), Link.of(beyond, kinds)
    X = after.transform(after.angle(q_beyond), q_beyond)
    I, h, ω, α, a = own.inertia, own.inertia.moment, Vector(*ω), Vector(*α), Vector(*a)
    f = a * I.mass + (cross(α, h) + cross(ω, cross(ω, h)))
    n = cross(h, a) + (I.about_origin @ α + cross(ω, I.about_origin @ ω))
    return load_parts(Load(f, n, X.turn.matrix(), X.origin))


def torque(link, qdd, n, f, kinds):
    """The torque of a joint, or the force, from the load that it carries."""
    own = Link.of(link, kinds)
    return {"tau": own.turns * n[2] + own.slides * f[2] + own.rotor * qdd}


def base_motion(rise):
    """The base, which rises."""
    still = [0.0] * 3
    turned = [[float(i == j) for j in range(3)] for i in range(3)]
    parts = dict.fromkeys(MOTION, still)
    return parts | {"W": turned, "a": list(rise)}


def glued_motions(left, right):
    """Two adjacent spans as one, by parts."""
    return motion_parts(glue_motions(_motion(left), _motion(right)))


def glued_loads(beyond, own):
    """A span and the span before it: suffixes are prefixes of the row from its end."""
    return load_parts(glue_loads(_load(own), _load(beyond)))


def _motion(parts):
    W, *vectors = (parts[name] for name in MOTION)
    return Motion(Matrix(*W), *(Vector(*vector) for vector in vectors))


def _load(parts):
    return Load(Vector(*parts["f"]), Vector(*parts["n"]), Matrix(*parts["U"]), Vector(*parts["r"]))


def motion_parts(motion):
    W, *vectors = motion
    return dict(zip(MOTION, [_rows(W), *map(list, vectors)], strict=True))


def load_parts(load):
    return {"f": list(load.f), "n": list(load.n), "U": _rows(load.U), "r": list(load.r)}


def _rows(matrix):
    return [list(row) for row in matrix]
