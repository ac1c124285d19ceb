"""The step of a robot as a graph: what the `iterate` driver repeats.

Inputs q, qd, dt and the torques; besides, a fixed step carries `step`, which counts the steps while
the state is finite (so that it gives the time, and in the end tells where a run failed).
"""

from .. import api
from ..graph.trace import trace
from ..robot.model import PARAMETERS
from ..scalar import less_equal, maximum, select
from .adaptive import attempt
from .steps import RULES

LARGEST = 1e308  # what is beyond, or no number, is not finite
LEAST_STEP = 1e-13  # of an interval: shorter adaptive steps get nowhere
FIXED = {"q": "q_next", "qd": "qd_next", "step": "step_next"}
ADAPTIVE = {"q": "q_next", "qd": "qd_next", "t": "t_next", "h": "h_next"}


def input_shapes(robot, method, with_tau, parameters):
    """name -> shape of everything a step takes."""
    shapes = {"q": (robot.nq,), "qd": (robot.nv,)}
    shapes |= {"tau": (robot.nv,)} if with_tau else {}
    for name in parameters:
        shapes[name] = tuple(robot.n if size == "n" else size for size in PARAMETERS[name])
    own = ("t", "h", "end", "interval", "tolerance") if method == "adaptive" else ("step", "dt")
    return shapes | dict.fromkeys(own, ())


def carried(method):
    return ADAPTIVE if method == "adaptive" else FIXED


def output_shapes(robot, method):
    shapes = {"q_next": (robot.nq,), "qd_next": (robot.nv,)}
    own = ("t_next", "h_next", "done") if method == "adaptive" else ("step_next",)
    return shapes | dict.fromkeys(own, ())


def step_graph(robot, method, inputs, parameters, controller=None):
    """The graph of one step, or of one attempt at one."""

    def accelerations_of(arrays):
        given = {name: arrays[name] for name in parameters}
        constant = arrays.get("tau", [0.0] * robot.nv)

        def accelerations(t, q, qd):
            tau = constant if controller is None else controller(t, q, qd)
            return api.forward_dynamics(robot, q, qd, tau, **given)

        return accelerations

    def fixed(q, qd, step, dt, **arrays):
        q, qd = RULES[method](accelerations_of(arrays), step * dt, q, qd, dt)
        size = 0.0
        for value in (*q, *qd):
            size = maximum(abs(value), size)
        step = step + select(less_equal(size, LARGEST), 1.0, 0.0)
        return {"q_next": q, "qd_next": qd, "step_next": step}

    def adaptive(q, qd, t, h, end, interval, tolerance, **arrays):
        forces = accelerations_of(arrays)
        t, q, qd, h = attempt(forces, t, q, qd, h, end, tolerance)
        over = select(less_equal(end, t), 1.0, less_equal(h, interval * LEAST_STEP))
        return {"q_next": q, "qd_next": qd, "t_next": t, "h_next": h, "done": over}

    return trace(adaptive if method == "adaptive" else fixed, inputs, f"simulate_{method}")
