"""Computes the rows of an atlas on the workers of a cluster, with or without a store."""

from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError
from ...sweeps.engine import WorkerLost, client_of, on_cluster
from ...sweeps.study import sweep
from ...targets.blocks import Recipe
from ..one_thread import on_one_thread
from .rows import rows_of
from .runs import Runs, nameless


class Parts:
    """The rows of all maps, by number."""

    def __init__(self, given, policies, axes, kp, kd, frame):
        self.given, self.policies, self.axes = given, policies, axes
        self.kp, self.kd, self.frame = kp, kd, frame
        self.numbers = [
            (policy, axis, row)
            for policy in policies
            for axis, values in axes.items()
            for row in range(len(values))
        ]

    @cached_property
    def runs(self) -> Runs:
        """The runs, created in each process that computes some."""
        return Runs(*self.given)

    def __getstate__(self) -> dict[str, Any]:
        return {name: each for name, each in self.__dict__.items() if name != "runs"}

    def __call__(self, part: np.ndarray) -> dict[str, np.ndarray]:
        """The results of some rows, one after another."""
        found = [on_one_thread(self.row)(int(number)) for number in part]
        return {name: np.stack([each[name] for each in found]) for name in found[0]}

    def row(self, number: int) -> dict[str, np.ndarray]:
        """The results of one row."""
        policy, axis, row = self.numbers[number]
        values, robot = self.axes[axis][row : row + 1], self.runs.robot
        rows = rows_of(axis, values, robot, self.kp, self.kd, self.frame)
        run = self.runs.simulated(policy, rows)
        boundary = self.runs.predicted(policy, rows)
        return {"error": run.error[0], "diverged_at": run.diverged_at[0], "boundary": boundary[0]}


def _row(parts):
    return on_one_thread(parts.row)


def found_on_cluster(given, chosen, axes, kp, kd, frame, workers, scheduler, store):
    """(error, diverged_at, boundary) of maps, by what a policy does and by axis."""
    policies = list(dict.fromkeys(map(nameless, chosen)))
    parts = Parts(given, policies, axes, kp, kd, frame)
    if store is None:
        rows = _sent_back(parts, workers, scheduler)
    else:
        rows = _stored(parts, workers, scheduler, store)
    known, at = {}, 0
    for policy in policies:
        for axis, values in axes.items():
            own, at = slice(at, at + len(values)), at + len(values)
            known[policy, axis] = tuple(
                rows[name][own] for name in ("error", "diverged_at", "boundary")
            )
    return known


def _sent_back(parts, workers, scheduler):
    found: dict[int, Any] = {}
    with client_of(workers, scheduler) as client:
        recipe = Recipe("stability_atlas", _row, parts)
        for number, row in on_cluster(client, recipe, range(len(parts.numbers))):
            if isinstance(row, WorkerLost):
                raise ArgumentError(f"stability_atlas: row {number}: {row}")
            found[number] = row
    return {name: np.stack([found[k][name] for k in range(len(found))]) for name in found[0]}


def _stored(parts, workers, scheduler, store):
    numbers = {"part": np.arange(len(parts.numbers))}
    study = sweep(parts, numbers, store, block=1, workers=workers, scheduler=scheduler)
    if study.status.errors:
        number, error = next(iter(study.status.errors.items()))
        raise ArgumentError(f"stability_atlas: row {number} of {store}: {error}")
    data = study.open()
    return {name: data[name].values for name in ("error", "diverged_at", "boundary")}
