"""One step in time, by different rules, over generic scalars.

A rule takes `accelerations(t, q, qd)`, the time, the state as lists of scalars, and the length of
the step; it returns the state after it.
"""


def semi_implicit_euler(accelerations, t, q, qd, dt):
    """First order: new rates from old accelerations, new positions from new rates."""
    qd = along(qd, dt, accelerations(t, q, qd))
    return along(q, dt, qd), qd


def rk4(accelerations, t, q, qd, dt):
    """The fourth-order rule of Runge and Kutta."""
    half = dt * 0.5
    a1 = accelerations(t, q, qd)
    qd2 = along(qd, half, a1)
    a2 = accelerations(t + half, along(q, half, qd), qd2)
    qd3 = along(qd, half, a2)
    a3 = accelerations(t + half, along(q, half, qd2), qd3)
    qd4 = along(qd, dt, a3)
    a4 = accelerations(t + dt, along(q, dt, qd3), qd4)
    sixth = dt * (1 / 6)
    return along(q, sixth, mean(qd, qd2, qd3, qd4)), along(qd, sixth, mean(a1, a2, a3, a4))


def mean(k1, k2, k3, k4):
    """Six times the weighted mean of the four slopes."""
    return [a + d + (b + c) * 2.0 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]


def along(x, dt, slope):
    return [value + dt * change for value, change in zip(x, slope, strict=True)]


RULES = {"rk4": rk4, "semi_implicit_euler": semi_implicit_euler}
IMPLICIT = ("semi_implicit_euler",)  # that take friction at the rates after the step
