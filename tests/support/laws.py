"""Controllers with memory run by hand: compiled under `iterate`, or called in Python."""

import numpy as np

import paraxis as px
from paraxis.body import Body
from paraxis.drivers.iterate import Plan
from paraxis.graph.trace import trace
from paraxis.simulation.called_controller import CalledController
from paraxis.simulation.laws import Law
from paraxis.simulation.memory import (
    has_memory,
    initial_memory,
    memory_shapes,
)
from paraxis.simulation.names import memory_input, setting_input
from paraxis.simulation.settings import default_settings, per_step_names
from paraxis.simulation.steps import RULES
from paraxis.targets.target import CPU


class AsIfWithMemory:
    """A stateless law, for the loop below."""

    def __init__(self, law):
        self.law, self.memory = law, {"nothing": 0.0}
        self.settings, self.per_step = getattr(law, "settings", {}), getattr(law, "per_step", ())
        self.setting_shapes = getattr(law, "setting_shapes", {})
        self.takes_dt = getattr(law, "takes_dt", False)

    def __call__(self, t, q, qd, memory, **given):
        return self.law(t, q, qd, **given), memory


def _inputs(robot, law):
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "step": (), "dt": ()}
    return shapes | law.memory_inputs | law.setting_inputs | law.constant_inputs


def step_graph(robot, law, method):
    def step(q, qd, step, dt, **arrays):
        tau, after = law.remembering(step * dt, q, qd, arrays | {"dt": dt})

        def accelerations(t, q, qd):
            return px.forward_dynamics(robot, q, qd, tau)

        q, qd = RULES[method](accelerations, robot, step * dt, q, qd, dt)
        made = {"q_next": q, "qd_next": qd, "step_next": step + 1.0}
        made |= {f"{name}_next": value for name, value in after.items()}
        return made | {"tau": tau}

    return trace(step, _inputs(robot, law), "by_hand")


def simulate(robot, controller, q0, qd0, dt, steps, method="semi_implicit_euler", **given):
    """Records q, qd, tau and the memory (flat) of all steps: q, qd and memory after each."""
    controller = controller if has_memory(controller) else AsIfWithMemory(controller)
    q0, qd0 = np.asarray(q0, float), np.asarray(qd0, float)
    batch, per_step = q0.shape[:-1], per_step_names(controller)
    settings = default_settings(controller, batch, given) | given
    shapes = {}
    for name, value in settings.items():
        skip = len(batch) + (name in per_step)
        shapes[name] = np.shape(value)[skip:]
    law = Law(robot, controller, shapes, memory=memory_shapes(controller, robot))
    inputs = _inputs(robot, law)
    carry = {"q": "q_next", "qd": "qd_next", "step": "step_next"}
    carry |= {memory_input(name): f"{memory_input(name)}_next" for name in law.memory}
    outputs = {after: inputs[name] for name, after in carry.items()} | {"tau": (robot.nv,)}
    each = tuple(setting_input(name) for name in per_step)
    kept = tuple(name for name in carry if name != "step")
    plan = Plan(inputs, outputs, carry, each, (*kept, "tau"))
    kernel = CPU.iterate(Body(step_graph, robot, law, method), plan)
    arrays = {"q": q0, "qd": qd0, "step": np.zeros(batch), "dt": dt}
    memory = initial_memory(controller, robot, batch)
    arrays |= {memory_input(name): value for name, value in memory.items()}
    arrays |= {setting_input(name): value for name, value in settings.items()} | law.constants
    _, records = kernel(steps, 1, **arrays)
    return {name.removeprefix("memory_"): array for name, array in records.items()}


def called(robot, controller, q0, qd0, dt, steps, **given):
    """The same in Python, step by step, with arrays of the batch."""
    controller = controller if has_memory(controller) else AsIfWithMemory(controller)
    q, qd = np.array(q0, float), np.array(qd0, float)
    batch = q.shape[:-1]
    settings = default_settings(controller, batch, given) | given
    memory = initial_memory(controller, robot, batch)
    torques = CalledController(controller, batch, robot.nv, settings, "a test", memory, dt)
    records = {"q": [], "qd": [], "tau": []} | {name: [] for name in memory}
    for step in range(steps):
        tau = torques.sample(step * dt, q, qd)
        qd = qd + dt * px.forward_dynamics(robot, q, qd, tau)
        q = q + dt * qd
        for name, value in (("q", q), ("qd", qd), ("tau", tau), *torques.memory.items()):
            records[name].append(value)
    return {name: np.array(values) for name, values in records.items()}
