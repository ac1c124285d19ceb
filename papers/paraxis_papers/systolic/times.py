"""How long a state takes, how often one leaves, and by how much quantities are staggered."""

from functools import cache
from typing import NamedTuple

import numpy as np

from paraxis import inverse_dynamics
from paraxis.robots import chain

from ..document import Row, Table
from ..printed import printed
from .arrays import FORMS, LINKS, PAPER, array

STATES = 20
POWER = 8  # of two: there a base at rest saves a level

LEAD = (
    "Flops, for six joints unless stated otherwise, from simulations tick by tick: values are in "
    "registers, carry their state, and whoever takes one checks that it belongs to its state."
)


def times():
    """The table."""
    linear, tree = array("linear", "systolic"), array("logarithmic", "systolic")
    eight = array("logarithmic", "systolic", POWER)
    rows = [
        Row(
            PAPER,
            "linear: until n of the first link",
            sum(printed("lathrop")["table_1"]["linear"]),
            _end(linear, "n", "inward 1"),
            "the abstract's (2n + 3) + (6n + 7)",
        ),
        Row(
            PAPER,
            "linear: until the torques leave",
            equation_5(LINKS),
            linear.latency,
            "his equation 5 has one flop more, z q̇, which his Table 4 takes as given",
        ),
        Row(
            PAPER,
            "logarithmic: until the torques leave",
            equation_17(LINKS),
            tree.latency,
            "equation 17",
        ),
        Row(
            PAPER,
            f"logarithmic: until the torques leave, n = {POWER}",
            equation_17(POWER),
            eight.latency,
            "⌈log₂ n⌉ levels: a base at rest is no element; he has ⌈log₂(n + 1)⌉",
        ),
        *(_departures(form) for form in FORMS),
        Row(
            PAPER,
            "systolic: shortest time between states",
            None,
            linear.shortest_interval,
            "a processor is never busy for longer than an MV; MV + VA is how long a quantity takes "
            "from node to node, which does not limit how often states follow one another",
        ),
        *_single_device(),
        *_offsets(linear),
    ]
    return Table("Times", LEAD, rows)


class Departures(NamedTuple):
    """When torques leave an array, and how far they are off."""

    at: list
    gaps: set
    off: float


@cache
def departures(form):
    """A run of some states, measured at the exit."""
    robot, source = chain(LINKS), np.random.default_rng(1985)
    q, qd, qdd = source.uniform(-2, 2, (3, STATES, LINKS))
    came = array(form, "systolic").run(q, qd, qdd)
    gaps = {int(gap) for gap in np.diff(came.departures)}
    off = abs(came.torques - inverse_dynamics(robot, q, qd, qdd)).max()
    return Departures(came.departures, gaps, float(off))


def _departures(form):
    found = departures(form)
    return Row(
        PAPER,
        f"{form}: from one set of torques to the next",
        sum(printed("lathrop")["table_1"]["systolic"]),
        *found.gaps,
        f"{STATES} states: the first leaves at {found.at[0]}, the last at {found.at[-1]}; torques "
        f"are off by {found.off:.0e} N m at most",
    )


def _single_device():
    linear, tier = array("linear", "single_device"), array("logarithmic", "single_device")
    note = "he waits until a state is done; processors would be free for the next after {} flops"
    yield Row(
        PAPER,
        "linear, single device: from one set to the next",
        equation_5(LINKS),
        linear.interval,
        note.format(linear.shortest_interval),
    )
    yield Row(
        PAPER,
        "logarithmic, one tier: from one set to the next",
        equation_17(LINKS),
        tier.interval,
        note.format(tier.shortest_interval),
    )


def _offsets(linear):
    """By how much the propagated quantities of a link are staggered: equation 4."""
    offsets = printed("lathrop")["depth"]["offsets"]
    more = "; as late as that at the last link, where VC + 3 VA follow F for n, and a VA for f"
    for name, late, early, sweep, note in (
        ("alpha", "α", "ω", "outward", ""),
        ("acceleration", "a", "ω", "outward", ""),
        ("moment", "n", "f", "inward", more),
    ):
        node = f"{sweep} {LINKS // 2}"
        found = _end(linear, late, node) - _end(linear, early, node)
        label = f"linear: {late} after {early}, link {LINKS // 2}"
        yield Row(PAPER, label, sum(offsets[name]), found, f"equation 4{note}")


def _end(array, result, node):
    (found,) = [each for each in array.starts if each.result == result and each.site.node == node]
    return array.end(found)


def equation_5(n):
    """The printed time of the linear form, in flops."""
    return _printed_time("equation_5", n)


def equation_17(n):
    """The printed time of the logarithmic form, in flops."""
    return _printed_time("equation_17", n.bit_length())


def _printed_time(equation, steps):
    form = printed("lathrop")["depth"][equation]
    return sum(form["slope"]) * steps + sum(form["rest"])
