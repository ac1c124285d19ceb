"""Body frames slid along their joint axes so that offsets have the fewest components.

Every component of an offset costs some ten operations. With x along the common normal of two
axes (`reframe`), an origin that lies on the foot of the normal takes one component away, but an
axis has two feet, one towards the parent and one towards the child. Which is better is a choice
along the whole chain: the cheapest is found by dynamic programming over a few places an origin
may have, its own, both feet, and the level of a neighbour on a parallel axis.

Exact in real arithmetic; in floats every constant moves by a rounding error.
"""

import numpy as np

from ..joint import WORLD, Row
from ..pose import LEFTOVER, Pose
from ..scales import built_length
from .reframe import SLIDE, between, in_frames

PLACES = 6  # that one origin may have
COMPONENT = 5  # multiply-adds that one component of an offset costs
FROM_FIRST = (2, 2, 0)  # the same for offsets from the first body, which only spins about z
BALANCED = 2  # multiply-adds that an offset across the axis saves: see counterweights


def slide(robot):
    """An equal robot; its axes must lie along z, as `reframe` leaves them."""
    length = built_length(robot)
    seats = [_Seat(joint, length) for joint in robot.joints]
    below = [[] for _ in seats]
    for i, joint in enumerate(robot.joints):
        if joint.parent != WORLD:
            below[joint.parent].append(i)
    places = _places(robot, seats, below, length)
    cost = [None] * robot.n  # body -> place -> cost of everything the body carries
    choice = {}  # (body, place of its parent) -> its best place
    for i in reversed(range(robot.n)):  # children first
        cost[i] = [0.0] * len(places[i])
        is_first = robot.joints[i].parent == WORLD
        for child in below[i]:
            for k, here in enumerate(places[i]):
                totals = [
                    seats[child].price(here, there, is_first) + rest
                    for there, rest in zip(places[child], cost[child], strict=True)
                ]
                choice[child, k] = totals.index(min(totals))
                cost[i][k] += min(totals)
    chosen = []
    for i, joint in enumerate(robot.joints):
        if joint.parent == WORLD:
            chosen.append(cost[i].index(min(cost[i])))
        else:
            chosen.append(choice[i, chosen[joint.parent]])
    return _moved(robot, [places[i][k] for i, k in enumerate(chosen)])


class _Seat:
    """Where the axis of a joint lies in its parent's frame."""

    def __init__(self, joint, length):
        self.origin = np.array(joint.placement.translation)
        self.axis = np.array(joint.placement.rotation)[:, 2]
        self.slides = not joint.is_revolute
        self.sine2 = 1 - self.axis[2] ** 2
        self.is_parallel = self.sine2 < SLIDE**2
        self.small = LEFTOVER * max(length, abs(self.origin).max())

    def price(self, here, there, from_first):
        """Of the offset between a parent's origin at `here` and the body's at `there`."""
        offset = self.origin + there * self.axis
        offset[2] -= here
        present = abs(offset) > self.small
        if self.slides:
            present |= abs(self.axis) > LEFTOVER
        if from_first:
            return float(present @ FROM_FIRST)
        return COMPONENT * int(present.sum()) - BALANCED * bool(present[:2].any())

    def foot_on_parent(self):
        """Of the common normal, along the parent's axis."""
        return (self.origin[2] - self.axis[2] * (self.origin @ self.axis)) / self.sine2

    def foot(self):
        """Of the common normal, along the body's own axis."""
        return (self.axis[2] * self.origin[2] - self.origin @ self.axis) / self.sine2


def _places(robot, seats, below, length):
    """Where each origin may go, as distances along its axis; the first is where it is."""
    places = [[0.0] for _ in seats]

    def offer(i, place):
        if isinstance(robot.joints[i], Row):  # which keeps its frame
            return
        same = 8 * LEFTOVER * max(length, abs(place))
        known = any(abs(place - other) <= same for other in places[i])
        if len(places[i]) < PLACES and not known:
            places[i].append(float(place))

    for i in range(robot.n):
        if robot.joints[i].parent != WORLD and not seats[i].is_parallel:
            offer(i, seats[i].foot())
        for k in below[i]:
            if not seats[k].is_parallel:
                offer(i, seats[k].foot_on_parent())
    for i in reversed(range(robot.n)):  # the level of a child on a parallel axis ...
        for k in below[i]:
            if seats[k].is_parallel:
                for there in places[k]:
                    offer(i, seats[k].origin[2] + there * seats[k].axis[2])
    for i, joint in enumerate(robot.joints):  # ... and of a parent
        if joint.parent != WORLD and seats[i].is_parallel:
            for here in places[joint.parent]:
                offer(i, (here - seats[i].origin[2]) / seats[i].axis[2])
    return places


def _moved(robot, distances):
    shift = [Pose(translation=(0.0, 0.0, distance)) for distance in distances]
    placements = [
        between(shift, joint.parent, joint.placement, shift[i])
        for i, joint in enumerate(robot.joints)
    ]
    return in_frames(robot, placements, shift)
