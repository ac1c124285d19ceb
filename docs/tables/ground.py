"""Legged robots on the ground: on a CPU beside MuJoCo, and on a GPU."""

from .text import device, machine, measured, million, setting, times, with_notes

OURS = "hard", "soft"  # laws


def ground(data):
    """One line per solver: rates, over MuJoCo's fastest, and the error that the solver leaves."""
    called = {
        "rollout": "MuJoCo, `rollout`",
        "batch": "MuJoCo, `mujoco.batch`",
        "rollout, loose": f"MuJoCo, `rollout`, tolerance {data['loose']:g}",
        "hard, tolerance 1e-5": "Paraxis, hard law",
        "hard, tolerance 1e-4": "Paraxis, hard law, `tolerance=1e-4`",
        "soft, tolerance 1e-5": "Paraxis, soft law",
        "soft, tolerance 1e-4": "Paraxis, soft law, `tolerance=1e-4`",
    }
    rows = [["million robot steps per second"]]
    for name in data["rows"]:
        rows[0] += [name, "over MuJoCo's fastest", "solver error"]
    for way, name in called.items():
        rows.append([name])
        for row in data["rows"].values():
            theirs = max(r for each, r in row["rates"].items() if not each.startswith(OURS))
            rate, left = row["rates"][way], row["unsolved"].get(way)
            over = times(rate / theirs) if way.startswith(OURS) else ""
            rows[-1] += [million(rate), over, f"{left[1]:.0e}" if left else ""]
    first = next(iter(data["rows"].values()))
    note = (
        "Solver error: how far the velocities after a step are from those of the same solver run "
        "to convergence, the largest entry of a robot, 99 % quantile over steps and robots."
    )
    return with_notes(
        rows,
        note,
        setting(
            f"{first['robots']:,} robots that stand under a PD law (MuJoCo: a quarter as many), "
            f"{first['steps']} steps of {data['dt'] * 1e3:g} ms",
            f"{data['machine']['cores']} threads",
            "float64",
            "floating base",
            "whole calls; `rollout` records every state, `mujoco.batch` and Paraxis the last one",
            machine(data, "mujoco"),
            "command: `python benchmarks/ground.py --steps 200`",
        ),
    )


def gpu_ground(data):
    """One line per robot and law: rates on a GPU, and whether its numbers are the CPU's."""
    heads = ["million robot steps per second, `run`", "calls of `step`", "registers", "spilled"]
    rows = [["robot, law", *heads, "compiled in", "error", "allowed", "solver error"]]
    for row in measured(data):
        rows.append(
            [
                f"{row['robots']:,} {row['robot']}, {row['law']}",
                f"**{million(row['steps_per_s'])}**",
                million(row["step_calls_per_s"]),
                str(row["registers"]),
                f"{row['spilled']:,} B",
                f"{row['compiled_s']:.0f} s",
                f"{row['error']:.0e}",
                f"{row['allowed']:.0e}",
                f"{row['residual'][1]:.0e} m/s",
            ]
        )
    note = (
        "The error is that of positions after 20 steps against the CPU in float64; allowed is "
        "twenty times the error of the CPU's float32, or 2e-5. Solver error: 99 % quantile of the "
        "residual of the last step. Compiling includes tracing, and other kernels compiled beside "
        "it."
    )
    steps = max((row["steps"] for row in measured(data)), default=0)
    return with_notes(
        rows,
        note,
        setting(
            f"robots that stand under a PD law, {steps} steps of 2 ms",
            "float32",
            "floating base",
            "one thread of the GPU per robot",
            "call overhead included, compiling excluded",
            device(data),
            "command: `python benchmarks/gpu_ground.py`",
        ),
    )


def answer(data):
    parts = []
    for name, row in data["rows"].items():
        rate = row["rates"]["hard, tolerance 1e-5"]
        soft = row["rates"]["soft, tolerance 1e-5"]
        theirs = max(r for each, r in row["rates"].items() if not each.startswith(OURS))
        parts.append(
            f"{row['robots']:,} {name.partition(',')[0]} run at {million(rate)} million steps per "
            f"second with hard contacts and {million(soft)} million with soft ones as MuJoCo's, "
            f"{times(rate / theirs)} and {times(soft / theirs)} the rate of MuJoCo"
        )
    return f"{'; '.join(parts)}. MuJoCo solves its contacts more exactly."


ANSWER = ("ground",), answer
TABLES = {"ground": ("ground", ground), "gpu_ground": ("gpu_ground", gpu_ground)}
