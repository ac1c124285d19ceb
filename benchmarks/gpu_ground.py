"""Steps per second of legged robots on flat ground on a GPU, float32, with the CPU's numbers.

    python benchmarks/gpu_ground.py [--robots 8192] [--steps 200] [--only go2 g1] [--folder FOLDER]
        [--json FILE]

Robots are those of benchmarks/ground.py, from example-robot-data or from go2.urdf and
g1_29dof_rev_1_0.urdf in a folder. First all kernels are compiled, in processes side by side, where
the CPU computes what is compared, too. Then each is checked and timed alone:

- positions after a few steps, of some of the robots, beside the CPU's in float64: they may be as
  far off as twenty times what the CPU's float32 is, or 2e-5;
- after all steps, which are timed: whether all robots are finite, and how high they stand beside
  those of the CPU;
- steps by a single call of `run`, and by calls of `step`, which are queued one after another.
"""

import argparse
import os
import time
from multiprocessing import get_context
from pathlib import Path

import legged
import numpy as np
import peers
from gpu_clock import Gpu

MAKERS = {"go2": legged.go2, "g1": legged.g1}
LAWS = ("hard", "soft")
GOALS = {"go2": 30e6, "g1": 10e6}  # steps per second of 8,192 robots on an H200, by the hard law
SAMPLED, FEW, CALLS, ROUNDS = 64, 20, 100, 3
WORSE, LEAST = 20.0, 2e-5  # than the CPU's float32; an error that is allowed in any case
HIGHER = 1e-3  # m


def on_the_cpu(name, law, steps, folder):
    """What the CPU finds for some of the robots, and how far its float32 is from that."""
    case = MAKERS[name](folder)
    q, qd = single(case.states(SAMPLED))
    found = {}
    for dtype in ("float64", "float32"):
        simulator = case.simulator(law, dtype)
        simulator.reset(q, qd)
        few = simulator.run(steps=FEW, every=FEW).q[-1]
        end = simulator.run(steps=steps, every=steps)
        found[dtype] = {"few": few, "height": end.q[-1, :, 2].mean()}
    right = found["float64"]
    return right | {"float32": peers.relative_error(found["float32"]["few"], right["few"])}


def single(arrays):
    """Numbers that float32 has, too."""
    return [array.astype("float32").astype(float) for array in arrays]


def prepare(name, law, steps, folder, gpu=None):
    """Compile a kernel, and have the CPU's results: what a process of its own does."""
    begin = time.perf_counter()
    gpu = gpu or Gpu()
    case = MAKERS[name](folder)
    simulator, _, _ = started(gpu, case, law, 2)
    simulator.step()
    gpu.wait()
    compiled = time.perf_counter() - begin
    return on_the_cpu(name, law, steps, folder) | {"compiled_s": compiled}


def started(gpu, case, law, robots):
    q, qd = map(gpu.to_device, single(case.states(robots)))
    simulator = case.simulator(law, "float32")
    simulator.reset(q, qd)
    return simulator, q, qd


def measure(gpu, name, law, robots, steps, folder, right):
    """A row: rates, registers, and whether the numbers are those of the CPU."""
    case = MAKERS[name](folder)
    simulator, q, qd = started(gpu, case, law, robots)
    few = gpu.to_host(simulator.run(steps=FEW, every=FEW).q[-1, :SAMPLED])
    simulator.run(steps=steps, every=steps)
    end = gpu.to_host(simulator.state.q)
    error = peers.relative_error(few, right["few"])
    apart = abs(end[:SAMPLED, 2].mean() - right["height"])
    row = {"robot": name, "law": law, "robots": robots, "steps": steps, "error": error}
    row |= {"allowed": max(WORSE * right["float32"], LEAST), "height_apart_m": float(apart)}
    row["finite"] = bool(np.isfinite(end).all())
    kernel = simulator.kernel(simulator.commanded(None)[0])
    launcher = kernel.loaded(kernel.way(robots)).launcher
    row |= {"registers": launcher.registers, "spilled": launcher.spilled}

    def run():
        return simulator.run(steps=steps, every=steps)

    def call():
        for _ in range(CALLS):
            simulator.step()

    simulator.reset(q, qd)
    row["steps_per_s"] = robots * steps / best(gpu, run)
    simulator.step()
    row["step_calls_per_s"] = robots * CALLS / best(gpu, call)
    simulator.reset(q, qd)
    run()  # again from the beginning: the numbers that were timed
    residual = gpu.to_host(simulator.run().residual[-1])
    row["residual"] = np.quantile(residual, [0.5, 0.99]).tolist()
    row["compiled_s"] = right["compiled_s"]
    return row


def best(gpu, run):
    """The least seconds of a few runs, each until its results are there."""
    passed = []
    for _ in range(ROUNDS):
        gpu.wait()
        begin = time.perf_counter()
        run()
        gpu.wait()
        passed.append(time.perf_counter() - begin)
    return min(passed)


def wrong(row):
    """What is wrong with the numbers of a row, or nothing."""
    if not row["finite"]:
        return "WRONG: a robot is not finite"
    if not row["error"] <= row["allowed"]:
        return f"WRONG: {row['error']:.1e} off, allowed {row['allowed']:.1e}"
    if not row["height_apart_m"] <= HIGHER:
        return f"WRONG: stands {row['height_apart_m']:.1e} m higher or lower"
    return ""


def show(row):
    middle, high = row["residual"]
    goal = GOALS.get(row["robot"]) if row["law"] == "hard" else None
    reached = f" ({row['steps_per_s'] / goal:.2f} of the goal)" if goal else ""
    print(
        f"{row['robot']:4} {row['law']}: {row['steps_per_s'] / 1e6:7.1f} M steps/s{reached}; by "
        f"calls of step {row['step_calls_per_s'] / 1e6:.1f} M; {row['registers']} registers, "
        f"{row['spilled']} bytes spilled; compiled in {row['compiled_s']:.0f} s\n"
        f"          error {row['error']:.1e} (allowed {row['allowed']:.1e}), "
        f"heights {row['height_apart_m']:.1e} m apart, residual {middle:.0e}, 99 % below "
        f"{high:.0e} m/s {wrong(row)}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--only", nargs="*", choices=tuple(MAKERS), default=tuple(MAKERS))
    parser.add_argument("--folder", type=Path, help="of URDF files")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    given = parser.parse_args()
    begin, gpu = time.perf_counter(), Gpu()
    cases = [(name, law) for name in reversed(given.only) for law in LAWS]
    workers = min(len(cases), len(os.sched_getaffinity(0)))
    with get_context("spawn").Pool(workers) as pool:
        jobs = [(name, law, given.steps, given.folder) for name, law in cases]
        made = dict(zip(cases, pool.starmap(prepare, jobs, chunksize=1), strict=True))
    print(
        f"{gpu.about()['device']}: compiled after {time.perf_counter() - begin:.0f} s", flush=True
    )
    rows = []
    for name in given.only:
        for law in LAWS:
            right = made[name, law]
            row = measure(gpu, name, law, given.robots, given.steps, given.folder, right)
            rows.append(row)
            show(row)
    peers.keep(gpu.about() | {"rows": rows}, given.json)
    print(f"{time.perf_counter() - begin:.0f} s in all")
    if any(map(wrong, rows)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
