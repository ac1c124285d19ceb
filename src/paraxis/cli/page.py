"""`paraxis page`: a page in which a robot is simulated while one looks."""

from .arguments import add_robot, load_robot
from .files import check_writable, write_or_open


def add(commands):
    about = "a page that simulates a robot while you look"
    page = commands.add_parser(
        "page",
        help=about,
        description="Make a page that simulates a robot while you look: one file, with the robot's "
        "own kernels inside, that loads nothing else. Joints follow sliders under control with "
        "exact or stale data, the mouse pulls links and drags the tool. With --floating-base the "
        "robot stands on the ground.",
    )
    add_robot(page)
    page.add_argument(
        "-o", "--output", metavar="FILE", help="the page; - for stdout. Without it, it opens in a "
        "browser",
    )  # fmt: skip
    return page


def run(arguments):
    from ..live.page import live_page
    from .terminal import Terminal, waiting

    if arguments.output is not None:
        check_writable(output=arguments.output)
    robot = load_robot(arguments)
    with waiting() as say:
        say("compiling the robot for the page")
        page = live_page(robot)
    write_or_open(page, Terminal(), arguments.output)
    return 0
