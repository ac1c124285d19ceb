"""Dynamics of a long chain on arrays: serially, many states side by side, or as a scan.

Which is best follows from how many links and how many states there are, and from nothing else. A
state gives the same bits in either of the first two, and the same in a scan with any number of
threads; between a scan and these the last bits differ, as the order of operations does.
"""

import threading

import numpy as np

from ..backends.llvm.kernel import lanes_of
from ..drivers.map import as_array, broadcast_shapes
from ..drivers.threads import available
from ..errors import ArgumentError, RobotError
from ..robot.text import quoted
from .forward_rows import ArticulatedRows
from .inverse_rows import NewtonEulerRows
from .numbers import chain_of
from .rows import Cut
from .serial import ArticulatedSerial, NewtonEulerSerial

WAYS = ("serial", "batched", "scan")
SCAN_FROM = 256  # links, from which on the rows of a scan are worth their junctions
BATCH_FROM = 4  # states, from which on lanes are better filled with states than with links
LEAST_ROWS = 16
GROUPS_AT_ONCE = 4  # of states: what they keep should stay in the caches
INPUTS = {"forward_dynamics": ("q", "qd", "tau"), "inverse_dynamics": ("q", "qd", "qdd")}
RESULT = {"forward_dynamics": "qdd", "inverse_dynamics": "tau"}
SERIAL = {"forward_dynamics": ArticulatedSerial, "inverse_dynamics": NewtonEulerSerial}
ROWS = {"forward_dynamics": ArticulatedRows, "inverse_dynamics": NewtonEulerRows}


def rows_of(n):
    """How many rows a chain of n links is cut into: about √n / 4, a power of two."""
    rows = LEAST_ROWS
    while 16 * rows * rows < n:
        rows *= 2
    return rows


class ChainDynamics:
    """A function of one robot, callable on arrays (..., n); `way` is one of WAYS or None."""

    def __init__(self, robot, function, way=None):
        self.robot, self.function, self.way = robot, function, way
        self._chain = chain_of(robot)
        self._solvers, self._lock = {}, threading.Lock()

    def __call__(self, *arrays, out=None):
        n, names = self._chain.n, INPUTS[self.function]
        given = {
            name: as_array(array, name, (n,)) for name, array in zip(names, arrays, strict=True)
        }
        batch = broadcast_shapes({name: array.shape[:-1] for name, array in given.items()})
        single = all(array.dtype == np.float32 for array in given.values())
        dtype = np.dtype(np.float32 if single else np.float64)
        if out is not None:
            _check_out(out, (*batch, n), dtype)
        states = [
            np.ascontiguousarray(np.broadcast_to(array, (*batch, n)), np.float64).reshape(-1, n)
            for array in given.values()
        ]
        result = np.empty((len(states[0]), n))
        with self._lock:  # the memory of a solver serves one caller at a time
            self._solve(states, result)
        if self.function == "forward_dynamics" and not np.isfinite(result.sum()):
            self._explain(states, result)
        result = result.reshape(*batch, n)
        if out is None:
            return result.astype(dtype, copy=False)
        out[...] = result
        return out

    def _solve(self, states, result):
        count, n = result.shape
        way = self.way or _best_way(n, count)
        if way == "scan":
            for row in range(count):
                self._scan([array[row] for array in states], result[row])
            return
        lanes = 1 if way == "serial" or count == 1 else lanes_of("float64").count
        at_once = min(-(-count // lanes), 1 if way == "serial" else GROUPS_AT_ONCE * available())
        at_once *= lanes
        solver = self._solver(SERIAL, at_once, lanes)
        for first in range(0, count, at_once):
            pieces = [array[first : first + at_once] for array in states]
            place = result[first : first + at_once]
            if len(place) < at_once:  # the last ones: fill up the lanes
                missing = at_once - len(place)
                pieces = [np.concatenate([p, np.repeat(p[:1], missing, 0)]) for p in pieces]
                whole = np.empty((at_once, n))
                solver(*pieces, whole, available())
                place[...] = whole[: len(place)]
            else:
                solver(*pieces, place, available())

    def _scan(self, vectors, result):
        n = len(result)
        lanes = lanes_of("float64").count
        cut = Cut(n, rows_of(n), lanes)
        solver = self._solver(ROWS, cut)
        if cut.padded == n:
            solver(*vectors, result, available())
            return
        padded = np.zeros((4, cut.padded))
        padded[:3, :n] = vectors
        solver(*padded, available())
        result[...] = padded[3, :n]

    def _solver(self, kinds, *size):
        key = (kinds is ROWS, *size)
        if key not in self._solvers:
            self._solvers[key] = kinds[self.function](self._chain, *size)
        return self._solvers[key]

    def _explain(self, states, result):
        """A joint that moves nothing has no acceleration; a state that is no number has none."""
        for row in np.flatnonzero(~np.isfinite(result).all(axis=1)):
            if all(np.isfinite(array[row]).all() for array in states):
                worst = int(np.flatnonzero(~np.isfinite(result[row]))[-1])
                joint = self.robot.joints[worst].name
                raise RobotError(
                    f"robot {quoted(self.robot.name)}: the acceleration of joint {quoted(joint)} "
                    "is not defined: nothing that it moves has inertia along its axis, or numbers "
                    "grew beyond those of float64"
                )


def _best_way(n, states):
    if states >= BATCH_FROM:
        return "batched"
    return "scan" if n >= SCAN_FROM else "serial"


def _check_out(out, shape, dtype):
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ArgumentError(f"out: expected an array of {dtype} {shape}, found {found}")
