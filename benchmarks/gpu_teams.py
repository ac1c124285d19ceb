"""Steps of small batches on a GPU, by a thread for each state and by teams of 4, 8 and 16 warps.

A step is one graph, or the evaluations of RK4 are a stage that is repeated.

    python benchmarks/gpu_teams.py [--budget 80] [--prepare sm_90] [--only TEXT] [--json FILE]

Arms fall freely by steps of fourth-order Runge-Kutta. Each variant is compared with the CPU in
float64 after a few steps, and then timed over many. All kernels are compiled side by side first.
With `--prepare` they are compiled for such a GPU where there is none, and what is then in the
folder PARAXIS_CACHE need not be compiled beside the GPU, by the same NVRTC and the same sources.
"""

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import peers
from gpu_clock import Gpu
from gpu_optimal import Absent

import paraxis as px
from paraxis.simulation.bodies import plain_step
from paraxis.targets.cuda import team
from paraxis.targets.cuda.iterate import CudaIterateKernel

DT, SAMPLED, FEW_STEPS, STEPS = 1e-3, 64, 50, 1000
# whether evaluations are repeated, warps
KINDS = ((False, 1), (True, 1), (False, 4), (True, 4), (True, 8))
DTYPES = ("float64", "float32")
CASES = (("panda", 4096), ("ur5", 1000), ("panda", 16_384), ("ur5", 16_384))
# Teams are measured even where they promise nothing.
GAIN = team.GAIN = 0.0
team.MOST_NODES = dict.fromkeys(DTYPES, 10_000)
MANY = 1_000_000  # states, whose rate others are compared with


class Fixed(CudaIterateKernel):
    """The kernel of an arm's steps by teams of so many warps, whatever the batch."""

    def __init__(self, name, dtype, in_turns, warps, on=None):
        step = plain_step(px.load(name), "rk4", (), None, None, None, None, None, ())
        body, plan = step.in_turns if in_turns else (step.body, step.plan)
        super().__init__(body, plan, dtype, on)
        self._warps = warps

    def way(self, states):
        return self._warps

    @property
    def _parts(self):
        return *super()._parts, GAIN


def prepare(name, dtype, in_turns, warps, architecture):
    """Compile a kernel and keep it; how long that took."""
    begin = time.perf_counter()
    kernel = Fixed(name, dtype, in_turns, warps, Absent(architecture))
    kernel.steps_at_once(1), kernel.loaded(warps)
    return time.perf_counter() - begin


def prepared(cases, architecture, say=print):
    """Compile all kernels, side by side."""
    wanted = dict.fromkeys((name, *rest) for name, _, *rest in cases)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs = {pool.submit(prepare, *each, architecture): each for each in wanted}
        for job in as_completed(jobs):
            say(f"{' '.join(map(str, jobs[job]))}: compiled in {job.result():.1f} s")


def start_of(name, count):
    """Positions and rates; the first of many are the few."""
    robot = px.load(name)
    drawn = 0.5 * np.random.default_rng(7).uniform(-1, 1, (count, 2, robot.nv))
    return {"q": drawn[:, 0], "qd": drawn[:, 1]}


def measure(gpu, name, states, dtype, in_turns, warps):
    """A row; steps are timed by the GPU's clock, of one launch after another."""
    kernel = Fixed(name, dtype, in_turns, warps)
    given = {key: gpu.to_device(np.asarray(x, dtype)) for key, x in start_of(name, states).items()}
    given |= {"step": 0.0, "dt": DT}
    final, _ = kernel(FEW_STEPS, FEW_STEPS, **given)
    some = start_of(name, SAMPLED)
    beside = px.simulate(px.load(name), some["q"], some["qd"], dt=DT, steps=FEW_STEPS, limits=False)
    found, right = gpu.to_host(final["q"][:SAMPLED]).astype(float), beside.q[-1]
    steps = STEPS if states < MANY else FEW_STEPS
    seconds = gpu.seconds(lambda: kernel(steps, steps, **given))
    here = kernel.loaded(warps)
    return {
        "robot": name,
        "states": states,
        "dtype": dtype,
        "in_turns": in_turns,
        "warps": warps,
        "us_per_step": 1e6 * seconds / steps,
        "steps_per_s": states * steps / seconds,
        "registers": here.launcher.registers,
        "spilled": here.launcher.spilled,
        "shared": here.shared,
        "error": float(abs(found - right).max() / max(1.0, abs(right).max())),
    }


def told(row):
    kind = "in turns" if row["in_turns"] else "whole"
    return (
        f"{row['robot']:>5} {row['states']:>9,} {row['dtype']} {kind:>8} "
        f"{row['warps']:2} warps: "
        f"{row['us_per_step']:8.2f} us per step, {row['steps_per_s'] / 1e9:6.3f} G steps/s, "
        f"{row['registers']} registers, {row['spilled']} B spilled, {row['shared'] >> 10} KiB "
        f"shared, error {row['error']:.0e}"
    )


def all_cases():
    cases = [(*case, dtype, *kind) for case in CASES for dtype in DTYPES for kind in KINDS]
    many = [(name, MANY) for name in dict.fromkeys(name for name, _ in CASES)]
    alone = [kind for kind in KINDS if kind[1] == 1]
    return cases + [(*case, dtype, *kind) for case in many for dtype in DTYPES for kind in alone]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", type=float, default=80.0)
    parser.add_argument("--prepare", default=None, metavar="ARCHITECTURE")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    begin = time.perf_counter()
    cases = [case for case in all_cases() if options.only in " ".join(map(str, case))]
    if options.prepare:
        return prepared(cases, options.prepare)
    gpu, rows = Gpu(), []
    prepared(cases, f"sm_{gpu.about()['compute_capability']}")
    for case in cases:
        if time.perf_counter() - begin > options.budget:
            print(f"{case}: not begun, the budget of {options.budget:g} s is used up")
            continue
        rows.append(measure(gpu, *case))
        print(told(rows[-1]), flush=True)
        gpu.free()
    peers.keep(gpu.about() | {"rows": rows}, options.json)


if __name__ == "__main__":
    main()
