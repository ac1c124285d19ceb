"""Optimal control on a GPU: an iteration of a batch of problems of a seven-joint arm, 64 steps.

    python benchmarks/gpu_optimal.py [--budget 80] [--only TEXT] [--prepare sm_90] [--json FILE]

What the GPU finds in three iterations is compared with the CPU in float64, for a sample of the
problems, before anything is timed. "passes" are the derivatives, the Riccati recursion and the step
forward alone; "iteration" is a whole round of a search, with the decision about every problem. Both
are times on the wall until the GPU is done, medians of several. Cells are measured in an order in
which the most telling come first, and none is begun after the budget in seconds, most of which is
compiling. `--only "in rows"` measures cells with that in their names.

With `--prepare` everything is compiled for such a GPU where there is none; what is then in the
folder PARAXIS_CACHE need not be compiled beside the GPU, by the same NVRTC and the same sources.
"""

import argparse
import statistics
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import peers
from gpu_clock import Gpu

import paraxis as px
from paraxis.optimal import parallel_time
from paraxis.optimal.search import Search
from paraxis.optimal.work import Work
from paraxis.robots import Inertia, Joint, Pose
from paraxis.targets.cuda.arrays import Family
from paraxis.targets.cuda.device import CuPyDevice
from paraxis.targets.target import Cuda

HORIZON, DT, ITERATIONS, SAMPLE, REPEATS = 64, 0.01, 3, 16, 9
TOLERANCE = {"float64": 1e-7, "float32": 2e-2}  # of controls, relative to the largest
# dtype, problems, the shortest row of knots, or 0 for no rows
CELLS = (
    ("float32", 1, 0),
    ("float32", 128, 0),
    ("float32", 4096, 0),
    ("float64", 1, 0),
    ("float64", 128, 0),
    ("float64", 4096, 0),
    ("float32", 1, 16),
    ("float32", 1, 4),
    ("float64", 1, 4),
)
# An arm with the lengths and masses of an iiwa14: where each joint is in the one before, turned by
# roll, pitch and yaw, and mass, centre and principal moments of its body
QUARTER = np.pi / 2
LINKS = (
    ((0, 0, 0.1575), (0, 0, 0), 5.76, (0, -0.03, 0.12), (0.033, 0.0333, 0.0123)),
    ((0, 0, 0.2025), (QUARTER, 0, np.pi), 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.0304, 0.011)),
    ((0, 0.2045, 0), (QUARTER, 0, np.pi), 3.5, (0, 0.03, 0.13), (0.025, 0.0238, 0.0076)),
    ((0, 0, 0.2155), (QUARTER, 0, 0), 3.5, (0, 0.067, 0.034), (0.017, 0.0164, 0.006)),
    ((0, 0.1845, 0), (-QUARTER, np.pi, 0), 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449)),
    ((0, 0, 0.2155), (QUARTER, 0, 0), 1.8, (0, 0.0006, 0.0004), (0.0049, 0.0047, 0.0036)),
    ((0, 0.081, 0), (-QUARTER, np.pi, 0), 1.2, (0, 0, 0.02), (0.001, 0.001, 0.001)),
)
HOME = np.array([0.0, 0.6, 0.0, -1.2, 0.0, 0.9, 0.0])


def arm():
    joints, bodies = [], []
    for k, (at, angles, mass, centre, moments) in enumerate(LINKS):
        pose = Pose.from_rpy(at, angles)
        joints.append(Joint(f"joint{k + 1}", "revolute", k - 1, pose, axis=(0, 0, 1)))
        bodies.append(Inertia.of(mass, centre, moments))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.Robot("iiwa14", joints, bodies)


def solver_of(robot, dtype, in_rows, horizon):
    def cost(q, qd, u, goal):
        return DT * (5 * (q - goal) @ (q - goal) + 0.05 * qd @ qd + 1e-3 * u @ u)

    def terminal(q, qd, goal):
        return 1e3 * (q - goal) @ (q - goal) + 1e2 * qd @ qd

    return px.optimal_control(
        robot, cost, horizon, dt=DT, terminal=terminal, limits=False, dtype=dtype,
        parameters={"goal": robot.nq}, parallel_in_time=in_rows,
    )  # fmt: skip


def problems(robot, count, home):
    """Where they begin, their goals and the torques that hold them there. The first of many are the
    few: every problem is drawn whole before the next."""
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (count, 2, robot.nq))
    q = home + 0.3 * drawn[:, 0]
    x0 = np.concatenate([q, np.zeros_like(q)], -1)
    return x0, q + 0.2 * drawn[:, 1], px.gravity_torques(robot, q)


def given(robot, count, home, horizon):
    x0, goals, holding = problems(robot, count, home)
    return x0, goals, np.repeat(holding[:, None], horizon, 1)


class Cell:
    """A Work of a batch on the target where its arrays are."""

    def __init__(self, solver, x0, goals, us, target=None):
        given = {"x0": x0, "goal": goals, "us": us}
        self.solver, self.target = solver, target or solver.target(given)
        _, self.arrays = solver.arrays(self.target, given)
        count = len(x0)
        self.work = Work(solver.problem, solver.horizon, count, self.target, solver.dtype)
        self.search = Search(self.work, 1e-9, 1e-6)  # one, of which a GPU records the rounds

    def begun(self):
        """A search whose first trajectory is made."""
        self.solver.begin(self.work, self.arrays)
        for law in self.work.here.law.values():
            law[...] = 0.0
        search = self.search
        search.begin()
        search.state("within")[...] = 0.0  # none is done before the last iteration
        search.round()
        return search

    def found(self):
        """Controls after the iterations that are timed."""
        with self.target.stream():
            search = self.begun()
            for _ in range(ITERATIONS):
                search.round()
            us = search.work.here.u[:, :SAMPLE]
            return np.array(us.get() if hasattr(us, "get") else us, float)

    def seconds(self, wait):
        """(of the passes, of an iteration)."""
        passes, rounds = [], []
        with self.target.stream():
            for _ in range(REPEATS):
                search = self.begun()
                here, there = self.work.here, self.work.there
                wait()
                begin = time.perf_counter()
                for _ in range(ITERATIONS):
                    here.go()
                    there.judge()
                wait()
                passes.append((time.perf_counter() - begin) / ITERATIONS)
                search = self.begun()
                wait()
                begin = time.perf_counter()
                for _ in range(ITERATIONS):
                    search.round()
                wait()
                rounds.append((time.perf_counter() - begin) / ITERATIONS)
        return statistics.median(passes), statistics.median(rounds)


def named(dtype, count, row):
    return f"{dtype} {count:>5}" + (f", in rows of {row}" if row else "")


@contextmanager
def rows_of(knots):
    """Rows may be as short as that meanwhile; 0 is for no rows."""
    usual = parallel_time.SHORTEST
    parallel_time.SHORTEST = knots or usual
    try:
        yield
    finally:
        parallel_time.SHORTEST = usual


class Absent(CuPyDevice):
    """A GPU that is not here: kernels are compiled for it and kept, and compute nothing."""

    arrays, number, start = np, 0, None
    most_shared = 227 << 10  # of an H100 or H200

    def __init__(self, architecture):
        self._architecture = architecture

    @property
    def architecture(self):
        return self._architecture

    @property
    def description(self):
        from cupy.cuda import nvrtc

        return self.architecture, nvrtc.getVersion()

    def load(self, binary, name):
        return lambda *arguments: None

    def address(self, array):
        return array.ctypes.data

    def in_main_memory(self, array):
        return array


def prepare(robot, home, architecture, cells=CELLS, horizon=HORIZON, say=print):
    """Compile what cells need, and keep it."""
    device = Absent(architecture)
    for dtype, count, row in cells:
        begin = time.perf_counter()
        arrays = (np.asarray(each, dtype) for each in given(robot, count, home, horizon))
        with rows_of(row), np.errstate(all="ignore"):  # there are no numbers
            solver = solver_of(robot, dtype, bool(row), horizon)
            Cell(solver, *arrays, Cuda(device, Family(device))).found()
        say(f"{named(dtype, count, row)}: compiled in {time.perf_counter() - begin:.1f} s")


def measure(robot, home, there, wait, cells=CELLS, horizon=HORIZON, budget=np.inf, say=print):
    """Rows of cells; `there` puts an array on the GPU."""
    began, rows = time.perf_counter(), []
    cpu = solver_of(robot, "float64", False, horizon)
    reference = Cell(cpu, *given(robot, SAMPLE, home, horizon)).found()
    for dtype, count, row in cells:
        name = named(dtype, count, row)
        if time.perf_counter() - began > budget:
            say(f"{name}: not begun, the budget of {budget:g} s is used up")
            continue
        arrays = given(robot, count, home, horizon)
        expected = reference[:, :count]
        begin = time.perf_counter()
        with rows_of(row):
            solver = solver_of(robot, dtype, bool(row), horizon)
            cell = Cell(solver, *(there(np.asarray(each, dtype)) for each in arrays))
        error = abs(cell.found() - expected).max() / abs(expected).max()
        compiled = time.perf_counter() - begin
        if not error <= TOLERANCE[dtype]:
            say(f"{name}: WRONG, controls differ by {error:.1e} of the largest; not timed")
            continue
        passes, iteration = cell.seconds(wait)
        rows.append(
            {
                "dtype": dtype,
                "problems": count,
                "knots_in_a_row": row,
                "passes": passes,
                "iteration": iteration,
                "first": compiled,
                "error": float(error),
            }
        )
        say(
            f"{name}: passes {1e3 * passes:7.3f} ms, iteration {1e3 * iteration:7.3f} ms, "
            f"error {error:.0e}, first {compiled:.0f} s"
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", type=float, default=80.0)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--prepare", default=None, metavar="ARCHITECTURE")
    options = parser.parse_args()
    cells = [cell for cell in CELLS if options.only in named(*cell)]
    if not cells:
        parser.error(
            f"--only {options.only!r}: no cell has that in its name; there are "
            f"{', '.join(repr(named(*cell)) for cell in CELLS)}"
        )
    if options.prepare:
        return prepare(arm(), HOME, options.prepare, cells)
    import cupy  # here, because the rest is tested without a GPU

    wait = cupy.cuda.Device().synchronize
    rows = measure(arm(), HOME, cupy.asarray, wait, cells, budget=options.budget)
    peers.keep(Gpu().about() | {"horizon": HORIZON, "rows": rows}, options.json)


if __name__ == "__main__":
    main()
