"""Recursions over chains of which every number is an input, rotations too, as graphs."""

from dataclasses import dataclass

from paraxis.graph.trace import trace
from paraxis.spatial import ZERO3, Rotation, Symmetric, Vector

from ..counts.luh_walker_paul import FREE, Link


@dataclass(frozen=True)
class GivenLink(Link):
    """Also z q̇ and z q̈ along the axes of the link before; and whether the link slides."""

    spin_before: Vector
    rise_before: Vector
    slides: bool = False


@dataclass(frozen=True)
class Given:
    """Where a computation begins and where it ends."""

    rates_as_vectors: bool = True  # z q̇ and z q̈ come in so; or else z, q̇ and q̈ do
    base_moves: bool = True  # it spins and accelerates; or else it only rises against gravity
    hand_is_loaded: bool = True
    to_torques: bool = True  # or else to the moments, of which torques are a scalar product


def graph_of(recursion, n, given, slides=()):
    """The graph of `recursion(links, base, hand)`, which gives force and moment at each joint.

    The base is ω, α and the acceleration of the first joint; the hand is how it is turned against
    the last link, its force and its moment. Links in `slides` slide.
    """

    def run(turn, z, z_before, p, s, mass, inertia, base, hand, **rates):
        def rate(axes, vectors, scalars, i):
            if given.rates_as_vectors:
                return Vector(*rates[vectors][i])
            return Vector(*axes[i]) * rates[scalars][i]

        links = [
            GivenLink(
                Rotation(*turn[i]),
                Vector(*z[i]),
                rate(z, "spin", "qd", i),
                rate(z, "rise", "qdd", i),
                Vector(*p[i]),
                Vector(*s[i]),
                mass[i],
                Symmetric(*inertia[i]),
                rate(z_before, "spin_before", "qd", i),
                rate(z_before, "rise_before", "qdd", i),
                i in slides,
            )
            for i in range(n)
        ]
        ω, α, a = (Vector(*row) for row in base)
        if not given.base_moves:
            ω = α = ZERO3
        end = (Rotation(*turn[n]), *(Vector(*row) for row in hand))
        loads = recursion(links, (ω, α, a), end if given.hand_is_loaded else FREE)
        if not given.to_torques:
            return {"n": [list(moment) for _, moment in loads]}
        along = (f if link.slides else m for (f, m), link in zip(loads, links, strict=True))
        return {"tau": [load @ link.z for load, link in zip(along, links, strict=True)]}

    return trace(run, input_shapes(n, given))


def input_shapes(n, given):
    """name -> shape."""
    shapes = {"turn": (n + 1, 3, 3), "z": (n, 3), "z_before": (n, 3), "p": (n, 3), "s": (n, 3)}
    shapes |= {"mass": (n,), "inertia": (n, 6), "base": (3, 3), "hand": (2, 3)}
    if given.rates_as_vectors:
        return shapes | dict.fromkeys(("spin", "rise", "spin_before", "rise_before"), (n, 3))
    return shapes | {"qd": (n,), "qdd": (n,)}
