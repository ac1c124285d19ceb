"""A controller that cannot be traced: called with floats, and q, qd and settings of the batch."""

import numpy as np

from ..errors import ArgumentError, SimulationWarning, warn
from ..graph.node import Node
from .controllers import shape_of, wrong_kind, wrong_shape
from .memory import require_same_names, returned, same_shape, takes_dt
from .names import robot_name
from .settings import settings_of_robot

CLOSE = 1e-6  # relative to the largest: torques of a robot in the batch and alone are the same


class CalledController:
    """Torques as a function of arrays, checked at each call. `reason`: why it is not traced.

    A controller with `memory` (arrays with the batch as first axes, or None) is asked once per
    step, by `sample`, and its torques are held; calls return those. dt: seconds per step, for one
    that takes it.
    """

    def __init__(self, controller, batch, n, settings, reason, memory=None, dt=None):
        self._controller, self._settings = controller, settings
        self._batch, self._n = batch, n
        self._reason = str(reason).partition("\n")[0]
        self._first = None
        self._further = {"dt": dt} if takes_dt(controller) else {}
        self.memory, self._held = memory, None

    def at_step(self, values):
        """Settings that have a value per step, for the step that begins."""
        self._settings = self._settings | values

    def begin(self, q, qd):
        """Ask for the torques of the first stage, which are kept for it, and warn that it is slow.

        The warning comes only after the first call has succeeded: its error would explain more.
        """
        with np.errstate(all="ignore"):
            if self._batch and self._batch[-1] == self._n and q.size:
                self._require_same_alone(q, qd)
            try:
                result = self._asked(0.0, q, qd, keep=True)
            except Exception as error:
                if not self._batch:
                    raise
                raise ArgumentError(
                    f"{self._whole_batch(q)}; that call raised {type(error).__name__}: {error}"
                ) from error
        self._first = self._checked(result)
        warn(
            f"controller: runs uncompiled, as Python at every step, because tracing it failed: "
            f"{self._reason}",
            SimulationWarning,
        )

    def sample(self, t, q, qd):
        """Ask a controller with memory for the torques of the step that begins."""
        self._held = None
        self._held = self(t, q, qd)
        return self._held

    def __call__(self, t, q, qd):
        if self._held is not None:
            return self._held
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return self._checked(self._asked(t, q, qd, keep=True))

    def _asked(self, t, q, qd, settings=None, memory=None, keep=False):
        """Its torques. It gets copies, which it may change without moving the robot.

        keep: does it remember this call?
        """
        settings = self._settings if settings is None else settings
        memory = self.memory if memory is None else memory
        given = {name: np.copy(value) for name, value in settings.items()} | self._further
        if memory is None:
            return self._controller(t, np.copy(q), np.copy(qd), **given)
        copies = {name: np.copy(array) for name, array in memory.items()}
        result = self._controller(t, np.copy(q), np.copy(qd), copies, **given)
        tau, after = returned(result)
        require_same_names(after, memory)
        after = {name: same_shape(after[name], array, name) for name, array in memory.items()}
        if keep:
            self.memory = {name: _floats(array) for name, array in after.items()}
        return tau

    def _checked(self, result):
        shape, expected = shape_of(result), (*self._batch, self._n)
        if shape != expected:
            raise wrong_shape(shape, expected)
        try:
            result = np.asarray(result)
        except ValueError:  # some of them are sequences
            result = np.asarray(result, object)
        if result.dtype.kind in "fiu":
            return result.astype(float, copy=False)
        if any(isinstance(value, Node) for value in result.flat):
            raise ArgumentError(
                "controller: it returned values that it kept from when it was traced; a controller "
                "that remembers values must ask for floats first, as by t = float(t)"
            )
        others = [value for value in result.flat if not isinstance(value, int | float)]
        raise wrong_kind(type(others[0]).__name__ if others else result.dtype.name)

    def _require_same_alone(self, q, qd):
        """Raise where q[j] was meant as joint j, but is robot j of as many as there are joints.

        Of other numbers of robots it is mostly an error by itself. What cannot be called for one
        robot is written for the batch; what gives other torques when asked again tells nothing.
        """
        t = Trial(0.0)
        try:
            whole = self._checked(self._asked(t, q, qd))
            other = self._differing_alone(t, q, qd, whole)
            again = self._checked(self._asked(t, q, qd))
        except Exception:
            return
        if other is not None and np.array_equal(whole, again, equal_nan=True):
            raise ArgumentError(
                f"{self._whole_batch(q)}; {robot_name(other)} gets different torques in the batch "
                f"than alone"
            )

    def _differing_alone(self, t, q, qd, whole):
        tolerance = CLOSE * np.nanmax(abs(whole), initial=0.0)
        for j in range(self._n):
            index = (0,) * (len(self._batch) - 1) + (j,)
            own = settings_of_robot(self._settings, self._batch, index)
            alone = self._asked(t, q[index], qd[index], own, self._memory_of(index))
            alone = np.broadcast_to(alone, (self._n,))
            if not np.allclose(alone, whole[index], CLOSE, tolerance, equal_nan=True):
                return index
        return None

    def _memory_of(self, index):
        return self.memory and {name: array[index] for name, array in self.memory.items()}

    def _whole_batch(self, q):
        return (
            f"controller: it cannot be traced ({self._reason}), so it is called with q and qd of "
            f"the whole batch, {q.shape}: write q[..., j] for joint j"
        )


def _floats(array):
    try:
        return np.array(array, float)
    except (TypeError, ValueError):
        raise wrong_kind(np.asarray(array, object).dtype.name, "memory") from None


class Trial(float):
    """The time of a call on trial. Who asks for its float remembers something, and is spared."""

    def __float__(self):
        raise TypeError("a call on trial")
