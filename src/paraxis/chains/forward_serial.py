"""Forward dynamics of a chain link by link: of one state, or of many states side by side."""

from ..backends.llvm.sweep import SAME, STRIDED
from ..drivers.sweep import Place, inward, outward, tiles
from .bodies import along

LINKS = (("link", SAME), *((name, STRIDED) for name in ("q", "qd", "tau", "qdd")))


class ArticulatedSerial:
    """Featherstone's recursion, three sweeps along the whole chain. A lane is a state."""

    def __init__(self, chain, states, lanes):
        self.groups, self.lanes = -(-states // lanes), lanes
        n, kinds = chain.n, chain.kinds
        angle, kept = (tiles(self.groups, n, entries, lanes) for entries in (2, 8))
        self._rate, self._a, self._beyond = (
            tiles(self.groups, 1, entries, lanes) for entries in (3, 6, 27)
        )
        self._gravity = chain.gravity
        link, row = chain.link, chain.link.strides[0]
        out, back = Place(link, 0, row), Place(link, 0, -row, first=(n - 1) * row)
        rate, a = Place(self._rate, self._rate.strides[0], 0), Place(self._a, self._a.strides[0], 0)
        inertia, bias = self._beyond[:, :, :21], self._beyond[:, :, 21:]

        def bind(name, vectors, **places):
            sweep = along(name, kinds, lanes > 1, LINKS)
            return sweep.bind(n, self.groups, **places, **dict.fromkeys(vectors, out))

        self._spin = bind("spin_free", ("q", "qd"), link=out, angle=outward(angle), ω=rate)
        self._inward = bind(
            "inward_free",
            ("q", "qd", "tau"),
            link=back,
            angle=inward(angle),
            kept=inward(kept),
            ω=rate,
            inertia=Place(inertia, inertia.strides[0], 0),
            bias=Place(bias, bias.strides[0], 0),
        )
        self._outward = bind(
            "outward_free",
            ("q", "qd", "qdd"),
            link=out,
            angle=outward(angle),
            kept=outward(kept),
            ω=rate,
            a=a,
        )

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations; arrays are (states, links), states as many as there are lanes."""
        for name, array in (("q", q), ("qd", qd), ("tau", tau), ("qdd", qdd)):
            out, back = self._walks(array)
            if name in ("q", "qd"):
                self._spin.move(name, out)
            if name != "qdd":
                self._inward.move(name, back)
            if name != "tau":
                self._outward.move(name, out)
        self._rate.fill(0.0)
        self._beyond.fill(0.0)
        self._a[:, :, :3], self._a[:, :, 3:] = 0.0, -self._gravity[:, None]
        self._spin.run(threads)
        self._inward.run(threads)
        self._outward.run(threads)

    def _walks(self, array):
        state, step = array.strides
        last = (array.shape[1] - 1) * step
        return (
            Place(array, self.lanes * state, step, state),
            Place(array, self.lanes * state, -step, state, last),
        )
