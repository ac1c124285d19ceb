"""Sentences about the parts of a description that have no effect, for a warning on loading."""

from ...checks import listing, quoted
from ..joint import WORLD

MOST = 5  # names in each sentence


def left_out(robot, trunk, standing, mimics):
    """Sentences about a robot that was read, with what to do.

    `trunk` is the name of its root link, `standing` the mass that is fixed to the world with it,
    and `mimics` are the names of the joints that should follow others.
    """
    return [*_base(robot, trunk, standing), *_coupled(robot, mimics), *_weightless(robot)]


def _base(robot, trunk, standing):
    """A base that seems to be meant to move.

    An arm's base is heavy too, and is bolted down. What carries several limbs, or weighs more than
    all it carries, is more often the trunk of a robot that walks, drives or flies.
    """
    moving = sum(body.mass for body in robot.inertias)
    if standing > 0 and (WORLD in robot.branching or standing > moving):
        share = 100 * standing / (standing + moving)
        yield (
            f"the root link {quoted(trunk)} is fixed to the world, so {standing:.3g} kg "
            f"({share:.0f} % of the mass) are ignored; that is right if it is bolted down, "
            "while a base that moves needs joints above it in the file (floating bases are not "
            "supported yet)"
        )


def _coupled(robot, mimics):
    found = [name for name in robot.joint_names if name in mimics]
    if found:
        yield (
            f"mimic joints move independently here: {listing(found, MOST)}; set each to the "
            "position of its coupling, or lock it with robot.locked"
        )


def _weightless(robot):
    """Joints whose torques are zero whatever they do."""
    carries = [not body.is_massless() for body in robot.inertias]
    for i in range(robot.n - 1, -1, -1):
        if robot.joints[i].parent != WORLD:
            carries[robot.joints[i].parent] |= carries[i]
    names = [
        joint.name
        for joint, any_ in zip(robot.joints, carries, strict=True)
        if not any_ and not joint.reflected_inertia
    ]
    if len(names) == robot.n:
        yield (
            "no link that moves has mass or inertia, so all torques are zero and accelerations "
            "are undefined; give links an <inertial>"
        )
    elif names:
        yield (
            "nothing that these joints move has mass or inertia, so their torques are zero and "
            f"their accelerations are undefined: {listing(names, MOST)}; give a link an "
            "<inertial>, or lock the joint with robot.locked"
        )
