"""Rounds of the numerical search as one compiled loop: several of them without a look in between.

A round is a few steps of damped least squares. After it a pose whose error fell goes on from where
it is; another begins anew from its next start. The best that was met is carried along. A pose that
is reached is done, in whatever step that is.
"""

from functools import cached_property, reduce

from ..api import trace
from ..physics.inverse_kinematics.reaching import angle_of, reaching_step
from ..scalar import equal, less, less_equal, logical_and, logical_or, maximum, select

STEPS = 8  # a round
STARTS = 7  # from which poses may begin anew while nobody looks, so that there are 8 rounds
FELL = 0.25  # the error after a round, over that before, with which a pose goes on
FAR = 1.0  # the error that a start is taken to have
CARRIED = ("q", "off", "best", "least", "plain", "before", "anew", "step", "round")


class Rounds:
    """The loop for frames of a robot that are to be reached, on a target.

    `pairs` says of each frame and each loop whether there are (chord, way) of it. `stay` are
    entries of q that no start moves.
    """

    def __init__(self, model, frames, reach, bounds, pairs, stay, target):
        self._model, self._nq, self._frames = model, len(bounds), frames
        self._reach, self._bounds, self._pairs = reach, bounds, pairs
        self._stay, self._target = stay, target

    @cached_property
    def kernel(self):
        vectors = {"q": self._nq, "best": self._nq, "off": sum(map(sum, self._pairs))}
        shapes = {name: vectors.get(name, ()) for name in CARRIED}
        shapes |= {"goal": (self._frames, 4, 4), "starts": (STARTS, self._nq)}
        shapes |= dict.fromkeys(("tolerance", "per_length", "steps_of_round"), ())
        carry = {name: f"{name}_next" for name in CARRIED}
        return trace(self._step, **shapes).compile_iterate(
            carry, until="done", target=self._target.name
        )

    def run(self, rounds, near, steps=STEPS, starts=None, **carried):
        """(what is carried after these rounds, whether each is done).

        The error is that of the last q but one, unless q has reached its goal.
        """
        xp, count = self._target.arrays, len(carried["q"])
        if starts is None:
            starts = xp.zeros((STARTS, self._nq))
        kernel, zeros = self.kernel, xp.zeros(count)
        first = dict.fromkeys(CARRIED, zeros) | {"best": carried["q"]}
        first["off"] = xp.zeros(kernel.plan.inputs["off"])
        given = first | carried | near._asdict()
        going = kernel.start(rounds * steps, starts=starts, steps_of_round=float(steps), **given)
        going.advance()
        return going.state, going.finished

    def _step(self, q, best, least, plain, before, anew, step, goal, starts, **others):
        first = logical_and(less(0.5, anew), equal(step, 0.0))
        q = self._begun(q, first, others["round"], starts)
        given = q, goal, self._reach, self._bounds, others["tolerance"], others["per_length"]
        moved, off, done = reaching_step(self._model, *given)
        error = self.error(off, others["per_length"])
        ends = logical_or(less(0.5, done), less_equal(others["steps_of_round"], step + 1.0))
        closer = logical_and(ends, less(error, least))
        fell = less(error, before * FELL)
        return {
            "q_next": moved,
            "off_next": off,
            "best_next": [select(closer, a, b) for a, b in zip(moved, best, strict=True)],
            "least_next": select(closer, error, least),
            "plain_next": select(closer, self.error(off, 1.0), plain),
            "before_next": select(ends, select(fell, error, FAR), before),
            "anew_next": select(ends, select(fell, 0.0, 1.0), anew),
            "step_next": select(ends, 0.0, step + 1.0),
            "round_next": select(ends, others["round"] + 1.0, others["round"]),
            "done": done,
        }

    def error(self, off, per_length):
        """The larger of angle and distance times per_length; of several frames and loops that of
        the worst."""
        measures, off = [], iter(off)
        for chord, way in self._pairs:
            measures += [angle_of(next(off))] if chord else []
            measures += [next(off) * per_length] if way else []
        return reduce(maximum, measures)

    def _begun(self, q, begins, at_round, starts):
        """q, or the start of this round where it `begins`."""
        begun = []
        for k, here in enumerate(q):
            start = starts[0][k]
            for number in range(1, STARTS):
                start = select(equal(at_round, number + 1.0), starts[number][k], start)
            begun.append(here if k in self._stay else select(begins, start, here))
        return begun
