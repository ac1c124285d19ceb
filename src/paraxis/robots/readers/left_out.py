"""Sentences about the parts of a description that have no effect, for a warning on loading."""

from contextlib import contextmanager

from ...checks import listing, quoted, shown
from ...errors import RobotError
from ..joint import WORLD
from ..text import naming

MOST = 5  # names in each sentence


def fixed_base(robot, trunk, standing):
    """A base that seems to be meant to move.

    `trunk` is the name of the root link, `standing` the mass that is fixed to the world with it.
    An arm's base is heavy too, and is bolted down. What carries several limbs, or weighs more than
    all it carries, is more often the trunk of a robot that walks, drives or flies.
    """
    moving = sum(body.mass for body in robot.inertias)
    if standing > 0 and (WORLD in robot.branching or standing > moving):
        share = 100 * standing / (standing + moving)
        yield (
            f"the root link {quoted(trunk)} is fixed to the world, so {standing:.3g} kg "
            f"({share:.0f} % of the mass) are ignored; that is right if it is bolted down; "
            "for a base that moves, load it with floating_base=True"
        )


def weightless(robot, remedy="a link an <inertial>"):
    """Joints whose torques are zero whatever they do; `remedy`: what to give, and to what."""
    carries = [not body.is_massless() for body in robot.inertias]
    for i in range(robot.n - 1, -1, -1):
        if robot.joints[i].parent != WORLD:
            carries[robot.joints[i].parent] |= carries[i]
    names = [
        joint.name
        for joint, any_ in zip(robot.joints, carries, strict=True)
        if not any_ and not joint.reflected_inertia and joint.coupling is None
    ]
    if len(names) == robot.n:
        yield (
            "no link that moves has mass or inertia, so all torques are zero and accelerations "
            f"are undefined; give {remedy}"
        )
    elif names:
        yield (
            "nothing that these joints move has mass or inertia, so their torques are zero and "
            f"their accelerations are undefined: {listing(names, MOST)}; give {remedy}, or lock "
            "the joint with robot.locked"
        )


def unread(left, mimics, unbounded):
    """Sentences for `robot.ignored` of a URDF.

    `left` counts the elements that were not read, as `parse_xml` returns them; `mimics` and
    `unbounded` name joints whose coupling and whose limits were not.
    """
    found = [
        f"<{shown(tag)}> in <{around}>" + (f", {count} times" if count > 1 else "")
        for (around, tag), count in sorted(left.items())
    ]
    if mimics:
        found.append(f"the couplings of mimic joints: {listing(sorted(mimics), MOST)}")
    if unbounded:
        found.append(f"position limits of joints of several degrees: {listing(unbounded, MOST)}")
    return found


class Faulty:
    """Shapes that are not valid: left out, as nothing that moves depends on them."""

    def __init__(self):
        self.count, self.reasons = 0, []

    @contextmanager
    def leaving_out(self, what):
        """Note what is not valid, and why, instead of raising."""
        try:
            with naming(what):
                yield
        except RobotError as error:
            self.count += 1
            if self.count <= MOST:
                self.reasons.append(str(error))

    @property
    def sentences(self):
        """For `robot.ignored`."""
        if not self.count:
            return []
        more = f"; {self.count - MOST:,} more" if self.count > MOST else ""
        return [f"shapes that are not valid: {'; '.join(self.reasons)}{more}"]
