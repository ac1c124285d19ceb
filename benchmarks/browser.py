"""WebAssembly in Node, beside MuJoCo's module and Paraxis on the CPU: RK4 steps on one thread.

The three take turns in one run, and the best of several rounds counts. Node has the engine of
Chrome. Needs `node`, and `npm` to install MuJoCo's module (`@mujoco/mujoco`). Positions after the
first steps are compared.

    python benchmarks/browser.py [--quick] [--json benchmarks/results/browser.json]
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.drivers.row import made_row
from paraxis.simulation.bodies import plain_step
from paraxis.targets.source.files import write_iteration
from paraxis.targets.target import CPU

DT, COMPARED = 1e-3, 100  # seconds; steps
ROBOTS = {"ur5": 1000, "panda": 1000, "g1_29dof": 100}  # how many at once
START = 0.1  # rad, every joint
OURS = """
import { load } from "./step.js";
const [nq, states, steps, rounds] = process.argv.slice(2).map(Number);
const begin = performance.now();
const step = await load(undefined, states);
const loaded = performance.now() - begin;
const set = () => step.set({ q: START, qd: 0, tau: 0, step: 0, dt: DT });
set().advance(COMPARED);
const after = [...step.arrays.q.subarray(0, nq)];
let best = Infinity;
for (let round = 0; round < rounds; round++) {
  set();
  const begin = performance.now();
  step.advance(steps);
  best = Math.min(best, performance.now() - begin);
}
console.log(JSON.stringify({ rate: (states * steps * 1e3) / best, loaded, after }));
"""
MUJOCOS = """
import { readFileSync } from "node:fs";
import load from "@mujoco/mujoco";
const [steps, rounds] = process.argv.slice(2).map(Number);
const mujoco = await load();
const model = mujoco.MjModel.from_xml_string(readFileSync("robot.xml", "utf-8"));
const data = new mujoco.MjData(model);
const advance = (steps) => {
  mujoco.mj_resetData(model, data);
  data.qpos.fill(START);
  const begin = performance.now();
  for (let step = 0; step < steps; step++) mujoco.mj_step(model, data);
  return performance.now() - begin;
};
advance(COMPARED);
const after = [...data.qpos];
let best = Infinity;
for (let round = 0; round < rounds; round++) best = Math.min(best, advance(steps));
console.log(JSON.stringify({ rate: (steps * 1e3) / best, after }));
"""


def in_node(folder, text, *arguments):
    text = text.replace("START", str(START)).replace("DT", str(DT))
    Path(folder, "run.mjs").write_text(text.replace("COMPARED", str(COMPARED)), "utf-8")
    command = ["node", "run.mjs", *map(str, arguments)]
    return json.loads(subprocess.check_output(command, text=True, cwd=folder))


def native_rate(robot, step, states, steps, rounds):
    """Steps per second of one thread of the CPU, and positions after the first."""
    kernel = CPU.iterate(step.body, step.plan, threads=1)
    q, qd = np.full((states, robot.nq), START), np.zeros((states, robot.nv))
    given = {"tau": np.zeros(robot.nv), "step": 0.0, "dt": DT}

    def advance(steps):
        begin = time.perf_counter()
        state, _ = kernel(steps, steps, q=q, qd=qd, **given)
        return time.perf_counter() - begin, state["q"][0]

    after = advance(COMPARED)[1]
    return states * steps / min(advance(steps)[0] for _ in range(rounds)), after


def measure(name, states, steps, rounds, folder):
    robot = px.load(name)
    step = plain_step(robot, "rk4", tau="always")
    paths = write_iteration(made_row(step.body), step.plan, folder, "step")
    ours = in_node(folder, OURS, robot.nq, states, steps, rounds)
    native, expected = native_rate(robot, step, states, steps, rounds)
    row = {
        "robot": name,
        "states": states,
        "bytes": Path(paths[0]).stat().st_size,
        "load_ms": ours["loaded"],
        "wasm": ours["rate"],
        "native": native,
        "error": peers.relative_error([ours["after"]], [expected]),
    }
    if Path(folder, "node_modules").exists() and robot.nq == robot.nv:
        peer = peers.MujocoPeer(peers.robot_file(name), DT)
        row |= mujocos(peer, folder, states * steps // 200, rounds)
    return row


def mujocos(peer, folder, steps, rounds):
    """MuJoCo's module on the same robot, without contacts and constraints."""
    Path(folder, "robot.xml").write_text(peer.spec.to_xml(), "utf-8")
    found = in_node(folder, MUJOCOS, max(steps, COMPARED), rounds)
    module = Path(folder, "node_modules/@mujoco/mujoco/mujoco.wasm")
    return {"mujoco": found["rate"], "mujoco_bytes": module.stat().st_size}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps and rounds")
    parser.add_argument("--json", type=Path, help="keep the results here")
    arguments = parser.parse_args()
    steps, rounds = (200, 2) if arguments.quick else (2000, 5)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "package.json").write_text('{"type": "module"}')
        install = ["npm", "install", "--silent", "@mujoco/mujoco"]
        subprocess.run(install, cwd=folder, check=False, capture_output=True)
        for name, states in ROBOTS.items():
            rows.append(measure(name, states, steps, rounds, folder))
    table = Table("robot", "module", "WebAssembly", "MuJoCo's", "CPU, 1 thread", "difference")
    for row in rows:
        own, peer = row["wasm"], row.get("mujoco")
        table.add_row(
            row["robot"],
            f"{row['bytes'] / 1024:.0f} kB",
            f"{own / 1e6:.2f} M steps/s",
            f"{peer / 1e6:.3f} ({own / peer:.0f}×)" if peer else "",
            f"{row['native'] / 1e6:.2f} ({row['native'] / own:.1f}×)",
            f"{row['error']:.0e}",
        )
    Console(width=110).print(table)
    if arguments.json:
        node = subprocess.check_output(["node", "--version"], text=True).strip().lstrip("v")
        found = {"machine": peers.machine(), "node": node, "rows": rows}
        peers.keep(found, arguments.json)


if __name__ == "__main__":
    main()
