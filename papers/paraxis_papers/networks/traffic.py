"""What orders of a recurrence ask of networks: messages, hops, conflicts, time."""

from paraxis.parallel import Recurrence, network
from paraxis.parallel.networks.network import NETWORKS, Delivery
from paraxis.physics.parts.orders import ORDERS, doubling, shuffled_doubling

from ..document import Figure, Row, Table

FIJANY = "Fijany 1994"
SIZES = (8, 16, 64)
ELEMENTS = 4  # for each processor where an order has blocks
CURVE = (2, 4, 8, 16, 32, 64, 128)
PLAIN = {name: name.replace("p_fold", "p-fold").replace("_", " ") for name in (*NETWORKS, *ORDERS)}
LEAD = (
    "One recurrence with a term on each of {p} processors, with {elements} on each where an order "
    "has blocks. Measured: hop times until all messages of a step have arrived, all steps together."
)
CONVENTIONS = (
    "A link carries one message in a hop time, in one direction; a message waits where its next "
    "link is taken, and every such wait is a conflict. Messages take a shortest way. A value that "
    "goes to several processors travels once as long as the ways are one.",
    "Shuffled orders move all terms by an inverse shuffle before every step of doubling.",
    "A hypercube is numbered by a Gray code: neighbours along the row are linked, and those 2, 4, "
    "8, ... apart are two hops apart.",
    "The modified inverse shuffle is left to a paper that is not at hand. Here it has links to "
    "where the inverse shuffle leads and to the two neighbours of that place.",
)


def traffic(order, elements, processors, name):
    """The Delivery of one order on one network."""
    return Recurrence([], ORDERS[order](elements, processors)).on(network(name, processors), 1, 0)


def network_tables():
    """A table for each number of processors."""
    return [_network_table(p) for p in SIZES]


def _network_table(p):
    rows = []
    for order in ORDERS:
        elements = ELEMENTS * p if "p_fold" in order else p
        for name in NETWORKS:
            found = traffic(order, elements, p, name)
            rows.append(_row("Paraxis", f"{PLAIN[order]}, {PLAIN[name]}", found))
    for name in NETWORKS:
        found = elimination(p, name)
        rows.append(_row(FIJANY, f"odd-even elimination, {PLAIN[name]}", found))
        found = elimination_in_place(p, name)
        rows.append(_row(FIJANY, f"odd-even elimination in place, {PLAIN[name]}", found))
    nets = [network(name, p) for name in NETWORKS]
    sizes = ", ".join(f"{PLAIN[net.name]} {net.links} and {net.diameter}" for net in nets)
    return Table(
        f"Networks of {p} processors",
        LEAD.format(p=p, elements=ELEMENTS),
        rows,
        (f"Links, and hops at most: {sizes}.", *CONVENTIONS),
    )


def _row(paper, quantity, found):
    note = f"messages {found.messages:,}, hops {found.hops:,}, conflicts {found.conflicts:,}"
    return Row(paper, quantity, None, found.time, note)


def elimination(processors, name):
    """Odd-even elimination: what every element holds goes to those 1, 2, 4, ... away on both sides.

    Its elements move by inverse shuffles, as those of shuffled doubling do.
    """
    order = shuffled_doubling(processors, processors)
    wires, total, places = network(name, processors), Delivery(), order.homes
    for j, step in enumerate(order.steps):
        moved = dict(step.moves)
        after = [moved.get(k, place) for k, place in enumerate(places)]
        sent = [
            (places[k], after[there], k)
            for k in range(processors)
            for there in (k - 2**j, k, k + 2**j)
            if 0 <= there < processors
        ]
        total += wires.deliver(sent, 1, 0)
        places = after
    return total


def elimination_in_place(processors, name):
    """The same with elements that stay where they are."""
    wires, total, reach = network(name, processors), Delivery(), 1
    while reach < processors:
        sent = [
            (k, there, k)
            for k in range(processors)
            for there in (k - reach, k + reach)
            if 0 <= there < processors
        ]
        total, reach = total + wires.deliver(sent, 1, 0), 2 * reach
    return total


def network_figure():
    """Communication of recursive doubling over p, in place or shuffled, whichever is faster."""
    ways = [each.__name__ for each in (doubling, shuffled_doubling)]
    return Figure(
        "Recursive doubling: time of its messages",
        "Hop times for one recurrence with a term on each processor, in place or shuffled, "
        "whichever the network is faster with.",
        "processors",
        "hop times",
        {
            PLAIN[name]: [(p, min(traffic(way, p, p, name).time for way in ways)) for p in CURVE]
            for name in NETWORKS
        },
        log="xy",
    )
