"""What became of the thesis's claims about schedules, by the functions behind the tables."""

from paraxis.parallel.streamlined.table import general_arm

from ..counts.polynomial import fitted, formula
from ..document import CONFIRMED, NOT_REPRODUCED, REFUTED, Verdict, judged
from ..printed import printed
from .arms import PAPER, puma, six_links, stanford, stanford_by_lists, stanford_of_table_4_7
from .efficiency import HIGH, most_busy
from .fineness import LUH_LIN, a_processor_per_link
from .levels import fewest_processors, shortest
from .nine_tasks import nine_tasks, tasks_of_1980
from .printed_schedules import printed_schedules
from .robot_stg import UNIT, robot_stg, same_graph
from .times import level_time, off_levels
from .uniform import against_equal, results

KASAHARA = "Kasahara and Narita 1985"
FASTER = 0.05  # less of the time, to be called faster
LINKS = range(2, 13)


def verdicts():
    return [claim() for claim in CLAIMS]


def _told():
    return printed("dhanaraj")["streamlining"]


def layers():
    found = [len(general_arm(("revolute",) * n).layers) for n in LINKS]
    return Verdict(
        PAPER,
        "n links take 4n + 3 layers of subtasks",
        judged(count == 4 * n + 3 for n, count in zip(LINKS, found, strict=True)),
        f"{formula(fitted(found, LINKS[0]))} for general arms of {LINKS[0]} to {LINKS[-1]} "
        f"revolute links; the Stanford arm of Table 4.7 has {len(stanford_of_table_4_7().layers)}, "
        f"the PUMA {len(puma().layers)}",
    )


def subtasks():
    told = _told()["subtasks"]
    found = {"six links": len(six_links()), "Stanford arm": len(stanford())}
    lists = len(stanford_by_lists())
    return Verdict(
        PAPER,
        f"six links are {told['six links']} subtasks, the Stanford arm {told['Stanford arm']}",
        judged(found[arm] == count for arm, count in told.items()),
        f"{found['six links']} for six links; for the Stanford arm {lists} by the thesis's own "
        f"lists, and {found['Stanford arm']} that do something",
    )


def right_schedules():
    every = [each for table, each in printed_schedules().items() if table.startswith("C")]
    broken = [len(each.broken) for each in every]
    return Verdict(
        PAPER,
        "the schedules of Tables C.1 to C.15 keep the precedence of Table 4.1",
        judged(not count for count in broken),
        f"{sum(map(bool, broken))} of {len(every)} start tasks before what they need, "
        f"{min(broken)} to {max(broken)} times each; slips of the scan may be among them",
    )


def shortest_levels():
    arms = {"six links": six_links(), "Stanford arm": stanford_of_table_4_7()}
    met, longer = [], []
    for arm, tasks in arms.items():
        for p, levels in _told()["levels"][arm].items():
            best = shortest(tasks, int(p))
            met.append(levels == best.makespan and best.optimal)
            if not met[-1]:
                longer.append(f"{best.makespan} instead of {levels} on {p} ({arm})")
    return Verdict(
        PAPER,
        "his packing of layers gives the fewest levels",
        judged(met),
        f"proved fewest in {sum(met)} of {len(met)} cases; {', '.join(longer)}",
    )


def busy_processors():
    told = _told()["over 98%"]
    found = {
        "six links": most_busy(six_links()),
        "the Stanford arm of Table 4.7": most_busy(stanford_of_table_4_7()),
        "the Stanford arm as it is": most_busy(stanford()),
    }
    expected = (told["six links"], told["Stanford arm"], told["Stanford arm"])
    shown = ", ".join(f"{count} for {arm}" for arm, count in found.items())
    return Verdict(
        PAPER,
        "six processors are ideal for six links, four for the Stanford arm",
        judged(a == b for a, b in zip(found.values(), expected, strict=True)),
        f"the most that are over {HIGH:.0%} busy, which is what decides here: {shown}",
    )


def most_processors():
    told, found = _told()["concurrency"]["six links"], fewest_processors(six_links())
    return Verdict(
        PAPER,
        f"the least number of levels takes {told} processors for six links",
        CONFIRMED if found == told else REFUTED,
        f"{found} do it in the same {six_links().span} levels, "
        f"{shortest(six_links(), found).efficiency:.0%} busy instead of "
        f"{shortest(six_links(), told).efficiency:.0%}",
    )


# -- the schedulers it compares with ---------------------------------------------------------------


def concurrency():
    coarse, fine = nine_tasks().parallelism, stanford().parallelism
    others = robot_stg()["work"] / robot_stg()["span"]
    return Verdict(
        PAPER,
        "finer tasks allow more concurrency than nine tasks per link",
        judged([fine > coarse, fine > others]),
        f"work over longest path: {coarse:.2f} for nine tasks per link, {others:.2f} for "
        f"robot.stg, {fine:.2f} for the subtasks that do something",
    )


def nine_tasks_of_kasahara():
    times = _told()["table_4_8"][KASAHARA]
    printed_speedup, most = times["1"] / min(times.values()), nine_tasks().parallelism
    return Verdict(
        PAPER,
        "Kasahara and Narita schedule the nine equations of each link as nine tasks",
        CONFIRMED if robot_stg()["tasks"] == len(nine_tasks()) else NOT_REPRODUCED,
        f"robot.stg has {robot_stg()['tasks']} tasks, not {len(nine_tasks())}; {same_graph()}. The "
        f"printed {printed_speedup:.2f} times is more than the {most:.2f} that nine tasks allow if "
        "flops are their weights",
    )


def below_the_longest_path():
    least = min(_told()["table_4_8"][KASAHARA].values())
    span = robot_stg()["span"]
    enough = min(int(p) for p, time in robot_stg()["makespan"]["optimal"].items() if time == span)
    return Verdict(
        KASAHARA,
        f"seven processors take {least:.2f} ms (as Table 4.8 quotes them)",
        CONFIRMED if least >= UNIT * span else NOT_REPRODUCED,
        f"no schedule of robot.stg is shorter than its longest path, {UNIT * span:.2f} ms, which "
        f"{enough} processors meet; {same_graph()}. The printed time "
        "may be a misprint, or that of another graph",
    )


def luh_and_lin():
    told = _told()["luh_lin"]
    graphs = (nine_tasks(), tasks_of_1980(False), tasks_of_1980(True))
    found = [a_processor_per_link(tasks).speedup for tasks in graphs]
    shown = ", ".join(
        f"{speedup:.2f} ({tasks.name})" for tasks, speedup in zip(graphs, found, strict=True)
    )
    met = any(round(speedup, 2) == told for speedup in found)
    return Verdict(
        LUH_LIN,
        f"a processor per link is {told} times as fast as one",
        CONFIRMED if met else NOT_REPRODUCED,
        f"{shown}; by the times of Table 4.8 it is {_of_table_4_8():.2f}. The times of their "
        "operations are not printed",
    )


def _of_table_4_8():
    times = _told()["table_4_8"][LUH_LIN]
    return times["1"] / times["6"]


def times_of_an_8086():
    times = _told()["table_4_8"][PAPER]
    return Verdict(
        PAPER,
        f"the Stanford arm takes {times['7']:.2f} ms on seven Intel 8086 processors",
        NOT_REPRODUCED,
        f"{len(times) - len(off_levels())} of his {len(times)} times are his levels at "
        f"{level_time():.3g} ms, to the digit: computed, as ours are; no 8086 was run here. "
        f"{shortest(stanford(), 7).makespan} levels suffice for the subtasks that do something",
    )


def uniform_subtasks():
    saved = {
        f"{row['mean']} flops, {row['spread']}": 1 - equal["ns"] / row["ns"]
        for row, equal in against_equal()
    }
    shown = ", ".join(f"{share:.0%} ({which})" for which, share in saved.items())
    one = results()["one_thread_ns"] / min(row["ns"] for row in results()["rows"])
    return Verdict(
        PAPER,
        "subtasks of uniform size lessen synchronisation",
        judged(share > FASTER for share in saved.values()),
        f"time saved on two cores against as many uneven tasks: {shown}; more than {FASTER:.0%} "
        f"counts. One thread takes {one:.1%} of the time of the fastest of them",
    )


CLAIMS = (
    layers,
    subtasks,
    right_schedules,
    shortest_levels,
    busy_processors,
    most_processors,
    concurrency,
    uniform_subtasks,
    times_of_an_8086,
    nine_tasks_of_kasahara,
    below_the_longest_path,
    luh_and_lin,
)
