"""Marks: names of values that outlive simplification, passes and text."""

import numpy as np
import pytest
from support.robots import random_robot, states

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.graph.evaluate import evaluate
from paraxis.passes.rebuild import rebuild
from paraxis.physics import ALGORITHMS, modified_newton_euler, newton_euler, spatial_newton_euler
from paraxis.physics.parts import inward
from paraxis.robots.model import Model
from paraxis.spatial import Vector

MODULES = {
    "newton_euler": newton_euler,
    "modified_newton_euler": modified_newton_euler,
    "spatial": spatial_newton_euler,
}
INERTIAL = ("inertial_force", "inertial_moment")
INWARD = ("force", "moment", "carried_force", "carried_moment")
MARKS = {
    "newton_euler": ("omega", "alpha", "acceleration", "com_acceleration", *INERTIAL, *INWARD),
    "modified_newton_euler": ("omega", "alpha", "lambda", "acceleration", *INERTIAL, *INWARD),
    "spatial": ("velocity", "acceleration", "force"),
}


@pytest.mark.parametrize("algorithm", MODULES)
@pytest.mark.parametrize("source", range(4))
def test_marked_values_are_those_of_the_recursion_on_floats(algorithm, source, monkeypatch):
    robot = random_robot(source) if source else px.load("puma560")
    seen = {}

    def record(name, link, value):
        seen[f"{name}.{link}"] = [float(v) for v in value.scalars()]
        return value

    monkeypatch.setattr(MODULES[algorithm], "mark", record)
    monkeypatch.setattr(inward, "mark", record)
    state = [list(rows[1]) for rows in states(robot, 2)]
    tau = ALGORITHMS["inverse_dynamics"][algorithm](Model(robot), *state)
    monkeypatch.undo()

    program = px.program(robot, algorithm=algorithm)
    assert set(program.marks) <= set(MARKS[algorithm])  # nothing is carried where links are single
    program = program.with_marks(*program.marks)
    found = program.evaluate(**dict(zip(("q", "qd", "qdd"), state, strict=True)))
    assert np.array_equal(found.pop("tau"), tau)
    for name, values in found.items():
        assert np.array_equal(values, seen[name]), name
    # only values that never change have nothing to mark
    still = {name for name, values in seen.items() if name not in found}
    assert all(not any(seen[name]) or "acceleration." in name for name in still)
    assert {f"force.{i}" for i in range(robot.n)} <= found.keys()


def test_marks_outlive_simplification_passes_and_text():
    def function(x):
        hidden = px.math.mark("hidden", 2, x[0] * x[1])  # the result does not need it
        px.math.mark("pair", 0, [x[0] + 0, hidden * 1])
        px.math.mark("vector", 1, Vector(x[0], 0.0, x[1]))
        return px.math.mark("seen", 3, x[0] + x[1]) * 2

    program = px.trace(function, x=2)
    expected = {"hidden.2": [12], "pair.0": [3, 12], "vector.1": [3, 0, 4], "seen.3": [7]}
    rebuilt = rebuild(program.graph, lambda builder, node, arguments: None)
    for graph in (program.graph, px.parse(program.text()).graph, rebuilt):
        found = evaluate(graph.with_marks("hidden", "pair", "vector", "seen"), {"x": [3, 4]})
        assert found.pop("result") == 14
        assert {name: values.tolist() for name, values in found.items()} == expected
    only = program.with_marks("seen")
    assert only.outputs == {"result": (), "seen.3": (1,)}
    assert program.count().mul == 1 and program.with_marks("hidden").count().mul == 2
    with pytest.raises(ArgumentError, match=r"mark: expected one of 'hidden', .*found 'omega'"):
        program.with_marks("omega")


def test_a_mark_returns_its_value_and_means_nothing_to_floats():
    vector = Vector(1.0, 2.0, 3.0)
    assert px.math.mark("m", 0, vector) is vector and px.math.mark("m", 0, 2.5) == 2.5
