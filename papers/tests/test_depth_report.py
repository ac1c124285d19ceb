"""The report on depth: Lathrop's recursions are right, and take the times he prints."""

import math

import numpy as np
import paraxis_papers
import pytest
from paraxis_papers.counts.plain_count import general_chain
from paraxis_papers.depth import lathrop, linear, logarithmic
from paraxis_papers.depth.claims import claims
from paraxis_papers.depth.given import Given, graph_of
from paraxis_papers.depth.growth import line
from paraxis_papers.depth.measured import availability
from paraxis_papers.document import agrees, markdown
from paraxis_papers.page import report_page
from support.robots import relative_error

import paraxis as px
from paraxis.graph.evaluate import evaluate
from paraxis.passes.balance import balance
from paraxis.passes.count import count
from paraxis.passes.depth import Weights, depth
from paraxis.robots.model import Model

# -- Lathrop's recursions are right ----------------------------------------------------------------


def far_end_numbers(robot, state, base, hand_turn, hand):
    """A chain's numbers as Lathrop has them: every link's frame at its far end."""
    q, qd, qdd = state
    model = Model(robot)
    X = [model.transform(i, q) for i in range(robot.n)]
    A = [np.array([[*row] for row in x.turn.matrix()]) for x in X] + [hand_turn]
    z = np.array([[*axis] for axis in model.axis])
    seats = np.array([joint.placement.translation for joint in robot.joints])
    ends = [*seats[1:], np.array([0.3, 0.4, 0.5])]
    slid = [A[i].T @ (np.array([*X[i].origin]) - seats[i]) for i in range(robot.n)]
    p = np.array(slid) + ends
    com = np.array([[*body.com] for body in model.inertia])
    ω, α, a = base
    a = a - np.array(robot.gravity) + np.cross(α, seats[0]) + np.cross(ω, np.cross(ω, seats[0]))
    before = np.array([A[i] @ z[i] for i in range(robot.n)])
    given = {"turn": np.array(A), "z": z, "z_before": before, "p": p, "s": com - ends}
    given |= {"mass": [body.mass for body in model.inertia]}
    given |= {"inertia": [body.about_com.scalars() for body in model.inertia]}
    given |= {"base": [ω, α, a], "hand": hand, "qd": qd, "qdd": qdd}
    given |= {"spin": z * qd[:, None], "rise": z * qdd[:, None]}
    given |= {"spin_before": before * qd[:, None], "rise_before": before * qdd[:, None]}
    turned = [hand_turn @ vector for vector in hand]
    moment = turned[1] + np.cross(ends[-1], turned[0])
    outside = np.zeros((robot.n, 6))
    outside[-1] = [*-moment, *-turned[0]]
    return given, outside


REVOLUTE, MIXED = ["revolute"] * 5, ["revolute", "prismatic", "revolute", "prismatic", "revolute"]
FORMS = [
    (linear.table_4, REVOLUTE),
    (linear.nothing_shared, REVOLUTE),
    (logarithmic.table_5, REVOLUTE),
    (logarithmic.table_5, MIXED),
    (logarithmic.table_5_as_printed, MIXED),
]


def torques_of(recursion, kinds, given):
    """By a recursion, and by Paraxis."""
    rng = np.random.default_rng(7)
    robot = general_chain(kinds)
    state = rng.uniform(-1, 1, (3, robot.n))
    base = rng.uniform(-1, 1, (3, 3)) * (given.base_moves or [[0], [0], [1]])
    hand = rng.uniform(-1, 1, (2, 3)) * given.hand_is_loaded
    turn = np.linalg.qr(rng.uniform(-1, 1, (3, 3)))[0]
    numbers, outside = far_end_numbers(robot, state, base, turn, hand)
    slides = [i for i, kind in enumerate(kinds) if kind == "prismatic"]
    graph = graph_of(recursion, robot.n, given, slides)
    found = evaluate(graph, {name: numbers[name] for name in graph.inputs})["tau"]
    moving = {
        "base_velocity": [*base[0], 0, 0, 0],
        "base_acceleration": [*base[1], *base[2]],
        "external_force": outside,
    }
    return found, px.inverse_dynamics(robot, *state, **moving)


@pytest.mark.parametrize(("recursion", "kinds"), FORMS)
@pytest.mark.parametrize(
    "given",
    [Given(), Given(rates_as_vectors=False), Given(base_moves=False), Given(hand_is_loaded=False)],
    ids=str,
)
def test_lathrops_recursions_give_the_torques(recursion, kinds, given):
    found, expected = torques_of(recursion, kinds, given)
    assert relative_error(found, expected) <= 1e-12


def test_the_printed_sum_of_rates_is_wrong_for_sliding_links():
    printed = logarithmic.table_5_with_printed_rates
    found, expected = torques_of(printed, MIXED, Given())
    assert relative_error(found, expected) > 1e-3
    found, expected = torques_of(printed, REVOLUTE, Given())
    assert relative_error(found, expected) <= 1e-12


# -- Lathrop's formulas ----------------------------------------------------------------------------

TIMES = (0, 0.5, 1, 2, 10)  # of a multiplication; an addition takes 1


def meets(graph, mul, add):
    found = depth(graph)
    assert (found.mul, found.add) == (mul, add)
    for long in TIMES:  # the same path, whatever a multiplication takes
        assert depth(graph, Weights(mul=long)).time == mul * long + add


@pytest.mark.parametrize("n", [*range(1, 13), 20, 33])
def test_the_abstract_and_equation_5(n):
    meets(graph_of(linear.table_4, n, lathrop.ABSTRACT), 2 * n + 3, 6 * n + 7)
    meets(graph_of(linear.table_4, n, lathrop.EQUATION_5), 2 * n + 5, 6 * n + 9)
    meets(graph_of(linear.table_4, n, Given()), 2 * n + 4, 6 * n + 9)
    meets(graph_of(linear.table_4, n, lathrop.AT_REST), 2 * n + 5, 6 * n + (6 if n > 1 else 5))


@pytest.mark.parametrize(
    "n",
    [*range(1, 10), 15, 16, 17, 33]  # around powers of two, where its logarithm steps
    + [pytest.param(n, marks=pytest.mark.long) for n in (*range(10, 15), 18, 19, 31, 32)],
)
def test_equation_17(n):
    """But for powers of two, for which the inward sweep has one round less."""
    out, back = math.ceil(math.log2(n + 1)), math.ceil(math.log2(n))
    graph = graph_of(logarithmic.table_5, n, lathrop.EQUATION_17)
    meets(graph, out + back + 5, 3 * (out + back) + 10)
    assert (out == back) == (n & (n - 1) > 0)
    loaded = graph_of(logarithmic.table_5, n, Given())
    meets(loaded, 2 * out + 4, 6 * out + 9)


@pytest.mark.parametrize("n", [3, 7, 15, 31])
def test_moments_turned_in_one_sum_take_longer(n):
    k = math.ceil(math.log2(n + 1))
    graph = graph_of(logarithmic.table_5_as_printed, n, lathrop.EQUATION_17)
    found = depth(graph)
    assert (found.mul, found.add) == (2 * k + 5, 7 * k + 10)


@pytest.mark.parametrize("n", [6, 7, 12, 20])
def test_balanced_sums_cross_a_link_in_three_flops_if_nothing_is_shared(n):
    own = depth(balance(graph_of(linear.nothing_shared, n, lathrop.EQUATION_5)))
    assert (own.mul, own.add) == (2 * n + 4, 4 * n + 14)
    shared = depth(balance(graph_of(linear.table_4, n, lathrop.EQUATION_5)))
    assert (shared.mul, shared.add) == (2 * n + 5, 6 * n + 7)


def test_what_is_not_shared_costs_no_operation():
    table_4, unshared = (
        count(graph_of(recursion, 6, Given()))
        for recursion in (linear.table_4, linear.nothing_shared)
    )
    assert unshared.mul == table_4.mul
    assert unshared.add == table_4.add - 3 * 6 + 3  # no p + s, but the first link's f


def test_equation_4():
    """Offsets between values at a link, in multiplications and additions."""
    ready = availability(linear.table_4, 5, lathrop.EQUATION_5)

    def after(this, that):
        return [a - b for a, b in zip(ready[this], ready[that], strict=True)]

    for i in range(5):
        assert after(("alpha", i), ("omega", i)) == [1, 2]
        assert after(("acceleration", i), ("omega", i)) == [2, 5]
        if i:
            assert after(("moment", i), ("force", i)) == [1, 3]  # one more than printed
            for name in ("omega", "alpha", "acceleration"):
                assert after((name, i), (name, i - 1)) == [1, 3]
            assert after(("moment", i - 1), ("moment", i)) == [1, 3]


# -- the report ------------------------------------------------------------------------------------


def test_a_line_is_found_where_there_is_one():
    found = line({n: [2 * n + 3, max(6 * n + 1, 20)] for n in (1, 2, 3, 4, 5, 9)})
    assert (found.slope, found.rest, found.since) == ([2, 6], [3, 1], 4)
    assert str(found) == "2n + 3 and 6n + 1" and found.range == "from 4 links on"
    assert line({n: [n * n] for n in range(9)}) is None
    assert line({1: [5], 2: [6], 4: [7]}) is None  # half a flop a link
    assert line({1: [1], 2: [2], 3: [2], 4: [3]}) is None  # two points are not enough


@pytest.fixture(scope="module")
def report():
    return paraxis_papers.report("depth")


@pytest.mark.long
def test_what_the_report_meets_and_what_not(report):
    differ = [row.quantity for row in report.rows if row.printed is not None and not agrees(row)]
    assert differ == [
        "n after f",
        "equation 17, eight links",
        "equation 17, 64 links",
        "with a load on the hand, the rest",
        "Table 5 as printed, a doubling",
    ]
    for row in report.rows:
        assert row.measured is not None
        assert row.note or agrees(row) or row.printed is None


@pytest.mark.long
def test_the_report_says_what_is_shallowest(report):
    """The closed form for a short arm, which its conventions claim."""
    (curves,) = [f.curves for f in report.figures if f.title.startswith("The algorithms")]
    at_6 = {name: dict(points)[6] for name, points in curves.items()}
    assert min(at_6, key=at_6.get) == "lagrange_closed_form"
    at_16 = {name: dict(points).get(16, math.inf) for name, points in curves.items()}
    assert min(at_16, key=at_16.get) == "logarithmic_newton_euler"


@pytest.mark.long
def test_the_report_is_drawn_and_printed(report, capsys):
    (lathrops, ours) = report.figures
    assert set(lathrops.dashed) <= set(lathrops.curves) and len(ours.curves) == 7
    page = report_page(report, "1.0")
    assert page.count("<svg") >= 2 and "equation 17" in page
    assert "| Lathrop 1985 | equation 5, the rest | 5 + 9 | 5 + 9 |" in markdown(report)


def test_the_verdicts():
    found = {each.claim: each.outcome for each in claims()}
    refuted = [claim for claim, outcome in found.items() if outcome == "refuted"]
    depends = [claim for claim, outcome in found.items() if outcome == "depends"]
    assert refuted == ["Table 5's form of n crosses a node in MV + VA"]
    assert [claim.split(" ")[:2] for claim in depends] == [
        ["the", "linear"],  # coefficients of n: two orders of magnitude in one of two
        ["equation", "4:"],
        ["equation", "17:"],
        ["Table", "5's"],  # 2S + Q
    ]
    assert len(found) == 8
