"""`paraxis bench`: how fast a function runs here, beside Pinocchio if it is installed."""

import argparse
from functools import partial

from .. import __version__, api
from ..checks import shown
from .arguments import FUNCTION_NAMES, add_function, add_robot, function_of, integer, load_robot
from .files import check_writable, print_written, write_json

DECADES = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
MOST_STATES = 10**9
MOST_THREADS = 1024

JSON_KEYS = """the JSON file:
  paraxis         its version
  robot           name, joints
  function, dtype, machine
  operations      mul, add, div, sqrt, trig, flops, depth
  compile         trace_s, cold_s, cached_s
  latency_ns      of a call with one state, from Python and back
  error, sample   against the interpreter, worst of that many states
  rows            batch, threads, ns_per_state, states_per_s
  pinocchio       version, call, error, latency_ns, rows; or null
  pinocchio_note  how it was measured, or why it was not
  other_cores     kept busy by other processes meanwhile; null if unknown
"""
EXAMPLES = """examples:
  paraxis bench ur5 --batch 1,1000,1e6
  paraxis bench arm.urdf --function forward_dynamics --json out.json
"""


def add(commands):
    about = "measure a function of a robot on this machine"
    bench = commands.add_parser(
        "bench",
        help=about,
        description="Measure how fast a function of a robot runs on this machine, beside "
        "Pinocchio if it is installed and reads the same robot.",
        epilog="\n".join((EXAMPLES, FUNCTION_NAMES, JSON_KEYS)),
    )
    add_robot(bench)
    add_function(bench)
    bench.add_argument(
        "--batch",
        metavar="N,N,...",
        type=_batches,
        help="states per call (default: 1, 10, ..., 1,000,000)",
    )
    bench.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64", help="default: %(default)s"
    )
    bench.add_argument(
        "--threads",
        metavar="N",
        type=integer(1, MOST_THREADS),
        help="measure with 1 and with N threads (default: all cores)",
    )
    bench.add_argument(
        "--json", metavar="FILE", help="write the figures to this file; - for stdout"
    )
    return bench


def _batches(text):
    sizes = []
    for word in text.split(","):
        try:
            size = float(word)  # so that 1e6 and 1_000 are numbers too
        except ValueError:
            size = 0.0
        if not (1 <= size <= MOST_STATES and size.is_integer()):
            raise argparse.ArgumentTypeError(
                f"expected integers from 1 to {MOST_STATES:,}, found {shown(word)!r}"
            )
        sizes.append(int(size))
    return sorted(set(sizes))


def run(arguments):
    from . import measure
    from .machine import lines, machine
    from .neighbours import Neighbours
    from .operations import Operations
    from .peer import pinocchio
    from .short_numbers import duration
    from .tables import print_speeds
    from .terminal import Terminal, progress_bar, waiting

    dtype = arguments.dtype
    check_writable(json=arguments.json)
    function = function_of(arguments)
    robot, terminal = load_robot(arguments), Terminal(stderr=arguments.json == "-")
    with waiting(still=True) as say:
        say(f"tracing and compiling {function}")
        traced = partial(api.program, robot, function)
        program, kernel, compiled = measure.compile_times(traced, dtype)
    asked = arguments.batch is not None
    batches = measure.affordable(program, dtype, arguments.batch or DECADES, asked)
    counts = measure.thread_counts(arguments.threads)
    peer, remark = pinocchio(arguments.robot, arguments.tip, robot, function)

    effort = measure.Effort()
    total = len(batches) * len(counts) * (2 if peer else 1)
    with Neighbours() as others, progress_bar(total, "measuring") as tick:
        error = measure.interpreter_error(kernel, program)
        latency = measure.latency(kernel, program, effort)
        speeds = measure.speeds(program, dtype, batches, counts, effort, tick)
        compared = None
        if peer:
            arrays = measure.states(program, max(batches), dtype)
            compared = peer.compare(kernel, arrays, batches, counts, effort, tick)

    cost, found = Operations.of("chosen", program), machine()
    vectors = f"{kernel.lanes} states per vector"
    terminal.title(shown(robot.name), f"{function.replace('_', ' ')}, {dtype}, {vectors}")
    terminal.note(", ".join(value for what, value in lines(found) if what in ("CPU", "vectors")))
    cached = "could not be cached"
    if compiled.cached_s is not None:
        cached = f"{duration(compiled.cached_s)} from the cache"
    for what, value in (
        ("operations", f"{cost.flops} flops and {cost.trig} sines and cosines, depth {cost.depth}"),
        ("trace", f"{duration(compiled.trace_s)}, from the robot to its Program"),
        ("compile", f"{duration(compiled.cold_s)} cold, {cached}"),
        ("one state", f"{duration(latency)} per call, from Python and back"),
        ("error", f"{error:.1e} against the interpreter, worst of {measure.SAMPLE} states"),
    ):
        terminal.print(f"  {what:<12}{value}")
    if compared:
        terminal.print(
            f"  {'Pinocchio':<12}{compared.version}, {compared.call}: "
            f"{duration(compared.latency_s)} per call, differs by {compared.error:.1e}"
        )
    terminal.print()
    print_speeds(terminal, speeds, compared, others.crowd)
    terminal.note(
        f"Best of at least {effort.runs} runs, rows of states in, results written to a given array."
        + (f" Pinocchio: {remark}." if compared else "")
    )
    if not compared:
        terminal.note(f"Pinocchio: {remark}.")
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
            "pinocchio_note": remark,
            "other_cores": others.cores,
        }
        write_json(arguments.json, figures)
        print_written(terminal, arguments.json)
    return 0
