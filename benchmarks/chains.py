"""One long chain: forward and inverse dynamics, serially and as a scan, beside Pinocchio.

The chain is a general one: no two of its links are alike, and no number is zero. For each length a
new process times all contenders in turns and compares them with a reference in extended precision.
Another process for each contender measures its peak memory, everything included: the interpreter,
its libraries, the robot as objects and as arrays, and what the contender keeps.

    python benchmarks/chains.py [--most 16] [--json benchmarks/results/chains.json]

Errors are max|d| / max(1, max|reference|). The residual of accelerations is the difference between
the given torques and those that the accelerations need (in extended precision), divided by the
largest moment at any joint: a torque is one component of such a moment, and is known no better. The
residual of the reference rounded to float64 is measured as well, because a long chain amplifies
even that rounding.
"""

import argparse
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import chain_reference as reference
import numpy as np
import peers
from general_chain import error, general_chain, state_of
from peers.pinocchio_chain import LONGEST, REASON, PinocchioChain
from rich.console import Console
from rich.table import Table

import paraxis as px
from paraxis.chains.links import links

RESULTS = Path(__file__).parent / "results" / "chains.json"
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")
ALGORITHMS = ("serial", "scan")  # of Paraxis
# The same by other algorithms: function, algorithm, order of px.chains.chain_dynamics.
OTHERS = {
    "constraint_force, reduction": ("forward_dynamics", "constraint_force", "odd_even_reduction"),
    "constraint_force, elimination": (
        "forward_dynamics",
        "constraint_force",
        "odd_even_elimination",
    ),
    "divide_and_conquer": ("forward_dynamics", "divide_and_conquer", "odd_even_reduction"),
    "logarithmic, doubling": ("inverse_dynamics", "logarithmic_newton_euler", "kogge_stone"),
    "logarithmic, reduction": (
        "inverse_dynamics",
        "logarithmic_newton_euler",
        "odd_even_reduction",
    ),
}
CLOSED = "closed"  # forward dynamics by scan with the tip pinned
LONGEST_OF_OTHERS = 2**18  # links: odd-even elimination keeps a kilobyte of each
PINOCCHIO = "pinocchio"
ROUNDED = "rounded"  # the reference as float64, which no result in float64 can be better than
LENGTHS = tuple(2**k for k in range(6, 21))
MIXED = (4_096, 65_536)  # lengths at which one joint in four slides
QUADRUPLE = 65_536  # links, up to which the reference is in quadruple precision
SECONDS = 0.003  # that calls which are timed together last at least


# -- contenders -----------------------------------------------------------------------------------


def contender(name, robot):
    """{function: callable on three vectors}."""
    if name == CLOSED:
        pin = px.Contact.pinned()
        return {"forward_dynamics": lambda *x: px.constrained_forward_dynamics(robot, *x, pin).qdd}
    if name in OTHERS:
        function, *how = OTHERS[name]
        return {function: px.chains.chain_dynamics(robot, function, *how)}
    if name == PINOCCHIO:
        chain = PinocchioChain(links(robot))
        return {function: getattr(chain, function) for function in FUNCTIONS}
    made = {"forward_dynamics": px.forward_dynamics, "inverse_dynamics": px.inverse_dynamics}
    return {
        function: lambda *state, call=call: call(robot, *state, algorithm=name)
        for function, call in made.items()
    }


def contenders(n):
    return (*((PINOCCHIO,) if n <= LONGEST else ()), *ALGORITHMS)


def also(n):
    """Contenders that are only timed and compared."""
    return (*(OTHERS if n <= LONGEST_OF_OTHERS else ()), CLOSED)


# -- what is measured ------------------------------------------------------------------------------


def measure(n, sliding, rounds):
    """ns per link and errors of every contender, by function."""
    robot = general_chain(n, sliding)
    q, qd, qdd, tau = state_of(robot)
    made = {name: contender(name, robot) for name in (*contenders(n), *also(n))}
    runs = {
        (function, name): lambda call=calls[function], last=last: call(q, qd, last)
        for function, last in (("forward_dynamics", tau), ("inverse_dynamics", qdd))
        for name, calls in made.items()
        if function in calls
    }
    row = {"n": n, "sliding": sliding, **{function: {} for function in FUNCTIONS}}
    for (function, name), seconds in take_turns(runs, rounds).items():
        row[function].setdefault("ns_a_link", {})[name] = seconds / n * 1e9
    arm, quad = links(robot), n <= QUADRUPLE and reference.can_compile()
    row["reference"] = "quadruple" if quad else "long double"
    exact = {
        "forward_dynamics": reference.forward_dynamics(arm, q, qd, tau, quad=quad),
        "inverse_dynamics": reference.inverse_dynamics(arm, q, qd, qdd, quad=quad)[0],
    }
    for (function, name), run in runs.items():
        if name != CLOSED:
            row[function].setdefault("error", {})[name] = error(run(), exact[function])

    def residual(found):
        needed, load = reference.inverse_dynamics(arm, q, qd, found)
        return float(abs(needed - tau).max() / load.max())

    row["forward_dynamics"]["residual"] = {
        ROUNDED: residual(exact["forward_dynamics"].astype(float)),
        **{name: residual(runs["forward_dynamics", name]()) for name in contenders(n)},
    }
    return row


def take_turns(runs, rounds):
    """The best seconds of each, a round of all after the other."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for key, run in runs.items():
            best[key] = min(best[key], peers.best_time(run, 5, min_seconds=SECONDS))
    return best


def peak_memory(n, sliding, name):
    """MiB of this process when one contender has computed both functions."""
    robot = general_chain(n, sliding)
    q, qd, qdd, tau = state_of(robot)
    calls = contender(name, robot)
    calls["forward_dynamics"](q, qd, tau)
    calls["inverse_dynamics"](q, qd, qdd)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(function, *arguments):
    """What a function gives in a process of its own, whose memory is its own too."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


# -- what is printed -------------------------------------------------------------------------------


def crossover(rows, function, fast, slow):
    """The shortest chain from which on `fast` is faster, and how many times as fast it then is."""
    both = [
        (row["n"], row[function]["ns_a_link"][slow] / row[function]["ns_a_link"][fast])
        for row in rows
        if {fast, slow} <= row[function]["ns_a_link"].keys()
    ]
    paid = None
    for n, ratio in reversed(both):
        if ratio <= 1:
            break
        paid = n
    return {"from": paid, "ratios": {str(n): ratio for n, ratio in both}}


def crossovers(rows):
    rows = [row for row in rows if row["sliding"] == 0]
    pairs = [(name, "serial") for name in ALGORITHMS if name != "serial"]
    pairs += [(name, PINOCCHIO) for name in ALGORITHMS]
    return {
        function: {
            f"{fast} over {slow}": crossover(rows, function, fast, slow) for fast, slow in pairs
        }
        for function in FUNCTIONS
    }


def show(results, console):
    names = (PINOCCHIO, *ALGORITHMS)
    for function in FUNCTIONS:
        table = Table(title=f"{function.replace('_', ' ')} of one chain, float64: ns per link")
        table.add_column("links", justify="right", no_wrap=True)
        others = [name for name, (which, *_) in OTHERS.items() if which == function]
        others += [CLOSED] if function == "forward_dynamics" else []
        heads = [*names, *others, *(f"error of {name}" for name in names)]
        residuals = (ROUNDED, *names) if function == "forward_dynamics" else ()
        heads += [f"residual of {name}" for name in residuals]
        heads += ["MiB, scan"] if residuals else []
        for head in heads:
            table.add_column(head, justify="right")
        for row in results["rows"]:
            found = row[function]
            cells = [_cell(found["ns_a_link"].get(name), "{:,.0f}") for name in (*names, *others)]
            cells += [_cell(found["error"].get(name), "{:.0e}") for name in names]
            if residuals:
                cells += [_cell(found["residual"].get(name), "{:.0e}") for name in residuals]
                cells.append(_cell(row["memory_mib"].get("scan"), "{:,.0f}"))
            table.add_row(f"{row['n']:,}{' mixed' if row['sliding'] else ''}", *cells)
        console.print(table)
        for pair, found in results["crossovers"][function].items():
            if found["from"] is None:
                console.print(f"{pair}: never faster at the longest chain of both")
            else:
                best = max(found["ratios"].values())
                console.print(
                    f"{pair}: faster from {found['from']:,} links on, {best:.1f} x at best"
                )
    console.print(f"Pinocchio ends at {LONGEST:,} links: {REASON}")


def _cell(value, form):
    return "" if value is None else form.format(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=20, help="chains of up to 2^MOST links")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=160)
    cases = [(n, 0.0) for n in LENGTHS] + [(n, 0.25) for n in MIXED]
    rows = []
    for n, sliding in cases:
        if n <= 2**options.most:
            with console.status(f"a chain of {n:,} links"):
                row = apart(measure, n, sliding, options.rounds)
                row["memory_mib"] = {
                    name: apart(peak_memory, n, sliding, name) for name in contenders(n)
                }
            rows.append(row)
    results = {
        "machine": peers.machine(),
        "rows": rows,
        "crossovers": crossovers(rows),
        "pinocchio_ends": {"links": LONGEST, "reason": REASON},
    }
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()
