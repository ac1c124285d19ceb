"""Random parameters of robots, for the `randomize` of a `px.Simulator`."""

from collections.abc import Callable

import numpy as np

from ..errors import ArgumentError
from ..robots.model import PARAMETERS, parameter_values
from ..robots.robot import Robot


def scaled(robot: Robot, name: str, low: float, high: float) -> Callable:
    """A function that draws a parameter of each robot: its own values times random factors.

    **Arguments:**

    - `robot`: the robot.
    - `name`: of a parameter, such as `"mass"`: see `px.parameter_values`.
    - `low`, `high`: the range of the factors, which are uniformly distributed, one per number.

    **Returns:** `draw(rng, count)`, for `px.Simulator(robot, randomize={name: draw})`.

    **Raises:** `px.ArgumentError` if there is no such parameter, or `low` is above `high`.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> masses = px.simulation.scaled(robot, "mass", 0.8, 1.2)
    >>> simulator = px.Simulator(robot, dt=1e-3, randomize={"mass": masses}, seed=0)
    >>> state = simulator.reset(np.zeros((1000, 1)))
    >>> masses(np.random.default_rng(0), 3)
    array([[1.055],
           [0.908],
           [0.816]])
    """
    if not low <= high:
        raise ArgumentError(f"scaled: expected low <= high, found {low} and {high}")
    if name not in PARAMETERS:
        raise ArgumentError(
            f"scaled: expected one of {', '.join(PARAMETERS)}, found {name!r}; of anything else, "
            f"write a function draw(rng, count) that returns {name} of count robots"
        )
    values = np.array(parameter_values(robot, name))

    def draw(rng: np.random.Generator, count: int) -> np.ndarray:
        return values * rng.uniform(low, high, (count, *values.shape))

    return draw
