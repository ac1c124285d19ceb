"""Arguments that several commands take, and how their text becomes numbers."""

import argparse
import textwrap
import warnings

from ..checks import one_of, shown
from ..errors import ArgumentError, RobotWarning
from ..robot_functions import FUNCTIONS
from ..robots.loading import load
from ..robots.snapping import SNAP

FUNCTION_NAMES = (
    "functions:\n"
    + textwrap.fill(", ".join(FUNCTIONS), 79, initial_indent="  ", subsequent_indent="  ")
    + "\n"
)


def add_robot(command, source="a robot's name, or a URDF or MJCF file", default=None):
    """Declare the arguments that `load_robot` reads; with a default, ROBOT may be left out."""
    if default is None:
        command.add_argument("robot", metavar="ROBOT", help=source)
    else:
        source += f" (default: {default})"
        command.add_argument("robot", metavar="ROBOT", nargs="?", default=default, help=source)
    group = command.add_argument_group("the robot")
    group.add_argument(
        "--tip", metavar="FRAME", help="keep only the joints up to this link; lock the others"
    )
    group.add_argument(
        "--floating-base",
        action="store_true",
        default=None,
        help="let the root link move freely, as that of a walking robot",
    )
    group.add_argument(
        "--drives",
        metavar="FILE",
        help="friction and transmissions, as YAML "
        "(default: for arm.urdf, arm.drives.yaml if it exists)",
    )
    group.add_argument(
        "--snap",
        metavar="RAD",
        type=one_number,
        help=f"make angles exact that are this close to right ones (default: {SNAP:g})",
    )


def load_robot(arguments):
    """The robot; warnings about it go to stderr."""
    if is_stg(arguments.robot):
        raise ArgumentError(
            f"{shown(arguments.robot, 300)}: this is a task graph, not a robot; "
            "use `paraxis schedule` to schedule its tasks"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("always", RobotWarning)
        return load(arguments.robot, **load_options(arguments))


def add_function(command, default="inverse_dynamics", more=""):
    """Declare the argument that `function_of` reads."""
    command.add_argument(
        "--function",
        metavar="NAME",
        default=default,
        help=f"function of the robot, see below{more} (default: {default})",
    )


def function_of(arguments):
    """The function that was asked for, before anything is loaded."""
    return one_of(arguments.function, FUNCTIONS, "--function")


def load_options(arguments):
    """The options of `px.load` that were given."""
    given = {
        "tip": arguments.tip,
        "drives": arguments.drives,
        "floating_base": arguments.floating_base,
        "snap": arguments.snap,
    }
    return {name: value for name, value in given.items() if value is not None}


def is_stg(path):
    """Whether a path names a Standard Task Graph."""
    return path.lower().endswith(".stg")


def refuse(arguments, names, conflict):
    """Raise an error for an option that was given although it has no effect with `conflict`."""
    for name in names:
        if getattr(arguments, name) not in (None, ()):
            raise ArgumentError(f"--{name.replace('_', '-')} cannot be used with {conflict}")


def numbers(text):
    """One number for all joints, or a list with one per joint."""
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers, found {shown(text)!r}") from None
    return found[0] if len(found) == 1 else found


def integers(text):
    """A list of integers."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected integers, found {shown(text)!r}") from None


def one_number(text):
    """One number, such as 1e-4."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, found {shown(text)!r}") from None


def integer(least, most, what="an integer"):
    """A parser of integers from `least` to `most`."""

    def parse(text):
        digits = text.isascii() and text.isdigit() and len(text) < 20
        if not (digits and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(
                f"expected {what} from {least} to {most:,}, found {shown(text)!r}"
            )
        return int(text)

    return parse
