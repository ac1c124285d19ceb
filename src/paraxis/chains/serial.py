"""Dynamics of a chain link by link: of one state, or of many states side by side, a lane each."""

from dataclasses import replace

import numpy as np

from ..checks import quoted
from ..drivers.sweep import APART, SAME, Place, carried, inward, outward
from ..errors import RobotError
from ..physics.parts.massless import moves_nothing
from ..targets.target import CPU
from .bodies import along

VECTORS = ("q", "qd", "qdd", "tau")
WAYS = (("link", SAME), *((name, APART) for name in VECTORS))


class _Serial:
    """Sweeps along the whole chain. Vectors are (states, links) without gaps, a state a lane."""

    def __init__(self, chain, states, lanes, on):
        self._chain, self._lanes, self._groups = chain, lanes, -(-states // lanes)
        self._on, self._link = on, on.arrays.asarray(chain.link)
        self._rise = on.arrays.asarray(np.array([[0.0, 0.0, 0.0, *-chain.gravity]]).T)

    def _tile(self, entries, steps=1):
        return self._on.tiles(self._groups, steps, entries, self._lanes)

    def _bind(self, name, is_inward=False, **arrays):
        """A job; arrays of one step are carried, those with more are walked along."""
        n, link = self._chain.n, self._link
        walk = inward if is_inward else outward
        row, number = link.strides
        places = {
            "link": Place(link, 0, row, entry=number),
            **dict.fromkeys(VECTORS, Place(None, self._lanes * n * number, number, n * number)),
        }
        if is_inward:
            places = {
                key: replace(place, step=-place.step, first=(n - 1) * place.step)
                for key, place in places.items()
            }
        for key, array in arrays.items():
            places[key] = carried(array) if array.shape[1] == 1 < n else walk(array)
        sweep = along(name, self._chain.kinds, self._lanes > 1, WAYS, self._on)
        return sweep.bind(n, self._groups, **{key: places[key] for key in sweep.arrays})

    def _run(self, threads, **vectors):
        """Do all jobs, from a base that rises, which is how gravity is felt, and a free tip."""
        given = self._on.addresses(**vectors)
        self._rate.fill(0.0)
        self._beyond.fill(0.0)
        self._a[...] = self._rise
        for job in self._jobs:
            job.run(threads, given)


class ArticulatedSerial(_Serial):
    """Forward dynamics by Featherstone's recursion."""

    def __init__(self, chain, states, lanes, on=CPU):
        super().__init__(chain, states, lanes, on)
        angle, kept = self._tile(2, chain.n), self._tile(8, chain.n)
        self.reciprocals = kept[0, :, 6, 0]  # of what each joint moves, in the first state
        self._rate, self._a, self._beyond = self._tile(3), self._tile(6), self._tile(27)
        inertia, bias = self._beyond[:, :, :21], self._beyond[:, :, 21:]
        self._jobs = (
            self._bind("spin_free", angle=angle, ω=self._rate),
            self._bind(
                "inward_free",
                is_inward=True,
                angle=angle,
                kept=kept,
                ω=self._rate,
                inertia=inertia,
                bias=bias,
            ),
            self._bind("outward_free", angle=angle, kept=kept, ω=self._rate, a=self._a),
        )

    def __call__(self, q, qd, tau, qdd, threads=1):
        """Write the accelerations."""
        self._run(threads, q=q, qd=qd, tau=tau, qdd=qdd)


class NewtonEulerSerial(_Serial):
    """Inverse dynamics by Newton-Euler."""

    def __init__(self, chain, states, lanes, on=CPU):
        super().__init__(chain, states, lanes, on)
        angle, load = self._tile(2, chain.n), self._tile(6, chain.n)
        self._rate, self._a, self._beyond = self._tile(3), self._tile(6), self._tile(6)
        self._jobs = (
            self._bind("motion_free", angle=angle, load=load, ω=self._rate, a=self._a),
            self._bind("torque", is_inward=True, angle=angle, load=load, carried=self._beyond),
        )

    def __call__(self, q, qd, qdd, tau, threads=1):
        """Write the torques."""
        self._run(threads, q=q, qd=qd, qdd=qdd, tau=tau)


def explain_undefined(chain, q, qd, tau):
    """Raise, of a state whose numbers are finite and whose accelerations are not."""
    solver = ArticulatedSerial(chain, 1, 1)
    solver(*(np.array(vector)[None] for vector in (q, qd, tau)), np.empty((1, chain.n)))
    immobile = np.flatnonzero(~np.isfinite(solver.reciprocals))
    if immobile.size:  # that of the outermost spoils all before it
        raise moves_nothing(chain.robot, [int(immobile[-1])])
    raise RobotError(
        f"robot {quoted(chain.robot.name)}: accelerations are out of the range of float64"
    )
