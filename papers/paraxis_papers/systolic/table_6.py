"""Lathrop's Table 6: matrix-vector processors, six joints."""

from paraxis.parallel.systolic.linear import BODY, INWARD, TURNING, TURNING_TORQUE
from paraxis.parallel.systolic.logarithmic import GLUE_LOADS, GLUE_MOTIONS, LOAD, TURNING_LINK
from paraxis.parallel.systolic.node_program import processors

from ..document import Row, Table
from ..printed import printed
from .arrays import LINKS, PAPER, array

LEAD = (
    "How many matrix-vector processors the arrays need for six revolute joints. He makes all nodes "
    "alike; what is needed leaves out operations on which no torque depends."
)
CONVENTIONS = (
    "A processor does one operator: a vector sum VA, a cross product VC, a multiple SV, a matrix "
    "times a vector MV. A product of two rotations is three MV.",
    "In brackets the operators of each result with its partial ones; c is the acceleration of the "
    "centre of mass, U the rotation to the next span (his W from a+1 to k+1).",
    "The base is at rest and no element of its own: gravity comes in at the first link.",
)
READINGS = (
    "; n as Table 5 writes it, W (n + R × f), would take VA + MV + VA from node to node, so W n "
    "and W (R × f) are made apart; with Aᵀ R at every node (here at leaves only) and no τ it is "
    "as many"
)


def table_6():
    """Processors of a node, of one device or tier, and of a whole array."""
    outward, inward = TURNING + BODY, INWARD
    glue, load = GLUE_MOTIONS + BODY, GLUE_LOADS + TURNING_TORQUE
    rows = [
        _row("linear outward", "node", processors(outward), made_of(outward)),
        _row("linear outward", "single_device", needed("linear", "single_device", "outward")),
        _row("linear outward", "systolic", needed("linear", "systolic", "outward")),
        _row("linear inward", "node", processors(inward), made_of(inward)),
        _row("linear inward", "single_device", needed("linear", "single_device", "inward")),
        _row("linear inward", "systolic", LINKS * processors(inward), f"{LINKS} nodes alike"),
        Row(
            PAPER,
            "linear inward, systolic: what is needed",
            None,
            needed("linear", "systolic", "inward"),
            "all but f of the first link, on which no torque depends",
        ),
        Row(
            PAPER,
            "linear: torques, systolic",
            None,
            needed("linear", "systolic", "inward", torques=True),
            "n · z, not in Table 4",
        ),
        *_logarithmic("outward", glue, made_of(glue)),
        *_logarithmic("inward", load, made_of(load) + READINGS),
    ]
    return Table("Lathrop, Table 6: matrix-vector processors, six joints", LEAD, rows, CONVENTIONS)


def _logarithmic(sweep, program, note):
    kind, size = f"logarithmic {sweep}", processors(program)
    operations = array("logarithmic", "systolic").wiring.operations
    here = [each.site for each in operations if each.site.sweep == sweep]
    nodes, devices = len({site.node for site in here}), len({site.device for site in here})
    leaves = len({site.node for site in here if ".." not in site.node})
    tier, whole = (_everything(sweep, machine) for machine in ("single_device", "systolic"))
    why = {
        "outward": "of spans that begin with the first link only ω, α, a are needed, at a leaf "
        f"{processors(TURNING_LINK)}",
        "inward": "of spans that end with the last link only f, n are needed, at a leaf "
        f"{processors(LOAD)} at most",
    }
    return [
        _row(kind, "node", size, note),
        _row(kind, "tier", devices * size, f"{devices} nodes alike"),
        _row(
            kind,
            "systolic",
            nodes * size,
            f"{nodes} nodes alike: {nodes - leaves} that glue, {leaves} leaves",
        ),
        Row(PAPER, f"{kind}, tier: what is needed", None, tier, "used again for all levels"),
        Row(PAPER, f"{kind}, systolic: what is needed", None, whole, why[sweep]),
    ]


def _row(kind, machine, measured, note=""):
    label = {"node": "a node", "single_device": "single device"}.get(machine, machine)
    return Row(
        PAPER, f"{kind}, {label}", printed("lathrop")["table_6"][kind][machine], measured, note
    )


def needed(form, machine, sweep, torques=False):
    """The processors of one sweep of an array; those of the torques apart."""
    return sum(
        count
        for (place, part), count in array(form, machine, LINKS).processors_of.items()
        if place.startswith(sweep) and (part == "torque") == torques
    )


def _everything(sweep, machine):
    return sum(needed("logarithmic", machine, sweep, torques) for torques in (False, True))


def made_of(program):
    """The operators of each result of a program, its partial results T1, T2, ... counted to it."""
    found, open_ = [], 0
    for step in program:
        open_ += step.operator.processors
        if not step.result.startswith("T"):
            found.append(f"{step.result} {open_}")
            open_ = 0
    return f"({', '.join(found)})"
