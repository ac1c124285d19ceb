"""Pinocchio: two functions on whole batches, and all of them one state at a time."""

import numpy as np
import pinocchio as pin

from .robots import load

# function -> its call for one state, how many of q, qd, qdd or tau it takes, and its outputs
CALLS = {
    "inverse_dynamics": (pin.rnea, 3, 1),
    "forward_dynamics": (pin.aba, 3, 1),
    "mass_matrix": (pin.crba, 1, 1),
    "mass_matrix_inverse": (pin.computeMinverse, 1, 1),
    "inverse_dynamics_derivatives": (pin.computeRNEADerivatives, 3, 2),
    "forward_dynamics_derivatives": (pin.computeABADerivatives, 3, 3),
}


class PinocchioPeer:
    """Batches by pin.rneaInParallel and pin.abaInParallel: OpenMP threads over the columns of
    nq x B, column-major matrices. Single states by the calls of the Python package."""

    def __init__(self, path, free=False):
        self.model = load(path, free)
        self.data = self.model.createData()
        self.n = self.model.nv
        self.joint_names = list(self.model.names)[1:]  # Pinocchio numbers qd in this order
        self._pools: dict[int, pin.ModelPool] = {}
        self._result = np.empty((self.n, 0), order="F")

    def configuration(self, q):
        """Angles (..., n) to Pinocchio's q (..., nq): a continuous joint is (cos, sin)."""
        q = np.asarray(q, float)
        full = np.empty((*q.shape[:-1], self.model.nq))
        for i in range(1, self.model.njoints):
            angle, k = q[..., self.model.idx_vs[i]], self.model.idx_qs[i]
            if self.model.nqs[i] == 1:
                full[..., k] = angle
            else:
                full[..., k], full[..., k + 1] = np.cos(angle), np.sin(angle)
        return full

    def prepare(self, q, *others):
        """(B, n) arrays to the matrices Pinocchio reads without a copy, outside the timing."""
        arrays = (self.configuration(q), *others)
        return tuple(np.ascontiguousarray(x, float).T for x in arrays)

    def inverse_dynamics(self, q, qd, qdd, threads: int = 1):
        """Torques (B, n) of prepared states. The result is overwritten by the next call."""
        return self._in_parallel(pin.rneaInParallel, q, qd, qdd, threads)

    def forward_dynamics(self, q, qd, tau, threads: int = 1):
        """Accelerations (B, n) of prepared states. Overwritten likewise."""
        return self._in_parallel(pin.abaInParallel, q, qd, tau, threads)

    def _in_parallel(self, call, q, qd, last, threads):
        if threads not in self._pools:
            self._pools[threads] = pin.ModelPool(self.model, threads)
        if self._result.shape != qd.shape:
            self._result = np.empty(qd.shape, order="F")
        call(threads, self._pools[threads], q, qd, last, self._result)
        return self._result.T

    def one(self, q, qd, qdd):
        """Torques of one state (q as prepared by `configuration`). Overwritten likewise."""
        return pin.rnea(self.model, self.data, q, qd, qdd)

    def loop(self, function, prepared, count):
        """A function without arguments that calls Pinocchio on `count` states, one by one."""
        call, taken, _ = CALLS[function]
        model, data = self.model, self.data
        states = list(zip(*(x.T[:count].copy() for x in prepared[:taken]), strict=True))

        def run():
            for state in states:
                call(model, data, *state)

        return run

    def outputs(self, function, prepared, count):
        """The outputs of `count` states, each with the states first."""
        call, taken, given = CALLS[function]
        found = []
        for state in zip(*(x.T[:count].copy() for x in prepared[:taken]), strict=True):
            result = call(self.model, self.data, *state)
            result = result[:given] if isinstance(result, tuple) else (result,)
            found.append([np.array(part) for part in result])  # they are views of self.data
        return [np.array(parts) for parts in zip(*found, strict=True)]
