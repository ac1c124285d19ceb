"""Forward dynamics, mass matrices and derivatives of a batch, beside Pinocchio and CasADi's C.

Pinocchio's Python package has a batch call for forward dynamics; the other functions are called
state by state in a Python loop over SAMPLE states. The overhead of such a call is measured: the
time of `pin.rnea` in a loop less that of `pin.rneaInParallel`, on one thread each.
"""

import numpy as np
import peers
from rich.table import Table
from setting import Setting, take_turns

import paraxis as px

ROBOTS = ("ur5", "xarm7", "g1_29dof")
FUNCTIONS = (
    "forward_dynamics",
    "mass_matrix",
    "mass_matrix_inverse",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
SAMPLE = 2_000
CHECKED = 500  # states
TOLERANCE = 1e-7


def measure(name, batch, rounds):
    """ns per state by function and peer, and what a call of Pinocchio from Python adds."""
    setting = Setting(name, batch)
    return {
        "call_overhead": call_overhead(setting, rounds),
        "functions": {name: measure_function(setting, name, rounds) for name in FUNCTIONS},
    }


def call_overhead(setting, rounds):
    """ns that a state costs more in a Python loop than in Pinocchio's own."""
    sample = min(SAMPLE, setting.batch)
    prepared = [array[:, :sample] for array in setting.prepared]
    runs = {
        "loop": setting.pinocchio.loop("inverse_dynamics", prepared, sample),
        "batch": lambda: setting.pinocchio.inverse_dynamics(*prepared),
    }
    best = take_turns(runs, rounds, repeat=2)
    return (best["loop"] - best["batch"]) / sample * 1e9


def measure_function(setting, function, rounds):
    """ns per state for every peer, the peers taking turns in each round."""
    pinocchio, prepared, batch = setting.pinocchio, setting.prepared, setting.batch
    program = px.program(setting.robot, function)
    kernels = {t: program.compile(threads=t) for t in (1, 2)}
    taken = len(program.inputs)
    mine, theirs = setting.mine[:taken], setting.theirs[:taken]
    # One set of results for all: the derivatives of a humanoid are more than a gigabyte.
    results = [np.empty((batch, *shape)) for shape in program.outputs.values()]
    out = results[0] if len(results) == 1 else tuple(results)
    reference = pinocchio.outputs(function, prepared, CHECKED)

    kernels[2](*mine, out=out)
    reordered = [setting.in_their_order(array[:CHECKED]) for array in results]
    row = {
        "flops": program.count().flops,
        "error": _checked("Paraxis", function, reordered, reference),
    }
    sample = min(SAMPLE, batch)
    runs = {
        ("paraxis", 1): lambda: kernels[1](*mine, out=out),
        ("paraxis", 2): lambda: kernels[2](*mine, out=out),
        ("pinocchio_calls", 1): pinocchio.loop(function, prepared, sample),
    }
    if function == "forward_dynamics":
        runs["pinocchio", 2] = lambda: pinocchio.forward_dynamics(*prepared, threads=2)
    try:
        casadi = peers.CasadiPeer(setting.path, function)
    except peers.TooSlow as reason:
        row["casadi_missing"] = str(reason)
    else:
        row["casadi_way"], row["casadi_operations"] = casadi.way, casadi.operations
        casadi(*theirs, threads=2, out=results)
        _checked("CasADi", function, [array[:CHECKED] for array in results], reference)
        runs["casadi_c", 2] = lambda: casadi(*theirs, threads=2, out=results)

    for (peer, t), seconds in take_turns(runs, rounds, repeat=2).items():
        states = sample if peer == "pinocchio_calls" else batch
        row.setdefault(peer, {})[str(t)] = seconds / states * 1e9
    return row


def _checked(peer, function, results, reference):
    """The worst error over the outputs; a peer that computes something else is not timed."""
    error = max(map(peers.relative_error, results, reference))
    if not error <= TOLERANCE:
        raise ArithmeticError(
            f"{function} by {peer}: expected Pinocchio's numbers within {TOLERANCE}, found {error}"
        )
    return error


def show(robots, batch, console):
    """Times, and how many times those of Paraxis on 2 threads they are."""
    rivals = {
        ("pinocchio", "2"): "Pinocchio, 2 threads",
        ("pinocchio_calls", "1"): "Pinocchio, calls",
        ("casadi_c", "2"): "CasADi C, 2 threads",
    }
    for name, robot in robots.items():
        table = Table(title=f"{name}, batch {batch:,}, float64: ns per state")
        table.add_column("function", no_wrap=True)
        for heading in (*rivals.values(), "Paraxis, 1 / 2 threads", "error"):
            table.add_column(heading, justify="right")
        for function, row in robot["functions"].items():
            own = row["paraxis"]
            found = [row.get(peer, {}).get(t) for peer, t in rivals]
            cells = [f"{ns:,.0f} ({ns / own['2']:.1f} x)" if ns else "" for ns in found]
            pair = f"{own['1']:,.1f} / {own['2']:,.1f}"
            table.add_row(function, *cells, pair, f"{row['error']:.0e}")
        console.print(table)
        console.print(f"{robot['call_overhead']:,.0f} ns of a call are not Pinocchio's arithmetic")
        for function, row in robot["functions"].items():
            if "casadi_missing" in row:
                console.print(f"{function}: no CasADi C, {row['casadi_missing']}")
