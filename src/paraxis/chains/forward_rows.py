"""Forward dynamics of a chain cut into rows: sweeps along all rows at once, and their junctions."""

import numpy as np

from ..backends.llvm.sweep import APART
from ..drivers.sweep import Place, inward, outward
from .bodies import across, along
from .rows import Heads

VECTORS = tuple((name, APART) for name in ("q", "qd", "tau", "qdd"))


class ArticulatedRows:
    """Featherstone's recursion p-fold (algorithms/articulated_rows.py)."""

    def __init__(self, chain, cut):
        self.cut, rows, kinds = cut, cut.groups * cut.lanes, chain.kinds
        self._gravity, v = chain.gravity, np.zeros(0)
        link, angle, kept = cut.tiled(chain.link, chain.nothing), cut.tile(2), cut.tile(14)

        spins, rates = Heads(cut, W=9, ω=3), Heads(cut, start=3, end=3)
        spins.start("W", np.eye(3))
        ends, answers = Heads(cut, inertia=21, bias=6, Φ=36, Θ=21, b=6), Heads(cut, G=21, g=6)
        ends.start("Φ", np.eye(6))
        starts = Heads(cut, start=6, force=6)
        spin, beyond_inertia, beyond_bias, a = (np.zeros(k) for k in (3, 21, 6, 6))
        self._heads = spins, rates, ends, starts
        self._carried = spin, beyond_inertia, beyond_bias, a

        def bind(name, **places):
            return along(name, kinds, cut.lanes > 1, VECTORS).bind(cut.steps, cut.groups, **places)

        def join(name, **places):
            return across(name).bind(rows, 1, **places)

        out, back = {"q": cut.outward(v), "qd": cut.outward(v)}, {"q": cut.inward(v)}
        back |= {"qd": cut.inward(v), "tau": cut.inward(v)}
        self._spin = bind(
            "spin",
            link=outward(link),
            angle=outward(angle),
            W=spins.tile("W"),
            ω=spins.tile("ω"),
            **out,
        )
        self._join_spins = join(
            "join_spins",
            W=spins.flat("W"),
            ω=spins.flat("ω"),
            spin=Place(spin, 0, 0),
            start=rates.flat("start"),
            end=rates.flat("end"),
        )
        names = ("inertia", "bias", "Φ", "Θ", "b")
        self._inward = bind(
            "inward",
            link=inward(link),
            angle=inward(angle),
            kept=inward(kept),
            ω=rates.tile("end"),
            **back,
            **{name: ends.tile(name) for name in names},
        )
        self._join_inward = join(
            "join_inward",
            **{name: ends.flat(name, inward=True) for name in names},
            beyond_inertia=Place(beyond_inertia, 0, 0),
            beyond_bias=Place(beyond_bias, 0, 0),
            G=answers.flat("G", inward=True),
            g=answers.flat("g", inward=True),
        )
        self._join_outward = join(
            "join_outward",
            **{name: ends.flat(name) for name in names[2:]},
            G=answers.flat("G"),
            g=answers.flat("g"),
            a=Place(a, 0, 0),
            start=starts.flat("start"),
            force=starts.flat("force"),
        )
        self._outward = bind(
            "outward",
            link=outward(link),
            angle=outward(angle),
            kept=outward(kept),
            ω=rates.tile("start"),
            a=starts.tile("start"),
            force=starts.tile("force"),
            qdd=cut.outward(v),
            **out,
        )

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations; vectors are contiguous and as long as all rows together."""
        cut, (spins, rates, ends, starts) = self.cut, self._heads
        *_, a = self._carried
        for job in (self._spin, self._outward):
            job.move("q", cut.outward(q))
            job.move("qd", cut.outward(qd))
        self._outward.move("qdd", cut.outward(qdd))
        for name, array in (("q", q), ("qd", qd), ("tau", tau)):
            self._inward.move(name, cut.inward(array))
        for carried in self._carried:
            carried.fill(0.0)
        a[3:] = -self._gravity
        spins.reset()
        self._spin.run(threads)
        spins.to_flat()
        self._join_spins.run()
        rates.to_tile()
        ends.reset()
        self._inward.run(threads)
        ends.to_flat()
        self._join_inward.run()
        self._join_outward.run()
        starts.to_tile()
        self._outward.run(threads)
