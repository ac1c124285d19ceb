"""The compiled parts of forward dynamics with friction, for given directions of motion.

A direction is -1 or 1, the way a joint moves, or 0 if it sticks. The torques at the joint side of
transmissions do not depend on the accelerations and are found first. The accelerations depend on
themselves, through the reactions on bearings, and are the root of

    dynamic(q̈) + joint_friction(q̈) - at_joint    of a joint that moves
    q̈                                             of one that sticks

by Newton's method. Reactions are linear in q̈, and friction depends on their size, so a step after
which every bearing is still loaded from the same side finds the root at once. Other steps may
cycle; `fraction`, the share of a step that is taken, prevents this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...body import Body
from ...drivers.iterate import Plan
from ...graph.derivative import jacobian
from ...graph.splice import splice
from ...graph.trace import trace
from ...physics.friction.holding_band import holding_band
from ...physics.friction.joint_friction import joint_friction
from ...physics.friction.motor_torques import with_losses
from ...physics.friction.transmission_inverse import torque_at_joint
from ...physics.linear.elimination import solve_linear
from ...physics.modified_newton_euler import torques_and_reactions
from ...physics.parts.massless import require_inertia
from ...physics.parts.torque_sizes import torque_sizes
from ...robot_functions import input_shapes
from ...robots.model import Model
from ...robots.rows import rows_of
from ...scalar import equal, less_equal, maximum, select

CLOSE = 1e-12  # relative to the parts of a joint's torque: the error of a finished state


@dataclass(frozen=True)
class Kernels:
    """For one robot on one target; arrays are (..., nv) except q, and parameters come last."""

    at_joint: Callable  # (motor, direction) -> the torques at the joint side of transmissions
    solve: Callable  # iterates over (q, qd, at_joint, direction, fraction), carrying qdd
    # (q, qd, qdd, direction) -> motor torques, least and largest that hold, sizes of their parts
    check: Callable


def kernels(robot, parameters, target):
    """From the disk cache, or compiled."""
    given = robot, parameters, target
    return Kernels(_at_joint(robot, target), _solve(*given), _check(*given))


def _at_joint(robot, target):
    inputs = ("motor", "direction")
    return _compiled(robot, "torque_at_joint", _torques_at_joints, inputs, (), target)


def _torques_at_joints(robot, motor, direction):
    each = zip(rows_of(robot).joints, motor, direction, strict=True)
    return [torque_at_joint(joint.transmission, *given) for joint, *given in each]


def _check(robot, parameters, target):
    inputs = ("q", "qd", "qdd", "direction")
    return _compiled(robot, "friction_check", _checked_friction, inputs, parameters, target)


def _checked_friction(robot, q, qd, qdd, direction, **given):
    rows = rows_of(robot)
    dynamic, reactions = _dynamics(rows, given, q, qd, qdd)
    torques = with_losses(rows.joints, qd, dynamic, reactions, direction)
    bands = map(holding_band, rows.joints, dynamic, reactions)
    least, largest = map(list, zip(*bands, strict=True))
    sizes = [
        size * (1 / abs(ratio))
        for size, ratio in zip(
            torque_sizes(Model(rows, given), q, qd, qdd), rows.ratios, strict=True
        )
    ]
    return {"input": torques.input, "least": least, "largest": largest, "size": sizes}


def lossless_check(robot, parameters, target):
    """(q, qd, qdd) -> the torques at joints, and the sizes of their parts."""
    inputs = ("q", "qd", "qdd")
    return _compiled(robot, "lossless_check", _torques_and_sizes, inputs, parameters, target)


def _torques_and_sizes(robot, q, qd, qdd, **given):
    rows = rows_of(robot)
    torques, _ = _dynamics(rows, given, q, qd, qdd)
    return {"tau": torques, "size": torque_sizes(Model(rows, given), q, qd, qdd)}


def _dynamics(rows, given, q, qd, qdd):
    """The torques of the motion at each joint, and the Spatials that the rows transmit."""
    model = Model(rows, given)
    accelerations = model.rows_accelerations(qd, qdd)
    dynamic, reactions = torques_and_reactions(model, q, qd, accelerations)
    return model.joint_torques(qd, dynamic), reactions


def _compiled(robot, name, run, inputs, parameters, target):
    shapes = _shapes(robot, inputs, parameters)
    return target.map(Body(trace, partial(run, robot), shapes, name))


def _shapes(robot, inputs, parameters):
    known = input_shapes(robot, "motor_torques", parameters)
    sizes = {each: robot.nq if each == "q" else robot.nv for each in inputs}
    shapes = {each: (size,) for each, size in sizes.items()}
    return shapes | {each: known[each] for each in parameters}


def _solve(robot, parameters, target):
    arrays = _shapes(robot, ("q", "qd", "qdd", "at_joint", "direction"), parameters)
    shapes = {"fraction": ()} | arrays
    outputs = {"qdd_next": (robot.nv,), "done": ()}
    plan = Plan(shapes, outputs, {"qdd": "qdd_next"}, until="done")
    return target.iterate(Body(_step_graph, robot, parameters, shapes), plan)


def _step_graph(robot, parameters, shapes):
    rows = rows_of(robot)

    def balance(fraction, q, qd, qdd, at_joint, direction, **given):
        dynamic, reactions = _dynamics(rows, given, q, qd, qdd)
        missing = []
        for i, joint in enumerate(rows.joints):
            friction = joint_friction(joint, reactions[i], qd[i], direction[i])
            moving = dynamic[i] + friction - at_joint[i]
            missing.append(select(equal(direction[i], 0.0), qdd[i], moving))
        return {"missing": missing}

    missing_torque = trace(balance, shapes, "friction_balance")
    slope = jacobian(missing_torque, {"slope": ("missing", "qdd")})

    def step(**arrays):
        (missing,), (A,) = (splice(graph, arrays.values()) for graph in (missing_torque, slope))
        qdd, given = arrays["qdd"], {name: arrays[name] for name in parameters}
        sizes = torque_sizes(Model(rows, given), arrays["q"], arrays["qd"], qdd)
        excess = 0.0
        for error, size, torque in zip(missing, sizes, arrays["at_joint"], strict=True):
            excess = maximum(abs(error) - (size + abs(torque)) * CLOSE, excess)
        done = select(less_equal(excess, 0.0), 1.0, 0.0)
        changes = solve_linear(A, missing, partial(require_inertia, Model(rows)))
        moved = [a - arrays["fraction"] * change for a, change in zip(qdd, changes, strict=True)]
        kept = [select(equal(done, 1.0), a, b) for a, b in zip(qdd, moved, strict=True)]
        return {"qdd_next": kept, "done": done}

    return trace(step, shapes, "friction_step")
