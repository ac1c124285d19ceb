"""Recurrences on several processors: values, steps, messages."""

from itertools import combinations
from operator import add, matmul

import numpy as np
import pytest

import paraxis as px
from paraxis.parallel.networks.optimal_order import least_steps, optimal
from paraxis.physics.parts.order import Order, Step
from paraxis.physics.parts.orders import ORDERS, doubling, halving, p_fold, serial

POWERS = (1, 2, 4, 8, 16)


def log2(n):
    """⌈log₂n⌉."""
    return (n - 1).bit_length()


def possible(name, elements, processors):
    """Whether an order can be asked for so many elements and processors."""
    if name.startswith("shuffled") and processors not in POWERS:
        return False
    wanted = {"doubling": elements - 1, "halving": elements - 1, "shuffled_doubling": elements}
    return processors >= wanted.get(name, 1)


CASES = [
    (name, elements, processors)
    for name in ORDERS
    for elements in range(1, 18)
    for processors in range(1, 18)
    if possible(name, elements, processors)
]


# -- values ----------------------------------------------------------------------------------------


def test_every_order_gives_the_prefixes():
    """Joining words shows order and completeness at once."""
    for name, elements, processors in CASES:
        word = "".join(chr(ord("a") + k) for k in range(elements))
        solved = px.parallel.recurrence(add, word, order=name, processors=processors)
        assert solved.results == [word[: k + 1] for k in range(elements)]
        assert solved.elements == elements and solved.processors == processors
        if possible(name, elements + 1, processors):
            started = px.parallel.recurrence(
                add, word, start="<", order=name, processors=processors
            )
            assert started.results == ["<" + word[: k + 1] for k in range(elements)]


@pytest.mark.parametrize("name", ORDERS)
def test_matrices_vectors_and_numbers(name):
    random = np.random.default_rng(7)
    matrices = random.uniform(-1, 1, (8, 3, 3))
    found = px.parallel.recurrence(matmul, matrices, order=name, processors=8).results
    expected = np.eye(3)
    for matrix, result in zip(matrices, found, strict=True):
        expected = expected @ matrix
        assert np.allclose(result, expected, rtol=0, atol=1e-14)
    assert not np.allclose(found[1], matrices[1] @ matrices[0])  # they do not commute
    vectors = random.uniform(-1, 1, (8, 3))
    sums = px.parallel.recurrence(add, vectors, order=name, processors=8).results
    assert np.allclose(sums, np.cumsum(vectors, axis=0), rtol=0, atol=1e-14)
    assert px.parallel.recurrence(max, [3, 1, 4, 1, 5, 9, 2, 6], order=name).results[-1] == 9


def test_floats_in_place_of_the_identity():
    """Blocks are not padded: with 0, as printed, the last end would be 0."""
    solved = px.parallel.recurrence(lambda a, b: a * b, [2.0] * 5, order="p_fold", processors=4)
    assert solved.results == [2.0, 4.0, 8.0, 16.0, 32.0]


# -- steps -----------------------------------------------------------------------------------------


def test_no_processor_does_two_things_at_once_and_nobody_needs_what_is_not_there():
    for name, elements, processors in CASES:
        solved = px.parallel.recurrence(add, "x" * elements, order=name, processors=processors)
        held = {(k, k) for k in range(elements)}
        for glues in solved.record:
            assert 0 < len(glues) <= processors
            assert len({glue.processor for glue in glues}) == len(glues)
            assert {span for glue in glues for span in (glue.left, glue.right)} <= held
            held |= {(glue.left[0], glue.right[1]) for glue in glues}
        assert sum(map(len, solved.record)) == solved.operations
        assert solved.bound <= solved.steps == len(solved.record)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9, 31, 32, 33])
def test_steps_of_each_order(n):
    assert len(serial(n, 4).steps) == n - 1
    assert len(doubling(n, n).steps) == len(halving(n, n).steps) == log2(n)
    if n > 1:  # the first element needs no processor of its own
        assert len(doubling(n, n - 1).steps) == log2(n)
    assert len(p_fold(n, 1).steps) == n - 1
    assert len(p_fold(n, n).steps) == log2(n)


def fewest_steps(elements, processors):
    """By trying everything: what can be held after k steps, all results at once in the end."""
    goal = {(0, k) for k in range(elements)}
    states, count = {frozenset((k, k) for k in range(elements))}, 0
    while not any(goal <= state for state in states):
        after = set()
        for state in states:
            new = {(a, d) for a, b in state for c, d in state if c == b + 1} - state
            for chosen in combinations(sorted(new), min(processors, len(new))):
                after.add(state | {*chosen})
        states, count = after, count + 1
    return count


@pytest.mark.parametrize(
    ("elements", "processors"), [(2, 1), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3)]
)
def test_the_bound_is_below_the_best_of_all_orders(elements, processors):
    best = fewest_steps(elements, processors)
    assert least_steps(elements, processors) <= best <= len(p_fold(elements, processors).steps)


def test_short_rows_are_solved_in_the_fewest_steps_there_are():
    """For up to 12 elements a search meets what no order can beat, whatever it remembers."""
    more = {0: 0, 1: 0, 2: 0}
    for elements in range(1, 13):
        row = "abcdefghijkl"[:elements]
        for processors in range(1, elements + 1):
            found = optimal(elements, processors)
            assert found.prefixes(add, row) == [row[: k + 1] for k in range(elements)]
            assert len(found.steps) == least_steps(elements, processors)
            more[len(p_fold(elements, processors).steps) - len(found.steps)] += 1
    assert more == {0: 25, 1: 47, 2: 6}
    with pytest.raises(px.ParaxisError, match="rows of up to 12 elements, found 13; use 'p_fold'"):
        px.parallel.recurrence(add, "abcdefghijklm", order="optimal", processors=4)


def can_be_done(elements, processors, steps):
    """Whether any order does it, whatever it remembers: asked of a solver."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    held = {}  # (first, last, step) -> whether somebody holds that span after the step
    for i, j in combinations(range(elements), 2):
        held |= {(i, j, t): model.new_bool_var("") for t in range(1, steps + 1)}

    def known(i, j, t):
        return 1 if i == j else held.get((i, j, t), 0)

    for t in range(1, steps + 1):
        glued = []
        for i, j in combinations(range(elements), 2):
            ways = [model.new_bool_var("") for _ in range(i, j)]
            for k, way in zip(range(i, j), ways, strict=True):
                model.add(way <= known(i, k, t - 1))
                model.add(way <= known(k + 1, j, t - 1))
            model.add(held[i, j, t] <= known(i, j, t - 1) + sum(ways))
            glued += ways
        model.add(sum(glued) <= processors)
    for k in range(1, elements):
        model.add(held[0, k, steps] == 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    found = solver.solve(model)
    assert found in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return found == cp_model.OPTIMAL


def test_a_bound_that_no_order_meets():
    assert can_be_done(7, 3, 3) and not can_be_done(7, 3, 2) and least_steps(7, 3) == 3
    assert least_steps(13, 5) == 4 and not can_be_done(13, 5, 4)


def test_the_bound_at_its_ends():
    for n in range(2, 40):
        assert least_steps(n, 1) == n - 1
        assert least_steps(n, n) == log2(n)


# -- messages --------------------------------------------------------------------------------------


def test_messages_bring_every_operand_to_its_processor():
    for name, elements, processors in CASES:
        solved = px.parallel.recurrence(add, "x" * elements, order=name, processors=processors)
        order = solved.order
        held = {(order.homes[k], (k, k)) for k in range(elements)}
        for glues, sent in zip(solved.record, solved.messages, strict=False):
            assert all((here, span) in held for here, _, span in sent)
            held |= {(there, span) for _, there, span in sent}
            for glue in glues:
                assert {(glue.processor, glue.left), (glue.processor, glue.right)} <= held
            held |= {(glue.processor, (glue.left[0], glue.right[1])) for glue in glues}
        held |= {(there, span) for _, there, span in solved.messages[-1]}
        assert all((order.homes[k], (0, k)) in held for k in range(elements))
        assert len(solved.messages) == solved.steps + 1


def test_messages_of_recursive_doubling():
    solved = px.parallel.recurrence(add, "abcd")
    assert [[(a, b) for a, b, _ in sent] for sent in solved.messages] == [
        [(0, 1), (1, 2), (2, 3)],
        [(0, 2), (1, 3)],
        [],
    ]
    assert solved.record[1][1] == (3, (0, 1), (2, 3), 1, 3)


def test_shuffled_doubling_is_home_again_after_all_its_steps():
    for p in POWERS:
        assert px.parallel.recurrence(add, "x" * p, order="shuffled_doubling").messages[-1] == []


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"terms": []}, "terms: expected at least one term, found none"),
        ({"order": "sideways"}, "order: expected one of 'serial', .*, found 'sideways'"),
        ({"order": ["serial"]}, "order: expected one of"),
        ({"processors": 0}, "processors: expected an integer >= 1, found 0"),
        ({"processors": 2.5}, "processors: expected an integer >= 1, found 2.5"),
        ({"processors": True}, "found True"),
        ({"processors": 3}, "order doubling: expected one processor for each of 5 elements"),
        ({"order": "halving", "processors": 2}, "order halving: .* found 2"),
        ({"order": "shuffled_doubling", "processors": 6}, "a power of two, found 6"),
        (
            {"order": "shuffled_doubling", "processors": 4},
            "expected 5 processors, one per element, found 4",
        ),
        (
            {"order": "shuffled_p_fold", "processors": 3},
            "order shuffled_p_fold: expected a number of .* a power of two, found 3",
        ),
        ({"terms": 3}, "terms: expected a list, found 3"),
    ],
)
def test_bad_requests(arguments, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.parallel.recurrence(add, **{"terms": "abcde", **arguments})


def test_an_operator_is_a_function():
    with pytest.raises(px.ArgumentError, match="operator: expected a function .*, found 'max'"):
        px.parallel.recurrence("max", [3, 4])


@pytest.mark.parametrize(
    ("glues", "places", "found"),
    [
        ([[(0, 1)]], (0, 1, 2), "step 1: found spans that do not begin with element 0"),
        ([[(0, 1), (1, 2)], [(0, 2)]], (0, 1, 1), "step 1: found two operations for one"),
        ([[(0, 1)], [(1, 2)]], (0, 1, 3), "step 0: found processor 3"),
        ([[(0, 1)], [(0, 2)]], (0, 1, 2), r"step 2: found spans that do not touch: \[\(0, 2\)\]"),
    ],
)
def test_wrong_orders(glues, places, found):
    with pytest.raises(px.ScheduleError, match=f"order odd of 3 elements on 3 .*: {found}"):
        Order("odd", 3, places, tuple(Step(tuple(step)) for step in glues))


def test_long_recurrences_are_no_burden():
    """An order keeps what changes in a step, not the places of all elements."""
    for order, processors in (("serial", 1), ("p_fold", 2)):
        solved = px.parallel.recurrence(add, [1] * 50_000, order=order, processors=processors)
        assert solved.results[-1] == 50_000
        assert sum(len(step.moves) for step in solved.order.steps) <= 100_000
