"""Any traceable law, with or without memory, as the controller of a closed loop.

The law is evaluated at every sample; `dt` is the period. Arguments with the names in GOAL that have
no value get the desired motion of the loop.
"""

import math

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError, TraceError
from ..simulation.laws import Law
from ..simulation.memory import has_memory, initial_memory, memory_shapes
from ..simulation.names import memory_input, setting_input
from .laws.law import Part, joined
from .stale_policies import EXACT

GOAL = {"goal": "q", "goal_rate": "qd", "goal_acceleration": "qdd"}  # name -> part of a Motion


class GivenLaw:
    """A law before the shapes of its settings are known. `robot`: the simulated one."""

    def __init__(self, robot, controller):
        self.robot, self._part = robot, Part(controller)
        names = self._part.names or ()
        self.desired = tuple(
            name
            for name in GOAL
            if name in (*names, *self._part.per_step) and name not in self._part.settings
        )
        others = [name for name in self._part.per_step if name not in self.desired]
        if others:
            raise ArgumentError(
                f"controller: its argument {quoted(others[0])} has a value for each step, but "
                f"closed_loop only has such values for {', '.join(GOAL)}; use px.simulate"
            )

    @property
    def takes_dt(self):
        return self._part.takes_dt

    def takes(self, name):
        """Whether this is one of its settings."""
        names = self._part.names
        return name not in self.desired and names is not None and name in names

    @property
    def defaults(self):
        """name -> (value, shape for one robot) of its settings; a value may have batch axes."""
        part = self._part
        return {
            name: (
                value,
                part.setting_shapes.get(name, None if callable(value) else np.shape(value)),
            )
            for name, value in part.settings.items()
        }

    def traced(self, settings):
        """The controller of a loop, with settings of these shapes by name."""
        return LawInLoop(self.robot, self._part, self.desired, settings)


class LawInLoop:
    """A traceable law with the interface of a Controller."""

    policy, uncertain, recursion = EXACT, False, None

    def __init__(self, robot, part, desired, settings):
        def law(t, q, qd, memory, dt, given):
            result, after = part(t, q, qd, memory.get("law"), dt, given)
            return result, {"law": after} if part.structure else {}

        whole = joined(law, "law", {"law": part})
        self.robot, self.desired, self.settings = robot, desired, dict(settings)
        self.memory = memory_shapes(whole, robot) if has_memory(whole) else {}
        self.initial = initial_memory(whole, robot) if self.memory else {}
        sizes = {"goal": (robot.nq,), "goal_rate": (robot.nv,), "goal_acceleration": (robot.nv,)}
        shapes = self.settings | {name: sizes[name] for name in desired}
        try:
            self._law = Law(robot, whole, shapes, memory=self.memory or None, promote=False)
        except TraceError as reason:
            raise ArgumentError(
                f"controller: closed_loop needs one that can be traced, but tracing it raised: "
                f"{reason}"
            ) from reason

    @property
    def identity(self):
        return self.robot, self._law

    @property
    def entries(self):
        """The numbers in its memory."""
        return range(sum(map(math.prod, self.memory.values())))

    @property
    def start(self):
        """Its memory before the first sample."""
        return np.concatenate([np.zeros(0), *(array.ravel() for array in self.initial.values())])

    def sampled(self, t, dt, state, desired, past, settings):
        """Torques, and its new memory."""
        memory, start = {}, 0
        for name, shape in self.memory.items():
            memory[name] = past[start : start + math.prod(shape)]  # flat, as an Outline takes it
            start += math.prod(shape)
        given = dict(settings) | {name: getattr(desired, GOAL[name]) for name in self.desired}
        arrays = {"dt": dt} | {setting_input(name): value for name, value in given.items()}
        arrays |= {memory_input(name): value for name, value in memory.items()}
        tau, after = self._law.remembering(t, *state, arrays)
        return tau, [x for name in self.memory for x in _flat(after[memory_input(name)])]


def _flat(value):
    return [x for each in value for x in _flat(each)] if isinstance(value, list) else [value]
