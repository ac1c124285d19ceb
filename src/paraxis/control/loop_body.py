"""One step of a robot under sampled control, as a graph that the `iterate` driver repeats.

A control period is cut into steps of the plant. The inputs of a step are the time `t` at its
beginning, its length `h`, `tick` (whether it begins with a sample, from which torques are computed)
and `apply` (whether these reach the motors: at once, unless there is a computation delay). The
motors then hold their torques while the plant is integrated by RK4. A step of zero length leaves
the plant unchanged.
"""

from dataclasses import dataclass

from ..graph.trace import trace
from ..physics.configuration import difference
from ..robot_functions import input_shapes
from ..robots.robot import Robot
from ..scalar import less, less_equal, maximum, rint, select
from ..simulation.bodies import BEARINGS, balance_after
from ..simulation.names import setting_input
from ..simulation.plant import Plant, finite
from ..simulation.steps import rk4
from .controller import Controller, Motion
from .law_in_loop import LawInLoop
from .reference import Reference

NOT_YET = -1.0  # as a time of divergence
RECORDED = {"q": "sampled_q", "qd": "sampled_qd", "tau": "torque"}  # record -> its output


@dataclass(frozen=True, eq=False)
class LoopBody:
    """Everything that determines the graph. Numbers of single runs are inputs."""

    robot: Robot
    controller: Controller | LawInLoop
    reference: Reference
    parameters: tuple = ()  # of the robot that are inputs
    settings: tuple = ()  # of the reference, as (name, shape)
    delayed: bool = False
    encoded: bool = False
    switched: bool = False
    late: int = 0  # samples by which torques are delayed

    @property
    def law(self):
        """Whether the controller is an arbitrary law rather than one with a policy."""
        return isinstance(self.controller, LawInLoop)

    @property
    def identity(self):
        """Everything that determines its graphs, known before they are made."""
        reference = self.reference.identity_with(dict(self.settings))
        return self.robot, self.controller, reference, self.inputs

    @property
    def looks_ahead(self):
        return self.controller.policy.ahead

    # -- arrays: name -> shape, of one run --------------------------------------------------------

    @property
    def carried(self):
        n, entries = self.robot.nv, len(self.controller.entries)
        shapes = {"q": (self.robot.nq,), "qd": (n,), "held": (n,), "worst": (), "diverged": ()}
        shapes |= {"pending": (n,)} if self.delayed else {}
        shapes |= {"past": (entries,)} if entries else {}
        shapes |= {"line": (self.late, n)} if self.late else {}
        return shapes | (dict.fromkeys(BEARINGS, ()) if self.robot.has_bearings else {})

    @property
    def changing(self):
        """Inputs that change at each step."""
        motion = (sum(self.reference.sizes),)
        shapes = {"t": (), "h": (), "tick": ()}
        shapes |= {"apply": ()} if self.delayed else {}
        shapes |= {"age": (self.robot.n,)} if self.controller.uncertain else {}
        if not self.reference.traced:
            shapes |= {"desired": motion} | ({"ahead": motion} if self.looks_ahead else {})
        return shapes

    @property
    def held(self):
        """Inputs of each run that are constant."""
        n = self.robot.nv
        shapes = {"bound": ()} if self.law else {"kp": (n,), "kd": (n,), "bound": ()}
        ahead = self.looks_ahead and self.reference.traced
        shapes |= {"period": ()} if ahead or self.law else {}
        shapes |= self.law_inputs
        shapes |= {"encoder": (self.robot.nq,)} if self.encoded else {}
        shapes |= {"switch_at": ()} if self.switched else {}
        known = input_shapes(self.robot, "forward_dynamics", self.parameters)
        shapes |= {name: known[name] for name in self.parameters}
        return shapes | {setting_input(name): shape for name, shape in self.settings}

    @property
    def law_inputs(self):
        shapes = self.controller.settings if self.law else {}
        return {law_input(name): shape for name, shape in shapes.items()}

    @property
    def inputs(self):
        return self.carried | self.changing | self.held

    @property
    def carry(self):
        return {name: f"{name}_next" for name in self.carried}

    @property
    def outputs(self):
        shapes = {f"{name}_next": shape for name, shape in self.carried.items()}
        recorded = {"q": self.robot.nq, "qd": self.robot.nv, "tau": self.robot.nv}
        return shapes | {RECORDED[name]: (size,) for name, size in recorded.items()}

    # -- graphs -----------------------------------------------------------------------------------

    def graph(self):
        return trace(lambda **arrays: _Step(self, arrays).results(), self.inputs, "closed_loop")

    def start_graph(self):
        """The initial torques and entries, those of exact control."""
        n, motion = self.robot.nv, sum(self.reference.sizes)
        shapes = {"q": (self.robot.nq,), "qd": (n,), "desired": (motion,)}
        if self.law:
            return self._start_graph_of_law(shapes)
        shapes |= {"kp": (n,), "kd": (n,)}

        def start(q, qd, desired, kp, kd):
            wanted = Motion.of(self.robot, desired)
            held, past = self.controller.first(q[0].builder, (q, qd), wanted, (kp, kd))
            return {"held": held} | ({"past": past} if past else {})

        return trace(start, shapes, "closed_loop_start")

    def _start_graph_of_law(self, shapes):
        """The torques of the first sample, which are held until the next ones are applied."""
        entries = len(self.controller.entries)
        shapes = shapes | {"period": ()} | ({"past": (entries,)} if entries else {})

        def start(q, qd, desired, period, past=(), **settings):
            wanted = Motion.of(self.robot, desired)
            given = {name: settings[law_input(name)] for name in self.controller.settings}
            held, _ = self.controller.sampled(0.0, period, (q, qd), wanted, past, given)
            return {"held": held}

        return trace(start, shapes | self.law_inputs, "closed_loop_start")


def law_input(name):
    """The input that holds a setting of the law, distinct from those of the trajectory."""
    return f"law_{name}"


class _Step:
    """One step being traced."""

    def __init__(self, body, arrays):
        self.body, self.arrays = body, arrays
        self.builder = arrays["t"].builder
        self.desired = self.motion(arrays["t"], "desired")

    def motion(self, t, name):
        """The desired Motion at a time."""
        if not self.body.reference.traced:
            return Motion.of(self.body.robot, self.arrays[name])
        settings = {key: self.arrays[setting_input(key)] for key, _ in self.body.settings}
        return self.body.reference.at(t, settings)

    def results(self):
        arrays = self.arrays
        q, qd = arrays["q"], arrays["qd"]
        held, following = self.torques(q, qd)
        missing = []
        following["held"] = held
        following["q"], following["qd"] = rk4(
            self.accelerations(held, missing), self.body.robot, arrays["t"], q, qd, arrays["h"]
        )
        following["worst"], following["diverged"] = self.error(q, qd)
        results = {f"{name}_next": value for name, value in following.items()}
        results |= balance_after(arrays, missing, arrays["t"])
        results |= {RECORDED["q"]: q, RECORDED["qd"]: qd, RECORDED["tau"]: held}
        return {name: results[name] for name in self.body.outputs}

    def torques(self, q, qd):
        """The torques that the motors hold in this step, and the other values carried on."""
        arrays, decided = self.arrays, "pending" if self.body.delayed else "held"
        made, entries = self.controlled((self.measured(q), qd))
        new, following = self.if_tick(made, arrays[decided]), {}
        if entries:
            following["past"] = self.if_tick(entries, arrays["past"])
        if self.body.late:
            line = [*arrays["line"], made]
            new = self.if_tick(line[0], arrays[decided])
            pairs = zip(line[1:], arrays["line"], strict=True)
            following["line"] = [self.if_tick(*pair) for pair in pairs]
        if not self.body.delayed:
            return new, following
        pairs = zip(new, arrays["held"], strict=True)
        held = [select(arrays["apply"], a, b) for a, b in pairs]
        return held, following | {"pending": new}

    def if_tick(self, new, old):
        return [select(self.arrays["tick"], a, b) for a, b in zip(new, old, strict=True)]

    def measured(self, q):
        """Positions rounded to the resolution of their encoders."""
        if not self.body.encoded:
            return q
        return [rint(x / line) * line for x, line in zip(q, self.arrays["encoder"], strict=True)]

    def controlled(self, state):
        """The controller's torques and entries, which are exact until it switches."""
        body, arrays = self.body, self.arrays
        if body.law:
            given = {name: arrays[law_input(name)] for name in body.controller.settings}
            times = arrays["t"], arrays["period"]
            past = arrays.get("past", [])
            return body.controller.sampled(*times, state, self.desired, past, given)
        controller, gains = body.controller, (arrays["kp"], arrays["kd"])
        ahead = None
        if body.looks_ahead:
            later = arrays["t"] + arrays["period"] if body.reference.traced else None
            ahead = self.motion(later, "ahead")
        past = arrays.get("past", []), arrays.get("age")
        made = controller.step(self.builder, state, self.desired, ahead, gains, *past)
        if not body.switched:
            return made
        exact, fresh = controller.first(self.builder, state, self.desired, gains)
        torques, entries = made
        early = less(arrays["t"], arrays["switch_at"])
        torques = [select(early, a, b) for a, b in zip(exact, torques, strict=True)]
        entries = [
            select(early, now, entry) if of.age == 1 else entry  # older ones are carried anyway
            for of, now, entry in zip(controller.entries, fresh, entries, strict=True)
        ]
        return torques, entries

    def accelerations(self, motor, missing):
        """Accelerations of the plant: a function of (t, q, qd) that also returns the residual."""
        plant = Plant(self.body.robot, self.body.parameters)
        given = {name: self.arrays[name] for name in self.body.parameters}

        def accelerations(t, q, qd):
            qdd, torque = plant.accelerations(q, qd, motor, **given)
            missing.append(torque)
            return qdd

        return accelerations

    def error(self, q, qd):
        """The worst error so far, and when it exceeded the bound or the state became non-finite."""
        arrays, error = self.arrays, 0.0
        for off in difference(self.body.robot, q, self.desired.q):
            error = maximum(abs(off), error)
        good = select(less_equal(error, arrays["bound"]), finite([error, *qd]), 0.0)
        first = select(good, 0.0, less(arrays["diverged"], 0.0))
        when = select(first, arrays["t"], arrays["diverged"])
        return maximum(error, arrays["worst"]), when
