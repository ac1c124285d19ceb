"""The range of motor torques that hold a joint at rest.

Let T be the torque that the joint must transmit at rest. Its own friction at rest, R, may act in
either direction, so that the transmission carries a torque from T - R to T + R; and the
transmission holds this until the motor drives it onward or lets it run back (Table 3.2 at the edge
of motion). ratio * input is therefore between

    (T - R) + friction_in_motion(T - R, -1)  and  (T + R) + friction_in_motion(T + R, 1)

T lies within, and so does the result of motor_torques for a sticking joint. Outside, the joint
breaks away, in the direction of the end that is exceeded (a negative ratio swaps the ends).
"""

from .joint_friction import joint_friction
from .transmission_friction import friction_in_motion


def holding_band(joint, dynamic, reaction):
    """Return the least and the largest motor torque that hold the joint."""
    ends = []
    for direction in (-1.0, 1.0):
        at_joint = dynamic + joint_friction(joint, reaction, 0.0, direction)
        in_gears = friction_in_motion(joint.transmission, at_joint, direction)
        ends.append((at_joint + in_gears) * (1 / joint.transmission.ratio))
    return ends if joint.transmission.ratio > 0 else ends[::-1]
