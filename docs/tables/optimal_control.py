"""Optimal control beside Crocoddyl and IPOPT, ticks of MPC, and an iteration on a GPU."""

from .text import device, machine, measured, plural, setting, times, with_notes

ARM = "a Panda of seven joints on a fixed base, 64 steps of 10 ms, no constraints"


def optimal_control(data):
    """One line per batch: an iteration of all its problems, beside Crocoddyl."""
    cores, whole = data["cores"], data["solution"]
    columns = [(t, n) for t in ("float64", "float32") for n in (1, cores)]
    rows = [["problems", *(f"{t}, {plural(n, 'thread')}" for t, n in columns)]]
    rows[0] += ["Crocoddyl, 1 thread", "over float64, 1 thread", "error of the cost"]
    for row in data["iteration"]:
        own = [row[f"{t}, {n}"] for t, n in columns]
        times_of = [f"{1e3 * each:.3g} ms" for each in (*own, row["crocoddyl"])]
        ratio = times(row["crocoddyl"] / own[0])
        rows.append([f"{row['batch']:,}", *times_of, ratio, f"{row['float64 error']:.0e}"])
    threaded = data["iteration"][0]["crocoddyl_threads"]
    note = (
        "One iteration of all problems: derivatives, Riccati recursion, forward pass and decision. "
        "Crocoddyl has no batch call: its problems are solved one by one, the best time of each is "
        "added up, and beyond 128 problems extrapolated. With "
        f"{cores} threads over the knots of one problem it takes {1e3 * threaded:.3g} ms."
    )
    optima = (
        f"{whole['batch']} problems solved to the optimum by public calls: Paraxis "
        f"{1e3 * whole['paraxis']:.0f} ms on {plural(cores, 'thread')}, Crocoddyl "
        f"{1e3 * whole['crocoddyl']:.0f} ms on 1. One problem by CasADi with IPOPT: "
        f"{1e3 * whole['ipopt, per problem']:.0f} ms. Costs differ by at most "
        f"{max(whole['crocoddyl error'], whole['ipopt error']):.0e}, relative."
    )
    return with_notes(
        rows,
        note,
        optima,
        setting(
            ARM,
            "iterations are timed inside the solver, without the call from Python",
            "compiling excluded",
            machine(data, "crocoddyl", "pin", "casadi"),
            "command: `make bench-optimal`",
        ),
    )


def mpc(data):
    """A tick, with and without limits of torques."""
    rows = [["limits", "median, CPU", "worst, CPU", "mean, wall", "worst, wall"]]
    for name, row in data.items():
        if name == "machine":
            continue
        found = row["process"]["median"], row["process"]["worst"]
        found += row["wall"]["mean"], row["wall"]["worst"]
        rows.append([name, *(f"{1e6 * each:,.0f} µs" for each in found)])
    note = (
        "Time of `mpc.tick`, by the CPU time of the process and by the clock on the wall, which "
        "includes whatever else the machine did meanwhile."
    )
    return with_notes(
        rows,
        note,
        setting(
            "a UR5 on a fixed base, horizon of 30 steps of 10 ms, one iteration per tick",
            "1 thread",
            "float64",
            "called from Python, call overhead included",
            machine(data),
            "command: `python benchmarks/mpc.py`",
        ),
    )


def gpu_optimal(data):
    """One line per dtype and batch: the passes of an iteration and all of it, on a GPU."""
    rows = [["problems", "dtype", "passes", "iteration", "per problem", "error"]]
    for row in measured(data):
        count, knots = f"{row['problems']:,}", row["knots_in_a_row"]
        rows.append(
            [
                f"{count}, in rows of {knots} knots" if knots else count,
                row["dtype"],
                f"{1e3 * row['passes']:.3g} ms",
                f"**{1e3 * row['iteration']:.3g} ms**",
                f"{1e6 * row['iteration'] / row['problems']:,.3g} µs",
                f"{row['error']:.0e}",
            ]
        )
    note = (
        "Passes: derivatives, Riccati recursion and forward pass, launched one by one. An "
        "iteration is these and the decision of the search for every problem, as one CUDA graph: "
        "that takes less time for few problems."
    )
    if any(row["knots_in_a_row"] for row in measured(data)):
        note += (
            " In rows: one problem, whose knots are shared among threads ([parallel in "
            "time](../howto/optimal/methods.md))."
        )
    note += (
        " The error is that of the controls against the CPU in float64, relative to the largest."
    )
    return with_notes(
        rows,
        note,
        setting(
            "an arm of seven joints with the lengths and masses of an iiwa14 on a fixed base, "
            f"{data['horizon']} steps of 10 ms, no constraints",
            "iterations are timed inside the solver, medians of 9, compiling excluded",
            "arrays on the GPU",
            device(data) if "device" in data else "",
            "command: `python benchmarks/gpu_optimal.py`",
        ),
    )


def answer(data, ticks):
    rows = {row["batch"]: row for row in data["iteration"]}
    one, many = rows[1], rows[128]
    key = "float64, 1"
    tick = next(row for name, row in ticks.items() if name != "machine")["process"]["median"]
    return (
        f"An iteration of 128 problems of a Panda with 64 steps takes {1e3 * many[key]:.2g} ms on "
        f"one thread, {times(many['crocoddyl'] / many[key])} faster than Crocoddyl, which solves "
        f"them one by one; a single problem is {times(one['crocoddyl'] / one[key])} faster. A tick "
        f"of model-predictive control of a UR5 takes {1e6 * tick:.0f} µs of CPU time."
    )


ANSWER = ("optimal_control", "mpc"), answer
TABLES = {
    "optimal_control": ("optimal_control", optimal_control),
    "mpc": ("mpc", mpc),
    "gpu_optimal": ("gpu_optimal", gpu_optimal),
}
