"""A comparison of the policies of an atlas, in the row that all its maps share."""

from typing import NamedTuple

import numpy as np

from ...drawing.axes import number_text

USUAL = {"speed": 1.0, "gain": 1.0, "payload": 0.0}
HEADS = ("policy", "predicted, ms", "held up to, ms", "as predicted")


class UsualRow(NamedTuple):
    axis: str
    row: int
    words: str


def usual_row(atlas):
    """The row of the first axis that is nearest to the values used in the other maps."""
    axis, values = next(iter(atlas.axes.items()))
    row = int(np.argmin(np.abs(values - USUAL[axis])))
    return UsualRow(axis, row, f"{axis} {number_text(float(values[row]))}")


def summary(atlas):
    """Rows under HEADS: the predicted and simulated safe periods, and the agreement of cells."""
    axis, row, _ = usual_row(atlas)
    lines = []
    for policy in atlas.policies:
        found = atlas[policy, axis]
        edges = (edge_text(each[row], found.periods) for each in (found.boundary, found.held_up_to))
        share = np.mean([atlas[policy, other].agreement for other in atlas.axes])
        lines.append((policy, *edges, f"{share:.1%}"))
    return lines


def why_more_may_hold(atlas):
    """Why simulated runs may stay bounded where the prediction says that they are unstable."""
    apart = (atlas.periods[1:] / atlas.periods[:-1]).max(initial=1.0) - 1
    return (
        "Held up to: the last simulated period before the first with a diverged run. It may be "
        f"above the prediction: simulated periods are {apart:.0%} apart, and errors that grow "
        f"slowly may not reach the bound within a run of {atlas.duration:g} s."
    )


def edge_text(period, periods):
    """The period in milliseconds, or a bound if it is beyond the map."""
    if period == 0:
        return f"below {digits(1e3 * periods[0])}"
    return f"above {digits(1e3 * periods[-1])}" if np.isinf(period) else digits(1e3 * period)


def digits(value, count=3):
    return f"{value:.{count}g}"
