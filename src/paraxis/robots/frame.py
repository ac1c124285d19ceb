"""A named frame on a body, such as a tool or a link of a description."""

from dataclasses import dataclass

from .pose import HERE, Pose


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame on a body: every link of a description, moving or fixed, is one.

    **Arguments:**

    - `name`: of the frame.
    - `body`: the index of the body that it is fixed to, -1 for the world.
    - `pose`: the frame's `px.robots.Pose` in that body's frame.

    **Example:**

    >>> robot = px.load("ur5")
    >>> robot.frame("tool0").body  # on the last of six
    5
    >>> camera = px.robots.Frame("camera", 5, px.robots.Pose(translation=(0.0, 0.05, 0.0)))
    """

    name: str
    body: int
    pose: Pose = HERE

    @property
    def identity(self) -> tuple[int, Pose]:
        """What decides where it is; its name does not."""
        return self.body, self.pose
