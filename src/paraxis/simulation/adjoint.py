"""A run and its adjoint: recorded states forward, cotangents of all that they depend on backward.

Steps backward need the state before each step. Either all of them are kept, or every so many, as
checkpoints: then the steps between two checkpoints are computed again before they are done
backward. With √steps checkpoints, √steps further states are in memory at a time, and the price is
one more run. It is the same kernel that computes them again, so both ways agree to the bit.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

from ..targets.target import Cpu, Cuda
from .adjoint_ground import LEFT, ReversedOnGround
from .adjoint_step import COUNT, RECORDED, Reversed, bar, kept_of, mark, state_of
from .bodies import Step

KEPT = 1 << 29  # bytes of states that are kept without being asked
AT_ONCE = 1 << 24  # bytes of states that are put into reverse order at once
FEW = 16  # steps: records that are closer have their cotangents per step


@dataclass(frozen=True)
class Lengths:
    """The steps of a run, between records, and between checkpoints (1: all states are kept)."""

    steps: int
    every: int
    apart: int

    @property
    def records(self):
        return self.steps // self.every + 1

    @property
    def kept(self):
        """How many states: those before checkpoints, or all, the last one included."""
        return self.steps + 1 if self.apart == 1 else -(-self.steps // self.apart)

    @property
    def segments(self):
        """(begin, end) of steps whose states are kept or computed again together, last first."""
        if self.apart == 1:
            return [(0, self.steps)]
        begins = range(0, self.steps, self.apart)
        return [(k, min(k + self.apart, self.steps)) for k in reversed(begins)]

    @property
    def marked(self):
        """Whether cotangents of records are given per step, and not between calls."""
        return self.every < FEW

    def pieces(self, begin, end, longest):
        """(begin, end) of steps that are done backward in one call, last first: at most `longest`
        in number, none beyond a record whose cotangent is added between calls."""
        borders = {*range(begin, end, longest), end}
        if not self.marked:
            borders |= {k for k in range(0, end, self.every) if k > begin}
        return [*pairwise(sorted(borders))][::-1]


def lengths_of(steps, every, apart, state_bytes):
    """The Lengths; without `apart`, the bytes of a state of all robots decide."""
    if apart is None:
        fits = every == 1 or steps * state_bytes <= KEPT
        apart = 1 if fits else math.isqrt(steps - 1) + 1
    return Lengths(steps, every, max(1, min(apart, steps)))


@dataclass(frozen=True)
class Adjoint:
    """A Step repeated, and its adjoint, on a target.

    Arrays are by names of the step's inputs. Those of the state have the batch as first axes,
    others broadcast to it; those per step have the steps before it.
    """

    step: Step
    lengths: Lengths
    dt: float
    batch: tuple[int, ...]
    dtype: str
    target: Cpu | Cuda

    @property
    def record_shapes(self):
        """name -> shape of what `forward` records."""
        first = self.lengths.records, *self.batch
        return {name: (*first, *self.step.inputs[name]) for name in RECORDED}

    @property
    def kept_shapes(self):
        """name -> shape of what `forward` keeps besides records."""
        if self._by_records:
            return {}
        first = self.lengths.kept, *self.batch
        return {name: (*first, *self.step.inputs[name]) for name in kept_of(self.step)}

    @property
    def _by_records(self):
        """Whether every state is recorded anyway."""
        every_one = self.lengths.every == self.lengths.apart == 1
        return every_one and set(kept_of(self.step)) == set(RECORDED)

    # -- forward -----------------------------------------------------------------------------------

    def forward(self, arrays):
        """(records, kept, last): states after every so many steps, the first one first; states that
        `backward` needs besides; and all that is carried, after the last step."""
        lengths = self.lengths
        arrays = arrays | self._own(0)
        kept = {name: self._empty(lengths.kept, name) for name in self.kept_shapes}
        if lengths.apart == 1 and kept:
            last = self._do(lengths.steps, 1, arrays, kept)
            whole = self.target.arrays.ascontiguousarray
            return {name: whole(kept[name][:: lengths.every]) for name in RECORDED}, kept, last
        records = {name: self._empty(lengths.records, name) for name in RECORDED}
        last = self._do(lengths.steps, lengths.every, arrays, records, kept)
        return records, kept, last

    def _do(self, steps, every, arrays, records, kept=None):
        """Do steps, fill the records, the first state first, and keep states at checkpoints."""
        for name, array in records.items():
            array[0] = arrays[name]
        out = {name: array[1:] for name, array in records.items()}
        kernel = self._kernel(self.step.body, replace(self.step.plan, record=tuple(records)))
        iteration = kernel.start(steps, every, out, **arrays)
        for k in range(self.lengths.kept if kept else 0):
            for name, array in kept.items():
                array[k] = iteration.state[name]
            iteration.advance(self.lengths.apart)
        return iteration.advance().state

    # -- backward ----------------------------------------------------------------------------------

    def backward(self, arrays, records, kept, bars, wanted):
        """name -> cotangent of the state that it begins with, and of the other arrays wanted; on
        the ground also LEFT, how far sweeps backward were from their end.

        `bars` are those of records, by name, where there are any. Arrays that broadcast have a
        cotangent per robot.
        """
        xp, marked = self.target.arrays, self.lengths.marked
        way = (ReversedOnGround if self.step.ground else Reversed)(self.step, wanted, marked)
        plan = way.plan
        kernel = self._kernel(way.body, plan)
        streamed = [name for name in wanted if name in plan.per_step]
        results = {name: self._empty(self.lengths.steps, name) for name in streamed}
        carried = {
            name: xp.zeros((*self.batch, *plan.inputs[name]), self.dtype)
            for name in plan.carry
            if name != COUNT
        }
        held = {name: arrays[name] for name in arrays if name in plan.inputs} | {"dt": self.dt}
        again = {name: self._empty(self.lengths.apart, name) for name in self._computed_again}
        for first, last in self.lengths.segments:
            states = self._states(arrays, kept or records, first, last, again)
            for begin, end in self.lengths.pieces(first, last, self._at_once):
                if not marked:
                    self._add(carried, bars, end)
                given = {name: states[name][begin - first : end - first] for name in states}
                given |= {name: arrays[name][begin:end] for name in self.step.plan.per_step}
                given |= self._marks(bars, begin, end) if marked else {}
                given = {name: array[::-1] for name, array in given.items()}
                given = held | given | carried | {COUNT: float(end - 1)}
                out = {bar(name): results[name][begin:end][::-1] for name in streamed}
                iteration = kernel.start(end - begin, 1, out, **given).advance()
                carried = {name: iteration.state[name] for name in carried}
        self._add(carried, bars, 0)
        for name in (*state_of(self.step), *wanted):
            if name not in results:
                results[name] = carried[bar(name)]
        return results | {name: carried[name] for name in (LEFT,) if name in carried}

    @property
    def _computed_again(self):
        """The names of the state where it is."""
        return kept_of(self.step) if self.lengths.apart > 1 else ()

    def _states(self, arrays, kept, begin, end, again):
        """Those before each of these steps: kept, or computed `again`."""
        if not again:
            return {name: array[begin:end] for name, array in kept.items()}
        again = {name: array[: end - begin] for name, array in again.items()}
        arrays = arrays | {name: kept[name][begin // self.lengths.apart] for name in again}
        arrays |= {name: arrays[name][begin : end - 1] for name in self.step.plan.per_step}
        self._do(end - begin - 1, 1, arrays | self._own(begin), again)
        return again

    @property
    def _at_once(self):
        sizes = (math.prod(self.step.inputs[name]) for name in kept_of(self.step))
        return max(FEW, AT_ONCE // max(8 * math.prod(self.batch) * sum(sizes), 1))

    def _marks(self, bars, begin, end):
        """Cotangents of states after these steps, 0 of those that are not recorded or have none."""
        every, marks = self.lengths.every, {}
        first = begin // every + 1  # the record after `begin`
        for name in RECORDED:
            given = bars[name][first : end // every + 1] if name in bars else None
            if given is None or every > 1:
                marks[mark(name)] = own = self._empty(end - begin, name)
                own[...] = 0.0
            if given is not None and every > 1:
                own[first * every - begin - 1 :: every] = given
            elif given is not None:
                marks[mark(name)] = given
        return marks

    def _add(self, carried, bars, step):
        """The cotangent of the state before a step, if that was recorded."""
        if step % self.lengths.every == 0:
            for name, given in bars.items():
                carried[bar(name)] = carried[bar(name)] + given[step // self.lengths.every]

    # -- arrays ------------------------------------------------------------------------------------

    def _kernel(self, body, plan):
        return self.target.iterate(body, plan, self.dtype, states=math.prod(self.batch))

    def _empty(self, count, name):
        return self.target.empty((count,), self.batch, self.step.inputs[name], self.dtype)

    def _own(self, first):
        """What a run takes besides its arrays: dt, and carried numbers before the first step."""
        xp, kept = self.target.arrays, kept_of(self.step)
        own = {
            name: xp.zeros((*self.batch, *shape), self.dtype)
            for name, shape in self.step.tallies.items()
            if name not in kept
        }
        return own | {COUNT: xp.full(self.batch, float(first), self.dtype), "dt": self.dt}
