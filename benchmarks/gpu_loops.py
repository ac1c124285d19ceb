"""Simulation and closed loops on a GPU: arrays are there before and after, all steps in between.

Measured by benchmarks/gpu.py. Times are those of a whole call of the public function, until its
results are there; the first call, which compiles, is not counted. A few of the runs are done on the
CPU as well, over few steps, in which errors of rounding stay small.
"""

import time
from functools import partial

import numpy as np
from rich.table import Table

import paraxis as px
from paraxis.targets import store

DT, SAMPLED, FEW_STEPS = 1e-3, 64, 50
REPEAT = 3
LOOPS = ("cuda", "iterate")  # what keys of such kernels begin with
# robots, steps, every which is recorded, the robot; of pandas, few should be as fast as many, each
SIMULATIONS = (
    *((1_000_000, 1000, 1000, "ur5"), (100_000, 1000, 10, "ur5"), (1000, 10_000, 10_000, "ur5")),
    *((1_000_000, 100, 100, "panda"), (16_384, 1000, 1000, "panda"), (4096, 1000, 1000, "panda")),
)
QUICK_SIMULATIONS = ((10_000, 100, 100, "ur5"),)
PERIOD = 1e-3
KP, KD = 100.0, 20.0
CONTROLLED = {"planar3": lambda: px.robots.planar(3), "puma560": lambda: px.load("puma560")}
# runs, seconds, policy, the robot
CLOSED_LOOPS = (
    *((1_000_000, 4.0, "exact", "planar3"), (1_000_000, 4.0, "hamilton", "planar3")),
    *((4096, 4.0, "exact", "planar3"), (4096, 4.0, "exact", "puma560")),
)
QUICK_CLOSED_LOOPS = ((10_000, 0.1, "exact", "planar3"),)


def measure(gpu, quick=False):
    """All rows."""
    rows = [measure_simulation(gpu, *c) for c in (QUICK_SIMULATIONS if quick else SIMULATIONS)]
    cases = QUICK_CLOSED_LOOPS if quick else CLOSED_LOOPS
    return rows + [measure_closed_loop(gpu, *case) for case in cases]


def measure_simulation(gpu, robots, steps, every, name):
    """Arms that fall freely, by steps of fourth-order Runge-Kutta."""
    robot = px.load(name)
    q, qd = 0.5 * np.random.default_rng(7).uniform(-1, 1, (2, robots, robot.nv))
    given = gpu.to_device(q), gpu.to_device(qd)

    def run(count, recorded):
        return px.simulate(robot, *given, dt=DT, steps=count, every=recorded, limits=False)

    few = run(FEW_STEPS, FEW_STEPS)
    some = q[:SAMPLED], qd[:SAMPLED]
    beside = px.simulate(px.load(name), *some, dt=DT, steps=FEW_STEPS, limits=False)
    error = _error(gpu.to_host(few.q[-1, :SAMPLED]), beside.q[-1])
    seconds = _seconds(gpu, lambda: run(steps, every))
    return _row("simulation", robot, robots, steps, seconds, error) | {"every": every}


def measure_closed_loop(gpu, runs, duration, policy, name):
    """Computed torque on an arm that starts somewhat faster or slower than it should, so that its
    error, which is compared, is a result of all steps."""
    robot = CONTROLLED[name]()
    _, wanted, _ = swing(0.0, robot.nv)
    qd = np.array(wanted) + 0.2 * np.random.default_rng(7).normal(size=(runs, robot.nv))
    there = gpu.to_device(qd)
    controller = px.control.computed_torque(robot, KP, KD, policy)

    def run(lasting, qd0, robot=robot):
        motion = partial(swing, joints=robot.nv)
        return px.control.closed_loop(robot, controller, motion, PERIOD, qd0=qd0, duration=lasting)

    few = run(FEW_STEPS * PERIOD, there)
    beside = run(FEW_STEPS * PERIOD, qd[:SAMPLED], CONTROLLED[name]())
    error = _error(gpu.to_host(few.error[:SAMPLED]), beside.error)
    seconds = _seconds(gpu, lambda: run(duration, there))
    steps = round(duration / PERIOD)
    return _row("closed loop", robot, runs, steps, seconds, error) | {"policy": policy}


def swing(t, joints):
    """Every joint, half a radian to either side."""
    s, c = px.math.sin(2.0 * t), px.math.cos(2.0 * t)
    return [0.5 * s] * joints, [1.0 * c] * joints, [-2.0 * s] * joints


def _seconds(gpu, run):
    """The median of a few calls, each until its results are there."""
    passed = []
    for _ in range(REPEAT):
        gpu.wait()
        begin = time.perf_counter()
        run()
        gpu.wait()
        passed.append(time.perf_counter() - begin)
        gpu.free()
    return sorted(passed)[REPEAT // 2]


def _error(found, reference):
    """max|Δ| / max(1, max|reference|)."""
    return float(abs(found - reference).max() / max(1.0, abs(reference).max()))


def _row(what, robot, states, steps, seconds, error):
    loaded = (each for (parts, _), each in store._loaded.items() if parts[:2] == LOOPS)
    *_, last = (each for each in loaded if hasattr(each, "launcher"))  # the end: used last
    return {
        "what": what,
        "robot": robot.name,
        "states": states,
        "steps": steps,
        "seconds": seconds,
        "steps_per_s": states * steps / seconds,
        "registers": last.launcher.registers,
        "spilled": last.launcher.spilled,
        "error": error,
    }


def show(rows, console):
    table = Table(title="Loops on the GPU, float64")
    for k, heading in enumerate(
        ("what", "states", "steps", "seconds", "G steps/s", "registers", "spilled", "error")
    ):
        table.add_column(heading, justify="right" if k else "left")
    for row in rows:
        every = f", every {row['every']}th" if row.get("every", row["steps"]) < row["steps"] else ""
        more = every or (f", {row['policy']}" if "policy" in row else "")
        table.add_row(
            f"{row['what']} of {row['robot']}{more}",
            f"{row['states']:,}",
            f"{row['steps']:,}",
            f"{row['seconds']:.3g}",
            f"{row['steps_per_s'] / 1e9:.3g}",
            str(row["registers"]),
            str(row["spilled"]),
            f"{row['error']:.0e}",
        )
    console.print(table)
