"""Lagrange's equations on the same machine: more hardware for the same times?"""

from functools import cache

from paraxis.parallel import systolic_array
from paraxis.parallel.systolic import lagrangian, linear
from paraxis.parallel.systolic.node_program import processors
from paraxis.robots import chain

from ..document import Row, Table, text_of
from .arrays import PAPER, SIZES, array

LEAD = (
    "The paper considers both formulations, prints one, and says of the other only that it attains "
    "essentially the same time bounds using substantially more hardware. Here Hollerbach's "
    "recursion of Lagrange's equations on 3×3 matrices, the best serial one, is built of the same "
    "processors; gravity comes in as a rising base in both."
)
CONVENTIONS = (
    "Matrices are sums and products of three vectors, so three processors each. Their entries come "
    "in with the state: rotations, and rates and accelerations as matrices of vector products.",
)


@cache
def lagrange(n):
    return systolic_array(chain(n), "lagrangian")


def comparison():
    """The table."""
    out = linear.TURNING + linear.BODY
    lagrangian_out = lagrangian.TURNING + lagrangian.BODY
    rows = [
        _row("processors of an outward node", processors(out), processors(lagrangian_out)),
        _row(
            "processors of an inward node, without torques",
            processors(linear.INWARD),
            processors(lagrangian.INWARD),
        ),
    ]
    for n in SIZES:
        newton = array("linear", "systolic", n)
        rows += [
            _row(f"latency, n = {n}", newton.latency, lagrange(n).latency),
            _row(f"processors, n = {n}", newton.processors, lagrange(n).processors),
            _row(f"words in buffers, n = {n}", newton.buffers, lagrange(n).buffers),
        ]
    return Table("Lagrange's equations", LEAD, rows, CONVENTIONS)


def _row(quantity, newton, found):
    return Row(
        PAPER,
        quantity,
        None,
        found,
        f"Newton-Euler: {text_of(newton)}, {found / newton:.2f} times",
    )
