"""The public `schedule`: a method chosen by name, whose schedule is checked and has bounds."""

import inspect

from ...checks import did_you_mean, integer, one_of
from ...errors import ArgumentError
from ..methods.a_star import a_star_schedule
from ..methods.bounds import bounds
from ..methods.depth_first import depth_first_schedule
from ..methods.fixed_places import fixed_places_schedule
from ..methods.heft import heft_schedule
from ..methods.layered_schedule import layered_schedule
from ..methods.list_schedule import list_schedule
from ..methods.optimal.search import optimal_schedule
from ..tasks.task_graph import TaskGraph, a_task_graph
from .schedule import Schedule

METHODS = {
    "list": list_schedule,
    "streamlined": layered_schedule,
    "heft": heft_schedule,
    "branch_and_bound": fixed_places_schedule,
    "df_ihs": depth_first_schedule,
    "a_star": a_star_schedule,
    "optimal": optimal_schedule,
}


def schedule(tasks: TaskGraph, processors: int, method: str = "list", **options) -> Schedule:
    """Schedule tasks on identical processors: when and where each task runs.

    **Arguments:**

    - `tasks`: a `px.TaskGraph`.
    - `processors`: the number of processors, an integer >= 1.
    - `method`: one of

      - `"list"`: whenever a processor is free, start the ready task with the highest priority.
        With messages, the best on this number of processors or fewer: it is never longer than on
        fewer. Option `priority`: `"hlf"`, `"cp_misf"` (the default) or `"dhlf_misf"`.
      - `"streamlined"`: Dhanaraj's cycles, filled layer by layer. Option `layers`: a mapping from
        names to layers, for other layers than those of the tasks.
      - `"heft"`: put each task where it ends first, including gaps. With messages, the best on this
        number of processors or fewer.
      - `"branch_and_bound"`: Luh and Lin's method: the best order of tasks on given processors.
        Options `places`: a mapping from names to processors, by default one per group of tasks,
        such as per link, or for adjacent groups together; `time_limit`.
      - `"df_ihs"`: Kasahara and Narita's depth-first search, which proves optimality if it ends in
        time; without messages. Option `time_limit`.
      - `"a_star"`: Chen, Lee and Hou's best-first search, which proves a bound even if it does not
        end; without messages. Option `time_limit`.
      - `"optimal"`: the shortest schedule found, with a proof if time and size allow; requires
        OR-Tools (`pip install 'paraxis[opt]'`). Options `time_limit`: seconds, 60 by default;
        `seed`: the seed of the searches, 0 by default.

    - `options`: options of the method, as above.

    **Returns:** a `px.parallel.Schedule`. Its `bounds` are lower bounds of the makespan;
    `optimal` and `gap` compare its makespan with the best of them.

    **Raises:** `px.ArgumentError` if the method or an option is unknown;
    `px.MissingPackageError` if a package that the method needs is not installed.

    **Example:**

    >>> tasks = px.streamlined_tasks(px.load("puma560"))
    >>> best = px.schedule(tasks, processors=6)
    >>> best.makespan, best.bound, round(best.speedup, 2)
    (28, 28, 5.54)
    >>> best.optimal
    True
    """
    a_task_graph(tasks)
    processors = integer("processors", processors)
    one_of(method, METHODS, "method")
    for name in options:
        _check_option(name, method)
    usable = min(processors, max(1, len(tasks)))  # more would always be idle
    if "places" in options:  # which may contain any of them
        usable = processors
    starts, places, *proved = METHODS[method](tasks, usable, **options)
    (limits,) = proved or [bounds(tasks, usable)]
    return Schedule(tasks, processors, tuple(starts), tuple(places), method, limits)


def methods_with(option):
    """The names of the methods that have an option of this name."""
    return [method for method in METHODS if option in _options_of(method)]


def _options_of(method):
    _, _, *options = inspect.signature(METHODS[method]).parameters
    return options


def _check_option(name, method):
    known, elsewhere = _options_of(method), methods_with(name)
    if name in known:
        return
    if elsewhere:
        raise ArgumentError(
            f"{name} is an option of method {' or '.join(elsewhere)}, not of {method}"
        )
    choice, near = (f"one of {', '.join(known)}" if known else "none"), did_you_mean(name, known)
    raise ArgumentError(f"options of method {method}: expected {choice}, found {name!r}{near}")
