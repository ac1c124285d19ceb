"""CORDIC circuits: how long they take to make, how large they are, how fast their model is.

The model of the PUMA's inverse kinematics computes one solution per pose in integers, bit for bit
as the hardware does, beside px.kinematics.inverse_kinematics_solutions, which finds all eight.

    python benchmarks/cordic.py [--quick] [--json benchmarks/results/cordic.json]
"""

import argparse
import time
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px
from paraxis.hardware.circuits.dynamics_circuit import inverse_dynamics_tasks
from paraxis.hardware.circuits.kinematics_circuit import inverse_kinematics_tasks

PUMA = px.load("puma560")
CASES = {  # what -> how its tasks are found, how its circuit is made, of which robot
    "PUMA, inverse kinematics": (
        inverse_kinematics_tasks,
        px.hardware.inverse_kinematics_circuit,
        PUMA,
    ),
    "planar arm, torques": (
        inverse_dynamics_tasks,
        px.hardware.inverse_dynamics_circuit,
        px.load("planar3"),
    ),
    "PUMA, 3 joints, torques": (
        inverse_dynamics_tasks,
        px.hardware.inverse_dynamics_circuit,
        PUMA.subchain("link3", drop_rest=True),
    ),
    "PUMA, torques": (inverse_dynamics_tasks, px.hardware.inverse_dynamics_circuit, PUMA),
}
WORDS = (16, 20, 24, 28, 32)


def measure(what):
    """What a circuit is, how long that takes, and errors of its outputs by word."""
    tasks_of, make, robot = CASES[what]
    begin = time.perf_counter()
    tasks = tasks_of(robot)
    decomposed = time.perf_counter() - begin
    circuit = make(robot)
    begin = time.perf_counter()
    pipeline = circuit.pipeline
    buffered = time.perf_counter() - begin
    row = {"circuit": what, "tasks": len(tasks.tasks), "stages": pipeline.stages}
    row |= {"buffers": pipeline.buffers, "decompose_s": decomposed, "buffer_s": buffered}
    if make is px.hardware.inverse_dynamics_circuit:
        errors = {word: make(robot, word=word).errors()["tau"] for word in WORDS}
        row["torque_error"] = {word: float(error.max()) for word, error in errors.items()}
    return row


def measure_model(count, rounds):
    """Poses per second of the model, and of eight solutions in float64."""
    circuit = px.hardware.inverse_kinematics_circuit(PUMA)
    q = np.random.default_rng(7).uniform(-np.pi, np.pi, (count, PUMA.n))
    poses = px.forward_kinematics(PUMA, q)
    words, _ = circuit.quantised(pose=poses)
    seconds = take_turns(
        {
            "model": lambda: circuit.run(words),
            "solutions": lambda: px.kinematics.inverse_kinematics_solutions(PUMA, poses),
        },
        rounds,
        repeat=1,
    )
    return {"poses": count} | {f"{key}_per_s": count / each for key, each in seconds.items()}


def show(results, console):
    table = Table(title="Circuits of CORDIC processors; largest errors of torques by bits, N m")
    table.add_column("circuit", no_wrap=True)
    for heading in ("tasks", "stages", "buffers", "made, s", "buffered, s", *map(str, WORDS)):
        table.add_column(heading, justify="right")
    for row in results["rows"]:
        cells = [str(row[key]) for key in ("tasks", "stages", "buffers")]
        cells += [f"{row[key]:.2f}" for key in ("decompose_s", "buffer_s")]
        cells += [f"{error:.1e}" for error in row.get("torque_error", {}).values()]
        table.add_row(row["circuit"], *cells)
    console.print(table)
    model = results["model"]
    mine, eight = model["model_per_s"], model["solutions_per_s"]
    console.print(
        f"{model['poses']:,} poses: the bit-exact model {mine:,.0f} per second; eight solutions in "
        f"float64 {eight:,.0f} per second, {eight / mine:.1f} times as many"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer poses and rounds")
    parser.add_argument("--json", type=Path, default=None, help="e.g. results/cordic.json")
    options = parser.parse_args()
    console = Console(width=140)
    count, rounds = (2_000, 1) if options.quick else (100_000, 5)
    results = {"machine": peers.machine(), "rows": [measure(what) for what in CASES]}
    results["model"] = measure_model(count, rounds)
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
