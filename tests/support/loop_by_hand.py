"""A closed loop step by step in Python: what `px.control.closed_loop` is compared with."""

import math

import numpy as np

import paraxis as px

PLANT_STEP = 0.5e-3


class HandLaw:
    """Computed torque over `px.control.speculate`, whose carried values it keeps."""

    def __init__(self, robot, kp, kd, policy):
        self.robot, self.kp, self.kd = robot, kp, kd
        self.program, self.carried = px.control.speculate(robot, policy), None

    def exact(self, q, qd, desired):
        """Torques of exact control, after which the youngest carried values are its own."""
        v = desired[2] + self.kp * (desired[0] - q) + self.kd * (desired[1] - qd)
        fresh, before = self.program.start(q, qd, v), self.carried
        if before is not None:
            for name in fresh:
                variable, _, age = name.rpartition("_")
                if age != "1":
                    fresh[name] = before[f"{variable}_{int(age) - 1}"]
        self.carried = fresh
        return px.inverse_dynamics(self.robot, q, qd, v)

    def step(self, q, qd, desired, ahead, age=None):
        off, slow = desired[0] - q, desired[1] - qd
        push = self.kp * off + self.kd * slow
        foreseen = (ahead[0] - off, ahead[1] - slow, ahead[2] + push)
        given = {"q": q, "qd": qd, "qdd": desired[2] + push, "age": age}
        given |= zip(("q_ahead", "qd_ahead", "qdd_ahead"), foreseen, strict=True)
        given = {name: given[name] for name in self.program.inputs if name in given}
        made = self.program.evaluate(**given, **self.carried)
        made = made if self.carried else {"tau": made}
        self.carried = {name: made[after] for name, after in self.program.carry.items()}
        return made["tau"]


def positions_by_hand(robot, law, motion, t, period, q, qd, **options):
    """Positions (samples, n) at the times t, of which the last is the end."""
    delay, encoder = options.get("delay", 0.0), options.get("encoder")
    missed, ages = options.get("missed", [False] * len(t)), options.get("ages")
    switch_at, plant = options.get("switch_at", 0.0), options.get("plant", {})
    limit = options.get("limit", math.inf)

    def measured():
        return q if encoder is None else np.round(q / encoder) * encoder

    held = decided = law.exact(measured(), qd, motion(t[0]))
    found = [q]
    for k in range(len(t) - 1):
        if not missed[k]:
            state, desired = (measured(), qd), motion(t[k])
            if t[k] < switch_at:
                decided = law.exact(*state, desired)
            else:
                age = None if ages is None else ages[k]
                decided = law.step(*state, desired, motion(t[k] + period), age)
            decided = np.clip(decided, -limit, limit)
        q, qd = _moved(robot, q, qd, held, min(delay, t[k + 1] - t[k]), plant)
        held = decided
        q, qd = _moved(robot, q, qd, held, max(0.0, t[k + 1] - t[k] - delay), plant)
        found.append(q)
    return np.array(found)


def _moved(robot, q, qd, tau, duration, plant):
    """The state a while later, by RK4 on the whole state."""
    steps = math.ceil(duration / PLANT_STEP)
    h, n = duration / max(steps, 1), len(q)

    def slope(x):
        qdd = px.forward_dynamics(robot, x[:n], x[n:], tau, **plant)
        return np.concatenate([x[n:], qdd])

    x = np.concatenate([q, qd])
    for _ in range(steps):
        a = slope(x)
        b = slope(x + h / 2 * a)
        c = slope(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
    return x[:n], x[n:]
