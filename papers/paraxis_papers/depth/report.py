"""The report `depth`: times on unlimited processors beside those the papers print."""

from paraxis.drawing.figure import Figure

from ..document import Report
from . import algorithms, lathrop
from .claims import claims

TITLE = "Depth: the time with a processor for every operation"
LEAD = (
    "Lathrop counts the multiplications and additions that must wait for one another. Here his "
    "recursions and all algorithms are traced on chains of which every number is an input, and the "
    "longest path of the graph is measured: with sums as they are written, and with sums as "
    "balanced trees, in which what arrives last is added last."
)
RULE = (
    "A pair is multiplications + additions on the longest path; a flop is either. Rotations are "
    "given as matrices, so no sine is waited for. Subtractions are additions; sign changes are "
    "free. A sum is re-associated where its parts have no other use: no operation is done twice. "
    "Each number under measured is counted when the report is made."
)


def depth():
    """The report."""
    inverse = algorithms.measured("inverse_dynamics")
    tables = [
        lathrop.linear(),
        lathrop.times(),
        lathrop.logarithmic(),
        algorithms.inverse(inverse),
        algorithms.forward(algorithms.measured("forward_dynamics")),
    ]
    figures = (
        Figure(
            "Lathrop's recursions",
            "Flops that wait for one another; dashed what is printed.",
            "links",
            "flops",
            lathrop.curves(),
            dashed=("equation 5", "equation 17"),
            log="xy",
        ),
        Figure(
            "The algorithms here, sums balanced",
            "Inverse dynamics of a chain of which every number is given.",
            "links",
            "flops",
            algorithms.curves(inverse),
        ),
    )
    return Report("depth", TITLE, LEAD, claims(), [*tables, *figures], RULE)
