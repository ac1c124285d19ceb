"""Which `mimic` joints of a URDF file follow which, and why others do not."""

from ...checks import did_you_mean, listing, quoted
from ..coupling import COUPLINGS, Coupling
from ..joint import SINGLE
from .left_out import MOST


class Mimics:
    """The joints of a file that should follow others, given `couplings` as in `px.load`."""

    def __init__(self, edges, couplings):
        self._stated = {edge.name: edge.mimic for edge in edges if edge.mimic}
        self._kinds = {edge.name: edge.kind for edge in edges}
        self._asked = couplings == COUPLINGS[0]
        # by joint, each coupling to one that follows no other
        self.followed = self._resolved() if self._asked else {}
        self.independent = [name for name in self._stated if name not in self.followed]

    def _resolved(self):
        """What can be followed. Joints that cannot follow may still be followed by others."""
        able = {
            name: coupling
            for name, coupling in self._stated.items()
            if {self._kinds[name], self._kinds.get(coupling.leader)} <= {*SINGLE}
        }
        found, circling = {}, set()
        for name in able:
            row = {}  # each mimics the next; a dict, as it keeps their order
            while name in able and not (name in row or name in found or name in circling):
                row[name] = able[name]
                name = able[name].leader
            if name in row:
                circling.update([*row][[*row].index(name) :])
            for follower in reversed([each for each in row if each not in circling]):
                found[follower] = _through(row[follower], found.get(row[follower].leader))
        return found

    def left_out(self, robot):
        """Sentences about joints of the robot that move independently, with what to do."""
        independent = {*self.independent}
        names = [name for name in robot.joint_names if name in independent]
        if names and self._asked:
            reasons = "; ".join(f"{quoted(name)} {self._obstacle(name)}" for name in names[:MOST])
            more = f"; {len(names) - MOST} more" if len(names) > MOST else ""
            yield (
                f"mimic joints that cannot follow move independently: {reasons}{more}; correct "
                "the description, or lock them with robot.locked"
            )
        elif names:
            yield (
                f"mimic joints move independently here: {listing(names, MOST)}; set each to the "
                "position of its coupling, or lock it with robot.locked"
            )

    def _obstacle(self, name):
        """Why a joint cannot follow, as the rest of a sentence about it."""
        leader, kinds = self._stated[name].leader, self._kinds
        if kinds[name] not in SINGLE:
            return f"is {kinds[name]}, and only joints of one degree of freedom can follow"
        if leader == name:
            return "mimics itself"
        if leader not in kinds:
            hint = did_you_mean(leader, kinds)
            return f"mimics {quoted(leader)}, which is not a joint of this file{hint}"
        if kinds[leader] not in SINGLE:
            return f"mimics {quoted(leader)}, which is {kinds[leader]}"
        return f"mimics {quoted(leader)} in a circle"


def _through(coupling, further):
    """A coupling to whom the leader follows by the coupling `further`, if it follows anyone."""
    if further is None:
        return coupling
    (a, b), (c, d) = coupling.coefficients, further.coefficients
    return Coupling(further.leader, (a + b * c, b * d))
