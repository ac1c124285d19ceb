"""Functions of a robot, and any Program, inside JAX.

`paraxis.jax.inverse_dynamics(robot, q, qd, qdd)`, ... have the signatures of their namesakes in
`paraxis`, except `out`: JAX arrays are immutable. `jit`, `vmap`, and derivatives of any order in
either direction work. See docs/howto/gpu/jax.md for what runs where.
"""

from ..errors import MissingPackageError

try:
    import jax  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        "paraxis.jax needs the package jax: pip install 'paraxis[jax]'"
    ) from error

from ..frameworks.functions import functions_of_robots
from ..frameworks.simulated import simulate_of
from ..frameworks.solved import solve_of
from ..frameworks.tangent import tangent_of
from .from_program import function
from .simulated import run as _simulated
from .solved import run as _solved

_functions = functions_of_robots("jax", function)
tangent = tangent_of("jax", _functions["integrate"])
simulate = simulate_of("jax", _simulated)
solve = solve_of("jax", _solved)
globals().update(_functions)
__all__ = ["function", "simulate", "solve", "tangent", *_functions]


def __dir__():
    return __all__
