"""Rows of stages: what they read and make, what identifies them, and what is refused."""

import numpy as np
import pytest

import paraxis as px
from paraxis.body import Body, spelt
from paraxis.drivers.row import Row, Stage, made_row
from paraxis.graph.trace import trace


def scaled(factor):
    return trace(lambda x: {"y": [factor * e for e in x]}, {"x": (2,)}, "scaled")


def halving(y, n, small):
    size = abs(y[0]) + abs(y[1])
    return {"z": [0.5 * e for e in y], "count": n + 1.0, "stop": px.math.less(size, small)}


def last(x, y, z):
    return {"sum": [a + b + c for a, b, c in zip(x, y, z, strict=True)]}


SCALED = Body(scaled, 3.0)
HALVING = px.trace(halving, y=2, n=(), small=())
LAST = px.trace(last, x=2, y=2, z=2)
CARRY = {"y": "z", "n": "count"}


def row(repeat=5, carry=CARRY, until="stop", name="three"):
    return Row([Stage(SCALED), Stage(HALVING, repeat, carry, until), Stage(LAST)], name)


def test_what_it_reads_and_makes():
    three = row()
    assert three.inputs == {"x": (2,), "n": (), "small": ()}
    assert three.outputs == {"y": (2,), "z": (2,), "count": (), "stop": (), "sum": (2,)}
    assert three.name == "three"
    assert three.cost == SCALED.cost + 5 * HALVING.cost + LAST.cost


def test_what_it_means():
    """By hand: states stop at different repetitions, and y is still what the first stage made."""
    x = np.array([[1.0, 1.0], [0.1, 0.0], [8.0, 0.0], [np.nan, 0.0]])
    found = row().evaluate(x=x, n=0.0, small=1.0)
    assert found["count"].tolist() == [4.0, 1.0, 5.0, 5.0]
    assert found["stop"].tolist() == [1.0, 1.0, 0.0, 0.0]
    halves = 0.5 ** found["count"][:3, None]
    assert (found["z"][:3] == 3 * x[:3] * halves).all()
    assert np.allclose(found["sum"][:3], x[:3] * (1 + 3 + 3 * halves))
    once = row(1).evaluate(x=x, n=0.0, small=1.0)
    assert once["count"].tolist() == [1.0] * 4


def test_an_output_hides_the_input_of_its_name():
    again = px.trace(lambda x: {"x": x + 1.0}, x=())
    use = px.trace(lambda x: {"y": x * 10.0}, x=())
    both = Row([Stage(again, 3, {"x": "x"}), Stage(use)])
    assert both.inputs == {"x": ()} and both.outputs == {"x": (), "y": ()}
    found = both.evaluate(x=2.0)
    assert found["x"] == 5.0 and found["y"] == 50.0


def test_keys():
    rows = [
        row(), row(6), row(until=None), row(carry={"y": "z"}), row(name="other"),
        Row(row().stages[:2], "three"), Row([Stage(Body(scaled, 2.0)), *row().stages[1:]], "three"),
    ]  # fmt: skip
    assert len({each.key for each in rows}) == len({spelt(each) for each in rows}) == len(rows)
    assert row().key == row().key


def test_graphs_are_made_when_they_are_needed():
    lazy = Row([Stage(Body(scaled, 4.0))])
    assert lazy.key and "graph" not in lazy.stages[0].body.__dict__
    assert lazy.made().inputs == {"x": (2,)}
    assert "graph" not in lazy.stages[0].body.__dict__  # for one use only
    assert lazy.inputs == {"x": (2,)}
    assert lazy.made() is lazy.linked


def test_a_body_is_a_row_of_one():
    one = made_row(SCALED)
    assert one.name == "scaled" and one.cost == SCALED.cost
    assert one.inputs == SCALED.inputs and one.outputs == SCALED.outputs


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Row([]), "stages: expected at least one"),
        (lambda: Row([SCALED]), "stages: expected Stages, found a Body"),
        (lambda: Stage(row()), "stage: expected a Body, found Row"),
        (lambda: Stage(SCALED, 0), "repeat: expected an integer >= 1, found 0"),
        (lambda: Stage(SCALED, 2.5), "repeat: expected an integer >= 1, found 2.5"),
        (lambda: Stage(SCALED, 2), "a stage that is repeated must carry at least one input"),
        (lambda: Stage(SCALED, 2, "y"), "carry: expected a dict"),
        (
            lambda: row(carry={"w": "z"}).inputs,
            r"carry of stage 2 \(halving\): expected one of 'y', 'n', 'small', found 'w'",
        ),
        (
            lambda: row(carry={"y": "w"}).outputs,
            r"carry of y in stage 2 \(halving\): expected one of 'z', 'count', 'stop', found 'w'",
        ),
        (
            lambda: row(carry={"y": "count"}).cost,
            r"y has shape \(2,\), but count, which becomes it, has shape \(\)",
        ),
        (
            lambda: row(carry={"n": "count", "small": "count"}).made(),
            "two inputs cannot be carried from the same output",
        ),
        (
            lambda: row(until="z").made(),
            r"until of stage 2 \(halving\): expected a scalar output, found z of shape \(2,\)",
        ),
        (lambda: row(until="y").made(), r"until of stage 2 \(halving\): expected one of 'z'"),
        (
            lambda: Row([Stage(SCALED), Stage(Body(scaled, 2.0))]).made(),
            r"stage 2 \(scaled\) makes y, as stage 1 \(scaled\) does; rename one of them",
        ),
        (
            lambda: Row([Stage(SCALED), Stage(px.trace(lambda y: y[0], y=3))]).made(),
            r"stage 2 .* reads y of shape \(3,\), but stage 1 \(scaled\) makes it of shape \(2,\)",
        ),
        (
            lambda: Row([Stage(SCALED), Stage(px.trace(lambda x: x[0], x=3))]).made(),
            r"stage 2 .* reads x of shape \(3,\), but stage 1 \(scaled\) reads it of shape \(2,\)",
        ),
        (lambda: row().evaluate(x=[1.0, 2.0], n=0.0), "inputs of three: 'small' is missing"),
        (
            lambda: row().evaluate(x=[1.0, 2.0], n=0.0, small=1.0, y=1.0),
            "inputs of three: expected only 'x', 'n', 'small', found 'y'",
        ),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(px.ArgumentError, match=message):
        make()


def test_what_only_a_later_stage_makes_is_explained():
    backwards = Row([Stage(LAST), Stage(SCALED)]).made()

    class Plan:
        inputs, outputs = {"x": (2,), "z": (2,)}, backwards.outputs

    message = r"'y' is missing, which stage 1 \(last\) reads; it is made only by stage 2 \(scaled\)"
    with pytest.raises(px.ArgumentError, match=message):
        backwards.check(Plan)
