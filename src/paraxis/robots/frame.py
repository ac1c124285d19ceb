"""A named frame on a body, such as a tool or a link of a description."""

from dataclasses import dataclass

from .pose import HERE, Pose


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame on a body: every link of a description, moving or fixed, is one.

    `body` is the index of the body it is fixed to, -1 for the world; `pose` is in that body's
    frame.
    """

    name: str
    body: int
    pose: Pose = HERE

    @property
    def identity(self) -> tuple[int, Pose]:
        """What decides where it is; its name does not."""
        return self.body, self.pose
