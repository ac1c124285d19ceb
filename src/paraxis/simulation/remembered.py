"""Kernels under names by which they are found again, so that they are compiled once."""

from ..programs import work
from ..targets.places import CPU


def remembered_kernel(robot, identity, make_graph, place=CPU):
    """The kernel of a graph: remembered with the robot, or found on disk, or compiled."""
    known, key = robot._functions, (place.target, identity)
    if key not in known:
        known[key] = place.kernel(identity, make_graph, work)
    return known[key]
