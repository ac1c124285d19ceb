"""Control laws of a live page: computed torque with exact or stale data, and when each is safe."""

from functools import partial

from .. import api
from ..control.controller import computed_torque
from ..control.safe_periods import safe_period
from ..control.speculation import speculate
from ..errors import ParaxisError

POLICIES = {  # name -> what a person reads
    "exact": "Exact inverse dynamics",
    "binder_herzog": "Stale data: Binder and Herzog",
    "hamilton": "Stale data: Hamilton",
}
FREQUENCIES = (2.0, 4.0, 8.0, 16.0)  # rad/s, of errors: stiffnesses that a page offers
SHORTEST = 1e-4  # s: of the periods that are examined
DAMPING = 1.0  # of errors: 1 is critical


def laws(robot, home):
    """(list of what a page shows of each law, notes on those that are left out)."""
    found, notes = [], []
    for policy, words in POLICIES.items():
        try:
            found.append(_law(robot, policy, words, home))
        except ParaxisError as error:
            notes.append(f"{words} is not offered for this robot: {error}")
    return found, notes


def _law(robot, policy, words, home):
    if policy == "exact":
        program, carry = api.program(robot, "inverse_dynamics"), {}
    else:
        program = speculate(robot, policy)
        carry = program.carry
    return {
        "policy": policy,
        "words": words,
        "program": program,
        "carry": carry,
        "safe": list(map(partial(_safe, robot, policy, home), FREQUENCIES)),
    }


def _safe(robot, policy, home, frequency):
    """The longest stable sampling period at the posture, s; None where it is not known."""
    gains = {"kp": frequency**2, "kd": 2.0 * DAMPING * frequency}
    try:
        controller = computed_torque(robot, **gains, policy=policy)
        period = safe_period(robot, controller, home, shortest=SHORTEST).period
    except ParaxisError:
        return None
    return None if period is None else float(period)
