"""Articulated bodies in rows: forward dynamics of a chain that is cut into rows of links.

The recursion for the articulated inertia of a body needs that of the next one, and so seems to be
strictly sequential (Fijany). But a row can be done before what lies beyond is known: its end is
free, and beside the inertia it shows to the body before it, it keeps how its end answers to a force
there. At the end of a row that is free,

    A_end = Φᵀ A_start + Θ e + b        with e the force on its last body from beyond.

Rows are then joined one to another (row_junctions.py), and every link corrected for the force e at
the end of its row. It is Lee and Chang's p-fold scheme on Featherstone's recursion; spans with two
ends are those of his divide-and-conquer algorithm (1999). Symbols: docs/concepts/notation.md.
"""

from ...physics.linear.dense import upper_indices
from ...physics.parts.articulated_inertia import ArticulatedInertia
from ...spatial import Matrix, Spatial, Symmetric, Vector
from .link import Link


def spin(link, q, qd, ω, kinds, W=None):
    """Outward, how a row turns: ω of its last body so far, and with W how that is turned, both as
    the row's start sees them."""
    link = Link.of(link, kinds)
    angle = link.angle(q)
    X = link.transform(angle, q)
    result = {"angle": angle, "ω": list(link.spun(X, Vector(*ω), qd))}
    if W is None:
        return result
    for factor in X.turn.factors:
        W = Matrix(*W) @ factor
    return result | {"W": [list(row) for row in W]}


def inward(link, q, qd, tau, angle, ω, inertia, bias, kinds, Φ=None, Θ=None, b=None):
    """Inward, what a row shows to the body before it; with Φ, Θ and b also how its end answers.

    Returns what is carried on, and of the link what the way outward needs: U, 1/d, u and Φᵀ S.
    """
    link = Link.of(link, kinds)
    S, X, ω = link.subspace, link.transform(angle, q), Vector(*ω)
    before = link.unspun(X, ω, qd)
    c = link.drift(X, before, qd)
    IA = ArticulatedInertia.of_body(link.inertia) + _inertia(inertia)
    pA = link.gyroscopic(ω) + Spatial.of(bias)
    U = IA @ S
    reciprocal = 1.0 / (S @ U + link.rotor)
    u = tau - S @ pA
    Ia = IA.freed(S, U, reciprocal, link.rotor)
    pa = pA + Ia @ c + U * (reciprocal * u)
    result = {
        "ω": list(before),
        "inertia": Ia.seen_from(X).scalars(),
        "bias": (X.T @ pa).scalars(),
    }
    kept = [*U.scalars(), reciprocal, u]
    if Φ is None:
        return result | {"kept": kept}
    columns = [Spatial.of(column) for column in zip(*Φ, strict=True)]
    s = [S @ column for column in columns]
    scaled, yielded = [entry * reciprocal for entry in s], u - U @ c
    return result | {
        "Φ": _rows([X.T @ (column - U * w) for column, w in zip(columns, scaled, strict=True)]),
        "Θ": [Θ[k] + s[i] * scaled[j] for k, (i, j) in enumerate(upper_indices(6))],
        "b": [b[k] + (columns[k] @ c + scaled[k] * yielded) for k in range(6)],
        "kept": [*kept, *s],
    }


def outward(link, q, qd, angle, kept, ω, a, kinds, force=None):
    """Outward, the accelerations; `force` is what pulls at the end of the row."""
    link = Link.of(link, kinds)
    X, ω = link.transform(angle, q), Vector(*ω)
    U, reciprocal, u, s = Spatial.of(kept[:6]), kept[6], kept[7], kept[8:]
    if force is not None:
        for entry, pull in zip(s, force, strict=True):
            u = u + entry * pull
    free = X @ Spatial.of(a) + link.drift(X, ω, qd)  # as if the joint were locked
    qdd = reciprocal * (u - U @ free)
    a = free + link.subspace * qdd
    return {"qdd": qdd, "a": list(a.scalars()), "ω": list(link.spun(X, ω, qd))}


def _inertia(values):
    """An articulated inertia from its scalars."""
    coupling = Matrix(values[6:9], values[9:12], values[12:15])
    return ArticulatedInertia(Symmetric(*values[:6]), coupling, Symmetric(*values[15:]))


def _rows(columns):
    """The rows of a matrix of which the columns are given as 6-D vectors."""
    return [list(row) for row in zip(*(column.scalars() for column in columns), strict=True)]
