"""The public `schedule`: a method by name, its schedule checked and beside its bounds."""

from numbers import Integral

from ..errors import ArgumentError
from .bounds import bounds
from .list_schedule import list_schedule
from .schedule import Schedule
from .tasks import TaskGraph

METHODS = {"list": list_schedule}


def schedule(tasks, processors, method="list", **options):
    """When and where each task runs, on so many equal processors.

    Methods and their options are listed in docs/schedules.md.
    """
    if not isinstance(tasks, TaskGraph):
        raise ArgumentError(f"tasks: expected a TaskGraph, found {type(tasks).__name__}")
    if isinstance(processors, bool) or not isinstance(processors, Integral) or processors < 1:
        raise ArgumentError(f"processors: expected a number >= 1, found {processors!r}")
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"method: expected one of {', '.join(METHODS)}, found {method!r}")
    starts, places = METHODS[method](tasks, int(processors), **options)
    return Schedule(
        tasks, int(processors), tuple(starts), tuple(places), method, bounds(tasks, processors)
    )
