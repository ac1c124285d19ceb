"""How long it takes from a robot to its equations, beside what the thesis prints for ARM.

In a process of its own for each arm, without the imports: the cheapest Program of inverse dynamics
and its C; and the closed form, which is what ARM derived for the PUMA.

    python benchmarks/generation.py [--json papers/paraxis_papers/counts/generation.json]
"""

import argparse
import subprocess
import sys
from pathlib import Path

import peers
from paraxis_papers.counts.dhanaraj_programs import ARMS
from rich.console import Console

RESULTS = Path(__file__).parents[1] / "papers/paraxis_papers/counts/generation.json"
CLOSED_FORM, ROUNDS = "lagrange_closed_form", 5
ONE = """
import sys, time
import paraxis as px
from paraxis_papers.counts.dhanaraj_programs import ARMS
robot = ARMS[sys.argv[1]]()
begun = time.perf_counter()
px.program(robot, algorithm=sys.argv[2] or None).to_c()
print(time.perf_counter() - begun)
"""


def seconds(arm, algorithm=""):
    """The best of a few processes: others can only make one slower."""
    words = [sys.executable, "-c", ONE, arm, algorithm]
    options = {"capture_output": True, "text": True, "check": True}
    done = (subprocess.run(words, **options) for _ in range(ROUNDS))
    return min(float(each.stdout) for each in done)


def measure():
    found = {arm: {"cheapest": seconds(arm)} for arm in ARMS}
    found["PUMA 560, 6 joints"]["closed form"] = seconds("PUMA 560, 6 joints", CLOSED_FORM)
    return {"machine": peers.machine(), "seconds": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help=f"write the figures, as {RESULTS.name}"
    )
    found = measure()
    peers.keep(found, parser.parse_args().json)
    for arm, times in found["seconds"].items():
        shown = ", ".join(f"{what} {time:.3f} s" for what, time in times.items())
        Console().print(f"{arm}: {shown}")


if __name__ == "__main__":
    main()
