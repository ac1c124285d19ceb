"""A tree as a row: the tour around it, which turns recurrences along a tree into ordinary ones.

The tour enters every body and leaves it again (Tarjan and Vishkin, 1985). Whoever leaves body i
undoes its term, so that the recurrence along the tour has the value of body i where i is entered:
products of rotations and sums can be undone. The tour of a chain is the chain.
"""

from typing import NamedTuple

from ...robots.joint import WORLD


class Turn(NamedTuple):
    """A body, where the tour enters or leaves it."""

    body: int
    leaves: bool = False


class Tour:
    """The tour around a robot's tree; what it does after the last body is entered is left out."""

    def __init__(self, robot):
        self.parent = [joint.parent for joint in robot.joints]
        children = {i: [] for i in (WORLD, *range(robot.n))}
        for i, p in enumerate(self.parent):
            children[p].append(i)
        turns, ahead = [], [Turn(i) for i in reversed(children[WORLD])]
        while ahead:
            turn = ahead.pop()
            turns.append(turn)
            if not turn.leaves:
                ahead.append(Turn(turn.body, leaves=True))
                ahead += [Turn(i) for i in reversed(children[turn.body])]
        while turns[-1].leaves:
            turns.pop()
        self.turns = turns
        self.bodies = [turn.body for turn in turns if not turn.leaves]  # parents first

    @property
    def entered(self):
        """body -> its place in `turns`."""
        return {turn.body: k for k, turn in enumerate(self.turns) if not turn.leaves}

    @property
    def beyond(self):
        """body -> the first body after it that it does not carry, where there is one."""
        found, entered = {}, None
        for turn in reversed(self.turns):
            if turn.leaves:
                found[turn.body] = entered
            else:
                entered = turn.body
        return found
