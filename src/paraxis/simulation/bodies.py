"""The step of a robot as a graph: what the `iterate` driver repeats.

Inputs q, qd, dt and the torques; besides, a fixed step carries `step`, which counts the steps while
the state is finite (so that it gives the time and, in the end, where a run failed). A robot
with bearings also carries the largest torque that was `missing` in a step, and `when` that was.
"""

from functools import lru_cache

from ..body import Body
from ..drivers.iterate import Plan
from ..graph.outline import Outline
from ..graph.trace import trace
from ..robot_functions import parameter_shapes
from ..robots.rows import rows_of
from ..robots.scales import joint_scales
from ..scalar import less, less_equal, maximum, select
from .adaptive import attempt
from .plant import Plant, finite
from .steps import IMPLICIT, RULES

FIXED = {"q": "q_next", "qd": "qd_next", "step": "step_next"}
ADAPTIVE = {"q": "q_next", "qd": "qd_next", "t": "t_next", "h": "h_next"}
BEARINGS = {"missing": "missing_next", "when": "when_next"}


def state_shapes(robot, with_tau, parameters, settings=None, touch=None):
    """name -> shape of all that accelerations depend on; settings are those of a controller."""
    shapes = {"q": (robot.nq,), "qd": (robot.nv,)}
    shapes |= {"tau": (robot.nv,)} if with_tau else {}
    shapes |= parameter_shapes(robot, parameters)
    shapes |= {setting_input(name): shape for name, shape in (settings or {}).items()}
    return shapes | (touch.shapes if touch else {})


def input_shapes(robot, method, *of_state):
    """name -> shape of everything a step takes."""
    shapes = state_shapes(robot, *of_state)
    of_attempts = ("t", "h", "end", "least", "longest", "tolerance")
    own = of_attempts if method == "adaptive" else ("step", "dt")
    own += tuple(BEARINGS) if robot.has_bearings else ()
    return shapes | dict.fromkeys(own, ())


def setting_input(name):
    """The input that holds a setting: apart from others, whatever its name."""
    return f"setting_{name}"


def carried(robot, method):
    own = ADAPTIVE if method == "adaptive" else FIXED
    return own | BEARINGS if robot.has_bearings else own


def output_shapes(robot, method):
    shapes = {"q_next": (robot.nq,), "qd_next": (robot.nv,)}
    own = ("t_next", "h_next", "done") if method == "adaptive" else ("step_next",)
    own += tuple(BEARINGS.values()) if robot.has_bearings else ()
    return shapes | dict.fromkeys(own, ())


def law_of(robot, controller, settings):
    """The Outline of a controller's torques, or None of none."""
    if controller is None:
        return None
    shapes = {"t": (), "q": (robot.nq,), "qd": (robot.nv,)}
    shapes |= {setting_input(name): shape for name, shape in settings.items()}

    def torques(t, q, qd, **arrays):
        return controller(t, q, qd, {name: arrays[setting_input(name)] for name in settings})

    return Outline(torques, shapes)


def torques_of(robot, law, settings, arrays):
    """Those of the motors, as a function of (t, q, qd)."""
    constant = arrays.get("tau", [0.0] * robot.nv)
    if law is None:
        return lambda t, q, qd: constant
    set_to = {name: arrays[name] for name in map(setting_input, settings)}
    return lambda t, q, qd: law(t=t, q=q, qd=qd, **set_to)


def repeated(robot, method, changing, with_tau, parameters, settings=(), law=None, touch=None):
    """The Body of a step, and the Plan that repeats it; settings are (name, shape) pairs."""
    given = robot, method, with_tau, parameters, settings
    # limits and frames decide them, of which a robot's digest knows nothing
    units = tuple(joint_scales(rows_of(robot)).tolist()) if method == "adaptive" else ()
    body = Body(step_graph, *given, units, law, touch)
    return body, _plan(*given, changing, touch) if touch else _plan_alone(*given, changing)


def _plan(robot, method, with_tau, parameters, settings, changing, touch=None):
    adaptive = method == "adaptive"
    return Plan(
        input_shapes(robot, method, with_tau, parameters, dict(settings), touch),
        output_shapes(robot, method),
        carried(robot, method),
        per_step=("tau",) if changing and not adaptive else (),
        record=() if adaptive else ("q", "qd"),
        until="done" if adaptive else None,
    )


# For what is the same in call after call: a robot that nothing holds, and one that nothing moves.
_plan_alone = lru_cache(maxsize=64)(_plan)
repeated_alone = lru_cache(maxsize=64)(repeated)


def step_graph(robot, method, with_tau, parameters, settings, units, law=None, touch=None):
    """The graph of one step, or of one attempt at one."""
    settings = dict(settings)
    inputs = input_shapes(robot, method, with_tau, parameters, settings, touch)
    plant = None if touch else Plant(robot, parameters)

    def accelerations_of(arrays, dt, missing):
        """A function of (t, q, qd), which appends unbalanced torques to `missing`."""
        given = {name: arrays[name] for name in parameters}
        torques = torques_of(robot, law, settings, arrays)
        dt = dt if method in IMPLICIT else None

        def accelerations(t, q, qd):
            tau = torques(t, q, qd)
            if touch is not None:
                return touch.motion(q, qd, tau, arrays).qdd
            qdd, torque = plant.accelerations(q, qd, tau, dt, **given)
            missing.append(torque)
            return qdd

        return accelerations

    def fixed(q, qd, step, dt, **arrays):
        t, missing = step * dt, []
        q, qd = RULES[method](accelerations_of(arrays, dt, missing), robot, t, q, qd, dt)
        step = step + select(finite([*q, *qd]), 1.0, 0.0)
        balance = balance_after(arrays, missing, t)
        return {"q_next": q, "qd_next": qd, "step_next": step, **balance}

    def adaptive(q, qd, t, h, end, least, longest, tolerance, **arrays):
        before, missing = t, []
        forces = accelerations_of(arrays, None, missing)
        t, q, qd, h = attempt(forces, robot, t, q, qd, h, end, longest, tolerance, units)
        over = select(less_equal(end, t), 1.0, less_equal(h, least))
        balance = balance_after(arrays, missing, before, less(before, t))
        return {"q_next": q, "qd_next": qd, "t_next": t, "h_next": h, "done": over, **balance}

    return trace(adaptive if method == "adaptive" else fixed, inputs, f"simulate_{method}")


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
