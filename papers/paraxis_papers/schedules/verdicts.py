"""What became of the thesis's claims about schedules, by the functions behind the tables."""

from paraxis.parallel.streamlined.table import general_arm

from ..counts.polynomial import fitted, formula
from ..document import CONFIRMED, REFUTED, Verdict, judged
from ..printed import printed
from .arms import PAPER, puma, six_links, stanford, stanford_by_lists, stanford_of_table_4_7
from .efficiency import HIGH, most_busy
from .levels import fewest_processors, shortest
from .printed_schedules import printed_schedules

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


CLAIMS = (
    layers,
    subtasks,
    right_schedules,
    shortest_levels,
    busy_processors,
    most_processors,
)
