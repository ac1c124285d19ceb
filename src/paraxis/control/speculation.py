"""`px.control.speculate`: inverse dynamics with values of earlier control steps, as a Program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..graph.trace import trace
from ..physics.coupled_newton_euler import BACKWARD, FORWARD
from ..programs import Program, given
from ..robots.robot import Robot, a_robot
from ..targets.target import target_of
from .stale_policies import TORQUE, Cut, Policy
from .stale_policies import policy as as_policy
from .stale_recursion import AHEAD, Entry, StaleRecursion

AGES = "age"  # the input with the age of the values that each link reads


def speculate(robot: Robot, policy: str | Policy | Sequence[Cut] = "binder_herzog") -> Speculation:
    """Return the Program of inverse dynamics with stale data: values of earlier control steps.

    Its inputs are `q`, `qd` and `qdd`, as for inverse dynamics, followed by the values carried from
    step to step: `omega_1` `(n, 3)`, the angular velocities of one control step ago, `force_2`, the
    forces of two steps ago, `torque_1` `(nv,)`, and so on. Its outputs are `tau` `(nv,)` and the
    next values of these inputs: `omega_1_next`, ...

    A policy that looks ahead also takes `q_ahead`, `qd_ahead` and `qdd_ahead`, the joint values
    predicted for the next step. A policy with uncertain ages takes `age` `(n,)`, the age used by
    each link; a read that does not have this age uses its oldest one.

    A link is the body of a joint of any kind, including a joint that follows another.

    **Arguments:**

    - `robot`: the robot.
    - `policy`: one of `px.control.policies()`, a `px.control.policy(name, ...)` with options, or a
      list of `px.control.Cut`.

    **Returns:** the Program. `.carry` maps inputs to the outputs that become them, and
    `.start(q, qd, qdd)` returns their initial values.

    **Raises:** `px.ArgumentError` if the policy is unknown, or one of your own cuts matches no read
    of the robot.

    **Example:**

    >>> robot = px.robots.planar(3)
    >>> stale = px.control.speculate(robot, "hamilton")
    >>> stale.depth().flops, px.program(robot, "inverse_dynamics").depth().flops
    (6, 14)
    >>> stale.time_steps
    2
    """
    return Speculation(StaleRecursion(a_robot(robot), as_policy(policy)))


class Speculation(Program):
    """A Program that carries values from control step to control step; see `speculate`."""

    def __init__(self, recursion: StaleRecursion):
        self.policy, self._recursion = recursion.policy, recursion
        # (variable, age) -> its entries
        self._arrays: dict[tuple[str, int], list[Entry]] = {}
        for entry in recursion.entries:
            self._arrays.setdefault((entry.variable, entry.age), []).append(entry)
        super().__init__(given, self._graph())

    @property
    def carry(self) -> dict[str, str]:
        """Inputs of the next step -> the outputs that become them."""
        return {name: f"{name}_next" for name in map(_name, self._arrays)}

    @property
    def reads(self) -> dict[tuple, tuple[int, ...]]:
        """Every read of the recursion: (variable, link, read by, link) -> its ages.

        The link of an end acceleration is the one whose joint is there; torques, and the motors
        that read them, are numbered by degrees of freedom.
        """
        cuts = self._recursion.cuts
        return {
            (*variable, *reader): cuts[variable, reader].ages
            if (variable, reader) in cuts
            else (0,)
            for variable, reader in self._recursion.reads
        }

    @property
    def time_steps(self) -> int:
        """The paper's measure: the longest sequence of forward and backward blocks of links.

        It is 1 if no link waits for another; gravity is not a block.
        """
        recursion = self._recursion
        level: dict[tuple[bool, int], int] = {}

        def block(variable):
            return variable[0] in BACKWARD, recursion.owner(variable)

        def counts(variable):
            return variable[0] in FORWARD + BACKWARD

        waits: dict[tuple[bool, int], set] = {}
        for variable, reader in recursion.reads:
            if counts(variable) and counts(reader) and (variable, reader) not in recursion.cuts:
                waits.setdefault(block(reader), set()).add(block(variable))
        blocks = {block(v) for v in recursion.system.variables if counts(v)}
        for backward, i in sorted(blocks, key=lambda b: (b[0], -b[1] if b[0] else b[1])):
            before = waits.get((backward, i), set()) - {(backward, i)}
            level[backward, i] = 1 + max((level[b] for b in before), default=0)
        return max(level.values())

    def start(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> dict[str, np.ndarray]:
        """Return the initial carried inputs, as if the robot had always moved as (q, qd, qdd).

        The arguments have shape `(..., n)`. If they are on a GPU (CuPy, PyTorch or JAX), so are the
        results.
        """
        if not self._arrays:
            return {}
        motion = {"q": q, "qd": qd, "qdd": qdd}
        target = target_of(motion)
        with target.stream():
            given = [
                target.array(motion[name], name, shape) for name, shape in self._joints.items()
            ]
            results = target.map(self._start)(*given)
            several = results if isinstance(results, tuple) else (results,)
            return dict(zip(self.carry, map(target.given_back, several), strict=True))

    @cached_property
    def _start(self):
        """The Program that computes the initial carried values."""

        def first(**joints):
            builder = joints["q"][0].builder
            return self._as_arrays(self._recursion.exact(builder, joints).entries)

        return Program.of(trace(first, self._joints, f"{self.name}_start"))

    @property
    def _joints(self):
        robot = self._recursion.robot
        return {"q": (robot.nq,), "qd": (robot.nv,), "qdd": (robot.nv,)}

    def _shape(self, variable):
        robot = self._recursion.robot
        return (robot.nv,) if variable == TORQUE else (robot.n, 3)

    def _as_arrays(self, scalars):
        """name -> nested scalars, zero for values that are not carried."""
        values = dict(zip(self._recursion.entries, scalars, strict=True))
        arrays = {}
        for (variable, age), entries in self._arrays.items():
            shape = self._shape(variable)
            rows = np.zeros(shape, object)
            for entry in entries:
                rows[(entry.link, entry.k)[: len(shape)]] = values[entry]
            arrays[_name((variable, age))] = rows.tolist()
        return arrays

    def _graph(self):
        recursion, inputs = self._recursion, self._joints
        if self.policy.ahead:
            inputs |= {AHEAD[name]: shape for name, shape in inputs.items()}
        inputs |= {AGES: (recursion.robot.n,)} if recursion.uncertain else {}
        for variable, age in self._arrays:
            inputs[_name((variable, age))] = self._shape(variable)

        def step(**arrays):
            past = []
            for entry in recursion.entries:
                held = arrays[_name((entry.variable, entry.age))][entry.link]
                past.append(held if entry.variable == TORQUE else held[entry.k])
            builder = arrays["q"][0].builder
            made = recursion.step(builder, arrays, past, arrays.get(AGES))
            carried = self._as_arrays(made.entries)
            return {
                "tau": made.torques,
                **{self.carry[name]: value for name, value in carried.items()},
            }

        return trace(step, inputs, f"speculate_{self.policy.name}")


def _name(array):
    variable, age = array
    return f"{variable}_{age}"
