"""Large batches on a GPU: every function beside a plain copy, JAX on the same GPU, transfers."""

from .text import (
    device,
    giga,
    markdown,
    measured,
    milli,
    not_measured,
    setting,
    span,
    times,
    with_notes,
    words,
)

# function, type -> heading of the short table
SHOWN = {
    ("inverse_dynamics", "float32"): "inverse dynamics, float32",
    ("inverse_dynamics", "float64"): "float64",
    ("forward_dynamics", "float32"): "forward dynamics, float32",
    ("forward_dynamics", "float64"): "float64",
    ("inverse_dynamics_derivatives", "float32"): "derivatives of inverse dynamics, float32",
}
KINDS = [(dtype, layout) for dtype in ("float32", "float64") for layout in ("rows", "columns")]


def short_table(data):
    """One line per robot: states per second of the better layout, as a share of a copy's speed."""
    found = by_kind(data)
    rows = [["robot", *SHOWN.values()]]
    for robot in dict.fromkeys(robot for robot, *_ in found):
        cells = []
        for function, dtype in SHOWN:
            both = [found.get((robot, function, dtype, layout)) for layout in ("rows", "columns")]
            best = max(filter(None, both), key=lambda row: row["states_per_s"], default=None)
            cells.append(cell(best))
        rows.append([robot, *cells])
    return with_notes(rows, meaning(data), against_jax(data), gpu_setting(data))


def meaning(data):
    return (
        "States per second; in parentheses, bytes read and written per second as a share of those "
        f"of a plain copy ({data['copy']['best'] / 1e12:.2f} TB/s in the same run)."
    )


def against_jax(data):
    ratios = [
        f"{times(own / row['states_per_s'])} {peer}'s {words(row['function'])}"
        for peer, row, own in rivals(data)
        if row["robot"] == "panda" and row["dtype"] == "float32"
    ]
    return f"For a panda in float32 that is {' and '.join(ratios)}." if ratios else ""


def gpu_setting(data):
    return setting(
        "batches of some gigabytes, already in the GPU's memory",
        "fixed base",
        "time of kernels in a queue, without call overhead and transfers",
        device(data),
        "command: `make bench-gpu`",
    )


def by_kind(data):
    """(robot, function, type, layout) -> row, of those that were measured."""
    keys = ("robot", "function", "dtype", "layout")
    return {tuple(row[key] for key in keys): row for row in measured(data)}


def cell(row):
    if row is None:
        return "–"
    return f"{giga(row['states_per_s'])} ({row['percent_of_copy']:.0f}%)"


def functions(data):
    """One table per robot: every function in both types and layouts, and what limits it."""
    found = by_kind(data)
    parts = []
    for robot in dict.fromkeys(robot for robot, *_ in found):
        heads = [f"{dtype}, {layout}" for dtype, layout in KINDS]
        rows = [[f"{robot}", *heads, "operations", "of peak", "registers", "spilled", "error"]]
        for function in dict.fromkeys(name for own, name, *_ in found if own == robot):
            kinds = [found.get((robot, function, *kind)) for kind in KINDS]
            known = [row for row in kinds if row]
            rows.append(
                [words(function), *map(cell, kinds)]
                + [f"{known[0]['operations']:,}", spread(known, "percent_of_peak", "{:.0f}%")]
                + [spread(known, "registers", "{}"), spread(known, "spilled", "{:,} B")]
                + [spread(known, "error", "{:.0e}")]
            )
        parts.append(markdown(rows))
    note = (
        f"{meaning(data)} Operations are per state, a fused multiply-add being two; the peak is "
        "that of all multiprocessors at their highest clock. Ranges are over types and layouts. "
        "The error is max|Δ| / max(1, max|reference|) against the CPU in float64, the worst state "
        "of a sample; for forward dynamics it is the residual torque."
    )
    missing = not_measured(data, "robot", "function", "dtype", "layout")
    return with_notes("\n\n".join(parts), note, missing, gpu_setting(data))


def spread(rows, key, form):
    """The least and the most of a value, or the one there is."""
    values = sorted(row[key] for row in rows if row.get(key) is not None)
    ends = [form.format(value) for value in (*values[:1], *values[-1:])]
    return " – ".join(dict.fromkeys(ends))


def rivals(data):
    """(peer, its fastest row, our states per second) for each robot, function and type."""
    found, best = by_kind(data), {}
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


def peers(data):
    """One line per peer, robot and function: the fastest variant that it has."""
    rows = [["robot, function", "peer", "states per second", "Paraxis is faster by", "error"]]
    for peer, row, own in rivals(data):
        what = f"{row['robot']}, {words(row['function'])}, {row['dtype']}"
        rate = row["states_per_s"]
        rows.append(
            [what, f"{peer}, {row['way']}", giga(rate), times(own / rate), f"{row['error']:.0e}"]
        )
    note = (
        "The fastest variant of each: frax 0.1 on the same URDF file, and Newton and Euler's and "
        "Featherstone's recursions written in jax.numpy for this comparison."
    )
    return with_notes(
        rows,
        note,
        setting(
            "rows of states in the GPU's memory, a million or more",
            "fixed base",
            "calls queued one after another (JAX: by the clock on the wall)",
            f"JAX {data['versions'].get('jax', '–')}, vmapped and jitted, compiling excluded",
            device(data),
            "the same run",
        ),
    )


def transfers(data):
    """One line per robot, function and type: each part of a call on NumPy's arrays."""
    heads = ("to the GPU", "kernel", "back", "states per second", "from pinned memory")
    rows = [["robot, function", *heads]]
    for row in data.get("transfers", []):
        if "missing" in row:
            continue
        parts = [milli(row["pageable"][key]) for key in ("to_s", "on_s", "back_s")]
        rates = [giga(row[kind]["states_per_s"]) for kind in ("pageable", "pinned")]
        what = f"{row['robot']}, {words(row['function'])}, {row['dtype']}"
        rows.append([what, *parts, *rates])
    counts = {row["states"] for row in data.get("transfers", []) if "states" in row}
    batch = f"batch of {max(counts):,} states" if counts else ""
    return with_notes(
        rows,
        setting(
            batch,
            "NumPy arrays in and out, transfers and call overhead included",
            "fixed base",
            device(data),
        ),
    )


def answer(data):
    found = by_kind(data)

    def share(robots, function):
        return max(
            found[key]["percent_of_copy"]
            for key in found
            if key[0] == robots and key[1:3] == (function, "float32")
        )

    arms = [share(robot, "inverse_dynamics") for robot in ("ur5", "xarm7", "panda")]
    humanoid = share("g1_29dof", "inverse_dynamics"), share("g1_29dof", "forward_dynamics")
    jax = [own / row["states_per_s"] for peer, row, own in rivals(data) if peer == "JAX"]
    compared = (
        f" JAX takes {span(jax, times)} as long for inverse and forward dynamics." if jax else ""
    )
    return (
        f"Inverse dynamics of large batches in float32 runs at {span(arms, '{:.0f}'.format)} % of "
        f"the speed of a plain memory copy for arms, and at {humanoid[0]:.0f} % for a humanoid, "
        f"whose forward dynamics reaches {humanoid[1]:.0f} %.{compared}"
    )


ANSWER = ("gpu",), answer
TABLES = {
    "gpu": ("gpu", short_table),
    "gpu_functions": ("gpu", functions),
    "gpu_peers": ("gpu", peers),
    "gpu_transfers": ("gpu", transfers),
}
