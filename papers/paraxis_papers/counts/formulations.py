"""What each formulation of inverse dynamics costs here: plain, general and for one robot."""

from functools import cache

from paraxis import Robot, program
from paraxis.physics import INVERSE_DYNAMICS

from ..document import Row, Table
from .arms import puma
from .plain_count import general_chain, plain_count
from .polynomial import fitted, formula

LINKS = 6
# The inputs of the general robot; the twists α of its joints stay constants.
GENERAL = ("mass", "com", "inertia", "origin", "gravity")
DEGREES = {"lagrange_closed_form": 4, "closed_sums_newton_euler": 2}  # of the plain count

LEAD = (
    "Every formulation on a chain of six revolute joints, in three ways. Plain: the equations as "
    "written, on whole 3×3 rotations that are given. Shared: traced, every value made once, for a "
    "general arm whose masses, centres of mass, inertias, lengths and gravity are inputs; turns by "
    "α and θ one after another, and first moments and inertias about the frame's origin made at "
    "run time where an algorithm wants them. Customised: traced for the PUMA 560 of the thesis."
)


@cache
def plain(algorithm, links):
    """The plain count for a general chain of revolute joints."""
    ledger, _ = plain_count(INVERSE_DYNAMICS[algorithm], general_chain(["revolute"] * links))
    return ledger.total()


@cache
def plain_polynomials(algorithm, degree):
    """Multiplications and additions as polynomials in the number of links, from three on."""
    works = [plain(algorithm, n) for n in range(3, degree + 5)]
    return [fitted(values, 3) for values in zip(*(work.pair for work in works), strict=True)]


def count_of(robot, algorithm=None, parameters=()):
    """Multiplications and additions of a Program."""
    count = program(robot, algorithm=algorithm, parameters=parameters).count()
    return [count.mul, count.add]


def general_arm():
    """Six revolute joints with general Denavit-Hartenberg rows."""
    rows = [(0.3 + 0.1 * i, 0.5 + 0.1 * i, 0.2 + 0.1 * i, 0.0) for i in range(LINKS)]
    link = (1.5, (0.1, 0.2, 0.3), (1.1, 1.2, 1.3, 0.11, 0.12, 0.13))
    return Robot.from_dh(rows, [link] * LINKS, name="general", warn=False)


def formulations():
    """The table of all formulations."""
    chain, arm = general_arm(), puma(LINKS)
    rows = []
    for name in INVERSE_DYNAMICS:
        rows += [
            _row(f"{name}, plain", plain(name, LINKS).pair, _growth(name)),
            _row(f"{name}, shared", count_of(chain, name, GENERAL), ""),
            _row(f"{name}, customised", count_of(arm, name), ""),
        ]
    chosen = "the cheapest over algorithms and over equivalent body frames and masses"
    rows.append(_row("chosen, customised", count_of(arm), chosen))
    return Table("The formulations here", LEAD, rows)


def _row(quantity, measured, note):
    return Row("Paraxis", quantity, None, measured, note)


def _growth(name):
    """How the plain count grows with the number of links."""
    if name == "logarithmic_newton_euler":
        return "grows as n log n; what it saves is depth"
    degree = DEGREES.get(name, 1)
    mul, add = plain_polynomials(name, degree)
    return f"{formula(mul)} and {formula(add)}"
