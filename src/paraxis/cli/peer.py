"""Pinocchio on the same file and the same states, where it is installed. Never required."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..checks import shown
from ..errors import ParaxisError
from ..robots.by_name import FILES, source_of
from .measure import SAMPLE, Speed, best_seconds, outputs_of, worst_error

LOOPED = 1_000  # states at most, where Pinocchio is called for one after another


class Unavailable(Exception):
    """Why there is nothing to compare with, in words."""


def pinocchio(name, tip, robot, function):
    """(Pinocchio or None, a remark on it) for the file from which the robot was loaded."""
    path = _file(name)
    if path is None:
        return None, "not measured: it needs a file, and this robot is built in"
    if tip is not None:
        return None, "not measured: it cannot leave out the joints beyond --tip"
    if any(joint.reflected_inertia for joint in robot.joints):
        return None, "not measured: it does not read the rotor inertias of these drives"
    if function not in FUNCTIONS:
        return None, f"not measured: no call of it is known for {function}"
    try:
        found = Pinocchio(path, robot, FUNCTIONS[function])
    except Unavailable as reason:
        return None, f"not measured: {reason}"
    return found, found.remark


def _file(name):
    """The file of a robot that was loaded by its path or by a name; None where there is none."""
    if os.path.isfile(name):
        return name
    if name not in FILES:
        return None
    try:
        return source_of(name, ())
    except ParaxisError:
        return None


@dataclass(frozen=True)
class Comparison:
    """Pinocchio's speeds on the same batches, and how far its results are from ours."""

    version: str
    call: str
    speeds: list
    latency_s: float  # of one call
    error: float

    def as_dict(self):
        rows = [speed.as_dict() for speed in self.speeds]
        return {
            "version": self.version,
            "call": self.call,
            "error": self.error,
            "latency_ns": self.latency_s * 1e9,
            "rows": rows,
        }


@dataclass(frozen=True)
class Function:
    """How Pinocchio computes a function: for one state, and for a batch if it can.

    `results` takes what the call returned; by default it is the one result.
    """

    call: str
    batch: str | None = None
    results: Callable[[Any], list] = lambda found: [found]


def _whole(found):
    """A symmetric matrix of which the upper triangle is filled in."""
    return [np.triu(found) + np.triu(found, 1).T]


FUNCTIONS = {
    "inverse_dynamics": Function("rnea", "rneaInParallel"),
    "forward_dynamics": Function("aba", "abaInParallel"),
    "mass_matrix": Function("crba", results=_whole),
    "mass_matrix_inverse": Function("computeMinverse", results=_whole),
    "bias_forces": Function("nonLinearEffects"),
    "gravity_torques": Function("computeGeneralizedGravity"),
    "kinetic_energy": Function("computeKineticEnergy"),
    "inverse_dynamics_derivatives": Function("computeRNEADerivatives", results=lambda x: [*x[:2]]),
    "forward_dynamics_derivatives": Function(
        "computeABADerivatives", results=lambda x: [*x[:2], *_whole(x[2])]
    ),
}


class Pinocchio:
    """One robot file. Raises Unavailable where Pinocchio is missing or reads another robot."""

    def __init__(self, path, robot, function):
        try:
            import pinocchio
        except Exception as error:  # not only ImportError: a broken binary raises anything
            raise Unavailable(f"not installed ({type(error).__name__})") from None
        self._pin, self._function = pinocchio, function
        try:
            self._model = pinocchio.buildModelFromUrdf(str(path))
        except Exception as error:
            raise Unavailable(f"it cannot read the file: {shown(str(error), 100)}") from None
        model = self._model
        if sorted(model.names[1:]) != sorted(robot.joint_names) or model.nv != robot.nv:
            raise Unavailable("it reads other joints from the file")
        # column of ours -> the joint of theirs that reads it
        self._ours = [robot.joint_names.index(name) for name in list(model.names)[1:]]

    @property
    def remark(self):
        if self._function.batch is not None:
            return f"{self._function.batch}, float64, same states; ratio is its time over ours"
        return (
            f"{self._function.call}, float64, called from Python for one state after another, as "
            "it has no batches of it; ratio is its time over ours"
        )

    def compare(self, kernel, arrays, batches, thread_counts, effort, tick=lambda: None):
        """Speeds over the same batch sizes and numbers of threads, on the states `arrays`."""
        pin, model = self._pin, self._model
        columns = self._states(arrays)
        call = partial(getattr(pin, self._function.call), model, model.createData())
        looped = range(min(LOOPED, len(arrays[0])))
        states = [tuple(array[:, k].copy() for array in columns) for k in looped]
        found = []
        for count in thread_counts:
            for batch in batches:
                seconds = self._seconds(call, columns, states, batch, count, effort)
                if seconds is not None:
                    found.append(Speed.of(batch, count, seconds))
                tick()
        latency = best_seconds(lambda: call(*states[0]), effort)
        ours = outputs_of(kernel(*(array[:SAMPLE] for array in arrays)))
        ours = [self._in_their_order(each) for each in ours]
        rows = [[np.array(x) for x in self._function.results(call(*s))] for s in states[:SAMPLE]]
        theirs = [np.array(each) for each in zip(*rows, strict=True)]
        error = max(map(worst_error, ours, theirs))
        return Comparison(pin.__version__, self._function.call, found, latency, error)

    def _seconds(self, call, columns, states, batch, threads, effort):
        """Seconds for a batch; None where it has no threads."""
        if self._function.batch is None:
            if threads > 1:
                return None
            few = states[:batch]

            def loop():
                for state in few:
                    call(*state)

            return best_seconds(loop, effort) / len(few) * batch
        run = getattr(self._pin, self._function.batch)
        pool = self._pin.ModelPool(self._model, threads)
        out = np.empty((self._model.nv, batch), order="F")
        parts = [*(array[:, :batch] for array in columns), out]
        return best_seconds(partial(run, threads, pool, *parts), effort, threads)

    def _states(self, arrays):
        """Rows of ours as columns of theirs; a continuous joint is (cos, sin) to them."""
        model, (q, *rest) = self._model, (np.asarray(a, float) for a in arrays)
        full = np.empty((len(q), model.nq))
        for joint, column in zip(range(1, model.njoints), self._ours, strict=True):
            at = model.idx_qs[joint]
            if model.nqs[joint] == 1:
                full[:, at] = q[:, column]
            else:
                full[:, at], full[:, at + 1] = np.cos(q[:, column]), np.sin(q[:, column])
        return full.T, *(np.ascontiguousarray(a[:, self._ours]).T for a in rest)

    def _in_their_order(self, array):
        """All axes but that of the states are over joints."""
        for axis in range(1, array.ndim):
            array = np.take(array, self._ours, axis)
        return array
