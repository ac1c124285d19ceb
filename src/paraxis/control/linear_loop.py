"""A closed loop near a motion, as a linear map from one control step to the next.

The plant's accelerations and the controller's torques are differentiated as graphs; the plant
advances from sample to sample by the exact solution under held torques. The state of the map
consists of everything that is carried from step to step: δq, δqd, the entries of stale data and, if
torques are held beyond a step, the torques of the motors. Dry friction is left out, both of the
plant and of a law that compensates it.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..graph.derivative import jacobian
from ..graph.splice import splice
from ..graph.trace import trace
from ..physics.configuration import carried_along
from ..robot_functions import input_shapes, slopes_of
from ..robots.robot import Robot
from ..simulation.plant import Plant
from .at_points import AtPoints
from .balance import balancing_twos
from .controller import Controller, Motion
from .dry_friction import without_dry_friction
from .zero_order_hold import transition

STATE = ("q", "qd")


class Units(NamedTuple):
    """Powers of two: the units of each joint's position and rate, of torques and of entries."""

    joint: np.ndarray  # (n,)
    torque: np.ndarray  # (n,)
    entry: np.ndarray  # (k,)


@dataclass(frozen=True, eq=False)
class Linearised:
    """Derivatives at points `(...)` of a motion, for each possible combination of ages.

    qdd = A δ(q, qd) + B δτ; τ = K δ(q, qd) + L δpast; the next past = P δ(q, qd) + S δpast. δq are
    n velocities that lead from the motion to the robot's position; their rates are D δq + δqd,
    where D describes how the axes of a joint of several degrees of freedom turn with its body.
    """

    D: np.ndarray  # (..., n, n)
    A: np.ndarray  # (..., n, 2n)
    B: np.ndarray  # (..., n, n)
    K: np.ndarray  # (ages, ..., n, 2n)
    L: np.ndarray  # (ages, ..., n, k)
    P: np.ndarray  # (ages, ..., k, 2n)
    S: np.ndarray  # (ages, ..., k, k)

    def only(self, point):
        """The Linearised of one of the points (points,), with an axis of length 1."""
        here = slice(point, point + 1)
        law = (each[:, here] for each in (self.K, self.L, self.P, self.S))
        return Linearised(self.D[here], self.A[here], self.B[here], *law)

    def balancing_units(self):
        """Units in which the derivatives of all points and ages have similar sizes."""
        n, k = self.B.shape[-1], self.S.shape[-1]
        joint, torque, entry = slice(0, n), slice(n, 2 * n), slice(2 * n, 2 * n + k)
        size = np.zeros((2 * n + k, 2 * n + k))
        for of, by, slopes in (
            (joint, joint, self.A),
            (joint, torque, self.B),
            (torque, joint, self.K),
            (torque, entry, self.L),
            (entry, joint, self.P),
            (entry, entry, self.S),
        ):
            largest = abs(slopes).max(axis=tuple(range(slopes.ndim - 2)), initial=0.0)
            if by is joint:  # by positions or by rates
                largest = np.maximum(largest[:, :n], largest[:, n:])
            size[of, by] = np.nan_to_num(largest, posinf=0.0)
        units = np.exp2(-balancing_twos(size))
        return Units(units[joint], units[torque], units[entry])

    def in_units(self, units):
        """The same loop with all its states in these units."""
        state = np.concatenate([units.joint, units.joint])

        def changed(slopes, of, by):
            return slopes * (by / of[:, None])

        return Linearised(
            changed(self.D, units.joint, units.joint),
            changed(self.A, units.joint, state),
            changed(self.B, units.joint, units.torque),
            changed(self.K, units.torque, state),
            changed(self.L, units.torque, units.entry),
            changed(self.P, units.entry, state),
            changed(self.S, units.entry, units.entry),
        )

    def _places(self, holds):
        """Where the state, the entries and held torques are in the state of the map."""
        n, k = self.B.shape[-1], self.S.shape[-1]
        end = 2 * n + k
        return slice(0, 2 * n), slice(2 * n, end), slice(end, end + n * holds)

    def steps(self, period, delay, holds):
        """The maps (ages, ..., m, m) of one control step; `holds`: held torques are states."""
        x, past, held = self._places(holds)
        M = np.zeros((*self.K.shape[:-2], held.stop, held.stop))
        whole, _ = self._between(period)
        after, new = self._between(period - delay)
        M[..., x, x], M[..., x, past] = whole + new @ self.K, new @ self.L
        M[..., past, x], M[..., past, past] = self.P, self.S
        if holds:
            _, old = self._between(delay)
            M[..., x, held] = after @ old
            M[..., held, x], M[..., held, past] = self.K, self.L
        return M

    def missed(self, period):
        """The maps (..., m, m) of a missed control step; held torques are states."""
        x, past, held = self._places(True)
        M = np.zeros((*self.A.shape[:-2], held.stop, held.stop))
        M[..., x, x], M[..., x, held] = self._between(period)
        M[..., past, past] = np.eye(past.stop - past.start)
        M[..., held, held] = np.eye(held.stop - held.start)
        return M

    def settled(self):
        """The slopes (..., n, 2n) of torques with settled entries, as in exact control."""
        k = self.S.shape[-1]
        return self.K[0] + self.L[0] @ np.linalg.solve(np.eye(k) - self.S[0], self.P[0])

    def rates(self, A):
        """The slopes (..., 2n, 2n) of the rates of (δq, δqd), where A has those of qdd."""
        n = self.B.shape[-1]
        slopes = np.zeros((*A.shape[:-2], 2 * n, 2 * n))
        slopes[..., :n, :n], slopes[..., :n, n:] = self.D, np.eye(n)
        slopes[..., n:, :] = A
        return slopes

    def _between(self, period):
        """The exact solution over a time with held torques."""
        return transition(self.rates(self.A), np.concatenate([0 * self.B, self.B], -2), period)


class LinearLoop:
    """A robot under a controller, which can be linearised in any state."""

    def __init__(self, robot: Robot, controller: Controller, parameters: dict[str, np.ndarray]):
        self.robot, self.parameters = robot, parameters
        self.controller = replace(controller, robot=without_dry_friction(controller.robot))
        self._plant = _plant_slopes(self.robot, tuple(self.parameters))
        self._law, self._first = _law_slopes(_Law(robot, _key(controller), self.controller))

    @property
    def ages(self):
        """Every combination of ages that links may use in a control step, (choices, n)."""
        recursion, n = self.controller.recursion, self.robot.n
        if not self.controller.uncertain:
            return np.zeros((1, n))
        of_link = [set() for _ in range(n)]
        for (_, reader), cut in recursion.cuts.items():
            if len(cut.ages) > 1:
                of_link[recursion.owner(reader)].update(cut.ages)
        grid = np.meshgrid(*(sorted(met) or [0] for met in of_link), indexing="ij")
        return np.stack([axis.ravel() for axis in grid], -1).astype(float)

    # -- at points of a motion --------------------------------------------------------------------

    def exact(self, state, desired):
        """The torques of exact control and the entries, at a state and a desired motion."""
        made = self._first(**self._state(state), desired=desired, **self._gains)
        return made["tau"], made.get("past", np.empty((*desired.shape[:-1], 0)))

    def accelerations(self, state, tau):
        return self._plant(**self._state(state), tau=tau, **self.parameters)["qdd"]

    def plant_slopes(self, state, tau):
        """D, A and B of a Linearised."""
        found = self._plant(**self._state(state), tau=tau, **self.parameters)
        A = np.concatenate([found["qdd_q"], found["qdd_qd"]], -1)
        return found["turning"], A, found["qdd_tau"]

    def linearised(self, plant_state, tau, state, desired, ahead, past):
        """The Linearised with plant and controller at different states, along last axes."""
        D, A, B = self.plant_slopes(plant_state, tau)
        given = self._state(state) | {"desired": desired} | self._gains
        given |= {"ahead": ahead} if self.controller.policy.ahead else {}
        given |= {"past": past} if self.controller.entries else {}
        ages, n, k = self.ages, self.robot.nv, len(self.controller.entries)
        if self.controller.uncertain:
            given["age"] = ages.reshape(len(ages), *[1] * (desired.ndim - 1), ages.shape[-1])
        found = self._law(**given)

        def slopes(of, by, shape):
            own = found.get(f"{of}_{by}", np.empty(shape))
            return np.broadcast_to(own, (len(ages), *A.shape[:-2], *shape))

        K = np.concatenate([slopes("tau", by, (n, n)) for by in STATE], -1)
        P = np.concatenate([slopes("next", by, (k, n)) for by in STATE], -1)
        L, S = slopes("tau", "past", (n, k)), slopes("next", "past", (k, k))
        return Linearised(D, A, B, K, L, P, S)

    @property
    def _gains(self):
        return {"kp": self.controller.kp, "kd": self.controller.kd}

    @staticmethod
    def _state(state):
        return dict(zip(STATE, state, strict=True))


@dataclass(frozen=True)
class _Law:
    """A controller of a robot, without values of its gains."""

    robot: Robot
    key: tuple
    controller: Controller = field(compare=False)

    def _shapes(self):
        nq, n, controller = self.robot.nq, self.robot.nv, self.controller
        motion = (nq + 2 * n,)
        shapes = {"q": (nq,), "qd": (n,), "desired": motion, "kp": (n,), "kd": (n,)}
        shapes |= {"ahead": motion} if controller.policy.ahead else {}
        shapes |= {"past": (len(controller.entries),)} if controller.entries else {}
        return shapes | ({"age": (self.robot.n,)} if self.controller.uncertain else {})

    def slopes(self):
        def law(q, qd, desired, kp, kd, ahead=None, past=(), age=None):
            builder = q[0].builder
            wanted = Motion.of(self.robot, desired)
            foreseen = Motion.of(self.robot, ahead) if ahead is not None else None
            given = (q, qd), wanted, foreseen, (kp, kd), list(past), age
            torques, entries = self.controller.step(builder, *given)
            return {"tau": torques} | ({"next": entries} if entries else {})

        graph = trace(law, self._shapes(), "law")
        by = ["q", "qd", *(["past"] if self.controller.entries else [])]
        of = ["tau", *(["next"] if self.controller.entries else [])]
        return slopes_of(self.robot, graph, {f"{a}_{b}": (a, b) for a in of for b in by})

    def first(self):
        shapes = {name: self._shapes()[name] for name in ("q", "qd", "desired", "kp", "kd")}

        def first(q, qd, desired, kp, kd):
            builder, wanted = q[0].builder, Motion.of(self.robot, desired)
            torques, entries = self.controller.first(builder, (q, qd), wanted, (kp, kd))
            return {"tau": torques} | ({"past": entries} if entries else {})

        return trace(first, shapes, "first")


def _key(controller):
    *known, limit = controller.identity
    return (*known, None if limit is None else tuple(limit.tolist()))


@lru_cache(maxsize=16)
def _law_slopes(law):
    """Slopes of a law, and its values under exact control."""
    return AtPoints(law.slopes()), AtPoints(law.first())


@lru_cache(maxsize=16)
def _plant_slopes(robot, parameters):
    """Slopes of the plant, which do not depend on the controller."""
    robot = without_dry_friction(robot)
    shapes = input_shapes(robot, "forward_dynamics", parameters)

    def plant(q, qd, tau, **given):
        return {"qdd": Plant(robot, tuple(given)).accelerations(q, qd, tau, **given)[0]}

    graph = trace(plant, shapes, "plant")
    wanted = {f"qdd_{name}": ("qdd", name) for name in ("q", "qd", "tau")}
    return AtPoints(_with_slopes(robot, graph, slopes_of(robot, graph, wanted)))


def _with_slopes(robot, graph, slopes):
    """One graph with the values, their derivatives, and the rotation of axes."""
    turning = jacobian(_carried(robot), {"turning": ("rates", "off")})
    still = [0.0] * robot.nv

    def both(**arrays):
        values = list(arrays.values())
        results = dict(zip(graph.outputs, splice(graph, values), strict=True))
        results |= dict(zip(slopes.outputs, splice(slopes, values), strict=True))
        (results["turning"],) = splice(turning, (still, arrays["qd"]))
        return results

    return trace(both, graph.inputs, graph.name)


def _carried(robot):
    shapes = {"off": (robot.nv,), "qd": (robot.nv,)}
    return trace(lambda off, qd: {"rates": carried_along(robot, off, qd)}, shapes, "carried")
