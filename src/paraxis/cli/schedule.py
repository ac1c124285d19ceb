"""`paraxis schedule`: when and where each task of a robot's dynamics runs on p processors."""

import argparse
import re

from .. import api
from ..checks import shown
from ..errors import ArgumentError
from ..parallel.methods.limits import TIME_LIMIT
from ..parallel.methods.list_schedule import PRIORITIES
from ..parallel.schedules.scheduling import METHODS, methods_with, schedule
from ..parallel.schedules.speedup_curve import MOST_SCHEDULES, consistent
from ..parallel.tasks.task_graph import TaskGraph
from .arguments import FUNCTION_NAMES, add_robot, integer, is_stg, load_robot, refuse
from .files import check_writable, print_written, write, write_json

EXAMPLES = """examples:
  paraxis schedule puma560 --processors 6 --html chart.html
  paraxis schedule puma560 --processors 1-13 --method optimal
  paraxis schedule ur5 --processors 4 --grain 8 --latency 10 --method heft
  paraxis schedule tasks.stg --processors 4 --json out.json
"""
TASKS = """tasks of a robot:
  operations   one task per multiplication, addition, ... of a function's
               Program, or several with --grain; sines and cosines of joint
               angles are given. A flop takes time 1, which is the unit of
               --grain, --latency and --messages
  streamlined  Dhanaraj's subtasks of three operations each, of a robot's
               inverse dynamics
"""
OPERATIONS, STREAMLINED = KINDS = ("operations", "streamlined")
OF_PROGRAM = ("function", "algorithm", "balanced", "grain", "latency", "messages")
MOST_FLOPS = 10**9


def add(commands):
    about = "which processor computes which operation, and when"
    command = commands.add_parser(
        "schedule",
        help=about,
        description="Find which of p processors computes each task of a robot's dynamics, and "
        "when.",
        epilog="\n".join((EXAMPLES, TASKS, FUNCTION_NAMES)),
    )
    add_robot(command, "a robot's name, a URDF or MJCF file, or an STG file of tasks")
    option = command.add_argument
    option(
        "--processors",
        metavar="P",
        type=_processors,
        default=[1, 2, 4, 8],
        help="number of processors, or several as 1,2,4 or 1-13 (default: 1,2,4,8)",
    )
    option(
        "--method", choices=METHODS, default="list", help="scheduling method (default: %(default)s)"
    )
    option("--priority", choices=PRIORITIES, help="for method list: which task goes first")
    option(
        "--time-limit",
        metavar="S",
        type=_seconds,
        help=f"for methods that search: seconds, for each P (default: {TIME_LIMIT})",
    )
    option("--tasks", choices=KINDS, help=f"what a task is, see below (default: {OPERATIONS})")
    option(
        "--function",
        metavar="NAME",
        help="function of the robot, see below (default: inverse_dynamics)",
    )
    option("--algorithm", metavar="NAME", help="algorithm of the function (default: the cheapest)")
    option("--balanced", action="store_true", default=None, help="turn sums into shallow trees")
    option(
        "--grain",
        metavar="FLOPS",
        type=integer(1, MOST_FLOPS, "a number of flops"),
        help="merge operations into tasks of at most this many flops",
    )
    option(
        "--latency",
        metavar="T",
        type=_time,
        help="time per message between processors (default: 0)",
    )
    option("--messages", metavar="T", type=_time, help="time per value in a message (default: 0)")
    option("--html", metavar="FILE", help="write a chart to this file; - for stdout")
    option("--json", metavar="FILE", help="write the schedule to this file; - for stdout")
    return command


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
            f"expected integers >= 1, as in 6 or 1,2,4 or 1-13, found {shown(text)!r}"
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
    return int(time) if time.is_integer() else time  # integers keep schedules exact


def run(arguments):
    from ..parallel.gantt.page import page
    from ..parallel.schedules.speedup_curve import speedup_figures
    from .schedule_text import print_schedule, print_schedules, print_tasks
    from .terminal import Terminal, waiting

    check_writable(html=arguments.html, json=arguments.json)
    method, options = arguments.method, _options(arguments)
    tasks, title, source = _tasks(arguments)
    schedules, limit = [], ""
    if method in methods_with("time_limit"):
        limit = f", at most {options.get('time_limit', TIME_LIMIT):g} s"
    with waiting() as say:
        for count in arguments.processors:
            say(f"method {method} on {count} processors{limit}")
            schedules.append(schedule(tasks, count, method, **options))
    schedules = consistent(schedules)
    if arguments.json:
        found = [each.to_dict() for each in schedules]
        write_json(arguments.json, found[0] if len(found) == 1 else found)
    if arguments.html:
        figures = speedup_figures(schedules) if len(schedules) > 1 else ()
        write(arguments.html, page(*schedules, title=title, source=source, figures=figures))
    terminal = Terminal(stderr="-" in (arguments.html, arguments.json))
    print_tasks(terminal, tasks, title, source)
    if len(schedules) == 1:
        print_schedule(terminal, schedules[0])
    else:
        print_schedules(terminal, schedules)
    print_written(terminal, arguments.html, arguments.json)
    return 0


def _options(arguments):
    """The given options of the method; an option of another method is an error."""
    given = {"priority": arguments.priority, "time_limit": arguments.time_limit}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if arguments.method not in methods_with(name):
            methods = " or ".join(methods_with(name))
            raise ArgumentError(f"--{name.replace('_', '-')} needs --method {methods}")
    return options


def _tasks(arguments):
    """The tasks, a title for them, and a remark on where they come from."""
    if is_stg(arguments.robot):
        of_robots = ("tip", "floating_base", "drives", "snap")
        refuse(arguments, ("tasks", *of_robots, *OF_PROGRAM), "an STG file")
        tasks = TaskGraph.from_stg(arguments.robot)
        return tasks, tasks.name, "a Standard Task Graph"
    if arguments.tasks == STREAMLINED:
        from ..parallel.streamlined.tasks import streamlined_tasks

        refuse(arguments, OF_PROGRAM, f"--tasks {STREAMLINED}")
        robot = load_robot(arguments)
        return (
            streamlined_tasks(robot),
            f"{robot.name}, inverse dynamics",
            "Dhanaraj's subtasks of three operations",
        )
    robot = load_robot(arguments)
    function = arguments.function or "inverse_dynamics"
    program = api.program(robot, function, algorithm=arguments.algorithm)
    if arguments.balanced:
        program = program.balanced()
    grain, latency, messages = arguments.grain, arguments.latency or 0, arguments.messages or 0
    tasks = TaskGraph.from_program(program, grain=grain, latency=latency, messages=messages)
    spoken = function.replace("_", " ")
    words = [arguments.algorithm or "the cheapest Program"]
    words += ["balanced sums"] * bool(arguments.balanced)
    words += [f"at most {grain} flops per task" if grain else "one task per operation"]
    costs = [f"{latency:g}"] * bool(latency) + [f"{messages:g} per value"] * bool(messages)
    if costs:
        words.append(f"a message takes {' plus '.join(costs)}")
    return tasks, f"{robot.name}, {spoken}", ", ".join(words)
