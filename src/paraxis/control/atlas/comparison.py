"""A chart of the safe periods of all policies of an atlas."""

import numpy as np

from ...drawing.axes import LogAxis, number_text
from ...drawing.svg import LINE, Drawing
from .summary import edge_text, usual_row

ROW, BOTTOM, RIGHT = 30, 44, 18  # pixels: per policy, of the axis, of the margin
NAMES = {True: 230, False: 0}  # pixels for the names of policies; on narrow screens they are above


def draw(atlas, width):
    """One row per policy: a bar up to the predicted period, a dot at the last stable simulation."""
    axis, row, where = usual_row(atlas)
    wide = width > 500
    left, step = NAMES[wide], ROW if wide else ROW + LINE
    drawing = Drawing(
        width, LINE + 12 + step * len(atlas.policies) + BOTTOM, f"Safe periods at {where}"
    )
    drawing.legend([("c1", "predicted"), ("c2", "runs held up to")])
    top, floor = LINE + 12, LINE + 12 + step * len(atlas.policies)
    low, high = 1e3 * atlas.periods[0], 1e3 * atlas.periods[-1]
    x = LogAxis([low, high], left + 8, width - RIGHT, most=9)
    for tick in x.ticks:
        drawing.line(x(tick), top, x(tick), floor, "grid")
        drawing.text(x(tick), floor + 18, number_text(tick), "tick", "middle")
    drawing.text((left + width) / 2, floor + 38, "largest safe period (ms)", "unit", "middle")

    def place(period):  # clipped to the map
        return x(min(max(1e3 * period, low), high))

    for k, policy in enumerate(atlas.policies):
        y = top + step * k + (0 if wide else LINE - 6)
        found = atlas[policy, axis]
        predicted, held = found.boundary[row], found.held_up_to[row]
        drawing.text(0, y + (19 if wide else 0), policy, "group")
        title = f"{policy}: predicted {edge_text(predicted, found.periods)} ms"
        length = max(place(predicted) - x.start, 1.0) if predicted else 0.0
        if length:
            drawing.add(
                "rect", title=title, x=x.start, y=y + 7, width=length, height=16, rx=4,
                kind="fill c1",
            )  # fmt: skip
        if held and np.isfinite(held):
            title = f"{policy}: runs held up to {edge_text(held, found.periods)} ms"
            drawing.add("circle", title=title, cx=place(held), cy=y + 15, r=6, kind="dot c2")
        elif held:
            drawing.text(width - RIGHT - 4, y + 20, "beyond", "tick", "end")
        if not length and not held:
            drawing.text(x.start + 4, y + 20, f"below {number_text(float(low))} ms", "tick")
    drawing.line(x.start, floor, width - RIGHT, floor, "axis")
    return drawing
