"""One step of a robot under sampled control, as a graph: what the `iterate` driver repeats.

A control period is cut into steps of the plant. Flags, the same for all runs, tell what each does:
`tick` samples and computes torques, `apply` puts them on the motors (at once, unless computation
takes time), `early` and `late` are shares of the delay and of what is left of the period, that make
up the step's length. Between, the motors hold their torques and the plant is integrated by RK4.
"""

from dataclasses import dataclass

from .. import api
from ..graph.trace import trace
from ..robot.model import PARAMETERS
from ..robot.robot import Robot
from ..scalar import less, less_equal, maximum, select
from ..simulation.bodies import LARGEST, setting_input
from ..simulation.losses import Losses
from ..simulation.steps import rk4
from .controller import Controller, Motion
from .reference import Reference

NOT_YET = -1.0  # as the time of divergence
FLAGS = ("tick", "apply", "early", "late")


@dataclass(frozen=True, eq=False)
class LoopBody:
    """Everything that decides the graph. Numbers of single runs are inputs."""

    robot: Robot
    controller: Controller
    reference: Reference
    parameters: tuple  # of the robot, that are inputs
    setting_shapes: dict  # of the reference
    delayed: bool = False
    jittered: bool = False
    misses: bool = False
    encoded: bool = False
    switched: bool = False

    @property
    def carry(self):
        names = ["q", "qd", "t", "worst", "diverged", "held"]
        names += ["pending"] if self.delayed else []
        names += ["past"] if self.controller.entries else []
        return {name: f"{name}_next" for name in names}

    @property
    def per_step(self):
        """Inputs that are read at every step, besides flags each with a value a run."""
        names = ["flags"]
        names += [] if self.reference.traced else ["desired"]
        names += ["ahead"] if self.looks_ahead and not self.reference.traced else []
        names += ["stretch"] if self.jittered else []
        names += ["missed"] if self.misses else []
        names += ["age"] if self.uncertain else []
        return tuple(names)

    @property
    def looks_ahead(self):
        return self.controller.policy.ahead

    @property
    def uncertain(self):
        recursion = self.controller.recursion
        return recursion is not None and recursion.uncertain

    @property
    def held_inputs(self):
        """Numbers of each run that do not change."""
        names = ["kp", "kd", "period", "duration", "bound"]
        names += ["delay"] if self.delayed else []
        names += ["encoder"] if self.encoded else []
        names += ["switch"] if self.switched else []
        return names

    @property
    def inputs(self):
        """name -> shape, of one run."""
        n, motion = self.robot.nv, (3, self.robot.nv)
        shapes = {"q": (self.robot.nq,), "qd": (n,), "held": (n,), "pending": (n,), "kp": (n,)}
        shapes |= {"kd": (n,), "encoder": (n,), "flags": (len(FLAGS),), "age": (n,)}
        shapes |= {"desired": motion, "ahead": motion, "past": (len(self.controller.entries),)}
        wanted = [*self.carry, *self.held_inputs, *self.per_step]
        inputs = {name: shapes.get(name, ()) for name in wanted}
        for name in self.parameters:
            inputs[name] = tuple(self.robot.n if k == "n" else k for k in PARAMETERS[name])
        for name, shape in self.setting_shapes.items():
            inputs[setting_input(name)] = shape
        return inputs

    @property
    def outputs(self):
        """name -> shape, of one run."""
        n = self.robot.nv
        shapes = {output: self.inputs[name] for name, output in self.carry.items()}
        return shapes | {"at": (), "state": (2, n), "reference": (3, n), "torque": (n,)}

    def graph(self):
        return trace(lambda **arrays: _Step(self, arrays).results(), self.inputs, "closed_loop")

    def start_graph(self):
        """What is carried at the beginning, of q, qd and the desired motion, where it is not traced."""
        n = self.robot.nv
        shapes = {"q": (n,), "qd": (n,), "kp": (n,), "kd": (n,)}
        if not self.reference.traced:
            shapes["desired"] = (3, n)
        shapes |= {setting_input(name): shape for name, shape in self.setting_shapes.items()}

        def start(q, qd, kp, kd, **arrays):
            desired = self.desired(q[0] * 0.0, arrays)
            torques, past = self.controller.first(q[0].builder, (q, qd), desired, (kp, kd))
            return {"held": torques} | ({"past": past} if past else {})

        return trace(start, shapes, "closed_loop_start")

    def desired(self, t, arrays, name="desired"):
        """The Motion that is wanted at a time."""
        if not self.reference.traced:
            return Motion(*arrays[name])
        settings = {key: arrays[setting_input(key)] for key in self.setting_shapes}
        return self.reference.at(t, settings)


class _Step:
    """One step under trace."""

    def __init__(self, body, arrays):
        self.body, self.arrays = body, arrays
        self.flags = dict(zip(FLAGS, arrays["flags"], strict=True))
        self.going = less(arrays["t"], arrays["duration"])

    def results(self):
        body, arrays = self.body, self.arrays
        q, qd, t = arrays["q"], arrays["qd"], arrays["t"]
        desired = body.desired(t, arrays)
        held, changed = self.torques(q, qd, t, desired)
        h = self.length()
        q_next, qd_next = rk4(self.accelerations(held), t, q, qd, h)
        worst, diverged = self.error(q, qd, t, desired)
        results = {"q": q_next, "qd": qd_next, "t": t + h, "worst": worst, "diverged": diverged}
        results |= {"held": held, **changed}
        results = {body.carry[name]: value for name, value in results.items()}
        return results | {"at": t, "state": [q, qd], "reference": list(desired), "torque": held}

    def length(self):
        """Of this step; beyond the end it is 0, which leaves everything as it is."""
        arrays, left = self.arrays, self.arrays["period"]
        h = self.flags["late"] * left
        if self.body.delayed:
            left = left - arrays["delay"]
            h = self.flags["early"] * arrays["delay"] + self.flags["late"] * left
        if self.body.jittered:
            h = h * arrays["stretch"]
        return select(self.going, h, 0.0)

    def torques(self, q, qd, t, desired):
        """What the motors hold in this step, and what else changes."""
        body, arrays = self.body, self.arrays
        tick = select(self.going, self.flags["tick"], 0.0)
        if body.misses:
            tick = select(arrays["missed"], 0.0, tick)
        seen = [self.encoded(value, k) for k, value in enumerate(q)]
        made, past = self.controlled((seen, qd), t, desired)
        new = [select(tick, a, b) for a, b in zip(made, self.decided, strict=True)]
        changed = {}
        if past:
            kept = zip(past, arrays["past"], strict=True)
            changed["past"] = [select(tick, a, b) for a, b in kept]
        if not body.delayed:
            return new, changed
        held = zip(new, arrays["held"], strict=True)
        return [select(self.flags["apply"], a, b) for a, b in held], changed | {"pending": new}

    @property
    def decided(self):
        """The last torques that were computed."""
        return self.arrays["pending" if self.body.delayed else "held"]

    def encoded(self, value, k):
        if not self.body.encoded:
            return value
        line = self.arrays["encoder"][k]
        return rint(value / line) * line

    def controlled(self, state, t, desired):
        """The controller's torques and entries; exact ones until it switches."""
        body, arrays = self.body, self.arrays
        gains, builder = (arrays["kp"], arrays["kd"]), arrays["t"].builder
        ahead = None
        if body.looks_ahead:
            ahead = body.desired(t + arrays["period"], arrays, "ahead")
        past, ages = arrays.get("past", []), arrays.get("age")
        torques, entries = body.controller.step(builder, state, desired, ahead, gains, past, ages)
        if not body.switched:
            return torques, entries
        exact, fresh = body.controller.first(builder, state, desired, gains)
        early = less(t, arrays["switch"])
        pairs = zip(exact + fresh, torques + entries, strict=True)
        both = [select(early, a, b) for a, b in pairs]
        return both[: len(torques)], both[len(torques) :]

    def accelerations(self, motor):
        """Of the plant, as a function of (t, q, qd)."""
        robot = self.body.robot
        given = {name: self.arrays[name] for name in self.body.parameters}
        if robot.has_losses:
            losses = Losses(robot, self.body.parameters)
            return lambda t, q, qd: losses.accelerations(q, qd, motor, **given)[0]
        tau = [torque * ratio for torque, ratio in zip(motor, robot.ratios, strict=True)]
        return lambda t, q, qd: api.forward_dynamics(robot, q, qd, tau, **given)

    def error(self, q, qd, t, desired):
        """The worst error so far, and when it passed the bound or the state was lost."""
        arrays, error, size = self.arrays, 0.0, 0.0
        for wanted, value in zip(desired.q, q, strict=True):
            error = maximum(abs(wanted - value), error)
        for rate in qd:
            size = maximum(abs(rate), size)
        good = select(less_equal(error, arrays["bound"]), less_equal(size, LARGEST), 0.0)
        first = select(good, 0.0, less(arrays["diverged"], 0.0))
        return maximum(error, arrays["worst"]), select(first, t, arrays["diverged"])
