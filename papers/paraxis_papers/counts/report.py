"""The report `counts`: operation counts beside those the papers print."""

from ..document import Report
from .dhanaraj import table_2_9, table_2_10
from .dhanaraj_programs import printed_programs
from .figure_2_9 import figure_2_9
from .formulations import formulations
from .generation import generation
from .lathrop import luh_walker_paul_steps, table_1
from .lee_chang import totals
from .verdicts import verdicts

TITLE = "Operation counts beside those of the papers"
LEAD = (
    "Three papers compare formulations of inverse dynamics by their multiplications and additions. "
    "Here each formulation is one short file; running it on numbers that count gives its plain "
    "cost, tracing it the cost of what is left when values are shared and the robot is known."
)
RULE = (
    "A pair is multiplications + additions. Subtractions are additions; sign changes are free; "
    "sines and cosines of the joint angles are given; a dash stands where nothing is printed or "
    "nothing can be measured. No measured count is written down anywhere: each is found when "
    "the report is made. Times were measured once, and say so."
)
QUOTED = (  # in Lathrop's Table 1
    "Uicker 1965",
    "Kahn 1969",
    "Raibert and Horn 1978",
    "Waters 1979",
    "Hollerbach 1980",
    "Luh, Walker and Paul 1980",
    "Luh and Lin 1982",
)


def counts():
    """The report."""
    tables = [
        table_1(),
        luh_walker_paul_steps(),
        *table_2_9(),
        table_2_10(),
        printed_programs(),
        generation(),
        totals(),
        formulations(),
    ]
    rows = [row for table in tables for row in table.rows]
    parts = [*tables, figure_2_9()]
    return Report("counts", TITLE, LEAD, verdicts(rows), parts, RULE, QUOTED)
