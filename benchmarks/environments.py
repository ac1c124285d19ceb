"""Environment steps per second of px.gym, beside gymnasium's CartPole and MuJoCo's rollout.

Actions are random, and environments that end are reset (NEXT_STEP). Peers take turns in one run:

- balance, a cart-pole by Runge-Kutta, beside gymnasium's own vector environment of CartPole-v1,
  which is written in NumPy and takes Euler steps of the same length.
- walk, a Go2 with four steps of 5 ms per action, beside a loop over `mujoco.rollout` with as many
  threads as cores, on a model with the same masses, joints, motors, spheres and plane, with
  observations by NumPy and without resets. The robot has rotors here, as that model has. Actions
  are small, so that most robots stay on their feet.
- reach has no peer. gymnasium's Ant, which needs imageio, steps robot by robot in Python.

    python benchmarks/environments.py [--quick] [--json benchmarks/results/environments.json]
"""

import argparse
import os
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import peers
from ground import mjcf
from legged import with_rotors
from mujoco import rollout
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px
from paraxis.gym.walking import DAMPING, STANCE, STIFFNESS, SWING

RESULTS = Path(__file__).parent / "results" / "environments.json"
BATCHES, QUICK = (64, 4096), (64,)
STEPS = {64: 200, 4096: 20}
GENTLE = {"balance": 1.0, "reach": 1.0, "walk": 0.3}  # the largest actions


class Rolled:
    """A Go2 by mujoco.rollout: `step(actions)` returns what a policy would be given."""

    def __init__(self, task, robots):
        self.model = mjcf(task.robot, task.ground.points, STIFFNESS, DAMPING)
        self.model.opt.timestep, self.task = task.dt, task
        threads = os.cpu_count() or 1
        self.datas = [mujoco.MjData(self.model) for _ in range(threads)]
        self.roll = rollout.Rollout(nthread=threads)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.state = np.zeros((robots, size))
        place = [0, 0, 0.335, 1, 0, 0, 0, *STANCE]
        self.state[:, 1 : 1 + self.model.nq] = place

    def step(self, actions):
        control = np.repeat((STANCE + SWING * actions)[:, None], self.task.decimation, axis=1)
        states, _ = self.roll.rollout(self.model, self.datas, self.state, control)
        self.state = states[:, -1]
        nq = self.model.nq
        q, qd = self.state[:, 1 : 1 + nq], self.state[:, 1 + nq : 1 + nq + self.model.nv]
        w, x, y, z = q[:, 3:7].T
        down = np.stack([2 * (w * y - x * z), -2 * (w * x + y * z), 2 * (x * x + y * y) - 1], -1)
        seen = [down, qd[:, :6], q[:, 7:] - STANCE, 0.05 * qd[:, 6:], actions]
        reward = 2 * np.minimum(qd[:, 0], 1) - 0.2 * down[:, 2] - 0.5 * (qd[:, 1:3] ** 2).sum(-1)
        return np.concatenate(seen, -1).astype(np.float32), reward, q[:, 2] < 0.18


def runs_of(robots, steps):
    """name -> a function that does so many steps of so many robots."""
    legged = px.gym.walk(with_rotors(px.load("go2", floating_base=True)))
    tasks = {"balance": px.gym.balance(), "reach": px.gym.reach(), "walk": legged}
    runs, rng = {}, np.random.default_rng(0)

    def repeated(env, actions):
        def run():
            for k in range(steps):
                env.step(actions[k % len(actions)])

        run()  # compiles
        return run

    for name, task in tasks.items():
        actions = GENTLE[name] * rng.uniform(-1, 1, (8, robots, task.actions))
        actions = actions.astype(np.float32)
        for dtype in ("float64", "float32"):
            env = px.gym.make(task, num_envs=robots, dtype=dtype)
            env.reset(seed=0)
            runs[f"{name} {dtype}"] = repeated(env, actions)
    theirs = gymnasium.make_vec(
        "CartPole-v1", num_envs=robots, vectorization_mode="vector_entry_point"
    )
    theirs.reset(seed=0)
    runs["CartPole-v1"] = repeated(theirs, rng.integers(0, 2, (8, robots)))
    runs["mujoco.rollout"] = repeated(Rolled(legged, robots), actions)
    return runs


def measure(robots, rounds, steps=None):
    """Environment steps per second, of all robots together."""
    steps = steps or STEPS[robots]
    best = take_turns(runs_of(robots, steps), rounds, repeat=1)
    row = {name: robots * steps / seconds for name, seconds in best.items()}
    return {"robots": robots, "steps": steps} | row


def show(results, console):
    table = Table(title="environment steps per second; ratio to the peer below it")
    table.add_column("")
    for row in results["rows"]:
        table.add_column(f"{row['robots']:,} robots", justify="right")
        table.add_column("ratio", justify="right")
    peer = {"balance": "CartPole-v1", "walk": "mujoco.rollout"}
    names = [name for name in results["rows"][0] if name not in ("robots", "steps")]
    for name in sorted(names, key=lambda x: {v: k for k, v in peer.items()}.get(x, x).lower()):
        cells = []
        for row in results["rows"]:
            other = peer.get(name.split()[0])
            cells += [f"{row[name]:,.0f}", f"{row[name] / row[other]:.1f}" if other else ""]
        table.add_row(name, *cells)
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few robots, few rounds")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    batches, rounds = (QUICK, 2) if options.quick else (BATCHES, 8)
    results = {"machine": peers.machine(), "rows": []}
    for robots in batches:
        results["rows"].append(measure(robots, rounds))
    show(results, Console(width=110))
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
