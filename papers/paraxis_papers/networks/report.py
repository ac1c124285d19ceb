"""The report `networks`: recurrences on several processors, and the networks between these."""

from ..document import Report
from .homogeneous import homogeneous_figure, homogeneous_table
from .inverse_dynamics import doubling_table, p_fold_figure, p_fold_table
from .plans import plan_table
from .steps import step_figure, step_table
from .traffic import network_figure, network_tables
from .verdicts import verdicts

TITLE = "Recurrences on several processors"
LEAD = (
    "In base coordinates inverse dynamics is six recurrences x(i) = x(i−1) ∘ a(i), one of "
    "rotations and five of sums, and equations that every joint has for itself. How long do "
    "recurrences take on p processors, and what do these have to tell each other meanwhile?"
)
RULE = (
    "A pair is multiplications + additions, one after another on the busiest processor at each "
    "step. Orders are run on values; their results are those of inverse dynamics. Each number "
    "under measured is found when the report is made; formulas in notes are fitted by hand, and "
    "tested."
)


def networks():
    """The report."""
    tables = [doubling_table(), step_table(), p_fold_table(), homogeneous_table()]
    tables += [plan_table(), *network_tables()]
    figures = [step_figure(), p_fold_figure(), homogeneous_figure(), network_figure()]
    return Report("networks", TITLE, LEAD, verdicts(), [*tables, *figures], RULE)
