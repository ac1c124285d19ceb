"""The functions of a robot by name, on states of random robots."""

from functools import cache

import numpy as np
import pytest
from support.robots import random_chain, random_robot, states

import paraxis as px
from paraxis.physics import ALGORITHMS, CHEAP, FROM_MOBILITIES, INVERSE_DYNAMICS
from paraxis.robot_functions import FUNCTIONS
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model

ABOUT_A_FRAME = [name for name, known in FUNCTIONS.items() if "frame" in known.options]
DIVIDING = ("forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives") + (
    "operational_space_inertia",
    "operational_space_inertia_inverse",
)  # by the mass matrix
every_function = pytest.mark.parametrize("function", FUNCTIONS)


def error(ours, reference):
    """The project's error measure for one state: of an array, or the worst of several."""
    if isinstance(reference, tuple):
        assert len(ours) == len(reference)
        return max(error(*pair) for pair in zip(ours, reference, strict=True))
    ours, reference = np.asarray(ours), np.asarray(reference)
    assert ours.shape == reference.shape
    return abs(ours - reference).max() / max(1.0, abs(reference).max())


def state(robot, seed=0):
    """One state, as the values of the inputs functions have."""
    q, qd, qdd = (rows[1] for rows in states(robot, 2, seed))
    tau = np.random.default_rng(seed).uniform(-9, 9, robot.n)
    of_positions = {"v": qd, "q0": q, "q1": q + qd}
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau} | of_positions


def inputs(function, given):
    return [given[name] for name in FUNCTIONS[function].inputs]


@cache
def program(robot, function, algorithm=None, frame=None, coordinates=None, parameters=()):
    return px.program(robot, function, algorithm, parameters, frame, coordinates)


def value(robot, function, given, **options):
    """By the interpreter, of the Program that `px` would compile; several outputs as a tuple."""
    options = {name: option for name, option in options.items() if option is not None}
    made = program(robot, function, parameters=tuple(given.keys() - STATE), **options)
    found = made.evaluate(**{name: given[name] for name in made.inputs})
    return tuple(found.values()) if isinstance(found, dict) else found


def interpreted(function, robot, *arrays, frame=None, **parameters):
    """The same as `px.<function>(robot, ...)`, without compiling: of one state."""
    made = program(robot, function, frame=frame, parameters=tuple(parameters))
    given = dict(zip(made.inputs, (*arrays, *parameters.values()), strict=True))
    found = made.evaluate(**given)
    return tuple(found.values()) if isinstance(found, dict) else found


STATE = {"q", "qd", "qdd", "tau", "v", "q0", "q1"}


def on_floats(robot, function, algorithm, given, **options):
    """By the algorithm itself, without a graph."""
    arrays = [array.tolist() for array in inputs(function, given)]
    found = ALGORITHMS[function][algorithm](Model(robot), *arrays, **options)
    return np.array(found if isinstance(found, (float, complex)) else [*found])


def random_tree(seed, joints=(3, 5)):
    """A random robot that branches."""
    while not (robot := random_robot(seed, joints)).branching:
        seed += 1000
    return robot


def short_chain(function):
    """A chain for a function: short, but where it must the last frame can go every way."""
    return (
        px.load("stanford") if function == "operational_space_inertia" else random_chain(5, (3, 3))
    )


# few joints: derivatives, of which tests make many, grow with the square of their number
ROBOTS = [random_tree(1), random_tree(8, (3, 3)), random_chain(0, (3, 3)), random_robot(4, (1, 2))]
on_random_robots = pytest.mark.parametrize("robot", ROBOTS, ids=range(len(ROBOTS)))


def places(robot, most):
    """Some frames of a robot, spread over it, the last one among them."""
    return robot.frames[:: -max(1, len(robot.frames) // most)][:most]


def is_free(robot, frame):
    """Whether six joints or more move a frame."""
    return frame.body != WORLD and len(Model(robot).ancestors[frame.body]) >= 5


def quick(function):
    """The algorithms of a function that are quick on floats, and for all robots."""
    slow = {*INVERSE_DYNAMICS, *FROM_MOBILITIES} - {*CHEAP}
    return [name for name in px.algorithms(function) if name not in slow]
