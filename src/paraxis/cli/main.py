"""The command `paraxis`: its parser, its errors and its exit codes. Each command is a file here.

A mistake of the user is one line on stderr and exit code 2; a demo that finds Paraxis wrong exits
with 1.
"""

import argparse
import os
import sys

from .. import __version__
from ..checks import did_you_mean, one_of, shown
from ..errors import ArgumentError, ParaxisError
from . import (
    atlas,
    bench,
    dataset,
    demo,
    design,
    export,
    info,
    page,
    report,
    safe_rate,
    schedule,
    show,
    studio,
    sweep,
)

COMMANDS = (
    info,
    show,
    bench,
    schedule,
    export,
    design,
    atlas,
    safe_rate,
    sweep,
    dataset,
    page,
    studio,
    report,
    demo,
)  # as --help lists them

EXAMPLES = """examples:
  paraxis demo                          a tour of about a minute, and a page to look at
  paraxis info puma560                  a built-in robot: its joints and what its dynamics cost
  paraxis info arm.urdf --tip tool0     a URDF file, up to one link
  paraxis info ur5 --drives x.yaml      with friction and transmissions from a file
  paraxis show arm.urdf -o arm.html     a page with the robot in 3-D
  paraxis show ur5 --fall 5             let it fall, in a browser
  paraxis bench ur5 --batch 1,1000,1e6  how fast it runs on this machine
  paraxis bench arm.urdf --json out.json
  paraxis schedule puma560 --processors 6 --html chart.html
  paraxis schedule puma560 --processors 1-13 --method optimal
  paraxis schedule ur5 --processors 4 --grain 8 --latency 10 --method heft
  paraxis schedule tasks.stg --processors 4 --json out.json
  paraxis export ur5 --function inverse_dynamics --language c -o build
  paraxis export puma560 --function inverse_kinematics --language verilog -o build
  paraxis design ur5 --processors 4 --drives x.yaml -o build
  paraxis safe-rate ur5 --kp 100 --kd 20 --policy hamilton --check
  paraxis atlas planar3 -o atlas.html   sampling periods at which control with stale data is stable
  paraxis sweep study.yaml -o study.zarr --workers 4
  paraxis sweep status study.zarr       how far it is
  paraxis dataset ur5 --states 1e6 --store s.zarr --parquet s
  paraxis page ur5 -o arm.html          a page in which it is simulated while you look
  paraxis studio ur5                    the same for work in progress: a panel, computed here
  paraxis report counts --html counts.html
"""

INTERRUPTED, BROKEN_PIPE = 128 + 2, 128 + 13  # as shells report death by a signal


def main(argv=None):
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks our characters shows '?'
            stream.reconfigure(errors="replace")
    try:
        code = _run(argv)
        sys.stdout.flush()  # here, where a broken pipe is caught
        return code
    except ParaxisError as error:
        return _complain(error)
    except MemoryError:
        return _complain("not enough memory")
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `paraxis info ... | head`: the reader has gone
        _drop_stdout()
        return BROKEN_PIPE
    except OSError as error:  # such as a full disk behind stdout
        _drop_stdout()
        return _complain(f"input or output failed: {error}")


def _drop_stdout():
    """Discard what is still buffered, or Python would try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv):
    try:
        arguments = _parser().parse_args(_with_lists(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:  # after --help and --version
        return stop.code or 0
    return arguments.run(arguments)


def _with_lists(argv):
    """Join lists that begin with a minus to their option: alone they look like another option."""
    words = []
    for word in argv:
        option = bool(words) and words[-1].startswith("--") and "=" not in words[-1]
        if option and word[:1] == "-" and "," in word and word[1:2] in set("0123456789."):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def _complain(error):
    print(f"paraxis: {shown(str(error), 2000)}", file=sys.stderr)
    return 2


def _parser():
    parser = _Parser(
        prog="paraxis",
        description="Parallel robot dynamics: from a robot description to the fastest kernels.",
        epilog=EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=f"paraxis {__version__}")
    parser.set_defaults(run=lambda _: parser.print_help() or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands).set_defaults(run=command.run)
    return parser


class _Parser(argparse.ArgumentParser):
    """Errors are exceptions with suggestions; an epilog may be a function, called for --help."""

    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message):
        raise ArgumentError(f"{message} (see {self.prog} --help)")

    def format_help(self):
        if callable(self.epilog):
            self.epilog = self.epilog()
        return super().format_help()

    def parse_known_args(self, args=None, namespace=None):
        """Refuse unknown options here, where the parser of the command knows the similar ones."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def _check_value(self, action, value):
        if value == "help":
            raise ArgumentError(f"there is no command 'help'; run {self.prog} --help")
        if action.choices is not None and value not in action.choices:
            try:
                one_of(value, action.choices, action.metavar or action.option_strings[-1])
            except ArgumentError as error:
                self.error(str(error))
