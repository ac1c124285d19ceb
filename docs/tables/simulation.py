"""Simulation: whole runs beside MuJoCo and Pinocchio, losses and contact, steps, runs on a GPU."""

from .text import (
    device,
    giga,
    machine,
    micro,
    million,
    plural,
    seconds,
    setting,
    span,
    times,
    with_notes,
)


def simulation(data):
    """One line per robot and batch: robot steps per second, and over the peers'."""
    rows = [["robots", "threads", "MuJoCo", "Pinocchio", "Paraxis", "Paraxis, last state only"]]
    for row in data["rows"]:
        own = row["paraxis_all"]
        peers = [
            f"{million(row[key])} ({times(own / row[key])})" for key in ("mujoco", "pinocchio")
        ]
        found = [f"**{million(own)}**", million(row["paraxis"])]
        rows.append([f"{row['batch']:,} {row['robot']}", str(row["threads"]), *peers, *found])
    note = (
        "Million robot steps per second; in parentheses, how many times as fast Paraxis is, every "
        "state recorded. MuJoCo: `rollout`, which records every state. Pinocchio: only the four "
        "calls of `abaInParallel` of a step (`aba` for one robot), no integration and no records."
    )
    return with_notes(
        rows,
        note,
        setting(
            f"fourth-order Runge-Kutta, steps of {data['dt'] * 1e3:g} ms",
            "no controller, friction, limits or contact",
            "float64",
            "fixed base",
            "whole calls, call overhead included, compiling excluded",
            machine(data, "mujoco", "pin"),
            "command: `python benchmarks/simulation.py`",
        ),
    )


def additions(data):
    """What friction and a contact add to a run; the latter beside MuJoCo."""
    losses, contact = data["losses"], data["contact"]
    rows = [["run", "million steps per second", "time, over that of the bare arm"]]
    named = {
        "bare": "bare arm",
        "drives": "gears with losses and friction in every joint",
        "bearings": "the same with bearings, whose friction depends on the accelerations",
    }
    for key, name in named.items():
        rows.append([name, million(losses[key]), times(losses["bare"] / losses[key])])
    ours, free = contact["paraxis"], contact["free"]
    rows.append([f"`{contact['frame']}` pinned", million(ours), times(free / ours)])
    both = contact["paraxis_all"], contact["mujoco"]
    rows.append(["the same, every state and force recorded", *two(both[0], free)])
    rows.append(["the same by MuJoCo's `rollout`, an equality constraint", *two(both[1], free)])
    note = (
        f"Pinned and recorded, Paraxis is {times(both[0] / both[1])} as fast as MuJoCo, whose "
        f"constraint is slightly soft: positions differ by {contact['error']:.0e}."
    )
    return with_notes(
        rows,
        note,
        setting(
            f"{losses['batch']:,} {losses['robot']}, {losses['steps']} steps of "
            f"{data['dt'] * 1e3:g} ms, fourth-order Runge-Kutta",
            plural(contact["threads"], "thread"),
            "float64",
            "fixed base",
            "last state recorded unless stated",
            "whole calls",
            machine(data, "mujoco"),
        ),
    )


def two(rate, bare):
    return million(rate), times(bare / rate)


def simulator(data):
    """What a step costs, and its rate over that of what it is compared with in the same run."""
    rows = [["", "time", "rate, over that of"]]

    def add(what, seconds_, *over):
        ratios = "; ".join(f"{other / seconds_:.2f}× {name}" for name, other in over)
        rows.append([what, micro(seconds_), ratios])

    for row in data["steps"]:
        who = f"{row['robots']:,} {row['robot']}"
        run = row["last_only"]
        beside = ("`px.simulate`", row["simulate"]), ("a run that records the last state", run)
        add(f"{who}, a call of `step`", row["step"], *beside)
        add(f"{who}, `step(u, 10)`, per step", row["ten_steps"], *beside)
        if row["robots"] > 1:
            add("the same run with joint limits", row["with_limits"], ("no limits", run))
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
    what = f"{row['robots']:,} {row['robot']} on the ground, a step and its gradient"
    add(what, row["both"], ("the step alone", row["forward"]))
    return with_notes(
        rows,
        setting(
            "fixed base, except the last line",
            f"steps of {data['dt'] * 1e3:g} ms",
            "float64",
            f"as many threads as cores ({data['machine']['cores']})",
            "call overhead included",
            machine(data),
            "command: `python benchmarks/simulator.py`",
        ),
    )


def gpu_loops(data):
    """One line per loop on a GPU."""
    rows = [["run", "robots", "steps", "time", "steps per second", "difference from the CPU"]]
    for row in data.get("loops", []):
        if "missing" in row:
            continue
        more = f", {row['policy']}" if "policy" in row else ""
        if row.get("every", row["steps"]) < row["steps"]:
            more += f", every {row['every']}th state recorded"
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
    return with_notes(
        rows,
        "The difference is measured over the first 50 steps of 64 robots; a closed loop's is that "
        "of its worst error.",
        setting(
            "fourth-order Runge-Kutta, steps of 1 ms",
            "float64",
            "fixed base",
            "all steps in one call, call overhead included, compiling excluded",
            "arrays on the GPU before and after",
            device(data),
        ),
    )


def answer(data):
    many = [row for row in data["rows"] if row["batch"] > 1]
    one = [row for row in data["rows"] if row["batch"] == 1]

    def over(rows):
        return span((row["paraxis_all"] / row["mujoco"] for row in rows), times)

    rates = span((row["paraxis_all"] / 1e6 for row in many), "{:.1f}".format)
    return (
        f"{many[0]['batch']:,} robots in free motion take {rates} million Runge-Kutta steps per "
        f"second on {plural(many[0]['threads'], 'thread')}, all states recorded: {over(many)} the "
        f"rate of MuJoCo's `rollout`. A single robot is {over(one)} as fast as there."
    )


ANSWER = ("simulation",), answer
TABLES = {
    "simulation": ("simulation", simulation),
    "simulation_additions": ("simulation", additions),
    "simulator": ("simulator", simulator),
    "gpu_loops": ("gpu", gpu_loops),
}
