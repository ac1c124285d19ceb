"""What one call costs: one state from Python, the first call of a process, and calls on a GPU."""

from .text import (
    device,
    machine,
    measured,
    not_measured,
    seconds,
    setting,
    short,
    with_notes,
    words,
)

ONE_STATE = {
    "pin.rnea": "`pin.rnea(model, data, q, qd, qdd)`",
    "px.inverse_dynamics": "`px.inverse_dynamics(robot, q, qd, qdd)`",
    "kernel": "`kernel(q, qd, qdd)`",
    "kernel_out": "`kernel(q, qd, qdd, out=tau)`",
}


def one_state(data):
    """What one call from Python costs."""
    found = data["one_state"]
    rows = [["call", "time"]]
    rows += [[text, f"{short(found[key])} ns"] for key, text in ONE_STATE.items() if key in found]
    return with_notes(
        rows,
        setting(
            "one UR5, one state, fixed base",
            "float64",
            "1 thread",
            "a loop in Python, call overhead included, best of several loops",
            machine(data, "pin"),
        ),
    )


def start(data):
    """What the first call of a process costs, and that of the largest kernel."""
    found, largest = data["start"], data.get("largest")
    rows = [["step", "time"], ["`import paraxis`", seconds(found["import_s"])]]
    for kind, key in (("nothing cached", "first_call_cold_s"), ("cached", "first_call_cached_s")):
        rows += [
            [f"first call, {name}, inverse dynamics, {kind}", seconds(value)]
            for name, value in found.get(key, {}).items()
        ]
    if largest:
        what = f"first call, {largest['robot']}, {words(largest['function'])}"
        memory = f"{largest['cold_peak_mib'] / 1024:.1f} GiB"
        rows.append([f"{what}, nothing cached", f"{seconds(largest['cold_s'])}, {memory}"])
        rows.append([f"{what}, cached", seconds(largest["cached_s"])])
    return with_notes(
        rows,
        setting(
            "one new process per line, one state, float64, fixed base",
            "time on the wall of the first call of the function, tracing and compiling included, "
            "importing and reading the URDF excluded",
            machine(data),
        ),
    )


def gpu_calls(data):
    """What calls cost, beside what the framework's own take."""
    rows = [["call", "µs", "compared with", "µs", "", "aim: at most"]]
    for row in measured(data):
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
    return with_notes(
        rows,
        "Whole calls of inverse dynamics from Python, and the framework's own operation on arrays "
        "of that size. Bold: the aim is not reached.",
        not_measured(data, "call"),
        setting(
            f"{data['states']:,} Panda states, fixed base",
            "float32",
            "arrays on the GPU before and after",
            "call overhead included: it is what is measured",
            device(data),
        ),
    )


def answer(cpu, gpu):
    one = cpu["one_state"]
    calls = {row["call"]: row["ours_us"] for row in measured(gpu)}
    return (
        f"On the CPU, a call with one state of a UR5 takes {short(one['px.inverse_dynamics'])} ns "
        f"by `px.inverse_dynamics` and {short(one['kernel'])} ns by a compiled kernel, where "
        f"`pin.rnea` takes {short(one['pin.rnea'])} ns. On a GPU, a call takes "
        f"{calls['CuPy, out= given']:.0f} µs with CuPy's arrays, "
        f"{calls['PyTorch, px.inverse_dynamics']:.0f} µs with PyTorch's and "
        f"{calls['JAX, jitted']:.0f} µs inside a jitted function of JAX."
    )


ANSWER = ("cpu", "gpu_calls"), answer
TABLES = {
    "one_state": ("cpu", one_state),
    "start": ("cpu", start),
    "gpu_calls": ("gpu_calls", gpu_calls),
    "gpu_calls_graphs": ("gpu_calls_graphs", gpu_calls),
}
