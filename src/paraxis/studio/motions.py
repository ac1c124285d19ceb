"""Commands that make robots move: falling, held by a controller, many at once."""

import numpy as np

from ..checks import counted, one_of
from ..errors import ArgumentError
from ..scene.motion import coordinate_names
from .lines import literal
from .work import Plot, Result

DRIVES = ("nothing", "computed torque", "pd")
STEP = 1e-3  # s
EVERY = 10  # steps between two states that are kept
MOST_ROBOTS, MOST_SECONDS = 1_000, 30.0
MOST_CURVES = 12
MOST_STATES = 2_000_000  # robots times states that are kept
SWEPT = {  # what is swept -> (what it means, the lowest, the highest)
    "kp": ("stiffness of the controller, 1/s²", 1.0, 10_000.0),
    "kd": ("damping of the controller, 1/s", 0.1, 1_000.0),
    "payload": ("mass at the tool that the controller does not know of, kg", 0.0, 1_000.0),
}

SUGGESTED = {"kp": (10.0, 400.0), "kd": (1.0, 60.0), "payload": (0.0, 5.0)}


def simulate(work, drive="nothing", robots=1, seconds=2.0, spread=0.1, kp=100.0, kd=20.0):
    """Simulate from the posture; controllers hold the goal. Many robots begin near the posture."""
    one_of(drive, DRIVES, "driven by")
    robots = int(within("robots", robots, 1, MOST_ROBOTS))
    steps = _steps(seconds, robots)
    within("spread", spread, 0.0, 10.0)
    lines = ["start = q"]
    if robots > 1:
        lines = [
            "rng = np.random.default_rng(0)",
            f"apart = {literal(float(spread))} * rng.uniform(-1, 1, ({robots}, robot.nv))",
            "start = px.integrate(robot, q, apart)",
        ]
    lines.append(f"rest = np.zeros({'robot.nv' if robots == 1 else f'({robots}, robot.nv)'})")
    postures, given = ["q"], ""
    if drive != "nothing":
        holdable(work.robot)
        for name, gain in (("kp", kp), ("kd", kd)):
            within(name, gain, 0.0, SWEPT[name][2])
        lines += _controller(work.robot, drive, literal(float(kp)), literal(float(kd)))
        postures, given = ["q", "goal"], ", controller=controller"
    lines += [
        f"run = px.simulate(robot, start, rest{given}, dt={STEP}, steps={steps}, every={EVERY})",
        "print(run)",
    ]
    text, notes = work.do(lines, postures)
    run = work.names["run"]
    notes += [] if drive == "nothing" or robots > 1 else work.at_goal()
    return Result(text, curves(work.robot, run.t, run.q), run.t, run.q, notes)


def sweep(work, parameter="kp", low=10.0, high=400.0, count=20, seconds=2.0, kp=100.0, kd=20.0):
    """Hold the goal from the posture with computed torque, with as many values of a parameter."""
    one_of(parameter, SWEPT, "parameter")
    meaning, least, most = SWEPT[parameter]
    count = int(within("values", count, 2, MOST_ROBOTS))
    within("from", low, least, most), within("to", high, least, most)
    if not low < high:
        raise ArgumentError(f"from: expected less than {high:g}, found {low:g}")
    holdable(work.robot)
    steps = _steps(seconds, count)
    gains = {"kp": literal(float(kp)), "kd": literal(float(kd))}
    given = f"{parameter}=values"
    if parameter == "payload":
        given = "**px.payload(robot, values)"
    else:
        gains[parameter] = parameter
    taken = "" if parameter == "payload" else f", {parameter}"
    lines = [
        f"values = np.linspace({literal(float(low))}, {literal(float(high))}, {count})",
        f"start, rest = np.tile(q, ({count}, 1)), np.zeros(({count}, robot.nv))",
        *_controller(work.robot, "computed torque", gains["kp"], gains["kd"], taken),
        "run = px.simulate(",
        f"    robot, start, rest, controller=controller, {given},",
        f"    dt={STEP}, steps={steps}, every={EVERY},",
        ")",
        "miss = abs(px.difference(robot, run.q[-1], np.broadcast_to(goal, start.shape))).max(-1)",
        'print(f"from the goal at the end: {miss.min():.2g} to {miss.max():.2g}")',
    ]
    text, notes = work.do(lines, ["q", "goal"])
    run, values, miss = (work.names[name] for name in ("run", "values", "miss"))
    notes += work.at_goal()
    lost = int((~np.isfinite(miss)).sum())
    if lost:
        notes.append(f"{counted(lost, 'robot')} got lost: the time step is too long for it.")
    plot = Plot(values, {"rad or m": miss}, f"{parameter}: {meaning}", "distance to the goal")
    return Result(text, plot, run.t, run.q, notes)


def _controller(robot, drive, kp, kd, taken=""):
    """The lines of a controller that holds the goal."""
    miss = "goal - q" if robot.nq == robot.nv else "px.difference(robot, q, goal)"
    law = f"{kp} * ({miss}) - {kd} * qd"
    if drive == "pd":
        body = f"px.gravity_torques(robot, q) + {law}"
    else:
        body = f"px.inverse_dynamics(robot, q, qd, {law})"
    return ["", f"def controller(t, q, qd{taken}):", f"    return {body}", ""]


def holdable(robot):
    """Refuse robots whose base no motor holds."""
    if any(joint.kind == "free" for joint in robot.joints):
        raise ArgumentError(
            "a controller needs a robot whose base is fixed: this one has a joint that moves "
            "freely, which no motor drives"
        )


def _steps(seconds, robots):
    within("seconds", seconds, STEP * EVERY, MOST_SECONDS)
    records = max(1, round(seconds / (STEP * EVERY)))
    if records * robots > MOST_STATES:
        raise ArgumentError(f"seconds: {robots:,} robots for {seconds:g} s are too many states")
    return records * EVERY


def within(name, value, low, high):
    if not (isinstance(value, int | float) and low <= value <= high):
        raise ArgumentError(f"{name}: expected a number from {low:g} to {high:g}, found {value!r}")
    return value


def curves(robot, t, q):
    """Positions of the first robot over time."""
    first = q.reshape(len(q), -1, q.shape[-1])[:, 0]
    entries = coordinate_names(robot)[0][:MOST_CURVES]
    return Plot(t, {each["name"]: first[:, k] for k, each in enumerate(entries)}, "s", "rad or m")
