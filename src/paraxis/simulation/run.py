"""What a simulation gives back."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import Interrupted, SimulationWarning, warn

NEVER = -1
LARGEST_MISSING = 1e-6  # of what adds up to a torque: beyond, accelerations were not found


class Drift(NamedTuple):
    """Errors along the constraint directions of a contact, those of several one after another."""

    position: np.ndarray  # (records, ..., constraints), m or rad: distances from the anchor
    velocity: np.ndarray  # likewise, in m/s or rad/s


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Recorded states: time first, then batch, then joints. The first is the one it began with.

    `failed_at` is, for each robot, the step after which its state was no longer finite, or -1.
    From there on its states are what is left, NaN or infinite; no other robot's are touched.
    With adaptive steps, `out_of_attempts_at` is the time that a robot had reached when it was given
    up because it needed more than `max_attempts` of them in one dt; it is NaN for all others.

    Robots in contact also have the `force` that they exert, in each recorded state, under the
    torques of the step that begins there (in the last, of the step that ends; NaN where torques
    were given per step and there is no step), and the `drift` of their contacts: `drift.position`
    and `drift.velocity`, distances from the contact's anchor, or from where the robot began, and
    their rates.
    """

    t: np.ndarray  # (records,)
    q: np.ndarray  # (records, ..., n)
    qd: np.ndarray
    failed_at: np.ndarray  # (...)
    interrupted: bool = False  # by the keyboard: the .partial of px.Interrupted
    force: np.ndarray | None = None  # of a contact: (records, ..., 6), or (records, ..., k, 6)
    drift: Drift | None = None  # of contacts, along their constraint directions
    out_of_attempts_at: np.ndarray | None = None  # (...), in s: of adaptive steps

    def given_back(self, place):
        """The same with arrays as the place gives them back."""

        def back(array):
            return None if array is None else place.given_back(array)

        drift = None if self.drift is None else Drift(*map(back, self.drift))
        made = [back(array) for array in (self.t, self.q, self.qd, self.failed_at)]
        rest = back(self.force), drift, back(self.out_of_attempts_at)
        return Run(*made, self.interrupted, *rest)

    def __repr__(self):
        robots = int(np.prod(self.failed_at.shape, dtype=int))
        failed = int((self.failed_at != NEVER).sum())
        states = "1 state" if len(self.t) == 1 else f"{len(self.t)} states"
        text = f"{robots} robot{'s' * (robots != 1)}, {states}, "
        text += f"0 to {float(self.t[-1]):g} s"
        text += f", {failed} failed" if failed else ""
        return f"<Run: {text}{', interrupted' if self.interrupted else ''}>"


def robot_name(place):
    """Of a robot at some place of the batch."""
    place = tuple(int(k) for k in place)
    return f"robot {place[0] if len(place) == 1 else place}"


def interruption(run, whole):
    """The exception of a run that was interrupted, of so many seconds."""
    return Interrupted(
        f"simulate: interrupted at {float(run.t[-1]):g} of {whole:g} s; .partial of this exception "
        "is the Run until then",
        run,
    )


def warn_about(run, max_attempts):
    """Say aloud what a caller may not expect of a run."""
    failed = run.failed_at != NEVER
    if not failed.any():
        return
    given_up = np.zeros_like(failed)
    if run.out_of_attempts_at is not None:
        given_up = ~np.isnan(run.out_of_attempts_at)
    if given_up.any():
        who, first, _, place = earliest(run, given_up)
        warn(
            f"{who} used up all {max_attempts:,} attempts at adaptive steps in one dt{first} at "
            f"{float(run.out_of_attempts_at[place]):g} s, and states are NaN from there on "
            f"(run.out_of_attempts_at); use a shorter dt, a larger tolerance, or more max_attempts",
            SimulationWarning,
        )
    if (failed & ~given_up).any():
        who, first, step, _ = earliest(run, failed & ~given_up)
        text = f"{who} left the finite numbers{first} at step {step} (run.failed_at)"
        warn(text, SimulationWarning)


def earliest(run, some):
    """Of the robots that failed somehow: words for all, for the first, its step and its place."""
    places = np.argwhere(some)
    steps = run.failed_at[tuple(places.T)]
    place = tuple(places[np.argmin(steps)])
    if not place:
        return "the robot", "", steps.min(), place
    who = f"{len(places)} of {some.size} robots"
    return who, f", {robot_name(place)} first,", steps.min(), place


def warn_of_missing(missing, when):
    """Say that accelerations were not found, as where a bearing jams."""
    far = missing > LARGEST_MISSING
    if not far.any():
        return
    worst = np.unravel_index(np.nanargmax(missing), missing.shape)
    which = f"{far.sum()} of {far.size} robots, {robot_name(worst)} most,"
    which = which if far.ndim else "the robot"
    warn(
        f"bearings: the torques of {which} do not balance: a share of {missing[worst]:.1g} is "
        f"missing near {when[worst]:g} s; a bearing jams, or nearly so",
        SimulationWarning,
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
    warn(
        f"contact: {which} is singular at {float(run.t[first]):g} s: its frames should be held in "
        f"{unknowns} directions, but only {float(found):g} of their accelerations are independent",
        SimulationWarning,
    )
