"""One step in time of a robot on the ground, over generic scalars, in three parts.

`prepare` finds what the robot would do without contact, where its candidates for contact are and
what impulses there do; `sweep` goes once through all contacts, each of which takes the impulse that
its law demands while the others keep theirs (block Gauss-Seidel); `finish` moves the robot. With
M = L^T D L, an impulse F on the bodies that may touch changes rates by M^-1 J^T F, of which only
the half H = L^-T J^T is made, and only along the paths to these bodies: the mobility of the
contacts is K = H^T D^-1 H, and one solution with L serves free motion and contact together:

    D L (qd_next - qd) = dt L^-T (tau - h) + H F,    q_next = q moved by dt qd_next.

A free base moves straight and its velocity is turned along with its axes, not by the rate at which
these turn, which would let fast bodies gain momentum (physics/configuration.py, `move_straight`).

Impulses are known by contact (normal, tangents; N s), bodies by their 6-D motion in the world's
axes, at the origins of their frames, or, where a body has a single contact, by the velocity of that
contact along its axes. Values that go from one part to the next are lists of scalars, by name.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from ... import api
from ...errors import ArgumentError
from ...physics.configuration import move_straight, neutral, turning_axes
from ...physics.kinematics import body_poses
from ...physics.linear.dense import dot
from ...physics.linear.factor import Factors, back_solve, dense_factor, factor, half_solve
from ...physics.parts.ties import ties_of
from ...robot_functions import MATTERS
from ...robots.frame import Frame
from ...robots.model import Model
from ...robots.pose import Pose
from ...robots.rows import rows_of
from ...scalar import less, less_equal, maximum, minimum, select
from ...spatial import Matrix, Vector, cross
from .hard import Hard
from .points import spot_of
from .soft import Soft
from .touches import AgainstScene, Pair, along_axes, from_axes, point_velocity

LAWS = {"hard": Hard, "soft": Soft}
IMMOBILE = 1e-9  # mobility below which a contact does not move, times the robot's mass
CARRIED = {"q": "q_next", "qd": "qd_next", "impulses": "impulses_next"}
SWEPT = {"impulse": "impulse_next", "velocity": "velocity_next"}


class GroundStep:
    """The step of a robot on a `Ground`. `parameters` are the names of those that are given."""

    def __init__(self, robot, ground, parameters=()):
        if robot.loops:
            raise ArgumentError(
                f"robot {robot.name!r} has closed loops, which a simulation on the ground does not "
                f"support"
            )
        self.robot, self.ground, self.parameters = robot, ground, tuple(parameters)
        self.rows = rows_of(robot)
        spots = [spot_of(robot, point) for point in ground.points]
        self.contacts = []
        if ground.scene:
            self.contacts += [AgainstScene(spot, ground.scene) for spot in spots]
        self.contacts += [Pair(spots[i], spots[j]) for i, j in ground.pairs]
        self.frictions = [
            ground.friction if point.friction is None else point.friction for point in ground.points
        ]
        self.frictions = self.frictions * bool(ground.scene) + [
            max(self.frictions[i], self.frictions[j]) for i, j in ground.pairs
        ]
        self.law = LAWS[ground.law]
        self.bodies = self._bodies()

    @property
    def identity(self):
        """What decides the equations: frames and names of points do not, but where these are."""
        names = "law", "restitution", "restitution_speed", "tolerance", "correction"
        names += "solref", "solimp", "impratio"
        numbers = tuple(getattr(self.ground, name) for name in names)
        contacts = tuple(self.contacts), tuple(self.frictions)
        return self.robot, *contacts, numbers, self.parameters

    def _bodies(self):
        """Those that may touch, by row: each once, with the coordinates of its motion."""
        uses = [use for contact in self.contacts for use in contact.uses]
        counts = {row: sum(use.row == row for use in uses) for row in {use.row for use in uses}}
        bodies, begin = {}, 0
        for row in dict.fromkeys(use.row for use in uses):
            size = 3 if counts[row] == 1 else 6
            bodies[row] = range(begin, begin + size)
            begin += size
        return bodies

    @cached_property
    def size(self):
        """The number of coordinates in which bodies that may touch move."""
        return sum(map(len, self.bodies.values()))

    @cached_property
    def typical(self):
        """Of each contact, how easily its bodies move in the neutral position, 1/kg.

        As MuJoCo's `body_invweight0`: the mean over directions of the mobility of the centre of
        mass. Only the soft law asks.
        """
        if self.ground.law == "hard":
            return [None] * len(self.contacts)
        groups = {rows[-1]: i for i, rows in enumerate(self.rows.groups)}
        found = {row: typical_mobility(self.robot, groups[row]) for row in self.bodies}
        return [sum(found[use.row] for use in contact.uses) for contact in self.contacts]

    # -- what goes from one part to the next -----------------------------------------------------

    @cached_property
    def _pattern(self):
        """Of each coordinate of a body: the entries of H that may differ from zero."""
        n = self.robot.nv
        pattern = []
        for row, own in self.bodies.items():
            path = range(n) if self.rows.followers else sorted(self.rows.path(row))
            pattern += [tuple(path)] * len(own)
        return pattern

    @cached_property
    def _ancestors(self):
        if self.rows.followers:
            return [tuple(range(i - 1, -1, -1)) for i in range(self.robot.nv)]
        return list(self.rows.ancestors)

    def _packed_axes(self):
        """Contacts whose axes change, and for which a body needs them."""
        return [
            k
            for k, contact in enumerate(self.contacts)
            if contact.axes is None and any(len(self.bodies[use.row]) == 6 for use in contact.uses)
        ]

    def _packed_arms(self):
        return [
            (k, j)
            for k, contact in enumerate(self.contacts)
            for j, use in enumerate(contact.uses)
            if len(self.bodies[use.row]) == 6
        ]

    @cached_property
    def inputs(self):
        """name -> shape of what `prepare` takes, parameters aside."""
        robot, count = self.robot, len(self.contacts)
        return {"q": (robot.nq,), "qd": (robot.nv,), "tau": (robot.nv,), "dt": ()} | {
            "impulses": (count, 3),
            "friction": (count,),
            "restitution": (),
        }

    @cached_property
    def values(self):
        """name -> shape of what `prepare` makes."""
        count, size, n = len(self.contacts), self.size, self.robot.nv
        shapes = {
            "impulse": (count, 3),
            "velocity": (size,),
            "mobility": (size * (size + 1) // 2,),
            "law": (count, self.law.size),
            "half": (n,),
            "reach": (sum(map(len, self._pattern)),),
            "factor": (sum(map(len, self._ancestors)),),
            "reciprocal": (n,),
            "gap": (count,),
            "arms": (len(self._packed_arms()), 3),
            "axes": (len(self._packed_axes()), 3, 3),
        }
        return {name: shape for name, shape in shapes.items() if 0 not in shape}

    @cached_property
    def outputs(self):
        """name -> shape of all that the three parts make."""
        swept = {output: self.values[name] for name, output in SWEPT.items()}
        state = {CARRIED[name]: self.inputs[name] for name in CARRIED}
        return self.values | swept | state | dict.fromkeys(("change", "done", "residual"), ())

    # -- prepare ---------------------------------------------------------------------------------

    def prepare(
        self, q, qd, tau, dt, impulses, friction=None, restitution=None, drag=None, **given
    ):
        """What sweeps and the end of a step need, by name.

        Torques are those at joints. `drag`: how much less torque joints get per rate that they
        gain, as friction takes it (drag.py).
        """
        friction = self.frictions if friction is None else friction
        restitution = self.ground.restitution if restitution is None else restitution
        model = Model(self.rows, given)
        ties = ties_of(model, q)
        factors, y = self._free(q, qd, tau, dt, drag, given)
        R, p = body_poses(model, ties.q)
        touches = [each.touch(R, p, self.law.midway) for each in self.contacts]
        J = self._jacobian(model, ties, R, p, touches)
        H = [half_solve(factors, row) for row in J]
        eased = [[a * d for a, d in zip(row, factors.reciprocal, strict=True)] for row in H]
        K = self._mobility(H, eased)
        before = [dot(row, qd) for row in J]
        coasting = self._coasting(qd, dt)
        free = [dot(row, coasting) + dot(half, y) for row, half in zip(J, eased, strict=True)]

        axes = [touch.axes for touch in touches]
        arms = [touch.arms for touch in touches]
        least = IMMOBILE / sum(body.mass for body in self.rows.inertias)
        laws = []
        for k, touch in enumerate(touches):
            laws.append(
                self.law.of(
                    self._own_mobility(k, K, axes, arms),
                    least,
                    touch.gap,
                    self._velocity(k, before, axes, arms),
                    self._velocity(k, free, axes, arms),
                    dt,
                    friction[k],
                    restitution,
                    self.ground,
                    self.typical[k],
                )
            )
        wrench = self._wrench(impulses, axes, arms)
        velocity = [v + dot(row, wrench) for v, row in zip(free, K, strict=True)]
        values = {
            "impulse": impulses,
            "velocity": velocity,
            "mobility": [K[i][j] for i in range(self.size) for j in range(i + 1)],
            "law": [law.scalars() for law in laws],
            "half": y,
            "reach": [H[i][j] for i, path in enumerate(self._pattern) for j in path],
            "factor": [factors.L[k, i] for k, above in enumerate(self._ancestors) for i in above],
            "reciprocal": list(factors.reciprocal),
            "gap": [touch.gap for touch in touches],
        }
        values["arms"] = [list(arms[k][j]) for k, j in self._packed_arms()]
        values["axes"] = [[*map(list, axes[k])] for k in self._packed_axes()]
        return {name: values[name] for name in self.values}

    def _free(self, q, qd, tau, dt, drag, given):
        """The factors of M, and half of how rates change without contact."""
        robot = self.robot

        def mattering(name):
            return {each: value for each, value in given.items() if each in MATTERS[name]}

        M = api.mass_matrix(robot, q, **mattering("mass_matrix"))
        for i, each in enumerate(drag or ()):
            M[i][i] = M[i][i] + dt * each
        h = api.bias_forces(robot, q, qd, **mattering("bias_forces"))
        factors = dense_factor(M) if self.rows.followers else factor(self._ancestors, M)
        impulse = [dt * (t - b) for t, b in zip(tau, h, strict=True)]
        return factors, half_solve(factors, impulse)

    def _coasting(self, qd, dt):
        """Rates after the step if nothing acted, along the axes that free bodies have before."""
        axes = turning_axes(self.robot, qd)
        return [rate + dt * more for rate, more in zip(qd, axes, strict=True)]

    def _jacobian(self, model, ties, R, p, touches):
        """How coordinates of bodies that may touch change with rates, by rows."""
        uses = {
            use.row: (touch, use, arm)
            for contact, touch in zip(self.contacts, touches, strict=True)
            for use, arm in zip(contact.uses, touch.arms, strict=True)
        }
        J = []
        for row, own in self.bodies.items():
            columns = [[0.0] * len(own) for _ in range(model.n)]
            touch, use, arm = uses[row]
            for i in model.path(row):
                z = R[i] @ model.axis[i]
                if len(own) == 6:
                    turning = model.is_revolute[i]
                    moved = cross(z, p[row] - p[i]) if turning else z
                    columns[i] = [*(z if turning else Vector(0.0, 0.0, 0.0)), *moved]
                else:
                    end = p[row] + arm
                    moved = cross(z, end - p[i]) if model.is_revolute[i] else z
                    columns[i] = along_axes(touch.axes, moved * use.sign)
            J += [list(row) for row in zip(*columns, strict=True)]
        return ties.columns(J)

    def _mobility(self, H, eased):
        """K, by rows."""
        K = [[0.0] * self.size for _ in range(self.size)]
        for i in range(self.size):
            for j in range(i + 1):
                shared = [k for k in self._pattern[i] if k in self._pattern[j]]
                K[i][j] = K[j][i] = sum((H[i][k] * eased[j][k] for k in shared), 0.0)
        return K

    def _own_mobility(self, k, K, axes, arms):
        """What the impulse of a contact does to its own velocity, 3x3."""
        columns = []
        for unit in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
            wrench = [0.0] * self.size
            for index, entry in self._parts(k, unit, axes, arms):
                wrench[index] = wrench[index] + entry
            moving = self._coordinates(k)
            moved = [0.0] * self.size
            for i in moving:
                moved[i] = sum((K[i][j] * wrench[j] for j in moving), 0.0)
            columns.append(self._velocity(k, moved, axes, arms))
        return [list(row) for row in zip(*columns, strict=True)]

    # -- between contacts and bodies -------------------------------------------------------------

    def _coordinates(self, k):
        """Those of the bodies of a contact."""
        rows = dict.fromkeys(use.row for use in self.contacts[k].uses)
        return [i for row in rows for i in self.bodies[row]]

    def _velocity(self, k, w, axes, arms):
        """The velocity of a contact along its axes, where bodies move by w."""
        total = [0.0, 0.0, 0.0]
        for use, arm in zip(self.contacts[k].uses, arms[k], strict=True):
            own = self.bodies[use.row]
            part = [w[i] for i in own]
            if len(own) == 6:
                part = along_axes(axes[k], point_velocity(part, arm) * use.sign)
            total = [a + b for a, b in zip(total, part, strict=True)]
        return total

    def _parts(self, k, f, axes, arms):
        """(coordinate, what an impulse of a contact is along it), one after another."""
        for use, arm in zip(self.contacts[k].uses, arms[k], strict=True):
            own = self.bodies[use.row]
            if len(own) == 6:
                force = from_axes(axes[k], f) * use.sign
                yield from zip(own, [*cross(arm, force), *force], strict=True)
            else:
                yield from zip(own, f, strict=True)

    def _wrench(self, impulses, axes, arms):
        """The impulses on bodies, along all coordinates."""
        wrench = [0.0] * self.size
        for k, f in enumerate(impulses):
            for index, entry in self._parts(k, f, axes, arms):
                wrench[index] = wrench[index] + entry
        return wrench

    def _axes_and_arms(self, values):
        axes = [contact.axes for contact in self.contacts]
        for k, rows in zip(self._packed_axes(), values.get("axes", ()), strict=True):
            axes[k] = Matrix(*(Vector(*row) for row in rows))
        arms = [[None] * len(contact.uses) for contact in self.contacts]
        for (k, j), arm in zip(self._packed_arms(), values.get("arms", ()), strict=True):
            arms[k][j] = Vector(*arm)
        return axes, arms

    def _unpacked_mobility(self, values):
        K, given = [[0.0] * self.size for _ in range(self.size)], iter(values["mobility"])
        for i in range(self.size):
            for j in range(i + 1):
                K[i][j] = K[j][i] = next(given)
        return K

    # -- sweep -----------------------------------------------------------------------------------

    def sweep(self, values):
        """Go once through all contacts; `change` is by how much velocities did, m/s, at most."""
        axes, arms = self._axes_and_arms(values)
        motion = _Motion(self.bodies, self._unpacked_mobility(values), values["velocity"])
        impulses, change = [], 0.0
        for k, (f, numbers) in enumerate(zip(values["impulse"], values["law"], strict=True)):
            law = self.law.from_scalars(numbers)
            for use in self.contacts[k].uses:
                motion.bring_up(use.row)
            new = law.updated(f, self._velocity(k, motion.w, axes, arms))
            step = [b - a for a, b in zip(f, new, strict=True)]
            change = maximum(change, law.size_of(step))
            for index, entry in self._parts(k, step, axes, arms):
                motion.push(index, entry)
            for row in dict.fromkeys(use.row for use in self.contacts[k].uses):
                motion.respond(row)
            impulses.append(new)
        for row in self.bodies:
            motion.bring_up(row)
        done = less_equal(change, self.ground.tolerance)
        return {"impulse_next": impulses, "velocity_next": motion.w, "change": change, "done": done}

    # -- finish ----------------------------------------------------------------------------------

    def finish(self, values, q, qd, dt):
        """The state after the step, impulses to begin the next one with, and the residual.

        The residual is that of the impulses that were found; where these make energy, only a part
        of them acts.
        """
        axes, arms = self._axes_and_arms(values)
        impulses, velocity = (values[name] for name in SWEPT.values())
        residual, work = 0.0, 0.0
        for k, (f, numbers) in enumerate(zip(impulses, values["law"], strict=True)):
            law, u = self.law.from_scalars(numbers), self._velocity(k, velocity, axes, arms)
            for entry in law.residual(f, u):
                residual = maximum(residual, abs(entry))
            work = work + dot(f, u) - law.may_return(f)
        change = self._change(values, impulses, axes, arms)
        part = part_without_energy(work, change, values["reciprocal"])
        state = self._state(values, [part * each for each in change], q, qd, dt)
        impulses = [[part * entry for entry in f] for f in impulses]
        return state | {"impulses_next": impulses, "residual": residual}

    def arrive(self, values, q, qd, dt):
        """The state after the step, by impulses that solve the contact problem."""
        axes, arms = self._axes_and_arms(values)
        change = self._change(values, values[SWEPT["impulse"]], axes, arms)
        return self._state(values, change, q, qd, dt)

    def _change(self, values, impulses, axes, arms):
        """H F, by which impulses change the half of how rates change."""
        change, reach = [0.0] * len(values["half"]), iter(values["reach"])
        for path, F in zip(self._pattern, self._wrench(impulses, axes, arms), strict=True):
            for j in path:
                change[j] = change[j] + next(reach) * F
        return change

    def _state(self, values, change, q, qd, dt):
        """q and qd after the step."""
        y = [a + b for a, b in zip(values["half"], change, strict=True)]
        entries = iter(values.get("factor", ()))
        L = {(k, i): next(entries) for k, above in enumerate(self._ancestors) for i in above}
        more = back_solve(Factors(self._ancestors, L, values["reciprocal"]), y)
        qd = [rate + each for rate, each in zip(self._coasting(qd, dt), more, strict=True)]
        q, qd = move_straight(self.robot, q, qd, dt)
        return {"q_next": q, "qd_next": qd}

    # -- all at once -----------------------------------------------------------------------------

    def step(self, q, qd, tau, dt, impulses, sweeps=None, **given):
        """The three parts with a fixed number of sweeps, in one straight line."""
        values = self.prepare(q, qd, tau, dt, impulses, **given)
        for _ in range(self.ground.sweeps if sweeps is None else sweeps):
            after = self.sweep(values)
            values |= after | {name: after[output] for name, output in SWEPT.items()}
        return self.finish(values, q, qd, dt)


def part_without_energy(work, change, reciprocal):
    """The part of all impulses, at most 1, that makes no more kinetic energy than laws may return.

    It is 1 for impulses that solve the laws. Where sweeps ran out, some may be left from the step
    before that now push bodies away. A part s of them makes s (f.u - f.K f) + s² f.K f / 2, with
    the velocities u that all of them lead to; `work` is f.u less what laws may return, and `change`
    is H F, which f.K f is made of.
    """
    curved = sum((each * each * d for each, d in zip(change, reciprocal, strict=True)), 0.0)
    some = less(0.0, curved)
    most = 2.0 * (curved - work) / select(some, curved, 1.0)
    return select(some, maximum(minimum(most, 1.0), 0.0), 1.0)


def typical_mobility(robot, body):
    """How easily the centre of mass of a body moves in the neutral position."""
    q = np.array(neutral(robot))
    com = Pose(translation=robot.inertias[body].com)
    marked = replace(robot, frames=(*robot.frames, Frame("centre of mass", body, com)), warn=False)
    J = api.jacobian(marked, q, "centre of mass")[3:]
    return float(np.trace(J @ np.linalg.solve(api.mass_matrix(robot, q), J.T)) / 3.0)


class _Motion:
    """Velocities of bodies while contacts are swept: what one does to others is kept until it is
    needed, so that several contacts of a body are passed on at once."""

    def __init__(self, bodies, K, w):
        self.bodies, self.K, self.w = bodies, K, list(w)
        self.total = [0.0] * len(w)  # impulses so far
        self.seen = {row: list(self.total) for row in bodies}  # by each body

    def push(self, index, entry):
        self.total[index] = self.total[index] + entry

    def bring_up(self, row):
        """Let a body feel what was done to others."""
        self._feel(row, [i for other in self.bodies if other != row for i in self.bodies[other]])

    def respond(self, row):
        """Let a body feel what was done to itself."""
        self._feel(row, self.bodies[row])

    def _feel(self, row, sources):
        new = [
            (j, self.total[j] - self.seen[row][j])
            for j in sources
            if self.total[j] is not self.seen[row][j]
        ]
        for i in self.bodies[row]:
            for j, more in new:
                self.w[i] = self.w[i] + self.K[i][j] * more
        for j, _ in new:
            self.seen[row][j] = self.total[j]
