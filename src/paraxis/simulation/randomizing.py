"""Random parameters of robots, for the `randomize` of a `px.Simulator`."""

from collections.abc import Callable

import numpy as np

from ..errors import ArgumentError
from ..robots.model import PARAMETERS, parameter_values
from ..robots.robot import Robot


def scaled(robot: Robot, name: str, low: float, high: float) -> Callable:
    """A function that draws a parameter of each robot: its own value times factors between `low`
    and `high`, one per number, evenly distributed.

    **Arguments:** `name`, as `"mass"`, of a parameter that the robot has (`px.parameter_values`).

    **Returns:** `draw(rng, count)`, for `px.Simulator(robot, randomize={name: draw})`.
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
