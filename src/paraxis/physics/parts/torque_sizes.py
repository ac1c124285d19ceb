"""The sizes of the terms of a joint's torque, which are the scale of its rounding errors.

The sweeps of Newton and Euler with lengths instead of vectors, so that nothing cancels. An arm that
hangs straight down, or is in balance, has torques near zero that are small differences of these
sizes. A tolerance relative to them means the same in all units, for each joint by itself, with any
masses, gravity and loads. Symbols: docs/concepts/notation.md.
"""

from ...robots.joint import WORLD


def torque_sizes(robot, q, qd, qdd):
    """Return, for each joint, a bound of any part of its torque in the motion."""
    r, f, n = {}, {}, {}
    ω = {WORLD: _length(robot.base_velocity.angular)}
    α = {WORLD: _length(robot.base_acceleration.angular)}
    a = {WORLD: _length(robot.base_acceleration.linear)}
    for i, p in robot.outward:  # parents first
        rate, rise, I = abs(qd[i]), abs(qdd[i]), robot.inertia[i]
        m, s, r[i] = abs(I.mass), _length(I.com), _length(robot.origin[i])
        carried = α[p] + ω[p] * ω[p]  # acceleration of a point of the parent per distance
        if robot.is_revolute[i]:
            ω[i], α[i] = ω[p] + rate, α[p] + rise + ω[p] * rate
            a[i] = a[p] + carried * r[i]
        else:
            r[i] = r[i] + _length(robot.travel(i, q))
            ω[i], α[i] = ω[p], α[p]
            a[i] = a[p] + carried * r[i] + rise + ω[p] * rate * 2.0
        own = α[i] + ω[i] * ω[i]
        f[i] = (a[i] + own * s) * m + _length(robot.external_force[i].linear)
        spread = sum((abs(moment) for moment in I.about_com.scalars()), 0.0)
        n[i] = spread * own + (a[i] + own * s) * (m * s) + _length(robot.external_force[i].angular)
    for i, p in robot.inward:  # children first
        if p != WORLD:
            f[p], n[p] = f[p] + f[i], n[p] + n[i] + f[i] * r[i]
    return [
        (n[i] if robot.is_revolute[i] else f[i]) + abs(robot.rotor_inertia[i] * qdd[i])
        for i, _ in robot.outward
    ]


def _length(vector):
    """An upper bound of its length, without squares, which might overflow or underflow."""
    return abs(vector.x) + abs(vector.y) + abs(vector.z)
