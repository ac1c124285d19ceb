"""Speed-up and efficiency over the number of processors, as figures."""

from ...drawing.figure import Figure

PROCESSORS, BOUND = "processors", "no schedule can be above"


def speedup_figures(schedules):
    """Of schedules of the same tasks: what they reach, and what their bounds allow."""
    methods = list(dict.fromkeys(each.method for each in schedules))
    work = schedules[0].tasks.work
    limit = [(each.processors, work / each.bound if each.bound else 1.0) for each in schedules]
    reached = {
        method: [(each.processors, each.speedup) for each in schedules if each.method == method]
        for method in methods
    }
    return (
        Figure(
            "Speed-up over processors",
            "How many times faster than one processor.",
            PROCESSORS,
            "speed-up",
            reached | {BOUND: limit},
            dashed=(BOUND,),
        ),
        Figure(
            "Efficiency over processors",
            "The share of the processors' time that is used.",
            PROCESSORS,
            "efficiency, %",
            {name: _shares(points) for name, points in (reached | {BOUND: limit}).items()},
            dashed=(BOUND,),
        ),
    )


def _shares(points):
    return [(count, 100 * speedup / count) for count, speedup in points]
