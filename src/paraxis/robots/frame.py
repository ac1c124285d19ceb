"""A named frame on a body, such as a tool or a link of a description."""

from dataclasses import dataclass

from .pose import Pose


@dataclass(frozen=True, slots=True)
class Frame:
    """A named place on a body: every link of a description, moving or fixed, is one."""

    name: str
    body: int  # WORLD, or the index of the body it is fixed to
    pose: Pose = Pose()  # in that body's frame

    @property
    def digest(self):
        """Of where it is; its name does not enter."""
        return f"{self.body} {self.pose}"
