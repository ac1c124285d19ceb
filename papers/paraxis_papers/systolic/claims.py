"""What Lathrop claims of his machines, and what the tables of this report show."""

from paraxis.parallel.systolic.array import INSIDE
from paraxis.parallel.systolic.operators import MM

from ..document import Verdict, judged, text_of
from ..printed import printed
from .arrays import FORMS, LINKS, PAPER, SIZES, array
from .limits import GROUPS, bound, most_wires
from .table_6 import table_6
from .times import departures, equation_5, equation_17

FEW = 3  # words a node: what is called few


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
            f"{form}, n = {n}: {inside[form, n]:.1f} words inside a node (few: {FEW}), "
            f"{text_of(outside[form, n])} outside for a bound of {text_of(bound(each))}"
            for (form, n), each in best.items()
        ),
    )


def _listed(numbers):
    return ", ".join(map(str, numbers))


CLAIMS = (every_four_flops, processors, linear_time, logarithmic_time, wires, buffers)
