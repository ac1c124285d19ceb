"""A compiled body on the CPU, repeated along rows of elements."""

import ctypes
from array import array as word_array

from ...compiling import about
from ...drivers.sweep import TILE
from ...passes.cost import cost
from ...passes.fuse import fuse
from ...passes.order import trig_first
from .. import store
from . import host
from .map import checked_options, lanes_of
from .pieces import PIECE_WORK, run_in_pieces
from .text.module import Module
from .text.sweep import (
    ARRAY,
    CHUNK,
    CHUNKS,
    HEADER,
    NEXT_CHUNK,
    STATUS,
    STEP,
    STEPS,
    define_sweep,
)
from .together import run_together

THREAD_WORK = 150_000  # flops a thread of a team should have: some ten microseconds


class Sweep:
    """`bind` it to arrays, then `run` what that gives as often as they change."""

    def __init__(self, description, code):
        self.name, self.lanes = description["name"], description["lanes"]
        self.arrays, self.work = tuple(description["arrays"]), description["work"]
        self._life = code.life
        self._sweep = code.function("sweep", None, ctypes.c_void_p)

    def bind(self, steps, groups, /, **places):
        """A job on these places, one for each array of the body."""
        if set(places) != set(self.arrays):
            raise TypeError(f"{self.name}: expected {self.arrays}, found {tuple(places)}")
        return Job(self, steps, groups, [places[name] for name in self.arrays])


class Job:
    """A sweep over given arrays."""

    def __init__(self, sweep, steps, groups, places):
        self._sweep, self._run = sweep, sweep._sweep
        self._groups, self._steps = groups, steps
        self._step_work = max(1, sweep.lanes * sweep.work)  # of a group
        work = steps * groups * self._step_work
        self._worth, self._short = max(1, work // THREAD_WORK), work <= PIECE_WORK
        words, self._later = [groups, groups, 1, 0, 0, steps], []
        for k, (name, place) in enumerate(zip(sweep.arrays, places, strict=True)):
            words += place.words
            if place.array is None:
                self._later.append((name, HEADER + k * ARRAY, place.first))
        self._words, self._arrays = word_array("q", words), [place.array for place in places]
        self._address, _ = self._words.buffer_info()

    def run(self, thread_count=1, given=None):
        """Do all steps; `given` are the addresses of arrays that come with the run.

        Results do not depend on the number of threads.
        """
        count = min(thread_count, self._groups, self._worth)
        words = self._words
        for name, at, first in self._later:
            words[at] = given[name] + first
        if self._short:
            self._share_out(words, self._steps, count)
            words[NEXT_CHUNK] = words[STATUS] = 0
            run_together(self._run, self._address, count)
            self._check(words)
        else:
            self._run_in_pieces(words[:], count)  # a copy, for an interrupt may leave it halfway

    def _share_out(self, words, steps, count):
        # Along rows one group after another, for few are the streams that memory can follow.
        words[STEPS], words[CHUNK] = steps, 1 if steps > 1 else -(-self._groups // count)
        words[CHUNKS] = -(-self._groups // words[CHUNK])

    def _run_in_pieces(self, words, count):
        """A few steps of all groups, then the next few; between them signal handlers may run."""
        addresses = [(at, words[at]) for at in range(HEADER, len(words), ARRAY)]
        job, at_once = words.buffer_info()[0], max(1, PIECE_WORK // self._step_work)
        words[STATUS] = 0
        for done in range(0, self._steps, at_once):
            for at, address in addresses:
                words[at] = address + done * words[at + STEP]
            steps = min(at_once, self._steps - done)
            self._share_out(words, steps, count)
            run_in_pieces(
                lambda: run_together(self._run, job, count),
                words,
                CHUNKS,
                NEXT_CHUNK,
                words[CHUNK] * steps * self._step_work,
                count,
            )
        self._check(words)

    def _check(self, words):
        if words[STATUS]:
            raise MemoryError(f"{self._sweep.name}: not enough memory for its intermediate values")


def sweep_kernel(body, layouts=None, dtype="float64", wide=True, default=TILE):
    """The sweep of a Body: from this process, from the disk, or compiled.

    `layouts` are those of arrays by name, `default` is that of all others. With `wide` there is a
    lane for every entry of the machine's registers, else one.
    """
    dtype = checked_options(dtype, None)
    lanes = lanes_of(dtype)
    lanes = lanes if wide else lanes.single
    layouts = layouts or {}

    def make():
        graph = body.made()
        about(graph.name)
        arrays = [*graph.inputs, *graph.outputs]
        description = {"name": graph.name, "lanes": lanes.count}
        description |= {"arrays": arrays, "work": cost(graph)}
        module = Module()
        fused = fuse(graph) if lanes.fused else graph
        order = trig_first(fused)
        define_sweep(module, fused, order, lanes, [layouts.get(name, default) for name in arrays])
        return description, host.compile_object(str(module))

    def load(description, data):
        return Sweep(description, host.LoadedCode(data))

    arranged = tuple(sorted(layouts.items())), default
    return store.get(("sweep", body.key, arranged, dtype, lanes, host.description()), make, load)
