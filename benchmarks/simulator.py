"""What a step of px.Simulator costs, and what controllers, limits and gradients add to it.

All take turns in one run, and the best of several rounds counts. On a machine with other work,
threads wait for each other; `taskset -c 0` before the command uses a single core.

- a call of `px.Simulator.step` for 4,096 arms, beside `px.simulate`'s time per step;
- a PID with a reference per step, and the limits of the description, beside a run without;
- a second call of `px.simulate` with the same controller and other gains, beside the first;
- the gradient of a run on the ground, beside the run.

    python benchmarks/simulator.py [--quick] [--json benchmarks/results/simulator.json]
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "simulator.json"
DT = 1e-3


def best_of(rounds, **tasks):
    """Seconds of each task, the shortest of all rounds, taking turns."""
    found = dict.fromkeys(tasks, np.inf)
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            begin = time.perf_counter()
            task()
            found[name] = min(found[name], time.perf_counter() - begin)
    return found


def measure_steps(name, robots, steps, rounds):
    """Seconds per step of all robots, by single calls and by runs."""
    robot = px.load(name)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (robots, robot.nq))
    qd, tau = np.zeros((robots, robot.nv)), np.zeros((robots, robot.nv))
    simulator = px.Simulator(robot, dt=DT, limits=False)
    simulator.reset(q, qd)

    def stepped(n=1):
        for _ in range(steps // n):
            simulator.step(tau, n)

    def run(**options):
        px.simulate(robot, q, qd, tau, dt=DT, steps=steps, **options)

    found = best_of(
        rounds,
        step=stepped,
        ten_steps=lambda: stepped(10),
        simulate=lambda: run(limits=False),
        last_only=lambda: run(limits=False, every=steps),
        with_limits=lambda: run(limits=True, every=steps),
    )
    return {"robot": name, "robots": robots} | {key: s / steps for key, s in found.items()}


def measure_controllers(name, robots, steps, rounds):
    """Seconds per step without a controller, and with a PID that follows references per step."""
    robot = px.load(name)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (robots, robot.nq))
    goals = np.zeros((steps, 1, robot.nv)) + np.linspace(0, 0.2, steps)[:, None, None]
    pid = px.control.PID(robot, kp=50.0, ki=5.0, kd=5.0)
    data = {"goal": goals}
    found = {}
    for method in ("rk4", "semi_implicit_euler"):
        options = {"dt": DT, "steps": steps, "every": steps, "limits": False, "method": method}
        rest = q, np.zeros((robots, robot.nv))

        def bare(options=options, rest=rest):
            px.simulate(robot, *rest, **options)

        def driven(options=options, rest=rest):
            px.simulate(robot, *rest, controller=pid, per_step=data, **options)

        seconds = best_of(rounds, bare=bare, pid=driven)
        found[method] = {key: each / steps for key, each in seconds.items()}
    return {"robot": name, "robots": robots} | found


def measure_calls(name, rounds):
    """Seconds of a whole call of one robot and one step, by what its controller is."""
    robot = px.load(name)
    q, rest = np.zeros(robot.nq), np.zeros(robot.nv)
    gains = np.full(robot.nv, 20.0)

    def law(t, q, qd):
        return px.gravity_torques(robot, q) - gains * q - 2.0 * qd

    options = {"dt": DT, "steps": 1, "limits": False}

    def other_numbers():
        nonlocal gains
        gains = gains * 1.01
        px.simulate(robot, q, rest, controller=law, **options)

    other_numbers(), other_numbers()  # the second makes the gains inputs
    return {"robot": name} | best_of(
        rounds,
        without=lambda: px.simulate(robot, q, rest, **options),
        same=lambda: px.simulate(robot, q, rest, controller=law, **options),
        other_numbers=other_numbers,
    )


def measure_gradient(robots, steps, rounds):
    """Seconds per step of a Go2 on the ground, forward, and of its gradient."""
    robot = px.load("go2", floating_base=True)
    points = [
        px.simulation.ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")
    ]
    ground, stance = px.simulation.Ground(points), np.tile([0.0, 0.8, -1.5], 4)
    q = np.tile(np.concatenate([[0, 0, 0.32, 0, 0, 0, 1], stance]), (robots, 1))
    qd = 0.1 * np.random.default_rng(0).standard_normal((robots, robot.nv))

    def hold(t, q, qd):
        return np.concatenate([np.zeros(6), 60 * (stance - q[7:]) - 2 * qd[6:]])

    options = {"controller": hold, "dt": 2e-3, "steps": steps, "ground": ground, "limits": False}

    def gradient():
        run = px.simulation.differentiable(robot, q, qd, **options)
        run.gradient(np.ones_like(run.q))

    found = best_of(rounds, forward=lambda: px.simulate(robot, q, qd, **options), both=gradient)
    return {"robot": "go2", "robots": robots} | {key: s / steps for key, s in found.items()}


def show(results, console):
    table = Table("what", "time", "ratio")
    for row in results["steps"]:
        one, run = row["step"], row["last_only"]
        what = f"{row['robots']:,} {row['robot']}"
        table.add_row(f"{what}: a call of step", _time(one), f"{run / one:.2f} of a run's rate")
        ten = row["ten_steps"]
        table.add_row(f"{what}: step(u, 10), per step", _time(ten), f"{run / ten:.2f}")
        table.add_row(f"{what}: a run, per step", _time(run), "1")
        table.add_row(f"{what}: recorded", _time(row["simulate"]), f"{run / row['simulate']:.2f}")
        limited = row["with_limits"]
        table.add_row(f"{what}: within limits", _time(limited), f"{run / limited:.2f}")
    row = results["controllers"]
    for method in ("rk4", "semi_implicit_euler"):
        pid, bare = row[method]["pid"], row[method]["bare"]
        what = f"{row['robots']:,} {row['robot']}, {method}: PID, reference per step"
        table.add_row(what, _time(pid), f"{bare / pid:.2f} of no controller")
    for row in results["calls"]:
        for key in ("without", "same", "other_numbers"):
            over = f"+ {_time(row[key] - row['without'])}" if key != "without" else ""
            table.add_row(f"a call, {row['robot']}: controller {key}", _time(row[key]), over)
    row = results["gradient"]
    what = f"{row['robots']:,} {row['robot']} on the ground: gradient and run"
    table.add_row(what, _time(row["both"]), f"{row['both'] / row['forward']:.1f} x the run")
    console.print(table)


def _time(seconds):
    return f"{seconds * 1e6:,.1f} µs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few robots, few steps")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # falling arms leave their limits
    robots, steps, rounds = (64, 20, 1) if options.quick else (4096, 200, 12)
    results = {"machine": peers.machine(), "dt": DT}
    results["steps"] = [measure_steps("ur5", n, steps, rounds) for n in (robots, 1)]
    results["controllers"] = measure_controllers("ur5", robots, steps, rounds)
    results["calls"] = [measure_calls("ur5", rounds)]
    results["gradient"] = measure_gradient(robots // 4, max(2, steps // 10), max(1, rounds // 4))
    show(results, Console(width=150))
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
