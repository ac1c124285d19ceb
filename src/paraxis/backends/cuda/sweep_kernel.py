"""A compiled body on the GPU, repeated along rows of elements: what scans there are made of."""

from .device import cached
from .recording import Recording
from .sweep_text import ITEM, THREADS, sweep_text


class Gpu:
    """Where sweeps run and their arrays are; for the CPU see backends/llvm/sweep_kernel.py."""

    def __init__(self, on):
        self.device, self.arrays, self._sweeps = on, on.arrays, {}

    def sweep(self, identity, make_graph, work=None, ways=None, wide=True, otherwise=None):
        """A sweep. Each thread is a lane, and arrays lie as they do: the rest is for the CPU."""
        if identity not in self._sweeps:
            self._sweeps[identity] = Sweep(self.device, identity, make_graph)
        return self._sweeps[identity]

    def recorded(self, run):
        """`run(threads)`, its launches recorded, so that they are queued all at once."""
        return Recording(self.device, run)


class Sweep:
    """`bind` it to arrays, then `run` what that gives as often as they change."""

    lanes = 1

    def __init__(self, on, identity, make_graph):
        self.device, self._identity, self._make_graph = on, identity, make_graph
        self._launchers = {}

        def names():
            graph = make_graph()
            return {"inputs": [*graph.inputs], "outputs": [*graph.outputs]}, b""

        description, _ = cached(("names", identity), names, on)
        self._inputs, self._outputs = description["inputs"], description["outputs"]
        self.arrays = tuple(dict.fromkeys(self._inputs + self._outputs))

    def bind(self, steps, groups, **places):
        """A job on these places, one for each array of the body."""
        if set(places) != set(self.arrays):
            raise TypeError(f"{self._identity}: expected {self.arrays}, found {tuple(places)}")
        arguments = [groups, steps]
        for name in self.arrays:
            place = places[name]
            apart = (place.group, place.step, place.entry)
            arguments.append(self.device.address(place.array) + place.first)
            arguments += [distance // ITEM for distance in apart]
        launcher = self.launcher(self._overlapping(places))
        return Job(launcher, groups, arguments, [place.array for place in places.values()])

    def launcher(self, overlapping=False):
        """The kernel; `overlapping` where a result lies on what is read for it or for others."""
        if overlapping not in self._launchers:
            key = "sweep", self._identity, overlapping
            description, binary = cached(key, lambda: self._made(overlapping), self.device)
            self._launchers[overlapping] = self.device.load(binary, description["name"])
        return self._launchers[overlapping]

    def _made(self, overlapping):
        text = sweep_text(self._make_graph(), overlapping=overlapping)
        return {"name": text.name}, self.device.binary(text.text)

    def _overlapping(self, places):
        def extent(name):
            array = places[name].array
            start = self.device.address(array)
            return start, start + array.nbytes

        read = [extent(name) for name in self._inputs if name not in self._outputs]
        written = [extent(name) for name in self._outputs]
        return any(a < d and c < b for a, b in read for c, d in written)


class Job:
    """A sweep over given arrays, which it keeps."""

    def __init__(self, launcher, groups, arguments, arrays):
        self._launcher, self._blocks = launcher, -(-groups // THREADS)
        self._arguments, self._arrays = arguments, arrays

    def run(self, thread_count=1):
        """Queue all steps."""
        self._launcher(self._blocks, THREADS, self._arguments)
