"""How many digits the algorithms of forward dynamics keep, beside extended precision."""

import numpy as np

from paraxis.physics import ALGORITHMS
from paraxis.robots.model import Model

from ..document import Row, Table
from .chains import robot_of
from .forward_costs import BEST, KINDS, LENGTHS

LINKS, STATES = 48, 4
RECURSIONS = ALGORITHMS["forward_dynamics"]
LEAD = (
    f"Chains of {LINKS} links, the worst of {STATES} states: max|Δ| / max(1, max|reference|). The "
    "reference is `articulated_body` itself in NumPy's long double, on the same text. Elimination "
    "in rounds loses about a digit to elimination along the chain; all lose some to articulated "
    "bodies, as they divide by all that holds a joint, not by what turns it."
)


def errors(kind):
    """algorithm -> the largest error over some states."""
    model, found = Model(robot_of(kind, LINKS)), dict.fromkeys(LENGTHS, 0.0)
    for state in np.random.default_rng(1994).uniform(-1, 1, (STATES, 3, LINKS)):
        wide = state.astype(np.longdouble)
        exact = np.array(RECURSIONS[BEST](model, *map(list, wide)))
        for algorithm in found:
            result = np.array(RECURSIONS[algorithm](model, *state.tolist()), np.longdouble)
            error = float(abs(result - exact).max() / max(1, abs(exact).max()))
            found[algorithm] = max(found[algorithm], error)
    return found


def accuracy_table():
    rows = []
    for kind in KINDS:
        for algorithm, error in errors(kind).items():
            one_digit = float(f"{error:.0e}")
            rows.append(Row("Paraxis", f"{kind}, {algorithm}", None, one_digit, ""))
    return Table("Forward dynamics: digits", LEAD, rows)
