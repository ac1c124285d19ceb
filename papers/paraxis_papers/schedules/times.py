"""Table 4.8 rebuilt: what four authors' methods take on their own tasks, at the printed scale."""

from paraxis import schedule

from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, stanford, stanford_of_table_4_7
from .fineness import LUH_LIN, a_processor_per_link
from .levels import printed_layers, shortest
from .nine_tasks import nine_tasks
from .robot_stg import milliseconds, proved, robot_stg, same_graph

HALF_A_DIGIT = 0.0051  # ms: he prints two digits
METHODS = {"Kasahara and Narita 1985": "df_ihs", "Chen, Lee and Hou 1988": "a_star"}
COMPUTED = (
    "No 8086 was run here: a time is a makespan times the time of a unit, which follows from the "
    "printed time on one processor."
)


def level_time():
    """ms per level: his time on one processor over his subtasks."""
    told = _told()
    return told["table_4_8"][PAPER]["1"] / told["subtasks"]["Stanford arm"]


def off_levels():
    """The numbers of processors whose printed time is not his levels at that."""
    told = _told()
    levels = {"1": told["subtasks"]["Stanford arm"]} | told["levels"]["Stanford arm"]
    times = told["table_4_8"][PAPER]
    return [p for p, time in times.items() if abs(time - level_time() * levels[p]) > HALF_A_DIGIT]


def table_4_8():
    """The Stanford arm's inverse dynamics."""
    times = _told()["table_4_8"]
    rows = [
        _row(paper, p, time, *_computed(paper, int(p), column["1"]))
        for paper, column in times.items()
        for p, time in column.items()
    ]
    others = ", ".join(off_levels())
    exact = f"differ on {others} processors" if others else "are his levels at that, all"
    return Table(
        "Table 4.8: times on an 8086, computed",
        "Each author's method, run here on the tasks that the author has or, where these are not "
        "printed, on the nearest ones known. Measured is computed: the makespan found here, at the "
        "printed time of a unit.",
        rows,
        (
            COMPUTED,
            f"A level, three operations, takes {level_time():.3g} ms: his time on one processor "
            f"over his {_told()['subtasks']['Stanford arm']} subtasks. His other times {exact}.",
            "Luh and Lin: nine tasks per link on a processor per link, by branch_and_bound. "
            f"Kasahara and Narita by df_ihs, Chen, Lee and Hou by a_star, both on robot.stg within "
            f"{robot_stg()['time_limit']:g} s; {same_graph()}. Dhanaraj: his packing of layers, on "
            "Table 4.7.",
            "The first three have other equations: on one processor, too, they take longer.",
        ),
    )


def _told():
    return printed("dhanaraj")["streamlining"]


def _row(paper, processors, time, measured, note):
    number = f"{processors} {'processor' if processors == '1' else 'processors'}"
    return Row(paper, f"{paper}: {number}, ms", time, measured, note)


def _computed(paper, processors, alone):
    """ms and a note; `alone` is the printed time on one processor."""
    if paper == LUH_LIN:
        if processors == 1:
            return alone, "the scale of the row below"
        best = a_processor_per_link(nine_tasks())
        return round(alone / best.speedup, 2), f"speed-up {best.speedup:.2f} with these weights"
    if paper in METHODS:
        method = METHODS[paper]
        best = milliseconds("optimal", processors)
        proof = "no schedule is shorter" if proved(method, processors) else f"{best} is possible"
        return milliseconds(method, processors), proof
    layers = printed_layers("4.7")
    his = schedule(stanford_of_table_4_7(), processors, "streamlined", layers=layers).makespan
    least, own = shortest(stanford_of_table_4_7(), processors), shortest(stanford(), processors)
    note = (
        f"{his} levels; {least.makespan} are possible, {own.makespan} with the subtasks that do "
        "something"
    )
    return round(level_time() * his, 2), note
