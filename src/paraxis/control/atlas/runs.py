"""The runs of an atlas and their predicted boundaries, row by row."""

from dataclasses import replace

from ..controller import computed_torque
from ..sampled_control import closed_loop
from ..stale_policies import Policy
from .motion import at_speed, checked_motion
from .prediction import CycleRadii, boundaries


def nameless(policy: Policy) -> Policy:
    """A policy by what it does: vuskovic's cuts with age 1 equal binder_herzog's."""
    return replace(policy, name="")


class Runs:
    """The data shared by all maps."""

    def __init__(self, robot, motion, cycle, periods, duration, bound, target):
        self.robot, self.cycle, self.periods = robot, cycle, periods
        self.duration, self.bound, self.target = duration, bound, target
        self.faster, self.reference = at_speed(motion), checked_motion(robot, motion, cycle)

    def simulated(self, policy, rows):
        controller = computed_torque(self.robot, rows.kp[:, None], rows.kd[:, None], policy)
        held = {name: value[:, None] for name, value in rows.parameters.items()}
        return closed_loop(
            self.robot,
            controller,
            self.faster,
            self.periods[None],
            duration=self.duration,
            bound=self.bound,
            speed=rows.speeds[:, None],
            target=self.target,
            **held,
        )

    def predicted(self, policy, rows):
        controller = computed_torque(self.robot, rows.kp, rows.kd, policy)
        given = self.reference, self.cycle, rows.speeds, rows.parameters
        radii = CycleRadii(self.robot, controller, *given)
        return boundaries(radii, len(rows.speeds), self.periods)
