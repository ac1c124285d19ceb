"""Dynamics of a long chain on arrays that are on a GPU.

Links go there once and stay, as does the memory of a solver. Everything is queued on the current
stream, and nothing is waited for: so a state that has no accelerations is not explained, as it is
on the CPU, but gives numbers that are not finite.
"""

import math
from functools import cached_property

import numpy as np

from ..drivers.map import Signature, broadcast_shapes
from ..drivers.scan import ORDERS
from ..errors import ArgumentError
from ..targets.cuda.arrays import family_of
from ..targets.cuda.device import device
from ..targets.cuda.recording import Turn, is_capturing
from ..targets.target import Cuda
from .glued_newton_euler import GluedNewtonEuler
from .glued_rows import ArticulatedGluedRows, NewtonEulerGluedRows
from .numbers import chain_of
from .serial import ArticulatedSerial, NewtonEulerSerial
from .short_rows import short_rows
from .span_forces import SpanForces

INPUTS = {"forward_dynamics": ("q", "qd", "tau"), "inverse_dynamics": ("q", "qd", "qdd")}
SERIAL = {"forward_dynamics": ArticulatedSerial, "inverse_dynamics": NewtonEulerSerial}
GLUED_ROWS = {
    "forward_dynamics": ArticulatedGluedRows,
    "inverse_dynamics": NewtonEulerGluedRows,
}
LINKS_A_SCAN = 32  # that a thread does while a scan does a state
LINK_BYTES = 80  # of a link where states are side by side
MOST_BYTES = 2 << 30  # of states at once

# function -> algorithm -> the orders it can be done in on a GPU; the first of each is the fastest.
ON_GPU = {
    "forward_dynamics": {
        "articulated_body": ("odd_even_reduction", "serial"),
        "constraint_force": ("odd_even_reduction", "p_fold", "serial", "odd_even_elimination"),
        "divide_and_conquer": ("odd_even_reduction", "p_fold", "serial"),
    },
    "inverse_dynamics": {
        "newton_euler": ("odd_even_reduction", "serial"),
        "logarithmic_newton_euler": ("odd_even_reduction", *ORDERS[:-1]),
    },
}


class ChainOnGpu:
    """A function of one robot, callable on arrays `(..., n)` of CuPy, PyTorch or JAX.

    `method` is "serial", "batched", "scan", None for the best of these, or the order of a scan by
    an `algorithm` of ON_GPU. `given` is how many of the function's inputs are passed: the others
    are zero.
    """

    def __init__(self, robot, function, method=None, algorithm=None, given=3, on=None):
        self.robot, self.function, self.algorithm, self.method = robot, function, algorithm, method
        self._device, self._chain = on or device(), chain_of(robot)
        if algorithm in ("constraint_force", "divide_and_conquer"):
            self._chain.require_mobile_links(algorithm)
        self._signature = Signature(dict.fromkeys(INPUTS[function][:given], (self._chain.n,)), {})
        self._solvers, self._zero = {}, {}  # by the number of the GPU

    def __call__(self, *arrays, out=None):
        names = self._signature.inputs
        values = self._signature.bind(arrays, {}, self.function)
        family = family_of(values, names, self._device)
        target, n = Cuda(self._device, family), self._chain.n
        with family.stream():
            given = {
                name: target.array(value, name, (n,))
                for name, value in zip(names, values, strict=True)
            }
            batch = broadcast_shapes({name: array.shape[:-1] for name, array in given.items()})
            single = all(array.dtype == np.float32 for array in given.values())
            dtype = np.dtype(np.float32 if single else np.float64)
            places = family.places(out)
            if places is not None:
                _check_out(places, (*batch, n), dtype)
            if is_capturing(self._device):
                return self._captured([*given.values()], batch, places, out, target)
            states = self._states([*given.values()], batch)
            result = self._device.arrays.empty((math.prod(batch), n))
            if result.size:
                self._on_current_gpu(target).solve(states, result)
            result = result.reshape(*batch, n)
            if places is not None:
                places[0][...] = result
                return out
            return family.given_back(result.astype(dtype, copy=False))

    def _captured(self, given, batch, places, out, target):
        """As part of a CUDA graph: arrays are used in place, since copies of them would be in
        memory that is free again when the graph runs."""
        states, address = self._states(given, batch), self._device.address
        result = None if places is None else places[0].reshape(-1, self._chain.n)
        used = [address(array) for array in states]
        known = [address(array) for array in (*given, self._zeros)]
        in_place = result is not None and address(result) == address(places[0])
        if not (in_place and set(used) <= set(known)) or address(result) in used:
            raise ArgumentError(
                f"{self.function} of a chain in a CUDA graph: expected arrays of float64 in C "
                f"order, each with the whole batch, and another one as out="
            )
        if result.size:
            self._on_current_gpu(target).solve(states, result)
        return out

    def _states(self, given, batch):
        """All inputs as float64 (states, n)."""
        module, n = self._device.arrays, self._chain.n
        return [
            module.ascontiguousarray(
                module.broadcast_to(array, (*batch, n)).astype(np.float64, copy=False)
            ).reshape(-1, n)
            for array in given + [self._zeros] * (3 - len(given))
        ]

    @property
    def _zeros(self):
        """What an input is that is not passed, on the current GPU."""
        number = self._device.number
        if number not in self._zero:
            self._zero[number] = self._device.arrays.zeros(self._chain.n)
        return self._zero[number]

    def _on_current_gpu(self, target):
        number = self._device.number
        if number not in self._solvers:
            solvers = _Solvers(self._chain, self.function, self.algorithm, self.method, target)
            self._solvers[number] = solvers
        return self._solvers[number]

    def __repr__(self):
        arrays = ", ".join(f"{name}[{self._chain.n}]" for name in self._signature.inputs)
        by = "" if self.algorithm is None else f", {self.algorithm}"
        method = self.method or "any method"
        return f"<{self.function} of {self.robot.name!r}({arrays}){by}, {method}, cuda>"


class _Solvers:
    """What a function of a chain has on one GPU. Its memory serves one caller at a time."""

    def __init__(self, chain, function, algorithm, method, on):
        self._chain, self._function, self._on = chain, function, on
        self._algorithm, self._method = algorithm, method
        self._many = None  # (states, the solver for so many side by side)
        self._turn = Turn(on.device)

    def solve(self, states, result):
        with self._turn.taken():
            if self._side_by_side(len(result)):
                self._solve_together(states, result)
            else:
                for *state, place in zip(*states, result, strict=True):
                    self._one(*state, place)

    def _side_by_side(self, count):
        if self._algorithm not in (None, "articulated_body", "newton_euler"):
            return False
        many = self._method is None and count * LINKS_A_SCAN >= self._chain.n
        return many or self._method in ("serial", "batched") or self._one is None

    def _solve_together(self, states, result):
        count, n = result.shape
        most = max(1, MOST_BYTES // (LINK_BYTES * n))
        at_once = -(-count // -(-count // most))  # in parts of one size
        if self._many is None or self._many[0] != at_once:
            self._many = None  # its memory is free before more is asked for
            solver = SERIAL[self._function](self._chain, at_once, 1, self._on)
            self._many = at_once, solver
        for first in range(0, count, at_once):
            first = min(first, count - at_once)  # the last part may do some once more
            part = slice(first, first + at_once)
            self._many[1](*(array[part] for array in states), result[part])

    @cached_property
    def _one(self):
        """The solver for one state, as a scan; None where there is none."""
        chain, on, algorithm = self._chain, self._on, self._algorithm
        if algorithm == "logarithmic_newton_euler":
            return GluedNewtonEuler(chain, self._method, on)
        if algorithm in ("constraint_force", "divide_and_conquer"):
            return SpanForces(chain, algorithm, self._method, on)
        cut = short_rows(chain, self._function == "forward_dynamics")
        return None if cut is None else GLUED_ROWS[self._function](chain, cut, on)


def _check_out(places, shape, dtype):
    if len(places) != 1:
        raise ArgumentError(f"out: expected one array, found {len(places)}")
    (out,) = places
    if out.shape != shape or out.dtype != dtype:
        found = f"{out.dtype} {out.shape}"
        raise ArgumentError(f"out: expected an array of {dtype} {shape}, found {found}")
