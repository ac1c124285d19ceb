"""Simulation in WebAssembly, beside MuJoCo's module and the CPU's own code."""

from .text import machine, setting, span, times, with_notes


def browser(data):
    """One line per robot: RK4 steps per second."""
    rows = [["robot", "module", "Paraxis, WebAssembly", "MuJoCo, WebAssembly", "Paraxis, CPU"]]
    for row in data["rows"]:
        own, peer = row["wasm"], row.get("mujoco")
        rows.append(
            [
                f"{row['robot']}, batch of {row['states']:,}",
                f"{row['bytes'] / 1024:.0f} kB",
                f"**{own / 1e6:.2f}**",
                f"{peer / 1e6:.3f} ({own / peer:.0f}×)" if peer else "",
                f"{row['native'] / 1e6:.2f} ({row['native'] / own:.1f}×)",
            ]
        )
    note = (
        "Million robot steps per second. In parentheses: for MuJoCo, how many times as fast "
        "Paraxis is; for the CPU, how many times as fast it is as WebAssembly. MuJoCo steps one "
        "robot at a time."
    )
    return with_notes(
        rows,
        note,
        setting(
            "fourth-order Runge-Kutta, steps of 1 ms, constant torques, no contact",
            "1 thread",
            "float64",
            "fixed base",
            "one call for all steps (MuJoCo: a loop in JavaScript over `mj_step`)",
            f"Node {data['node']}",
            machine(data, "mujoco"),
            "command: `python benchmarks/browser.py`",
        ),
    )


def answer(data):
    rows = [row for row in data["rows"] if "mujoco" in row]
    slower = span((row["native"] / row["wasm"] for row in data["rows"]), "{:.1f}".format)
    return (
        f"WebAssembly takes {slower} times as long as the CPU's own code on one thread, and is "
        f"{span((row['wasm'] / row['mujoco'] for row in rows), times)} as fast as MuJoCo's module "
        "in free motion."
    )


ANSWER = ("browser",), answer
TABLES = {"browser": ("browser", browser)}
