"""Exported source for a robot with joints of every kind: dynamics, and positions moved."""

import numpy as np
import pytest
from support.exported import SOURCES, TOLERANCE, compiled, error

import paraxis as px
from paraxis.robots import Coupling, Inertia, Joint, Pose

LINK = Inertia.of(1.0, (0.2, 0.05, -0.1), (0.01, 0.02, 0.015))
THERE = Pose(translation=(0.3, 0.1, 0.0))
JOINTS = [
    Joint("base", "free"),
    Joint("left", "revolute", 0, THERE),
    Joint("right", "revolute", 0, THERE, coupling=Coupling("left", (0.1, -1.0, 0.3))),
    Joint("ball", "spherical", 0, THERE),
    Joint("slide", "planar", 3, THERE),
]
ROBOT = px.Robot("every", JOINTS, [LINK] * len(JOINTS), warn=False)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "integrate", "difference")


@pytest.fixture(scope="module")
def programs():
    # forward dynamics of coupled joints has no algorithm of its own
    chosen = {"inverse_dynamics": "newton_euler"}
    return {name: px.program(ROBOT, name, chosen.get(name)) for name in FUNCTIONS}


def states(program, count=3):
    rng = np.random.default_rng(0)
    given = []
    for shape in program.inputs.values():
        rates = rng.normal(size=(count, ROBOT.nv))
        position = px.integrate(ROBOT, px.neutral(ROBOT), rates)
        given.append(position if shape == (ROBOT.nq,) else rates)
    return given


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("language", SOURCES)
def test_exported_functions_agree_with_the_interpreter(language, function, programs, tmp_path):
    program = programs[function]
    given = states(program)
    found = compiled(program, language, tmp_path, optimise="-O0")(*given)
    found = found[0] if isinstance(found, list | tuple) else found
    expected = program.evaluate(**dict(zip(program.inputs, given, strict=True)))
    assert error(found, expected) <= TOLERANCE["float64"]
