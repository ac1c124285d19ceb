"""The inward sweep in 3-D vectors: from the force on each body to the load of each joint."""

from ...robots.joint import WORLD
from ...scalar import mark
from ...spatial import Spatial, cross


def joint_torques(robot, X, f, n, qdd):
    """Return the torques, given the loads of each body by itself (see joint_loads)."""
    torques, _ = joint_loads(robot, X, f, n, qdd)
    return torques


def joint_loads(robot, X, f, n, qdd):
    """Return the torques and the reactions, given the loads of each body by itself.

    f and n are the force and the moment about body i's origin, in its frame; they are replaced by
    those that joint i transmits, its reaction. X are the transforms of the outward sweep.
    """
    tau = {}
    for i, _ in robot.outward:
        f[i] = mark("force", i, f[i] - robot.external_force[i].linear)
        n[i] = mark("moment", i, n[i] - robot.external_force[i].angular)
    for i, p in robot.inward:  # children first
        tau[i] = robot.axis[i] @ (n[i] if robot.is_revolute[i] else f[i])
        tau[i] = tau[i] + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            turn, arm = X[i].turn, X[i].origin
            carried = mark("carried_force", i, turn @ f[i])
            f[p] = mark("force", p, f[p] + carried)
            moment = mark("carried_moment", i, turn @ n[i])
            n[p] = mark("moment", p, n[p] + moment + cross(arm, carried))
    torques = [tau[i] for i, _ in robot.outward]
    return torques, [Spatial(n[i], f[i]) for i, _ in robot.outward]
