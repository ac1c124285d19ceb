"""A part of a body to be drawn: a solid, or a mesh, with its place on the body."""

from dataclasses import dataclass, replace

from ..robots.joint import WORLD
from ..robots.pose import HERE, Pose
from .poses import pose_of

LOOKS = ("visual", "collision", "skeleton", "inertia", "ground")  # what a part belongs to


@dataclass(frozen=True)
class Part:
    """`kind` and `size` are as of px.robots.Shape; `joint` is the index of the joint whose colour
    it has; `mesh` is an index of the scene's meshes."""

    look: str
    body: int
    kind: str
    size: tuple = ()
    pose: Pose = HERE
    colour: tuple | None = None
    joint: int | None = None
    mesh: int | None = None
    scale: tuple = (1.0, 1.0, 1.0)

    def as_look(self, look):
        """The same as a part of another look."""
        return replace(self, look=look)

    def as_data(self):
        """What the page is given: bodies count from the one that carries the root joints."""
        found = {
            "look": self.look,
            "body": self.body - WORLD,
            "kind": self.kind,
            "size": [None if size == float("inf") else size for size in self.size],
            "pose": pose_of(self.pose),
            "colour": self.colour,
            "joint": self.joint,
            "mesh": self.mesh,
            "scale": self.scale,
        }
        return {name: value for name, value in found.items() if value is not None}
