"""Lee and Chang's equations for the PUMA, as printed: they are right and take the printed tasks."""

import math
from itertools import product

import numpy as np
import pytest
from paraxis_papers.cordic import appendix_a

import paraxis as px
from paraxis.hardware.tasks.decompose import decompose
from paraxis.hardware.tasks.tasks import Constant, Input, Operand, Result, Task
from paraxis.physics.inverse_kinematics.puma import joint_angles
from paraxis.robots.puma_geometry import puma_geometry

PUMA = px.load("puma560")
GEOMETRY = puma_geometry(PUMA, PUMA.tool())


def printed(*choice):
    """The Program of Lee and Chang's equations."""
    return px.trace(lambda pose: appendix_a.joint_angles(GEOMETRY, pose, *choice), pose=(4, 4))


def ours(*choice):
    """The Program of one solution of the inverse kinematics."""
    return px.trace(
        lambda pose: GEOMETRY.positions(joint_angles(GEOMETRY, pose, *choice)), pose=(4, 4)
    )


def apart(a, b):
    """The largest difference, modulo whole turns."""
    return abs(np.remainder(a - b + math.pi, 2 * math.pi) - math.pi).max()


@pytest.mark.parametrize("choice", list(product((1, -1), repeat=2)), ids=str)
def test_the_printed_equations_take_the_papers_25_tasks_in_18_stages(choice):
    program = printed(*choice)
    tasks = decompose(program.graph, identities=False)
    assert (len(tasks.tasks), tasks.stages) == (25, 18)
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (20, PUMA.n))
    pose = px.forward_kinematics(PUMA, q)
    found = program.evaluate(pose=pose)
    assert apart(found, ours(*choice, 1).evaluate(pose=pose)) < 1e-9
    assert apart(tasks.evaluate(pose=pose)["result"], found) < 1e-9


def test_the_papers_first_three_tasks():
    """Section 2.2 of Lee and Chang: r with its angle, sqrt(r² - d2²), θ1."""
    first, second, third = decompose(printed(1, 1).graph, identities=False).tasks[:3]
    x, y = Operand(Input("pose", 3)), Operand(Input("pose", 7))
    zero, d2 = Operand(Constant(0.0)), 0.2435 - 0.0934
    assert first == Task("vector", x, y, zero)
    assert (second.kind, second.x) == ("root", Operand(Result(0, "X")))
    assert (third.kind, third.x, third.z) == (
        "vector",
        Operand(Result(1, "X")),
        Operand(Result(0, "Z")),
    )
    assert second.y.source.value == pytest.approx(d2) == -third.y.source.value
