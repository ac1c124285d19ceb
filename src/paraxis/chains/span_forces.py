"""Forward dynamics of a chain from the forces through its joints, in any order of elimination."""

from functools import partial

from ..drivers.columns import Columns
from ..drivers.elimination import Elimination
from ..drivers.scan import ROOM, Scan
from ..targets.target import CPU
from .maps import bound, link_columns, mapped, parts
from .numbers import ROTOR
from .odd_even import OddEvenElimination
from .operators import SPANS, spins
from .recursions.constraint_spans import joint_acceleration, own_spin
from .recursions.link import MIXED, NUMBERS

_BODIES = {"own_spin": own_spin, "joint_acceleration": joint_acceleration}  # of every algorithm


class SpanForces:
    """The forces through all joints, and what they do: local to a link and its neighbours, but for
    two scans. The first finds angular velocities, the second the forces."""

    def __init__(self, chain, algorithm, order, on=CPU):
        n, arrays = chain.n, on.arrays
        self._n, self._on = n, on
        self._kinds = chain.kinds
        self._rotors = bool(chain.link[:, ROTOR].any())
        operator = SPANS[algorithm](chain.kinds, self._rotors, on)
        self._algorithm = operator.algorithm
        self._spins = Scan(spins(on), n, order)
        if order == "odd_even_elimination":
            self._holding = OddEvenElimination(operator, n + 1)
        else:
            self._holding = Elimination(operator, n + 1, order)
        angles = Columns({"angle": 2}, n + 1, ROOM, arrays=arrays)
        vectors = {"q": 1, "qd": 1, "tau": 1, "qdd": 1}
        self._vectors = Columns(vectors, n + 1, ROOM, arrays=arrays)
        self._rates = Columns({"ω": 3}, n + 1, ROOM, arrays=arrays)  # those of the base first
        self._moved = Columns({"a": 6}, n + 1, ROOM, arrays=arrays)
        self._moved["a"][3:, 0] = arrays.asarray(-chain.gravity)
        self._bind(link_columns(chain, on), angles)
        self._run = on.recorded(self._levels)

    def _bind(self, links, angles):
        n, vectors, rates, spans, x = (
            self._n,
            self._vectors,
            self._rates,
            self._holding.spans,
            self._holding.x,
        )
        number, directions = (NUMBERS + (self._kinds == MIXED),), (x.array.shape[0],)

        def job(name, count, inputs, arrays, wide=True):
            return bound(self._map(name, inputs, wide), count, arrays)

        own = {"link": (links, "link", 0), "angle": (angles, "angle", 0)}
        beyond = {"beyond": (links, "link", 1), "beyond_angle": (angles, "angle", 1)}
        q, qd, tau = ((vectors, name, 0) for name in ("q", "qd", "tau"))
        ω, ω_before = (rates, "ω", 1), (rates, "ω", 0)
        both = {"link": number, "beyond": number, "beyond_angle": (2,)}
        joint = {"link": number, "angle": (2,), "q": (), "qd": ()}
        self._own_spins = job(
            "own_spin",
            n,
            {"link": number, "q": (), "qd": ()},
            own | {"q": q, "qd": qd} | parts(self._spins.columns),
        )
        self._base = job(
            "base",
            1,
            joint | {"rise": (6,)},
            own | {"q": q, "qd": qd, "rise": (self._moved, "a", 0)} | parts(spans),
            wide=False,
        )
        self._links = job(
            "single_link",
            n,
            both | {"q_beyond": (), "qd_beyond": (), "ω": (3,), "tau": (), "tau_beyond": ()},
            {"link": own["link"], "ω": ω, "tau": tau}
            | beyond
            | {name + "_beyond": (vectors, name, 1) for name in ("q", "qd", "tau")}
            | parts(spans, 1),
        )
        self._accelerations = job(
            "acceleration",
            n,
            both
            | {"q_beyond": (), "ω": (3,), "tau": (), "tau_beyond": ()}
            | {"x": directions, "x_beyond": directions},
            {"link": own["link"], "ω": ω, "tau": tau}
            | beyond
            | {name + "_beyond": (vectors, name, 1) for name in ("q", "tau")}
            | {"x": (x, "x", 1), "x_beyond": (x, "x", 2), "a": (self._moved, "a", 1)},
        )
        self._joints = job(
            "joint_acceleration",
            n,
            joint | {"ω_before": (3,), "a_before": (6,), "a": (6,)},
            own
            | {"q": q, "qd": qd, "ω_before": ω_before, "qdd": (vectors, "qdd", 0)}
            | {"a_before": (self._moved, "a", 0), "a": (self._moved, "a", 1)},
        )

    def _map(self, name, inputs, wide):
        function = _BODIES.get(name) or getattr(self._algorithm, name)
        options = {"kinds": self._kinds}
        if name in ("base", "single_link", "acceleration"):
            options["rotors"] = self._rotors
        return mapped(name, partial(function, **options), inputs, self._on, wide)

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations."""
        n = self._n
        for name, vector in (("q", q), ("qd", qd), ("tau", tau)):
            self._vectors[name][0, :n] = vector
        self._run(threads)
        qdd[...] = self._vectors["qdd"][0, :n]

    def _levels(self, threads):
        self._own_spins.run(threads)
        self._spins.run(threads)
        self._rates["ω"][:, 1:] = self._spins.prefixes["ω"]
        self._base.run()
        self._links.run(threads)
        x = self._holding.x.array
        x[:, 0] = x[:, -1] = 0.0
        self._holding.run(threads)
        self._accelerations.run(threads)
        self._joints.run(threads)
