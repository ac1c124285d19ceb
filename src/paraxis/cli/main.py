"""The command `paraxis`: its parser, its errors and its exit codes. Each command is a file here.

A mistake of the user is one line on stderr and exit code 2. A result that is wrong, as in a demo
that finds an error, or incomplete, as a sweep with failed blocks, gives exit code 1.
"""

import argparse
import os
import sys

from .. import __version__
from ..checks import did_you_mean, one_of
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
from .notices import in_words_of_commands, notices

COMMANDS = (
    demo,
    info,
    show,
    page,
    studio,
    bench,
    export,
    schedule,
    safe_rate,
    atlas,
    design,
    sweep,
    dataset,
    report,
)  # as --help lists them

EXAMPLES = """examples (each command has more: paraxis COMMAND --help):
  paraxis demo                     a tour of about a minute, and a page
  paraxis info arm.urdf            its joints, and what its dynamics cost
  paraxis bench ur5                how fast its dynamics are on this machine
  paraxis show ur5 --fall 5        let it fall, in a browser
  paraxis page ur5 -o arm.html     a page that simulates it under control
  paraxis export ur5 --language c -o build
  paraxis schedule puma560 --processors 6 --html chart.html
  paraxis safe-rate ur5 --kp 100 --kd 20 --check

exit codes: 0 done; 1 a result is wrong or incomplete; 2 a mistake in what was
asked, explained in one line; 130 interrupted.
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
    with notices():
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
    print(f"paraxis: {in_words_of_commands(error)}", file=sys.stderr)
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


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help within the width of the terminal: one line of usage, options listed once, below it."""

    def _format_usage(self, usage, actions, groups, prefix):
        needed = [each for each in actions if each.required or not each.option_strings]
        if len(needed) < len(actions) and needed:
            self._prog += " [options]"
        return super()._format_usage(usage, needed or actions, [], prefix)

    def _fill_text(self, text, width, indent):
        """Wrap what is one paragraph; an epilog is laid out already."""
        if "\n" in text.strip():
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)

    def _iter_indented_subactions(self, action):
        if not isinstance(action, argparse._SubParsersAction):
            yield from super()._iter_indented_subactions(action)
            return
        yield from action._get_subactions()  # under the title, without a line for all of them

    def _format_action(self, action):
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        return "".join(map(self._format_action, self._iter_indented_subactions(action)))


class _Parser(argparse.ArgumentParser):
    """Errors are exceptions with suggestions; an epilog may be a function, called for --help."""

    def __init__(self, **options):
        super().__init__(formatter_class=_Help, **options)

    def error(self, message):
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"expected {missing}"
        raise ArgumentError(f"{message.removeprefix('argument ')} (see {self.prog} --help)")

    def format_help(self):
        if callable(self.epilog):
            self.epilog = self.epilog()
        return super().format_help()

    def parse_known_args(self, args=None, namespace=None):
        """Refuse unknown options here, where the parser of the command knows the similar ones."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unknown argument: {' '.join(unknown)}{near}")
        return found, unknown

    def _check_value(self, action, value):
        if value == "help":
            raise ArgumentError(f"there is no command 'help'; run {self.prog} --help")
        if action.choices is not None and value not in action.choices:
            try:
                one_of(value, action.choices, action.metavar or action.option_strings[-1])
            except ArgumentError as error:
                self.error(str(error))
