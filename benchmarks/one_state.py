"""What a call with one state of a UR5 costs from Python."""

import time

import numpy as np
import peers

import paraxis as px

CALLS = 5_000


def measure(rounds):
    """ns a call."""
    path = peers.robot_file("ur5")
    robot, pinocchio = px.load(path, couplings="independent"), peers.PinocchioPeer(path)
    kernel = px.program(robot).compile()
    q, qd, qdd = (np.ascontiguousarray(a) for a in np.random.default_rng(7).uniform(-2, 2, (3, 6)))
    configuration, out = pinocchio.configuration(q), np.empty(6)
    runs = {
        "pin.rnea": lambda: pinocchio.one(configuration, qd, qdd),
        "kernel": lambda: kernel(q, qd, qdd),
        "kernel_out": lambda: kernel(q, qd, qdd, out=out),
        "px.inverse_dynamics": lambda: px.inverse_dynamics(robot, q, qd, qdd),
    }
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], _seconds(run))
    return {key: seconds * 1e9 for key, seconds in best.items()}


def _seconds(run):
    start = time.perf_counter()
    for _ in range(CALLS):
        run()
    return (time.perf_counter() - start) / CALLS


def show(times, console):
    for name in ("kernel", "kernel_out", "px.inverse_dynamics"):
        console.print(
            f"one state from Python, {name}: {times[name]:.0f} ns, "
            f"{times[name] / times['pin.rnea']:.2f} x pin.rnea ({times['pin.rnea']:.0f} ns)"
        )
