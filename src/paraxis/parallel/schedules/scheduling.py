"""The public `schedule`: a method by name, its schedule checked and beside its bounds."""

import inspect

from ...checks import did_you_mean, one_of, whole_number
from ...errors import ArgumentError
from ..methods.bounds import bounds
from ..methods.heft import heft_schedule
from ..methods.layered_schedule import layered_schedule
from ..methods.list_schedule import list_schedule
from ..methods.optimal.search import optimal_schedule
from ..tasks.task_graph import TaskGraph
from .schedule import Schedule

METHODS = {
    "list": list_schedule,
    "streamlined": layered_schedule,
    "heft": heft_schedule,
    "optimal": optimal_schedule,
}


def schedule(tasks, processors, method="list", **options):
    """When and where each task runs, on so many equal processors.

    The methods and their options:

    - "list": whenever a processor is free, start the ready task of highest priority; or all on
      one processor, where messages make that shorter.
      `priority`: "hlf", "cp_misf" (the default) or "dhlf_misf"; see `list_schedule`.
    - "streamlined": Dhanaraj's cycles, filled layer by layer. `layers`: name -> layer, if the
      tasks have layers of their own; see `layered_schedule`.
    - "heft": each task where it ends first, also in gaps, or all on one processor; see `heft`.
    - "optimal": the shortest that is found, proved to be so where time and size allow; needs
      OR-Tools. `time_limit`: seconds, 60 if not given. `seed`: of the searches, 0 if not given.

    The schedule's `bounds` say what no schedule can beat; `optimal` and `gap` go by them.
    """
    if not isinstance(tasks, TaskGraph):
        raise ArgumentError(f"tasks: expected a TaskGraph, found {type(tasks).__name__}")
    processors = whole_number("processors", processors)
    one_of(method, METHODS, "method")
    for name in options:
        _check_option(name, method)
    usable = min(processors, max(1, len(tasks)))  # more would be idle all the time
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
        raise ArgumentError(f"{name}: expected method {' or '.join(elsewhere)}, found {method}")
    choice, near = (f"one of {', '.join(known)}" if known else "none"), did_you_mean(name, known)
    raise ArgumentError(f"options of method {method}: expected {choice}, found {name!r}{near}")
