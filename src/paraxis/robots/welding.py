"""Joints that do not move: the bodies they carry become parts of the bodies that carry them.

All mass stays, and so does everything on a body, on the body that it is now part of.
"""

from dataclasses import replace

from ..checks import quoted
from .inertia import welded
from .joint import WORLD
from .pose import HERE
from .text import naming


def weld(joints, inertias, root, still):
    """A tree without the joints `still`, {index: the pose of its body on its seat}.

    Returns the joints, inertias and root that are left, and of each body of before, and of WORLD,
    the one that it is now part of and its pose there: what `carrier` takes.
    """
    moving, bodies = [], []
    stands = {WORLD: (WORLD, HERE)}
    for i, (joint, inertia) in enumerate(zip(joints, inertias, strict=True)):
        with naming(f"joint {quoted(joint.name)}"):
            body, pose = stands[joint.parent]
            seat = joint.placement if pose is HERE else pose @ joint.placement
            if i not in still:
                stands[i] = (len(moving), HERE)
                there = (joint.parent, joint.placement) == (body, seat)
                moving.append(joint if there else replace(joint, parent=body, placement=seat))
                bodies.append(inertia)
                continue
            stands[i] = (body, seat if still[i] is HERE else seat @ still[i])
            part = inertia.seen_from(stands[i][1])
            if body == WORLD:
                root = welded(root, part)
            else:
                bodies[body] = welded(bodies[body], part)
    return moving, bodies, root, stands


def carrier(stands):
    """The function that puts a frame or shape on the body that its body is now part of."""

    def place(thing):
        body, pose = stands[thing.body]
        if pose is HERE:
            return thing if thing.body == body else replace(thing, body=body)
        return replace(thing, body=body, pose=pose if thing.pose is HERE else pose @ thing.pose)

    return place
