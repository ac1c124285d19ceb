"""Lathrop's linear recursion, for revolute links whose frames stand at their far ends."""

from paraxis.math import mark
from paraxis.spatial import cross

from ..counts.luh_walker_paul import acceleration_at_the_far_end, inertial_load, transmitted_loads


def table_4(links, base, hand):
    """His Table 4: what the joint adds is added along the axes of the link before."""
    ω, α, a = base
    F, N = {}, {}
    for i, link in enumerate(links):
        gained = link.rise_before + cross(ω, link.spin_before)
        ω = mark("omega", i, link.A.T @ (ω + link.spin_before))
        α = mark("alpha", i, link.A.T @ (α + gained))
        a = acceleration_at_the_far_end(i, link, ω, α, a)
        F[i], N[i] = inertial_load(i, link, ω, α, a)
    return transmitted_loads(links, F, N, hand)


def nothing_shared(links, base, hand):
    """The same values in as many operations, but no part of a propagated sum is used elsewhere.

    The joint's part is added after turning, so that a value crosses a link in one sum of four
    terms, which can be balanced if its parts have no other use. There ω × z q̇ is as good as
    Aᵀω_before × z q̇, and p × f + s × F as good as p × A f_next + (p + s) × F.
    """
    ω, α, a = base
    F, N = {}, {}
    for i, link in enumerate(links):
        back = link.A.T
        ω = mark("omega", i, back @ ω + link.spin)
        α = mark("alpha", i, back @ α + (link.rise + cross(ω, link.spin)))
        a = acceleration_at_the_far_end(i, link, ω, α, a)
        F[i], N[i] = inertial_load(i, link, ω, α, a)
    loads = {}
    A, f, n = hand
    for i, link in reversed(list(enumerate(links))):
        f = mark("force", i, F[i] + A @ f)
        own = cross(link.s, F[i]) + N[i]
        n = mark("moment", i, A @ n + (cross(link.p, f) + own))
        loads[i] = (f, n)
        A = link.A
    return [loads[i] for i in range(len(links))]
