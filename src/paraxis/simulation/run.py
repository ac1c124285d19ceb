"""What a simulation gives back."""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import SimulationWarning

NEVER = -1
LARGEST_MISSING = 1e-6  # of max(1, the largest torque): beyond, accelerations were not found


class Drift(NamedTuple):
    """Errors along the constraint directions of a contact, those of several one after another."""

    position: np.ndarray  # (records, ..., constraints), m or rad: distances from the anchor
    velocity: np.ndarray  # likewise, in m/s or rad/s


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Recorded states: time first, then batch, then joints. The first is the one it began with.

    `failed_at` is, for each robot, the step after which its state was no longer finite, or -1.
    From there on its states are what is left, NaN or infinite; no other robot's are touched.

    Robots in contact also have the `force` that they exert, in each recorded state, under the
    torques of the step that begins there (in the last, of the step that ends), and the `drift` of
    their contacts: `drift.position` and `drift.velocity`, distances from the contact's anchor, or
    from where the robot began, and their rates.
    """

    t: np.ndarray  # (records,)
    q: np.ndarray  # (records, ..., n)
    qd: np.ndarray
    failed_at: np.ndarray  # (...)
    interrupted: bool = False  # by the keyboard: what was recorded until then is here
    force: np.ndarray | None = None  # of a contact: (records, ..., 6), or (records, ..., k, 6)
    drift: Drift | None = None  # of contacts, along their constraint directions

    def given_back(self, place):
        """The same with arrays as the place gives them back."""
        back = place.given_back
        force = None if self.force is None else back(self.force)
        drift = None if self.drift is None else Drift(*map(back, self.drift))
        made = [back(array) for array in (self.t, self.q, self.qd, self.failed_at)]
        return Run(*made, self.interrupted, force, drift)

    def __repr__(self):
        robots = int(np.prod(self.failed_at.shape, dtype=int))
        failed = int((self.failed_at != NEVER).sum())
        text = f"{robots} robot{'s' * (robots != 1)}, {len(self.t)} states, "
        text += f"0 to {float(self.t[-1]):g} s"
        text += f", {failed} failed" if failed else ""
        return f"<Run: {text}{', interrupted' if self.interrupted else ''}>"


def robot_name(place):
    """Of a robot at some place of the batch."""
    place = tuple(int(k) for k in place)
    return f"robot {place[0] if len(place) == 1 else place}"


def warn_about(run):
    """Say aloud what a caller may not expect of a run."""
    if run.interrupted:
        text = f"interrupted: it has the states up to {run.t[-1]:g} s"
        warnings.warn(text, SimulationWarning, stacklevel=3)
    failed = np.argwhere(run.failed_at != NEVER)
    if not len(failed):
        return
    steps = run.failed_at[tuple(failed.T)]
    first = failed[np.argmin(steps)]
    which = robot_name(first)
    text = f"{len(failed)} of {run.failed_at.size} robots left the finite numbers, {which} first,"
    text = text if len(first) else "the robot left the finite numbers"
    warnings.warn(f"{text} at step {steps.min()} (run.failed_at)", SimulationWarning, stacklevel=3)


def warn_of_missing(missing, when):
    """Say that accelerations were not found, as where a bearing jams."""
    far = missing > LARGEST_MISSING
    if not far.any():
        return
    worst = np.unravel_index(np.nanargmax(missing), missing.shape)
    which = f"{far.sum()} of {far.size} robots, {robot_name(worst)} most,"
    which = which if far.ndim else "the robot"
    warnings.warn(
        f"bearings: the torques of {which} do not balance: a share of {missing[worst]:.1g} is "
        f"missing near {when[worst]:g} s; a bearing jams, or nearly so",
        SimulationWarning,
        stacklevel=3,
    )


def warn_of_singular(run, rank, unknowns, place):
    """Say that the contact of a robot has lost a direction, which makes its states NaN."""
    short = rank < unknowns
    if not short.any():
        return
    finite = place.arrays.isfinite(run.q).all(-1) & place.arrays.isfinite(run.qd).all(-1)
    singular = np.argwhere(place.in_main_memory(short & finite))
    if not len(singular):
        return
    first, *robot = map(int, singular[0])
    found = rank[(first, *robot)]
    which = robot_name(robot) if robot else "the robot"
    warnings.warn(
        f"contact: {which} is singular at {float(run.t[first]):g} s: its frames should be held in "
        f"{unknowns} directions, but only {float(found):g} of their accelerations are independent",
        SimulationWarning,
        stacklevel=3,
    )
