"""A body by the moments of its mass: how much, the first and the second moments.

The second moments are those of position, ∫ r rᵀ dm, not the moments of inertia. What lies on the
z axis has a mass, a first moment along z and one second moment, zz: for bodies that turn about z
this is where the zeros are.
"""

from ...spatial import Symmetric


class Moments:
    """∫ dm, ∫ r dm and ∫ r rᵀ dm about the frame's origin, over generic scalars."""

    __slots__ = ("first", "mass", "second")

    def __init__(self, mass, first, second):
        self.mass, self.first, self.second = mass, first, second

    @classmethod
    def of(cls, body):
        """From a BodyInertia; moments are returned as they are."""
        if isinstance(body, cls):
            return body
        i = body.about_origin
        twice = i.yy + i.zz - i.xx, i.xx + i.zz - i.yy, i.xx + i.yy - i.zz
        second = Symmetric(*(0.5 * moment for moment in twice), -i.xy, -i.xz, -i.yz)
        return cls(body.mass, body.moment, second)

    def turned(self, rotation):
        """The same body seen from a frame with the same origin that `rotation` leads to."""
        return Moments(self.mass, rotation @ self.first, rotation.tensor(self.second))
