"""`paraxis info`: a robot's joints, frames and operation counts."""

from ..checks import shown
from .arguments import add_robot, load_robot

MOST_FRAMES = 40  # that are listed
HINTED = "1e-4"  # rad: 1.5708 is off by 4e-6, and a real robot by more than this


def add(commands):
    about = "a robot's joints, frames and operation counts"
    info = commands.add_parser("info", help=about, description=f"Show {about}.")
    add_robot(info)
    return info


def run(arguments):
    from .operations import of_algorithms, print_operations
    from .tables import print_robot
    from .terminal import Terminal

    robot, terminal = load_robot(arguments), Terminal()
    print_robot(terminal, robot)
    terminal.title("frames", _listed(robot.frame_names))
    rows, chosen = of_algorithms(robot)
    print_operations(terminal, rows, chosen)
    terminal.warn(_snapping(robot, chosen.flops))
    return 0


def _snapping(robot, flops):
    """What exact right angles would save, in words, or nothing."""
    from .. import api

    snapped = robot.snapped(float(HINTED))
    if snapped.digest == robot.digest:
        return ""
    fewer = api.program(snapped).count().flops
    if fewer >= flops:
        return ""
    return (
        f"Some angles are right ones typed with few digits, such as 1.5708. Exact right angles "
        f"would take {fewer} flops instead of {flops}: px.load(..., snap={HINTED}), or --snap "
        f"{HINTED} here. No orientation or axis is then moved by more than {HINTED} rad."
    )


def _listed(names):
    """The first names, and how many more there are."""
    more = len(names) - MOST_FRAMES
    return ", ".join(map(shown, names[:MOST_FRAMES])) + (f" and {more} more" if more > 0 else "")
