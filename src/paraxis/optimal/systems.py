"""What is controlled: a robot in steps of time, or a function of one's own.

A system moves a state x by controls u, over traced scalars. A state may be a point of a curved
space, with more numbers (nx) than directions (ndx): `move` goes from one along dx, and `apart` is
the dx between two.

Derivatives of a step come as a chain of linear maps, in the order in which a quadratic form is
pulled back through them: dx' is a map of (dx, du, da₁ … da_k), and each da_i one of
(dx, du, da₁ … da_{i-1}). For a robot the a_i are the accelerations that the rule of integration
asks for, whose derivatives are known in closed form and are much cheaper than those of the whole
step; for a function of one's own there are none. `linearised` computes what the maps depend on,
knot by knot; `chain` puts them together from that.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import api
from ..graph.along import jacobian_along
from ..graph.derivative import jacobian
from ..graph.evaluate import evaluate
from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..physics.configuration import difference, integrate, velocities
from ..robot_functions import MATTERS, parameter_shapes
from ..robots.robot import Robot
from ..scalar import minimum
from ..simulation.plant import Plant
from ..simulation.steps import IMPLICIT, RULES
from .quadratic import composed, dot, factor, solved

CURVED = ("planar", "spherical", "free")  # kinds of joints whose positions do not simply add up
GRAVITY = ("mass", "com", "gravity", "origin", "external_force")  # what holding a robot depends on


@dataclass(frozen=True, eq=False)
class RobotSystem:
    """A robot in steps of dt, cut into `substeps`, during which controls are held.

    Controls are the torques of the entries `driven` of the velocity, or what `actuation`, a graph
    of (q, qd, u), turns into the torques of all.
    """

    robot: Robot
    method: str
    dt: float
    substeps: int
    driven: tuple[int, ...]
    actuation: Graph | None = None
    parameters: tuple[str, ...] = ()  # of the robot, that are inputs

    @property
    def nx(self):
        return self.robot.nq + self.robot.nv

    @property
    def ndx(self):
        return 2 * self.robot.nv

    @property
    def nu(self):
        return len(self.driven) if self.actuation is None else self.actuation.inputs["u"][0]

    @property
    def own_inputs(self):
        """name -> shape, of parameters of the robot."""
        return parameter_shapes(self.robot, self.parameters)

    def arguments(self, x):
        """What functions of a state may take, by name."""
        return {"q": x[: self.robot.nq], "qd": x[self.robot.nq :], "x": x}

    def move(self, x, dx):
        nq, nv = self.robot.nq, self.robot.nv
        rates = [a + b for a, b in zip(x[nq:], dx[nv:], strict=True)]
        return [*integrate(self.robot, x[:nq], dx[:nv]), *rates]

    def apart(self, x0, x1):
        nq = self.robot.nq
        rates = [b - a for a, b in zip(x0[nq:], x1[nq:], strict=True)]
        return [*difference(self.robot, x0[:nq], x1[:nq]), *rates]

    def step(self, x, u, given):
        nq = self.robot.nq
        q, qd = self._stepped(x[:nq], x[nq:], self._accelerations(u, given))
        return [*q, *qd]

    @property
    def linear_shapes(self):
        """name -> shape of what `linearised` computes."""
        nv, calls = self.robot.nv, self.calls
        shapes = {"slopes": (calls, nv, 2 * nv + self.nu)}
        return shapes | ({"accelerations": (calls, nv)} if self.curved else {})

    @property
    def curved(self):
        """Whether maps depend on the state and on accelerations."""
        return any(joint.kind in CURVED for joint in self.robot.described.joints)

    def linearised(self, x, u, given):
        """The derivatives of accelerations, and the next state."""
        nq, value, slopes, found = self.robot.nq, self._accelerations(u, given), [], []

        def accelerations(t, q, qd):
            found.append(value(t, q, qd))
            by_q, by_qd, by_u = self._slopes(q, qd, u, given, found[-1])
            slopes.append([[*a, *b, *c] for a, b, c in zip(by_q, by_qd, by_u, strict=True)])
            return found[-1]

        q, qd = self._stepped(x[:nq], x[nq:], accelerations)
        results = {"slopes": slopes} | ({"accelerations": found} if self.curved else {})
        return results, [*q, *qd]

    def chain(self, x, linear):
        """The map of dx', and those of accelerations, the last one first, as lists of rows."""
        nv, m, calls = self.robot.nv, self.nu, self.calls
        if self.curved:
            maps = splice(self._maps, [x, linear["accelerations"]])
            maps = dict(zip(self._maps.outputs, maps, strict=True))
        else:  # then they are numbers
            zeros = {name: np.zeros(shape) for name, shape in self._maps.inputs.items()}
            maps = {name: each.tolist() for name, each in evaluate(self._maps, zeros).items()}

        def rows(name, before):
            """Of some output, by dx, du and so many accelerations."""
            by_x, by_a = maps[f"{name} by x"], maps[f"{name} by a"]
            earlier = range(before)
            return [
                [*by_x[i], *[0.0] * m, *(entry for k in earlier for entry in by_a[i][k])]
                for i in range(len(by_x))
            ]

        C = []
        for k, slopes in enumerate(linear["slopes"]):
            columns = [*zip(*rows(f"arguments {k}", k), strict=True)]
            C.append([[dot(row[: 2 * nv], column) for column in columns] for row in slopes])
            for i in range(nv):
                for j in range(m):
                    C[-1][i][2 * nv + j] = C[-1][i][2 * nv + j] + slopes[i][2 * nv + j]
        return [rows("next", calls), *reversed(C)]

    # -- one step, with accelerations that may be given --------------------------------------------

    @property
    def calls(self):
        """How many accelerations a step asks for."""
        return self.substeps * {"rk4": 4}.get(self.method, 1)

    def _stepped(self, q, qd, accelerations):
        for _ in range(self.substeps):
            part = self.dt / self.substeps
            q, qd = RULES[self.method](accelerations, self.robot, 0.0, q, qd, part)
        return q, qd

    @cached_property
    def _maps(self):
        """How arguments of accelerations, and the next state, move with the state and earlier
        accelerations: a graph of x and a."""
        nq, nv, calls = self.robot.nq, self.robot.nv, self.calls

        def run(x, a):
            places, given = {}, iter(a)

            def accelerations(t, q, qd):
                places[f"arguments {len(places)}"] = [*q, *qd]
                return next(given)

            q, qd = self._stepped(x[:nq], x[nq:], accelerations)
            return places | {"next": [*q, *qd]}

        graph = trace(run, {"x": (nq + nv,), "a": (calls, nv)}, "step")
        moves = {"x": move_graph(self)}
        wanted = {f"{name} by {by}": (name, by) for name in graph.outputs for by in ("x", "a")}
        numbers = jacobian_along(graph, wanted, moves)

        def along(**arrays):
            values = [arrays[name] for name in graph.inputs]
            states = dict(zip(graph.outputs, splice(graph, values), strict=True))
            found = dict(zip(numbers.outputs, splice(numbers, values), strict=True))
            results = {}
            for name, state in states.items():
                columns = zip(*found[f"{name} by x"], strict=True)
                by_x = _transposed([self.tangent(state, column) for column in columns])
                flat = [[entry for k in row for entry in k] for row in found[f"{name} by a"]]
                columns = zip(*flat, strict=True)
                by_a = _transposed([self.tangent(state, column) for column in columns])
                by_a = [[row[k * nv : k * nv + nv] for k in range(calls)] for row in by_a]
                results |= {f"{name} by x": by_x, f"{name} by a": by_a}
            return results

        return trace(along, graph.inputs, "step_maps")

    def tangent(self, x, rates):
        """The velocity of a state whose numbers change at these rates."""
        nq = self.robot.nq
        return [*velocities(self.robot, x[:nq], list(rates[:nq])), *rates[nq:]]

    # -- accelerations -----------------------------------------------------------------------------

    @property
    def _later(self):
        """How much later than the state losses are taken, as simulations do; None if at once."""
        implicit = self.robot.has_losses and self.method in IMPLICIT
        return self.dt / self.substeps if implicit else None

    def motors(self, q, qd, u):
        """The torques of the motors."""
        if self.actuation is not None:
            given = {"q": q, "qd": qd, "u": u}
            return splice(self.actuation, [given[name] for name in self.actuation.inputs])[0]
        motors = [0.0] * self.robot.nv
        for entry, torque in zip(self.driven, u, strict=True):
            motors[entry] = torque
        return motors

    def _at_joints(self, q, qd, u, rate):
        """The torques at the joints, less losses at these rates."""
        return Plant(self.robot, self.parameters).at_joints(rate, self.motors(q, qd, u))

    def _accelerations(self, u, given):
        plant = Plant(self.robot, self.parameters)

        def accelerations(t, q, qd):
            if self._later is None:
                torques = self._at_joints(q, qd, u, qd)
                return api.forward_dynamics(self.robot, q, qd, torques, **given)
            return plant.accelerations(q, qd, self.motors(q, qd, u), self._later, **given)[0]

        return accelerations

    def _slopes(self, q, qd, u, given, found):
        """Derivatives of the accelerations that were found along dq, and by q̇ and u, as rows.

        Where losses are taken later, they balance M q̈ + bias = τ(q, q̇, u, q̇ + dt q̈), of which
        these are the implicit derivatives.
        """
        later = self._later
        rate = qd if later is None else [a + later * b for a, b in zip(qd, found, strict=True)]
        graph, values = self._torque_slopes, {"q": q, "qd": qd, "u": u, "rate": rate}
        of_q, of_qd, of_u, of_rate = splice(graph, [values[name] for name in graph.inputs])
        of_qd = _sum(of_qd, of_rate)
        if later is None:
            torques = self._at_joints(q, qd, u, qd)
            slopes = api.forward_dynamics_derivatives(self.robot, q, qd, torques, **given)
            by_q, by_qd, by_tau = ([[*row] for row in each] for each in slopes)
            of_q, of_qd, of_u = (_product(by_tau, each) for each in (of_q, of_qd, of_u))
            return _sum(by_q, of_q), _sum(by_qd, of_qd), of_u
        slopes = api.inverse_dynamics_derivatives(self.robot, q, qd, found, **given)
        by_q, by_qd = ([[*row] for row in each] for each in slopes)
        of_masses = {name: given[name] for name in given if name in MATTERS["mass_matrix"]}
        M = [[*row] for row in api.mass_matrix(self.robot, q, **of_masses)]
        felt = [
            [m - later * minimum(slope, 0.0) if i == j else m - later * slope
             for j, (m, slope) in enumerate(zip(*rows, strict=True))]
            for i, rows in enumerate(zip(M, of_rate, strict=True))
        ]  # fmt: skip
        L, inverse, _ = factor(felt)
        results = _difference(of_q, by_q), _difference(of_qd, by_qd), of_u
        columns = [[solved(L, inverse, each) for each in zip(*A, strict=True)] for A in results]
        return tuple(_transposed(each) for each in columns)

    @cached_property
    def _torque_slopes(self):
        """The derivatives of torques at the joints by q, q̇, u and the rates of losses."""
        robot = self.robot
        shapes = {"q": (robot.nq,), "qd": (robot.nv,), "u": (self.nu,), "rate": (robot.nv,)}
        graph = trace(lambda **given: {"tau": self._at_joints(**given)}, shapes, "torques")
        turn = {"q": (robot.nq,), "v": (robot.nv,)}
        move = trace(lambda q, v: integrate(robot, q, v), turn, "move")
        return jacobian_along(graph, {f"by {x}": ("tau", x) for x in shapes}, {"q": move})


@dataclass(frozen=True, eq=False)
class OwnSystem:
    """A function x' = f(x, u, ...) as a graph; states are plain vectors."""

    graph: Graph
    curved = False

    @property
    def nx(self):
        return self.graph.inputs["x"][0]

    ndx = nx

    @property
    def nu(self):
        return self.graph.inputs["u"][0]

    @property
    def own_inputs(self):
        return {k: v for k, v in self.graph.inputs.items() if k not in ("x", "u")}

    def arguments(self, x):
        return {"x": x}

    def move(self, x, dx):
        return [a + b for a, b in zip(x, dx, strict=True)]

    def apart(self, x0, x1):
        return [b - a for a, b in zip(x0, x1, strict=True)]

    def step(self, x, u, given):
        return splice(self.graph, self._values(x, u, given))[0]

    @property
    def linear_shapes(self):
        return {"slopes": (self.nx, self.nx + self.nu)}

    def linearised(self, x, u, given):
        by_x, by_u = splice(self._slopes, self._values(x, u, given))
        slopes = [[*a, *b] for a, b in zip(by_x, by_u, strict=True)]
        return {"slopes": slopes}, self.step(x, u, given)

    def chain(self, x, linear):
        return [linear["slopes"]]

    def _values(self, x, u, given):
        known = {"x": x, "u": u} | given
        return [known[name] for name in self.graph.inputs]

    @cached_property
    def _slopes(self):
        (output,) = self.graph.outputs
        return jacobian(self.graph, {"by_x": (output, "x"), "by_u": (output, "u")})


@dataclass(frozen=True, eq=False)
class Composed:
    """A system whose derivatives come as one map of (dx, du), not as a chain: by its columns."""

    system: RobotSystem | OwnSystem
    curved = False

    @property
    def identity(self):
        return (self.system,)

    def __getattr__(self, name):
        if name.startswith("__"):  # such as pickling asks for before there is a system
            raise AttributeError(name)
        return getattr(self.system, name)

    @property
    def linear_shapes(self):
        return {"maps": (self.ndx + self.nu, self.ndx)}

    def linearised(self, x, u, given):
        linear, after = self.system.linearised(x, u, given)
        return {"maps": _transposed(composed(self.system.chain(x, linear)))}, after

    def chain(self, x, linear):
        return [_transposed(linear["maps"])]


def move_graph(system):
    """The graph of (x, dx) -> where x is after dx."""
    return trace(system.move, {"x": (system.nx,), "dx": (system.ndx,)}, "move")


def _sum(A, B):
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def _difference(A, B):
    return [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def _product(A, B):
    columns = [*zip(*B, strict=True)]
    return [[dot(row, column) for column in columns] for row in A]


def _transposed(rows):
    return [list(row) for row in zip(*rows, strict=True)]
