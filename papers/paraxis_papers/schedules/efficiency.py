"""What the thesis concludes from its levels: speed-up and efficiency over the processors."""

from paraxis.drawing.figure import Figure

from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, six_links, stanford, stanford_of_table_4_7
from .levels import fewest_processors, shortest

HIGH = 0.98
PROCESSORS = range(1, 14)


def conclusions():
    """Those of section 4.5, tested."""
    told = printed("dhanaraj")["streamlining"]
    busy, on_13 = told["over 98%"], shortest(six_links(), 13)
    arms = (
        ("six links", "six links", six_links()),
        ("Stanford arm, Table 4.7", "Stanford arm", stanford_of_table_4_7()),
        ("Stanford arm as it is", "Stanford arm", stanford()),
    )
    rows = [
        Row(
            PAPER,
            f"{name}: processors, at most, over 98% busy",
            busy[arm],
            most_busy(tasks),
            ", ".join(f"{p}: {shortest(tasks, p).efficiency:.1%}" for p in range(2, 9)),
        )
        for name, arm, tasks in arms
    ]
    rows += [
        Row(
            PAPER,
            "six links: speed-up on 13 processors",
            told["13 processors"]["speed-up"],
            round(on_13.speedup, 2),
            f"{on_13.tasks.work} over {on_13.makespan} is {on_13.speedup:.3f}",
        ),
        Row(
            PAPER,
            "six links: efficiency on 13 processors, %",
            told["13 processors"]["efficiency"],
            round(100 * on_13.efficiency, 2),
            f"{fewest_processors(six_links())} processors are as fast: "
            f"{shortest(six_links(), fewest_processors(six_links())).efficiency:.1%}",
        ),
    ]
    return Table(
        "Conclusions on efficiency",
        "Efficiency is the share of the processors' time that is used, here in the shortest "
        "schedules.",
        rows,
    )


def most_busy(tasks):
    """How many processors can be added before the efficiency falls to 98% or below."""
    return next(p for p in PROCESSORS if shortest(tasks, p + 1).efficiency <= HIGH)


def speedups():
    return _figure(
        "Speed-up",
        "One processor's levels over those of several, each for its own subtasks.",
        lambda work, levels, p: work / levels,
    )


def efficiencies():
    return _figure(
        "Efficiency",
        "The share of the processors' time that is used.",
        lambda work, levels, p: work / levels / p,
    )


def _figure(title, lead, value):
    told = printed("dhanaraj")["streamlining"]
    curves = {
        name: [(p, value(tasks.work, shortest(tasks, p).makespan, p)) for p in PROCESSORS]
        for name, tasks in (("six links", six_links()), ("Stanford arm as it is", stanford()))
    }
    dashed = {
        f"{arm}, printed": [
            (int(p), value(told["subtasks"][arm], levels, int(p))) for p, levels in column.items()
        ]
        for arm, column in told["levels"].items()
    }
    return Figure(title, lead, "processors", title.lower(), curves | dashed, tuple(dashed))
