"""A design in the terminal: what was made, what it costs, and what is missing and why."""

from ..checks import shown
from ..control.dry_friction import has_dry_friction
from ..parallel.gantt.page import counted
from ..parallel.methods.bounds import gap_words
from .short_numbers import duration, short
from .terminal import Column, print_table

FLOPS = ("mul", "add", "div", "sqrt")  # what counts as a flop


def print_design(terminal, design):
    best = design.schedule
    terminal.title(shown(design.robot.name), f"designed for {counted(best.processors, 'core')}")
    terminal.print()
    rows = [("inverse kinematics", kinematics_words(design))]
    rows += [(each.name, operation_words(each)) for each in design.operations]
    rows += [
        ("schedule", schedule_words(best)),
        ("synchronisation", waits_words(design)),
        *(("loop time", time_words(count, times)) for count, times in design.times.items()),
        *([("loop time", design.why_no_times)] if design.why_no_times else []),
        ("safe rate", rate_words(design)),
        ("generated in", duration(design.generated_s)),
    ]
    print_table(terminal, [Column("what"), Column("")], rows)
    terminal.warn(design.warning)


def kinematics_words(design):
    if not design.kinematics:
        why = shown(design.why_no_kinematics, 400)
        return f"no closed form: {why}; px.inverse_kinematics solves it iteratively"
    return f"closed form: {design.kinematics}"


def operation_words(each):
    kinds = [f"{getattr(each, kind)} {kind}" for kind in FLOPS if getattr(each, kind)]
    return f"{each.flops} flops ({', '.join(kinds)}), {each.depth} one after another"


def schedule_words(best):
    proof = "no schedule is shorter" if best.optimal else f"{gap_words(best.gap)} above the optimum"
    return (
        f"{best.makespan:g} flops on {counted(best.processors, 'core')}: {best.speedup:.2f} times "
        f"as fast as one, {best.efficiency:.0%} busy; {proof}"
    )


def waits_words(design):
    if not design.lines:
        return "none: one core computes everything"
    most = max(design.waits)
    sent = counted(design.lines, "message")
    return f"{sent} between cores per call; a core waits up to {most} times"


def time_words(count, times):
    return (
        f"{duration(times.median)} on {counted(count, 'core')} here "
        f"({duration(times.fastest)} to {duration(times.slowest)})"
    )


def rate_words(design):
    if design.rate is None:
        return f"none: {shown(design.why_no_rate, 400)}"
    kp, kd = design.gains
    period = design.rate.predicted.period
    words = (
        f"{short(1 / period)} Hz or faster, for gains {_listed(kp)} 1/s² and {_listed(kd)} 1/s, "
        "torques one period after their sample, at the middle of the joints' ranges"
    )
    if has_dry_friction(design.robot):
        words += ", dry friction and gear losses left out"
    if design.loop:
        count, times = design.loop
        room = float(f"{period / times.median:.2g}")
        words += f"; that period is {room:,.8g} times the loop time on {counted(count, 'core')}"
    return words


def _listed(gains):
    return ", ".join(f"{gain:g}" for gain in (gains if isinstance(gains, list) else [gains]))
