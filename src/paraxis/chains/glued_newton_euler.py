"""Inverse dynamics of a chain by two scans: of motions outward and of loads inward."""

from functools import partial

import numpy as np

from ..drivers.columns import Columns
from ..drivers.scan import ROOM, Scan
from ..targets.target import CPU
from .maps import bound, link_columns, mapped, parts
from .operators import loads, motions
from .recursions import gluing as chain_gluing
from .recursions.link import MIXED, NUMBERS


class GluedNewtonEuler:
    """Lathrop's logarithmic form; all else is local to a link and its neighbour."""

    def __init__(self, chain, order, on=CPU):
        n, arrays = chain.n, on.arrays
        self._n = n
        self._motions, self._loads = Scan(motions(on), n + 1, order), Scan(loads(on), n, order)
        rise = chain_gluing.base_motion(-chain.gravity)
        base = np.concatenate([np.ravel(rise[part]) for part in chain_gluing.MOTION])
        self._base, links = arrays.asarray(base), link_columns(chain, on)
        vectors = {"q": 1, "qd": 1, "qdd": 1, "tau": 1}
        self._vectors = Columns(vectors, n + 1, ROOM, arrays=arrays)
        self._own = Columns(self._loads.columns.parts, n, ROOM, arrays=arrays)
        self._carried = Columns({"n": 3, "f": 3}, n, ROOM, arrays=arrays)
        number = (NUMBERS + (chain.kinds == MIXED),)

        def job(name, inputs, arrays):
            function = getattr(chain_gluing, name)
            label = f"{name} {chain.kinds}"
            sweep = mapped(label, partial(function, kinds=chain.kinds), inputs, on)
            return bound(sweep, n, arrays)

        vectors = {name: (self._vectors, name, 0) for name in ("q", "qd", "qdd")}
        moved = self._motions.prefixes
        self._own_motions = job(
            "own_motion",
            {"link": number, "q": (), "qd": (), "qdd": ()},
            {"link": (links, "link", 0)} | vectors | parts(self._motions.columns, 1),
        )
        self._own_loads = job(
            "own_load",
            {"link": number, "beyond": number, "q_beyond": (), "ω": (3,), "α": (3,), "a": (3,)},
            {"link": (links, "link", 0), "beyond": (links, "link", 1)}
            | {"q_beyond": (self._vectors, "q", 1)}
            | {part: (moved, part, 1) for part in ("ω", "α", "a")}
            | parts(self._own),
        )
        self._torques = job(
            "torque",
            {"link": number, "qdd": (), "n": (3,), "f": (3,)},
            {"link": (links, "link", 0), "qdd": vectors["qdd"], "tau": (self._vectors, "tau", 0)}
            | parts(self._carried),
        )
        self._run = on.recorded(self._levels)

    def __call__(self, q, qd, qdd, tau, threads=1):
        """Write the torques."""
        n = self._n
        for name, vector in (("q", q), ("qd", qd), ("qdd", qdd)):
            self._vectors[name][0, :n] = vector
        self._run(threads)
        tau[...] = self._vectors["tau"][0, :n]

    def _levels(self, threads):
        self._own_motions.run(threads)
        self._motions.columns.array[:, 0] = self._base
        self._motions.run(threads)
        self._own_loads.run(threads)
        self._loads.columns.array[...] = self._own.array[:, ::-1]  # from the tip
        self._loads.run(threads)
        for part in self._carried.parts:
            self._carried[part][...] = self._loads.prefixes[part][:, ::-1]
        self._torques.run(threads)
