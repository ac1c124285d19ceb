"""`paraxis info`: a robot's joints, frames and operation counts."""

from ..checks import shown
from .arguments import add_robot, load_robot

EXAMPLES = """examples:
  paraxis info puma560                  a built-in robot
  paraxis info arm.urdf --tip tool0     a URDF file, up to one link
  paraxis info ur5 --drives x.yaml      with friction and transmissions
"""
MOST_FRAMES = 40  # that are listed
HINTED = "1e-4"  # rad: 1.5708 is off by 4e-6, and a real robot by more than this


def add(commands):
    about = "a robot's joints, frames and operation counts"
    info = commands.add_parser("info", help=about, description=f"Show {about}.", epilog=EXAMPLES)
    add_robot(info)
    return info


def run(arguments):
    from .operations import of_algorithms, print_operations
    from .tables import print_robot
    from .terminal import Terminal, waiting

    robot, terminal = load_robot(arguments), Terminal()
    with waiting() as say:
        say("counting operations")
        rows, chosen = of_algorithms(robot)
        hint = _snapping(robot, chosen.flops)
    print_robot(terminal, robot)
    terminal.title("frames", _listed(robot.frame_names))
    print_operations(terminal, rows, chosen)
    terminal.warn(hint)
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
        f"would take {fewer} flops instead of {flops}: give --snap {HINTED}. No orientation or "
        f"axis is then moved by more than {HINTED} rad."
    )


def _listed(names):
    """The first names, and how many more there are."""
    more = len(names) - MOST_FRAMES
    return ", ".join(map(shown, names[:MOST_FRAMES])) + (f" and {more} more" if more > 0 else "")
