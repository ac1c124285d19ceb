"""Batches on a CPU: inverse dynamics and the other functions beside Pinocchio and CasADi's C."""

from .text import machine, plural, setting, short, span, times, with_notes, words

# key in the results -> the name people read
PEERS = {
    "pinocchio": "Pinocchio",
    "casadi_c": "CasADi, generated C",
    "casadi_lanes": "CasADi, vectorised C",
}
LAYOUTS = {"paraxis": "rows", "paraxis_columns": "columns", "paraxis_float32": "rows, float32"}
FUNCTIONS = (
    *("forward_dynamics", "mass_matrix", "mass_matrix_inverse"),
    *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
)
ERROR = (
    "The error is max|Δ| / max(1, max|reference|) against Pinocchio, largest over the states that "
    "are compared."
)
CALLS = "one call for the whole batch into an array that exists, call overhead included"


def thread_counts(data):
    """The thread counts that were measured, fewest first."""
    counts = {count for robot in data["robots"].values() for count in robot["paraxis"]}
    return sorted(counts, key=int)


def measured_peers(data):
    return [peer for peer in PEERS if any(peer in robot for robot in data["robots"].values())]


def most_threads(data):
    """Inverse dynamics with as many threads as were measured."""
    return inverse_dynamics(data, thread_counts(data)[-1])


def one_thread(data):
    return inverse_dynamics(data, "1")


def inverse_dynamics(data, threads):
    """One line per robot: the time per state, and in parentheses how many times ours it is."""
    peers = measured_peers(data)
    rows = [["robot", "joints", *(PEERS[peer] for peer in peers), "Paraxis", "error"]]
    for name, robot in data["robots"].items():
        own = robot["paraxis"][threads]
        row = [name, str(robot["n"])]
        for peer in peers:
            time = robot.get(peer, {}).get(threads)
            row.append(f"{short(time)} ns ({times(time / own)})" if time else "")
        rows.append([*row, f"**{short(own)} ns**", f"{robot['error']:.0e}"])
    note = f"Inverse dynamics, ns per state; in parentheses, the ratio to Paraxis. {ERROR}"
    return with_notes(rows, note, cpu_setting(data, threads))


def cpu_setting(data, threads):
    return setting(
        *conditions(data, threads), machine(data, "pin", "casadi", "gcc"), "command: `make bench`"
    )


def conditions(data, threads):
    """What a reader of a single number must know, in short."""
    return (
        plural(int(threads), "thread"),
        f"batch of {data['batch']:,} states",
        data["dtype"],
        "fixed base",
        CALLS,
    )


def layouts(data):
    """Our own times by the layout of the arrays."""
    kinds = [kind for kind in LAYOUTS if any(kind in robot for robot in data["robots"].values())]
    counts = thread_counts(data)
    heads = [f"{LAYOUTS[kind]}, {plural(int(n), 'thread')}" for kind in kinds for n in counts]
    rows = [["robot", *heads]]
    for name, robot in data["robots"].items():
        found = [robot.get(kind, {}).get(n) for kind in kinds for n in counts]
        rows.append([name, *(f"{short(time)} ns" if time else "" for time in found)])
    note = (
        "Inverse dynamics by Paraxis, ns per state. In rows, the numbers of one state are adjacent "
        "in memory (NumPy's default order); in columns, the states are."
    )
    columns = f"batch of {data['batch']:,} states", "fixed base", CALLS, machine(data)
    return with_notes(rows, note, setting("float64 unless stated", *columns))


def functions(data):
    """One line per robot and function: times per state, and how many times ours they are."""
    heads = ["Pinocchio, batch, 2 threads", "Pinocchio, single calls, 1 thread"]
    heads += ["CasADi, generated C, 2 threads", "Paraxis, 2 threads", "Paraxis, 1 thread", "error"]
    rows = [["robot, function", *heads]]
    for name, robot in data["functions"].items():
        for function, found in robot["functions"].items():
            own, calls = found["paraxis"], found["pinocchio_calls"]["1"]
            batch, casadi = (found.get(peer, {}).get("2") for peer in ("pinocchio", "casadi_c"))
            cells = [
                compared(batch, own["2"]),
                compared(calls, own["1"]),
                compared(casadi, own["2"]),
            ]
            cells += [f"**{short(own['2'])} ns**", f"{short(own['1'])} ns"]
            rows.append([f"{name}, {words(function)}", *cells, f"{found['error']:.0e}"])
    return with_notes(
        rows,
        "ns per state; in parentheses, the ratio to Paraxis with as many threads. Pinocchio's "
        "Python package has batch calls for inverse and forward dynamics only; its single calls "
        f"are a Python loop. {overhead(data)} {ERROR}",
        "\n\n".join(missing_casadi(data)),
        setting(
            f"batch of {data['batch']:,} states (2,000 for single calls, whose results stay in the "
            "cache)",
            data["dtype"],
            "fixed base",
            "call overhead included",
            machine(data, "pin", "casadi", "gcc"),
            "command: `make bench`",
        ),
    )


def compared(time, own):
    return f"{short(time)} ns ({times(time / own)})" if time else ""


def overhead(data):
    """What a call of Pinocchio costs beside its arithmetic."""
    found = ", ".join(
        f"{short(robot['call_overhead'])} ns ({name})" for name, robot in data["functions"].items()
    )
    return (
        f"Of each such call, about {found} is call overhead: the time of `pin.rnea` in the loop "
        "less that of `pin.rneaInParallel` on one thread."
    )


def missing_casadi(data):
    for name, robot in data["functions"].items():
        for function, found in robot["functions"].items():
            if "casadi_missing" in found:
                yield f"No CasADi for {name}, {words(function)}: {found['casadi_missing']}."


def ratios(data):
    """One line per function, one column per robot: Pinocchio's and CasADi's times over ours."""
    robots = data["functions"]
    rows = [["Pinocchio's time / CasADi's time, over that of Paraxis", *robots]]
    for function in FUNCTIONS:
        row = [words(function)]
        for robot in robots.values():
            found = robot["functions"][function]
            own, casadi = found["paraxis"], found.get("casadi_c", {}).get("2")
            if "pinocchio" in found:
                pinocchio = found["pinocchio"]["2"] / own["2"]
            else:
                alone = found["pinocchio_calls"]["1"] - robot["call_overhead"]
                pinocchio = alone / own["1"]
            row.append(f"{times(pinocchio)} / {times(casadi / own['2']) if casadi else '–'}")
        rows.append(row)
    note = (
        "Pinocchio's forward dynamics is its batch call, on 2 threads as Paraxis; its other "
        "functions have no batch call, so single calls without their call overhead are compared "
        "with one thread of Paraxis. CasADi is generated C (not vectorised), 2 threads."
    )
    return with_notes(rows, note, cpu_setting(data, "2"))


def about_machine(data):
    """Everything known about the machine, as a list."""
    rows = [("batch", f"{data['batch']:,} states"), ("dtype", data["dtype"])]
    for key, value in data["machine"].items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        rows.append((key.replace("_", " "), shown))
    return "\n".join(f"- {key}: {value}" for key, value in rows)


def chart_text(data):
    """(alternative text, caption) of docs/images/cpu.svg, which is of inverse dynamics."""
    threads = thread_counts(data)[-1]
    names = {peer: PEERS[peer] for peer in measured_peers(data)} | {"paraxis": "Paraxis"}
    robots = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{called} {short(robot[peer][threads])}"
            for peer, called in names.items()
            if threads in robot.get(peer, {})
        )
        for name, robot in data["robots"].items()
    )
    alternative = f"Inverse dynamics, ns per state (less is better). {robots}."
    caption = (
        f"Time per state of inverse dynamics: {', '.join(conditions(data, threads))}. "
        "Pinocchio is a library for any robot; CasADi and Paraxis generate code for each one. The "
        "generated C of CasADi is measured as it is, and vectorised by gcc over 16 states. "
        f"{machine(data, 'pin', 'casadi', 'gcc')}."
    )
    return alternative, caption


def answer(data):
    threads = thread_counts(data)[-1]
    on = plural(int(threads), "thread")
    robots = data["robots"].values()
    own = [robot["paraxis"][threads] for robot in robots]

    def over(peer):
        found = [row[peer][threads] / row["paraxis"][threads] for row in robots if peer in row]
        return span(found, times)

    return (
        f"Inverse dynamics takes {span(own, short)} ns per state on {on}, "
        f"from a UR5 to a humanoid: {over('casadi_lanes')} faster than CasADi's C vectorised by "
        f"gcc, {over('casadi_c')} faster than the same C as it is generated, and "
        f"{over('pinocchio')} faster than Pinocchio's batch call."
    )


ANSWER = ("cpu",), answer
TABLES = {
    "cpu": ("cpu", most_threads),
    "threads1": ("cpu", one_thread),
    "layouts": ("cpu", layouts),
    "functions": ("cpu", functions),
    "ratios": ("cpu", ratios),
    "machine": ("cpu", about_machine),
}
