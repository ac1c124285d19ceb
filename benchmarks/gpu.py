"""Measure on a GPU: every function beside a plain copy, JAX peers, transfers; in one run.

    python benchmarks/gpu.py [--quick] [--json benchmarks/results/gpu.json]
                             [--robots FOLDER] [--frax FOLDER] [--only NAME ...] [--keep FILE]

Robots are those of example-robot-data, or URDF files of the same names in a folder. frax is
imported from a folder where its wheel was unpacked, unless it is installed.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from pathlib import Path

import gpu_functions
import gpu_peers
import gpu_transfers
import peers
from gpu_clock import Gpu
from gpu_functions import told
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results" / "gpu.json"
PARTS = ("functions", "transfers", "peers", "loops")
OTHERS = {"loops": "gpu_loops"}  # modules with `measure(gpu, quick)`
QUICK = ("inverse_dynamics", "forward_dynamics")
COMPILE_BUDGET = 120.0  # seconds for all kernels


def robot_files(folder):
    """name -> path of the URDF."""
    if folder is None:
        return {name: peers.robot_file(name) for name in gpu_functions.ROBOTS}
    return {name: folder / Path(peers.FILES[name]).name for name in gpu_functions.ROBOTS}


def measure(gpu, paths, options, console):
    """Everything, as it goes to the file; there it is kept after every part."""
    begin = time.monotonic()
    earlier = earlier_results(options.keep, gpu)
    results = earlier | gpu.about() | {"copy": gpu.copy_bandwidth()}
    console.print(f"{results['device']}: copies {results['copy']['best'] / 1e12:.3f} TB/s")
    bandwidth = results["copy"]["best"]
    beside = {name: path for name, path in paths.items() if name != peers.LARGE}
    parts = {
        "rows": ("functions", lambda: function_rows(gpu, paths, options, bandwidth, console)),
        "transfers": ("transfers", lambda: transfer_rows(gpu, beside)),
        "peers": ("peers", lambda: peer_rows(gpu, beside, options)),
    }
    for part, module in OTHERS.items():
        parts[part] = part, partial(other_rows, module, gpu, options.quick)
    wanted = {part for part in PARTS if part in options.only} or set(PARTS)
    for key, (part, rows) in parts.items():
        if part in wanted:
            with console.status(part):
                results[key] = renewed(earlier.get(key, []), rows()) if key == "rows" else rows()
            results["seconds"] = time.monotonic() - begin
            console.print(f"{part}: {results['seconds']:.0f} s")
            peers.keep(results, options.json)
    return results


def earlier_results(path, gpu):
    """What an earlier run on such a device found: parts that are not measured now are kept."""
    if path is None:
        return {}
    found = json.loads(path.read_text())
    if found["device"] != gpu.about()["device"]:
        raise SystemExit(f"{path}: expected results of {gpu.about()['device']}")
    return found


def renewed(earlier, rows):
    """Earlier rows of functions, with those in their place that were measured again."""

    def key(row):
        return tuple(row[name] for name in ("robot", "function", "dtype", "layout"))

    now = {key(row): row for row in rows}
    kept = {key(row): row for row in earlier}
    return list((kept | now).values())


def function_rows(gpu, paths, options, bandwidth, console):
    known = [name for name in options.only if name not in PARTS]
    functions = known or (QUICK if options.quick else None)
    every = gpu_functions.cases(paths, functions)
    made = gpu_functions.prepare(every, COMPILE_BUDGET)
    console.print(f"{len(every)} kernels")
    rows = [gpu_functions.measure(gpu, case, made[case], bandwidth) for case in every]
    return sorted(rows, key=lambda row: list(paths).index(row["robot"]))


def transfer_rows(gpu, paths):
    rows = []
    for robot, path in paths.items():
        for dtype in gpu_functions.DTYPES:
            try:
                rows.append(gpu_transfers.measure(gpu, robot, path, dtype))
            except Exception as reason:
                rows.append({"missing": f"{robot}, {dtype}: {told(reason)}"})
    return rows


def other_rows(module, gpu, quick):
    """The rows of a benchmark with a file of its own."""
    try:
        return import_module(module).measure(gpu, quick)
    except Exception as reason:
        return [{"missing": f"{module}: {told(reason)}"}]


def peer_rows(gpu, paths, options):
    gpu.free()
    rows = []
    for dtype in ("float32",) if options.quick else gpu_functions.DTYPES:
        try:
            rows += gpu_peers.measure(paths, dtype, options.frax)
        except Exception as reason:  # without JAX the rest is measured all the same
            rows.append({"missing": f"JAX, {dtype}: {told(reason)}"})
    return rows


# -- what a person reads -----------------------------------------------------------------------


def show(results, console):
    show_functions(results.get("rows", []), console)
    show_peers(results.get("peers", []), results.get("rows", []), console)
    show_transfers(results.get("transfers", []), console)
    for part, module in OTHERS.items():
        rows = results.get(part, [])
        if rows and "missing" in rows[0]:
            console.print(rows[0]["missing"])
        elif rows:
            import_module(module).show(rows, console)
    console.print(f"{results['device']}, {results['seconds']:.0f} s in all")


def _table(title, *headings, left=2):
    table = Table(title=title)
    for k, heading in enumerate(headings):
        table.add_column(heading, justify="left" if k < left else "right", no_wrap=k < left)
    return table


def show_functions(rows, console):
    table = _table(
        "Functions on the GPU", "robot, function", "type, layout", "G states/s", "GB/s",
        "% of copy", "% of peak", "registers", "spilled", "compiled in", "error",
    )  # fmt: skip
    for row in rows:
        names = f"{row['robot']} {row['function']}", f"{row['dtype']} {row['layout']}"
        if "missing" in row:
            table.add_row(*names, row["missing"])
            continue
        peak = row.get("percent_of_peak")
        table.add_row(
            *names,
            f"{row['states_per_s'] / 1e9:.3g}",
            f"{row['bytes_per_s'] / 1e9:,.0f}",
            f"{row['percent_of_copy']:.0f}",
            "" if peak is None else f"{peak:.0f}",
            str(row["registers"]),
            str(row["spilled"]),
            f"{row['compile_s']:.1f} s",
            f"{row['error']:.0e}",
        )
    console.print(table)


def show_peers(rows, own, console):
    ours = {
        (row["robot"], row["function"], row["dtype"]): row["states_per_s"]
        for row in own
        if row.get("layout") == "rows" and "missing" not in row
    }
    table = _table("JAX", "robot, function", "peer", "M states/s", "Paraxis is faster by", "error")
    for row in rows:
        if "robot" not in row:
            table.add_row("", row["missing"])
            continue
        names = f"{row['robot']} {row['function']} {row['dtype']}", f"{row['peer']} {row['way']}"
        if "missing" in row:
            table.add_row(*names, row["missing"])
            continue
        fast = ours.get((row["robot"], row["function"], row["dtype"]))
        ratio = f"{fast / row['states_per_s']:,.0f} x" if fast else ""
        table.add_row(*names, f"{row['states_per_s'] / 1e6:,.1f}", ratio, f"{row['error']:.0e}")
    console.print(table)


def show_transfers(rows, console):
    table = _table(
        "NumPy in, NumPy out: ms to the GPU, there, and back", "robot, function", "type, memory",
        "to", "on it", "back", "M states/s",
    )  # fmt: skip
    for row in rows:
        if "missing" in row:
            table.add_row(row["missing"])
            continue
        for kind in ("pageable", "pinned"):
            found = row[kind]
            table.add_row(
                f"{row['robot']} {row['function']}",
                f"{row['dtype']}, {kind}",
                *(f"{found[key] * 1e3:.2f}" for key in ("to_s", "on_s", "back_s")),
                f"{found['states_per_s'] / 1e6:,.0f}",
            )
    console.print(table)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two functions, fewer peers")
    parser.add_argument("--only", nargs="*", default=[], help=f"functions, or some of {PARTS}")
    parser.add_argument("--robots", type=Path, help="a folder of URDF files")
    parser.add_argument("--frax", type=Path, help="a folder with the package frax")
    parser.add_argument("--keep", type=Path, help="earlier results, to renew parts of")
    parser.add_argument("--json", type=Path, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args(arguments)
    if any(name in gpu_functions.FUNCTIONS for name in options.only):
        options.only.append("functions")
    console = Console(width=None if sys.stdout.isatty() else 160)
    with tempfile.TemporaryDirectory() as folder:  # so that times to compile are of now
        os.chmod(folder, 0o700)
        os.environ["PARAXIS_CACHE"] = folder
        show(measure(Gpu(), robot_files(options.robots), options, console), console)


if __name__ == "__main__":
    main()
