"""How far the contacts of a simulated robot stray from where they should stay, and loops open."""

from functools import partial

import numpy as np

from .. import api
from ..body import Body
from ..checks import quoted
from ..dynamics.contacts.directions import duals
from ..dynamics.contacts.dynamics import contact_frames
from ..errors import ArgumentError
from ..graph.trace import trace
from ..physics.contact.loop_motion import along, closing
from ..physics.linear.dense import dot
from ..physics.parts.ties import ties_of
from ..robot_functions import MATTERS, input_shapes
from ..robots.model import Model
from ..robots.rows import rows_of
from ..robots.scales import length_scale
from .names import robot_name
from .run import Drift

# A velocity against a contact, as a share of what joints could add up to in any direction, and of
# how fast the robot is after a fall along its own length: less may be the drift of an earlier run.
NOTHING, OF_A_FALL = 1e-3, 3e-4
OPEN = 1e-3  # rad, or of the robot's length: what a loop may be open by to begin with


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
    for error, row in _closings(robot, q, where):
        position.append(error)
        velocity.append(dot(row, qd))
    return {"position": position, "velocity": velocity}


def _closings(robot, q, where):
    """Of each direction of all loops: how far it is open, and its slope by the rates of joints."""
    model = Model(rows_of(robot), where)
    ties = ties_of(model, q)
    for loop in model.robot.loops:
        errors, rows = closing(model, ties.q, loop)
        yield from zip(errors, ties.columns(rows), strict=True)


def require_closed(robot, q, qd, parameters, target):
    """Raise where a loop is open, or rates would open it; on a GPU, this waits."""
    places = of_places(parameters)
    shapes = input_shapes(robot, "forward_dynamics", tuple(places))
    del shapes["tau"]
    kernel = target.map(Body(trace, partial(_open, robot), shapes, "open_loops"))
    found = kernel(q, qd, *places.values())
    position, velocity, moving = map(target.in_main_memory, found)
    linear = np.array([any(way[3:]) for loop in robot.loops for way in along(loop)])
    falling = target.in_main_memory(_falling(robot, parameters, target))[..., linear.astype(int)]
    far = OPEN * np.where(linear, length_scale(robot), 1.0)
    fast = NOTHING * moving + OF_A_FALL * falling
    names = [loop.name for loop in robot.loops for _ in range(loop.constraints)]
    found = _worst(abs(position) > far, position, names)
    if found:
        raise ArgumentError(
            "q0 of {} leaves loop {} open by {:.3g} m or rad; px.kinematics.close(robot, "
            "q0).q are positions nearby that close it".format(*found)
        )
    found = _worst(abs(velocity) > fast, velocity, names)
    if found:
        raise ArgumentError(
            "qd0 of {} opens loop {} at {:.3g} m/s or rad/s; px.project_velocity(robot, q0, qd0) "
            "returns rates that keep it closed".format(*found)
        )


def _worst(wrong, values, names):
    """The robot, the loop and the size of the value that is most wrong, in words; or None."""
    if not wrong.any():
        return None
    sizes = np.where(wrong, abs(values), 0.0)
    *robots, k = worst = np.unravel_index(np.argmax(sizes), sizes.shape)
    return robot_name(robots) if robots else "the robot", quoted(names[k]), sizes[worst]


def _open(robot, q, qd, **where):
    """How far loops are open, how fast they open, and how fast they could if rates added up."""
    pairs = [*_closings(robot, q, where)]
    return {
        "position": [error for error, _ in pairs],
        "velocity": [dot(row, qd) for _, row in pairs],
        "moving": [
            sum((abs(a * b) for a, b in zip(row, qd, strict=True)), 0.0) for _, row in pairs
        ],
    }


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
