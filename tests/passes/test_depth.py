"""Depth: balanced sums are the fastest there are, weights, critical paths."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots import random_robot, relative_error, states

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.graph.evaluate import evaluate
from paraxis.graph.trace import trace
from paraxis.passes.balance import balance
from paraxis.passes.count import count
from paraxis.passes.depth import Weights, depth, levels
from paraxis.passes.fuse import fuse

# -- balanced sums are the fastest ----------------------------------------------------------------


def random_graph(seed, size=9, inputs=6):
    """Products, and sums of up to four values in any association, some used again later."""
    rng = random.Random(seed)

    def associated(terms):
        if len(terms) == 1:
            return terms[0]
        cut = rng.randrange(1, len(terms))
        left, right = associated(terms[:cut]), associated(terms[cut:])
        return rng.choice([lambda: left + right, lambda: left - right, lambda: -(left + right)])()

    def run(x):
        values = list(x)
        for _ in range(size):
            if rng.random() < 0.4:
                values.append(rng.choice(values) * rng.choice(values[-3:]))
            else:
                values.append(associated(rng.sample(values, rng.randint(2, 4))))
        return values[-2:]

    return trace(run, {"x": (inputs,)})


def sums_of(graph):
    """index of a sum -> its terms, written without regard to how the pass finds them."""
    uses = Counter(a.index for node in graph.nodes for a in node.args)
    uses.update(node.index for node in graph.results)

    def terms(node, root=False):
        inside = node.op in ("add", "sub", "neg") and (root or uses[node.index] == 1)
        return [t for a in node.args for t in terms(a)] if inside else [node]

    roots = {n.index: terms(n, root=True) for n in graph.nodes if n.op in ("add", "sub")}
    swallowed, left = set(), [n for n in graph.nodes if n.index in roots]
    for node in left:
        stack = list(node.args)
        while stack:
            a = stack.pop()
            if a.op in ("add", "sub", "neg") and uses[a.index] == 1:
                swallowed.add(a.index)
                stack += a.args
    return {index: terms for index, terms in roots.items() if index not in swallowed}


def associations(items):
    """Every binary tree over the items, as nested pairs, the order of the two left out."""
    if len(items) == 1:
        yield items[0]
    first, rest = items[0], items[1:]
    for mask in range(2 ** len(rest) - 1):
        with_first = [first] + [x for k, x in enumerate(rest) if mask >> k & 1]
        others = [x for k, x in enumerate(rest) if not mask >> k & 1]
        yield from product(associations(with_first), list(associations(others)))


def fastest(graph, weights):
    """The least time over all associations of all sums, tried one by one."""
    sums, best = sums_of(graph), None
    for trees in product(*(list(associations(terms)) for terms in sums.values())):
        chosen, ready = dict(zip(sums, trees, strict=True)), {}

        def of(tree, ready=ready):
            if isinstance(tree, tuple):
                return max(map(of, tree)) + weights.add
            return ready[tree.index]

        for node in graph.nodes:
            if node.index in chosen:
                ready[node.index] = of(chosen[node.index])
            else:
                before = max((ready[a.index] for a in node.args), default=0)
                ready[node.index] = before + (weights.mul if node.op == "mul" else 0)
        time = max(ready[node.index] for node in graph.results)
        best = time if best is None else min(best, time)
    return best


def possibilities(graph):
    total = 1
    for terms in sums_of(graph).values():
        total *= np.prod(range(1, 2 * len(terms) - 2, 2))  # (2k - 3)!! trees over k terms
    return total


def test_there_are_as_many_associations_as_there_should_be():
    for k, trees in ((2, 1), (3, 3), (4, 15), (5, 105)):
        assert len(list(associations(list(range(k))))) == trees


@pytest.mark.parametrize("mul", [1, 3, 0.5])
@pytest.mark.long
def test_no_association_is_faster(mul):
    weights, tried, shorter = Weights(mul=mul), 0, 0
    for seed in range(400):
        graph = random_graph(seed)
        if possibilities(graph) > 3000:
            continue
        balanced = balance(graph, weights)
        own, least = depth(balanced, weights).time, fastest(graph, weights)
        twice = any(len({t.index for t in terms}) < len(terms) for terms in sums_of(graph).values())
        # x + y - x may come out shorter still, because x goes
        assert own <= least if twice else own == least, seed
        tried += not twice
        shorter += least < depth(graph, weights).time
    assert tried > 100 and shorter > 30  # and it was worth looking for


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_balancing_keeps_values_and_adds_no_operation(seed):
    graph = random_graph(seed, size=25)
    again = balance(graph)
    x = np.random.default_rng(seed).uniform(-1, 1, 6)
    before, after = (evaluate(g, {"x": x})["result"] for g in (graph, again))
    assert relative_error(after, before) <= 1e-12
    assert count(again).mul <= count(graph).mul and count(again).add <= count(graph).add
    assert depth(again).time <= depth(graph).time
    assert depth(balance(again)).time <= depth(again).time


@pytest.mark.parametrize("algorithm", [None, *px.algorithms()])
def test_balancing_keeps_torques(algorithm):
    robot = random_robot(2, joints=(5, 5))  # a chain
    program = px.program(robot, algorithm=algorithm)
    arrays = dict(zip(("q", "qd", "qdd"), states(robot, 3), strict=True))
    again = program.balanced()
    assert relative_error(again.evaluate(**arrays), program.evaluate(**arrays)) <= 1e-11
    assert again.depth(balanced=False) == program.depth()
    assert program.depth().time < program.depth(balanced=False).time


# -- which sums are balanced -----------------------------------------------------------------------


def both(function, **inputs):
    """The depth as written and balanced, in flops."""
    program = px.trace(function, **inputs)
    return program.depth(balanced=False).flops, program.depth().flops


def test_a_chain_becomes_a_tree():
    assert both(lambda x: sum(x), x=8) == (7, 3)
    assert both(lambda x: sum(x), x=9) == (8, 4)
    assert both(lambda x: sum(x), x=1000) == (999, 10)


def test_what_arrives_last_is_added_last():
    # x0 x1 x2 x3 comes at 3; the others have been added up by then
    assert both(lambda x: x[0] * x[1] * x[2] * x[3] + x[4] + x[5] + x[6], x=7) == (6, 4)


def test_signs_do_not_stop_a_sum():
    assert both(lambda x: x[0] - (x[1] - (x[2] - (x[3] - x[4] * x[5]))), x=6) == (5, 3)
    assert both(lambda x: -(-(x[0] + x[1]) - x[2]) + x[3], x=4) == (3, 2)


def test_a_sum_with_two_users_stays():
    def run(x):
        shared = x[0] + x[1] + x[2]
        return [shared + x[3] + x[4], shared * x[5]]

    program = px.trace(run, x=6)
    assert program.depth(balanced=False).flops == 4
    assert program.depth().flops == 3  # 2 for the shared sum; x3 + x4 waits for it
    assert program.balanced().count() == program.count()


def test_an_output_stays():
    prefixes = px.trace(lambda x: [sum(x[: k + 1]) for k in range(5)], x=5)
    assert prefixes.depth() == prefixes.depth(balanced=False)


def test_products_are_left_as_they_are_written():
    assert both(lambda x: x[0] * x[1] * x[2] * x[3], x=4) == (3, 3)


def test_a_multiply_add_waits_for_its_product_only_if_it_must():
    chain = "program p\ninput x[4]\n" + "".join(f"%{k} = input x {k}\n" for k in range(4))
    chain += "%4 = fma %0 %1 %2\n%5 = fma %2 %3 %4\n%6 = fma %1 %3 %5\noutput y = %6\n"
    program = px.parse(chain)
    assert program.depth(balanced=False).flops == 6  # each takes two flops, one after another
    assert program.depth().flops == 3  # three products at once, then four terms
    assert program.balanced().count() == program.count()
    x = np.array([0.3, 0.7, -1.1, 2.3])
    assert program.balanced().evaluate(x=x) == pytest.approx(program.evaluate(x=x), rel=1e-15)


def test_multiply_adds_of_robots_balance_alike():
    graph = px.program(px.load("puma560"), algorithm="newton_euler").graph
    assert depth(balance(fuse(graph))) == depth(balance(graph))


def test_weights_decide_the_order():
    def run(x):  # either factor of the last product may come last
        return (x[0] * x[1] + x[2] + x[3]) * (x[4] * x[5] * x[6])

    program = px.trace(run, x=7)
    assert program.depth(mul=1, add=5).time == 1 + 5 + 5  # x2 + x3, then x0 x1, then the product
    assert program.depth(mul=5, add=1).time == 15
    assert program.depth(mul=0, add=1).time == 2
    assert program.depth(mul=5, add=1, balanced=False).time == 15


# -- weights ---------------------------------------------------------------------------------------


def test_weights_of_every_kind():
    program = px.trace(
        lambda x: px.math.maximum(px.math.sqrt(px.math.sin(x) / 3.0), x) * x + 1.0, x=()
    )
    assert program.depth() == program.depth(mul=1, add=1, div=1, sqrt=1, trig=0, logic=0)
    assert (program.depth().flops, program.depth().time) == (4, 4)
    times = {"mul": 3, "add": 2, "div": 20, "sqrt": 30, "trig": 100, "logic": 0.5}
    assert program.depth(**times).time == sum(times.values())
    assert program.depth(**times).flops == 4
    assert program.depth(div=0, sqrt=0).time == 2


def test_a_heavier_operation_moves_the_critical_path():
    program = px.trace(lambda x: [x[0] * x[1] * x[2], x[0] + x[1] * x[2] + x[3] * x[0]], x=4)
    even, heavy = program.depth(), program.depth(mul=4)
    assert (even.mul, even.add, even.time) == (1, 2, 3)
    assert (heavy.mul, heavy.add, heavy.time) == (2, 0, 8)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "2", None, True])
def test_a_weight_that_is_no_time(value):
    program = px.trace(lambda x: x + 1, x=())
    for ask in (program.depth, program.critical_path, program.balanced):
        with pytest.raises(ArgumentError, match=r"mul: expected a time >= 0, found "):
            ask(mul=value)


def test_a_weight_of_nothing():
    message = r"weight: expected one of 'mul', 'add', .*, found 'sin'"
    with pytest.raises(ArgumentError, match=message):
        px.trace(lambda x: x + 1, x=()).depth(sin=3)


# -- the critical path -----------------------------------------------------------------------------


def test_a_critical_path_by_hand():
    def run(x, y):
        speed = px.math.mark("speed", 2, x[0] * x[1] + 1.0)
        return {"force": [speed * speed * y - x[1], x[0] + y]}

    path = px.trace(run, x=2, y=()).critical_path()
    assert [(s.op, s.mark, s.ready, s.slack) for s in path] == [
        ("mul", "speed[2]", 1, 0),
        ("add", "speed[2]", 2, 1),
        ("mul", "force[0]", 3, None),  # a square has no other argument
        ("mul", "force[0]", 4, 3),
        ("sub", "force[0]", 5, 4),
    ]
    assert path.end == "force[0]" and path.depth.time == 5 and len(path) == 5
    assert path[-1].node.op == "sub" and [step.op for step in path[1:3]] == ["add", "mul"]
    assert str(path) == "\n".join(
        [
            "run: force[0] is ready at 5, after 3 mul and 2 add",
            "",
            "ready  operation         slack  part of",
            "─────  ────────────────  ─────  ────────",
            "    1  %4 = x[0] * x[1]      0  speed[2]",
            "    2  %5 = 1 + %4           1",
            "    3  %6 = %5 * %5             force[0]",
            "    4  %7 = y * %6           3",
            "    5  %8 = x[1] - %7        4",
        ]
    )
    assert repr(path) == "<CriticalPath run: force[0] is ready at 5, after 3 mul and 2 add>"


def test_numbers_are_those_of_the_text():
    program = px.program(px.load("stanford"), algorithm="newton_euler")
    lines = program.balanced().text().splitlines()
    for row in str(program.critical_path()).splitlines()[4:]:
        number, _, rest = row.split()[1:4]
        (line,) = [line for line in lines if line.startswith(f"{number} = ")]
        assert len(rest) > 0 and line.split()[2] in ("mul", "add", "sub")
    path = program.critical_path(balanced=False)
    own = program.text().splitlines()
    first = str(path).splitlines()[4].split()[1]
    assert any(line.startswith(f"{first} = {path[0].op} ") for line in own)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5"])
def test_the_path_goes_out_along_the_links_and_in_again(name, balanced):
    program = px.program(px.load(name), algorithm="newton_euler")
    path = program.critical_path(balanced)
    marks = {f"{name}[{link}]" for name, link in program.graph.marks}
    assert {step.mark for step in path[:-3]} <= marks and path[-1].mark == path.end == "tau[0]"
    outward = ("omega", "alpha", "acceleration", "com_acceleration", "inertial")
    links = [(s.mark.startswith(outward), int(s.mark[-2])) for s in path]
    out, back = ([link for is_out, link in links if is_out is way] for way in (True, False))
    assert out == sorted(out) and out[-1] == 5 and len(set(out)) >= 4
    assert back == sorted(back, reverse=True) and back[0] >= 4 and len(set(back)) >= 4
    assert [is_out for is_out, _ in links] == [True] * len(out) + [False] * len(back)
    assert [s.ready for s in path] == list(range(1, path.depth.time + 1))
    assert sum(s.op == "mul" for s in path) == path.depth.mul


def test_a_path_of_weights_is_consistent():
    program = px.program(px.load("ur5"))
    times = {"mul": 4, "add": 3, "trig": 25}
    path = program.critical_path(**times)
    level = levels(program.balanced(**times).graph, Weights(**times))
    assert path.depth.time == max(level.values()) == path[-1].ready
    ready = 0
    for step in path:
        ready += times[{"sub": "add", "cos": "trig", "sin": "trig"}.get(step.op, step.op)]
        assert step.ready == ready
    assert any(step.op in ("sin", "cos") for step in path)


def test_divisions_on_the_path_are_told():
    path = px.trace(lambda x: px.math.sqrt(x / 3.0 + 1.0) * x, x=()).critical_path()
    assert [step.op for step in path] == ["div", "add", "sqrt", "mul"]
    assert repr(path).endswith("after 1 mul and 1 add and 2 div or sqrt>")


def test_nothing_to_wait_for():
    path = px.trace(lambda x: [x, -x, 2.0], x=()).critical_path()
    assert len(path) == 0 and path.depth.time == 0
    assert "is ready at 0, after 0 mul and 0 add" in str(path)


# -- width and size --------------------------------------------------------------------------------


@pytest.mark.parametrize("balanced", [True, False])
def test_width_goes_with_depth(balanced):
    for name in ("puma560", "ur5"):
        program = px.program(px.load(name))
        widths = program.width(balanced)
        assert len(widths) == program.depth(balanced).flops and all(widths)
        assert sum(widths) == program.count().flops


@pytest.mark.long
def test_a_hundred_thousand_operations():
    """Long chains of sums and products: no step of the passes is worse than n log n."""

    def run(x):
        total = 0.0
        values = list(x)
        for k in range(33_000):
            values.append(values[-1] * values[k % 7] + values[-3])
            total = total + values[-1]
        return total

    program = px.trace(run, x=8)
    assert program.count().flops == 99_000 - 1
    assert 33_000 < program.depth().time <= 2 * 33_000 + 20  # in seconds; a square takes minutes
