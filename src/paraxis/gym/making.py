"""`px.gym.make`: environments of gymnasium by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from ..checks import one_of
from ..errors import ArgumentError, MissingPackageError
from .balancing import balance
from .reaching import reach
from .task import Task
from .walking import walk

if TYPE_CHECKING:
    import gymnasium

    from .single_env import SingleEnvironment
    from .vector_env import VectorEnvironment

TASKS: dict[str, Callable[..., Task]] = {"balance": balance, "reach": reach, "walk": walk}


def make(
    task: str | Task,
    num_envs: int = 1,
    *,
    autoreset_mode: str | gymnasium.vector.AutoresetMode = "NextStep",
    like: Any = None,
    dtype: DTypeLike = "float64",
    **options: Any,
) -> VectorEnvironment:
    """Return a batch of robots at a task, as a `gymnasium.vector.VectorEnv`.

    **Arguments:**

    - `task`: `"balance"`, `"reach"` or `"walk"`, or a `px.gym.Task`.
    - `num_envs`: how many robots.
    - `autoreset_mode`: gymnasium's `"NextStep"`, `"SameStep"` or `"Disabled"`.
    - `like`: an array on the device where robots are simulated, of the library that observations
      are wanted in: CuPy, PyTorch or JAX. By default NumPy, on the CPU.
    - `dtype`: of the simulation, `"float64"` or `"float32"`. Observations are float32.
    - `options`: of the task, such as `robot`: the arguments of `px.gym.balance`, `px.gym.reach` and
      `px.gym.walk`.

    **Returns:** a `gymnasium.vector.VectorEnv`, with arrays `(num_envs, ...)`.

    **Raises:** `px.MissingPackageError` if gymnasium is not installed; `px.ArgumentError` if
    arguments are not valid.

    **Example:**

    >>> env = px.gym.make("balance", num_envs=64)
    >>> observations, info = env.reset(seed=0)
    >>> actions = np.zeros((64, 1), np.float32)
    >>> observations, rewards, terminated, truncated, info = env.step(actions)
    >>> observations.shape, rewards.shape
    ((64, 5), (64,))
    """
    _require_gymnasium()
    from .vector_env import VectorEnvironment  # here, as it needs gymnasium

    return VectorEnvironment(task_of(task, options), num_envs, autoreset_mode, like, dtype)


def make_single(
    task: str | Task, *, dtype: DTypeLike = "float64", **options: Any
) -> SingleEnvironment:
    """Return one robot at a task, as a `gymnasium.Env` on the CPU.

    Reset with seed s, it does what robot k of `px.gym.make` does that is reset with seed s - k.

    **Arguments:**

    - `task`: `"balance"`, `"reach"` or `"walk"`, or a `px.gym.Task`.
    - `dtype`: of the simulation, `"float64"` or `"float32"`. Observations are float32.
    - `options`: of the task, as of `px.gym.make`.

    **Returns:** a `gymnasium.Env`.

    **Raises:** as `px.gym.make`.

    **Example:**

    >>> env = px.gym.make_single("balance", swing_up=True)
    >>> observation, info = env.reset(seed=0)
    >>> env.step(env.action_space.sample())[0].shape
    (5,)
    """
    _require_gymnasium()
    from .single_env import SingleEnvironment

    return SingleEnvironment(task_of(task, options), dtype)


def task_of(task: str | Task, options: dict[str, Any]) -> Task:
    """The task of a name, made with these options, or one that is given."""
    if not isinstance(task, Task):
        one_of(task, TASKS, "task")
        return TASKS[task](**options)
    if options:
        raise ArgumentError(
            f"make: {next(iter(options))} is an option of tasks that are given by name"
        )
    return task


def _require_gymnasium():
    try:
        import gymnasium.vector  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            "px.gym.make needs the package gymnasium: pip install 'paraxis[gym]'"
        ) from error
