"""What a live page computes: a step of the robot, where its bodies are, how a tool is reached."""

from dataclasses import replace

import numpy as np

from .. import api, math
from ..dynamics.loads import payload
from ..robots.frame import Frame
from ..robots.model import PARAMETERS
from ..robots.pose import Pose
from ..robots.rows import rows_of
from ..scene.skeleton import size_of
from ..simulation.plant import Plant
from ..simulation.steps import IMPLICIT, RULES
from ..simulation.stops import stops_of

TOOL = "live page: tool"
DAMPING = 0.05  # of the tool's search, as a share of the robot's size
STEP = 0.2  # of that size: the most that one step of the search moves the tool


def step_program(robot, tool, limits=True, method="rk4"):
    """A step under motor torques `tau`, as of `px.simulate` by that method.

    `load` is a point mass at the tool, kg; `damping` a torque per rate of each joint, `(nv,)`;
    `push` the moment and force on each body from outside, along the body's axes, `(n, 6)`.
    """
    loaded, stops = with_tool(robot, tool), stops_of(robot, limits)
    parameters = ("gravity", "external_force", "mass", "com", "inertia")
    plant = Plant(robot, parameters)

    def step(q, qd, tau, gravity, load, damping, push, dt):
        given = payload(loaded, load, frame=TOOL) | {"gravity": gravity, "external_force": push}

        def accelerations(t, q, qd):
            asked, beside = stops.acting(q, qd, tau, dt) if stops else (tau, None)
            dragged = [-d * rate for d, rate in zip(damping, qd, strict=True)]
            if beside is not None:
                dragged = [a + b for a, b in zip(dragged, beside, strict=True)]
            later = dt if method in IMPLICIT else None
            return plant.accelerations(q, qd, asked, later, dragged, **given)[0]

        q, qd = RULES[method](accelerations, robot, 0.0, q, qd, dt)
        return {"q_next": q, "qd_next": qd}

    push = tuple(robot.n if size == "n" else size for size in PARAMETERS["external_force"])
    shapes = {"q": robot.nq, "qd": robot.nv, "tau": robot.nv, "gravity": 3, "load": ()}
    shapes |= {"damping": robot.nv, "push": push, "dt": ()}
    return api.trace(step, **shapes)


def method_for(robot, matrix, dt):
    """RK4, unless friction brakes a joint so fast that it would not be stable in steps of dt.

    `matrix` is the mass matrix; friction at rest is what is stiffest.
    """
    slopes = [_slope(joint.friction) for joint in rows_of(robot).own_rows]
    fastest = max(np.diagonal(np.linalg.pinv(matrix)) * slopes, default=0.0)
    return "rk4" if fastest * dt < 1.0 else "semi_implicit_euler"


def _slope(friction):
    """How much torque friction takes per rate, at rest."""
    dry = max(friction.coulomb, friction.static or 0.0)
    return friction.viscous + (dry / friction.smoothing if dry else 0.0)


CARRY = {"q": "q_next", "qd": "qd_next"}


def poses_program(robot):
    """Of q: the matrices of all bodies in the world, (n, 4, 4)."""
    frames = tuple(Frame(f"body {i}", i) for i in range(robot.n))
    return api.program(replace(robot, frames=frames, shapes=(), warn=False), "frame_poses")


def reach_program(robot, tool, driven=None):
    """A step of damped least squares of the tool towards a point in the world.

    `driven` are the rows of qd that may move: by default all.
    """
    posed = with_tool(robot, tool)
    length = size_of(robot)
    driven = set(range(robot.nv) if driven is None else driven)

    def reach(q, target):
        there = api.forward_kinematics(posed, q, frame=TOOL)
        rows = [
            [entry if column in driven else 0.0 for column, entry in enumerate(row)]
            for row in list(api.jacobian(posed, q, frame=TOOL))[3:]
        ]
        error = [target[k] - there[k][3] for k in range(3)]
        far = math.sqrt(sum(e * e for e in error)) * (1 / (STEP * length))
        error = [e / math.maximum(far, 1.0) for e in error]
        square = [
            [sum(a * b for a, b in zip(one, other, strict=True)) for other in rows] for one in rows
        ]
        for k in range(3):
            square[k][k] = square[k][k] + (DAMPING * length) ** 2
        weights = math.solve(square, error)
        dq = [sum(weights[k] * rows[k][column] for k in range(3)) for column in range(robot.nv)]
        return {"q_next": api.integrate(robot, q, dq)}

    return api.trace(reach, q=robot.nq, target=3)


def with_tool(robot, tool):
    """The robot with the tool's frame, which nothing else needs."""
    body, at = tool
    frame = Frame(TOOL, body, Pose(translation=tuple(at)))
    return replace(robot, frames=(*robot.frames, frame), warn=False)
