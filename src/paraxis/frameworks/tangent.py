"""A function of positions as a function of the velocities that move them."""

from collections.abc import Callable

from ..errors import ArgumentError
from ..robots.robot import Robot, a_robot
from .description import described


def tangent_of(framework: str, integrate: Callable) -> Callable:
    """`tangent` of a framework, in which `integrate` moves positions."""

    def tangent(robot: Robot, function: Callable) -> Callable:
        """Return a function of positions as a function of a velocity and positions.

        Its derivatives by the velocity, where that is zero, are those of the function over the
        tangent space: they have an entry for each of the nv velocities, and second derivatives are
        symmetric. Derivatives by positions themselves are over the nq numbers of q.

        **Arguments:**

        - `robot`: the robot whose positions they are.
        - `function`: a function of positions, `(..., nq)`, and of anything else.

        **Returns:** a function of (v, q, ...), which is `function` of
        (`integrate(robot, q, v)`, ...).

        **Raises:** `px.ArgumentError` if `function` cannot be called.
        """
        a_robot(robot)
        if not callable(function):
            raise ArgumentError(
                f"tangent: expected a function of positions, found {type(function).__name__}"
            )

        def moved(v, q, *others, **named):
            return function(integrate(robot, q, v), *others, **named)

        return moved

    return described(tangent, framework)
