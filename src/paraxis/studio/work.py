"""One person's work in the studio: commands, what came of them, and the same as Python.

Nothing here knows of a browser.
"""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from .. import api
from ..checks import quoted
from ..errors import ArgumentError, RobotError
from ..scene.motion import coordinate_names
from ..simulation.progress import stopped_by
from .lines import Names, literal
from .noticing import noticed
from .opening import by_name, by_text, line_of

MOST_JOINTS = 120
FREE = 3.0  # rad or m: the range of a slider where there is no limit
PATIENCE = 0.1  # s: between two looks at whether a command that waits is cancelled
DIGITS = 6  # of positions that sliders give
_computing = threading.Lock()  # kernels use all cores, and warnings are caught for one at a time


@dataclass(frozen=True)
class Plot:
    """Curves over x; `logarithmic` says whether x is, or both axes are."""

    x: np.ndarray
    curves: dict
    x_name: str
    y_name: str
    logarithmic: bool = False


@dataclass
class Result:
    """What a command came to: text, perhaps a plot, perhaps positions over time to watch."""

    text: str
    plot: Plot | None = None
    t: np.ndarray | None = None
    q: np.ndarray | None = None  # (times, ..., nq)
    notes: list = field(default_factory=list)


class Work:
    """`robot` and its `notes`; `q` and `goal`, postures; `journal`, what was done."""

    def __init__(self, journal):
        self.journal, self.names = journal, Names()
        self.robot, self.notes, self.q, self.goal = None, [], None, None
        self._told = {}  # the postures that the journal has already
        self.stop = threading.Event()  # set: the command that runs is to end

    # -- robots --------------------------------------------------------------------------------

    def open(self, name):
        """Open a robot that is installed."""
        with _computing:
            found = by_name(name)
        self._take(found)
        self.journal.add("", line_of(name))

    def open_text(self, text):
        """Open the text of a URDF or MJCF file; what was read is kept beside the journal."""
        with _computing:
            found = by_text(text)
        check_size(found.robot)
        file = self.journal.keep(found.text, found.ending)
        self._take(found)
        self.journal.add("", line_of(file))

    def open_given(self, found, line):
        """Open what was opened already; `line` is the same as Python."""
        self._take(found)
        self.journal.begin(line)

    def _take(self, found):
        check_size(found.robot)
        self.robot, self.notes = found.robot, found.notes
        self.names["robot"] = found.robot
        self.q = self.goal = standing(found.robot)
        self._told = {}

    # -- postures ------------------------------------------------------------------------------

    def set_coordinate(self, k, value):
        """Move one number of the posture, within its range."""
        if not np.isfinite(value):
            raise ArgumentError(f"expected a finite number, found {value}")
        low, high = ranges(self.robot)[k]
        q = self.q.copy()
        q[k] = round(min(max(value, low), high), DIGITS)
        self.q = self._normal(q)

    def stand(self):
        """Go back to the posture that the robot had at first."""
        self.q = standing(self.robot)

    def set_goal(self):
        """Make the posture the goal."""
        self.goal = self.q.copy()

    def at_goal(self):
        """A sentence, if there is nothing to do from the posture to the goal."""
        same = np.array_equal(self.q, self.goal)
        hint = "The posture is the goal already: make it the goal, then move the joints."
        return [hint] if same else []

    def _normal(self, q):
        return q if self.robot.nq == self.robot.nv else api.normalize(self.robot, q)

    # -- commands ------------------------------------------------------------------------------

    def do(self, lines, postures=("q",)):
        """Run lines and keep them: (what they printed, warnings). Errors keep nothing, nor does
        a command that is cancelled."""
        if self.robot is None:
            raise ArgumentError("open a robot first")
        begin = []
        for name in postures:
            line = f"{name} = np.array({literal(getattr(self, name))})"
            if self._told.get(name) != line:
                begin.append(line)
        try:
            with self._turn(), noticed() as notes, stopped_by(self.stop):
                printed = self.names.run([*begin, *lines])
        except KeyboardInterrupt:
            raise ArgumentError("cancelled; nothing of it is kept") from None
        self.journal.add("", *begin, *lines)
        self._told |= {line.partition(" ")[0]: line for line in begin}
        return printed, notes

    @contextmanager
    def _turn(self):
        """Wait for the commands of others, unless this one is cancelled meanwhile."""
        while not _computing.acquire(timeout=PATIENCE):
            if self.stop.is_set():
                raise KeyboardInterrupt
        try:
            yield
        finally:
            _computing.release()


def check_size(robot):
    """Refuse robots for which commands would take minutes, and a panel miles."""
    if robot.n > MOST_JOINTS:
        raise RobotError(
            f"{quoted(robot.name)} has {robot.n:,} joints; the studio is for up to {MOST_JOINTS}"
        )


def standing(robot):
    """A posture to begin with: the neutral one, within the limits."""
    q = np.array(api.neutral(robot), float)
    for k, (low, high) in enumerate(ranges(robot)):
        if not low <= q[k] <= high:
            q[k] = round((low + high) / 2, DIGITS)
    return q


def ranges(robot):
    """(lowest, highest) of every number of q."""
    found = []
    for each in coordinate_names(robot)[0]:
        joint = robot.joints[each["joint"]]
        if joint.nq > 1:
            found.append((-FREE, FREE))
            continue
        low, high = float(joint.lower), float(joint.upper)
        found.append((low if np.isfinite(low) else -FREE, high if np.isfinite(high) else FREE))
    return found
