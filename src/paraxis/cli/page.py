"""`paraxis page`: a page in which a robot is simulated while one looks."""

from .arguments import add_robot, load_robot
from .files import check_writable, write_or_open


def add(commands):
    about = "a page that simulates a robot, with its own kernels inside"
    page = commands.add_parser(
        "page",
        help=about,
        description=f"Make {about}: one file with nothing to fetch. Joints follow sliders under "
        "control with exact or stale data, links are pulled with the mouse, the tool is dragged.",
    )
    add_robot(page)
    page.add_argument(
        "-o", "--output", metavar="FILE", help="the page; - for stdout. Without it, it opens in a "
        "browser",
    )  # fmt: skip
    return page


def run(arguments):
    from ..live.page import live_page
    from .terminal import Terminal

    if arguments.output is not None:
        check_writable(output=arguments.output)
    write_or_open(live_page(load_robot(arguments)), Terminal(), arguments.output)
    return 0
