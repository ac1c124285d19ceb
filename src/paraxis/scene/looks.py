"""What a robot looks like: the shapes of its description, or a skeleton."""

from .skeleton import inertia_boxes, skeleton


def looks_of(robot):
    """(parts, meshes, notes) of everything that may be drawn on the robot's bodies."""
    return [*skeleton(robot), *inertia_boxes(robot)], [], []
