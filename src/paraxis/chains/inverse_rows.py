"""Inverse dynamics of a chain cut into rows: sweeps along all rows at once, and their junctions."""

import numpy as np

from ..drivers.sweep import Place, inward, outward
from ..targets.target import CPU
from .rows import Heads, RowSweeps


class NewtonEulerRows(RowSweeps):
    """Newton-Euler p-fold (chains/recursions/newton_euler_rows.py)."""

    def __init__(self, chain, cut):
        super().__init__(chain, cut)
        link, angle, load = cut.tiled(chain.link, chain.nothing), cut.tile(2), cut.tile(6)

        spans = Heads(cut, W=9, r=3, ω=3, v=3, a=6)
        starts, sums = Heads(cut, start_rate=3, start_rise=6), Heads(cut, W=9, r=3, sum_=6)
        for heads in (spans, sums):
            heads.start("W", np.eye(3))
        ends = Heads(cut, end=6)
        rate, rise, beyond = np.zeros(3), np.zeros(6), np.zeros(6)
        self._heads, self._carried = (spans, starts, sums, ends), (rate, rise, beyond)

        out = dict.fromkeys(("q", "qd", "qdd"), cut.outward)
        self._reach = self._bind(
            "reach",
            link=outward(link),
            angle=outward(angle),
            **{name: spans.tile(name) for name in ("W", "r", "ω", "v", "a")},
            **out,
        )
        self._join_motions = self._join(
            "join_motions",
            **{name: spans.flat(name) for name in ("W", "r", "ω", "v", "a")},
            rate=Place(rate, 0, 0),
            rise=Place(rise, 0, 0),
            start_rate=starts.flat("start_rate"),
            start_rise=starts.flat("start_rise"),
        )
        self._motion = self._bind(
            "motion",
            link=outward(link),
            angle=outward(angle),
            load=outward(load),
            ω=starts.tile("start_rate"),
            a=starts.tile("start_rise"),
            **{name: sums.tile(name) for name in ("W", "r", "sum_")},
            **out,
        )
        self._join_loads = self._join(
            "join_loads",
            **{name: sums.flat(name, inward=True) for name in ("W", "r", "sum_")},
            beyond=Place(beyond, 0, 0),
            end=ends.flat("end", inward=True),
        )
        self._torque = self._bind(
            "torque",
            link=inward(link),
            angle=inward(angle),
            load=inward(load),
            carried=ends.tile("end"),
            **dict.fromkeys(("q", "qdd", "tau"), cut.inward),
        )

    def spans(self, q, qd, qdd, threads=1):
        """How the end of each row moves with its start at rest: W, r, ω, v, a, (rows, entries)."""
        spans, *_ = self._heads
        spans.reset()
        self._reach.run(threads, CPU.addresses(q=q, qd=qd, qdd=qdd))
        spans.to_flat()
        return [spans.flat_part(name) for name in ("W", "r", "ω", "v", "a")]

    def __call__(self, q, qd, qdd, tau, threads=1):
        """Write the torques; vectors are contiguous and as long as all rows together."""
        _, starts, sums, ends = self._heads
        given = CPU.addresses(q=q, qd=qd, qdd=qdd, tau=tau)
        self.spans(q, qd, qdd, threads)
        for carried in self._carried:
            carried.fill(0.0)
        self._carried[1][3:] = -self._gravity
        self._join_motions.run()
        starts.to_tile()
        sums.reset()
        self._motion.run(threads, given)
        sums.to_flat()
        self._join_loads.run()
        ends.to_tile()
        self._torque.run(threads, given)
