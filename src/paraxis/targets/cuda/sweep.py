"""A compiled body on the GPU, repeated along rows of elements: what scans there are made of."""

from ...compiling import about
from .text.sweep import ITEM, THREADS, sweep_text


def sweep_kernel(body, on):
    """The sweep of a Body on the current GPU: each thread is a lane, in any layout."""

    def names():
        graph = body.made()
        made = {"name": graph.name, "inputs": [*graph.inputs], "outputs": [*graph.outputs]}
        return made, b""

    return on.loaded(("sweep", body.key), names, lambda *loaded: Sweep(body, *loaded))


class Sweep:
    """`bind` it to arrays, then `run` what that gives as often as they change."""

    lanes = 1

    def __init__(self, body, on, description, _):
        self.device, self._body, self._launchers = on, body, {}
        self.name = description["name"]
        self._inputs, self._outputs = description["inputs"], description["outputs"]
        self.arrays = tuple(dict.fromkeys(self._inputs + self._outputs))

    def bind(self, steps, groups, /, **places):
        """A job on these places, one for each array of the body."""
        if set(places) != set(self.arrays):
            raise TypeError(f"{self.name}: expected {self.arrays}, found {tuple(places)}")
        arguments, later = [groups, steps], []
        for name in self.arrays:
            place, address = places[name], 0
            if place.array is None:
                later.append((name, len(arguments), place.first))
            else:
                address = self.device.address(place.array) + place.first
            apart = (place.group, place.step, place.entry)
            arguments += [address, *(distance // ITEM for distance in apart)]
        kept = [place.array for place in places.values()]
        return Job(self.launcher(self._overlapping(places)), groups, arguments, later, kept)

    def launcher(self, overlapping=False):
        """The kernel; `overlapping` if results overlap arrays that are read."""
        if overlapping not in self._launchers:
            parts = "sweep", self._body.key, overlapping
            description, binary = self.device.code(parts, lambda: self._made(overlapping))
            self._launchers[overlapping] = self.device.load(binary, description["name"])
        return self._launchers[overlapping]

    def _made(self, overlapping):
        graph = self._body.made()
        about(graph.name)
        text = sweep_text(graph, overlapping=overlapping)
        return {"name": text.name}, self.device.binary(text.text, size=text.size)

    def _overlapping(self, places):
        """Whether results overlap inputs; arrays that come with a run do not."""

        def extents(names):
            for array in (places[name].array for name in names):
                if array is not None:
                    start = self.device.address(array)
                    lengths = zip(array.shape, array.strides, strict=True)
                    yield start, start + ITEM + sum((n - 1) * step for n, step in lengths)

        read = [*extents(name for name in self._inputs if name not in self._outputs)]
        return any(a < d and c < b for a, b in read for c, d in extents(self._outputs))


class Job:
    """A sweep over given arrays, which it keeps."""

    def __init__(self, launcher, groups, arguments, later, arrays):
        self._launcher, self._blocks = launcher, -(-groups // THREADS)
        self._arguments, self._later, self._arrays = arguments, later, arrays

    def run(self, thread_count=1, given=None):
        """Queue all steps; `given` are the addresses of arrays that come with the run."""
        for name, at, first in self._later:
            self._arguments[at] = given[name] + first
        self._launcher(self._blocks, THREADS, self._arguments)
