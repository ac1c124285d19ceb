"""`paraxis info`: a robot's joints, frames and operation counts."""

from ..checks import shown
from .arguments import add_robot, load_robot

MOST_FRAMES = 40  # that are listed


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
    print_operations(terminal, *of_algorithms(robot))
    return 0


def _listed(names):
    """The first names, and how many more there are."""
    more = len(names) - MOST_FRAMES
    return ", ".join(map(shown, names[:MOST_FRAMES])) + (f" and {more} more" if more > 0 else "")
