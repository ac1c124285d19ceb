"""The report `friction`: Chapter 3 of Dhanaraj's thesis beside what is found here."""

from ..document import Report
from .counts import table_3_3
from .drive import figure_3_4, figure_3_5
from .levels import levels_with_friction
from .profiles import along_the_line, figures
from .table_3_5 import identities, states_table, table_3_5
from .verdicts import verdicts

TITLE = "Friction beside Dhanaraj's"
LEAD = (
    "Chapter 3 of the thesis finds what bearings and harmonic drives take from a PUMA 560 whose "
    "first three links move the wrist along a straight line. The line, masses and friction "
    "parameters are printed; the velocity profile, the length of the bearings and the efficiency "
    "curve are not."
)
RULE = (
    "Friction has the sign of motion: what the drive must supply in addition. Every measured "
    "number is computed when the report is made; a number that was found from a printed one says "
    "so."
)


def friction():
    """The report."""
    case = [states_table(), table_3_5(), identities(), along_the_line()]
    drive = [figure_3_4(), figure_3_5()]
    parts = [*case, table_3_3(), levels_with_friction(), *drive, *figures()]
    return Report("friction", TITLE, LEAD, verdicts(), parts, RULE)
