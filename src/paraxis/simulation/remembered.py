"""Graphs under names by which they are found again, so that they are compiled once."""

import hashlib

from ..backends.places import CPU
from ..graph import text as text_form
from ..program import work


def identified(what, make_graph, controller):
    """An identity of the graph of a robot under a controller, if there is one; and its maker."""
    if controller is None:
        return what, make_graph
    made = make_graph()  # what a controller does is known only by tracing it
    return hashlib.sha256(text_form.text(made).encode()).hexdigest(), lambda: made


def remembered_kernel(robot, identity, make_graph, place=CPU):
    """The kernel of a graph: remembered with the robot, or found on disk, or compiled."""
    known, key = robot._functions, (place.target, identity)
    if key not in known:
        known[key] = place.kernel(identity, make_graph, work)
    return known[key]
