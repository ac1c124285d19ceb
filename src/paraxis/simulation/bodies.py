"""The step of a robot as a graph: what the `iterate` driver repeats.

Inputs q, qd, dt and the torques; besides, a fixed step carries `step`, which counts the steps while
the state is finite (so that it gives the time and, in the end, where a run failed), and what a
controller remembers. A robot with bearings also carries the largest torque that was `missing` in a
step, and `when` that was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from .. import api
from ..body import Body
from ..drivers.iterate import Plan
from ..drivers.row import Row, Stage
from ..graph.trace import trace
from ..robot_functions import MATTERS, parameter_shapes
from ..robots.robot import Robot
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from ..scalar import less, less_equal, maximum, select
from .adaptive import attempt
from .ground.drag import Drag
from .ground.stages import after_prepare
from .ground.step import GroundStep
from .laws import Law
from .plant import Plant, finite
from .steps import IMPLICIT, RULES, along, rk4_end, rk4_turn
from .stops import Stops
from .touch import Touch

FIXED = {"q": "q_next", "qd": "qd_next", "step": "step_next"}
ADAPTIVE = {"q": "q_next", "qd": "qd_next", "t": "t_next", "h": "h_next"}
BEARINGS = {"missing": "missing_next", "when": "when_next"}
OF_ATTEMPTS = ("t", "h", "end", "least", "longest", "tolerance")
EVALUATIONS = 4  # of a step of `rk4`
ALWAYS, PER_STEP = "always", "per step"  # how torques are given, unless they are not


@dataclass(frozen=True, eq=False)
class Step:
    """Everything that decides the graph of a step. Numbers of single robots are inputs."""

    robot: Robot
    method: str
    parameters: tuple[str, ...] = ()  # of the robot, that are inputs
    tau: str | None = None  # how torques are given, if they are
    law: Law | None = None  # or what computes them
    touch: Touch | None = None
    stops: Stops | None = None
    ground: GroundStep | None = None
    of_ground: tuple[str, ...] = ()  # numbers of the ground that are inputs
    units: tuple[float, ...] = ()  # of adaptive steps: what limits and frames decide

    @property
    def adaptive(self):
        return self.method == "adaptive"

    # -- arrays: name -> shape, of one robot ------------------------------------------------------

    @property
    def state_shapes(self):
        """All that accelerations depend on."""
        robot = self.robot
        shapes = {"q": (robot.nq,), "qd": (robot.nv,)}
        shapes |= {"tau": (robot.nv,)} if self.tau else {}
        shapes |= parameter_shapes(robot, self.parameters)
        shapes |= self.law.setting_inputs | self.law.constant_inputs if self.law else {}
        return shapes | (self.touch.shapes if self.touch else {})

    @property
    def tallies(self):
        """What a step carries besides the state, and what begins at zero."""
        shapes = {}
        if self.robot.has_bearings:
            shapes |= dict.fromkeys(BEARINGS, ())
        if self.stops and not self.adaptive:
            shapes["acted"] = (len(self.stops.acts),)
        if self.ground:
            shapes |= {"impulses": self.ground.inputs["impulses"], "worst": ()}
        return shapes

    @property
    def inputs(self):
        own = OF_ATTEMPTS if self.adaptive else ("step", "dt")
        memory = self.law.memory_inputs if self.law else {}
        ground = {name: self.ground.inputs[name] for name in self.of_ground}
        return self.state_shapes | ground | memory | dict.fromkeys(own, ()) | self.tallies

    @property
    def carried(self):
        memory = self.law.memory_inputs if self.law else {}
        others = {name: f"{name}_next" for name in (*memory, *self.tallies)}
        return (ADAPTIVE if self.adaptive else FIXED) | others

    @property
    def outputs(self):
        inputs = self.inputs
        shapes = {output: inputs[name] for name, output in self.carried.items()}
        shapes |= {"done": ()} if self.adaptive else {}
        return shapes | (self.ground.outputs if self.ground else {})

    @property
    def recorded(self):
        """name -> shape of what is recorded."""
        if self.adaptive:
            return {}
        shapes = {"q": self.inputs["q"], "qd": self.inputs["qd"]}
        if self.ground:
            shapes |= {"impulses": self.inputs["impulses"], "residual": ()}
        return shapes

    # -- what is compiled -------------------------------------------------------------------------

    @cached_property
    def plan(self):
        changing = ("tau",) if self.tau == PER_STEP and not self.adaptive else ()
        return Plan(
            self.inputs,
            self.outputs,
            self.carried,
            per_step=changing + (self.law.changing_inputs if self.law else ()),
            record=tuple(self.recorded),
            until="done" if self.adaptive else None,
        )

    @cached_property
    def body(self):
        """One graph, or on the ground several in a row."""
        if self.ground:
            stages = [Stage(Body(prepare_graph, self)), *after_prepare(self.ground)]
            return Row([*stages, Stage(Body(count_graph, self))], "simulate_on_ground")
        return Body(step_graph, replace(self, units=_units(self.robot) if self.adaptive else ()))

    @cached_property
    def in_turns(self):
        """Body and plan of the same with the evaluations of `rk4` as a stage that is repeated: less
        code, for processors that have to fetch it again at every step."""
        memory = self.law is not None and bool(self.law.memory)
        if self.method != "rk4" or self.ground or memory or self.robot.has_bearings:
            return self.body, self.plan
        passed = _of_turns(self)
        following = {name: f"{name}_next" for name in passed}
        stages = [
            Stage(Body(begin_graph, self)),
            Stage(Body(turn_graph, self), EVALUATIONS, following),
            Stage(Body(end_graph, self)),
        ]
        made = passed | {following[name]: shape for name, shape in passed.items()}
        made |= {"at": (self.robot.nq,)} | self.outputs
        return Row(stages, "simulate_rk4"), replace(self.plan, outputs=made)

    def on(self, target):
        """Body and plan for a target."""
        return (self.body, self.plan) if target.name == "cpu" else self.in_turns

    def under(self, law):
        """The same Step under an equal law, which may have other constants."""
        if law is self.law:
            return self
        step = replace(self, law=law)
        step.__dict__.update(plan=self.plan, body=self.body, in_turns=self.in_turns)
        return step

    # -- over traced scalars ----------------------------------------------------------------------

    def torques(self, arrays):
        """Those of the motors, as a function of (t, q, qd)."""
        constant = arrays.get("tau", [0.0] * self.robot.nv)
        if self.law is None:
            return lambda t, q, qd: constant
        return lambda t, q, qd: self.law.torques(t, q, qd, arrays)

    def torques_of_step(self, t, q, qd, arrays):
        """The same for one step, and what the controller remembers after it.

        A controller with memory is asked once, at the beginning of the step.
        """
        if self.law is None or not self.law.memory:
            return self.torques(arrays), {}
        tau, remembered = self.law.remembering(t, q, qd, arrays)
        return lambda t, q, qd: tau, {f"{name}_next": x for name, x in remembered.items()}

    def limited(self, q, qd, tau, dt):
        """Torques of motors within their limits, and those of stops, None where there are none."""
        return self.stops.acting(q, qd, tau, dt) if self.stops else (tau, None)

    def acted(self, q, qd, tau, dt, arrays, hit=None):
        """The tally of limits after a step that begins in this state."""
        if "acted" not in arrays:
            return {}
        noted = self.stops.noted(q, tau, self.stops.clipped(tau, qd, dt), hit)
        return {"acted_next": [a + b for a, b in zip(arrays["acted"], noted, strict=True)]}


# For what is the same in call after call: a robot that nothing holds.
plain_step = lru_cache(maxsize=64)(Step)


@lru_cache(maxsize=64)
def _units(robot):
    return tuple(joint_scales(rows_of(robot)).tolist())


def accelerations_of(step, arrays, torques, dt, missing):
    """A function of (t, q, qd), which appends unbalanced torques to `missing`."""
    given = {name: arrays[name] for name in step.parameters}
    plant = None if step.touch else Plant(step.robot, step.parameters)
    later = dt if step.method in IMPLICIT else None

    def accelerations(t, q, qd):
        tau, beside = step.limited(q, qd, torques(t, q, qd), dt)
        if step.touch is not None:
            return step.touch.motion(q, qd, tau, arrays, beside).qdd
        qdd, torque = plant.accelerations(q, qd, tau, later, beside, **given)
        missing.append(torque)
        return qdd

    return accelerations


def acceleration_graph(step):
    """Accelerations under given torques, for controllers that want floats."""
    inputs = step.state_shapes | ({} if step.adaptive else {"dt": ()})

    def run(q, qd, tau, dt=None, **arrays):
        missing = [0.0]
        forces = accelerations_of(step, arrays, lambda t, q, qd: tau, dt, missing)
        return {"qdd": forces(0.0, q, qd), "missing": missing[-1]}

    return trace(run, inputs, "simulated_accelerations")


def step_graph(step):
    """The graph of one step, or of one attempt at one."""
    robot, method = step.robot, step.method

    def fixed(q, qd, count, dt, arrays):
        t, missing, (before, rates) = count * dt, [], (q, qd)
        torques, remembered = step.torques_of_step(t, q, qd, arrays)
        forces = accelerations_of(step, arrays, torques, dt, missing)
        q, qd = RULES[method](forces, robot, t, q, qd, dt)
        state = ended(step, (before, rates), (q, qd), (t, count, dt), torques, arrays)
        return state | remembered | balance_after(arrays, missing, t)

    def adaptive(q, qd, t, h, end, least, longest, tolerance, arrays):
        before, missing = t, []
        forces = accelerations_of(step, arrays, step.torques(arrays), None, missing)
        t, q, qd, h = attempt(forces, robot, t, q, qd, h, end, longest, tolerance, step.units)
        over = select(less_equal(end, t), 1.0, less_equal(h, least))
        balance = balance_after(arrays, missing, before, less(before, t))
        return {"q_next": q, "qd_next": qd, "t_next": t, "h_next": h, "done": over, **balance}

    def run(q, qd, **arrays):
        if step.adaptive:
            return adaptive(q, qd, *(arrays[name] for name in OF_ATTEMPTS), arrays)
        return fixed(q, qd, arrays["step"], arrays["dt"], arrays)

    return trace(run, step.inputs, f"simulate_{method}")


def ended(step, before, after, times, torques, arrays):
    """The state in the end, what limits did, and how many steps were finite."""
    (q, qd), (t, count, dt), hit = after, times, None
    if step.stops and step.stops.hard:
        given = {name: arrays[name] for name in step.parameters}
        inverse = api.mass_matrix_inverse(step.robot, q, **_mattering(given))
        q, qd, hit = step.stops.after(q, qd, before[1], dt, inverse)
    acted = {}
    if "acted" in arrays:
        acted = step.acted(*before, torques(t, *before), dt, arrays, hit)
    count = count + select(finite([*q, *qd]), 1.0, 0.0)
    return {"q_next": q, "qd_next": qd, "step_next": count} | acted


# -- one evaluation after another -----------------------------------------------------------------


def _of_turns(step):
    """name -> shape of what an evaluation leaves for the next."""
    moved = dict.fromkeys(("u", "rate", "velocities", "accelerations"), (step.robot.nv,))
    return {"turn": ()} | moved


def begin_graph(step):
    """Before the first evaluation, which is at the beginning of the step."""
    zeros = [0.0] * step.robot.nv

    def run(qd):
        return {
            "turn": 0.0,
            "u": zeros,
            "rate": list(qd),
            "velocities": zeros,
            "accelerations": zeros,
        }

    return trace(run, {"qd": (step.robot.nv,)}, "begin")


def turn_graph(step):
    """An evaluation. It returns where that is as well, so that all it is given is used."""
    count = {} if step.law is None else {"step": ()}

    def run(q, qd, dt, turn, u, rate, velocities, accelerations, **arrays):
        given = {"q": q, "qd": qd, "dt": dt, **arrays}
        torques, t = step.torques(given), arrays.get("step", 0.0) * dt
        forces = accelerations_of(step, given, torques, dt, [])
        at, weight, slopes, (u, rate) = rk4_turn(forces, step.robot, t, q, qd, dt, turn, u, rate)
        return {
            "turn_next": turn + 1.0,
            "u_next": u,
            "rate_next": rate,
            "velocities_next": along(velocities, weight, slopes[0]),
            "accelerations_next": along(accelerations, weight, slopes[1]),
            "at": at,
        }

    return trace(run, step.state_shapes | count | {"dt": ()} | _of_turns(step), "turn")


def end_graph(step):
    """After the last evaluation."""

    def run(q, qd, dt, velocities_next, accelerations_next, **arrays):
        given = {"q": q, "qd": qd, "dt": dt, **arrays}
        after = rk4_end(step.robot, q, qd, dt, velocities_next, accelerations_next)
        times = arrays["step"] * dt, arrays["step"], dt
        return ended(step, (q, qd), after, times, step.torques(given), given)

    moved = dict.fromkeys(("velocities_next", "accelerations_next"), (step.robot.nv,))
    state = {"q": (step.robot.nq,), "qd": (step.robot.nv,)}
    given = step.state_shapes | step.tallies if step.stops else state
    return trace(run, given | {"step": (), "dt": ()} | moved, "end")


# -- on the ground --------------------------------------------------------------------------------


def prepare_graph(step):
    """Torques, what limits and friction take of them, and what the contacts need to be solved."""
    friction = Drag(step.robot)

    def run(q, qd, **arrays):
        count, dt, impulses = (arrays[name] for name in ("step", "dt", "impulses"))
        given = {name: arrays[name] for name in (*step.parameters, *step.of_ground)}
        t = count * dt
        torques, remembered = step.torques_of_step(t, q, qd, arrays)
        asked = torques(t, q, qd)
        motor, beside = step.limited(q, qd, asked, dt)
        tau, drag = friction.acting(qd, motor)
        if beside is not None:
            tau = [a + b for a, b in zip(tau, beside, strict=True)]
        acted = step.acted(q, qd, asked, dt, arrays)
        found = step.ground.prepare(q, qd, tau, dt, impulses, drag=drag, **given)
        return found | remembered | acted

    inputs = {name: shape for name, shape in step.inputs.items() if name != "worst"}
    return trace(run, inputs, "prepare")


def count_graph(step):
    """After a step on the ground: whether the state is finite, and how far contacts are solved."""

    def run(q_next, qd_next, residual, count, worst):
        more = select(finite([*q_next, *qd_next]), 1.0, 0.0)
        return {"step_next": count + more, "worst_next": maximum(worst, residual)}

    robot = step.robot
    inputs = {"q_next": (robot.nq,), "qd_next": (robot.nv,), "residual": ()}
    inputs |= {"step": (), "worst": ()}
    return trace(lambda step, **given: run(count=step, **given), inputs, "count")


def _mattering(given):
    return {name: each for name, each in given.items() if name in MATTERS["mass_matrix"]}


def balance_after(arrays, missing, t, accepted=1.0):
    """The outputs that a robot with bearings also carries; none for other robots."""
    if "missing" not in arrays:
        return {}
    worst = 0.0
    for torque in missing:
        worst = maximum(torque, worst)
    more = select(accepted, less(arrays["missing"], worst), 0.0)
    largest, when = select(more, worst, arrays["missing"]), select(more, t, arrays["when"])
    return {"missing_next": largest, "when_next": when}
