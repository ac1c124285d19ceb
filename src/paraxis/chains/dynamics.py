"""Dynamics of a long chain on arrays: serially, many states side by side, or as a scan.

Which is best follows from how many links and how many states there are, and from nothing else. A
state gives the same bits in either of the first two, and the same in a scan with any number of
threads; between a scan and these the last bits differ, as the order of operations does.

A chain with joints that move no inertia of their own, such as universal joints without rotors, is
done serially where a row of the scan would end with one.
"""

from functools import cached_property

import numpy as np

from ..checks import one_of, quoted
from ..compiling import one_call
from ..drivers.map import Signature, as_array, broadcast_shapes
from ..drivers.scan import ORDERS
from ..errors import ArgumentError
from ..robots.refusals import single_joints
from ..robots.robot import Robot
from ..targets.cpu.map import checked_options, lanes_of
from ..targets.cpu.threads import available
from ..targets.exclusive import exclusive
from .forward_rows import ArticulatedRows
from .glued_newton_euler import GluedNewtonEuler
from .inverse_rows import NewtonEulerRows
from .numbers import chain_of
from .on_gpu import GLUED_ROWS, INPUTS, ON_GPU, SERIAL, ChainOnGpu
from .rows import cuts
from .serial import explain_undefined
from .short_rows import short_rows
from .span_forces import SpanForces

TARGETS = ("cpu", "cuda")
SCAN_FROM = 384  # links, from which on the rows of a scan are worth their junctions
BATCH_FROM = 4  # states, from which on lanes are better filled with states than with links
GROUPS_AT_ONCE = 4  # of states a thread: what they keep should stay in the caches
ROWS = {"forward_dynamics": ArticulatedRows, "inverse_dynamics": NewtonEulerRows}

# function -> algorithm -> the orders it can be done in; the first of each is the fastest.
SCANS = {
    "forward_dynamics": {
        "articulated_body": ("p_fold", "serial", "odd_even_reduction"),
        "constraint_force": ("odd_even_reduction", "p_fold", "serial", "odd_even_elimination"),
        "divide_and_conquer": ("odd_even_reduction", "p_fold", "serial"),
    },
    "inverse_dynamics": {
        "newton_euler": ("p_fold", "serial", "odd_even_reduction"),
        "logarithmic_newton_euler": ORDERS,
    },
}


def chain_dynamics(
    robot: Robot,
    function: str = "forward_dynamics",
    algorithm: str | None = None,
    order: str | None = None,
    threads: int | None = None,
    target: str = "cpu",
) -> "ChainDynamics | ChainOnGpu":
    """A function of a long chain by an algorithm and in an order of your choice.

    px.forward_dynamics and px.inverse_dynamics choose by themselves; this is for comparison, and to
    see what each costs.

    **Arguments:**

    - `robot`: a chain.
    - `function`: "forward_dynamics" or "inverse_dynamics".
    - `algorithm`: for forward dynamics "articulated_body", "constraint_force" (Fijany) or
      "divide_and_conquer" (Featherstone); for inverse dynamics "newton_euler" or
      "logarithmic_newton_euler" (Lathrop). By default the first.
    - `order`: "articulated_body" and "newton_euler" can be done in the orders "p_fold", "serial"
      and "odd_even_reduction" (short segments glued in pairs); "constraint_force" in
      "odd_even_reduction", "odd_even_elimination", "p_fold" and "serial"; "divide_and_conquer" in
      all of these but elimination; "logarithmic_newton_euler" in any order of a scan. By default
      the fastest.
    - `threads`: the most threads a call uses, by default all cores; for "cpu" only.
    - `target`: "cpu", or "cuda" for arrays on a GPU, which has all of these but "p_fold" of
      "articulated_body" and "newton_euler".

    **Returns:** a function of arrays `(..., n)`: q, qd and tau, or q, qd and qdd.

    **Raises:** `px.ArgumentError` if a name is unknown, an order does not fit the algorithm, or the
    robot is a tree.

    **Example:**

    >>> robot = px.robots.chain(1000)
    >>> run = px.chains.chain_dynamics(robot, algorithm="constraint_force")
    >>> q = np.full(robot.n, 0.1)
    >>> qdd = run(q, np.zeros(robot.n), np.zeros(robot.n))
    >>> np.allclose(px.inverse_dynamics(robot, q, np.zeros(robot.n), qdd), 0.0, atol=1e-6)
    True
    """
    single_joints(robot, "a sweep along a chain")
    one_of(function, SCANS, "function")
    one_of(target, TARGETS, "target")
    known = SCANS[function] if target == "cpu" else ON_GPU[function]
    algorithm = next(iter(known)) if algorithm is None else algorithm
    one_of(algorithm, known, "algorithm")
    order = known[algorithm][0] if order is None else order
    if order not in known[algorithm]:
        raise ArgumentError(
            f"order: expected one of {known[algorithm]} for {algorithm}, found {order!r}"
        )
    if target == "cuda":
        if threads is not None:
            raise ArgumentError("threads cannot be set for target 'cuda'")
        return ChainOnGpu(robot, function, order, algorithm)
    checked_options("float64", threads)
    return ChainDynamics(robot, function, order, algorithm, threads)


class ChainDynamics:
    """A function of one robot, callable on arrays `(..., n)`.

    `method` is "serial", "batched", "scan", None for the best of these, or the order of a scan by
    an `algorithm` of SCANS.
    """

    def __init__(self, robot, function, method=None, algorithm=None, threads=None):
        self.robot, self.function = robot, function
        self.algorithm, self.method, self.threads = algorithm, method, threads
        self._chain = chain_of(robot)
        self._fast = algorithm in (None, "articulated_body", "newton_euler")
        self._glued = self._fast and method == "odd_even_reduction"
        if not self._fast and function == "forward_dynamics":
            self._chain.require_mobile_links(algorithm)
        self._signature = Signature(dict.fromkeys(INPUTS[function], (self._chain.n,)), {})
        self._solvers, self._rows, self._padded = {}, None, None
        self._lock, self._label = exclusive(), f"{function} of {quoted(robot.name)}"

    def __call__(self, *arrays, out=None):
        n = self._chain.n
        names, arrays = INPUTS[self.function], self._signature.bind(arrays, {}, self.function)
        if out is None and all(_plain(array, n) for array in arrays):  # the short cut
            return self._computed([array[None] for array in arrays])[0]
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
        result = self._computed(states).reshape(*batch, n)
        if out is None:
            return result.astype(dtype, copy=False)
        out[...] = result
        return out

    def _computed(self, states):
        result = np.empty(states[0].shape)
        # the memory of a solver serves one caller at a time
        with one_call(self._label), self._lock:
            self._solve(states, result)
        if self.function == "forward_dynamics" and not np.isfinite(result).all():
            for row in np.flatnonzero(~np.isfinite(result).all(axis=1)):
                state = [array[row] for array in states]
                if np.isfinite(state).all():  # otherwise only its own result is NaN
                    explain_undefined(self._chain, *state)
        return result

    def _solve(self, states, result):
        count, n = result.shape
        method = self.method or _best_method(n, count)
        threads = self.threads or available()
        if method not in ("serial", "batched") and self._fast and self._cut is None:
            method = "serial"
        if method not in ("serial", "batched") or not self._fast:
            for row in range(count):
                self._scan([array[row] for array in states], result[row], threads)
            return
        lanes = 1 if method == "serial" or count == 1 else lanes_of("float64").count
        groups = 1 if method == "serial" else min(-(-count // lanes), GROUPS_AT_ONCE * threads)
        at_once = groups * lanes
        solver = self._solver(SERIAL[self.function], at_once, lanes)
        for first in range(0, count, at_once):
            pieces = [array[first : first + at_once] for array in states]
            place = result[first : first + at_once]
            if len(place) == at_once:
                solver(*pieces, place, threads)
                continue
            filled = [np.resize(piece, (at_once, n)) for piece in pieces]  # the lanes left over
            whole = np.empty((at_once, n))
            solver(*filled, whole, threads)
            place[...] = whole[: len(place)]

    @cached_property
    def _cut(self):
        """None where every row would end with a link that moves nothing by itself."""
        if self._glued:
            return short_rows(self._chain, self.function == "forward_dynamics")
        possible = cuts(self._chain.n, lanes_of("float64").count)
        if self.function == "inverse_dynamics":
            return next(possible)
        return next((cut for cut in possible if self._chain.bears(cut)), None)

    def _scan(self, vectors, result, threads):
        if not self._fast or self._glued:
            self._other_solver()(*vectors, result, threads)
            return
        if self._rows is None:
            self._rows = ROWS[self.function](self._chain, self._cut)
            self._padded = np.zeros((4, self._cut.padded))
        own = self._cut.own
        for row, vector in zip(self._padded, vectors, strict=False):
            row[own] = vector
        self._rows(*self._padded, threads)
        result[...] = self._padded[3, own]

    def __repr__(self):
        arrays = ", ".join(f"{name}[{self._chain.n}]" for name in INPUTS[self.function])
        by = "" if self.algorithm is None else f", {self.algorithm}"
        return (
            f"<{self.function} of {self.robot.name!r}({arrays}){by}, {self.method or 'any method'}>"
        )

    def _other_solver(self):
        if self._glued:
            return self._solver(GLUED_ROWS[self.function], self._cut)
        if self.function == "forward_dynamics":
            return self._solver(SpanForces, self.algorithm, self.method)
        return self._solver(GluedNewtonEuler, self.method)

    def _solver(self, kind, *size):
        key = (kind, *size)
        if key not in self._solvers:
            self._solvers[key] = kind(self._chain, *size)
        return self._solvers[key]


def _plain(array, n):
    """Whether it is one state, as native code takes it."""
    return (
        type(array) is np.ndarray
        and array.shape == (n,)
        and array.dtype == np.float64
        and array.flags.c_contiguous
        and array.flags.aligned
    )


def _best_method(n, states):
    if states >= BATCH_FROM:
        return "batched"
    return "scan" if n >= SCAN_FROM else "serial"


def _check_out(out, shape, dtype):
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ArgumentError(f"out: expected an array of {dtype} {shape}, found {found}")
    if not out.flags.writeable:
        raise ArgumentError("out: the array is read-only")
