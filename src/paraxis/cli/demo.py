"""`paraxis demo`: a tour with one robot, ending in an HTML page in which it moves."""

import os
import sys
from operator import attrgetter

from .. import __version__, api
from ..checks import shown
from ..errors import ParaxisError
from ..robots.model import DESCRIPTION
from .arguments import load_robot
from .files import check_writable, write

HALF_DECADES = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST_QUICK = 10_000  # states per call with --quick


def add(commands):
    about = "a tour with one robot, and a page in which it moves"
    demo = commands.add_parser("demo", help=about, description=f"Take {about}.")
    demo.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="paraxis-demo.html",
        help="the page (default: %(default)s)",
    )
    demo.add_argument(
        "--robot",
        metavar="NAME",
        default="puma560",
        help="a robot's name, or a URDF or MJCF file (default: %(default)s)",
    )
    demo.add_argument("--quick", action="store_true", help="measure less, in a few seconds")
    demo.set_defaults(tip=None, floating_base=None, drives=None, snap=None)
    return demo


def run(arguments):
    from . import measure
    from .demo_page import WHAT, Tour, page
    from .machine import machine
    from .neighbours import Neighbours
    from .operations import Operations, of_algorithms, print_customised
    from .short_numbers import duration
    from .tables import print_robot, print_speeds
    from .terminal import Terminal, progress_bar, waiting

    check_writable(output=arguments.output)
    robot, terminal = load_robot(arguments), Terminal()
    terminal.note(WHAT)
    terminal.title("1  The robot")
    print_robot(terminal, robot)

    terminal.title("2  Made for this robot", "masses, lengths, ... are constants, not inputs")
    terminal.print()
    everything = tuple(DESCRIPTION)
    own, chosen = of_algorithms(robot)
    general = {
        row.name: api.program(robot, algorithm=row.name, parameters=everything) for row in own
    }
    pairs = [(Operations.of(row.name, general[row.name]), row) for row in own]
    print_customised(terminal, pairs, chosen)
    terminal.note("Flops per state, without sines and cosines; left: the share that remains.")

    terminal.title("3  Compiling")
    program, kernel, compiled = measure.compile_times(lambda: api.program(robot), "float64")
    cached = "" if compiled.cached_s is None else f", {duration(compiled.cached_s)} from the cache"
    terminal.print(
        f"  traced in {duration(compiled.trace_s)}, compiled in {duration(compiled.cold_s)} "
        f"cold{cached}; {kernel.lanes} states per vector"
    )

    terminal.title("4  Checking")
    error = measure.interpreter_error(kernel, program)
    values = {name: api.parameter_values(robot, name) for name in everything}
    baseline = general[min(pairs, key=lambda pair: pair[0].flops)[0].name]
    general_error = measure.general_error(kernel, program, baseline, values)
    terminal.print(f"  against the interpreter                            {error:.1e}")
    terminal.print(f"  against the general robot, given these parameters  {general_error:.1e}")
    if not max(error, general_error) <= measure.TOLERANCE:  # NaN is no success either
        print(f"paraxis: the error is above {measure.TOLERANCE:g}", file=sys.stderr)
        return 1

    terminal.title("5  Measuring")
    effort = measure.QUICK if arguments.quick else measure.Effort()
    sizes = [size for size in HALF_DECADES if size <= MOST_QUICK or not arguments.quick]
    batches = measure.affordable(program, "float64", sizes, asked=False)
    counts = measure.thread_counts()
    total = len(batches) * len(counts)
    with Neighbours() as others, progress_bar(total, "measuring") as tick:
        usual = attrgetter("median")
        latency = measure.latency(kernel, program, effort, usual)
        speeds = measure.speeds(program, "float64", batches, counts, effort, tick, usual)
    terminal.print()
    print_speeds(terminal, speeds)
    terminal.note(
        f"Medians of up to {effort.runs} runs. A call with one state takes {duration(latency)}, "
        "from Python and back."
    )
    terminal.warn(others.warning(max(counts)))

    terminal.title("6  The page")
    builtin = not os.path.isfile(arguments.robot)
    call = repr(arguments.robot) if builtin else '"robot.urdf"'
    with waiting() as say:
        say("compiling the robot for the page, in which it moves")
        live, why_not = moving(robot)
    tour = Tour(
        __version__, robot, call, program, pairs, chosen, compiled, error, general_error, latency,
        speeds, machine(), others.warning(max(counts)), live, why_not,
    )  # fmt: skip
    text = page(tour)
    write(arguments.output, text)
    size = len(text.encode()) / 1000
    terminal.print(f"  wrote {shown(arguments.output, 300)} ({size:,.0f} kB)")
    if live is None:
        terminal.note(f"The robot does not move there: {why_not}")
    else:
        terminal.note("Open it in a browser: the robot moves there, and follows the mouse.")
    return 0


def moving(robot):
    """(its live page, nothing), or (None, why it has none)."""
    from ..live.page import LivePage

    try:
        return LivePage(robot, sways=True).html, ""
    except ParaxisError as error:
        return None, str(error)
