"""What is next for a problem of a search: each case that the decision knows, and its kernel."""

import numpy as np
import pytest
from support.far_arrays import FarDevice, far
from support.robots import relative_error

from paraxis.body import Body
from paraxis.graph.evaluate import evaluate
from paraxis.optimal.decision import (
    MARKS,
    MOST_DAMPING,
    MOST_PENALTY,
    SHORTEST,
    STATE,
    Kind,
    decision_graph,
    inputs_of,
)
from paraxis.optimal.status import RUNNING, Status
from paraxis.targets.cuda.arrays import Family
from paraxis.targets.cuda.memory import GpuMemory
from paraxis.targets.target import CPU

PLAIN, DDP = Kind(False, False, 0), Kind(True, False, 0)
GAPS, CONSTRAINED = Kind(False, False, 2), Kind(False, True, 0)
# A step of full length is tried, which brings most of what the model says.
STEPPING = {"status": RUNNING, "merit": 10.0, "length": 1.0, "iterations": 3.0, "first_cost": 50.0}
STEPPING |= {"within": 1e-6, "penalty": 1.0, "violation": 1.0}
TALLIES = {"noise": 1e-14, "decrement": 4.0, "total'": 6.0, "decrement'": 1.0, "least'": 1.0}
TALLIES |= {"tolerance": 1e-9, "constraint_tolerance": 1e-6}
FLAT = {"decrement'": 1e-9}


def decide(kind, **changes):
    """What is known of a problem after a round, by name, and marks by name."""
    state = {name: changes.get(name, STEPPING.get(name, 0.0)) for name in STATE}
    given = {name: np.zeros(shape) for name, shape in inputs_of(kind).items()}
    given |= {name: value for name, value in (TALLIES | changes).items() if name in given}
    found = evaluate(decision_graph(kind), given | {"state": list(state.values())})
    marks = dict(zip(MARKS, found["marks"], strict=False))
    for name in ("length", "damping", "penalty"):
        assert found[name] == found["state'"][STATE.index(name)]
    return dict(zip(STATE, found["state'"], strict=True)) | marks


@pytest.mark.parametrize("length, longer", [(1.0, 1.0), (0.5, 1.0), (0.125, 0.5)])
def test_a_step_that_brings_enough_is_accepted(length, longer):
    found = decide(PLAIN, length=length, damping=1.0)
    assert (found["stays"], found["merit"], found["iterations"]) == (0, 6, 4)
    assert found["length"] == longer and found["damping"] == 0.1
    assert found["status"] == RUNNING and not found["bent"]


@pytest.mark.parametrize("total", [10.0, 11.0, np.inf, np.nan])
def test_a_step_that_brings_too_little_is_halved(total):
    found = decide(PLAIN, **{"total'": total, "decrement'": np.nan, "least'": -1.0})
    assert (found["stays"], found["merit"], found["iterations"]) == (1, 10, 3)
    assert found["length"] == 0.5 and found["status"] == RUNNING and not found["bent"]


def test_after_the_shortest_step_the_law_is_damped():
    refused = {"length": SHORTEST, "total'": 11.0}
    found = decide(PLAIN, **refused)
    assert found["length"] == 0.0 and found["damping"] == 1e-3
    assert decide(PLAIN, **refused, damping=5.0)["damping"] == 50.0
    assert decide(PLAIN, **refused, damping=MOST_DAMPING)["status"] == Status.STALLED
    found = decide(DDP, **refused, exact=1.0)
    assert (found["exact"], found["damping"], found["length"]) == (0, 0, 0)


def test_a_first_trajectory_need_not_improve_anything():
    first = {"length": 0.0, "merit": np.inf, "first_cost": -1.0}
    found = decide(PLAIN, **first)
    assert (found["stays"], found["first_cost"], found["iterations"]) == (0, 6, 3)
    assert decide(PLAIN, **first, **{"total'": np.nan})["status"] == Status.FAILED


@pytest.mark.parametrize("bad", [{"least'": 0.0}, {"decrement'": np.inf}, {"decrement'": np.nan}])
def test_without_a_best_control_law_the_next_is_damped(bad):
    found = decide(PLAIN, **bad)
    assert (found["stays"], found["bent"]) == (0, 1)
    assert found["length"] == 0.0 and found["damping"] == 1e-3
    found = decide(DDP, **bad, exact=1.0)
    assert (found["exact"], found["damping"]) == (0, 0)
    assert decide(DDP)["exact"] == 1


def test_what_is_flat_is_solved_unless_it_is_damped():
    assert decide(PLAIN, **FLAT)["status"] == Status.SOLVED
    found = decide(PLAIN, **FLAT, damping=1.0)
    assert found["status"] == RUNNING and (found["length"], found["damping"]) == (0, 0.1)


@pytest.mark.parametrize("kind", [PLAIN, DDP, GAPS, CONSTRAINED])
def test_what_is_done_stays_as_it_is(kind):
    state = STEPPING | {"status": Status.STALLED, "weight": 0.0}
    found = decide(kind, **state, **FLAT)
    assert found["stays"] == 1
    assert {name: found[name] for name in state} == state


def test_gaps_are_closed_before_it_is_solved():
    assert decide(GAPS, **FLAT, largest=1.0)["status"] == Status.SOLVED
    assert decide(GAPS, **FLAT, largest=1.0, **{"widest'": 1e-6})["status"] == RUNNING
    assert decide(GAPS, **FLAT, **{"gaps'": np.nan})["stays"] == 1


def test_gaps_that_cost_to_close_weigh_more():
    """The cost rises from 10 to 12, by as much as the model says, and the gaps are halved."""
    closing = {"gaps": 1.0, "gaps'": 0.5, "total'": 12.0, "slope": 2.0}
    assert decide(GAPS, **closing)["stays"] == 1
    found = decide(GAPS, **closing, bridged=7.0)
    assert (found["weight"], found["stays"]) == (2 * (7 - 4), 0)
    assert decide(GAPS, weight=10.0)["weight"] == 9.0


def test_multipliers_follow_until_constraints_are_kept():
    solved = decide(CONSTRAINED, **FLAT, within=1e-9, violation=1e-7)
    assert solved["status"] == Status.SOLVED and not solved["pulled"]
    loose = decide(CONSTRAINED, **FLAT, within=1e-4)
    assert loose["pulled"] and loose["length"] == 0.0
    assert loose["within"] == pytest.approx(1e-5) and loose["penalty"] == 1.0
    flat = {"decrement'": 1e-12, "within": 1e-9}
    for before, penalty in ((0.5, 10.0), (8.0, 1.0)):
        found = _with_violation(before, after=1.0, **flat)
        assert found["pulled"] and (found["penalty"], found["violation"]) == (penalty, 1.0)
    over = _with_violation(0.5, after=1.0, **flat, penalty=MOST_PENALTY)
    assert over["status"] == Status.INFEASIBLE


def _with_violation(before, after, **changes):
    """As `decide`, where state and candidate have different violations."""
    graph, shapes = decision_graph(CONSTRAINED), inputs_of(CONSTRAINED)
    state = [(STEPPING | changes | {"violation": before}).get(name, 0.0) for name in STATE]
    given = {name: (TALLIES | changes).get(name, 0.0) for name in shapes}
    found = evaluate(graph, given | {"state": state, "violation": after})
    marks = dict(zip(MARKS, found["marks"], strict=True))
    return dict(zip(STATE, found["state'"], strict=True)) | marks


@pytest.mark.parametrize("kind", [PLAIN, DDP, GAPS, CONSTRAINED])
def test_a_kernel_decides_as_the_interpreter_does(kind):
    rng, shapes = np.random.default_rng(0), inputs_of(kind)
    values = np.array([0.0, -1.0, 1.0, 0.25, 1e-3, 5.0, np.inf, np.nan])
    given = {name: rng.choice(values, (500, *shape)) for name, shape in shapes.items()}
    body = Body(decision_graph, kind)
    expected = evaluate(body.graph, given)
    for name, found in zip(body.outputs, CPU.map(body)(**given), strict=True):
        finite = np.isfinite(expected[name])
        assert np.array_equal(found[~finite], expected[name][~finite], equal_nan=True)
        assert relative_error(found[finite], expected[name][finite]) < 1e-15


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_marked_states_are_copied(where):
    on, put = CPU, np.asarray
    if where == "cuda":
        on, put = GpuMemory(FarDevice(), Family(FarDevice())), far
    rng = np.random.default_rng(0)
    shapes = (4, 5, 3), (4, 5), (1, 5, 2, 2)
    pairs = [tuple(rng.normal(size=(2, *shape))) for shape in shapes]
    marks = np.array([0.0, 1.0, 0.0, 0.0, 1.0])
    copied = [(put(old.copy()), put(new)) for old, new in pairs]
    on.copy_marked(put(marks), copied)
    for (old, new), (found, _) in zip(pairs, copied, strict=True):
        for state, mark in enumerate(marks):
            assert np.array_equal(np.array(found)[:, state], (new if mark else old)[:, state])
