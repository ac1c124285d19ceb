"""Counts, depths and widths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.expressions import EXPRESSIONS, traceable

import paraxis as px
from paraxis.passes.count import count
from paraxis.passes.depth import depth, levels, width
from paraxis.passes.fuse import fuse
from paraxis.physics import CHEAP
from paraxis.spatial import Rotation, Vector


def numbers(program):
    c, d = program.count(), program.depth()
    return (c.mul, c.add, c.div, c.sqrt, c.trig, c.logic, c.flops), (d.mul, d.add, d.flops)


def test_counts_and_depths_by_hand():
    counted = px.trace(lambda a, b, c: (a + b) * c, a=(), b=(), c=())
    assert numbers(counted) == ((1, 1, 0, 0, 0, 0, 2), (1, 1, 2)) and counted.width() == [1, 1]
    # a polynomial, Horner: every operation waits for the one before
    horner = px.trace(lambda x: ((2 * x + 3) * x + 4) * x + 5, x=())
    assert numbers(horner) == ((3, 3, 0, 0, 0, 0, 6), (3, 3, 6)) and horner.width() == [1] * 6
    # a dot product as Vector writes it: three products at once, then two sums in a row
    dot = px.trace(lambda a, b: Vector(*a) @ Vector(*b), a=3, b=3)
    assert numbers(dot) == ((3, 2, 0, 0, 0, 0, 5), (1, 2, 3)) and dot.width() == [3, 1, 1]
    # 3x3 times vector: 9 products, 6 sums, 3 rows at once
    product = px.trace(lambda m, v: Rotation(*m) @ Vector(*v), m=(3, 3), v=3)
    assert numbers(product) == ((9, 6, 0, 0, 0, 0, 15), (1, 2, 3)) and product.width() == [9, 3, 3]
    matrices = px.trace(lambda m: [list(r) for r in Rotation(*m) @ Rotation(*m)], m=(3, 3))
    assert matrices.count().mul == 27 - 3 and matrices.count().add == 18  # 3 products are shared
    m = np.arange(9.0).reshape(3, 3)
    assert np.array_equal(matrices.evaluate(m=m), m @ m)
    # signs are free; sines, roots, quotients and choices have counters of their own
    odd = px.trace(
        lambda x: -px.math.sin(-x) / px.math.sqrt(abs(x)) - px.math.maximum(x, px.math.cos(x)), x=()
    )
    assert numbers(odd) == ((0, 1, 1, 1, 2, 2, 3), (0, 1, 3)) and odd.width() == [1, 1, 1]
    assert str(odd.count()) == "3 flops (1 add, 1 div, 1 sqrt, 2 trig, 2 logic)"
    # the longest path is not through the most operations
    wide = px.trace(lambda x: sum(x[:4]) + x[4] * x[5] * x[6], x=7)
    assert wide.depth(balanced=False).flops == 4 and wide.width(balanced=False) == [2, 2, 1, 1]
    # and a balanced sum is shorter
    assert wide.depth().flops == 3 and wide.width() == [3, 2, 1]
    # constants and inputs alone cost nothing
    free = px.trace(lambda x: [x, -x, 5.0], x=())
    assert numbers(free) == ((0,) * 7, (0, 0, 0)) and free.width() == []
    assert repr(free) == "<Program program(x[]) -> result[3]: 0 flops>"
    assert repr(counted) == "<Program program(a[], b[], c[]) -> result[]: 2 flops (1 mul, 1 add)>"


def test_what_an_output_does_not_need_is_not_counted():
    def function(x):
        px.math.sqrt(x) * 3  # forgotten
        return x + 1

    assert px.trace(function, x=()).count().flops == 1


def consistent(graph):
    total, longest, busy = count(graph), depth(graph), width(graph)
    assert sum(busy) == total.flops and len(busy) == longest.flops
    assert all(busy) or total.flops == 0
    assert longest.mul <= total.mul and longest.add <= total.add
    assert longest.mul + longest.add <= longest.flops
    level = levels(graph)
    for node in graph.nodes:
        for argument in node.args:
            assert level[argument.index] <= level[node.index]


@settings(max_examples=150)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_counts_depths_and_widths_agree(expressions):
    graph = traceable(*expressions)
    consistent(graph)
    consistent(fuse(graph))


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5", "planar3"])
def test_counts_depths_and_widths_of_robots_agree(name):
    for algorithm in CHEAP:
        graph = px.program(px.load(name), algorithm=algorithm).graph
        consistent(graph)
        consistent(fuse(graph))
