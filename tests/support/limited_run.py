"""Steps of a robot within its limits, compiled, for tests of what limits do."""

import numpy as np

from paraxis import api
from paraxis.body import Body
from paraxis.drivers.iterate import Plan
from paraxis.graph.trace import trace
from paraxis.simulation.plant import Plant
from paraxis.simulation.steps import RULES
from paraxis.simulation.stops import stops_of
from paraxis.targets.target import CPU


def step_graph(robot, stops, method):
    """Inputs q, qd, tau, dt and counts of what acted."""
    plant, counts = Plant(robot), len(stops.acts) if stops else 1

    def step(q, qd, tau, dt, acted):
        def accelerations(t, q, qd):
            if stops is None:
                return plant.accelerations(q, qd, tau)[0]
            motor, beside = stops.acting(q, qd, tau, dt)
            return plant.accelerations(q, qd, motor, beside=beside)[0]

        new_q, new_qd = RULES[method](accelerations, robot, 0.0, q, qd, dt)
        hit = None
        if stops is not None and stops.hard:
            inverse = api.mass_matrix_inverse(robot, new_q)
            new_q, new_qd, hit = stops.after(new_q, new_qd, qd, dt, inverse)
        noted = stops.noted(q, tau, stops.clipped(tau, qd, dt), hit) if stops else [0.0]
        acted = [a + b for a, b in zip(acted, noted, strict=True)]
        return {"q_next": new_q, "qd_next": new_qd, "acted_next": acted}

    inputs = {"q": (robot.nq,), "qd": (robot.nv,), "tau": (robot.nv,), "dt": ()}
    return trace(step, inputs | {"acted": (counts,)}, "limited_step")


def limited_run(robot, q0, qd0, tau=None, *, dt, steps, method="rk4", limits=True):
    """Positions and rates (steps + 1, ..., n), and in how many steps what acted."""
    stops = stops_of(robot, limits)
    inputs = {"q": (robot.nq,), "qd": (robot.nv,), "tau": (robot.nv,), "dt": ()}
    counts = (len(stops.acts) if stops else 1,)
    plan = Plan(
        inputs | {"acted": counts},
        {"q_next": (robot.nq,), "qd_next": (robot.nv,), "acted_next": counts},
        {"q": "q_next", "qd": "qd_next", "acted": "acted_next"},
        record=("q", "qd"),
    )
    body = Body(step_graph, robot, stops, method)
    q, qd = np.array(q0, float), np.array(qd0, float)
    batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    q = np.broadcast_to(q, (*batch, robot.nq)).copy()
    qd = np.broadcast_to(qd, (*batch, robot.nv)).copy()
    tau = np.zeros((*batch, robot.nv)) if tau is None else np.broadcast_to(tau, qd.shape).copy()
    records = {name: np.empty((steps, *x.shape)) for name, x in (("q", q), ("qd", qd))}
    kernel = CPU.iterate(body, plan, states=int(np.prod(batch)))
    acted = np.zeros((*batch, *counts))
    iteration = kernel.start(steps, 1, records, q=q, qd=qd, tau=tau, dt=dt, acted=acted)
    while not iteration.over:
        iteration.advance(steps)
    states = [np.concatenate([x[None], records[name]]) for name, x in (("q", q), ("qd", qd))]
    return *states, iteration.state["acted"]
