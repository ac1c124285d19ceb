"""`px.control.simulated_safe_period`: the largest sampling period at which simulated runs converge.

Nothing is linearised here: runs that begin a little apart are simulated, nonlinear plant and all,
and it is seen whether they come together or drift apart.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import quoted
from ..drivers.map import in_main_memory
from ..errors import ArgumentError
from ..robots.model import PARAMETERS
from ..robots.scales import joint_scales
from ..simulation.simulator import positive
from ..simulation.stiffness import stiffest
from .checks import share_of_period
from .reference import Reference
from .sampled_control import PLANT_STEP, closed_loop

AT_ONCE = 12  # periods simulated together
SAMPLES = 300  # at least, of each run
REFINEMENTS = 2  # of the interval between the last stable and the first unstable period
LOST_IN_ROUNDING = 1e-6  # of the first distance: nearer runs are together
FAR = 100  # times the first distance: runs so far apart parted, whatever they do then
SET_HERE = {"q0", "qd0", "record", "delay"}  # of what px.control.closed_loop takes
DIRECTIONS = 3  # in which runs begin apart


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedPeriod:
    """The largest period at which runs came together, and the next at which they did not.

    period is None where they did not even at the shortest; unstable is infinite where they did at
    all periods up to the longest.
    """

    period: float | None
    unstable: float
    shortest: float
    longest: float

    def __repr__(self):
        if self.period is None:
            said = f"none: runs drift apart even at {self.shortest:.3g} s"
        elif math.isinf(self.unstable):
            said = f"all up to {self.longest:.3g} s"
        else:
            said = f"{self.period:.4g} s, not {self.unstable:.4g} s"
        return f"<SimulatedPeriod {said}>"


def simulated_safe_period(
    robot,
    controller,
    trajectory,
    *,
    shortest,
    longest,
    duration,
    amplitude=1e-6,
    delay_share=0.0,
    **keywords,
):
    """The largest period at which simulated runs that begin a little apart come together.

    Apart by `amplitude` in positions (of a radian, or of the robot's length where joints slide),
    and in rates by as much per period: stale data are stirred too.

    The periods looked at go from `shortest` to `longest`; the first interval of stable ones counts,
    as in `px.control.safe_period`, to which this is the check. duration: how long runs are followed
    (at least 300 samples): so long that errors die out under good control, or they hide what grows.
    delay_share: of the period, that computation takes. Keywords are those of
    `px.control.closed_loop`. With a large amplitude it tells how far stability reaches. Where there
    is dry friction, errors that are too small to overcome it stick where they are: amplitude must
    not be.
    """
    shortest, longest = positive(shortest, "shortest"), positive(longest, "longest")
    if shortest >= longest:
        raise ArgumentError(f"longest: expected more than {shortest} s, found {longest}")
    delay_share = share_of_period(delay_share, "delay_share")
    for name in SET_HERE & keywords.keys():
        raise ArgumentError(
            f"{name}: expected other keywords of px.control.closed_loop; it is set here"
        )
    for name, value in keywords.items():
        in_main_memory(value, name)
    lasting = positive(duration, "duration"), positive(amplitude, "amplitude")
    apart = _Apart((robot, controller, trajectory), *lasting, delay_share, keywords)
    if robot.has_losses:
        _require_steps_that_stand_friction(robot, apart.begin[0], longest, keywords)
    count = 1 + math.ceil(AT_ONCE * math.log10(longest / shortest))
    periods = np.geomspace(shortest, longest, max(2, count))
    safe, unsafe = None, math.inf
    for begin in range(0, len(periods), AT_ONCE):
        some = periods[begin : begin + AT_ONCE]
        together = apart.come_together(some)
        first = int(np.argmin(together)) if not together.all() else len(some)
        safe = float(some[first - 1]) if first else safe
        if first < len(some):
            unsafe = float(some[first])
            break
    for _ in range(REFINEMENTS if safe is not None and math.isfinite(unsafe) else 0):
        some = np.linspace(safe, unsafe, AT_ONCE + 2)
        together = apart.come_together(some[1:-1])
        first = 1 + (int(np.argmin(together)) if not together.all() else AT_ONCE)
        safe, unsafe = float(some[first - 1]), float(some[first])
    return SimulatedPeriod(safe, unsafe, shortest, longest)


def _require_steps_that_stand_friction(robot, q, longest, keywords):
    """Where friction is too stiff for the plant's steps, joints shake and runs tell nothing."""
    step = min(positive(keywords.get("plant_step", PLANT_STEP), "plant_step"), longest)
    parameters = {name: np.asarray(keywords[name]) for name in keywords if name in PARAMETERS}
    found = stiffest(robot, q, step, parameters)
    if found is None:
        return
    factor, joint = found
    raise ArgumentError(
        f"plant_step: expected <= {step / factor:.2g} s for the friction of joint "
        f"{quoted(joint.name)}, which is too stiff near rest for {step:g} s, or smoothing >= "
        f"{joint.friction.smoothing * factor:.2g} of its px.robots.Friction instead of "
        f"{joint.friction.smoothing:g} (docs/friction.md)"
    )


class _Apart:
    """Runs that begin apart, at several periods."""

    def __init__(self, given, duration, amplitude, delay_share, conditions):
        robot, _, trajectory = self.given = given
        self.duration, self.amplitude = duration, amplitude
        self.delay_share, self.conditions = delay_share, conditions
        chance = np.random.default_rng(1)
        ways = chance.normal(size=(DIRECTIONS, robot.nv))
        self.scales = joint_scales(robot)
        self.ways = self.scales * (amplitude * ways / np.abs(ways).max(-1, keepdims=True))
        self.begin = Reference(trajectory, robot).sampled(np.zeros(1))[0, :2]

    def come_together(self, periods):
        """At which of some periods they do."""
        length = max(self.duration, SAMPLES * periods.max())
        q0, qd0 = self.begin
        # A batch for each beginning: runs meet the same chance where they have the same place.
        runs = [
            closed_loop(
                *self.given,
                periods,
                q0=q0 + apart,
                qd0=qd0 + apart / periods[:, None],
                duration=length,
                delay=self.delay_share * periods,
                record="q",
                **self.conditions,
            )
            for apart in (np.zeros_like(q0), *self.ways)
        ]
        t, q = runs[0].t, np.stack([run.q for run in runs], axis=2)
        t = np.broadcast_to(t.reshape(len(t), -1), q.shape[:2])
        return np.array([self._together(t[:, k], q[:, k], length) for k in range(len(periods))])

    def _together(self, t, q, length):
        """Of the runs at one period: are they nearer in the last quarter than in the one before?

        And not far more apart than at first: runs that parted may stay as far as the arm allows.
        """
        if not np.isfinite(q).all():
            return False
        distance = (np.abs(q[:, 1:] - q[:, :1]) / self.scales).max((1, 2))
        before = distance[(t >= 0.5 * length) & (t < 0.75 * length)].max()
        last = distance[t >= 0.75 * length].max()
        nearest = LOST_IN_ROUNDING * self.amplitude
        return bool(last <= max(min(before * (1 - 1e-9), FAR * self.amplitude), nearest))
