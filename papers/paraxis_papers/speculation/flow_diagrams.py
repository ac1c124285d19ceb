"""Figures 1 to 5: what waits for what in a time step, drawn from the reads of our recursion."""

from typing import NamedTuple

from paraxis.control import speculate
from paraxis.drawing.page import plot
from paraxis.drawing.svg import Drawing
from paraxis.physics.coupled_newton_euler import BACKWARD, FORWARD
from paraxis.robots import chain

from ..document import Diagram
from .arms import BINDER_HERZOG, EXACT, FIGURE_3

LINKS, MIDDLE = 3, 1  # of the figures; the link whose forward block Figures 4 and 5 show
SYMBOLS = {
    "omega": "ω",
    "omega_dot": "ω̇",
    "alpha": "α",
    "end_acceleration": "a_e",
    "com_acceleration": "a_c",
}
STYLE = """
.flow rect.box { fill: var(--card); stroke: var(--ink); }
.flow rect.band { fill: var(--code); stroke: none; }
.flow line.now { stroke: var(--ink); stroke-width: 1.4; }
.flow line.stale { stroke: var(--c1); stroke-width: 1.4; stroke-dasharray: 4 3; }
.flow path.now { fill: var(--ink); }
.flow path.stale { fill: var(--c1); }
"""
BOX, HIGH, ROW, TOP = 44, 26, 52, 30  # pixels
HEAD = 6  # of an arrow


class Flow(NamedTuple):
    """Boxes in rows, and which read which: of this time step or of the one before."""

    rows: list  # of names, from the top
    now: set  # pairs (read, reader)
    stale: set

    def levels(self):
        """Box -> its time step: after all those it waits for."""
        found, names = {}, [name for row in self.rows for name in row]
        while len(found) < len(names):
            for name in names:
                before = [a for a, b in self.now if b == name]
                if name not in found and all(a in found for a in before):
                    found[name] = 1 + max((found[a] for a in before), default=0)
        return found


def block_flow(policy):
    """Forward and backward blocks, a row for each link."""

    def block(variable, link):
        if variable in FORWARD:
            return f"F{_owner(variable, link) + 1}"
        return f"B{link + 1}" if variable in BACKWARD else None

    rows = [[f"F{i + 1}", f"B{i + 1}"] for i in range(LINKS)]
    return Flow(rows, *_edges(policy, block))


def forward_flow(policy):
    """The forward block of one link."""

    def box(variable, link):
        here = variable in FORWARD and _owner(variable, link) == MIDDLE
        return SYMBOLS[variable] if here else None

    ω, ωd, α, a_e, a_c = SYMBOLS.values()
    return Flow([[ω, α], [ωd, a_e], [a_c]], *_edges(policy, box))


def _owner(variable, link):
    return link - 1 if variable == "end_acceleration" else link


def _edges(policy, box):
    now, stale = set(), set()
    for (variable, link, by, reader), ages in speculate(chain(LINKS), policy).reads.items():
        pair = box(variable, link), box(by, reader)
        if None not in pair and pair[0] != pair[1]:
            (now if ages == (0,) else stale).add(pair)
    return now, stale - now


def flow_diagrams():
    blocks = (
        (1, EXACT, "the conventional algorithm"),
        (2, BINDER_HERZOG, "Binder and Herzog's"),
        (3, FIGURE_3, "Hamilton's, and Yamakita's"),
    )
    inside = ((4, BINDER_HERZOG, "Binder and Herzog's"), (5, FIGURE_3, "Hamilton's"))
    return [
        *(_diagram(k, f"{name}, {LINKS} links", block_flow(policy)) for k, policy, name in blocks),
        *(
            _diagram(k, f"the forward block of a link, {name}", forward_flow(policy))
            for k, policy, name in inside
        ),
    ]


def _diagram(number, what, flow):
    levels = flow.levels()
    lead = (
        f"Drawn from the reads of our recursion: {max(levels.values())} "
        f"step{'s' * (max(levels.values()) > 1)}. Solid: a value of this control step; dashed: of "
        "the one before."
    )
    text = [
        f"{step}: {'  '.join(name for name, level in levels.items() if level == step)}"
        for step in range(1, max(levels.values()) + 1)
    ]
    for words, pairs in (("waits", flow.now), ("stale", flow.stale)):
        if pairs:
            text.append(f"{words}: " + ", ".join(f"{a} → {b}" for a, b in sorted(pairs)))
    drawn = f'<div class="flow">{plot(_draw, flow)}</div>'
    return Diagram(f"Figure {number}: {what}", lead, drawn, STYLE, "\n".join(text))


def _draw(flow, width):
    levels = flow.levels()
    steps, across = max(levels.values()), max(map(len, flow.rows))
    drawing = Drawing(width, TOP + ROW * len(flow.rows), "flow of values")
    band = width / steps
    at = {}
    for step in range(steps):
        drawing.add(
            "rect", x=step * band + 2, y=0, width=band - 4, height=drawing.height, kind="band"
        )
        drawing.text((step + 0.5) * band, 18, f"{step + 1}", anchor="middle")
    for r, row in enumerate(flow.rows):
        for c, name in enumerate(row):
            shared = sum(levels[other] == levels[name] for other in row) > 1
            place = (c + 1) / (across + 1) if shared else 0.5
            at[name] = (levels[name] - 1 + place) * band, TOP + (r + 0.5) * ROW
    for kind, pairs in (("stale", flow.stale), ("now", flow.now)):
        for a, b in sorted(pairs):
            _arrow(drawing, at[a], at[b], kind)
    size = min(BOX, band / (across + 1))
    for name, (x, y) in at.items():
        drawing.add(
            "rect", x=x - size / 2, y=y - HIGH / 2, width=size, height=HIGH, rx=5, kind="box"
        )
        drawing.text(x, y + 5, name, anchor="middle")
    return drawing


def _arrow(drawing, start, end, kind):
    """From box to box; where they are above each other, beside the middle, by direction."""
    (x1, y1), (x2, y2) = start, end
    if abs(x2 - x1) < 1:
        down = 1 if y2 > y1 else -1
        x1 = x2 = x1 + 8 * down
        y1, y2 = y1 + down * HIGH / 2, y2 - down * HIGH / 2
        tip = f"M{x2},{y2} l-4,{-down * HEAD} h8 z"
    else:
        right = 1 if x2 > x1 else -1
        x1, x2 = x1 + right * BOX / 2, x2 - right * BOX / 2
        tip = f"M{x2:.1f},{y2:.1f} l{-right * HEAD},-4 v8 z"
    drawing.line(x1, y1, x2, y2, kind)
    drawing.add("path", d=tip, kind=kind)
