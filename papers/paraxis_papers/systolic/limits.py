"""His bounds on wires and buffers, measured."""

from paraxis.parallel.systolic.array import INSIDE, kind
from paraxis.parallel.systolic.operators import MM

from ..document import Row, Table, text_of
from ..printed import printed
from .arrays import FORMS, PAPER, SIZES, array

LEAD = (
    "He says that no group has more than 50 point-to-point wires, that what enters and leaves a "
    "node bounds the buffers outside, and that few are needed inside. Systolic arrays, their "
    "operations timed so that the fewest words wait."
)
CONVENTIONS = (
    "A wire leads from a processor or an input to one operand of a processor; constants are kept "
    "where they are used. A group is what he calls one: the outward recursion of a node, the "
    "inward one, or a body's quantities that are not propagated.",
    "A buffer is a register of a delay line, or where an input arrives; a word is a number. A "
    "processor keeps its result until the next one, so what is used before needs none.",
    "Bound: the words that enter, go from node to node or leave with every state, times one "
    "register for each state that is in the array at the same time.",
)
GROUPS = {
    "outward recursion": ("outward", "propagated"),
    "inward recursion": ("inward", "propagated"),
    "body": ("outward", "body"),
}
THREE = (
    "a node that makes all of a span; the three processors of W count two wires each, "
    "with W as one operator it is {}"
)
LARGE = 12  # a tree whose fewest buffers are proved at once, however busy the machine


def limits():
    """The table."""
    rows = []
    for form in FORMS:
        for group, (sweep, part) in GROUPS.items():
            most = most_wires(form, sweep, part)
            note = f"the most for n up to {SIZES[-1]}"
            if most > printed("lathrop")["wires"]:
                note = THREE.format(most - 2 * (MM.processors - 1))
            rows.append(
                Row(PAPER, f"wires, {form}: {group}", printed("lathrop")["wires"], most, note)
            )
    for form, n in (("linear", 6), ("linear", 64), ("logarithmic", 6), ("logarithmic", LARGE)):
        rows += _buffers(form, n)
    return Table("Wires and buffers", LEAD, rows, CONVENTIONS)


def most_wires(form, sweep, part):
    return max(
        count
        for n in SIZES
        for (place, name), count in array(form, "systolic", n).wires_of.items()
        if place.startswith(sweep) and name == part
    )


def _buffers(form, n):
    best = array(form, "systolic", n, fewest_buffers=True)
    inside = best.buffers_of[INSIDE]
    nodes = len({each.site.node for each in best.starts})
    proved = (
        "no timing has fewer"
        if best.buffers == best.least_buffers
        else f"no timing has fewer than {text_of(best.least_buffers)}"
    )
    listed = ", ".join(f"{name} {text_of(words)}" for name, words in best.buffers_of.items())
    plain = array(form, "systolic", n).buffers
    where = f"{form}, n = {n}"
    return [
        Row(
            PAPER,
            f"buffers, {where}: words",
            None,
            best.buffers,
            f"{proved}; {text_of(plain)} without the search; {listed}",
        ),
        Row(
            PAPER,
            f"buffers, {where}: outside nodes",
            None,
            best.buffers - inside,
            f"bound {text_of(bound(best))}",
        ),
        Row(PAPER, f"buffers, {where}: inside nodes", None, inside, f"{inside / nodes:.1f} a node"),
    ]


def bound(array):
    crossing = {source for source, taker, *_ in array.reads if kind(source, taker) != INSIDE}
    return sum(source.words for source in crossing) * (array.latency // array.interval + 1)
