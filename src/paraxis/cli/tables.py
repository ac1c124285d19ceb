"""Tables that several commands print: the joints of a robot, and speeds over batch sizes."""

from ..checks import counted, shown
from ..robots.table import (
    HEAD,
    LOOPS,
    LOSSES,
    NUMERIC,
    TENDONS,
    drive_table,
    joint_rows,
    loop_rows,
    summary,
    tendon_rows,
)
from .short_numbers import duration, short
from .terminal import Column, print_table


def print_robot(terminal, robot):
    """Totals, one line per joint, and one per drive, tendon and loop if there are any."""
    ranks = {"rotor": 0, "range": 1, "centre of mass m": 2, "parent": 3, "axis": 4}
    ranks |= {head: rank for rank, head in enumerate(reversed(LOSSES))}
    terminal.title(shown(robot.name), summary(robot))
    for head, rows in (
        (HEAD, joint_rows(robot)),
        drive_table(robot),
        (TENDONS, tendon_rows(robot)),
        (LOOPS, loop_rows(robot)),
    ):
        if rows:
            terminal.print()
            print_table(terminal, [Column(h, h in NUMERIC, ranks.get(h)) for h in head], rows)


def print_speeds(terminal, speeds, peer=None, crowded=lambda threads: False):
    """One line per batch size; per number of threads our speed and, if measured, the peer's.

    Ratios are left out where other processes took the cores: they would be meaningless.
    """
    counts = list(dict.fromkeys(speed.threads for speed in speeds))
    ours = {(speed.batch, speed.threads): speed for speed in speeds}
    theirs = {(speed.batch, speed.threads): speed for speed in (peer.speeds if peer else ())}
    columns = [Column("batch", right=True)]
    for count in counts:
        threads = counted(count, "thread")
        columns += [Column(f"{threads}\nper state", right=True)]
        columns += [Column(f"{threads}\nstates/s", right=True, rank=count)]
        if peer:
            columns += [Column(f"{threads}\nPinocchio", right=True)]
            columns += [Column(f"{threads}\nratio", right=True)]
    lines = []
    for batch in dict.fromkeys(speed.batch for speed in speeds):
        line = [f"{batch:,}"]
        for count in counts:
            own = ours[batch, count]
            line += [duration(own.ns_per_state / 1e9), short(own.states_per_s)]
            if peer:
                other = theirs.get((batch, count))
                if other is None:
                    line += ["–", "–"]
                    continue
                ratio = f"{other.ns_per_state / own.ns_per_state:.1f}"
                line += [duration(other.ns_per_state / 1e9), "–" if crowded(count) else ratio]
        lines.append(line)
    print_table(terminal, columns, lines)
