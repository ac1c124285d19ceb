"""Lathrop's logarithmic recursion: adjacent spans of links are glued (his Table 5).

Frames stand at the far ends of links, as in the paper; `algorithms.logarithmic_newton_euler` has
them on the joints' axes. In the last line of p̈ the paper prints 2S + Q, which is wrong for sliding
links: it must be 2(S + Q). Symbols: docs/concepts/notation.md.
"""

from typing import NamedTuple

from paraxis.math import mark
from paraxis.physics.parts.orders import prefixes, suffixes
from paraxis.spatial import IDENTITY, ZERO3, Matrix, Vector, cross

from ..counts.luh_walker_paul import FREE, inertial_load


class Motion(NamedTuple):
    """How the end of a span moves, seen from the link before it, along the last link's axes."""

    W: Matrix  # the last link's coordinates to those of the link before the span
    ω: Vector
    α: Vector
    Q: Vector  # the rate of the end, by sliding
    R: Vector  # the way to the end
    S: Vector  # its rate, by turning
    a: Vector


class Load(NamedTuple):
    """What accelerates a span and all beyond, along the first link's axes, and the way on."""

    f: Vector
    n: Vector
    U: Matrix  # the next span's coordinates to those of the first link
    R: Vector  # the way to the next span, along the axes of its first link


def table_5(links, base, hand):
    """Table 5, with U distributed over the sum of the moments."""
    return _loads(links, base, hand, glue_motions, glue_loads)


def table_5_as_printed(links, base, hand):
    """Table 5, with the moments added up before U turns them."""
    return _loads(links, base, hand, glue_motions, glue_loads_as_printed)


def table_5_with_printed_rates(links, base, hand):
    """Table 5 with 2S + Q as printed: wrong where links slide."""
    return _loads(links, base, hand, glue_motions_as_printed, glue_loads)


def _loads(links, base, hand, glue_motions, glue_loads):
    steps = [one_link(link) for link in links]
    loads = []
    for i, motion in enumerate(prefixes(glue_motions, [_base(*base), *steps])[1:]):
        ω, α, a = motion.ω, motion.α, motion.a
        mark("omega", i, ω)
        mark("alpha", i, α)
        mark("acceleration", i, a)
        F, N = inertial_load(i, links[i], ω, α, a)
        next_turn = links[i + 1].A if i + 1 < len(links) else hand[0]
        arm = links[i].p + links[i].s
        loads.append(Load(F, N + cross(arm, F), next_turn, next_turn.T @ links[i].p))
    if hand is not FREE:
        loads.append(Load(*hand[1:], IDENTITY, ZERO3))
    loads = suffixes(glue_loads, loads)[: len(links)]
    for i, load in enumerate(loads):
        mark("force", i, load.f)
        mark("moment", i, load.n)
    return [(load.f, load.n) for load in loads]


def _base(ω, α, a):
    """The base, seen from a place at rest."""
    return Motion(IDENTITY, ω, α, ZERO3, ZERO3, ZERO3, a)


def one_link(link):
    """A span of one link: the case a = b."""
    if link.slides:
        return Motion(link.A, ZERO3, ZERO3, link.spin, link.p, ZERO3, link.rise)
    swept = cross(link.spin, link.p)
    a = cross(link.rise, link.p) + cross(link.spin, swept)
    return Motion(link.A, link.spin, link.rise, ZERO3, link.p, swept, a)


def glue_motions(left, right):
    """Two adjacent spans as one; what comes from the left one is added last."""
    rate = right.S + right.Q
    return _glued_motions(left, right, rate + rate)


def glue_motions_as_printed(left, right):
    """The same with 2S + Q for twice the rate of the right span's end."""
    return _glued_motions(left, right, right.S + right.S + right.Q)


def _glued_motions(left, right, twice_rate):
    back = right.W.T
    ω, α = back @ left.ω, back @ left.α
    swept = cross(ω, right.R)
    turning = cross(α, right.R) + cross(ω, swept + twice_rate)
    return Motion(
        left.W @ right.W,
        ω + right.ω,
        α + (cross(ω, right.ω) + right.α),
        back @ left.Q + right.Q,
        back @ left.R + right.R,
        back @ left.S + (swept + right.S),
        back @ left.a + (right.a + turning),
    )


def glue_loads(left, right):
    """Two adjacent spans as one."""
    lever = left.U @ cross(left.R, right.f)
    return _glued_loads(left, right, left.U @ right.n + (left.n + lever))


def glue_loads_as_printed(left, right):
    """The same with one product less and a longer way from n to n."""
    return _glued_loads(left, right, left.n + left.U @ (right.n + cross(left.R, right.f)))


def _glued_loads(left, right, n):
    R = right.U.T @ left.R + right.R
    return Load(left.f + left.U @ right.f, n, left.U @ right.U, R)
