"""The load of each joint: moment and force of its parent on the body, including the motor.

About the origin of the body's frame and along its axes, angular part first. The component along
the joint is the torque of its motor without that of the rotor, which does not pass the joint.
"""

from .modified_newton_euler import torques_and_reactions


def joint_reactions(robot, q, qd, qdd):
    """Return six scalars per joint while the robot moves as (q, qd, qdd)."""
    _, reactions = torques_and_reactions(robot, q, qd, qdd)
    return [list(reaction.scalars()) for reaction in reactions]
