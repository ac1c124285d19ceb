"""Which joints follow which, from a MuJoCo model's equalities of joints and of fixed tendons.

An equality of joints says which joint follows: its first. One of tendons says that a sum of joint
positions is constant: there it is the last joint, in the order of the model, that can be solved
for, preferably one that no other follows.
"""

import numpy as np
from numpy.polynomial import Polynomial

from ..coupling import Coupling

ROUNDING = 1e-14  # of the largest coefficient: less is left of what cancels


class Followers:
    """The joints that follow others, by index: sums of polynomials of joints that follow none.

    - `followed`: {joint: {leader: Polynomial}}.
    - `read`: the numbers of the equalities that this makes true.
    """

    def __init__(self, compiled):
        self.followed, self.read = {}, set()
        if compiled.is_disabled("EQUALITY"):
            return
        model, kinds = compiled.model, compiled.mujoco.mjtEq
        for kind, tie in ((kinds.mjEQ_JOINT, self._joints), (kinds.mjEQ_TENDON, self._tendons)):
            for k in np.flatnonzero(model.eq_type == int(kind)).tolist():
                if model.eq_active0[k] and tie(compiled, k):
                    self.read.add(k)

    def couplings(self, names):
        """{joint: Coupling}."""
        return {joint: _coupling(each, names) for joint, each in self.followed.items()}

    def _joints(self, compiled, k):
        """MuJoCo counts from the reference positions: y - y0 = a0 + a1 (x - x0) + ..."""
        model = compiled.model
        y, x = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        if x < 0 or y in self.followed:
            return False
        y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (y, x))
        polynomial = y0 + Polynomial(model.eq_data[k][:5])(Polynomial((-x0, 1.0)))
        leaders = self._composed(polynomial.trim(), x)
        return leaders is not None and y not in leaders and self._follow(y, leaders)

    def _tendons(self, compiled, k):
        """L1 - L1 at the reference = a0 + a1 (L2 - L2 at the reference), of a tendon L1 or two."""
        model = compiled.model
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        a0, a1, *higher = model.eq_data[k][:5].tolist()
        sums = {first: 1.0} if second < 0 else {first: 1.0, second: -a1}
        if (second >= 0 and any(higher)) or not {*sums} <= {*compiled.fixed_tendons}:
            return False
        total = {}  # sums up to zero
        constant = -a0 - sum(factor * float(model.tendon_length0[t]) for t, factor in sums.items())
        for t, factor in sums.items():
            for j, arm in compiled.fixed_tendons[t].items():
                for leader, own in self.followed.get(j, {j: Polynomial((0.0, 1.0))}).items():
                    total[leader] = total.get(leader, Polynomial((0.0,))) + factor * arm * own
        largest = max(abs(each.coef).max() for each in total.values())
        total = {j: each.trim(ROUNDING * largest) for j, each in total.items()}
        constant += sum(float(each.coef[0]) for each in total.values() if len(each.coef) == 1)
        total = {j: each for j, each in total.items() if len(each.coef) > 1}
        solvable = [j for j, each in total.items() if len(each.coef) == 2 and len(total) > 1]
        leading = {leader for each in self.followed.values() for leader in each}
        for j in sorted(solvable, key=lambda j: (j in leading, -j)):
            own, factor = total[j].coef
            rest = {leader: -each / factor for leader, each in total.items() if leader != j}
            nearest = next(iter(rest))
            rest[nearest] = rest[nearest] - (constant + own) / factor
            if self._follow(j, rest):
                return True
        return False

    def _composed(self, polynomial, x):
        """A polynomial of the joint x as one of the joints that x follows; None if it is none."""
        followed = self.followed.get(x)
        if followed is None:
            return {x: polynomial}
        if len(followed) == 1:
            return {leader: polynomial(each).trim() for leader, each in followed.items()}
        if len(polynomial.coef) > 2:
            return None
        offset, factor = (*polynomial.coef, 0.0)[:2]
        composed = {leader: factor * each for leader, each in followed.items()}
        composed[next(iter(composed))] += offset
        return composed

    def _follow(self, joint, leaders):
        """Let a joint follow others, and all that followed it with it; whether that can be said."""
        before = dict(self.followed)
        self.followed[joint] = leaders
        for follower, each in before.items():
            if joint not in each:
                continue
            total = {leader: own for leader, own in each.items() if leader != joint}
            composed = self._composed(each[joint], joint)
            for leader, own in (composed or {}).items():
                total[leader] = total.get(leader, Polynomial((0.0,))) + own
            self.followed[follower] = total
            if composed is None:
                self.followed = before
                return False
        if all(map(_can_be_said, self.followed.values())):
            return True
        self.followed = before
        return False


def _can_be_said(leaders):
    """Whether a Coupling has words for it: a polynomial of one joint, or a linear sum."""
    return len(leaders) == 1 or all(len(each.trim().coef) <= 2 for each in leaders.values())


def _coupling(leaders, names):
    if len(leaders) == 1:
        ((leader, polynomial),) = leaders.items()
        return Coupling(names[leader], tuple(polynomial.trim().coef.tolist()))
    offset = sum(float(polynomial.coef[0]) for polynomial in leaders.values())
    factors = [float((*polynomial.coef, 0.0)[1]) for polynomial in leaders.values()]
    return Coupling([names[leader] for leader in leaders], (offset, *factors))
