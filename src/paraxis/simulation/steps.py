"""One step in time, by different rules, over generic scalars.

A rule takes `accelerations(t, q, qd)`, the robot, the time, the state as lists of scalars, and the
length of the step; it returns the state after it. Positions move along the group of each joint's
motions (Munthe-Kaas, 1998), so that quaternions keep their length; for joints of one degree of
freedom that is a sum.
"""

from ..physics.configuration import integrate, move_straight, straight_rate, turning_axes
from ..scalar import less, select


def semi_implicit_euler(accelerations, robot, t, q, qd, dt):
    """First order: new rates from old accelerations, new positions from new rates.

    Free bodies move straight while their axes turn, so that spinning makes no energy.
    """
    rates = along(qd, dt, accelerations(t, q, qd))
    return move_straight(robot, q, along(rates, dt, turning_axes(robot, qd)), dt)


def rk4(accelerations, robot, t, q, qd, dt):
    """The fourth-order rule of Runge and Kutta."""
    half = dt * 0.5
    a1, u2 = accelerations(t, q, qd), times(half, qd)
    qd2 = along(qd, half, a1)
    v2 = straight_rate(robot, u2, qd2)
    a2, u3 = accelerations(t + half, integrate(robot, q, u2), qd2), times(half, v2)
    qd3 = along(qd, half, a2)
    v3 = straight_rate(robot, u3, qd3)
    a3, u4 = accelerations(t + half, integrate(robot, q, u3), qd3), times(dt, v3)
    qd4 = along(qd, dt, a3)
    v4 = straight_rate(robot, u4, qd4)
    a4 = accelerations(t + dt, integrate(robot, q, u4), qd4)
    return rk4_end(robot, q, qd, dt, mean(qd, v2, v3, v4), mean(a1, a2, a3, a4))


def rk4_turn(accelerations, robot, t, q, qd, dt, turn, u, rate):
    """One of the four evaluations of `rk4`, of which `turn` is the number, from 0 on.

    `u` and `rate` are the displacement and the rates at which this one is; returns where it is, how
    much its slopes weigh, these slopes, and displacement and rates of the next.
    """
    at = integrate(robot, q, u)
    later = select(less(turn, 0.5), 0.0, select(less(turn, 2.5), 0.5, 1.0))
    v, a = straight_rate(robot, u, rate), accelerations(t + later * dt, at, rate)
    ahead = select(less(turn, 1.5), 0.5, 1.0) * dt
    weight = select(less(abs(turn - 1.5), 1.0), 2.0, 1.0)
    return at, weight, (v, a), (times(ahead, v), along(qd, ahead, a))


def rk4_end(robot, q, qd, dt, velocities, accelerations):
    """The state after the step, from weighted sums of the slopes of the four evaluations."""
    sixth = dt * (1 / 6)
    return integrate(robot, q, times(sixth, velocities)), along(qd, sixth, accelerations)


def mean(k1, k2, k3, k4):
    """Six times the weighted mean of the four slopes."""
    return [a + d + (b + c) * 2.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]


def along(x, dt, slope):
    return [value + dt * change for value, change in zip(x, slope, strict=True)]


def times(dt, slope):
    return [dt * change for change in slope]


RULES = {"rk4": rk4, "semi_implicit_euler": semi_implicit_euler}
IMPLICIT = ("semi_implicit_euler",)  # that take friction at the rates after the step
