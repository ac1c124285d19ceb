"""The report `systolic`: arrays of matrix-vector processors beside what Lathrop prints."""

from ..document import Report
from .chip import chip_table, gates_table
from .claims import claims
from .formulations import comparison
from .growth import figures, growth
from .limits import limits
from .sliding import sliding
from .table_6 import table_6
from .times import times

TITLE = "Systolic arrays beside Lathrop's"
LEAD = (
    "Lathrop sketches machines for inverse dynamics, made of processors that each do one operation "
    "on vectors. Here they are built operation by operation from his Tables 4 and 5, for chains of "
    "revolute joints unless sliding ones are named, and simulated flop by flop; and as hardware, "
    "clock by clock and bit by bit."
)
RULE = (
    "A flop is a multiplication or an addition of all coordinates at once. Inputs are rotations, "
    "z q̇ and z q̈ of all links, at the same time; torques of a state leave together. Each number "
    "under measured comes from an array that is built, and timed or run, when the report is made "
    "(but gates and simulations of hardware, which benchmarks wrote down); "
    "the formula in a note is fitted by hand, and tested."
)
QUOTED = ("Hollerbach 1980",)


def systolic():
    """The report."""
    tables = [
        table_6(),
        times(),
        sliding(),
        limits(),
        growth(),
        comparison(),
        chip_table(),
        gates_table(),
    ]
    return Report("systolic", TITLE, LEAD, claims(), [*tables, *figures()], RULE, QUOTED)
