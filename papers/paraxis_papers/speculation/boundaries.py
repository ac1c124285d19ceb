"""Boundaries that linear theory predicts beside those that simulation finds."""

from functools import cache
from typing import NamedTuple

from paraxis.control import safe_period, simulated_safe_period

from ..document import Row, Table
from .arms import DISTINCT, PLANAR, arm, control, rounded

CASES = (  # posture, natural frequency, damping ratio
    ((0.3, 0.4, 0.5), 10.0, 1.0),
    ((-0.8, 1.2, -0.6), 20.0, 0.7),
)
ASKED = 0.05  # of the period: so near the two are to be
AROUND = 1 + 1.2 * ASKED  # times shorter and longer: the periods that are simulated
DECAYS = 30.0  # how long runs are followed, in time constants of the gains
PLANT_STEP = 5e-3  # s


class Boundary(NamedTuple):
    predicted: float
    simulated: float  # 0 where none was found

    @property
    def off(self):
        """By what share simulation differs."""
        return self.simulated / self.predicted - 1


@cache
def boundary(policy, case):
    posture, frequency, damping = case
    law = control(PLANAR, policy, frequency, damping)
    safe = safe_period(arm(PLANAR), law, posture)
    simulated = simulated_safe_period(
        arm(PLANAR),
        law,
        posture,
        shortest=safe.period / AROUND,
        longest=safe.period * AROUND,
        duration=DECAYS / frequency,
        plant_step=PLANT_STEP,
    )
    return Boundary(safe.period, simulated.period or 0.0)


def boundary_table():
    rows = []
    for policy in DISTINCT:
        for case in CASES:
            found = boundary(policy, case)
            posture, frequency, damping = case
            where = ", ".join(f"{q:g}" for q in posture)
            note = (
                f"{_ms(found.simulated)} ms simulated, {_ms(found.predicted)} ms predicted; "
                f"posture {where}, natural frequency {frequency:g} 1/s, damping ratio {damping:g}"
            )
            rows.append(Row("Paraxis", f"{policy}, off by", None, round(found.off, 2) + 0.0, note))
    lead = (
        "The largest period at which runs of the planar arm that begin 1e-6 rad apart come "
        "together, over what the spectral radius of the linear loop predicts, less 1."
    )
    return Table("Boundaries, predicted and simulated", lead, rows)


def _ms(seconds):
    return f"{rounded(seconds * 1e3, 3):g}"
