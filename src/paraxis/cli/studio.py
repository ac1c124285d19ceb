"""`paraxis studio`: look at robots and try them out, in a browser."""

import os
import sys
import threading
import warnings
import webbrowser

from .arguments import add_robot, integer, load_options
from .files import check_folder

FIRST = "ur5"  # the robot to begin with


def add(commands):
    about = "robots in a browser, computed on this machine"
    studio = commands.add_parser(
        "studio",
        help=about,
        description=f"Open {about}: move their joints, see what is wrong with a description and "
        "what functions cost, simulate, sweep, find optimal motions, and save it all as Python. "
        "It needs viser: pip install 'paraxis[studio]'. Ctrl-C ends it.",
    )
    add_robot(studio, default=FIRST)
    studio.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1",
        help="the address to listen on (default: 127.0.0.1); with any other, other machines can "
        "connect, with the token in the address that is printed",
    )  # fmt: skip
    studio.add_argument(
        "--port", metavar="NUMBER", type=integer(0, 65_535), default=8080,
        help="the port, or 0 for any that is free (default: 8080)",
    )  # fmt: skip
    studio.add_argument(
        "-o", "--output", metavar="FOLDER", default=".",
        help="where to save what is done, as Python (default: here)",
    )  # fmt: skip
    studio.add_argument("--no-browser", action="store_true", help="print the address only")
    return studio


def run(arguments):
    from ..robots.loading import load
    from ..studio.opening import line_of, with_notes
    from ..studio.studio import Studio
    from .terminal import Terminal

    check_folder(arguments.output)
    options = load_options(arguments)
    opened = with_notes(load, arguments.robot, **options)
    studio = Studio(
        opened,
        line_of(absolute(arguments.robot), {name: absolute(x) for name, x in options.items()}),
        host=arguments.host,
        port=arguments.port,
        folder=arguments.output,
    )
    terminal = Terminal()
    # viser warns of what is sent to a browser that has just gone
    warnings.filterwarnings("ignore", "Queued a .* on a closed connection", UserWarning)
    try:
        terminal.print(f"  the studio is at {studio.url}", soft_wrap=True)
        terminal.print("  Ctrl-C ends it")
        sys.stdout.flush()  # it may be a pipe
        if not arguments.no_browser:
            webbrowser.open(studio.url)
        threading.Event().wait()
    except KeyboardInterrupt:
        terminal.print("  ended")
    finally:
        studio.stop()
    return 0


def absolute(source):
    """The path of a file as it is from any folder; anything else as it is."""
    is_file = isinstance(source, str) and os.path.isfile(source)
    return os.path.abspath(source) if is_file else source
