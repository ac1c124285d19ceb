"""Equal models of one robot, cheap ones, of which the cheapest is worth tracing.

Which frames are best depends on the robot: offsets pushed towards the tip, or placed by `slide`;
with counterweights or without. Joint torques are the same in all of them, and nothing else is:
bodies are moments of mass that need not be those of any solid.
"""

from functools import partial

from .lighten import lighten
from .reframe import reframe
from .slide import slide
from .unturned import Unturned


def cheap_models(robot):
    """Functions of q, each of which gives a Model with the joint torques of `robot`."""
    placed = slide(reframe(robot, slide=False))
    for view, counterweights in ((placed, True), (placed, False), (reframe(robot), True)):
        yield partial(Unturned, view, lighten(view, counterweights))
