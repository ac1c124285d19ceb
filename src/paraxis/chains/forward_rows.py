"""Forward dynamics of a chain cut into rows: sweeps along all rows at once, and their junctions."""

import numpy as np

from ..drivers.sweep import Place, inward, outward
from ..targets.target import CPU
from .rows import Heads, RowSweeps


class ArticulatedRows(RowSweeps):
    """Featherstone's recursion p-fold (chains/recursions/articulated_rows.py)."""

    def __init__(self, chain, cut):
        super().__init__(chain, cut)
        link, angle, kept = cut.tiled(chain.link, chain.nothing), cut.tile(2), cut.tile(14)

        spins, rates = Heads(cut, W=9, ω=3), Heads(cut, start=3, end=3)
        spins.start("W", np.eye(3))
        ends, answers = Heads(cut, inertia=21, bias=6, Φ=36, Θ=21, b=6), Heads(cut, G=21, g=6)
        ends.start("Φ", np.eye(6))
        starts = Heads(cut, start=6, force=6)
        self._rate, self._beyond, self._a = np.zeros(3), np.zeros(27), np.zeros(6)  # carried
        self._heads = spins, rates, ends, starts

        out = dict.fromkeys(("q", "qd"), cut.outward)
        back = dict.fromkeys(("q", "qd", "tau"), cut.inward)
        self._spin = self._bind(
            "spin",
            link=outward(link),
            angle=outward(angle),
            W=spins.tile("W"),
            ω=spins.tile("ω"),
            **out,
        )
        self._join_spins = self._join(
            "join_spins",
            W=spins.flat("W"),
            ω=spins.flat("ω"),
            spin=Place(self._rate, 0, 0),
            start=rates.flat("start"),
            end=rates.flat("end"),
        )
        names = ("inertia", "bias", "Φ", "Θ", "b")
        self._inward = self._bind(
            "inward",
            link=inward(link),
            angle=inward(angle),
            kept=inward(kept),
            ω=rates.tile("end"),
            **back,
            **{name: ends.tile(name) for name in names},
        )
        self._join_inward = self._join(
            "join_inward",
            **{name: ends.flat(name, inward=True) for name in names},
            beyond_inertia=Place(self._beyond[:21], 0, 0),
            beyond_bias=Place(self._beyond[21:], 0, 0),
            G=answers.flat("G", inward=True),
            g=answers.flat("g", inward=True),
        )
        self._join_outward = self._join(
            "join_outward",
            **{name: ends.flat(name) for name in names[2:]},
            G=answers.flat("G"),
            g=answers.flat("g"),
            a=Place(self._a, 0, 0),
            start=starts.flat("start"),
            force=starts.flat("force"),
        )
        self._outward = self._bind(
            "outward",
            link=outward(link),
            angle=outward(angle),
            kept=outward(kept),
            ω=rates.tile("start"),
            a=starts.tile("start"),
            force=starts.tile("force"),
            qdd=cut.outward,
            **out,
        )

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations; vectors are contiguous and as long as all rows together."""
        self.inward(q, qd, tau, threads)
        self.join()
        self.outward(q, qd, qdd, threads)

    def inward(self, q, qd, tau, threads=1):
        """What every row shows, and how its end answers."""
        (spins, rates, ends, _), given = self._heads, CPU.addresses(q=q, qd=qd, tau=tau)
        self._rate.fill(0.0)
        spins.reset()
        self._spin.run(threads, given)
        spins.to_flat()
        self._join_spins.run()
        rates.to_tile()
        ends.reset()
        self._inward.run(threads, given)
        ends.to_flat()

    def join(self, pull=None):
        """The accelerations of the rows' starts and the forces at their ends, and how the last link
        accelerates: six numbers. `pull` is a force on that link from outside."""
        return self._joined(0.0 if pull is None else pull, -self._gravity)

    def answers(self):
        """How the last link accelerates under a unit of each force on it, by rows; all else is
        still, and nothing else pulls."""
        _, _, ends, _ = self._heads
        ends.flat_part("bias")[...] = ends.flat_part("b")[...] = 0.0
        moved = [self._joined(pull, 0.0) for pull in np.eye(6)]
        ends.to_flat()
        return np.array(moved).T

    def _joined(self, pull, rise):
        """How the last link accelerates, with this pull on it and a base that rises so."""
        self._beyond[:21], self._beyond[21:] = 0.0, -np.asarray(pull)
        self._a[:3], self._a[3:] = 0.0, rise
        self._join_inward.run()
        self._join_outward.run()
        return self._a.copy()

    def outward(self, q, qd, qdd, threads=1):
        """Write the accelerations, once rows are joined."""
        self._heads[-1].to_tile()
        self._outward.run(threads, CPU.addresses(q=q, qd=qd, qdd=qdd))
