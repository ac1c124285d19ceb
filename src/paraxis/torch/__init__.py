"""Functions of a robot, and any Program, with gradients in PyTorch.

`paraxis.torch.inverse_dynamics(robot, q, qd, qdd)`, ... have the signatures of their namesakes in
`paraxis`, except `out`. They take tensors on the CPU or on a GPU and are differentiable there, any
number of times, backward and forward, by kernels of derivative Programs. See
docs/howto/gpu/torch.md.
"""

from ..errors import MissingPackageError

try:
    import torch  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        "paraxis.torch needs the package torch: pip install 'paraxis[torch]'"
    ) from error

from ..frameworks.functions import functions_of_robots
from ..frameworks.simulated import simulate_of
from ..frameworks.solved import solve_of
from ..frameworks.tangent import tangent_of
from .from_program import function
from .simulated import run as _simulated
from .solved import run as _solved

_functions = functions_of_robots("torch", function)
tangent = tangent_of("torch", _functions["integrate"])
simulate = simulate_of("torch", _simulated)
solve = solve_of("torch", _solved)
globals().update(_functions)
__all__ = ["function", "simulate", "solve", "tangent", *_functions]


def __dir__():
    return __all__
