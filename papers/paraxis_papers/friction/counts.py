"""Dhanaraj's Table 3.3: what friction adds to the operations of a joint."""

import ast
from types import SimpleNamespace

from paraxis.graph.trace import trace
from paraxis.parallel.streamlined.friction_steps import at_motor, journal, linear, thrust
from paraxis.passes.count import count
from paraxis.robots import Transmission
from paraxis.spatial import Vector

from ..document import Row, Table
from ..printed import printed

PAPER = "Dhanaraj 1990"

# Table 3.1, signs as printed, and a case of Table 3.2 with the efficiency in it.
JOURNAL = """mu*r/d * (sqrt((0.5*d*fx - ny)**2 + (0.5*d*fy - nx)**2)
                     + sqrt((0.5*d*fx + ny)**2 + (0.5*d*fy + nx)**2))"""
LINEAR = """mu/d * (abs(0.5*d*fx - ny) + abs(0.5*d*fy - nx)
                   + abs(0.5*d*fx + ny) + abs(0.5*d*fy + nx))"""
GEARED = {
    "linear": "torque / (c1*torque + c0) + break_away",
    "cubic": "x = torque/rated; torque / (((c3*x + c2)*x + c1)*x + c0) + break_away",
}
CURVE = ((0.0, 0.3), (0.1, 0.5), (0.4, 0.8), (1.0, 0.9))  # no entry is special: none is saved
DRIVE = {
    each: Transmission(50.0, CURVE, each, break_away=2.0, rated_torque=60.0) for each in GEARED
}

LEAD = (
    "What friction adds to a joint, multiplications + additions. As written: every operation of "
    "the printed equations. Traced: every value made once, as streamlined subtasks do; of a "
    "bearing the coefficient, radius and length are inputs, of a transmission all numbers are "
    "constants."
)
CONVENTIONS = (
    "A quotient or a square counts as a multiplication. Square roots, absolute values, signs and "
    "choices are not counted there, nor here; notes tell of roots.",
    "Reactions are given: what it takes to have them where no torque needed them is not counted.",
)


def table_3_3():
    """The table, and what tracing leaves of its rows."""
    return Table("Dhanaraj, Table 3.3", LEAD, [*_as_written(), *_sums(), *_traced()], CONVENTIONS)


def _as_written():
    told = printed("dhanaraj")["table_3_3"]
    yield _row(
        "revolute joint, journal bearing: as written",
        told["revolute"]["joint"],
        written(JOURNAL),
        "two additions short there: as many as there are sums under roots",
    )
    yield _row(
        "prismatic joint, linear bearing: as written",
        told["prismatic"]["joint"],
        written(LINEAR),
        "met: half the length is multiplied anew for each of the four",
    )
    gears = told["revolute"]["transmission"]
    note = "met if the table is over the torque itself"
    yield _row("transmission, linear: as written", gears["linear"], written(GEARED["linear"]), note)
    note = "met if the load is found as a fraction of the rated torque, as it is not for the line"
    yield _row("transmission, cubic: as written", gears["cubic"], written(GEARED["cubic"]), note)


def _sums():
    for kind, told in printed("dhanaraj")["table_3_3"].items():
        for curve, total in told["total"].items():
            parts = told["frictionless"], told["joint"], told["transmission"][curve]
            found = [sum(numbers) for numbers in zip(*parts, strict=True)]
            note = "the printed parts, added"
            yield _row(f"{kind} joint, {curve} transmission: total", total, found, note)


def _traced():
    told = printed("dhanaraj")["table_3_3"]
    rows = (
        ("revolute joint, journal bearing", told["revolute"]["joint"], journal),
        ("prismatic joint, linear bearing", told["prismatic"]["joint"], linear),
        ("revolute joint, thrust bearing", None, thrust),
    )
    for what, pair, bearing in rows:
        found = bearing_count(bearing)
        roots = f"; and {found.sqrt} roots" if found.sqrt else ""
        note = f"the levers of f_x and f_y are made once{roots}" if pair else "is not printed"
        yield _row(f"{what}: traced", pair, _pair(found), note)
    for curve, pair in told["revolute"]["transmission"].items():
        note = (
            "a straight line of operations has both τ/η and τη to choose from, and divides by the "
            "ratio; the load is a fraction, and the curve starts at a row of the table"
        )
        yield _row(f"transmission, {curve}: traced", pair, _pair(motor_count(DRIVE[curve])), note)


def written(equation):
    """Multiplications and additions as they stand there."""
    done = [part.op for part in ast.walk(ast.parse(equation)) if isinstance(part, ast.BinOp)]
    additions = sum(isinstance(op, (ast.Add, ast.Sub)) for op in done)
    return [len(done) - additions, additions]


def bearing_count(bearing):
    """The operations of a bearing whose numbers are inputs, given what its joint transmits."""

    def run(f, n, coefficient, radius, length):
        sizes = SimpleNamespace(coefficient=coefficient, radius=radius, length=length)
        factor, loads = bearing(sizes, Vector(*f), Vector(*n), _no_step)
        return sum(loads) * factor

    shapes = {"f": (3,), "n": (3,), "coefficient": (), "radius": (), "length": ()}
    return count(trace(run, shapes))


def motor_count(transmission):
    """The operations from the torque at the joint to that of the motor."""

    def run(torque, direction):
        return at_motor(transmission, torque, direction, _no_step)

    return count(trace(run, {"torque": (), "direction": ()}))


def _no_step(extra):
    """Whole bearings are counted here, not their subtasks."""


def _pair(found):
    return [found.mul + found.div, found.add]


def _row(quantity, told, measured, note):
    return Row(PAPER if told else "Paraxis", quantity, told, measured, note)
