"""Nigam and Lee's pipelines: whole sets of torques, several steps late."""

from functools import cache

import numpy as np

from paraxis.control import policy, safe_period

from ..document import Row, Table
from .arms import EXACT, PLANAR, arm, control, rounded
from .figures_6_and_7 import share
from .motions import postures
from .switched_runs import PERIODS, lost

PAPER = "Nigam 1985"
STAGES = (1, 2, 3, 4)
POSTURES, FREQUENCY = 6, 10.0  # critically damped


def pipeline(stages):
    """The policy: of one stage it is exact control, and of two those of other tables."""
    return {1: EXACT, 2: "pipelined"}.get(stages) or policy("pipelined", stages=stages)


@cache
def safe(stages):
    """The median safe period x natural frequency."""
    law = control(PLANAR, pipeline(stages), FREQUENCY)
    each = [safe_period(arm(PLANAR), law, q).period for q in postures(PLANAR, POSTURES)]
    return float(np.median(each)) * FREQUENCY


def pipeline_table():
    rows = []
    for stages in STAGES:
        by_period = ", ".join(
            f"{period * 1e3:g} ms: {each.mean():.0%}"
            for period, each in zip(PERIODS, lost(pipeline(stages)), strict=True)
        )
        gone = share(lost(pipeline(stages)))
        rows.append(Row(PAPER, f"m = {stages}, share lost", None, gone, by_period))
        note = f"period × natural frequency; {rounded(stages * safe(stages)):g} for m periods"
        rows.append(Row(PAPER, f"m = {stages}, safe", None, rounded(safe(stages)), note))
    lead = (
        "Torques computed exactly in m stages are applied m − 1 samples late. The runs of the "
        "planar arm that are exact until 1.57 s, and the largest safe period at frozen postures. "
        "Late by a sample or three, exact torques are far safer than torques of mixed age."
    )
    return Table("Pipelines", lead, rows)
