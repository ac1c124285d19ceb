"""A tree as a row: the tour around it, which turns recurrences along a tree into ordinary ones.

The tour enters every body and leaves it again (Tarjan and Vishkin, 1985). Leaving body i undoes its
term, so that the recurrence along the tour has the value of body i where it is entered: products of
rotations and sums can be undone. The tour of a chain is the chain.
"""

from typing import NamedTuple

from ...robots.joint import WORLD


class Visit(NamedTuple):
    """A body, where the tour enters or leaves it."""

    body: int
    leaves: bool = False


class Tour:
    """The tour around a robot's tree, truncated after the last body is entered."""

    def __init__(self, robot):
        self.parent = [joint.parent for joint in robot.joints]
        children = {i: [] for i in (WORLD, *range(robot.n))}
        for i, p in enumerate(self.parent):
            children[p].append(i)
        visits, ahead = [], [Visit(i) for i in reversed(children[WORLD])]
        while ahead:
            visit = ahead.pop()
            visits.append(visit)
            if not visit.leaves:
                ahead.append(Visit(visit.body, leaves=True))
                ahead += [Visit(i) for i in reversed(children[visit.body])]
        while visits[-1].leaves:
            visits.pop()
        self.visits = visits
        self.bodies = [visit.body for visit in visits if not visit.leaves]  # parents first

    @property
    def beyond(self):
        """body -> the first body after it that it does not carry, if there is one."""
        found, entered = {}, None
        for visit in reversed(self.visits):
            if visit.leaves:
                found[visit.body] = entered
            else:
                entered = visit.body
        return found
