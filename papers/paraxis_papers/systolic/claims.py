"""What Lathrop claims of his machines, and what the tables of this report show."""

from paraxis.parallel.systolic.array import INSIDE
from paraxis.parallel.systolic.operators import MM

from ..document import Verdict, judged, text_of
from ..printed import printed
from .arrays import FORMS, LINKS, PAPER, SIZES, array
from .chip import BITS, chip, errors, results
from .formulations import lagrange
from .limits import GROUPS, bound, most_wires
from .sliding import PATTERNS, latencies, sliding_array, slopes
from .table_6 import table_6
from .times import departures, equation_5, equation_17

FEW = 3  # words a node, a vector: what is called few
SAME_TIME, MORE_HARDWARE = 1.1, 1.5  # times: what is called the same, and substantially more


def claims():
    """The verdicts."""
    return [claim() for claim in CLAIMS]


def every_four_flops():
    told = sum(printed("lathrop")["table_1"]["systolic"])
    gaps = {form: departures(form).gaps for form in FORMS}
    shortest = {array(form, "systolic", n).shortest_interval for form in FORMS for n in SIZES}
    return Verdict(
        PAPER,
        f"complete sets of torques at intervals of {told} flops, in either form",
        judged(found == {told} for found in gaps.values()),
        f"every {', '.join(text_of(gap) for found in gaps.values() for gap in found)} flops in the "
        f"two forms, torques within {max(departures(form).off for form in FORMS):.0e} N m; no "
        f"processor needs more than {max(shortest)}, so a set every {max(shortest)} is possible",
    )


def processors():
    rows = [row for row in table_6().rows if row.printed is not None]
    met = [row.printed == row.measured for row in rows]
    needed = array("linear", "systolic").processors, array("logarithmic", "systolic").processors
    return Verdict(
        PAPER,
        "Table 6: matrix-vector processors per node, tier and array",
        judged(met),
        f"{sum(met)} of {len(met)} numbers met with all nodes alike; torques for {LINKS} joints "
        f"depend on {needed[0]} processors in the linear and {needed[1]} in the logarithmic form",
    )


def linear_time():
    given = 1  # flop: z q̇, which comes in as a vector here
    found = {n: array("linear", "systolic", n).latency for n in SIZES}
    return Verdict(
        PAPER,
        "equation 5: 8n + 14 flops in the linear form",
        judged(found[n] + given == equation_5(n) for n in SIZES),
        f"simulated 8n + {found[LINKS] - 8 * LINKS} for n = {SIZES[0]} to {SIZES[-1]}, with z q̇ "
        f"given, which is {given} flop",
    )


def logarithmic_time():
    found = {n: array("logarithmic", "systolic", n).latency for n in SIZES}
    met = [n for n in SIZES if found[n] == equation_17(n)]
    less = [n for n in SIZES if found[n] < equation_17(n)]
    return Verdict(
        PAPER,
        "equation 17: 8⌈log₂(n + 1)⌉ + 15 flops in the logarithmic form",
        judged(found[n] == equation_17(n) for n in SIZES),
        f"met for n = {_listed(met)}; less for n = {_listed(less)}, as a base at rest is no "
        "element to glue",
    )


def wires():
    told = printed("lathrop")["wires"]
    found = {(form, group): most_wires(form, *GROUPS[group]) for form in FORMS for group in GROUPS}
    (form, group), most = max(found.items(), key=lambda each: each[1])
    return Verdict(
        PAPER,
        f"no group has more than {told} point-to-point wires",
        judged(each <= told for each in found.values()),
        f"at most {most}, {form} form, {group}, where the product of rotations is "
        f"{MM.processors} processors; {most - 2 * (MM.processors - 1)} with that as one operator",
    )


def buffers():
    best = {
        (form, n): array(form, "systolic", n, fewest_buffers=True)
        for form, n in (("linear", LINKS), ("linear", SIZES[-1]), ("logarithmic", LINKS))
    }
    inside = {
        which: each.buffers_of[INSIDE] / len({op.site.node for op in each.starts})
        for which, each in best.items()
    }
    outside = {which: each.buffers - each.buffers_of[INSIDE] for which, each in best.items()}
    return Verdict(
        PAPER,
        "buffering is bounded by input and output, and few intermediate results are kept",
        judged(
            inside[which] <= FEW and outside[which] <= bound(each) for which, each in best.items()
        ),
        "; ".join(
            f"{form}, n = {n}: {inside[form, n]:.1f} words inside a node (few: {FEW}, a vector), "
            f"{text_of(outside[form, n])} outside for a bound of {text_of(bound(each))}"
            for (form, n), each in best.items()
        ),
    )


def sliding_joints():
    longer = {form: latencies(form) for form in FORMS}
    turning = "r" * LINKS
    off = {
        (form, name): latency - longer[form][turning]
        for form in FORMS
        for name, latency in longer[form].items()
    }
    grow = {form: slopes(form) for form in FORMS}
    same_slope = [added == grow[form][turning] for form in FORMS for added in grow[form].values()]
    paces = {
        sliding_array(form, tuple(kinds)).shortest_interval
        for form in FORMS
        for kinds in PATTERNS.values()
    }
    return Verdict(
        PAPER,
        "with sliding joints the times remain the same but for a minor variation of the constant",
        judged([each <= 0 for each in off.values()] + same_slope),
        f"{len(PATTERNS)} chains of {LINKS} joints in {len(FORMS)} forms: none takes longer than "
        f"with joints that turn, some up to {-min(off.values())} flops less; the growth with the "
        f"chain is the same in {sum(same_slope)} of {len(same_slope)}, and a set every "
        f"{max(paces)} flops is possible",
    )


def lagranges_equations():
    newton = {n: array("linear", "systolic", n) for n in SIZES}
    times = [lagrange(n).latency / newton[n].latency for n in SIZES]
    paces = [lagrange(n).shortest_interval == newton[n].shortest_interval for n in SIZES]
    more = [lagrange(n).processors / newton[n].processors for n in SIZES]
    buffers = [lagrange(n).buffers / newton[n].buffers for n in SIZES]
    return Verdict(
        PAPER,
        "the Lagrangian attains essentially the same time bounds using substantially more hardware",
        judged(
            [time <= SAME_TIME for time in times] + paces + [each >= MORE_HARDWARE for each in more]
        ),
        f"latency {min(times):.2f} to {max(times):.2f} times that of Newton-Euler (the same: up to "
        f"{SAME_TIME}), the same interval, {min(more):.2f} to {max(more):.2f} times the processors "
        f"(substantially more: from {MORE_HARDWARE}) and {min(buffers):.1f} to {max(buffers):.1f} "
        f"times the buffers, for n = {SIZES[0]} to {SIZES[-1]}",
    )


def robot_chip():
    told = sum(printed("lathrop")["table_1"]["systolic"])
    made = chip("puma560", interval=told)
    worst, proved, most = errors("puma560", "linear", made.word)
    compared = results(BITS) or []
    same = [row["same"] == row["states"] for row in compared]
    fast = chip("puma560").interval
    return Verdict(
        PAPER,
        "section 7.2: a chip of primitive modules, counters and delay buffers attains these times",
        judged(
            [
                made.interval == told,
                made.latency == made.array.latency + 1,
                worst <= proved,
                *(same or [False]),
            ]
        ),
        f"built for any chain as Verilog: the PUMA's is {made.processors} processors, a set every "
        f"{told} clocks or every {fast}, {made.latency} clocks after its state (one to arrive); "
        f"with {made.word} bits errors up to {worst:.0e} N m of {most:.0f} (proved: "
        f"{proved:.0e}); {sum(row['same'] for row in compared)} of "
        f"{sum(row['states'] for row in compared)} states bit by bit as the model in simulators",
    )


def _listed(numbers):
    return ", ".join(map(str, numbers))


CLAIMS = (
    every_four_flops,
    processors,
    linear_time,
    logarithmic_time,
    sliding_joints,
    wires,
    buffers,
    lagranges_equations,
    robot_chip,
)
