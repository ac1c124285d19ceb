"""Write measurements and operation counts into README.md and pages of docs/.

    python benchmarks/cpu.py --json benchmarks/results/cpu.json
    python docs/make_plot.py
    python docs/make_tables.py            (with --check: only report whether pages are out of date)

A page has pairs of markers, <!-- table:cpu --> and <!-- /table:cpu -->; the text between them
is replaced. No number that code can compute is typed by hand.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results/cpu.json"
MOTION = {
    "table:compile_times": "compile_times",
    "table:simulation": "simulation",
    "table:inverse_kinematics": "inverse_kinematics",
    "table:chains": "chains",
    "table:closed_loop": "closed_loop",
    "table:unsynchronised": "unsynchronised",
    "table:circuits": "cordic",
    "table:floating_base": "floating_base",
    "table:simulator": "simulator",
    "table:ground": "ground",
    "table:environments": "environments",
    "table:simulation_gradients": "simulation_gradients",
    "table:optimal_control": "optimal_control",
    "table:mpc": "mpc",
    "table:gpu_calls": "gpu_calls",
    "table:gpu_small_batches": "gpu_small_batches",
    "table:gpu_grid": "gpu_grid",
    "table:gpu_first": "gpu_grid",
    "table:browser": "browser",
    "table:cluster": "cluster",
    "table:cluster_rows": "cluster",
}
PAGES = (
    *(ROOT / "README.md", ROOT / "docs/performance.md", ROOT / "docs/howto/models/joints.md"),
    *(
        ROOT / f"docs/howto/simulation/{name}.md"
        for name in ("simulator", "ground", "environments", "gradients")
    ),
    *(ROOT / "docs/howto/codegen/browser.md", ROOT / "docs/howto/cluster/cluster.md"),
)
PLOT = ROOT / "docs/images/cpu.svg"

# key in the results -> the name people read
PEERS = {"pinocchio": "Pinocchio", "casadi_c": "CasADi", "casadi_lanes": "CasADi + gcc vectors"}
LAYOUTS = {"paraxis": "rows", "paraxis_columns": "columns", "paraxis_float32": "rows, float32"}
ONE_STATE = {
    "pin.rnea": "`pin.rnea(model, data, q, qd, qdd)`",
    "px.inverse_dynamics": "`px.inverse_dynamics(robot, q, qd, qdd)`",
    "kernel": "`kernel(q, qd, qdd)`",
    "kernel_out": "`kernel(q, qd, qdd, out=tau)`",
}
FUNCTIONS = {
    "forward_dynamics": "forward dynamics",
    "mass_matrix": "mass matrix",
    "mass_matrix_inverse": "its inverse",
    "inverse_dynamics_derivatives": "inverse dynamics, derivatives",
    "forward_dynamics_derivatives": "forward dynamics, derivatives",
}
FLOATING = (  # Pinocchio has the first two for batches
    *("inverse_dynamics", "forward_dynamics", "mass_matrix"),
    *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
)
# peer, threads -> heading; Pinocchio has only forward dynamics for batches
RIVALS = {
    ("pinocchio", "2"): "Pinocchio, 2 threads",
    ("pinocchio_calls", "1"): "Pinocchio, calls one by one",
    ("casadi_c", "2"): "CasADi, 2 threads",
}
SINCOS = 19  # operations of the multiplying kind in a sine and cosine (targets/cpu/text/trig.py)
MARKED = re.compile(r"(<!-- (\w+:\w+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def counted():
    """marker -> text, for what needs no measurement."""
    import paraxis as px

    program = px.program(px.load("ur5"))
    count, depth = program.count(), program.depth()
    pairs = count.trig // 2
    example = f"""```python
program = px.program(robot, "inverse_dynamics")
print(program.count())  # {count}
print(program.depth().flops)  # depth {depth.flops}: the time with unlimited processors
print(program)  # every operation, as text that px.parse reads back
kernel = program.compile(dtype="float32", threads=2)
```"""
    limit = f"""The UR5 costs {count.mul} multiplications, {count.add} additions and {pairs} pairs
of sine and cosine. A pair costs {SINCOS} operations of the kind that multiplies. The measured
machine does one multiplication or fused multiply-add on eight doubles per cycle, and additions on
other units at the same time. So no kernel for these operations can take less than
({count.mul} + {pairs}·{SINCOS}) / 8 ≈ {(count.mul + pairs * SINCOS) / 8:.0f} cycles per state."""
    return {
        "example:counts": example,
        "text:limit": limit,
        "text:chain": chain_work(),
        "table:cordic": cordic_table(),
    }


def cordic_table():
    """Lee and Chang's pipeline beside ours, as `paraxis report cordic` counts them."""
    from paraxis_papers.cordic.circuits import balanced, circuit, printed_tasks
    from paraxis_papers.printed import printed

    paper = printed("lee_chang")["cordic"]
    lines = balanced(printed_tasks()), circuit().pipeline
    rows = [["inverse kinematics of a PUMA", "Lee and Chang 1988", "their equations", "ours"]]
    for key in ("processors", "stages", "buffers"):
        known = paper["buffer_stages" if key == "buffers" else key]
        rows.append([key, *map(str, (known, *(getattr(line, key) for line in lines)))])
    return f"{markdown(rows)}\n\nCORDIC processors, a new pose every stage; the fewest buffers."


def chain_work():
    """What the sweeps along a chain compute, from their bodies."""
    from paraxis.chains.bodies import along
    from paraxis.chains.recursions.link import REVOLUTE

    def flops(*names):
        return sum(along(name, REVOLUTE, True).work for name in names)

    alone = flops("spin_free", "inward_free", "outward_free")
    rows = flops("spin", "inward", "outward")
    inverse, in_rows = flops("motion_free", "torque"), flops("reach", "motion", "torque")
    return f"""One link after another, articulated bodies cost {alone:,} flops per link (a sine and
cosine count as 50). In segments they cost {rows:,}, {rows / alone:.1f} times as much: for the end
of a segment, its response to a force is needed, a 6×6 matrix through every joint. That is the price
of segments that run in parallel, in the lanes of a register and on all cores. Inverse dynamics:
{inverse:,} and {in_rows:,}."""


def measured(data):
    """marker -> text, for everything the results hold."""
    made = {"table:cpu": cpu_table(data), "table:machine": machine(data)}
    for count in thread_counts(data):
        made[f"table:threads{count}"] = robots_table(data, count)
    made["table:layouts"] = layouts_table(data)
    if "functions" in data:
        made["table:ratios"] = ratios_table(data["functions"])
        made["table:functions"] = functions_table(data["functions"])
    if "one_state" in data:
        made["table:one_state"] = one_state_table(data["one_state"])
    if "start" in data:
        made["table:start"] = start_table(data["start"], data.get("largest"))
    return made


def thread_counts(data):
    """The thread counts that were measured, fewest first."""
    counts = {count for robot in data["robots"].values() for count in robot["paraxis"]}
    return sorted(counts, key=int)


def cpu_table(data):
    """The robots with as many threads as were measured, and under what conditions."""
    threads = thread_counts(data)[-1]
    return f"{robots_table(data, threads)}\n\n{conditions(data, threads)}"


def robots_table(data, threads):
    """One line a robot: the time a state, and in parentheses how many times ours it is."""
    robots = data["robots"]
    peers = [peer for peer in PEERS if any(peer in robot for robot in robots.values())]
    rows = [["robot", "joints", *(PEERS[peer] for peer in peers), "Paraxis", "difference"]]
    for name, robot in robots.items():
        own = robot["paraxis"][threads]
        row = [name, str(robot["n"])]
        for peer in peers:
            time = robot.get(peer, {}).get(threads)
            row.append(f"{short(time)} ns ({times(time / own)})" if time else "")
        rows.append([*row, f"**{short(own)} ns**", f"{robot['error']:.0e}"])
    return markdown(rows)


def layouts_table(data):
    """Our own times by the layout of the arrays."""
    kinds = [kind for kind in LAYOUTS if any(kind in robot for robot in data["robots"].values())]
    counts = thread_counts(data)
    heads = [f"{LAYOUTS[kind]}, {plural(int(n), 'thread')}" for kind in kinds for n in counts]
    rows = [["robot", *heads]]
    for name, robot in data["robots"].items():
        found = [robot.get(kind, {}).get(n) for kind in kinds for n in counts]
        rows.append([name, *(f"{short(time)} ns" if time else "" for time in found)])
    return markdown(rows)


def conditions(data, threads):
    """What was measured and on what, in one paragraph."""
    about = data["machine"]
    versions = [f"{PEERS[p]} {about[key]}" for p, key in VERSIONS.items() if key in about]
    compiler = f", gcc {about['gcc']}" if about.get("gcc") else ""
    cores = plural(int(threads), "thread")
    return (
        f"Inverse dynamics, time per state in a batch of {data['batch']:,} states, "
        f"{data['dtype']}, {cores}, on {about['cpu']}; {', '.join(versions)}{compiler}. In "
        "parentheses: how many times as long as Paraxis. The difference is max|Δ| / max(1, max|τ|) "
        "against Pinocchio, "
        "worst state. On your machine: `make bench`."
    )


VERSIONS = {"pinocchio": "pin", "casadi_c": "casadi"}


def machine(data):
    """Everything known about the machine, as a list."""
    rows = [("batch", f"{data['batch']:,} states"), ("dtype", data["dtype"])]
    for key, value in data["machine"].items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        rows.append((key.replace("_", " "), shown))
    return "\n".join(f"- {key}: {value}" for key, value in rows)


def functions_table(robots):
    """One line per robot and function: times per state, and how many times ours they are."""
    rows = [["robot, function", *RIVALS.values(), "Paraxis, 2 threads", "1 thread", "difference"]]
    for name, robot in robots.items():
        for function, found in robot["functions"].items():
            own = found["paraxis"]
            peers = [found.get(peer, {}).get(threads) for peer, threads in RIVALS]
            cells = [f"{short(t)} ns ({times(t / own['2'])})" if t else "" for t in peers]
            cells += [f"**{short(own['2'])} ns**", f"{short(own['1'])} ns"]
            rows.append([f"{name}, {FUNCTIONS[function]}", *cells, f"{found['error']:.0e}"])
    return "\n\n".join([markdown(rows), *functions_notes(robots)])


def functions_notes(robots):
    """What a call costs beside its arithmetic, and which peers are missing and why."""
    extra = ", ".join(f"{short(robot['call_overhead'])} ns ({k})" for k, robot in robots.items())
    yield (
        "Pinocchio's calls one by one are a Python loop on one thread. Of each call, about "
        f"{extra} are not its arithmetic: this is how much longer `pin.rnea` takes in such a loop "
        "than `pin.rneaInParallel` on one thread."
    )
    for name, robot in robots.items():
        for function, found in robot["functions"].items():
            if "casadi_missing" in found:
                yield f"No CasADi for {name}, {FUNCTIONS[function]}: {found['casadi_missing']}."


def ratios_table(robots):
    """One line per function, one column per robot: Pinocchio's and CasADi's times over ours."""
    rows = [["how many times faster than Pinocchio / CasADi", *robots]]
    for function, heading in FUNCTIONS.items():
        row = [heading]
        for robot in robots.values():
            found = robot["functions"][function]
            own = found["paraxis"]["2"]
            pinocchio = found.get("pinocchio", {}).get("2") or found["pinocchio_calls"]["1"]
            casadi = found.get("casadi_c", {}).get("2")
            row.append(f"{times(pinocchio / own)} / {times(casadi / own) if casadi else '–'}")
        rows.append(row)
    return markdown(rows)


def one_state_table(times):
    """What one call from Python costs."""
    rows = [["call", "time"]]
    rows += [[text, f"{short(times[key])} ns"] for key, text in ONE_STATE.items() if key in times]
    return markdown(rows)


def start_table(start, largest):
    """What the first call costs, and that of the largest kernel."""
    rows = [["step", "time"], ["`import paraxis`", seconds(start["import_s"])]]
    for kind, key in (("nothing cached", "first_call_cold_s"), ("cached", "first_call_cached_s")):
        rows += [
            [f"first call, {name}, {kind}", seconds(value)]
            for name, value in start.get(key, {}).items()
        ]
    if largest:
        what = f"first call, {largest['robot']}, {FUNCTIONS[largest['function']]}"
        memory = f"{largest['cold_peak_mib'] / 1024:.1f} GiB"
        rows.append([f"{what}, nothing cached", f"{seconds(largest['cold_s'])}, {memory}"])
        rows.append([f"{what}, cached", seconds(largest["cached_s"])])
    return markdown(rows)


def cluster_rows(found):
    """What a cluster costs as measured, and what it was meant to cost."""
    states, stored, loops = (found[name] for name in ("states", "stored", "loops"))
    processes = ", ".join(
        f"{number}: {rate / 1e6:,.1f} M" for number, rate in found["processes"].items()
    )
    overhead, start = found["overhead"], found["start"]

    def two(row, which=""):
        spread = f" ({min(row['ratios']):.2f} to {max(row['ratios']):.2f})" if not which else ""
        clock = f"{row['ratio' + which]:.2f}{spread} by the clock"
        return f"{clock}, {row['cpu_ratio' + which]:.2f} by CPU of"

    rows = [
        (
            "inverse dynamics of a UR5, nothing stored",
            f"{two(states)} one process with as many threads ({states['total']:.2g} states, "
            f"{states['cluster'] / 1e6:,.1f} M/s)",
            "0.85",
        ),
        (
            f"the same into Zarr ({stored['bytes'] / 1e9:.3g} GB a round)",
            f"{two(stored)} writing alone",
            "0.85",
        ),
        ("", f"{two(stored, '_of_both')} computing and writing, each alone", ""),
        (
            f"{loops['count']:,} closed loops into Zarr",
            f"{two(loops)} one call in one process ({loops['sweep']:,.0f}/s)",
            "0.85",
        ),
        (
            "overhead per block",
            f"{1e3 * overhead['here']:.1f} ms in one process, "
            f"{1e3 * overhead['cluster']:.1f} ms on the cluster",
            "10 ms",
        ),
        (
            "from the start of Python to the first block",
            f"{start['here']:.1f} s in one process, {start['cluster']:.1f} s with two workers",
            "3 s",
        ),
        ("tasks per second of a scheduler", f"{found['tasks_per_s']:,.0f}", ""),
        ("states per second by processes", processes, ""),
    ]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"\n| what | measured, on two cores | aim |\n| --- | --- | --- |\n{lines}"


def cluster_tables(found):
    """The same, and what a scheduler leaves of a cluster as simulated."""
    seconds = sorted({row["seconds"] for row in found["load"]})
    busy = {(row["workers"], row["seconds"]): row["busy"] for row in found["load"]}
    heads = " | ".join(f"blocks of {each:g} s" for each in seconds)
    load = "\n".join(
        f"| {workers:,} workers | "
        + " | ".join(f"{busy[workers, each]:.0%}" for each in seconds)
        + " |"
        for workers in sorted({workers for workers, _ in busy})
    )
    rate = f"{found['tasks_per_s']:,.0f}"
    return (
        f"{cluster_rows(found)}\n\n"
        f"The share of time in which workers are at work, at {rate} tasks per second:\n\n"
        f"| | {heads} |\n|---|{'---:|' * len(seconds)}\n{load}\n\n"
    )


def motion(folder):
    """marker -> text, for benchmarks with results of their own in the same folder."""
    tables = {
        "compile_times": compile_times_table,
        "simulation": simulation_table,
        "inverse_kinematics": inverse_kinematics_table,
        "chains": chains_table,
        "closed_loop": closed_loop_table,
        "unsynchronised": unsynchronised_table,
        "circuits": circuits_table,
        "floating_base": floating_base_table,
        "simulator": simulator_table,
        "ground": ground_table,
        "environments": environments_table,
        "simulation_gradients": simulation_gradients_table,
        "optimal_control": optimal_control_table,
        "mpc": mpc_table,
        "gpu_calls": gpu_calls_table,
        "gpu_small_batches": gpu_small_batches_table,
        "gpu_grid": gpu_grid_table,
        "gpu_first": gpu_first_table,
        "browser": browser_table,
        "cluster": cluster_tables,
        "cluster_rows": cluster_rows,
    }
    files = {marker: folder / f"{name}.json" for marker, name in MOTION.items()}
    return {
        marker: tables[marker.removeprefix("table:")](json.loads(path.read_text()))
        for marker, path in files.items()
        if path.is_file()
    }


# marker -> what is said before it, as without a run on a GPU there is nothing
GPU = {
    "table:gpu": "On a GPU, with arrays of CuPy, PyTorch or JAX:",
    "table:gpu_functions": "On a GPU (`benchmarks/gpu.py`):",
    "table:gpu_peers": "JAX on the same GPU:",
    "table:gpu_transfers": "Arrays that are not on the GPU:",
    "table:gpu_loops": "Simulation and closed loops on the GPU, all steps in one call:",
    "table:gpu_chains": "One long chain on the GPU:",
}
# function, type -> heading of the short table
GPU_SHOWN = {
    ("inverse_dynamics", "float32"): "inverse dynamics, float32",
    ("inverse_dynamics", "float64"): "float64",
    ("forward_dynamics", "float32"): "forward dynamics, float32",
    ("forward_dynamics", "float64"): "float64",
    ("inverse_dynamics_derivatives", "float32"): "derivatives, float32",
}
GPU_KINDS = [(dtype, layout) for dtype in ("float32", "float64") for layout in ("rows", "columns")]


def on_gpu(folder):
    """marker -> text, from a run on a GPU."""
    path = folder / "gpu.json"
    if not path.is_file():
        return {}
    data = json.loads(path.read_text())
    texts = (gpu_table, gpu_functions, gpu_peers, gpu_transfers, gpu_loops, gpu_chains)
    return {
        marker: f"{said}\n\n{text(data)}"
        for (marker, said), text in zip(GPU.items(), texts, strict=True)
    }


def gpu_table(data):
    """One line per robot: states per second of the better layout, as a share of a copy's speed."""
    found = measured_on_gpu(data)
    robots = list(dict.fromkeys(robot for robot, *_ in found))
    rows = [["robot", *GPU_SHOWN.values()]]
    for robot in robots:
        cells = []
        for function, dtype in GPU_SHOWN:
            both = [found.get((robot, function, dtype, layout)) for layout in ("rows", "columns")]
            best = max(filter(None, both), key=lambda row: row["states_per_s"], default=None)
            cells.append(gpu_cell(best))
        rows.append([robot, *cells])
    return f"{markdown(rows)}\n\n{gpu_conditions(data)}"


def gpu_conditions(data):
    """What was measured and on what, and how many times faster than JAX it is."""
    copy = data["copy"]["best"] / 1e12
    text = (
        f"States per second on one {data['device']}, arrays of some gigabytes in its memory; in "
        f"parentheses: bytes read and written per second, as a share of a plain copy's "
        f"({copy:.2f} TB/s in the same run){measured_with(data)}."
    )
    ratios = []
    for peer, row, own in gpu_rivals(data):
        if row["robot"] == "panda" and row["dtype"] == "float32":
            what = row["function"].replace("_", " ")
            ratios.append(f"{times(own / row['states_per_s'])} {peer}'s {what}")
    return f"{text} For a panda in float32 that is {' and '.join(ratios)}." if ratios else text


def measured_with(data):
    """The version that was measured, as results of a GPU may be older than the code."""
    version = data.get("versions", {}).get("paraxis")
    return f", with Paraxis {version}" if version else ""


def measured_on_gpu(data):
    """(robot, function, type, layout) -> row, of those that were measured."""
    keys = ("robot", "function", "dtype", "layout")
    return {tuple(row[key] for key in keys): row for row in data["rows"] if "states_per_s" in row}


def gpu_cell(row):
    if row is None:
        return "–"
    return f"{giga(row['states_per_s'])} ({row['percent_of_copy']:.0f}%)"


def giga(rate):
    return f"{rate / 1e9:.1f} G" if rate >= 1e10 else f"{short(rate / 1e6)} M"


def gpu_functions(data):
    """One table per robot: every function in both types and layouts, and what limits it."""
    found = measured_on_gpu(data)
    parts = []
    for robot in dict.fromkeys(robot for robot, *_ in found):
        heads = [f"{dtype}, {layout}" for dtype, layout in GPU_KINDS]
        rows = [[f"{robot}", *heads, "operations", "of peak", "registers", "spilled", "error"]]
        for function in dict.fromkeys(name for own, name, *_ in found if own == robot):
            kinds = [found.get((robot, function, *kind)) for kind in GPU_KINDS]
            known = [row for row in kinds if row]
            rows.append(
                [function.replace("_", " "), *map(gpu_cell, kinds)]
                + [f"{known[0]['operations']:,}", spread(known, "percent_of_peak", "{:.0f}%")]
                + [spread(known, "registers", "{}"), spread(known, "spilled", "{:,} B")]
                + [spread(known, "error", "{:.0e}")]
            )
        parts.append(markdown(rows))
    missing = [
        f"- {row['robot']}, {row['function']}, {row['dtype']}, {row['layout']}: {row['missing']}"
        for row in data["rows"]
        if "missing" in row
    ]
    note = (
        f"{gpu_conditions(data)} Operations are per state, a fused multiply-add being two; "
        "the peak is that of all multiprocessors at their highest clock. Ranges are over types and "
        "layouts. The error is max|Δ| / max(1, max|reference|) against the CPU in float64, the "
        "worst state of a sample; for forward dynamics it is the residual torque."
    )
    if missing:
        note += "\n\nNot measured:\n\n" + "\n".join(missing)
    return "\n\n".join([*parts, note])


def spread(rows, key, form):
    """The least and the most of a value, or the one there is."""
    values = sorted(row[key] for row in rows if row.get(key) is not None)
    ends = [form.format(value) for value in (*values[:1], *values[-1:])]
    return " – ".join(dict.fromkeys(ends))


def gpu_rivals(data):
    """(peer, its fastest row, our states per second) for each robot, function and type."""
    found, best = measured_on_gpu(data), {}
    for row in data.get("peers", []):
        if "states_per_s" not in row:
            continue
        key = row["peer"], row["robot"], row["function"], row["dtype"]
        if key not in best or row["states_per_s"] > best[key]["states_per_s"]:
            best[key] = row
    for (peer, *key), row in best.items():
        own = found.get((*key, "rows"))
        if own:
            yield peer, row, own["states_per_s"]


def gpu_peers(data):
    """One line per peer, robot and function: the fastest variant that it has."""
    rows = [["robot, function", "peer", "states per second", "Paraxis is faster by", "error"]]
    for peer, row, own in gpu_rivals(data):
        what = f"{row['robot']}, {row['function'].replace('_', ' ')}, {row['dtype']}"
        rate = row["states_per_s"]
        rows.append(
            [what, f"{peer}, {row['way']}", giga(rate), times(own / rate), f"{row['error']:.0e}"]
        )
    versions = data["versions"]
    return (
        f"{markdown(rows)}\n\nJAX {versions.get('jax', '–')}, vmapped and jitted, on the same "
        "device in the same run, rows of states: frax 0.1 on the same URDF file, and Newton and "
        "Euler's and Featherstone's recursions written in jax.numpy. Only the fastest variant of "
        "each is listed."
    )


def gpu_transfers(data):
    """One line per robot, function and type: each part of a call on NumPy's arrays."""
    heads = ("to the GPU", "kernel", "back", "states per second", "from pinned memory")
    rows = [["robot, function", *heads]]
    for row in data.get("transfers", []):
        if "missing" in row:
            continue
        parts = [seconds(row["pageable"][key]) for key in ("to_s", "on_s", "back_s")]
        rates = [giga(row[kind]["states_per_s"]) for kind in ("pageable", "pinned")]
        what = f"{row['robot']}, {row['function'].replace('_', ' ')}, {row['dtype']}"
        rows.append([what, *parts, *rates])
    return f"{markdown(rows)}\n\nNumPy's arrays in, NumPy's arrays out, transfers included."


def gpu_loops(data):
    """One line per loop."""
    rows = [["what", "robots", "steps", "time", "steps per second", "difference from the CPU"]]
    for row in data.get("loops", []):
        if "missing" in row:
            continue
        more = f", {row['policy']}" if "policy" in row else ""
        if row.get("every", row["steps"]) < row["steps"]:
            more += f", every {row['every']}th state kept"
        rows.append(
            [
                f"{row['what']} of {row['robot']}{more}",
                f"{row['states']:,}",
                f"{row['steps']:,}",
                seconds(row["seconds"]),
                giga(row["steps_per_s"]),
                f"{row['error']:.0e}",
            ]
        )
    return f"{markdown(rows)}\n\nfloat64, fourth-order Runge-Kutta, 1 ms per step."


def gpu_chains(data):
    """One line per length and function."""
    heads = ("time", "per link", "one CPU core, serial", "memory", "error")
    rows = [["function, links", *heads]]
    for row in data.get("chains", []):
        if "missing" in row:
            continue
        rows.append(
            [
                f"{row['function'].replace('_', ' ')}, {row['n']:,}",
                f"{row['ms']:.2f} ms",
                f"{row['ms'] * 1e6 / row['n']:.1f} ns",
                f"{row['serial_ms']:.1f} ms ({times(row['times_serial'])})",
                f"{row['gpu_mib']:,.0f} MiB" if row["gpu_mib"] >= 0 else "–",
                f"{row['error']:.0e}" if "error" in row else "–",
            ]
        )
    return (
        f"{markdown(rows)}\n\nfloat64, no two links alike. The error is against extended "
        "precision, relative to the largest result."
    )


SHOWN_CHAINS = (64, 256, 1024, 4096, 16384, 65536, 2**18, 2**20)  # links


def chains_table(data):
    """One line per length: forward and inverse dynamics, ns per link, and the former's error."""
    kinds = ("pinocchio", "serial", "scan")
    heads = [
        f"{what}: {who}"
        for what in ("forward", "inverse")
        for who in ("Pinocchio", "serial", "scan")
    ]
    rows = [["links", *heads, "error", "memory"]]
    for row in data["rows"]:
        if row["sliding"] or row["n"] not in SHOWN_CHAINS:
            continue
        cells = [f"{row['n']:,}"]
        for function in ("forward_dynamics", "inverse_dynamics"):
            found = row[function]["ns_a_link"]
            least = min(found[kind] for kind in kinds if kind in found)
            for kind in kinds:
                shown = short(found[kind]) if kind in found else "–"
                cells.append(f"**{shown}**" if found.get(kind) == least else shown)
        cells.append(f"{row['forward_dynamics']['error']['scan']:.0e}")
        rows.append([*cells, f"{row['memory_mib']['scan'] / 1024:.1f} GiB"])
    about = data["machine"]
    return (
        f"{markdown(rows)}\n\nOne state of one chain, no two links alike: ns per link, float64, on "
        f"{about['cpu']}. Pinocchio {about['pin']} and serial: one core; scan: two. Pinocchio "
        f"stops at {data['pinocchio_ends']['links']:,} links. The error is that of the scan's "
        "accelerations, against quadruple precision up to 65,536 links, and beyond that against "
        "long double, whose own error it may be. Memory is that of the process, with the robot."
    )


def simulation_table(data):
    """One line per robot and batch: robot steps per second, and over the peers'."""
    rows = [["robots", "threads", "MuJoCo", "Pinocchio", "Paraxis", "only the last state kept"]]
    for row in data["rows"]:
        own = row["paraxis_all"]
        peers = [
            f"{million(row[key])} ({times(own / row[key])})" for key in ("mujoco", "pinocchio")
        ]
        found = [f"**{million(own)}**", million(row["paraxis"])]
        rows.append([f"{row['batch']:,} {row['robot']}", str(row["threads"]), *peers, *found])
    about = data["machine"]
    note = (
        "Million robot steps per second, fourth-order Runge-Kutta, every state recorded, on "
        f"{about['cpu']}; in parentheses: how many times as fast Paraxis is. MuJoCo "
        f"{about['mujoco']}: `rollout`. Pinocchio {about['pin']}: four calls of `abaInParallel` "
        "per step (`aba` for one robot), and no integration."
    )
    return f"{markdown(rows)}\n\n{note}"


def simulator_table(data):
    """What a step costs, over what it is compared with in the same run."""
    rows = [["", "time", "rate, over that of"]]

    def add(what, seconds_, *over):
        ratios = "; ".join(f"{other / seconds_:.2f}× {name}" for name, other in over)
        rows.append([what, micro(seconds_), ratios])

    for row in data["steps"]:
        who = f"{row['robots']:,} {row['robot']}"
        run = row["last_only"]
        beside = ("`px.simulate`", row["simulate"]), ("a run that keeps the last state", run)
        add(f"{who}, a call of `step`", row["step"], *beside)
        add(f"{who}, `step(u, 10)`, per step", row["ten_steps"], *beside)
        if row["robots"] > 1:
            add("the same run within limits", row["with_limits"], ("no limits", run))
    row = data["controllers"]
    for method in ("rk4", "semi_implicit_euler"):
        what = f"PID with a reference per step, `{method}`"
        add(what, row[method]["pid"], ("no controller", row[method]["bare"]))
    for row in data["calls"]:
        names = {"same": "the same controller", "other_numbers": "a controller with other gains"}
        for key, name in names.items():
            what = f"a whole call of `px.simulate`, one {row['robot']} and one step, {name}"
            add(what, row[key], ("no controller", row["without"]))
    row = data["gradient"]
    what = f"{row['robots']:,} {row['robot']} on the ground, step and gradient"
    add(what, row["both"], ("the step", row["forward"]))
    note = f"On {plural(data['machine']['cores'], 'core')} of an {data['machine']['cpu']}, float64."
    return f"{markdown(rows)}\n\n{note}"


def ground_table(data):
    """One line per way to step: rates, over MuJoCo's quickest, and what is left unsolved."""
    called = {
        "rollout": f"MuJoCo {data['machine']['mujoco']}, `rollout`",
        "batch": "`mujoco.batch`",
        "rollout, loose": f"`rollout`, tolerance {data['loose']:g}",
        "hard, tolerance 1e-5": "hard law",
        "hard, tolerance 1e-4": "hard law, `tolerance=1e-4`",
        "soft, tolerance 1e-5": "soft law",
        "soft, tolerance 1e-4": "soft law, `tolerance=1e-4`",
    }
    rows = [["million steps per second"]]
    for name in data["rows"]:
        rows[0] += [name, "over MuJoCo's quickest", "left unsolved"]
    for way, name in called.items():
        rows.append([name])
        for row in data["rows"].values():
            theirs = max(r for each, r in row["rates"].items() if not each.startswith(OURS))
            rate, left = row["rates"][way], row["unsolved"].get(way)
            over = times(rate / theirs) if way.startswith(OURS) else ""
            rows[-1] += [million(rate), over, f"{left[1]:.0e}" if left else ""]
    first = next(iter(data["rows"].values()))
    about = data["machine"]
    note = (
        f"{first['robots']:,} robots that stand under a PD law, {first['steps']} steps of "
        f"{data['dt'] * 1e3:g} ms, float64, {about['cores']} threads of an {about['cpu']}. Left "
        "unsolved: how far the rates after a step are from those that its solver finds when it "
        "goes on to the end, largest of a robot, 99 % quantile over steps and robots."
    )
    return f"{markdown(rows)}\n\n{note}"


OURS = "hard", "soft"  # laws


def environments_table(data):
    """One line per environment: its steps per second, over its peer's."""
    peers = {"balance": "CartPole-v1", "walk": "mujoco.rollout"}
    called = {
        "CartPole-v1": "gymnasium's CartPole-v1 in NumPy, Euler steps",
        "mujoco.rollout": "`mujoco.rollout`, the same robot, motors and feet",
    }
    order = ("balance", "CartPole-v1", "reach", "walk", "mujoco.rollout")
    rows = [["thousand environment steps per second"]]
    rows[0] += [f"{row['robots']:,} robots" for row in data["rows"]]
    for name in order:
        for kind in ("",) if name in called else (" float64", " float32"):
            rows.append([called.get(name, f"`{name}`,{kind}")])
            for row in data["rows"]:
                rate = row[name + kind]
                over = f" ({times(rate / row[peers[name]])})" if name in peers else ""
                rows[-1].append(f"{rate / 1e3:,.0f}{over}")
    return markdown(rows)


def simulation_gradients_table(data):
    """One line per case: times over that of `px.simulate` with the same records."""
    rows = [["", "gradient", "run and gradient"]]
    for row in data["rows"]:
        both = row["forward"] + row["gradient"]
        each = [f"{part / row['simulate']:.1f}×" for part in (row["gradient"], both)]
        rows.append([row["title"], *each])
    note = (
        "Over the time of `px.simulate` with the same records. JAX's own gradient of 100 steps of "
        f"256 UR5 in a `lax.scan` takes {data['jax_scan']['ratio']:.1f} times as long as ours."
    )
    return f"{markdown(rows)}\n\n{note}"


def micro(value):
    return f"{value * 1e6:,.1f} µs" if value < 1e-4 else f"{value * 1e6:,.0f} µs"


def closed_loop_table(data):
    """One line per loop: runs per second, and how many times as fast Paraxis is."""
    row, about = data["row"], data["machine"]
    ours = row["paraxis"]["exact"]
    loops = [(f"Paraxis, `{policy}`", speed) for policy, speed in row["paraxis"].items()]
    loops += [("Pinocchio, all runs at once", row["pinocchio_batch"])]
    loops += [("Pinocchio, run by run", row["pinocchio"]), ("MuJoCo, run by run", row["mujoco"])]
    rows = [["loop", "threads", "runs per second", "time per run", "Paraxis is faster by"]]
    for name, speed in loops:
        threads = "1" if name.endswith("run by run") else str(row["threads"])
        ratio = "" if name.startswith("Paraxis") else times(ours / speed)
        rows.append([name, threads, f"{speed:,.0f}", f"{1e3 / speed:.3g} ms", ratio])
    note = (
        f"Computed torque on a {row['links']}-link arm, {row['steps']:,} control steps of "
        f"{data['period'] * 1e3:g} ms per run, one step of fourth-order Runge-Kutta each; "
        f"{row['runs']:,} runs take Paraxis {row['runs'] / ours:.2f} s. Pinocchio {about['pin']}: "
        "`rneaInParallel` and `abaInParallel` with NumPy between, or `rnea` and `aba` in a Python "
        f"loop; MuJoCo {about['mujoco']}: `mj_inverse` and `mj_step` in one. On {about['cpu']}."
    )
    return f"{markdown(rows)}\n\n{note}"


def circuits_table(data):
    """One line per circuit: its size, the time to make it, its errors by word length."""
    words = list(data["rows"][-1]["torque_error"])
    errors = [f"N m, {word} bits" for word in words]
    rows = [["circuit", "processors", "stages", "buffers", "made in", *errors]]
    for row in data["rows"]:
        found = [f"{error:.0e}" for error in row.get("torque_error", {}).values()]
        seconds = row["decompose_s"] + row["buffer_s"]
        sizes = [str(row[key]) for key in ("tasks", "stages", "buffers")]
        rows.append([row["circuit"], *sizes, f"{seconds:.2f} s", *(found or [""] * len(words))])
    model = data["model"]
    note = (
        "Errors are the largest of 1,000 random states. The bit-exact model of the first computes "
        f"{short(model['model_per_s'] / 1e3)} thousand poses per second on one core; eight "
        "solutions in float64 are found "
        f"{times(model['solutions_per_s'] / model['model_per_s'])} as fast. "
        f"On {data['machine']['cpu']}."
    )
    return f"{markdown(rows)}\n\n{note}"


def compile_times_table(data):
    """One line per function, one column per robot: tracing and machine code."""
    cases = data["cases"]
    rows = [["function", *(f"{case['robot']}, {case['joints']} joints" for case in cases)]]
    for k, row in enumerate(cases[0]["rows"]):
        times = [(c["rows"][k]["tracing_s"], c["rows"][k]["machine_code_s"]) for c in cases]
        cells = [f"{sum(pair):.2g} s ({pair[0]:.2g} + {pair[1]:.2g})" for pair in times]
        rows.append([row["function"].replace("_", " "), *cells])
    note = (
        "The time to compile a function that is not in the cache, in seconds of one core: total "
        f"(tracing and simplifying + machine code). On {data['machine']['cpu']}."
    )
    return f"{markdown(rows)}\n\n{note}"


def floating_base_table(data):
    """Two tables, one line per robot: what Pinocchio does in batches, and what it does not."""
    robots = data["robots"]
    made = [
        floating_base_rows(robots, functions)
        for functions in (FLOATING[:2], FLOATING[2:])
        if all(f"{functions[0]}, free" in row["ns"] for row in robots.values())
    ]
    note = (
        f"Time per state in a batch of {data['batch']:,} states, float64, 2 threads; how many "
        "times as long Pinocchio takes, and the time relative to that of the same robot bolted "
        "down. Pinocchio computes dynamics of batches on 2 threads, and other functions in calls "
        "one by one, whose results stay in the cache; in parentheses: of the time, what writing "
        "the numbers of a batch to memory takes alone. Legs on a trunk that is bolted down do "
        "little work, so quadrupeds differ most. From `benchmarks/floating_base.py`."
    )
    return "\n\n".join([*made, note])


def floating_base_rows(robots, functions):
    rows = [["robot, free base", "nv"]]
    for function in functions:
        name = function.replace("_", " ").replace(" derivatives", ", derivatives")
        rows[0] += [name, "Pinocchio", "bolted down"]
    for name, row in robots.items():
        rows.append([name, str(row["nv"])])
        for function in functions:
            ours, theirs, bolted = (
                row["ns"][f"{function}, {peer}"] for peer in ("free", "Pinocchio", "fixed")
            )
            time, written = f"{short(ours)} ns", row["ns"].get(f"{function}, fill")
            if function not in FLOATING[:2] and written is not None:
                time += f" ({written / ours:.0%})"
            rows[-1] += [time, times(theirs / ours), f"{ours / bolted:.2f}"]
    return markdown(rows)


def unsynchronised_table(data):
    """One line per robot and period: how stale the data were, and the error of the torques."""
    rows = [["robot", "period", "samples exact", "oldest data", "error: median", "99%", "largest"]]
    for case in data["cases"]:
        for row in case["rows"]:
            error = [f"{row['error'][key]:.0e}" for key in ("median", "99%", "largest")]
            found = [f"{row['exact_samples']:.1%}", f"{row['torque_age']['largest']:,} samples"]
            rows.append([case["robot"], f"{row['period'] * 1e6:g} µs", *found, *error])
    note = (
        "Two groups of links on two threads that never wait. Oldest data: the oldest joint values "
        "behind a torque that was applied, where the system stopped a thread. The "
        f"error is max|Δ| / max(1, max|τ|) against exact torques. On {data['machine']['cpu']}."
    )
    return f"{markdown(rows)}\n\n{note}"


def inverse_kinematics_table(data):
    """One line per robot: how many poses were reached, and how fast."""
    rows = [["robot, frame", "joints", "poses", "solved", "time", "time per pose"]]
    for row in data["rows"]:
        share, each = row["solved"] / row["poses"], row["seconds"] / row["poses"]
        rows.append(
            [f"{row['robot']}, `{row['frame']}`", str(row["joints"]), f"{row['poses']:,}"]
            + [f"{share:.4%}", seconds(row["seconds"]), f"{each * 1e6:.2f} µs"]
        )
    note = (
        "Poses of random postures within limits, solved without an initial guess, to "
        f"{data['tolerance']:g} m and rad."
    )
    return f"{markdown(rows)}\n\n{note}"


def optimal_control_table(data):
    """One line per batch: an iteration of all its problems, beside Crocoddyl."""
    cores, about, whole = data["cores"], data["machine"], data["solution"]
    columns = [(t, n) for t in ("float64", "float32") for n in (1, cores)]
    rows = [["problems", *(f"{t}, {plural(n, 'thread')}" for t, n in columns)]]
    rows[0] += ["Crocoddyl, 1 thread", "Paraxis is faster by", "difference"]
    for row in data["iteration"]:
        own = [row[f"{t}, {n}"] for t, n in columns]
        times_of = [f"{1e3 * each:.3g} ms" for each in (*own, row["crocoddyl"])]
        ratio = times(row["crocoddyl"] / min(own[:2]))
        rows.append([f"{row['batch']:,}", *times_of, ratio, f"{row['float64 error']:.0e}"])
    threaded = data["iteration"][0]["crocoddyl_threads"]
    note = (
        "One iteration (derivatives, Riccati recursion, step forward and decision) of a Panda's "
        f"problems, 64 steps of 10 ms, on {about['cpu']}. Crocoddyl {about['crocoddyl']} solves "
        "one after another; the best times of its problems are added up, and beyond 128 problems "
        f"extrapolated. With {cores} threads for the knots of one problem it takes "
        f"{1e3 * threaded:.3g} ms. The difference is that of costs after the iterations. "
        f"{whole['batch']} optima, by public calls: Paraxis {1e3 * whole['paraxis']:.0f} ms, "
        f"Crocoddyl {1e3 * whole['crocoddyl']:.0f} ms; one by CasADi {about['casadi']} with IPOPT, "
        f"{1e3 * whole['ipopt, per problem']:.0f} ms; their costs differ by "
        f"{max(whole['crocoddyl error'], whole['ipopt error']):.0e}. On your machine: "
        "`make bench-optimal`."
    )
    return f"{markdown(rows)}\n\n{note}"


def mpc_table(data):
    """A tick, with and without limits of torques."""
    rows = [["limits of controls", "median", "worst", "mean, by the wall", "worst, by the wall"]]
    for name, row in data.items():
        found = row["process"]["median"], row["process"]["worst"]
        found += row["wall"]["mean"], row["wall"]["worst"]
        rows.append([name, *(f"{1e6 * each:,.0f} µs" for each in found)])
    note = (
        "A tick of model-predictive control of a UR5 from Python: horizon 30, one iteration, one "
        "core. The first two by the clock of the process; by the wall, a tick that the machine "
        "interrupts is as long as that."
    )
    return f"{markdown(rows)}\n\n{note}"


def browser_table(data):
    """RK4 steps in WebAssembly, beside MuJoCo's module and the CPU's own code."""
    rows = [["robot", "module", "WebAssembly", "MuJoCo's WebAssembly", "CPU, 1 thread"]]
    for row in data["rows"]:
        own, peer = row["wasm"], row.get("mujoco")
        rows.append(
            [
                row["robot"],
                f"{row['bytes'] / 1024:.0f} kB",
                f"**{own / 1e6:.2f}**",
                f"{peer / 1e6:.3f} ({own / peer:.0f}×)" if peer else "",
                f"{row['native'] / 1e6:.2f} ({row['native'] / own:.1f}×)",
            ]
        )
    note = (
        "Million RK4 steps per second on one thread, a batch of robots under constant torques; in "
        "parentheses: MuJoCo's module, one robot at a time, how many times as fast Paraxis is; the "
        f"CPU, how many times as fast it is. Node {data['node']}, on {data['machine']['cpu']}."
    )
    return f"{markdown(rows)}\n\n{note}"


def gpu_calls_table(data):
    """What calls cost, beside what the framework's own take."""
    rows = [["call", "µs", "beside", "µs", "", "at most"]]
    for row in _measured(data):
        unit = " µs more" if row["is_difference"] else " ×"
        reached = f"{row['reached']:.2f}{unit}"
        rows.append(
            [
                row["call"],
                f"{row['ours_us']:.1f}",
                row["beside"].replace("*", "\\*"),
                f"{row['theirs_us']:.1f}",
                reached if row["holds"] else f"**{reached}**",
                f"{row['limit']:g}{unit}",
            ]
        )
    where = (
        f"{data['device']}, {data['states']:,} Panda states, float32{measured_with(data)}. "
        "Bold: beyond its limit."
    )
    return f"{markdown(rows)}\n\n{where}{_missing(data, 'call')}"


def gpu_small_batches_table(data):
    """Kernels for the batches of learning and control."""
    batches = sorted({row["states"] for row in data["rows"]})
    rows = [["robot, function", *(f"{batch:,}" for batch in batches), "error"]]
    measured = {(row["robot"], row["function"], row["states"]): row for row in _measured(data)}
    for name in dict.fromkeys(each[:2] for each in measured):
        cells = [measured.get((*name, batch)) for batch in batches]
        times = [f"{row['us']:.1f}" if row else "–" for row in cells]
        error = max(row["error"] for row in cells if row)
        rows.append([f"{name[0]}, {name[1].replace('_', ' ')}", *times, f"{error:.0e}"])
    first, *others = (row["first_s"] for row in measured.values())
    where = (
        f"µs of a kernel in a CUDA graph, {data['device']}, float32, in rows"
        f"{measured_with(data)}; a launch that does "
        f"next to nothing takes {data['floor_us']:.2f}. Errors are against the interpreter, per "
        "state; those of accelerations are amplified by the mass matrix. With kernels on disk, the "
        f"first call of the process took {first:.2f} s (CuPy was in use already), the first of "
        f"another function or batch at most {max(others, default=0.0):.2f} s."
    )
    return f"{markdown(rows)}\n\n{where}{_missing(data, 'robot', 'function', 'states')}"


# kind of time -> the heading that people read, in order
GRID_TIMES = {name: name for name in ("kernel", "captured", "PyTorch", "JAX")}
GRID_TIMES["captured"] = "its call captured"


def gpu_grid_table(data):
    """Ours beside GRiD, tuned for the same GPU: µs, and GRiD's divided by ours."""
    found = {
        (row["robot"], row["function"], row["time"], row["states"]): row for row in _measured(data)
    }
    columns = list(dict.fromkeys(each[2:] for each in found))
    columns.sort(key=lambda each: ([*GRID_TIMES].index(each[0]), each[1]))
    heads = [f"{GRID_TIMES[time]}, {states:,}" for time, states in columns]
    rows = [["robot, function", *heads]]
    for robot, function in dict.fromkeys(each[:2] for each in found):
        line = [f"{robot}, {function.replace('_', ' ')}"]
        for column in columns:
            row = found.get((robot, function, *column))
            text = ""
            if row is not None:
                ratio = f"{row['ratio']:.1f} ×" if row["holds"] else f"**{row['ratio']:.2f} ×**"
                text = f"{row['ours_us']:.1f} / {row['theirs_us']:.1f} = {ratio}"
            line.append(text)
        rows.append(line)
    where = (
        f"µs, ours / GRiD's, {data['device']}, float32{measured_with(data)}. Bold: below "
        f"{_least(found)}. GRiD's threads per state are the fastest "
        "of all that it takes, cell by cell; its derivatives of forward dynamics are without those "
        "by torques, which ours have. Empty: not measured."
    )
    return f"{markdown(rows)}\n\n{where}{_missing(data, 'robot', 'function', 'states', 'time')}"


def _least(found):
    """What was asked for, by the kind of time."""
    least = {GRID_TIMES[row["time"]]: row["least"] for row in found.values()}
    return ", ".join(f"{ratio:g} × ({time})" for time, ratio in least.items())


def gpu_first_table(data):
    """Whole calls from PyTorch, the first thing to know of a GPU."""
    called = [row for row in _measured(data) if row["time"] == "PyTorch"]
    batches = sorted({row["states"] for row in called})
    rows = [["", *(f"{states:,} states" for states in batches)]]
    for robot, function in dict.fromkeys((row["robot"], row["function"]) for row in called):
        cells = {
            row["states"]: row
            for row in called
            if (row["robot"], row["function"]) == (robot, function)
        }
        found = map(cells.get, batches)
        texts = [f"{r['ours_us']:.0f} µs ({r['ratio']:.1f} × GRiD)" if r else "–" for r in found]
        rows.append([_named(robot, function), *texts])
    where = (
        f"A whole call from PyTorch, {data['device']}, float32{measured_with(data)}; beside GRiD "
        "0.6 in the same run."
    )
    return f"{markdown(rows)}\n\n{where}"


def _measured(data):
    return [row for row in data["rows"] if "missing" not in row]


def _missing(data, *names):
    """The rows that a run has no number for, and why."""
    rows = [row for row in data["rows"] if "missing" in row]
    if not rows:
        return ""
    lines = (
        f"- {', '.join(str(row[name]) for name in names if name in row)}: {row['missing']}"
        for row in rows
    )
    return "\n\nNot measured:\n\n" + "\n".join(lines)


def _named(robot, function):
    return f"{robot}, {function}".replace("_", " ")


def million(rate):
    return f"{rate / 1e6:.2f}" if rate < 1e7 else f"{rate / 1e6:.1f}"


def plot_line(page):
    """The picture, as a path from the page; nothing when there is none."""
    if not PLOT.is_file():
        return ""
    path = Path(os.path.relpath(PLOT, page.parent)).as_posix()
    return f"![Time per state of inverse dynamics, by robot and library]({path})"


def short(value):
    """Three digits or so."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio):
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.0f} ms"


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def markdown(rows):
    """A table whose first row is the head; numbers to the right, the first column to the left."""
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


def rewritten(text, made):
    """`text` with every known marked part replaced."""

    def replace(match):
        opening, name, closing = match.groups()
        if name not in made:
            return match.group(0)
        return f"{opening}\n{made[name]}\n\n{closing}" if made[name] else f"{opening}{closing}"

    return MARKED.sub(replace, text)


def everything(results):
    """marker -> text, for all markers whose results are there."""
    made = counted() | motion(results.parent) | on_gpu(results.parent)
    return made | measured(json.loads(results.read_text())) if results.is_file() else made


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--check", action="store_true", help="write nothing, fail when out of date")
    options = parser.parse_args(arguments)
    made = everything(options.results)
    stale = []
    for page in PAGES:
        text = page.read_text()
        fresh = rewritten(text, made | {"plot:cpu": plot_line(page)})
        if fresh != text:
            stale.append(page.name)
            if not options.check:
                page.write_text(fresh)
    if options.check and stale:
        sys.exit(f"out of date: {', '.join(stale)}; run python docs/make_tables.py")
    print(f"{'out of date' if options.check else 'written'}: {', '.join(stale) or 'none'}")


if __name__ == "__main__":
    main()
