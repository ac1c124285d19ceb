"""Hollerbach's recursions of 1980 on whole matrices: a reading that comes near his counts.

His paper is not at hand. The equations are those of algorithms.lagrange_recursive_4x4 and _3x3,
but no zero is known save those of the base and the hand: not the last row of a pose, not those of
Q, by which ∂A/∂q = A Q and ∂²A/∂q² = A Q Q are made. W ∂A/∂q is made for Ẇ and once more for Ẅ and
the torque; with 3x3 matrices each link makes its far end's acceleration, the last one too.
This file is for counting; compute with the algorithms.
"""

from dataclasses import dataclass

import numpy as np

from paraxis.physics.parts.lagrange_matrices import generator, pose, pseudo_inertia
from paraxis.robots.model import Model

from .plain_count import Ledger, some_state


@dataclass(frozen=True)
class Link:
    """A link in its frame, which stands on its joint; matrices are 3x3 or 4x4."""

    A: np.ndarray  # its coordinates to those of the link before
    Q: np.ndarray
    J: np.ndarray  # second moments of mass
    moment: np.ndarray  # first moments of mass, of 4 numbers with the mass
    beyond: np.ndarray  # the same with all mass beyond the next joint put onto that
    p: np.ndarray  # the next joint
    m: object


def count(robot, size):
    """The Ledger of one run, on 3x3 or 4x4 matrices, for a chain of revolute joints; the torques.

    The base does not turn. With 3x3 matrices it may move.
    """
    ledger = Ledger()
    run = _Run(ledger, size)
    model, (q, *rates) = Model(robot), some_state(robot)
    links = list(_links(model, q, run))
    rates = [[ledger.number(x) for x in row] for row in rates]
    rise = run.numbers([*model.base_acceleration.linear, 0][:size])
    U, Wdd = run.outward(links, *rates)
    inward = {3: run.inward_3x3, 4: run.inward_4x4}[size]
    return ledger, [torque.value for torque in inward(links, U, Wdd, rise)]


def _links(model, q, run):
    n, size = len(q), run.size
    X = [model.transform(i, q) for i in range(n)]
    places = [*([*x.origin] for x in X[1:]), [0.3, 0.4, 0.5]]  # any place will do for the hand
    for i, I in enumerate(model.inertia):
        J = np.array([*pseudo_inertia(I)])
        further = sum(body.mass for body in model.inertia[i + 1 :])
        matrices = (
            np.array([*matrix])[:size, :size]
            for matrix in (pose(X[i]), generator(model.axis[i], is_revolute=True), J)
        )
        moment, beyond = J[3, :size], J[3, :3] + further * np.array(places[i])
        vectors = (moment, beyond, places[i])
        yield Link(*map(run.numbers, (*matrices, *vectors)), run.ledger.number(I.mass))


class _Run:
    """One run on matrices of a size. What is made is entered under a step of a link."""

    def __init__(self, ledger, size):
        self.ledger, self.size = ledger, size
        self.number = np.vectorize(ledger.number, otypes=[object])

    def numbers(self, values):
        """Numbers of run time, be they zeros."""
        return self.number(np.array(values, float))

    def made(self, step, link, value):
        self.ledger.close((step, link), np.ravel(value))
        return value

    def outward(self, links, qd, qdd):
        """U = ∂W/∂q and Ẅ of every link."""
        W, Wd, Wdd = (each.astype(object) for each in _at_rest(self.size))
        found = []
        for i, link in enumerate(links):
            dA = self.made("∂A", i, link.A @ link.Q)
            ddA = self.made("∂²A", i, dA @ link.Q)
            U = self.made("U", i, W @ dA)
            Wdd = Wdd @ link.A + Wd @ dA * (qd[i] + qd[i]) + W @ ddA * (qd[i] * qd[i]) + U * qdd[i]
            self.made("Ẅ", i, Wdd)
            Wd = self.made("Ẇ", i, Wd @ link.A + W @ dA * qd[i])
            W = self.made("W", i, W @ link.A)
            found.append((U, Wdd))
        return zip(*found, strict=True)

    def inward_4x4(self, links, U, Wdd, rise):
        D, c, A = np.zeros((4, 4), object), np.zeros(4, object), np.eye(4).astype(object)
        tau = {}
        for i, link in reversed(list(enumerate(links))):
            D = self.made("D", i, link.J @ Wdd[i].T + A @ D)
            c = self.made("c", i, link.moment + A @ c)
            tau[i] = self._torque(i, U[i], D, c, rise)
            A = link.A
        return [tau[i] for i in range(len(links))]

    def inward_3x3(self, links, U, Wdd, rise):
        pdd = [self.numbers([0, 0, 0])]
        for i, link in enumerate(links):
            pdd.append(self.made("p̈", i, pdd[i] + Wdd[i] @ link.p))
        D, A = np.zeros((3, 3), object), np.eye(3).astype(object)
        e, c, tau = np.zeros(3, object), np.zeros(3, object), {}
        for i, link in reversed(list(enumerate(links))):
            own = link.J @ Wdd[i].T + np.outer(link.moment, pdd[i])
            D = self.made("D", i, own + A @ D + np.outer(link.p, e))
            e = self.made("e", i, pdd[i] * link.m + Wdd[i] @ link.moment + e)
            c = self.made("c", i, link.beyond + A @ c)
            tau[i] = self._torque(i, U[i], D, c, rise)
            A = link.A
        return [tau[i] for i in range(len(links))]

    def _torque(self, i, U, D, c, rise):
        return self.made("τ", i, np.sum(U * D.T) + rise @ (U @ c))


def _at_rest(size):
    return np.eye(size), np.zeros((size, size)), np.zeros((size, size))
