"""Lathrop's logarithmic form: a node for every span of links that is combined from two.

The programs are his Table 5. A span's left part is nearer to the base. With a device for every two
joints, reused at each level of his Fig. 5, leaves and torques of two joints share a device.
Symbols: docs/concepts/notation.md.
"""

from collections import Counter
from typing import NamedTuple

from ...physics.parts.orders import prefixes, suffixes
from ...spatial import IDENTITY, ZERO3
from .linear import BODY, torque
from .node_program import steps
from .wiring import Constant, Site, Wiring, wire

TURNING_LINK = steps("""
    S = ω × R
    T13 = ω × S
    T16 = α × R
    a = T13 + T16
""")

TURNING_FIRST_LINK = steps("""
    S = ω × R
    T13 = ω × S
    T16 = α × R
    T12 = A.T @ base
    T15 = T16 + T12
    a = T13 + T15
""")

SLIDING_FIRST_LINK = steps("""
    T12 = A.T @ base
    a = T12 + rise
""")

GLUE_MOTIONS = steps("""
    W = left.W @@ right.W
    T1 = right.W.T @ left.ω
    ω = T1 + right.ω
    T2 = right.W.T @ left.α
    T3 = T1 × right.ω
    T4 = T3 + right.α
    α = T2 + T4
    T5 = right.W.T @ left.Q
    Q = T5 + right.Q
    T6 = right.W.T @ left.R
    R = T6 + right.R
    T7 = right.W.T @ left.S
    T8 = T1 × right.R
    T9 = T8 + right.S
    S = T7 + T9
    T10 = right.S + right.Q
    T11 = T10 * two
    T12 = T8 + T11
    T13 = T1 × T12
    T14 = T2 × right.R
    T15 = T14 + right.a
    T16 = T15 + T13
    T17 = right.W.T @ left.a
    a = T17 + T16
""")

LOAD = steps("""
    T4 = s × F
    n = T4 + N
    R = U.T @ p
""")

GLUE_LOADS = steps("""
    T1 = left.U @ right.f
    f = left.f + T1
    T2 = left.R × right.f
    T3 = left.U @ T2
    T4 = left.n + T3
    T5 = left.U @ right.n
    n = T5 + T4
    U = left.U @@ right.U
    T6 = right.U.T @ left.R
    R = T6 + right.R
""")

# A device that computes the leaves of two links has spare processors; these are for the second.
OTHER = {"S": "T9", "T13": "T4", "T16": "α", "a": "T17"}

NOTHING, TWO = Constant(ZERO3), Constant(2.0)


class Span(NamedTuple):
    """Adjacent links as one: their contribution to motion or force, and where it was computed."""

    first: int
    last: int
    level: int
    values: dict
    site: Site


def logarithmic(links):
    """The wiring for a chain on a base at rest, with a free tip."""
    model, operations, leaves, loads, torques = links.model, [], [], [], []
    for i, scope in enumerate(links.scopes):
        site = Site("outward", f"outward {i + 1}", f"outward {i // 2 + 1}", "propagated")
        program, known = one_link(links, i)
        values = wire(program, site, scope | known, operations, OTHER if i % 2 else None)
        leaves.append(Span(i, i, 0, values, site))
    for i, span in enumerate(prefixes(gluing(GLUE_MOTIONS, operations), leaves)):
        moved = wire(
            BODY, span.site._replace(part="body"), links.scopes[i] | span.values, operations
        )
        device = span.site.device.replace("outward", "inward")
        site = Site("inward", f"inward {i + 1}", device, "propagated")
        U = links.scopes[i + 1]["A"] if i + 1 < model.n else Constant(IDENTITY)
        own = {"F": moved["F"], "N": moved["N"], "f": moved["F"], "U": U}
        loads.append(Span(i, i, 0, wire(LOAD, site, links.scopes[i] | own, operations), site))
    for i, span in enumerate(suffixes(gluing(GLUE_LOADS, operations), loads)):
        site = span.site._replace(part="torque")
        done = wire(torque(model, i), site, links.scopes[i] | span.values, operations)
        torques.append(done["τ"])
    return Wiring(operations, torques)


def gluing(program, operations):
    """The operator that combines two spans by a program, each time at a node of its own."""
    nodes = Counter()  # so far, per level

    def glue(left, right):
        level = max(left.level, right.level) + 1
        nodes[level] += 1
        sweep = left.site.sweep
        node = f"{sweep} {left.first + 1}..{right.last + 1}"
        site = Site(sweep, node, f"{sweep} {nodes[level]}", "propagated")
        scope = {"left": left.values, "right": right.values, "two": TWO}
        values = wire(program, site, scope, operations)
        return Span(left.first, right.last, level, values, site)

    return glue


def one_link(links, i):
    """The motion of link i relative to the previous one: a program, and values that need none."""
    scope = links.scopes[i]
    known = {
        "W": scope["A"],
        "R": scope["p"],
        "base": Constant(links.model.base_acceleration.linear),
    }
    if links.model.is_revolute[i]:
        known |= {"ω": scope["rate"], "α": scope["rise"], "Q": NOTHING}
        return TURNING_LINK if i else TURNING_FIRST_LINK, known
    known |= {"ω": NOTHING, "α": NOTHING, "Q": scope["rate"], "S": NOTHING, "a": scope["rise"]}
    return () if i else SLIDING_FIRST_LINK, known
