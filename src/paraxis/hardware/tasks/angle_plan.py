"""The angle to which each arctangent is added, so that sums of angles need few additional tasks.

A vectoring processor adds the angle it finds to another one. θ = atan2(a, b) - atan2(c, d) is
therefore two tasks, the second of which takes the result of the first; only sums of existing angles
need an `add`. Rotating by an angle is equivalent, up to signs and a swap, to rotating by that angle
plus quarter turns: if both are required, for rotations and as a result, one suffices.
"""

from typing import NamedTuple

from .values import QUARTER, Angle, Arctangent

NOTHING = Angle()


class Vectored(NamedTuple):
    """sign · an arctangent, by its number, + another angle."""

    value: int
    sign: int
    added: Angle


class Added(NamedTuple):
    first: Angle
    second: Angle


class AnglePlan:
    """How each required angle is computed: `how[angle]`, or that of the angle's negative.

    `results` are required exactly, `turns` up to quarter turns. Small sums are planned first, as
    parts of larger ones.
    """

    def __init__(self, values, turn, results, turns):
        self.values, self.turn = values, turn
        self.how = {}
        self.vectors = {}  # number of an arctangent -> the angle that its task computes
        asked = self._in_order([angle for angle in results if angle.terms], turns)
        for angle, to_turn in sorted(asked, key=lambda ask: len(ask[0].terms)):
            self._plan(angle, to_turn)
        self._by_turn = {}
        for angle in self.how:
            self._by_turn.setdefault(turn(angle)[2], angle)

    def _in_order(self, results, turns):
        """(angle, whether it is only for turning): turns first, as many tasks may wait for them,
        unless a result can serve as one."""
        by_turn = {}
        for angle in results:
            by_turn.setdefault(self.turn(angle)[2], angle)
        asked = [(by_turn.get(angle, angle), angle not in by_turn) for angle in turns]
        return asked + [(angle, False) for angle in results]

    def for_turning(self, angle):
        """A planned angle that is equivalent to this one for turning."""
        return self._by_turn.get(angle, angle)

    def _plan(self, angle, to_turn):
        if self._is_known(angle):
            return
        parts, rest = self._known_parts(angle)
        for value, sign in rest.terms:
            if value in self.vectors:  # its task adds another angle, which must be subtracted
                parts.append(self._bare(value, sign))
        waiting = [term for term in rest.terms if term[0] not in self.vectors]
        if rest.constant and not (to_turn and self._is_quarters(rest.constant)):
            parts.append(Angle((), rest.constant))
        # Earlier values come first, so that the addend of an arctangent never depends on it.
        level = self.values.level
        steps = [(level(part), 0, part) for part in parts]
        steps += [(level(Angle((term,))), 1, term) for term in waiting]
        total = None
        for _, is_vector, step in sorted(steps, key=lambda step: step[:2]):
            if is_vector:
                total = self._vectored(*step, total or NOTHING)
            else:
                total = step if total is None else self._added(total, step)

    def _is_known(self, angle):
        return not angle.terms or angle in self.how or self.values.negative(angle) in self.how

    def _is_quarters(self, constant):
        return not self.values.wrapped(constant, QUARTER)

    def _known_parts(self, angle):
        """Planned angles that are parts of this one, large ones first, and the remainder."""
        parts, rest = [], angle
        while True:
            candidates = [self._single_input(term) for term in rest.terms]
            candidates += [c for known in self.how for c in (known, self.values.negative(known))]
            fitting = [c for c in candidates if c and {*c.terms} <= {*rest.terms}]
            if not fitting:
                return parts, rest
            best = max(fitting, key=lambda c: (len(c.terms), c.constant == rest.constant))
            parts.append(best)
            rest = self.values.combined(rest, best, -1)

    def _single_input(self, term):
        is_arctangent = isinstance(self.values[term[0]], Arctangent)
        return None if is_arctangent else Angle((term,))

    def _bare(self, value, sign):
        """An arctangent by itself, if its task computes a sum with it."""
        given = self.vectors[value]
        step = self.how[given]
        bare = self._added(given, self.values.negative(step.added))
        return bare if sign == step.sign else self.values.negative(bare)

    def _vectored(self, value, sign, added):
        total = self.values.combined(Angle(((value, sign),)), added)
        self.how[total] = Vectored(value, sign, added)
        self.vectors[value] = total
        return total

    def _added(self, first, second):
        total = self.values.combined(first, second)
        if not self._is_known(total):
            self.how[total] = Added(first, second)
        return total
