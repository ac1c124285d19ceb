"""The result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

import numpy as np

from ..checks import counted, quoted
from ..errors import Interrupted, SimulationWarning, warn
from ..scene.scene import Scene
from ..targets.blocks import is_lazy
from ..targets.target import Target
from .limits_acted import LimitsActed
from .names import robot_name
from .setup import Setup

NEVER = -1
MOST_IN_NOTEBOOKS = 200_000  # numbers of positions
UNSOLVED = 1e-2  # m/s: beyond, contacts are visibly wrong
LARGEST_MISSING = 1e-6  # of what adds up to a torque: beyond, accelerations were not found


class Drift(NamedTuple):
    """Errors along the constraint directions of contacts and loops, one after another: those of all
    contacts first, then those of all loops of the robot."""

    position: np.ndarray  # (records, ..., constraints), m or rad: distances from the anchor, gaps
    velocity: np.ndarray  # likewise, in m/s or rad/s


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Recorded states of simulated robots, the initial one first.

    Axes are records, then the batch, then joints.

    - `t`: times of the records, `(records,)`, s.
    - `q`: positions, `(records, ..., nq)`, rad or m.
    - `qd`: rates, `(records, ..., nv)`, rad/s or m/s.
    - `failed_at`: per robot, `(...)`, the step after which its state was no longer finite, or -1.
      From there on its states are NaN or infinite; other robots are not affected.
    - `interrupted`: whether Ctrl-C ended it: then it is the `.partial` of a `px.Interrupted`.
    - `force`: in contact, the moment and force that the robot exerts, `(records, ..., 6)`, or
      `(records, ..., k, 6)` in a list of k contacts, N m and N: in each recorded state, under the
      torques of the step that begins there. In the last state the torques are those of the step
      that ends there; the force is NaN if torques were given per step and there are no steps.
    - `drift`: in contact, the distances from the contact's anchor, or from where the robot began,
      along the constraint directions (`drift.position`), and their rates (`drift.velocity`),
      followed by the openings of the robot's loops along their directions.
    - `loop_force`: of a robot with l closed loops, the forces in them in each recorded state,
      `(records, ..., l, 6)`, as of `px.constrained_forward_dynamics`, including those of their
      `stabilisation`.
    - `out_of_attempts_at`: with adaptive steps, the time in s that a robot had reached when it
      needed more than `max_attempts` in one `dt`; NaN for all others.
    - `limits`: where limits are kept, a `px.simulation.LimitsActed`: in how many steps each of them
      acted.
    - `impulses`: on the ground, the impulses of k contact points in the step that ends there,
      `(records, ..., k, 3)`: along the normal and two tangents, N s. `px.simulation.contact_forces`
      gives forces in the world.
    - `residual`: on the ground, the error of the solution of the contact problem, m/s.
    - `setup`: what was simulated; pages are made from it.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> q0, qd0 = np.zeros((3, 2)), np.zeros((3, 2))
    >>> run = px.simulate(robot, q0, qd0, dt=1e-3, steps=100, every=50)
    >>> run.t, run.q.shape  # records, robots, joints
    (array([0.  , 0.05, 0.1 ]), (3, 3, 2))
    >>> run.failed_at
    array([-1, -1, -1])
    >>> run.to_html("falling.html")
    """

    t: np.ndarray  # (records,)
    q: np.ndarray  # (records, ..., n)
    qd: np.ndarray  # (records, ..., n)
    failed_at: np.ndarray  # (...) of int
    interrupted: bool = False
    force: np.ndarray | None = None  # (records, ..., 6), or (records, ..., k, 6) of k contacts
    drift: Drift | None = None
    out_of_attempts_at: np.ndarray | None = None  # (...)
    loop_force: np.ndarray | None = None  # (records, ..., l, 6) of l loops
    limits: LimitsActed | None = None
    impulses: np.ndarray | None = None  # (records, ..., k, 3) of k contact points
    residual: np.ndarray | None = None  # (records, ...)
    setup: Setup | None = None

    def to_html(self, path: str | PathLike) -> None:
        """Write a page on which the robots move, one file with nothing to fetch: see `px.show`."""
        self.as_scene().to_html(path)

    def as_scene(self, title: str | None = None) -> Scene:
        """What `px.show(run)` shows."""
        from .shown import scene_of_run  # here, because few runs are looked at

        return scene_of_run(self, title)

    def _repr_html_(self) -> str | None:
        """In a notebook: the robots as they move, unless nothing is computed yet, or a notebook
        would become large: `px.show` shows these."""
        if self.setup is None or is_lazy(self.q) or not 0 < self.q.size <= MOST_IN_NOTEBOOKS:
            return None
        return self.as_scene()._repr_html_()

    def given_back(self, target: Target) -> Run:
        """The same with arrays of the kind that the caller gave."""

        def back(array):
            return None if array is None else target.given_back(array)

        drift = None if self.drift is None else Drift(*map(back, self.drift))
        return Run(
            t=back(self.t),
            q=back(self.q),
            qd=back(self.qd),
            failed_at=back(self.failed_at),
            interrupted=self.interrupted,
            force=back(self.force),
            drift=drift,
            out_of_attempts_at=back(self.out_of_attempts_at),
            loop_force=back(self.loop_force),
            limits=self.limits,
            impulses=back(self.impulses),
            residual=back(self.residual),
            setup=self.setup,
        )

    def __repr__(self):
        robots = int(np.prod(self.failed_at.shape, dtype=int))
        if is_lazy(self.failed_at):
            return (
                f"<Run: {counted(robots, 'robot')}, {counted(len(self.t), 'state')}, not computed>"
            )
        failed = int((self.failed_at != NEVER).sum())
        text = f"{counted(robots, 'robot')}, {counted(len(self.t), 'state')}, "
        text += f"0 to {float(self.t[-1]):g} s"
        text += f", {failed} failed" if failed else ""
        return f"<Run: {text}{', interrupted' if self.interrupted else ''}>"


def interruption(run, whole):
    """The exception for a run that was interrupted; `whole` is its intended length in seconds."""
    return Interrupted(
        f"simulate: interrupted at {float(run.t[-1]):g} of {whole:g} s; .partial of this exception "
        "is the Run so far",
        run,
    )


def warn_about(run, method, dt, max_attempts=0):
    """Warn of robots that failed, and say what may help."""
    failed = run.failed_at != NEVER
    if not failed.any():
        return
    given_up = np.zeros_like(failed)
    if run.out_of_attempts_at is not None:
        given_up = ~np.isnan(run.out_of_attempts_at)
    if given_up.any():
        who, first, _, index = earliest(run, given_up)
        warn(
            f"{who} used up all {max_attempts:,} attempts at adaptive steps in one dt{first} at "
            f"{float(run.out_of_attempts_at[index]):g} s, and states are NaN from there on "
            f"(run.out_of_attempts_at); use a shorter dt, or a larger tolerance or max_attempts",
            SimulationWarning,
        )
    if (failed & ~given_up).any():
        who, first, step, index = earliest(run, failed & ~given_up)
        started = run.failed_at[index] > 0
        warn(
            f"simulation failed for {who}{first} at step {step}: the state is no longer finite "
            f"(run.failed_at){began_beyond(run, index)}{remedy(method, dt) if started else ''}",
            SimulationWarning,
        )


def remedy(method, dt):
    """What keeps states finite that grew without bound, as the end of a warning."""
    if method == "adaptive":  # whose steps were as short as they can be
        return ""
    other = "" if method == "semi_implicit_euler" else " or method 'semi_implicit_euler'"
    return f"; if torques and parameters are finite, a dt shorter than {dt:g} s{other} may help"


def began_beyond(run, index):
    """Words for a joint that a robot began with beyond its limits, as with degrees for radians."""
    if run.setup is None:
        return ""
    robot, q = run.setup.robot, run.q[0][index]
    beyond = np.flatnonzero((q < robot.lower) | (q > robot.upper))
    if not beyond.size:
        return ""
    k = beyond[0]
    name = [joint.name for joint in robot.joints for _ in range(joint.nq)][k]
    return (
        f"; joint {quoted(name)} began at {q[k]:g}, beyond its limits of "
        f"{robot.lower[k]:g} to {robot.upper[k]:g} (rad or m)"
    )


def warn_of_failed(failed, count, method, dt):
    """Warn of robots that calls of `step` have left with a state that is not finite."""
    indices = np.argwhere(failed)
    steps = np.where(np.isnan(count), np.inf, count)  # NaN where what a step reads is NaN
    first = tuple(min(indices, key=lambda index: steps[tuple(index)]))
    which = "the robot"
    if failed.ndim:
        which = f"{len(indices)} of {failed.size} robots, {robot_name(first)} first"
    if np.isfinite(steps[first]):
        which += f"{',' * (failed.ndim > 0)} after {int(steps[first]):,} steps"
    warn(
        f"simulation failed for {which}: the state is not finite, and stays so until it is "
        f"reset{remedy(method, dt)}",
        SimulationWarning,
    )


def earliest(run, some):
    """Of robots that failed: words for all and for the first, its step and its batch index."""
    indices = np.argwhere(some)
    steps = run.failed_at[tuple(indices.T)]
    index = tuple(indices[np.argmin(steps)])
    if not index:
        return "the robot", "", steps.min(), index
    who = f"{len(indices)} of {some.size} robots"
    return who, f", {robot_name(index)} first,", steps.min(), index


def warn_of_missing(missing, when):
    """Warn that accelerations were not found, as where a bearing jams."""
    far = missing > LARGEST_MISSING
    if not far.any():
        return
    worst = np.unravel_index(np.nanargmax(missing), missing.shape)
    which = f"{far.sum()} of {far.size} robots, {robot_name(worst)} most,"
    which = which if far.ndim else "the robot"
    warn(
        f"bearings: the torques of {which} do not balance near {when[worst]:g} s (relative error "
        f"{missing[worst]:.1g}); a bearing jams, or nearly so",
        SimulationWarning,
    )


def warn_of_unsolved(ground, worst, recorded="; run.residual"):
    """Warn of robots whose contacts were not solved within the sweeps that are allowed."""
    far = worst > UNSOLVED
    if not far.any():
        return
    most = np.unravel_index(np.nanargmax(worst), worst.shape)
    which = (
        f"{far.sum()} of {far.size} robots, {robot_name(most)} most," if far.ndim else "the robot"
    )
    warn(
        f"ground: the contacts of {which} were not solved within {ground.sweeps} sweeps of a step "
        f"(residual {float(worst[most]):.2g} m/s{recorded}); use a shorter dt or more sweeps",
        SimulationWarning,
    )


def warn_of_singular(run, rank, unknowns, target):
    """Warn that the contact of a robot has lost a direction, which makes its states NaN."""
    short = rank < unknowns
    if not short.any():
        return
    finite = target.arrays.isfinite(run.q).all(-1) & target.arrays.isfinite(run.qd).all(-1)
    singular = np.argwhere(target.in_main_memory(short & finite))
    if not len(singular):
        return
    first, *robot = map(int, singular[0])
    found = rank[(first, *robot)]
    which = robot_name(robot) if robot else "the robot"
    warn(
        f"contact: {which} is singular at {float(run.t[first]):g} s: its frames should be held in "
        f"{counted(unknowns, 'direction')}, but their accelerations have rank {float(found):g}",
        SimulationWarning,
    )
