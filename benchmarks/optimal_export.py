"""An exported solver beside the one it was exported from: a UR5 with limits, one problem, one core.

    python benchmarks/optimal_export.py

CPU time of the process. The numbers of C are those of Python, which is checked before timing.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import paraxis as px

HORIZON, ROUNDS, TICKS = 30, 100, 2000
LEVELS = ("-O2", "-O3 -march=native")
MAIN = """
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "reach.h"

static struct reach_work work;
static const double start[REACH_NX] = {{ {x0} }}, goal[REACH_NX / 2] = {{ {goal} }};
static const double expected[REACH_HORIZON * REACH_NU] = {{ {us} }};

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}}

int main(void)
{{
    double x[REACH_NX], u[REACH_NU], least = INFINITY, worst = 0, sum = 0, error = 0, taken;
    for (int r = 0; r < {rounds}; r++) {{
        reach_init(&work);
        taken = now();
        reach_solve(&work, start, goal, 100);
        taken = now() - taken;
        least = taken < least ? taken : least;
    }}
    for (int i = 0; i < REACH_HORIZON * REACH_NU; i++)
        error = fmax(error, fabs(reach_solution(&work)->knots[i / REACH_NU].u[i % REACH_NU]
                                 - expected[i]));
    printf("%g %g %d ", error, least, work.iterations);
    least = INFINITY;
    for (int i = 0; i < REACH_NX; i++)
        x[i] = start[i];
    for (int r = 0; r < {ticks}; r++) {{
        taken = now();
        reach_tick(&work, x, goal, u);
        taken = now() - taken;
        least = taken < least ? taken : least;
        worst = taken > worst ? taken : worst;
        sum += taken;
        for (int i = 0; i < REACH_NX; i++) /* as planned, and pushed now and then */
            x[i] = reach_solution(&work)->knots[0].x[i] + (r % 500 == 499 && i == 1 ? 0.1 : 0);
    }}
    printf("%g %g %g %zu\\n", least, sum / {ticks}, worst, sizeof work);
    return 0;
}}
"""


def solver_of():
    robot = px.load("ur5")

    def cost(q, qd, u, goal):
        return 0.5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 5e-4 * (u @ u)

    def terminal(q, qd, goal):
        return 100 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd))

    return px.optimal_control(
        robot, cost, HORIZON, dt=0.02, terminal=terminal, parameters={"goal": 6}, threads=1
    )


def measure(rounds=ROUNDS, ticks=TICKS):
    """us, by what was measured; `bytes` of the workspace."""
    solver = solver_of()
    x0, goal = np.zeros((1, 12)), np.linspace(0.5, 1.0, 6)
    x0[0, :6] = [0.3, -0.4, 0.2, 0.1, -0.3, 0.4]
    found = solver.solve(x0, goal=goal)
    if not found.solved.all():
        raise ArithmeticError("the problem that is timed is not solved")
    found_in = {"python": {"solve": _least(lambda: solver.solve(x0, goal=goal), rounds)}}
    found_in["python"]["iterations"] = int(found.iterations[0])
    warm = found.us
    found_in["python"]["two_rounds"] = _least(
        lambda: solver.solve(x0, us=warm, goal=goal, iterations=2), rounds
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        solver.export(folder, "reach")
        text = {"x0": x0[0], "goal": goal, "us": found.us.ravel()}
        text = {key: ", ".join(map(repr, each.tolist())) for key, each in text.items()}
        (folder / "main.c").write_text(MAIN.format(**text, rounds=rounds, ticks=ticks))
        for level in LEVELS:
            command = ["gcc", "-std=gnu99", *level.split(), "main.c", "reach.c", "-lm", "-o", "run"]
            subprocess.run(command, cwd=folder, check=True)
            printed = subprocess.run(["./run"], cwd=folder, check=True, capture_output=True).stdout
            error, solve, iterations, least, mean, worst, size = map(float, printed.split())
            if not error <= 1e-9 * abs(found.us).max():
                raise ArithmeticError(f"C {level}: controls are off by {error}")
            found_in[level] = {"solve": solve, "iterations": int(iterations), "tick": least}
            found_in[level] |= {"tick_mean": mean, "tick_worst": worst, "bytes": int(size)}
    return found_in


def _least(run, rounds):
    """The least CPU time of a call, in us."""
    times = []
    for _ in range(rounds):
        begin = time.process_time_ns()
        run()
        times.append(time.process_time_ns() - begin)
    return min(times) / 1e3


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    measured = measure()
    mine = measured.pop("python")
    print(
        f"Python: {mine['solve']:.0f} us per solve of {mine['iterations']} iterations, "
        f"{mine['two_rounds']:.0f} us for two rounds from a solution"
    )
    for level, row in measured.items():
        print(
            f"C {level}: {row['solve']:.0f} us per solve of {row['iterations']} iterations; a tick "
            f"{row['tick']:.0f} us at least, {row['tick_mean']:.0f} on average, "
            f"{row['tick_worst']:.0f} at most; {row['bytes']:,} bytes"
        )


if __name__ == "__main__":
    main()
