"""Inverse dynamics of a batch, beside Pinocchio and CasADi's C, as generated and vectorised."""

import numpy as np
import peers
from rich.table import Table
from setting import Setting, take_turns

import paraxis as px

THREADS = (1, 2)
HEADINGS = {
    "pinocchio": "Pinocchio",
    "casadi_c": "CasADi C",
    "casadi_lanes": f"CasADi C, {peers.LANES} lanes",
    "paraxis": "Paraxis",
    "paraxis_columns": "columns",
    "paraxis_float32": "float32",
}


def measure(name, batch, rounds):
    """ns per state for every peer and thread count, the peers taking turns in each round."""
    setting = Setting(name, batch)
    pinocchio, prepared = setting.pinocchio, setting.prepared
    casadi = peers.CasadiPeer(setting.path)
    vectorised = peers.CasadiPeer(setting.path, lanes=peers.LANES)
    program = px.program(setting.robot)
    kernels = {t: program.compile(threads=t) for t in THREADS}
    singles = {t: program.compile(threads=t, dtype="float32") for t in THREADS}

    mine, theirs = setting.mine, setting.theirs
    columns = [np.asfortranarray(array) for array in mine]
    halves = mine.astype(np.float32)
    out, out_columns, out_halves = (np.empty_like(x[0]) for x in (mine, columns, halves))
    out_casadi = [np.empty_like(theirs[0])]
    runs = {}
    for t in THREADS:
        runs["pinocchio", t] = lambda t=t: pinocchio.inverse_dynamics(*prepared, threads=t)
        runs["casadi_c", t] = lambda t=t: casadi(*theirs, threads=t, out=out_casadi)
        runs["casadi_lanes", t] = lambda t=t: vectorised(*theirs, threads=t, out=out_casadi)
        runs["paraxis", t] = lambda t=t: kernels[t](*mine, out=out)
        runs["paraxis_columns", t] = lambda t=t: kernels[t](*columns, out=out_columns)
        runs["paraxis_float32", t] = lambda t=t: singles[t](*halves, out=out_halves)

    reference = np.array(runs["pinocchio", 1]())
    runs["paraxis", 1]()
    error = peers.relative_error(setting.in_their_order(out), reference)
    row = {"n": setting.robot.n, "error": error, "flops": program.count().flops}
    for (peer, t), seconds in take_turns(runs, rounds, repeat=3).items():
        row.setdefault(peer, {})[str(t)] = seconds / batch * 1e9
    return row


def show(robots, batch, console):
    """Times, and their ratios."""
    table = Table(title=f"Inverse dynamics, batch {batch:,}, float64: ns per state (1 / 2 threads)")
    for heading in ("robot", "joints", *HEADINGS.values(), "error"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, row in robots.items():
        cells = [" / ".join(f"{row[key][str(t)]:.1f}" for t in THREADS) for key in HEADINGS]
        table.add_row(name, str(row["n"]), *cells, f"{row['error']:.0e}")
    console.print(table)
    table = Table(title="How many times faster Paraxis is (2 threads against 2 threads)")
    rivals = ("pinocchio", "casadi_c", "casadi_lanes")
    for heading in ("robot", *(HEADINGS[rival] for rival in rivals)):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, row in robots.items():
        ratios = [row[rival]["2"] / row["paraxis"]["2"] for rival in rivals]
        table.add_row(name, *(f"{ratio:.1f} x" for ratio in ratios))
    console.print(table)
