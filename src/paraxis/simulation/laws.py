"""A controller as a part of a compiled loop: its torques, and what it remembers.

It is traced once and found again by what it reads and computes (graph/remembered.py): numbers that
it reads and that change from call to call become inputs, `constants`.
"""

import math

import numpy as np

from ..counter_random import FAR
from ..graph.outline import Outline
from ..graph.remembered import recall
from .controllers import traced_row, traced_torques
from .memory import takes_dt
from .names import memory_input, setting_input


class Law:
    """`settings` and `memory` map names to shapes, of one robot; a controller without memory has
    None. `changing` names those settings that have a value per step. promote: whether numbers that
    change may become inputs.

    Made by calling the controller on traced scalars: raises a TraceError where that fails.
    """

    def __init__(self, robot, controller, settings, changing=(), memory=None, promote=True):
        self.nv, self.settings, self.memory = robot.nv, dict(settings), dict(memory or {})
        self.changing, self.takes_dt = tuple(changing), takes_dt(controller)
        names = {setting_input(name): name for name in self.settings}
        names |= {"dt": "dt"} if self.takes_dt else {}

        def traceable(controller):
            traced = (traced_torques if memory is None else traced_row)(controller, self.nv)

            def torques(t, q, qd, **arrays):
                given = {name: arrays[key] for key, name in names.items()}
                if memory is None:
                    return traced(t, q, qd, given)
                before = {name: arrays[memory_input(name)] for name in self.memory}
                return traced(t, q, qd, before, given)

            return torques

        shapes = {"t": (), "q": (robot.nq,), "qd": (robot.nv,)}
        shapes |= ({"dt": ()} if self.takes_dt else {}) | self.setting_inputs | self.memory_inputs
        key = "torques", self.nv, memory is not None
        if promote:
            self._outline, self.constants = recall(controller, shapes, traceable, key)
        else:
            self._outline, self.constants = Outline(traceable(controller), shapes), {}
        self.digest = self._outline.digest
        shapes = self.setting_inputs, self.memory_inputs, self.constant_inputs
        self._kind = self.digest, self.changing, *(tuple(each.items()) for each in shapes)

    def __eq__(self, other):
        """Whether both are compiled to the same, whatever the values of `constants`."""
        return isinstance(other, Law) and self._kind == other._kind

    def __hash__(self):
        return hash(self._kind)

    @property
    def draws(self):
        """Whether it computes random numbers, which do not exist in float32."""
        return self._outline.has_constant(FAR)

    # -- name of an input -> shape ----------------------------------------------------------------

    @property
    def setting_inputs(self):
        return {setting_input(name): shape for name, shape in self.settings.items()}

    @property
    def constant_inputs(self):
        return {name: array.shape for name, array in self.constants.items()}

    @property
    def memory_inputs(self):
        return {memory_input(name): shape for name, shape in self.memory.items()}

    @property
    def changing_inputs(self):
        return tuple(map(setting_input, self.changing))

    # -- over traced scalars ----------------------------------------------------------------------

    def torques(self, t, q, qd, arrays):
        """`arrays` has all inputs of the step, by name."""
        inputs = self.setting_inputs | self.memory_inputs | self.constant_inputs
        given = {name: arrays[name] for name in inputs}
        given |= {"dt": arrays["dt"]} if self.takes_dt else {}
        return self._outline(t=t, q=q, qd=qd, **given)

    def remembering(self, t, q, qd, arrays):
        """The torques, and what is remembered from now on, by names of inputs."""
        numbers = self.torques(t, q, qd, arrays)
        tau, rest, remembered = numbers[: self.nv], numbers[self.nv :], {}
        for name, shape in self.memory_inputs.items():
            size = math.prod(shape)
            row = np.empty(size, object)
            row[:] = rest[:size]
            remembered[name], rest = row.reshape(shape).tolist(), rest[size:]
        return tau, remembered
