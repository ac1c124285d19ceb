"""Functions of a robot with closed loops, from those of the tree that is left when they are open.

Accelerations are those that loops allow, also those that the inverse of the mass matrix gives;
torques are those of joints that are driven. What is not about forces, the mass matrix, bias
forces, energies and kinematics, is that of the tree.
"""

from .errors import ArgumentError
from .graph.splice import splice
from .graph.trace import trace
from .passes.cheapen import cheapen_unless_long, price
from .physics.contact.constrained_dynamics import Tolerance, constrained_forward_dynamics
from .physics.contact.contact_forms import LoopForm
from .physics.contact.loop_mobility import constrained_mass_matrix_inverse
from .physics.contact.loop_torques import loop_torques
from .robots.refusals import open_tree
from .spring_functions import less_springs

LOOPED = ("forward_dynamics", "inverse_dynamics", "mass_matrix_inverse", "regressor")
OF_TORQUES = ("inverse_dynamics", "regressor")  # made from those of the tree
REFUSED = (  # what loops change, and is not defined with them
    *("motor_torques", "joint_reactions"),
    *("operational_space_inertia", "operational_space_inertia_inverse"),
)
TOLERANCE = Tolerance(1e-12, 1e-12)


def require_open(robot, function):
    """Raise if a function is not defined for a robot with loops."""
    if function in REFUSED:
        open_tree(robot, function)


def looped_graph(function, algorithm, views, tree, inputs, parameters):
    """The graph of one of LOOPED, on the cheapest of some views of the rows of a robot.

    `tree` is the graph with loops open of one of OF_TORQUES; `inputs` are shapes by name.
    """
    if function not in OF_TORQUES and algorithm is not None:
        raise ArgumentError(
            f"algorithm: {function} of a robot with closed loops is solved with its mass matrix, "
            f"and not by {algorithm!r}; leave algorithm out, or use robot.without_loops()"
        )
    made = {
        "forward_dynamics": _accelerations,
        "inverse_dynamics": _torques,
        "mass_matrix_inverse": _inverse,
        "regressor": _regressor,
    }[function]
    graphs = [trace(made(view, tree, parameters), inputs, function) for view in views]
    return cheapen_unless_long(min(graphs, key=price))


def _accelerations(view, tree, parameters):
    forms = [LoopForm(loop) for loop in view.robot.loops]

    def run(q, qd, tau, **given):
        model = view.model(given, parameters)
        tau = less_springs(view.robot, q, tau)
        motion = constrained_forward_dynamics(model, q, qd, tau, (), TOLERANCE, forms)
        return {"qdd": motion.qdd}

    return run


def _inverse(view, tree, parameters):
    def run(q, **given):
        model = view.model(given, parameters)
        return {"M_inverse": constrained_mass_matrix_inverse(model, q, TOLERANCE.loop)}

    return run


def _torques(view, tree, parameters):
    def run(**arrays):
        (tau,) = splice(tree, [arrays[name] for name in tree.inputs])
        return {"tau": _with_loops(view, arrays, parameters)(tau)}

    return run


def _regressor(view, tree, parameters):
    """Torques are linear in those of the tree, so each column is one of these."""

    def run(**arrays):
        (Y,) = splice(tree, [arrays[name] for name in tree.inputs])
        columns = map(_with_loops(view, arrays, parameters), zip(*Y, strict=True))
        return {"Y": [list(row) for row in zip(*columns, strict=True)]}

    return run


def _with_loops(view, arrays, parameters):
    """The function from torques of the tree to those with loops."""
    robot = view.robot.described
    named = robot.joint_names if robot.independent is None else robot.independent
    driven = [joint.name in named for joint in robot.joints for _ in range(joint.nv)]
    model = view.model(arrays, parameters)
    return loop_torques(model, arrays["q"], driven, TOLERANCE.loop)
