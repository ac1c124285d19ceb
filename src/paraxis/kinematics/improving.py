"""From the best that was met for a pose that is not reached, to the best nearby.

Far from a goal that is out of reach, steps overshoot along some directions and creep along others.
Of several lengths the one that leaves the least squared error is taken, of all joints or of those
that the step does not bring to a bound: these go there at once.
"""

from functools import cached_property

from ..api import trace
from ..physics.configuration import normalize
from ..physics.inverse_kinematics.damped_least_squares import between
from ..physics.inverse_kinematics.reaching import reaching_step
from ..scalar import less, less_equal, logical_or, select

SHARES = (4.0, 1.0, 1 / 4, 1 / 16, 1 / 64)  # of a step
TRIED = 2 * len(SHARES)
IMPROVEMENTS = 24


class Improving:
    """`error(off, per_length)` is how far off a pose is, by its distances; `scales` make them
    lengths and angles alike, as steps do. `bounds` are those of the entries of q."""

    def __init__(self, model, frames, reach, bounds, scales, error, target):
        self._model, self._frames, self._reach = model, frames, reach
        self._bounds, self._scales, self._error = bounds, scales, error
        self._target = target

    def improved(self, q, goals, start, per_length):
        """The best nearby, also of `start` if there is one: q, its error with `per_length`, and
        its error in metres and radians."""
        per_length = self._target.arrays.full((), per_length)
        best, (off, ahead) = q, self._look(q, goals)
        if start is not None:
            other = start, *self._look(start, goals)
            best, off, ahead = self._nearer(best, off, ahead, *other, per_length)
        q, best_off = best, off
        for _ in range(IMPROVEMENTS):
            tried = self._tries(q, ahead)
            left, further = self._look(tried, goals[:, None])
            q, off, ahead, best, best_off = self._chosen(
                q, off, ahead, best, best_off, tried, left, further, per_length
            )
        return best, *self._errors(best_off, per_length)

    # -- what is compiled

    def _compiled(self, function, **shapes):
        return trace(function, **shapes).compile(self._target.name)

    @property
    def _sizes(self):
        return {"q": len(self._bounds), "off": len(self._scales)}

    @cached_property
    def _look(self):
        """How far off q is, and where the next step leads."""

        def look(q, goal):
            given = q, goal, self._reach, self._bounds, 0.0, 1.0
            moved, off, _ = reaching_step(self._model, *given)
            return {"off": off, "ahead": moved}

        return self._compiled(look, q=len(self._bounds), goal=(self._frames, 4, 4))

    @cached_property
    def _errors(self):
        def errors(off, per_length):
            return {"error": self._error(off, per_length), "plain": self._error(off, 1.0)}

        return self._compiled(errors, off=len(self._scales), per_length=())

    @cached_property
    def _nearer(self):
        """The nearer of two, each with its distances and where the next step leads."""

        def nearer(q, off, ahead, q_, off_, ahead_, per_length):
            other = less(self._error(off_, per_length), self._error(off, per_length))
            pairs = {"q_next": (q_, q), "off_next": (off_, off), "ahead_next": (ahead_, ahead)}
            return {name: _selected(other, *pair) for name, pair in pairs.items()}

        n, d = self._sizes.values()
        shapes = {"q": n, "off": d, "ahead": n, "q_": n, "off_": d, "ahead_": n}
        return self._compiled(nearer, **shapes, per_length=())

    @cached_property
    def _tries(self):
        """What is tried on the way from q to where the next step leads, and beyond."""

        def tries(q, ahead):
            stopped = [
                select(logical_or(less_equal(x, low), less_equal(high, x)), x, here)
                for x, here, (low, high) in zip(ahead, q, self._bounds, strict=True)
            ]
            return [
                self._within([a + (b - a) * share for a, b in zip(begin, ahead, strict=True)])
                for begin in (q, stopped)
                for share in SHARES
            ]

        n = len(self._bounds)
        return self._compiled(tries, q=n, ahead=n)

    def _within(self, q):
        return normalize(
            self._model, [between(x, *stop) for x, stop in zip(q, self._bounds, strict=True)]
        )

    @cached_property
    def _chosen(self):
        """The best of what was tried, where that is better than what is there."""

        def chosen(q, off, ahead, best, best_off, tried, left, further, per_length):
            least = self._squared(off)
            for x, away, beyond in zip(tried, left, further, strict=True):
                squared = self._squared(away)
                falls = less(squared, least)
                least = select(falls, squared, least)
                q, off, ahead = (
                    _selected(falls, *pair) for pair in ((x, q), (away, off), (beyond, ahead))
                )
            better = less(self._error(off, per_length), self._error(best_off, per_length))
            return {
                "q_next": q,
                "off_next": off,
                "ahead_next": ahead,
                "best_next": _selected(better, q, best),
                "best_off_next": _selected(better, off, best_off),
            }

        n, d = self._sizes.values()
        shapes = {"q": n, "off": d, "ahead": n, "best": n, "best_off": d}
        shapes |= {"tried": (TRIED, n), "left": (TRIED, d), "further": (TRIED, n)}
        return self._compiled(chosen, **shapes, per_length=())

    def _squared(self, off):
        """What steps make smaller."""
        return sum((x * scale) ** 2 for x, scale in zip(off, self._scales, strict=True))


def _selected(condition, one, other):
    return [select(condition, a, b) for a, b in zip(one, other, strict=True)]
