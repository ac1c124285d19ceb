"""Problems with known solutions, with which the self-test of an exported solver compares.

A test should find errors of the code, not problems whose search takes another path because of
rounding. Of many problems, those with the least change of controls by rounding are therefore kept.
"""

from collections.abc import Mapping
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from ...errors import ArgumentError, RobotWarning
from ...physics.configuration import integrate, neutral
from ...robots.model import PARAMETERS, parameter_values
from ..systems import RobotSystem

DRAWN, KEPT = 24, 4
SHARE = 0.1  # of tolerances: the largest change of results by rounding
# Of the errors printed by the test. In float32 a search ends where costs are equal up to rounding,
# and costs hardly change with controls there.
OF_CONTROLS = {"float64": 1e-9, "float32": 1e-2}
OF_COST = {"float64": 1e-9, "float32": 1e-4}
NEARBY = 1e-14  # changes of states, similar to rounding


class Problems(NamedTuple):
    """Arrays by name, (problems, *shape), and their solutions."""

    given: dict[str, np.ndarray]  # x0 and parameters; those per step (problems, N + 1, *shape)
    cost: np.ndarray
    controls: np.ndarray
    tolerances: tuple[float, float]  # of controls, of the cost


def problems(solver, dtype, iterations, given):
    """`solver` computes in float64. given: arrays by name, as for `solve`, or None."""
    arrays = _drawn(solver) if given is None else _whole(solver, given)
    arrays = {name: array.astype(dtype).astype(float) for name, array in arrays.items()}
    found = _solved(solver, arrays, iterations)
    if dtype == "float32":
        other = type(solver)(solver.problem, solver.horizon, dtype)
        nearby = _solved(other, {k: array.astype(dtype) for k, array in arrays.items()}, iterations)
    else:
        nearby = _solved(solver, arrays | {"x0": arrays["x0"] * (1 + NEARBY) + NEARBY}, iterations)
    tolerances = OF_CONTROLS[dtype], OF_COST[dtype]
    moved = np.maximum(
        _difference(nearby.us, found.us) / tolerances[0],
        _difference(nearby.cost[:, None], found.cost[:, None]) / tolerances[1],
    )
    order = np.argsort(moved, kind="stable")[:KEPT]  # NaN is sorted last
    kept = order[moved[order] <= SHARE]
    if not kept.size:
        raise ArgumentError(
            f"problems: after {iterations} iterations, rounding moves the results of all "
            f"{len(moved)} problems too far for a test of {dtype}; give other problems or "
            f"fewer iterations"
        )
    arrays = {name: array[kept] for name, array in arrays.items()}
    return Problems(arrays, found.cost[kept], found.us[kept], tolerances)


def _solved(solver, arrays, iterations):
    with catch_warnings():
        simplefilter("ignore", RobotWarning)  # a test of code may leave the limits of joints
        return solver.solve(**arrays, iterations=iterations)


def _difference(found, expected):
    """The largest difference of each problem, relative to the largest entry."""
    axes = tuple(range(1, expected.ndim))
    size = np.maximum(abs(expected).max(axes), np.finfo(np.float32).tiny)
    with np.errstate(invalid="ignore"):
        return abs(found - expected).max(axes) / size


def _drawn(solver):
    """Random problems, the same every time: states near the neutral one, unchanged parameters of
    the robot, and others between 1/2 and 3/2."""
    problem, rng = solver.problem, np.random.default_rng(0)
    system = problem.system
    x0 = rng.uniform(-0.5, 0.5, (DRAWN, system.ndx))
    arrays = {"x0": x0}
    if isinstance(system, RobotSystem):
        nv = system.robot.nv
        middle = neutral(system.robot)
        q = [integrate(system.robot, middle, row[:nv].tolist()) for row in x0]
        arrays["x0"] = np.hstack([np.array(q), x0[:, nv:]])
    for name, shape in problem.parameters.items():
        if isinstance(system, RobotSystem) and name in PARAMETERS:
            value = np.asarray(parameter_values(system.robot, name), float).reshape(shape)
            arrays[name] = np.tile(value, (DRAWN, *(1 for _ in shape)))
            continue
        times = (solver.horizon + 1,) if name in problem.per_step else ()
        arrays[name] = rng.uniform(0.5, 1.5, (DRAWN, *times, *shape))
    return arrays


def _whole(solver, given):
    """The given problems, each with all of its values."""
    problem, horizon = solver.problem, solver.horizon
    shapes = {"x0": (problem.system.nx,)}
    for name, shape in problem.parameters.items():
        shapes[name] = (horizon + 1, *shape) if name in problem.per_step else shape
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"problems: expected arrays by name, such as {{'x0': ...}}, "
            f"found {type(given).__name__}"
        )
    missing, extra = [*(shapes.keys() - given)], [*(given.keys() - shapes)]
    if missing or extra:
        raise ArgumentError(
            f"problems: expected arrays {', '.join(shapes)}; "
            + (f"{missing[0]} is missing" if missing else f"found {extra[0]}")
        )
    arrays = {name: np.asarray(value, float) for name, value in given.items()}
    for name, shape in shapes.items():
        found = arrays[name].shape
        if found[len(found) - len(shape) :] != shape or len(found) > len(shape) + 1:
            raise _misshapen(name, shape, found)
    count = len(np.atleast_2d(arrays["x0"]))
    for name, shape in shapes.items():
        found = arrays[name].shape
        if len(found) > len(shape) and found[0] not in (1, count):
            raise _misshapen(name, shape, found)
        arrays[name] = np.broadcast_to(arrays[name], (count, *shape))
    return arrays


def _misshapen(name, shape, found):
    return ArgumentError(
        f"problems ({name}): expected shape (problems, {', '.join(map(str, shape))}), found {found}"
    )
