"""Inverse dynamics of a chain by two scans: of motions outward and of loads inward."""

import numpy as np

from ..algorithms import chain_gluing
from ..algorithms.chain_link import MIXED, NUMBERS
from ..drivers.columns import Columns
from ..drivers.scan import ROOM, Scan
from .maps import bound, link_columns, mapped, parts
from .numbers import ROTOR
from .operators import LOADS, MOTIONS


class GluedNewtonEuler:
    """Lathrop's logarithmic form; all else is local to a link and its neighbour."""

    def __init__(self, chain, order):
        n = self._n = chain.n
        self._motions, self._loads = Scan(MOTIONS, n + 1, order), Scan(LOADS, n, order)
        rise = chain_gluing.base_motion(-chain.gravity)
        self._base = np.concatenate([np.ravel(rise[part]) for part in chain_gluing.MOTION])
        self._rotor, self._turns = chain.link[:, ROTOR], chain.turns
        links = link_columns(chain)
        self._vectors = Columns({"q": 1, "qd": 1, "qdd": 1}, n + 1, ROOM)
        self._own = Columns(LOADS.parts, n, ROOM)
        number = (NUMBERS + (chain.kinds == MIXED),)

        def job(name, inputs, arrays):
            function = getattr(chain_gluing, name)
            label = f"{name} {chain.kinds}"
            sweep = mapped(label, lambda **given: function(**given, kinds=chain.kinds), inputs)
            return bound(sweep, n, arrays)

        vectors = {name: (self._vectors, name, 0) for name in ("q", "qd", "qdd")}
        moved = self._motions.columns
        self._own_motions = job(
            "own_motion",
            {"link": number, "q": (), "qd": (), "qdd": ()},
            {"link": (links, "link", 0)} | vectors | parts(moved, 1),
        )
        self._own_loads = job(
            "own_load",
            {"link": number, "beyond": number, "q_beyond": (), "ω": (3,), "α": (3,), "a": (3,)},
            {"link": (links, "link", 0), "beyond": (links, "link", 1)}
            | {"q_beyond": (self._vectors, "q", 1)}
            | {part: (moved, part, 1) for part in ("ω", "α", "a")}
            | parts(self._own),
        )

    def __call__(self, q, qd, qdd, tau, threads=1):
        """Write the torques."""
        n = self._n
        for name, vector in (("q", q), ("qd", qd), ("qdd", qdd)):
            self._vectors[name][0, :n] = vector
        self._own_motions.run(threads)
        self._motions.columns.array[:, 0] = self._base
        self._motions.run(threads)
        self._own_loads.run(threads)
        self._loads.columns.array[...] = self._own.array[:, ::-1]  # from the tip
        self._loads.run(threads)
        turning, sliding = (self._loads.columns[part][2, ::-1] for part in ("n", "f"))
        tau[...] = np.where(self._turns, turning, sliding) + self._rotor * qdd
