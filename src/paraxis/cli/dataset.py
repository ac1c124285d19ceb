"""`paraxis dataset`: sampled states of a robot and the results of a function, for learning."""

import argparse

from ..checks import counted, shown
from ..errors import ArgumentError
from .arguments import FUNCTION_NAMES, add_function, add_robot, function_of, load_robot, one_number
from .sweep import add_where, finished, print_estimate, where_of

EXAMPLES = """examples:
  paraxis dataset ur5 --states 1e6 --store s.zarr --parquet s
"""
MOST = 10**13  # states
TORQUE = 100.0  # N m or N, to either side, where a robot has no effort limits
ACCELERATION = 10.0  # rad/s² or m/s², to either side


def add(commands):
    about = "states and results of a function, as Zarr and Parquet"
    command = commands.add_parser(
        "dataset",
        help=about,
        description="Sample states of a robot, compute a function of them, and write both as a "
        "Zarr store and, if asked, as Parquet files.",
        epilog="\n".join((EXAMPLES, FUNCTION_NAMES)),
    )
    add_robot(command)
    command.add_argument(
        "--states", metavar="N", type=_count, default=10**6, help="number of states (default: 1e6)"
    )
    add_function(command, "forward_dynamics")
    command.add_argument(
        "--frame", metavar="FRAME", help="the frame, for functions of a frame (default: the tool)"
    )
    command.add_argument("--store", metavar="STORE", required=True, help="the store, a path or URL")
    command.add_argument(
        "--parquet", metavar="FOLDER", help="also write Parquet files, train/ and test/"
    )
    command.add_argument(
        "--method",
        metavar="NAME",
        default="random",
        help="how states are sampled: random, latin_hypercube or sobol (default: random)",
    )
    command.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed of the random states (default: 0)"
    )
    command.add_argument("--retry-failed", action="store_true", help="compute failed blocks again")
    add_where(command)
    return command


def _count(text):
    count = one_number(text)
    if not (1 <= count <= MOST and count == int(count)):
        raise argparse.ArgumentTypeError(
            f"expected an integer from 1 to {MOST:.0e}, found {shown(text)!r}"
        )
    return int(count)


def run(arguments):
    from ..robot_functions import FUNCTIONS
    from ..sweeps.parquet import check_parquet, to_parquet
    from ..sweeps.states import States
    from ..sweeps.study import sweep
    from .study_functions import OfRobot

    name = function_of(arguments)
    if arguments.parquet:
        check_parquet(arguments.parquet)
    robot = load_robot(arguments)
    if robot.loops:
        raise ArgumentError(
            f"robot {robot.name!r} has closed loops, which sampled states would leave open"
        )
    ranges = {each: _range(robot, each) for each in FUNCTIONS[name].inputs}
    space = States(robot, arguments.states, ranges, arguments.method, arguments.seed)
    function = OfRobot(robot, name, (*ranges,), arguments.frame)
    code = finished(
        lambda: sweep(
            function,
            space,
            arguments.store,
            retry_failed=arguments.retry_failed,
            started=print_estimate,
            **where_of(arguments),
        )
    )
    if arguments.parquet and not code:
        paths = to_parquet(arguments.store, arguments.parquet)
        print(f"  wrote {counted(len(paths), 'file')} in {shown(arguments.parquet, 300)}")
    return code


def _range(robot, name):
    """Within the robot's limits; where it has none, as far as is usual."""
    import numpy as np

    from ..robots.within_limits import ranges_of

    if name in ("q", "q0", "q1"):
        return ranges_of(robot, "q")
    if name in ("qd", "v"):
        return ranges_of(robot, "qd")
    if name == "tau":
        most = np.where(np.isfinite(robot.effort_limit), robot.effort_limit, TORQUE)
        return -most, most
    most = np.full(robot.nv, ACCELERATION)
    return -most, most
