"""The command line: `paraxis info`, `bench`, `schedule`, `export`, `safe-rate`, `atlas`, ...

Commands ask the public functions and hand the answers to papers/paraxis_papers/. An error of the
user is one line on stderr and exit code 2; a demo that finds Paraxis wrong exits with 1.
"""

import argparse
import os
import re
import sys
import warnings

import numpy as np
from paraxis_papers.reports import REPORTS

from .. import __version__, api
from ..checks import did_you_mean, one_of, shown
from ..errors import ArgumentError, ParaxisError
from ..parallel.methods.list_schedule import PRIORITIES
from ..parallel.methods.optimal.search import TIME_LIMIT
from ..parallel.schedules.scheduling import METHODS, methods_with, schedule
from ..parallel.schedules.speedup_curve import MOST_SCHEDULES, consistent
from ..parallel.tasks.task_graph import TaskGraph
from ..physics import CHEAP
from ..robots.load import load
from ..robots.model import DESCRIPTION
from .exported_files import CIRCUITS, LANGUAGES, export, export_circuit
from .text import duration

EXAMPLES = """examples:
  paraxis demo                          a tour in a minute, and a page to look at
  paraxis info puma560                  a built-in robot: its joints, what its dynamics cost
  paraxis info arm.urdf --tip tool0     a URDF file, up to one link
  paraxis info ur5 --drives x.yaml      with friction and transmissions from a file
  paraxis bench ur5 --batch 1,1000,1e6  how fast it runs here
  paraxis bench arm.urdf --json out.json
  paraxis schedule puma560 --processors 6 --html chart.html
  paraxis schedule puma560 --processors 1-13 --method optimal
  paraxis schedule ur5 --processors 4 --grain 8 --latency 10 --method heft
  paraxis schedule tasks.stg --processors 4 --json out.json
  paraxis export ur5 --function inverse_dynamics --language c -o build
  paraxis export puma560 --function inverse_kinematics --language verilog -o build
  paraxis safe-rate ur5 --kp 100 --kd 20 --policy hamilton --check
  paraxis atlas planar3 -o atlas.html   at which sampling periods control with old data holds
  paraxis report counts --html counts.html
"""

JSON_KEYS = """The JSON file holds: paraxis (version), robot (name, joints), function, dtype,
machine, operations (mul, add, trig, flops, depth), compile (trace_s, cold_s, cached_s),
latency_ns, error, sample (states checked), rows (batch, threads, ns_per_state, states_per_s),
pinocchio (version, error, latency_ns, rows; or null, with the reason in pinocchio_note), and
other_cores (cores that other processes kept busy while measuring; null where unknown).
"""

TASKS = """tasks of a robot:
  operations   one a multiplication, addition, ... of a function's Program, or with --grain
               several; sines and cosines of the joint angles are taken as given. The time of
               a flop is 1, which is the unit of --grain, --latency and --messages
  streamlined  Dhanaraj's subtasks of three operations, of a robot's inverse dynamics
"""
OPERATIONS, STREAMLINED = KINDS = ("operations", "streamlined")

VERILOG = "verilog"
ARCHITECTURES = ("pipelined", "iterative")
OF_CIRCUITS = ("word", "iterations", "arm", "elbow", "wrist", "near", "velocity", "acceleration")

REPORT_NAMES = "reports:\n" + "".join(f"  {n:<13}{what}\n" for n, (what, _) in REPORTS.items())

DECADES = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
HALF_DECADES = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST_STATES = 10**9
INTERRUPTED, BROKEN_PIPE = 128 + 2, 128 + 13  # as shells write a death by signal


def main(argv=None):
    """Run a command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without our letters gets '?'
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
    except BrokenPipeError:  # `paraxis info ... | head`: nobody reads any more
        _drop_stdout()
        return BROKEN_PIPE
    except OSError as error:  # as of a full disk behind stdout
        _drop_stdout()
        return _complain(f"input or output failed: {error}")


def _drop_stdout():
    """What is still in its buffer goes nowhere, or Python would try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv):
    try:
        arguments = _parser().parse_args(_with_lists(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:  # after --help and --version
        return stop.code or 0
    return arguments.command(arguments)


def _with_lists(argv):
    """Lists that begin with a minus joined to their option, as alone they look like another."""
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


# -- arguments -------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ArgumentError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args=None, namespace=None):
        """Here and not at the end, as only the parser of a command knows its options."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            try:
                one_of(value, action.choices, action.metavar or action.option_strings[-1])
            except ArgumentError as error:
                self.error(str(error))


def _parser():
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog="paraxis",
        description="Parallel robot dynamics: from a robot description to the fastest kernels.",
        epilog=EXAMPLES,
        formatter_class=raw,
    )
    parser.add_argument("--version", action="version", version=f"paraxis {__version__}")
    parser.set_defaults(command=lambda _: parser.print_help() or 0)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    about = "a robot's joints, frames and operation counts"
    info = commands.add_parser("info", help=about, description=f"Show {about}.")
    info.set_defaults(command=_info)

    about = "measure inverse dynamics on this machine"
    bench = commands.add_parser(
        "bench",
        help=about,
        description=f"{about.capitalize()}.",
        epilog=JSON_KEYS,
        formatter_class=raw,
    )
    bench.set_defaults(command=_bench)

    about = "when and where each task of a robot's dynamics runs on p processors"
    scheduled = commands.add_parser(
        "schedule", help=about, description=f"Find {about}.", epilog=TASKS, formatter_class=raw
    )
    scheduled.set_defaults(command=_schedule)
    _add_robot(scheduled, "a built-in name, a URDF file, or an STG file of tasks")
    scheduled.add_argument(
        "--processors",
        metavar="P",
        type=_processors,
        default=[1, 2, 4, 8],
        help="a number, or several as 1,2,4 or 1-13 (default: 1,2,4,8)",
    )
    scheduled.add_argument("--method", choices=METHODS, default="list", help="default: %(default)s")
    scheduled.add_argument(
        "--priority", choices=PRIORITIES, help="of method list: which task goes first"
    )
    scheduled.add_argument(
        "--time-limit",
        metavar="S",
        type=_seconds,
        help=f"of method optimal: seconds to search, for each P (default: {TIME_LIMIT})",
    )
    scheduled.add_argument("--tasks", choices=KINDS, help=f"default: {OPERATIONS}")
    scheduled.add_argument("--function", metavar="NAME", help="default: inverse_dynamics")
    scheduled.add_argument("--algorithm", metavar="NAME", help="default: the cheapest")
    scheduled.add_argument(
        "--balanced", action="store_true", default=None, help="sums as shallow trees"
    )
    scheduled.add_argument("--grain", metavar="FLOPS", type=_flops, help="at most so many a task")
    scheduled.add_argument(
        "--latency", metavar="T", type=_time, help="of a message between processors (default: 0)"
    )
    scheduled.add_argument(
        "--messages", metavar="T", type=_time, help="of each value in a message (default: 0)"
    )
    scheduled.add_argument("--html", metavar="FILE", help="write a chart there; - for stdout")
    scheduled.add_argument("--json", metavar="FILE", help="write the schedule there; - for stdout")

    about = "a function of a robot as source or library, with a self-test"
    exported = commands.add_parser("export", help=about, description=f"Write {about}.")
    exported.set_defaults(command=_export)

    for command in (info, bench, exported):
        _add_robot(command, "a built-in name or a URDF file")
    bench.add_argument("--batch", metavar="N,N,...", type=_batches, help="states per call")
    bench.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    bench.add_argument(
        "--threads", metavar="N", type=_threads, help="the most (default: all cores)"
    )
    bench.add_argument("--json", metavar="FILE", help="write the figures there; - for stdout")

    exported.add_argument(
        "--function",
        metavar="NAME",
        default="inverse_dynamics",
        help=f"default: %(default)s; one of {', '.join(api.FUNCTIONS)}; "
        f"in Verilog {' or '.join(CIRCUITS)}",
    )
    exported.add_argument("--algorithm", metavar="NAME", help="default: the cheapest")
    exported.add_argument("--frame", metavar="FRAME", help="what a function of a frame is about")
    exported.add_argument("--coordinates", choices=api.COORDINATES, help="of that frame's motion")
    exported.add_argument(
        "--parameters",
        metavar="NAME,...",
        type=lambda text: tuple(text.split(",")),
        default=(),
        help="of the robot that become inputs: mass, external_force, ...",
    )
    exported.add_argument("--language", choices=(*LANGUAGES, VERILOG), required=True)
    exported.add_argument(
        "--dtype", choices=("float64", "float32"), help="of all but Verilog (default: float64)"
    )
    exported.add_argument("--name", help="of the function (default: after robot and function)")
    exported.add_argument(
        "--cpu", metavar="LEVEL", help="of a library: x86-64-v3 or x86-64-v4 (default: this CPU)"
    )
    circuit = exported.add_argument_group("of Verilog")
    circuit.add_argument(
        "--architecture",
        choices=ARCHITECTURES,
        help="an item every clock, or one processor a task used again and again "
        f"(default: {ARCHITECTURES[0]})",
    )
    circuit.add_argument("--word", metavar="BITS", type=int, help="length of words (default: 24)")
    circuit.add_argument(
        "--iterations", metavar="N", type=int, help="of a processor (default: as many as bits)"
    )
    for sign in ("arm", "elbow", "wrist"):
        circuit.add_argument(
            f"--{sign}", type=int, choices=(1, -1), help="of inverse kinematics (default: 1)"
        )
    circuit.add_argument(
        "--near",
        metavar="X",
        type=float,
        help="of inverse kinematics: how near singularities poses are not valid (default: 1/256)",
    )
    for name, unit in (("velocity", "rad/s"), ("acceleration", "rad/s²")):
        circuit.add_argument(
            f"--{name}",
            metavar="X,...",
            type=_gains,
            help=f"of inverse dynamics: the largest, in {unit}",
        )
    exported.add_argument("-o", "--output", metavar="DIR", required=True)

    about = "an interactive page of maps: at which sampling periods control with old data holds"
    atlas = commands.add_parser("atlas", help=about, description=f"Make {about}.")
    atlas.set_defaults(command=_atlas)
    _add_robot(atlas, "a built-in name or a URDF file")
    atlas.add_argument("-o", "--output", metavar="FILE", required=True, help="- for stdout")
    atlas.add_argument(
        "--kp", metavar="K,...", type=_gains, default=100.0, help="in 1/s² (default: 100)"
    )
    atlas.add_argument("--kd", metavar="K,...", type=_gains, help="in 1/s (default: critical)")
    atlas.add_argument(
        "--policies", metavar="NAME,...", type=lambda text: text.split(","), help="default: all"
    )

    about = "the largest sampling period at which control with old data is stable"
    safe = commands.add_parser("safe-rate", help=about, description=f"Find {about}.")
    safe.set_defaults(command=_safe_rate)
    _add_robot(safe, "a built-in name or a URDF file")
    safe.add_argument("--kp", metavar="K,...", type=_gains, required=True, help="in 1/s²")
    safe.add_argument("--kd", metavar="K,...", type=_gains, required=True, help="in 1/s")
    safe.add_argument("--policy", metavar="NAME", help="default: a table of all")
    place = safe.add_mutually_exclusive_group()
    place.add_argument(
        "--posture",
        metavar="Q,...",
        type=lambda text: np.atleast_1d(_gains(text)),
        help="default: the middle of the joints' ranges",
    )
    place.add_argument(
        "--postures", metavar="N", type=int, help="the least over so many by chance, in the ranges"
    )
    safe.add_argument(
        "--delay",
        metavar="SHARE",
        type=float,
        default=0.0,
        help="from a sample to its torques, of the period: 0 to 1 (1 is one sample late)",
    )
    safe.add_argument(
        "--missed", metavar="N", type=int, default=0, help="control steps missed in a row, at most"
    )
    safe.add_argument(
        "--payload", metavar="KG", type=float, default=0.0, help="unknown to the controller"
    )
    safe.add_argument("--frame", metavar="FRAME", help="that holds the payload (default: the tool)")
    safe.add_argument("--check", action="store_true", help="simulate too")

    about = "a table of a paper beside what is measured here"
    report = commands.add_parser(
        "report",
        help=about,
        description=f"Make {about}.",
        epilog=REPORT_NAMES,
        formatter_class=raw,
    )
    report.set_defaults(command=_report)
    report.add_argument("name", metavar="NAME", nargs="?", choices=tuple(REPORTS))
    for kind, what in (("json", "the rows"), ("html", "a page"), ("markdown", "a document")):
        report.add_argument(f"--{kind}", metavar="FILE", help=f"write {what} there; - for stdout")

    about = "a tour with one robot, ending in an HTML page with plots"
    demo = commands.add_parser("demo", help=about, description=f"Take {about}.")
    demo.add_argument("-o", "--output", metavar="FILE", default="paraxis-demo.html")
    demo.add_argument("--robot", metavar="NAME", default="puma560", help="default: %(default)s")
    demo.add_argument("--quick", action="store_true", help="measure less, in a few seconds")
    demo.set_defaults(command=_demo, tip=None, drives=None)
    return parser


def _add_robot(command, source):
    """The arguments that `_load` reads."""
    command.add_argument("robot", metavar="ROBOT", help=source)
    command.add_argument(
        "--tip", metavar="FRAME", help="only the joints up to this link, others locked"
    )
    command.add_argument(
        "--drives",
        metavar="FILE",
        help="friction and transmissions, as YAML (default: for arm.urdf, arm.drives.yaml if any)",
    )


def _batches(text):
    sizes = []
    for word in text.split(","):
        try:
            size = float(word)  # so that 1e6 and 1_000 are numbers too
        except ValueError:
            size = 0.0
        if not (1 <= size <= MOST_STATES and size.is_integer()):
            raise argparse.ArgumentTypeError(
                f"expected whole numbers from 1 to {MOST_STATES:,}, found {shown(word)!r}"
            )
        sizes.append(int(size))
    return sorted(set(sizes))


def _processors(text):
    counts = set()
    for word in text.split(","):
        ends = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", word, re.ASCII)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (0, 0)
        more = range(first, last + 1) or [0]
        if len(counts) + len(more) > MOST_SCHEDULES:
            raise argparse.ArgumentTypeError(
                f"expected at most {MOST_SCHEDULES:,} numbers, found {shown(text)!r}"
            )
        counts.update(more)
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(
            f"expected whole numbers >= 1, as in 6 or 1,2,4 or 1-13, found {shown(text)!r}"
        )
    return sorted(counts)


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds > 0, found {shown(text)!r}")
    return seconds


def _time(text):
    try:
        time = float(text)
    except ValueError:
        time = -1.0
    if not 0 <= time < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a time >= 0, found {shown(text)!r}")
    return int(time) if time.is_integer() else time  # whole times keep schedules exact


def _flops(text):
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10**9):
        raise argparse.ArgumentTypeError(f"expected a number of flops >= 1, found {shown(text)!r}")
    return int(text)


def _gains(text):
    """A number for all joints, or one a joint."""
    try:
        gains = [float(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers, found {shown(text)!r}") from None
    return gains[0] if len(gains) == 1 else gains


def _threads(text):
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, found {shown(text)!r}")
    return int(text)


# -- commands --------------------------------------------------------------------------------------


def _info(arguments):
    from . import terminal as show

    robot, terminal = _load(arguments), show.Terminal()
    show.print_robot(terminal, robot)
    show.print_frames(terminal, robot)
    rows, chosen = _operations(robot)
    show.print_operations(terminal, rows, chosen)
    return 0


def _bench(arguments):
    from . import measure
    from . import terminal as show
    from .machine import lines, machine
    from .neighbours import Neighbours

    dtype, as_text = arguments.dtype, arguments.json == "-"
    _check_writable(arguments.json)
    robot, terminal = _load(arguments), show.Terminal(stderr=as_text)
    program, kernel, compiled = measure.compile_times(lambda: api.program(robot), dtype)
    batches = _affordable(program, dtype, arguments.batch or DECADES, arguments.batch is not None)
    counts = _thread_counts(arguments.threads)
    peer, note = _peer(arguments, robot)

    effort = measure.Effort()
    total = len(batches) * len(counts) * (2 if peer else 1)
    with Neighbours() as others, show.progress(total, "measuring") as tick:
        error = measure.interpreter_error(kernel, program)
        latency = measure.latency(kernel, program, effort)
        speeds = measure.speeds(program, dtype, batches, counts, effort, tick)
        compared = None
        if peer:
            arrays = measure.states(program, max(batches), dtype)
            compared = peer.compare(kernel, arrays, batches, counts, effort, tick)

    cost, found = _cost("chosen", program), machine()
    terminal.title(shown(robot.name), f"inverse dynamics, {dtype}, {kernel.lanes} states a vector")
    about = ", ".join(value for what, value in lines(found) if what in ("CPU", "vectors"))
    terminal.note(about)
    cached = "not kept" if compiled.cached_s is None else duration(compiled.cached_s)
    for what, value in (
        ("operations", f"{cost.flops} flops and {cost.trig} sines and cosines, depth {cost.depth}"),
        ("trace", f"{duration(compiled.trace_s)}, from the robot to its Program"),
        ("compile", f"{duration(compiled.cold_s)} cold, {cached} from the cache"),
        ("one state", f"{duration(latency)} a call, from Python and back"),
        ("error", f"{error:.1e} against the interpreter, worst of {measure.SAMPLE} states"),
    ):
        terminal.print(f"  {what:<12}{value}")
    if compared:
        terminal.print(
            f"  {'Pinocchio':<12}{compared.version}: {duration(compared.latency_s)} a call of "
            f"rnea, torques {compared.error:.1e} from ours"
        )
    terminal.print()
    show.print_speeds(terminal, speeds, compared, others.crowd)
    terminal.note(
        f"Best of {effort.runs} runs or more, rows of states in, results written to a given array."
        + (f" Pinocchio: rneaInParallel, float64, same states; {note}." if compared else "")
    )
    if not compared:
        terminal.note(f"Pinocchio: {note}.")
    terminal.warn(others.warning(max(counts)))
    if arguments.json:
        figures = {
            "paraxis": __version__,
            "robot": {"name": robot.name, "joints": robot.n},
            "function": program.name,
            "dtype": dtype,
            "machine": found,
            "operations": {k: v for k, v in cost.as_dict().items() if k != "name"},
            "compile": vars(compiled),
            "latency_ns": latency * 1e9,
            "error": error,
            "sample": measure.SAMPLE,
            "rows": [speed.as_dict() for speed in speeds],
            "pinocchio": compared.as_dict() if compared else None,
            "pinocchio_note": note,
            "other_cores": others.cores,
        }
        _write_json(arguments.json, figures)
        _print_written(terminal, arguments.json)
    return 0


def _schedule(arguments):
    from ..parallel.gantt.page import page
    from ..parallel.schedules.speedup_curve import speedup_figures
    from . import schedule_text as show
    from .terminal import Terminal

    paths = (arguments.html, arguments.json)
    if paths.count("-") > 1:
        raise ArgumentError("-: expected one of --html and --json on stdout, found both")
    for path in paths:
        _check_writable(path)
    method, options = arguments.method, _options(arguments)
    tasks, title, source = _tasks(arguments)
    schedules, limit = [], ""
    if method in methods_with("time_limit"):
        limit = f", at most {options.get('time_limit', TIME_LIMIT):g} s"
    with show.progress() as say:
        for count in arguments.processors:
            say(f"method {method} on {count} processors{limit}")
            schedules.append(schedule(tasks, count, method, **options))
    schedules = consistent(schedules)
    if arguments.json:
        found = [each.to_dict() for each in schedules]
        _write_json(arguments.json, found[0] if len(found) == 1 else found)
    if arguments.html:
        figures = speedup_figures(schedules) if len(schedules) > 1 else ()
        _write(arguments.html, page(*schedules, title=title, source=source, figures=figures))
    terminal = Terminal(stderr="-" in paths)
    show.print_tasks(terminal, tasks, title, source)
    if len(schedules) == 1:
        show.print_schedule(terminal, schedules[0])
    else:
        show.print_schedules(terminal, schedules)
    _print_written(terminal, *paths)
    return 0


def _options(arguments):
    """Those of the method that were given; others have no business here."""
    given = {"priority": arguments.priority, "time_limit": arguments.time_limit}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if arguments.method not in methods_with(name):
            methods = " or ".join(methods_with(name))
            raise ArgumentError(f"--{name.replace('_', '-')} needs --method {methods}")
    return options


def _tasks(arguments):
    """The tasks, whose they are, and a word on where they come from."""
    kind = arguments.tasks or OPERATIONS
    of_program = ("function", "algorithm", "balanced", "grain", "latency", "messages")
    of_robot = ("tasks", "tip", "drives", *of_program)
    if arguments.robot.lower().endswith(".stg"):
        _refuse(arguments, of_robot, "an STG file")
        tasks = TaskGraph.from_stg(arguments.robot)
        return tasks, tasks.name, "a Standard Task Graph"
    if kind == STREAMLINED:
        from ..parallel.streamlined.tasks import streamlined_tasks

        _refuse(arguments, of_program, f"--tasks {STREAMLINED}")
        robot = _load(arguments)
        return streamlined_tasks(robot), robot.name, "Dhanaraj's subtasks of three operations"
    robot = _load(arguments)
    function = arguments.function or "inverse_dynamics"
    program = api.program(robot, function, algorithm=arguments.algorithm)
    if arguments.balanced:
        program = program.balanced()
    latency, messages = arguments.latency or 0, arguments.messages or 0
    tasks = TaskGraph.from_program(
        program, grain=arguments.grain, latency=latency, messages=messages
    )
    words = [function, arguments.algorithm or "the cheapest Program"]
    if arguments.balanced:
        words.append("sums balanced")
    words.append(
        f"at most {arguments.grain} flops a task" if arguments.grain else "a task an operation"
    )
    costs = [f"{latency:g}"] * bool(latency) + [f"{messages:g} a value"] * bool(messages)
    if costs:
        words.append(f"a message takes {' and '.join(costs)}")
    return tasks, robot.name, ", ".join(words)


def _refuse(arguments, names, what):
    for name in names:
        if getattr(arguments, name) is not None:
            raise ArgumentError(f"--{name}: makes no sense with {what}")


def _export(arguments):
    if arguments.language == VERILOG:
        return _export_verilog(arguments)
    _refuse(arguments, ("architecture", *OF_CIRCUITS), f"--language {arguments.language}")
    exported = export(
        _load(arguments),
        arguments.function,
        arguments.language,
        arguments.output,
        algorithm=arguments.algorithm,
        parameters=arguments.parameters,
        frame=arguments.frame,
        coordinates=arguments.coordinates,
        dtype=arguments.dtype or "float64",
        name=arguments.name,
        cpu=arguments.cpu,
    )
    return _print_exported(exported)


def _export_verilog(arguments):
    if arguments.parameters:
        raise ArgumentError("--parameters: makes no sense with --language verilog")
    _refuse(arguments, ("algorithm", "coordinates", "dtype", "cpu"), "--language verilog")
    options = {name: getattr(arguments, name) for name in ("frame", *OF_CIRCUITS)}
    exported = export_circuit(
        _load(arguments),
        arguments.function,
        arguments.output,
        architecture=arguments.architecture or ARCHITECTURES[0],
        name=arguments.name,
        **{name: value for name, value in options.items() if value is not None},
    )
    return _print_exported(exported)


def _print_exported(exported):
    for path in exported.paths:
        print(f"wrote  {shown(path, 300)}")
    for k, command in enumerate(exported.build):
        print(f"{'or   ' if k else 'build'}  {command}")
    print(f"test   {exported.test}")
    return 0


def _atlas(arguments):
    from ..control.atlas.atlas import stability_atlas
    from ..control.atlas.summary import HEADS, summary, usual_row, why_more_may_hold
    from . import terminal as show

    _check_writable(arguments.output)
    given = arguments.kp, arguments.kd, arguments.policies
    atlas = stability_atlas(_load(arguments), *given)
    _write(arguments.output, atlas.to_html())
    terminal = show.Terminal(stderr=arguments.output == "-")
    terminal.title(shown(atlas.robot.name), f"largest safe period at {usual_row(atlas).words}")
    terminal.print()
    columns = [show.Column(head, right=head != HEADS[0]) for head in HEADS]
    show.print_table(terminal, columns, summary(atlas))
    terminal.note(why_more_may_hold(atlas))
    _print_written(terminal, arguments.output)
    return 0


def _safe_rate(arguments):
    from ..control.controller import computed_torque
    from ..control.dry_friction import without_dry_friction
    from ..control.stale_policies import policies, policy
    from .safe_rates import (
        least_rate,
        middle_posture,
        postures_by_chance,
        print_least_rates,
        print_safe_rates,
        rests_elsewhere,
        safe_rate,
    )
    from .schedule_text import progress
    from .terminal import Terminal

    delay, missed, several = arguments.delay, arguments.missed, arguments.postures
    if not 0 <= delay <= 1:
        raise ArgumentError(
            f"--delay: expected a share of the period from 0 to 1, found {delay:g}; more than one "
            "sample of delay is a policy of px.control.safe_period in Python"
        )
    if arguments.check and missed:
        raise ArgumentError("--check: makes no sense with --missed, whose worst order is not known")
    if several is not None:
        if several < 1:
            raise ArgumentError(f"--postures: expected a number of them >= 1, found {several}")
        if arguments.check:
            raise ArgumentError("--check: expected --posture, as runs take long, found --postures")
    names = [arguments.policy] if arguments.policy else policies()
    for name in names:
        policy(name)  # a wrong one is told before anything is loaded
    robot = _load(arguments)
    laws = [computed_torque(robot, arguments.kp, arguments.kd, name) for name in names]
    posture = middle_posture(robot) if arguments.posture is None else arguments.posture
    if len(posture) != robot.nq:
        raise ArgumentError(
            f"--posture: expected {robot.nq} numbers for {shown(robot.name)}, found {len(posture)}"
        )
    if not np.isfinite(posture).all():
        raise ArgumentError(f"--posture: expected finite numbers, found {_listed(posture)}")
    plant = robot
    if arguments.payload:
        plant = robot.with_payload(arguments.payload, frame=arguments.frame)
    elif arguments.frame is not None:
        raise ArgumentError("--frame: expected --payload too, which it holds")
    plant = without_dry_friction(plant)

    def found_of_each(find, *given):
        with progress() as say:
            for law in laws:
                say(f"policy {law.policy.name}")
                yield find(law, plant, *given)

    share = "one period" if delay == 1 else f"{delay:g} of the period"
    words = [f"a delay of {share}"] * bool(delay)
    steps = "1 control step" if missed == 1 else f"{missed} control steps in a row"
    words += [f"up to {steps} missed"] * bool(missed)
    words += [f"an unknown payload of {arguments.payload:g} kg"] * bool(arguments.payload)
    if several is not None:
        postures = postures_by_chance(robot, several)
        rates = list(found_of_each(least_rate, postures, delay, missed))
        kinds = "1 posture" if several == 1 else f"{several} postures"
        words.insert(0, f"at {kinds} by chance")
        print_least_rates(Terminal(), robot, rates, ", ".join(words))
        return 0
    rates = list(found_of_each(safe_rate, posture, delay, missed, arguments.check))
    words.insert(0, f"at the posture {_listed(posture)}")
    rest = rates[0].predicted
    if rests_elsewhere(robot, rest, posture):
        words.append(f"with which it rests at {_listed(rest.posture)}")
    print_safe_rates(Terminal(), robot, rates, ", ".join(words))
    return 0


def _listed(posture):
    return ", ".join(f"{q:.3g}" for q in posture)


def _report(arguments):
    from paraxis_papers.document import as_json, markdown
    from paraxis_papers.page import report_page

    from . import terminal as show

    if arguments.name is None:
        print(REPORT_NAMES, end="")
        return 0
    paths = (arguments.json, arguments.html, arguments.markdown)
    if paths.count("-") > 1:
        raise ArgumentError(
            "-: expected one of --json, --html and --markdown on stdout, found more"
        )
    for path in paths:
        _check_writable(path)
    _, make = REPORTS[arguments.name]
    report = make()
    if arguments.json:
        _write_json(arguments.json, as_json(report))
    if arguments.html:
        _write(arguments.html, report_page(report, __version__))
    if arguments.markdown:
        _write(arguments.markdown, markdown(report))
    terminal = show.Terminal(stderr="-" in paths)
    if "-" not in paths:
        show.print_report(terminal, report)
    _print_written(terminal, *paths)
    return 0


def _demo(arguments):
    from . import measure
    from . import terminal as show
    from .demo_page import Tour, page
    from .machine import machine
    from .neighbours import Neighbours

    _check_writable(arguments.output)
    robot, terminal = _load(arguments), show.Terminal()
    terminal.title("1  The robot")
    show.print_robot(terminal, robot)

    terminal.title("2  Customising", "the general robot takes masses, lengths, ... as inputs")
    terminal.print()
    everything = tuple(DESCRIPTION)
    own, chosen = _operations(robot)
    general = {
        row.name: api.program(robot, algorithm=row.name, parameters=everything) for row in own
    }
    pairs = [(_cost(row.name, general[row.name]), row) for row in own]
    show.print_customised(terminal, pairs, chosen)
    terminal.note("Flops for one state, without sines and cosines; left: what remains of them.")

    terminal.title("3  Compiling")
    program, kernel, compiled = measure.compile_times(lambda: api.program(robot), "float64")
    cached = "" if compiled.cached_s is None else f", {duration(compiled.cached_s)} from the cache"
    terminal.print(
        f"  traced in {duration(compiled.trace_s)}, compiled in {duration(compiled.cold_s)} "
        f"cold{cached}; {kernel.lanes} states a vector"
    )

    terminal.title("4  Checking")
    error = measure.interpreter_error(kernel, program)
    values = {name: api.parameter_values(robot, name) for name in everything}
    baseline = general[min(pairs, key=lambda pair: pair[0].flops)[0].name]
    general_error = measure.general_error(kernel, program, baseline, values)
    terminal.print(f"  against the interpreter                         {error:.1e}")
    terminal.print(f"  against the general robot, given these numbers  {general_error:.1e}")
    if not max(error, general_error) <= measure.TOLERANCE:  # NaN is no success either
        print(f"paraxis: the error is above {measure.TOLERANCE:g}", file=sys.stderr)
        return 1

    terminal.title("5  Measuring")
    effort = measure.QUICK if arguments.quick else measure.Effort()
    sizes = tuple(s for s in HALF_DECADES if s <= 10_000) if arguments.quick else HALF_DECADES
    batches = _affordable(program, "float64", sizes, asked=False)
    counts = _thread_counts(None)
    total = len(batches) * len(counts)
    with Neighbours() as others, show.progress(total, "measuring") as tick:
        latency = measure.latency(kernel, program, effort)
        speeds = measure.speeds(program, "float64", batches, counts, effort, tick)
    terminal.print()
    show.print_speeds(terminal, speeds)
    terminal.note(f"A call with one state takes {duration(latency)}, from Python and back.")
    terminal.warn(others.warning(max(counts)))

    terminal.title("6  The page")
    builtin = not os.path.isfile(arguments.robot)
    call = repr(arguments.robot) if builtin else '"robot.urdf"'
    tour = Tour(
        __version__, robot, call, program, pairs, chosen, compiled, error, general_error, latency,
        speeds, machine(), others.warning(max(counts)),
    )  # fmt: skip
    text = page(tour)
    _write(arguments.output, text)
    size = len(text.encode()) / 1000
    terminal.print(f"  wrote {shown(arguments.output, 300)} ({size:.0f} kB): open it in a browser")
    return 0


# -- what commands share ---------------------------------------------------------------------------


def _load(arguments):
    """The robot; what is odd about it goes to stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load(arguments.robot, tip=arguments.tip, drives=arguments.drives)
    for warning in caught:
        print(f"paraxis: warning: {shown(str(warning.message), 2_000)}", file=sys.stderr)
    return robot


def _cost(name, program):
    from .operations import Operations

    return Operations.of(name, program)


def _operations(robot):
    """The cost of the likely algorithms for inverse dynamics, and of the Program that is used."""
    named = [_cost(name, api.program(robot, algorithm=name)) for name in CHEAP]
    return named, _cost("chosen", api.program(robot))


def _thread_counts(most):
    from ..targets.cpu.threads import available

    return sorted({1, most or available()})


def _affordable(program, dtype, batches, asked):
    """The batch sizes that fit in memory. Sizes that were asked for and do not are an error."""
    from .machine import memory_bytes
    from .measure import bytes_needed

    memory = memory_bytes() or 2**32
    fit = [batch for batch in batches if bytes_needed(program, batch, dtype) <= memory // 8]
    if asked and len(fit) < len(batches):
        needed = bytes_needed(program, max(batches), dtype) / 2**30
        raise ArgumentError(
            f"--batch {max(batches)}: expected arrays of at most an eighth of the memory, "
            f"{memory / 2**33:.1f} GiB, found {needed:.1f} GiB"
        )
    return fit or [1]


def _peer(arguments, robot):
    """Pinocchio on the same file, or None; and a word about it."""
    from .peer import Pinocchio, Unavailable

    if not os.path.isfile(arguments.robot):
        return None, "not measured, as it reads files and this robot is built in"
    if arguments.tip is not None:
        return None, "not measured, as it cannot leave out the joints beyond --tip"
    if any(joint.reflected_inertia for joint in robot.joints):
        return None, "not measured, as it does not read the rotors of these drives"
    try:
        return Pinocchio(arguments.robot, robot), "ratio is its time by ours"
    except Unavailable as reason:
        return None, f"not measured: {reason}"


# -- files -----------------------------------------------------------------------------------------


def _check_writable(path):
    """Say early, before minutes of measuring, that a file cannot be written."""
    if path is None or path == "-":
        return
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise ArgumentError(f"{shown(path, 300)}: cannot write a file of that name")


def _write(path, text):
    """To a file, or to stdout for `-`."""
    if path == "-":
        print(text, end="")
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{shown(path, 300)}: cannot be written: {reason}") from None


def _write_json(path, figures):
    import json

    _write(path, json.dumps(_finite(figures), indent=2) + "\n")


def _print_written(terminal, *paths):
    """Name the files that were written; one not asked for is None."""
    for path in paths:
        if path not in (None, "-"):
            terminal.print(f"  wrote {shown(path, 300)}", soft_wrap=True)


def _finite(value):
    """JSON has no NaN: null says as much."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if value != value or value in (float("inf"), -float("inf")) else value
