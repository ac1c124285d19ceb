"""`px.constrained_forward_dynamics`: accelerations and forces of a robot in contact.

Inside another trace, where numbers of a contact may also be traced scalars, use `spliced`; in
addition to q, qd and tau it takes the arrays named by `contact_arrays(contacts)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...body import Body
from ...checks import counted, did_you_mean
from ...compiling import one_call
from ...errors import ArgumentError
from ...function_bodies import label, warn_if_long
from ...graph.splice import splice, traced_value
from ...graph.trace import trace
from ...passes.cheapen import cheapen_unless_long, price
from ...physics.contact import constrained_dynamics
from ...physics.contact.constrained_dynamics import Tolerance
from ...physics.contact.contact_forms import LoopForm
from ...physics.parts.massless import require_mobile
from ...robot_functions import MATTERS, View, input_shapes
from ...robots.equal.reframe import reframe
from ...robots.equal.regroup import regroup
from ...robots.model import AXES
from ...robots.robot import Robot, a_robot
from ...robots.rows import rows_of
from ...scalar import equal, select, sqrt
from ...spring_functions import less_springs
from ...targets.blocks import takes_blocks
from ...targets.target import target_of
from .long_chain import constrained_chain, touches_tip
from .touching import Touching, degrees_of_freedom

TOLERANCE = {"float64": Tolerance(1e-12, 1e-12), "float32": Tolerance(1e-7, 1e-5)}
LONGEST_IN_CONTACT = 32  # joints of a robot for which a Program is created implicitly
MOVING_BASE = ("base_velocity", "base_acceleration")


class ConstrainedMotion(NamedTuple):
    """The motion of a robot in contact, and the forces of contact, per state.

    - `qdd`: joint accelerations, `(..., nv)`, rad/s² or m/s²; NaN if the rank is deficient.
    - `force`: moment and force on the environment, `(..., 6)`, or `(..., k, 6)` for a list of k
      contacts, N m and N; NaN if the rank is deficient.
    - `acceleration`: that of the frame, in the same shapes and coordinates, rad/s² and m/s².
    - `rank`: the number of independent constraints, `(...)`.
    """

    qdd: np.ndarray
    force: np.ndarray
    acceleration: np.ndarray
    rank: np.ndarray


class LoopedMotion(NamedTuple):
    """The motion of a robot with closed loops, and the forces in its loops and contacts, per state.

    - `qdd`, `force`, `acceleration`, `rank`: as in a `ConstrainedMotion`.
    - `loop_force`: moment and force in each of l loops, `(..., l, 6)`, N m and N.
    - `loop_rank`: the number of independent constraints of the loops, `(...)`.
    """

    qdd: np.ndarray
    force: np.ndarray
    acceleration: np.ndarray
    rank: np.ndarray
    loop_force: np.ndarray
    loop_rank: np.ndarray


@takes_blocks(q=1, qd=1, tau=1, **AXES)
def constrained_forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    contact: Touching | Sequence[Touching] | None = (),
    **parameters: ArrayLike,
) -> ConstrainedMotion | LoopedMotion:
    """Return the accelerations of a robot in contact or with closed loops, and their forces.

    If the robot cannot accelerate along all constrained directions independently, in a singular
    posture or because contacts are redundant, `rank` is less than the number of unknowns
    (`contact.unknowns`), and the other results are NaN in that state. Loops of the robot may be
    redundant: then accelerations are still unique, and forces are one of many solutions.

    A chain of more than 32 joints with one contact, on its last link, is solved as a scan, in main
    memory. Otherwise arrays may be on a GPU (CuPy, PyTorch or JAX), and then so are the results;
    the numbers of the contact are NumPy arrays and are copied there.

    **Arguments:**

    - `robot`: the robot.
    - `q`, `qd`: joint positions `(..., nq)` and rates `(..., nv)`, rad or m, and per second.
    - `tau`: joint torques or forces, `(..., nv)`, N m or N.
    - `contact`: a `px.Contact`, or a list of k of them, which may be empty for a robot with loops.
    - `parameters`: parameters of the robot, as for `px.forward_dynamics`; its base must be at rest.

    **Returns:** a `ConstrainedMotion`, or a `LoopedMotion` for a robot with loops:

    - `qdd`: joint accelerations, `(..., nv)`.
    - `force`: moment and force `(..., 6)` that the robot exerts on the environment at the origin of
      the contact's frame, in the contact's coordinates.
    - `acceleration`: that of the frame, `(..., 6)`, in the same coordinates.
    - `rank`: the number of independent constraints of contacts, `(...)`, in addition to loops.
    - `loop_force`: for a robot with l loops, moment and force `(..., l, 6)` that the first frame of
      each exerts on the second, at the origin of the first, along the axes of the second.
    - `loop_rank`: the number of independent constraints of its loops, `(...)`.

    For a list, `force` and `acceleration` are `(..., k, 6)`.

    **Raises:** `px.ArgumentError` if contacts have more constraints than there are degrees of
    freedom that move their frames, the base moves, or a shape or a parameter's name is wrong.

    **Example:**

    >>> robot = px.robots.planar(2)  # two rods of 1 kg, bent
    >>> held = px.Contact("tip", constraint=np.eye(6)[:, 5:])  # along z, the vertical
    >>> still = np.zeros(2)
    >>> motion = px.constrained_forward_dynamics(robot, [0.5, -1.0], still, still, held)
    >>> motion.qdd
    array([-7.643, 15.287])
    >>> motion.force[5:]  # N, of the robot on its support
    array([-5.455])
    """
    a_robot(robot)
    contact = () if contact is None else contact
    several = isinstance(contact, list | tuple)
    contacts = checked_contacts(contact if several else [contact], robot)
    check_fixed_base(tuple(parameters))
    arrays = {"q": q, "qd": qd, "tau": tau, **parameters}
    if traced_value(tuple(arrays.values())) is not None:
        arrays |= contact_arrays(contacts)
        motion = spliced(robot, contacts, arrays, tuple(parameters))
        if several:
            return motion
        return motion._replace(force=motion.force[0], acceleration=motion.acceleration[0])
    long = robot.n > LONGEST_IN_CONTACT and not parameters and not robot.has_springs
    if long and touches_tip(robot, contacts):
        motion = ConstrainedMotion(*constrained_chain(robot, q, qd, tau, contacts[0]))
        if several:
            force, acceleration = motion.force[..., None, :], motion.acceleration[..., None, :]
            motion = motion._replace(force=force, acceleration=acceleration)
        return motion
    target = target_of(arrays)
    with one_call(label(robot, "constrained_forward_dynamics")), target.stream():
        found = _moved(robot, contacts, arrays, tuple(parameters), target)
        if not contacts:
            nothing = target.arrays.zeros((*found["qdd"].shape[:-1], 0, 6), found["qdd"].dtype)
            found |= {"force": nothing, "acceleration": nothing, "rank": 0 * found["loop_rank"]}
        if not several:
            found |= {name: found[name][..., 0, :] for name in ("force", "acceleration")}
        for name in {"rank", "loop_rank"} & {*found}:  # 0 in NaN states
            found[name] = target.arrays.fmax(found[name], 0.0).astype(int)[()]
        return _motion({name: target.given_back(each) for name, each in found.items()})


def _motion(found):
    """The motion with these parts by name."""
    return (LoopedMotion if "loop_rank" in found else ConstrainedMotion)(**found)


def _moved(robot, contacts, given, parameters, target):
    """The results of the kernel by name, on the target."""
    shapes = graph_inputs(robot, contacts, parameters)
    arrays = {name: target.array(value, name, shapes[name]) for name, value in given.items()}
    arrays |= {name: target.put(array) for name, array in contact_arrays(contacts).items()}
    single = all(arrays[name].dtype == np.float32 for name in ("q", "qd", "tau"))
    dtype = "float32" if single else "float64"
    kernel = target.map(_body(robot, contacts, parameters, dtype), dtype)
    results = kernel(*(arrays[name] for name in kernel.inputs))
    several = results if isinstance(results, tuple) else (results,)
    return dict(zip(kernel.outputs, several, strict=True))


def checked_contacts(contacts, robot):
    if not contacts and robot.loops:
        return ()
    if not contacts:
        raise ArgumentError("contact: expected at least one contact, found an empty list")
    for each in contacts:
        if not isinstance(each, Touching):
            raise ArgumentError(f"contact: expected a px.Contact, found {type(each).__name__}")
    frames = [each.frame_of(robot) for each in contacts]
    if len(contacts) == 1:
        return tuple(contacts)
    moving = degrees_of_freedom(robot, [i for frame in frames for i in robot.path(frame.body)])
    constraints = sum(each.constraints for each in contacts)
    if constraints > moving:
        raise ArgumentError(
            f"contacts: {constraints} constraints are more than the "
            f"{counted(moving, 'degree of freedom')} that can move their frames"
        )
    return tuple(contacts)


def check_fixed_base(parameters):
    for name in parameters:
        if name in MOVING_BASE:
            raise ArgumentError(f"{name}: the base of a robot in contact must be at rest")
        if name not in MATTERS["forward_dynamics"]:
            known = tuple(each for each in MATTERS["forward_dynamics"] if each not in MOVING_BASE)
            raise ArgumentError(
                f"parameters: expected some of {known}, found {name!r}{did_you_mean(name, known)}"
            )


# -- graphs ------------------------------------------------------------------------------------


def _input(k, name):
    """The name of a number of a contact in the graph and in messages."""
    return f"{name} of contact {k}"


def contact_arrays(contacts):
    """The numbers of contacts that may differ per state, by names of inputs."""
    return {
        _input(k, name): array
        for k, contact in enumerate(contacts)
        for name, array in contact.data.items()
    }


def graph_inputs(robot, contacts, parameters=()):
    """name -> shape of the inputs, in calling order."""
    shapes = input_shapes(robot, "forward_dynamics", parameters)
    shapes |= {
        _input(k, name): contact.shapes[name]
        for k, contact in enumerate(contacts)
        for name in contact.data
    }
    return shapes


def constrained_graph(
    robot, contacts, frames, parameters=(), tolerance=TOLERANCE["float64"], stabilised=False
):
    """The cheapest of the candidate graphs, simplified; `frames` are those of the contacts.

    `stabilised`: whether loops are closed by stabilisation, as in a simulation.
    """
    warn_if_long(robot, "constrained_forward_dynamics")
    frames = [replace(frame, name=f"contact{k}") for k, frame in enumerate(frames)]
    robot = rows_of(replace(robot, frames=frames, warn=False))
    if not {*parameters} & {*MATTERS["mass_matrix"]} and not robot.followers:
        require_mobile(robot)
    given = contacts, parameters, tolerance, stabilised
    graphs = [_graph(view, *given) for view in _views(robot, parameters)]
    return cheapen_unless_long(replace(min(graphs, key=price), marks={}))


def _views(robot, parameters):
    """Models with the same motion of joints and of frames, as candidates."""
    yield View(robot)
    if not parameters:
        for other in (reframe(robot, slide=False), reframe(robot)):
            yield View(other)
            yield View(other, regroup(other))


def _graph(view, contacts, parameters, tolerance, stabilised):
    unknowns = float(sum(contact.unknowns for contact in contacts))
    loops = [LoopForm(loop, stabilised) for loop in view.robot.loops]

    def run(q, qd, tau, **given):
        model = view.model(given, parameters)
        forms = []
        for k, (contact, frame) in enumerate(zip(contacts, view.robot.frames, strict=True)):
            values = {name: given[_input(k, name)] for name in contact.data}
            forms.append(contact.form(frame, values))
        tau = less_springs(view.robot, q, tau)
        motion = constrained_dynamics.constrained_forward_dynamics(
            model, q, qd, tau, forms, tolerance, loops
        )
        regular = equal(motion.rank, unknowns)
        spoil = sqrt(select(regular, 0.0, -1.0))  # NaN if the other results are meaningless
        found = {"qdd": [value + spoil for value in motion.qdd]}
        if contacts:
            found["force"] = [[value + spoil for value in row] for row in motion.force]
            found["acceleration"] = [[v + spoil for v in row] for row in motion.acceleration]
            found["rank"] = motion.rank
        if loops:
            found["loop_force"] = [[value + spoil for value in row] for row in motion.loop_force]
            found["loop_rank"] = motion.loop_rank
        return found

    inputs = graph_inputs(view.robot.described, contacts, parameters)
    return trace(run, inputs, "constrained_forward_dynamics")


def contact_frames(robot, contacts):
    return tuple(contact.frame_of(robot) for contact in contacts)


def _body(robot, contacts, parameters, dtype="float64", stabilised=False):
    return _body_of(robot, _Alike(contacts), parameters, dtype, stabilised)


@lru_cache(maxsize=256)
def _body_of(robot, alike, parameters, dtype, stabilised):
    contacts = tuple(each.with_data(dict.fromkeys(each.data)) for each in alike.contacts)
    given = robot, contacts, contact_frames(robot, contacts), parameters, TOLERANCE[dtype]
    return Body(constrained_graph, *given, stabilised)


class _Alike:
    """Contacts by their equations: equal if they only differ in numbers per state."""

    def __init__(self, contacts):
        self.contacts, self._keys = (
            contacts,
            tuple((each.frame, each.identity) for each in contacts),
        )

    def __eq__(self, other):
        return self._keys == other._keys

    def __hash__(self):
        return hash(self._keys)


def spliced(robot, contacts, arrays, parameters=(), stabilised=False):
    """The motion of one state as part of the current trace; forces are a list, one per contact.

    `arrays` has, by their names, all inputs of the graph, and may have more. `stabilised`: whether
    loops are closed by stabilisation.
    """
    graph = _body(robot, contacts, parameters, stabilised=stabilised).graph
    found = splice(graph, [arrays[name] for name in graph.inputs])
    nothing = {"force": [], "acceleration": [], "rank": 0.0}
    return _motion(nothing | dict(zip(graph.outputs, found, strict=True)))
