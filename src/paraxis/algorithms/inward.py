"""The inward sweep in 3-D vectors: from the force on each body to the torque at each joint."""

from ..robot.joint import WORLD
from ..scalar import mark
from ..spatial import cross


def joint_torques(robot, X, f, n, qdd):
    """Return the torques, given what accelerates each body by itself.

    f and n are the force and the moment about body i's origin, in its frame; they become those
    that joint i transmits. X are the transforms of the outward sweep.
    """
    tau = {}
    for i, p in robot.inward:  # children first
        f[i] = mark("force", i, f[i] - robot.external_force[i].linear)
        n[i] = mark("moment", i, n[i] - robot.external_force[i].angular)
        tau[i] = robot.axis[i] @ (n[i] if robot.is_revolute[i] else f[i])
        tau[i] = tau[i] + robot.rotor_inertia[i] * qdd[i]
        if p != WORLD:
            carried = X[i].turn @ f[i]
            f[p] = f[p] + carried
            n[p] = n[p] + X[i].turn @ n[i] + cross(X[i].origin, carried)
    return [tau[i] for i, _ in robot.outward]
