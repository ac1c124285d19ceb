"""The report on Lathrop's arrays of processors."""

import math

import paraxis_papers
import pytest
from paraxis_papers.systolic import chip


@pytest.fixture(scope="module")
def report():
    return paraxis_papers.report("systolic")


def test_table_6_is_met(report):
    rows = [row for row in report.tables[0].rows if row.printed is not None]
    assert len(rows) == 12
    assert all(row.measured == row.printed for row in rows)
    needed = {row.quantity: row.measured for row in report.tables[0].rows if row.printed is None}
    assert needed["linear inward, systolic: what is needed"] == 47


def test_the_times_are_met(report):
    rows = [row for row in report.tables[1].rows if row.printed is not None]
    differing = {row.quantity: row.printed - row.measured for row in rows}
    assert {name: more for name, more in differing.items() if more} == {
        "linear: until the torques leave": 1,  # z q̇ comes in
        "logarithmic: until the torques leave, n = 8": 8,  # a level less
        "linear, single device: from one set to the next": 1,
        "linear: n after f, link 3": -1,
    }


def test_the_bounds_hold(report):
    rows = {row.quantity: row for row in report.tables[3].rows}
    above = [name for name, row in rows.items() if row.printed and row.measured > row.printed]
    assert above == ["wires, logarithmic: outward recursion"]
    for name, row in rows.items():
        if name.endswith("outside nodes"):
            assert row.measured < int(row.note.removeprefix("bound ").replace(",", ""))


def test_buffers_of_the_linear_form_grow_with_the_square_of_the_links(report):
    """And those of the logarithmic one, all but with the links."""
    curves = {figure.title: figure.curves for figure in report.figures}["Buffers"]

    def growth(name):
        points = dict(curves[name])
        return math.log(points[64] / points[16], 4)

    assert 1.9 < growth("linear, systolic") < 2.1
    assert 1.2 < growth("logarithmic, systolic") < 1.6
    assert 0.9 < growth("linear, single device") < 1.1


def test_the_verdicts(report):
    found = {each.claim.split(":")[0]: each.outcome for each in report.verdicts}
    depends = {claim for claim, outcome in found.items() if outcome != "confirmed"}
    assert depends == {"equation 17", "no group has more than 50 point-to-point wires"}


def test_sliding_joints_take_no_longer(report):
    rows = report.tables[2].rows
    assert len(rows) == 14
    found = {row.quantity: row.measured for row in rows}
    assert found["linear, rrrrrr"] == 61 and found["linear, pppppp"] == 56
    assert max(found.values()) == 61


def test_gates_and_bits_are_of_the_chip_that_is_built(report):
    """Benchmarks wrote them down; clocks and sizes must still be those of today's chip."""
    gates = {row["case"]: row for row in chip.results(chip.GATES)}
    assert all(row["same"] == row["states"] for row in chip.results(chip.BITS))
    for name in ("planar2", "puma560"):
        made = chip.chip(name, word=16)
        if row := gates.get(f"chip {name}"):
            assert (row["interval_clocks"], row["latency_clocks"]) == (made.interval, made.latency)
            assert row["total"]["gates"] < chip.added_up(name)
    rows = {row.quantity: row.measured for row in report.rows}
    assert rows["PUMA, 6 joints, linear: matrix-vector processors"] == 191
