"""`px.simulate`: robots moving in time, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import did_you_mean
from ..dynamics.contacts.contact import Contact
from ..errors import ArgumentError
from ..robots.model import AXES, PARAMETERS
from ..robots.robot import Robot, a_robot
from ..targets.blocks import Place, is_lazy, results_over_blocks
from .adaptive import MOST_ATTEMPTS
from .ground.ground import Ground
from .limits import Limits
from .run import Run
from .simulator import OF_GROUND, Simulator


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    tau: ArrayLike | None = None,
    controller: Callable | None = None,
    *,
    dt: float,
    steps: int,
    ground: Ground | None = None,
    limits: bool | Limits = True,
    contact: Contact | Sequence[Contact] | None = None,
    method: str | None = None,
    per_step: dict[str, ArrayLike] | None = None,
    every: int = 1,
    tolerance: float = 1e-9,
    max_step: float | None = None,
    max_attempts: int = MOST_ATTEMPTS,
    **keywords: ArrayLike,
) -> Run:
    """Simulate a batch of robots for `steps` steps of `dt` seconds.

    Torques come from `tau` or from `controller`; with neither, the joints are free. They are
    torques on the motors' shafts, as `input` of `px.motor_torques`; without a transmission these
    are the joint torques. Joints and motors keep to the limits of the robot's description.

    To step robots, look at them and step again, use a `px.Simulator`.

    **Arguments:**

    - `robot`: the robot, whose friction and transmissions take part. Closed loops are kept closed
      by their `stabilisation`.
    - `q0`, `qd0`: initial positions `(..., nq)` and rates `(..., nv)`, rad or m, and per second:
      one robot per state of the batch.
    - `tau`: constant torques, `(..., nv)`, or torques per step, `(steps, ..., nv)`, with one axis
      more than the batch; N m or N.
    - `controller`: a function `controller(t, q, qd)` that returns n torques; it is called at every
      stage of a step. Written with px functions or array arithmetic, it is compiled with the
      physics. A controller with memory (`px.control.with_memory`) is called once per step. Any
      other callable runs as Python, on the whole batch at once, with a warning.
    - `dt`: seconds per step. With `"adaptive"`, the interval in which steps are chosen.
    - `steps`: number of steps.
    - `ground`: a `px.simulation.Ground`: contact that opens and closes, with friction.
    - `limits`: whether joints stop at their limits, and motors bring no more than they can: True,
      False, or `px.simulation.Limits(...)`, which says how.
    - `contact`: a `px.Contact` that stays where it is, or a list of them. Contacts are bilateral:
      they never release. Without an anchor, a stabilised contact in world coordinates is anchored
      where each robot begins. Once it is singular, the robot's states are NaN from the next step
      on.
    - `method`: `"rk4"`, `"semi_implicit_euler"` or `"adaptive"` (Dormand and Prince's fifth order,
      with steps of its own for each robot). By default `"rk4"`, and on the ground
      `"semi_implicit_euler"`.
    - `per_step`: settings of the controller that have a value per step, by name, with the steps as
      first axis and the batch (or 1) as the next ones: references, disturbances.
    - `every`: record the state after every `every`-th step; a divisor of `steps`.
    - `tolerance`: of adaptive steps: the error of a coordinate x per step is at most
      tolerance * (1 + abs(x)), where the 1 is a radian or, for a prismatic joint, the length of
      the robot.
    - `max_step`: longest adaptive step in seconds. Steps are as long as the tolerance allows, so a
      torque that comes and goes within one can be missed: choose `max_step` no longer than the
      shortest such torque lasts.
    - `max_attempts`: adaptive steps, rejected ones included, that a robot may take in one `dt`. If
      it needs more, its states are NaN from there on; `.out_of_attempts_at` is the time it reached.
    - `keywords`: parameters of the robot, one set per robot, as `mass=(..., n)`; on the ground,
      `friction=(..., k)` of the k contacts, and `restitution=(...)`. Others are
      settings that the controller takes by these names, with the batch as first axes (1 where
      robots share them, or a single number for all): gains per robot, say, without recompiling.

    **Returns:** a `px.simulation.Run` with the recorded states `.t`, `.q` and `.qd`, in float64,
    the first of which is the initial state; in contact or with closed loops, also the forces
    `.force` and `.loop_force`, as of `px.constrained_forward_dynamics`, and the `.drift`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, if `q0` leaves a loop open
    (`px.kinematics.close` closes it), or if `qd0` moves a frame against its contact or opens a loop
    (`px.project_velocity` makes rates that do not). Ctrl-C raises
    `px.Interrupted`, a KeyboardInterrupt, whose `.partial` is the Run so far.

    Friction has the smooth direction of motion that `px.robots.Friction` describes, which is stiff
    where a joint comes to rest: `"adaptive"` takes the steps it needs, and `"rk4"` warns if `dt` is
    too long. `"semi_implicit_euler"` takes friction at the rates after the step, so that stiff
    friction does not limit `dt`; but the rest of the motion does, and it is of first order.

    If arrays are on a GPU (CuPy, PyTorch or JAX), all of them must be, and so are those of the
    Run; the controller must be traceable. Steps are queued asynchronously on the current stream, so
    only `.failed_at` shows which robots failed, and only `.q` which joints are beyond their limits.
    Adaptive steps, a visible progress bar, and checks of friction and contacts do wait.

    If arrays are Dask's, so are those of the Run, and nothing is simulated before they are
    computed: block by block of the batch, with warnings where that happens.

    **Example:**

    >>> robot = px.robots.planar(2)  # a double pendulum, let go from level
    >>> run = px.simulate(robot, [0.0, 0.0], [0.0, 0.0], dt=1e-3, steps=1000, every=250)
    >>> run.t
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> run.q
    array([[ 0.   ,  0.   ],
           [-0.375,  0.46 ],
           [-1.123,  0.594],
           [-1.667, -0.607],
           [-2.779,  0.393]])
    >>> energy = px.kinetic_energy(robot, run.q, run.qd) + px.potential_energy(robot, run.q)
    >>> abs(energy - energy[0]) < 1e-6  # J, conserved
    array([ True,  True,  True,  True,  True])
    >>> def damper(t, q, qd):
    ...     return -5.0 * qd
    ...
    >>> run = px.simulate(robot, [0, 0], [0, 0], controller=damper, dt=1e-3, steps=10_000)
    >>> run.q[-1]  # at rest, hanging down
    array([-1.57, -0.  ])
    """
    arrays = {"q0": q0, "qd0": qd0, "tau": tau} | keywords
    if any(map(is_lazy, [*arrays.values(), *(per_step or {}).values()])):
        options: dict[str, Any] = {"robot": robot, "controller": controller, "ground": ground}
        options |= {"dt": dt, "steps": steps, "every": every, "method": method, "limits": limits}
        options |= {"contact": contact, "tolerance": tolerance, "max_step": max_step}
        options |= {"max_attempts": max_attempts}
        return _by_blocks(options, arrays, per_step or {})
    names = (*PARAMETERS, *(OF_GROUND if ground is not None else ()))
    parameters = {name: keywords.pop(name) for name in names if name in keywords}
    if keywords and controller is None:
        raise ArgumentError(
            f"{next(iter(keywords))}: without a controller, keywords must be parameters of the "
            f"robot: {', '.join(PARAMETERS)}{did_you_mean(next(iter(keywords)), PARAMETERS)}"
        )
    simulator = Simulator(
        robot,
        dt=dt,
        method=method,
        ground=ground,
        limits=limits,
        contact=contact,
        tolerance=tolerance,
        max_step=max_step,
        max_attempts=max_attempts,
    )
    return simulator.once(
        q0, qd0, parameters, controller, steps, tau, every, per_step or {}, keywords
    )


def _by_blocks(options, arrays, per_step):
    """The Run of Dask arrays, which is simulated when its arrays are computed."""
    robot = a_robot(options["robot"])
    axes = AXES | {"q0": 1, "qd0": 1, "tau": 1, "friction": 1}
    batch = max(np.ndim(arrays[name]) - 1 for name in ("q0", "qd0"))
    places, given = {}, {}
    for name, array in arrays.items():
        if array is None:
            continue
        array = array if is_lazy(array) else np.asarray(array)
        behind = axes.get(name, max(array.ndim - batch, 0))
        before = max(array.ndim - batch - 1, 0) if name == "tau" else 0
        places[name], given[name] = Place(before, min(behind, array.ndim)), array
    for name, array in per_step.items():
        array = array if is_lazy(array) else np.asarray(array)
        places[name] = Place(min(array.ndim, 1), max(array.ndim - 1 - batch, 0))
        given[name] = array
    options |= {"changing": tuple(per_step)}
    label = f"simulate of {robot.name}"
    run = results_over_blocks(label, _simulated, options, given, places)
    return replace(run, setup=run.setup.without_torques())  # which knew those of no robots


def _simulated(robot, controller, changing, **given):
    """`simulate` of a block."""
    per_step = {name: given.pop(name) for name in changing}
    q0, qd0, tau = (given.pop(name, None) for name in ("q0", "qd0", "tau"))
    return simulate(robot, q0, qd0, tau, controller, per_step=per_step, **given)
