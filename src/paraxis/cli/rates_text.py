"""Safe sampling rates in the terminal: one line per policy, predicted and, if asked, simulated."""

import math

from ..checks import shown
from ..control.dry_friction import has_dry_friction
from .short_numbers import duration, short
from .terminal import Column, print_table


def print_safe_rates(terminal, robot, rates, conditions):
    """A table of rates at one posture; `conditions` are words on what was asked."""
    bounded = any(rate.predicted.bounded for rate in rates)
    checked = any(rate.simulated is not None for rate in rates)
    columns = [Column("policy"), Column("safe period", right=True), Column("rate", right=True)]
    columns += [Column("shown unstable from", right=True)] * bounded
    columns += [Column("simulated", right=True)] * checked
    rows = []
    for rate in rates:
        row = [rate.policy, *_period(rate.predicted)]
        row += [_seconds(rate.predicted.unstable)] * bounded
        row += [_simulated(rate.simulated)] * checked
        rows.append((*row, *_costs(rate)))
    _print(terminal, robot, conditions, columns, rows)
    notes = [f"Predicted by the {rates[0].predicted.method}, for small errors"]
    notes[0] += ", bounds over all patterns of missed steps." if bounded else "."
    notes += ["Between the two periods, stability is not known."] * bounded
    notes += ["Simulated: runs that start slightly apart converge."] * checked
    notes += ["This holds for this posture only; use --postures to try others."]
    terminal.note(" ".join(notes + _on_friction(robot)))


def print_least_rates(terminal, robot, rates, conditions):
    """A table of rates over random postures."""
    gaps = any(rate.unstable for rate in rates)
    heads = ["least safe period", "rate", "median"] + ["with none"] * gaps
    columns = [Column("policy"), *(Column(head, right=True) for head in heads)]
    rows = []
    for rate in rates:
        row = [rate.policy, _seconds(rate.least), _hertz(rate.least), _seconds(rate.median)]
        rows.append((*row, *[str(rate.unstable)] * gaps, *_costs(rate)))
    _print(terminal, robot, conditions, columns, rows)
    notes = [f"Predicted by the {rates[0].method}, for small errors; other postures may be worse."]
    terminal.note(" ".join(notes + _on_friction(robot)))


def _print(terminal, robot, conditions, columns, rows):
    terminal.title(shown(robot.name), f"computed torque, {conditions}")
    terminal.print()
    costs = [Column("time steps", right=True, rank=1), Column("depth", right=True, rank=0)]
    print_table(terminal, [*columns, *costs], rows)


def _costs(rate):
    return str(rate.time_steps), f"{rate.depth} flops"


def _on_friction(robot):
    words = "Dry friction and gear losses, which are not linear, are left out."
    return [words] * has_dry_friction(robot)


def _period(found):
    if found.period is None:
        known = found.unstable <= found.shortest
        return "none found" if known else "none proved", ""
    sign = "> " if math.isinf(found.unstable) else ""
    return sign + _seconds(found.period), _hertz(found.period)


def _seconds(time):
    if time is None:
        return "none found"
    return duration(time) if math.isfinite(time) else ""


def _hertz(period):
    if period is None:
        return ""
    rate = short(1.0 / period)
    return f"{rate}Hz" if rate[-1].isalpha() else f"{rate} Hz"


def _simulated(found):
    if found is None:
        return ""
    if found.period is None:
        return f"< {_seconds(found.shortest)}"
    return ("> " if math.isinf(found.unstable) else "") + _seconds(found.period)
