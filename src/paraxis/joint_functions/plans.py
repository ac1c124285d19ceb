"""The Plans of a robot's functions, joint by joint."""

from ..physics import joint_by_joint
from ..physics.parts.massless import require_mobile
from ..robot_functions import OF_THE_INVERSE, input_shapes
from ..robots.rows import rows_of
from .machine import Machine
from .tree import tree_of

# Functions that may be computed joint by joint, and the axes of their results.
JOINT_BY_JOINT = {
    "inverse_dynamics": {"tau": 1},
    "forward_dynamics": {"qdd": 1},
    "inverse_dynamics_derivatives": {"dtau_dq": 2, "dtau_dqd": 2},
    "forward_dynamics_derivatives": {"dqdd_dq": 2, "dqdd_dqd": 2, "dqdd_dtau": 2},
}


def lanes_plan(robot, function, algorithm=None, parameters=(), *_):
    """The Plan that computes a function of a robot; None where there is none: for an algorithm that
    is named, with parameters, and for other robots than those of a Tree."""
    results = JOINT_BY_JOINT.get(function)
    tree = None if algorithm or parameters or results is None else tree_of(robot)
    if tree is None:
        return None
    if function in OF_THE_INVERSE:
        require_mobile(rows_of(robot))
    machine = Machine(tree, function, input_shapes(robot, function), results)
    getattr(joint_by_joint, function)(machine)
    return machine.plan()
