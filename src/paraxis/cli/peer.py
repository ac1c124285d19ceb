"""Pinocchio on the same file and the same states, where it is installed. Never required."""

import os
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..checks import shown
from .measure import SAMPLE, Speed, best_seconds, worst_error


class Unavailable(Exception):
    """Why there is nothing to compare with, in words."""


def pinocchio(path, tip, robot):
    """(Pinocchio or None, a remark on it) for the file from which the robot was loaded."""
    if not os.path.isfile(path):
        return None, "not measured: it needs a file, and this robot is built in"
    if tip is not None:
        return None, "not measured: it cannot leave out the joints beyond --tip"
    if any(joint.reflected_inertia for joint in robot.joints):
        return None, "not measured: it does not read the rotor inertias of these drives"
    try:
        return Pinocchio(path, robot), "ratio is its time divided by ours"
    except Unavailable as reason:
        return None, f"not measured: {reason}"


@dataclass(frozen=True)
class Comparison:
    """Pinocchio's speeds on the same batches, and how far its torques are from ours."""

    version: str
    speeds: list
    latency_s: float  # of one pin.rnea call
    error: float

    def as_dict(self):
        rows = [speed.as_dict() for speed in self.speeds]
        return {
            "version": self.version,
            "error": self.error,
            "latency_ns": self.latency_s * 1e9,
            "rows": rows,
        }


class Pinocchio:
    """One robot file. Raises Unavailable where Pinocchio is missing or reads another robot."""

    def __init__(self, path, robot):
        try:
            import pinocchio
        except Exception as error:  # not only ImportError: a broken binary raises anything
            raise Unavailable(f"not installed ({type(error).__name__})") from None
        self._pin = pinocchio
        try:
            self._model = pinocchio.buildModelFromUrdf(str(path))
        except Exception as error:
            raise Unavailable(f"it cannot read the file: {shown(str(error), 100)}") from None
        model = self._model
        if sorted(model.names[1:]) != sorted(robot.joint_names) or model.nv != robot.nv:
            raise Unavailable("it reads other joints from the file")
        # column of ours -> the joint of theirs that reads it
        self._ours = [robot.joint_names.index(name) for name in list(model.names)[1:]]

    def compare(self, kernel, arrays, batches, thread_counts, effort, tick=lambda: None):
        """Speeds over the same batch sizes and numbers of threads, on the states `arrays`."""
        pin, model = self._pin, self._model
        q, qd, qdd = self._states(arrays)
        tau = np.empty((model.nv, q.shape[1]), order="F")
        found = []
        for count in thread_counts:
            pool = pin.ModelPool(model, count)
            for batch in batches:
                part = [array[:, :batch] for array in (q, qd, qdd, tau)]
                call = partial(pin.rneaInParallel, count, pool, *part)
                found.append(Speed.of(batch, count, best_seconds(call, effort, count)))
                tick()
        data = model.createData()
        one = [array[:, 0].copy() for array in (q, qd, qdd)]
        latency = best_seconds(lambda: pin.rnea(model, data, *one), effort)
        sample = [array[:SAMPLE] for array in arrays]
        ours = kernel(*sample)
        theirs = [pin.rnea(model, data, *state) for state in _columns(q, qd, qdd, len(ours))]
        error = worst_error(ours[:, self._ours], np.array(theirs))
        return Comparison(pin.__version__, found, latency, error)

    def _states(self, arrays):
        """Rows of ours as columns of theirs; a continuous joint is (cos, sin) to them."""
        model, (q, qd, qdd) = self._model, (np.asarray(a, float) for a in arrays)
        full = np.empty((len(q), model.nq))
        for joint, column in zip(range(1, model.njoints), self._ours, strict=True):
            at = model.idx_qs[joint]
            if model.nqs[joint] == 1:
                full[:, at] = q[:, column]
            else:
                full[:, at], full[:, at + 1] = np.cos(q[:, column]), np.sin(q[:, column])
        rates = [np.ascontiguousarray(a[:, self._ours]).T for a in (qd, qdd)]
        return full.T, *rates


def _columns(q, qd, qdd, count):
    return [(q[:, k].copy(), qd[:, k].copy(), qdd[:, k].copy()) for k in range(count)]
