"""How far the contacts of a simulated robot stray from where they should stay."""

from functools import partial

import numpy as np

from .. import api
from ..body import Body
from ..dynamics.contacts.directions import duals
from ..dynamics.contacts.dynamics import contact_frames
from ..errors import ArgumentError
from ..graph.trace import trace
from ..physics.linear.dense import dot
from ..robot_functions import MATTERS, input_shapes
from ..robots.scales import length_scale
from .run import Drift, robot_name

# A velocity against a contact, as a share of what joints could add up to in any direction, and of
# how fast the robot is after a fall along its own length: less may be the drift of an earlier run.
NOTHING, OF_A_FALL = 1e-3, 3e-4


def of_places(parameters):
    """Those parameters with which frames are elsewhere."""
    return {name: parameters[name] for name in parameters if name in MATTERS["jacobian"]}


def drift(robot, contacts, anchors, q, qd, parameters, target):
    """The Drift from anchors, a pose (..., 4, 4) for each contact."""
    places = of_places(parameters)
    shapes = input_shapes(robot, "forward_dynamics", tuple(places))
    del shapes["tau"]
    shapes |= {f"anchor{k}": (4, 4) for k in range(len(contacts))}
    frames = contact_frames(robot, contacts)
    run = partial(_strayed, robot, contacts, frames, tuple(places))
    kernel = target.map(Body(trace, run, shapes, "drift"))
    return Drift(*kernel(q, qd, *places.values(), *anchors))


def _strayed(robot, contacts, frames, places, q, qd, **given):
    position, velocity = [], []
    where = {name: given[name] for name in places}
    for k, (contact, frame) in enumerate(zip(contacts, frames, strict=True)):
        pose = api.forward_kinematics(robot, q, contact.frame, **where)
        J = api.jacobian(robot, q, contact.frame, contact.coordinates, **where)
        form = contact.form(frame, {"anchor": given[f"anchor{k}"]})
        astray, moving = form.astray(pose), [dot(row, qd) for row in J]
        position += [dot(row, astray) for row in form.constraint]
        velocity += [dot(row, moving) for row in form.constraint]
    return {"position": position, "velocity": velocity}


def require_staying(robot, contact, q, qd, parameters, target):
    """Raise where rates move a frame against its contact; on a GPU, this waits."""
    J = api.jacobian(robot, q, contact.frame, contact.coordinates, **of_places(parameters))
    _, across = duals(contact.motion, contact.constraint)
    rows = target.put(across.T) @ J
    velocity = (rows @ qd[..., None])[..., 0]
    moving = (abs(J) @ abs(qd)[..., None])[..., 0].reshape(*qd.shape[:-1], 2, 3).max(-1)
    fast = NOTHING * moving + OF_A_FALL * _falling(robot, parameters, target)  # turning, sliding
    wrong = abs(velocity) > fast.repeat(3, -1) @ abs(target.put(across))
    if not wrong.any():
        return
    velocity, wrong = target.in_main_memory(velocity), target.in_main_memory(wrong)
    *robots, direction = worst = np.unravel_index(
        np.argmax(np.where(wrong, abs(velocity), 0.0)), wrong.shape
    )
    frame, which = contact.frame_of(robot).name, robot_name(robots) if robots else "the robot"
    raise ArgumentError(
        f"qd0 of {which} moves frame {frame!r} against its contact, at {velocity[worst]:.3g} along "
        f"constraint direction {direction}; px.project_velocity(robot, q0, qd0, contact) returns "
        f"rates that the contact allows"
    )


def _falling(robot, parameters, target):
    """How fast (..., 2) a frame turns and slides after a fall along the robot's length, roughly."""
    length, gravity = length_scale(robot), parameters.get("gravity")
    gravity = target.put(np.array(robot.gravity)) if gravity is None else gravity
    speed = (abs(gravity).max(-1) * length) ** 0.5
    return speed[..., None] * target.put(np.array([1.0 / length, 1.0]))
