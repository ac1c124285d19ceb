"""`px.control.stability_atlas`: where loops with stale data are stable, along several axes.

Every map has two parts that are computed independently: which simulated runs diverged, and the
period up to which the linear loop is predicted to be stable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import shown
from ...dynamics.loads import payload
from ...errors import ArgumentError
from ...parallel.written import written
from ...robots.robot import Robot
from ...simulation.progress import Progress
from ...simulation.simulator import positive
from ..one_thread import on_one_thread
from ..stale_policies import Policy
from .asked import certain_policies, critical_gains, cyclic_motion
from .on_cluster import found_on_cluster
from .prediction import POINTS
from .rows import checked_axes, rising, rows_of, usual_axes
from .runs import Runs, nameless

COLUMNS = 40
PERIODS = 2e-3, 2.0  # shortest and longest, relative to kp**-1/2 of the stiffest joint


@dataclass(frozen=True, eq=False, repr=False)
class StabilityMap:
    """The map of one policy: rows are values of an axis, columns are sampling periods.

    - `policy`, `axis`: their names.
    - `values`: the values of the axis, `(rows,)`.
    - `periods`: sampling periods, `(columns,)`, s.
    - `error`, `diverged_at`: results of the simulated runs, `(rows, columns)`, rad or m, and s, as
      in `px.control.ClosedLoop`.
    - `boundary`: the period up to which the linear loop is predicted to be stable, `(rows,)`, s; 0
      if it is unstable at the shortest, infinite if it is stable atevery period.
    """

    policy: str
    axis: str
    values: np.ndarray
    periods: np.ndarray
    error: np.ndarray
    diverged_at: np.ndarray
    boundary: np.ndarray

    @property
    def diverged(self) -> np.ndarray:
        """Which runs diverged, (rows, columns) of bool."""
        return ~np.isnan(self.diverged_at)

    @property
    def held_up_to(self) -> np.ndarray:
        """Per row, the last period before the first diverged run; 0 or infinite beyond the map."""
        first = np.where(self.diverged.any(1), self.diverged.argmax(1), len(self.periods))
        return np.array([0.0, *self.periods[:-1], np.inf])[first]

    @property
    def predicted(self) -> np.ndarray:
        """Which cells are predicted to be stable, (rows, columns) of bool."""
        return self.periods <= self.boundary[:, None]

    @property
    def agreement(self) -> float:
        """The share of cells whose run stayed bounded or diverged as predicted."""
        return float((self.predicted != self.diverged).mean())

    def __repr__(self):
        rows, columns = self.error.shape
        return (
            f"<StabilityMap {self.policy} by {self.axis}: {rows} x {columns} runs, "
            f"{int(self.diverged.sum())} diverged, {self.agreement:.1%} as predicted>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class StabilityAtlas:
    """Stability maps by policy and axis, for example atlas["hamilton", "speed"].

    - `robot`: the robot.
    - `kp`, `kd`: gains, `(nv,)`, 1/s² and 1/s.
    - `cycle`: the period of the motion at speed 1, s.
    - `duration`: the duration of a run, s.
    - `bound`: the error above which a run counts as diverged, rad or m.
    - `maps`: the StabilityMaps by (policy, axis).
    """

    robot: Robot
    kp: np.ndarray
    kd: np.ndarray
    cycle: float
    duration: float
    bound: float
    maps: dict[tuple[str, str], StabilityMap] = field(repr=False)

    def __getitem__(self, key: tuple[str, str]) -> StabilityMap:
        if key not in self.maps:
            raise ArgumentError(f"atlas: expected one of {tuple(self.maps)}, found {key!r}")
        return self.maps[key]

    @property
    def policies(self) -> list[str]:
        """The names of the policies."""
        return list(dict.fromkeys(policy for policy, _ in self.maps))

    @property
    def axes(self) -> dict[str, np.ndarray]:
        """The values of each axis, by name."""
        return {axis: each.values for (_, axis), each in self.maps.items()}

    @property
    def periods(self) -> np.ndarray:
        """The sampling periods, which are the columns of all maps, s."""
        return next(iter(self.maps.values())).periods

    @property
    def agreement(self) -> float:
        """The share of all cells whose run stayed bounded or diverged as predicted."""
        right = [(each.predicted != each.diverged).ravel() for each in self.maps.values()]
        return float(np.concatenate(right).mean())

    @property
    def prediction(self) -> str:
        """A description of the criterion used for the prediction."""
        return (
            "the spectral radius of the linear loop over a whole cycle of the motion, linearised "
            f"at up to {POINTS} of its points"
        )

    def to_html(self, path: str | PathLike | None = None) -> str:
        """Return the maps as one interactive HTML page, also written to `path` if given."""
        from .page import page

        return written(page(self), path)

    def _repr_html_(self):
        from .page import framed

        return framed(self)

    def __repr__(self):
        runs = sum(each.error.size for each in self.maps.values())
        return (
            f"<StabilityAtlas of {shown(self.robot.name)}: {len(self.policies)} policies by "
            f"{', '.join(self.axes)}; {runs:,} runs, {self.agreement:.1%} as predicted>"
        )


@on_one_thread
def stability_atlas(
    robot: Robot,
    kp: ArrayLike = 100.0,
    kd: ArrayLike | None = None,
    policies: str | Policy | Sequence[str | Policy] | None = None,
    *,
    motion: Callable | None = None,
    cycle: float | None = None,
    periods: ArrayLike | None = None,
    axes: Mapping[str, ArrayLike] | None = None,
    frame: str | None = None,
    duration: float | None = None,
    bound: float = 1.0,
    target: str | None = None,
    workers: int | None = None,
    scheduler: Any = None,
    store: str | PathLike | None = None,
) -> StabilityAtlas:
    """Return maps of where computed-torque control with stale data is stable.

    There is one map per policy and axis, with one column per sampling period and one row per value
    of the axis. Each cell is a run of `px.control.closed_loop` that starts on the motion. For each
    row, the period up to which the loop is stable is predicted as by `px.control.safe_period` with
    `periodic=True`. The two results are independent.

    **Arguments:**

    - `robot`: the robot.
    - `kp`, `kd`: gains, one number or one per degree of freedom, as for
      `px.control.computed_torque`; without `kd`, damping is critical.
    - `policies`: names, or results of `px.control.policy(...)`; by default all.
    - `motion`: a function of t, as for `px.control.closed_loop`, that repeats after `cycle`
      seconds; by default sines of 0.3 rad with a cycle of 2 s. It is required for robots with
      planar, spherical or free joints.
    - `cycle`: the period of `motion`, s.
    - `periods`: sampling periods, increasing, s; by default from 0.002 to 2 times kp**-1/2.
    - `axes`: a dict with some of `"speed"` (a factor of the motion's speed), `"gain"` (a factor of
      kp, whose square root multiplies kd) and `"payload"` (kg at the tip, unknown to the
      controller), each with its values; by default all three. In the maps of the other axes they
      are 1, 1 and 0.
    - `frame`: the frame of the robot that carries the payload; by default the tool. It is required
      for robots with several tips.
    - `duration`: the duration of runs, s; by default one and a half cycles.
    - `bound`: the error above which a run counts as diverged, rad or m.
    - `target`: with `"cuda"`, runs are simulated on a GPU; the results are still NumPy arrays.
    - `workers`, `scheduler`: as for `px.sweep`: rows of maps are computed by this number of
      processes, or by the workers of a Dask scheduler; by default in this process.
    - `store`: the store of a `px.sweep` over the rows, from which an interrupted computation
      resumes; by default results are not stored.

    **Returns:** a `StabilityAtlas`; its maps are `atlas[policy, axis]`.

    **Raises:** `px.ArgumentError` if arguments do not fit together, the motion does not repeat, or
    a policy has uncertain ages.

    **Example:**

    >>> atlas = px.control.stability_atlas(
    ...     px.robots.planar(2), policies=["exact", "hamilton"], axes={"payload": [0.0, 1.0]}
    ... )
    >>> atlas["hamilton", "payload"].held_up_to  # s, for each payload
    array([0.01, 0.02])
    """
    kp, kd = critical_gains(robot, kp, kd)
    chosen = certain_policies(policies)
    motion, cycle = cyclic_motion(robot, motion, cycle)
    axes = checked_axes(usual_axes(robot) if axes is None else axes)
    if "payload" in axes:
        payload(robot, mass=axes["payload"], frame=frame)  # checks the frame
    elif frame is not None:
        raise ArgumentError("frame: it carries the payload, but axes have no values of payload")
    if periods is None:
        periods = np.geomspace(*PERIODS, COLUMNS) / np.sqrt(kp.max())
    periods = rising(periods, "periods")
    duration = 1.5 * cycle if duration is None else positive(duration, "duration")
    bound = positive(bound, "bound")
    given = robot, motion, cycle, periods, duration, bound, target
    run = Runs(*given)  # checks the motion
    if workers is not None or scheduler is not None:
        known = found_on_cluster(given, chosen, axes, kp, kd, frame, workers, scheduler, store)
    elif store is not None:
        raise ArgumentError("store: it requires a cluster; give workers or scheduler as well")
    else:
        known = _found_here(run, chosen, axes, kp, kd, frame)
    maps = {
        (policy.name, axis): StabilityMap(
            policy.name, axis, values, periods, *known[nameless(policy), axis]
        )
        for policy in chosen
        for axis, values in axes.items()
    }
    return StabilityAtlas(robot, kp, kd, cycle, duration, run.bound, maps)


def _found_here(run, chosen, axes, kp, kd, frame):
    """(error, diverged_at, boundary) of maps, by what a policy does and by axis."""
    known: dict[tuple[Policy, str], tuple] = {}
    with Progress("stability atlas", len(chosen) * len(axes)) as progress:
        for done, (policy, axis) in enumerate(product(chosen, axes)):
            if (nameless(policy), axis) not in known:
                rows = rows_of(axis, axes[axis], run.robot, kp, kd, frame)
                found = run.simulated(policy, rows)
                progress.at(done + 1 / 2)
                results = found.error, found.diverged_at, run.predicted(policy, rows)
                known[nameless(policy), axis] = results
            progress.at(done + 1)
    return known
