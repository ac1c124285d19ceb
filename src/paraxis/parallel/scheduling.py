"""The public `schedule`: a method by name, its schedule checked and beside its bounds."""

import inspect

from ..errors import ArgumentError
from .bounds import bounds
from .heft import heft_schedule
from .layered_schedule import layered_schedule
from .list_schedule import list_schedule
from .optimal import optimal_schedule
from .schedule import Schedule
from .tasks import TaskGraph
from .whole_number import whole_number

METHODS = {
    "list": list_schedule,
    "streamlined": layered_schedule,
    "heft": heft_schedule,
    "optimal": optimal_schedule,
}


def schedule(tasks, processors, method="list", **options):
    """When and where each task runs, on so many equal processors.

    The methods and their options:

    - "list": whenever a processor is free, start the ready task of highest priority.
      `priority`: "hlf", "cp_misf" (the default) or "dhlf_misf"; see `list_schedule`.
    - "streamlined": Dhanaraj's cycles, filled layer by layer. `layers`: name -> layer, if the
      tasks have layers of their own; see `layered_schedule`.
    - "heft": each task where it ends first, also in gaps; see `heft`.
    - "optimal": the shortest that is found, proved to be so where time allows; needs OR-Tools.
      `time_limit`: seconds, 60 if not given. `seed`: of the searches, 0 if not given.

    The schedule's `bounds` say what no schedule can beat; `optimal` and `gap` go by them.
    """
    if not isinstance(tasks, TaskGraph):
        raise ArgumentError(f"tasks: expected a TaskGraph, found {type(tasks).__name__}")
    processors = whole_number("processors", processors)
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"method: expected one of {', '.join(METHODS)}, found {method!r}")
    _, _, *known = inspect.signature(METHODS[method]).parameters
    for name in options:
        if name not in known:
            choice = f"one of {', '.join(known)}" if known else "none"
            raise ArgumentError(f"options of method {method}: expected {choice}, found {name!r}")
    starts, places, *proved = METHODS[method](tasks, processors, **options)
    limits = bounds(tasks, processors)
    for more in proved:
        limits |= more
    return Schedule(tasks, processors, tuple(starts), tuple(places), method, limits)
