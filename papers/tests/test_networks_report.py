"""The report on recurrences and networks: Lee and Chang's steps and counts, Fijany's messages."""

import json
import math

import numpy as np
import paraxis_papers
import pytest
from paraxis_papers import document
from paraxis_papers.counts.plain_count import Ledger, Work, general_chain, plain_count, some_state
from paraxis_papers.document import CONFIRMED, DEPENDS, as_json
from paraxis_papers.networks import (
    homogeneous,
    inverse_dynamics,
    lee_chang_verdicts,
    link_coordinates,
    steps,
)
from paraxis_papers.networks.equations import OTHERS, ROTATIONS, SUMS, torques
from paraxis_papers.networks.homogeneous import BASE, OWN, WAYS
from paraxis_papers.networks.link_coordinates import Turned
from paraxis_papers.networks.rotations import chip_times, rotation_time
from paraxis_papers.networks.simd import Simd
from paraxis_papers.networks.traffic import elimination, elimination_in_place, network_figure
from paraxis_papers.networks.verdicts import (
    CLAIMS,
    hypercube,
    inverse_shuffle,
    savings,
)

import paraxis as px
from paraxis.math import mark
from paraxis.parallel.networks.network import NETWORKS
from paraxis.parallel.networks.optimal_order import least_steps
from paraxis.physics import INVERSE_DYNAMICS
from paraxis.physics.parts.orders import doubling, p_fold
from paraxis.spatial import Matrix, Vector


def log2(n):
    """⌈log₂n⌉."""
    return (n - 1).bit_length()


def test_p_fold_on_the_whole_grid():
    """Against the formula that is right, T_p as printed, and the form of theorem 1."""
    right = {pair: 0 for pair in ("p <= n", "p > n")}
    for n in range(1, 65):
        for p in range(1, 65):
            taken = steps.taken_steps(n, p)
            size = math.ceil((n + 1) / p)
            blocks = math.ceil((n + 1) / size)
            inside = n + 1 - size - (blocks - 1)
            assert taken == size - 1 + log2(blocks) + math.ceil(inside / p)
            assert taken == steps.right_steps(n, p) >= least_steps(n + 1, p)
            assert taken <= 2 * size + log2(p) - 2
            right["p <= n" if p <= n else "p > n"] += taken == steps.printed_steps(n, p)
            if (n + 1) % p == 0:
                assert taken == steps.printed_steps(n, p)
    assert right == {"p <= n": 1229, "p > n": 714}


def test_where_the_printed_formula_errs():
    assert (steps.printed_steps(2, 2), steps.taken_steps(2, 2)) == (3, 2)  # x(n) with the ends
    assert (steps.printed_steps(3, 3), steps.taken_steps(3, 3)) == (4, 3)  # an empty block
    assert (steps.printed_steps(14, 7), steps.taken_steps(14, 7)) == (6, 7)  # fewer ends than p
    assert (steps.printed_steps(4, 4), steps.taken_steps(4, 4)) == (4, 4)


def simd(n, processors, order):
    robot = general_chain(["revolute"] * n)
    machine = Simd(n, processors, order)
    found = torques(machine, robot)
    expected = px.inverse_dynamics(robot, *some_state(robot))
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
    times = machine.times()
    return [sum((times[each] for each in part), Work()).pair for part in (ROTATIONS, SUMS, OTHERS)]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 8, 9, pytest.param(16, marks=pytest.mark.long)])
def test_lee_and_changs_parts_by_recursive_doubling(n):
    rotations, sums, others = simd(n, n, doubling)
    assert rotations == [27 * log2(n), 18 * log2(n)]
    assert sums == [0, 6 * log2(n) + 9 * log2(n + 1)]
    assert others == [135, 98]


@pytest.mark.parametrize("n", [4, 6, 8, 12, 24])
def test_rotations_of_the_puma(n):
    """The first step with known zeros is that of two parallel joints: a product of 2x2 matrices."""
    assert rotation_time(n, "given").pair == [27 * log2(n) - 19, 18 * log2(n) - 14]
    assert rotation_time(n, "none").pair == [27 * log2(n), 18 * log2(n)]
    assert rotation_time(n, "all").mul < rotation_time(n, "given").mul
    assert [chip.pair for chip in chip_times(n)] == [
        [3 * log2(n), 2 * log2(n)],
        [log2(n), 2 * log2(n)],
    ]


@pytest.mark.parametrize(("n", "p"), [(6, 1), (6, 4), (7, 3), (12, 5), (16, 16)])
@pytest.mark.long
def test_inverse_dynamics_by_p_fold_blocks(n, p):
    rotations, sums, others = simd(n, p, p_fold)
    short, long = len(p_fold(n, p).steps), len(p_fold(n + 1, p).steps)
    share = math.ceil(n / p)
    assert rotations == [27 * short, 18 * short]
    assert sums == [0, 6 * short + 9 * long]
    assert others == [135 * share, 98 * share]
    total = sum(map(sum, (rotations, sums, others)))
    assert inverse_dynamics.least(n, p) <= total <= inverse_dynamics.met_form(n, p)


def test_printed_totals_are_met():
    rows = inverse_dynamics.doubling_table().rows
    compared = [row for row in rows if row.printed is not None]
    assert [row.printed for row in compared] == [[62, 40], [0, 45], [135, 98], [197, 183], [27, 33]]
    assert all(row.measured == row.printed for row in compared)


@pytest.mark.parametrize("bits", range(1, 8))
def test_odd_even_elimination_on_fijanys_network(bits):
    found = elimination(2**bits, "shuffle_exchange_neighbours")
    assert found.time <= 2 * bits and found.conflicts == 0
    assert elimination(2**bits, "modified_inverse_perfect_shuffle").time == bits


@pytest.mark.parametrize("bits", range(1, 8))
def test_odd_even_elimination_on_a_hypercube(bits):
    """Neighbours in the first round, two hops in every other, and nobody waits."""
    found = elimination_in_place(2**bits, "hypercube")
    assert (found.time, found.conflicts) == (2 * bits - 1, 0)


@pytest.mark.parametrize(
    ("claim", "outcome", "evidence"),
    [
        (inverse_shuffle, document.DEPENDS, "45 hop times on 64 processors"),
        (hypercube, document.CONFIRMED, "11 on 64 processors"),
        (savings, document.DEPENDS, "380 flops"),
    ],
)
def test_verdicts(claim, outcome, evidence):
    verdict = claim()
    assert verdict.outcome == outcome and evidence in verdict.evidence


def test_the_figure_shows_every_network():
    curves = network_figure().curves
    assert len(curves) == len(NETWORKS)
    assert curves["cascade"] == [(p, p - 1) for p, _ in curves["cascade"]]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (4, 2), (6, 6), (7, 3)])
def test_link_coordinates_give_the_torques(n, p, shared):
    robot, machine = general_chain(["revolute"] * n), Simd(n, p, p_fold)
    found = link_coordinates.torques(machine, robot, shared)
    expected = plain_count(INVERSE_DYNAMICS["newton_euler"], robot)[1]
    assert np.abs(np.subtract(found, expected)).max() <= 1e-12 * np.abs(expected).max()


def test_homogeneous_recurrences_win_on_several_processors():
    """On one processor link coordinates do; products of rotations are shared with several only."""
    base, shared, own = ([homogeneous.flops(6, p, way) for p in (1, 2, 6)] for way in WAYS)
    assert own[0] == shared[0] < base[0]
    assert all(b < s < o for b, s, o in zip(base[1:], shared[1:], own[1:], strict=True))
    assert homogeneous.run(6, 6, OWN)[1] < homogeneous.run(6, 6, BASE)[1]  # but in fewer steps


def test_an_inhomogeneous_operator_is_a_matrix_and_a_vector():
    """27 + 18 for the matrices, 9 + 9 for the vector that is turned and added."""
    ledger, turns = Ledger(), link_coordinates.Turns(shared=True)

    def pair(k):
        rows = ([ledger.number(x) for x in row] for row in np.eye(3))
        return Turned(Matrix(*rows), Vector(*map(ledger.number, (1.0, 2.0, 3.0))), k, k)

    mark("glued", 0, turns.outward(pair(0), pair(1)))
    assert ledger.steps()["glued", 0] == Work(36, 27)
    mark("again", 0, turns.outward(pair(0), pair(1)))
    mark("inward", 0, turns.inward(pair(1), pair(0)))
    assert ledger.steps()["again", 0] == ledger.steps()["inward", 0] == Work(9, 9)


def test_p_fold_takes_up_to_two_steps_more_than_the_best_order():
    rows = {row.quantity: row for row in steps._optimal_rows()}
    fewest = rows["pairs p ≤ n < 12 on which algorithm PFP takes the fewest steps"]
    assert (
        fewest.measured == 13 and "of 66" in fewest.note and "on 66 pairs no order" in fewest.note
    )
    assert rows["pairs on which it takes 2 more"].note == "first n, p = 6, 3: 5 for 3"


@pytest.mark.long
def test_lee_and_changs_verdicts():
    found = lee_chang_verdicts.lee_chang_verdicts()
    expected = [CONFIRMED, DEPENDS, CONFIRMED, CONFIRMED, DEPENDS, DEPENDS]
    assert [each.outcome for each in found] == expected
    assert "1.02 to 1.77 times with shared" in found[1].evidence
    assert (
        "on 1,229 of 2,080 pairs" in found[4].evidence and "by search, on 13" in found[5].evidence
    )


@pytest.mark.long
def test_the_report_is_whole():
    report = paraxis_papers.report("networks")
    names = [(table.title, row.quantity) for table in report.tables for row in table.rows]
    assert len(set(names)) == len(names) > 100
    assert all(row.measured is not None for row in report.rows)
    assert all(row.note or row.measured == row.printed for row in report.rows)
    assert len(report.verdicts) == 6 + len(CLAIMS)
    assert len(report.figures) == 4 and json.loads(json.dumps(as_json(report)))
