"""Networks of processors: links, ways, conflicts, and what orders of a recurrence ask of them."""

from collections import deque
from itertools import pairwise
from operator import add

import numpy as np
import pytest

import paraxis as px
from paraxis.checks import counted
from paraxis.parallel.networks.network import NETWORKS, Delivery, Network

SHUFFLES = [name for name in NETWORKS if name != "cascade"]


def linked(name, processors):
    found = px.parallel.network(name, processors)
    return {(k, to) for k, after in enumerate(found.neighbours) for to in after}


def riffled(cards):
    """A deck cut in two halves and interleaved, the top card on top."""
    half = len(cards) // 2
    return [card for pair in zip(cards[:half], cards[half:], strict=True) for card in pair]


# -- links -----------------------------------------------------------------------------------------


def test_a_perfect_shuffle_is_that_of_cards():
    for p in (2, 4, 8, 32):
        after = riffled(list(range(p)))
        shuffle = {(card, place) for place, card in enumerate(after) if card != place}
        pairs = {(k, k ^ 1) for k in range(p)}
        assert linked("perfect_shuffle", p) == shuffle | pairs
        reversed_ = {(b, a) for a, b in shuffle}
        assert linked("inverse_perfect_shuffle", p) == reversed_ | pairs
        row = {(k, k + 1) for k in range(p - 1)}
        both = row | {(b, a) for a, b in row}
        assert linked("shuffle_exchange_neighbours", p) == shuffle | reversed_ | both
        assert linked("cascade", p) == both


@pytest.mark.parametrize("bits", [1, 3, 6])
def test_a_hypercube_holds_a_row_whose_doublings_are_two_hops(bits):
    p = 2**bits
    net = px.parallel.network("hypercube", p)
    assert net.links == p * bits and net.diameter == bits
    assert {(k, k + 1) for k in range(p - 1)} <= linked("hypercube", p)
    for reach in (2**j for j in range(1, bits)):
        assert {len(net.route(k, k + reach)) - 1 for k in range(p - reach)} == {2}


def test_a_cascade_may_have_any_length():
    assert linked("cascade", 3) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert px.parallel.network("cascade", 1).links == 0


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("p", [1, 2, 4, 16, 64])
def test_everyone_can_be_reached_by_a_shortest_way(name, p):
    net = px.parallel.network(name, processors=p)
    assert net.processors == p and net.links <= max(4, p.bit_length() - 1) * p
    for start in range(0, p, 3):
        hops, queue = {start: 0}, deque([start])
        while queue:
            at = queue.popleft()
            for to in net.neighbours[at]:
                if to not in hops:
                    hops[to] = hops[at] + 1
                    queue.append(to)
        assert sorted(hops) == list(range(p))
        for end in range(p):
            way = net.route(start, end)
            assert way[0] == start and way[-1] == end and len(way) - 1 == hops[end]
            assert all(b in net.neighbours[a] for a, b in pairwise(way))
        assert max(hops.values()) <= net.diameter
    sizes = counted(p, "processor"), counted(net.links, "link"), counted(net.diameter, "hop")
    assert repr(net) == "<Network {} of {}: {}, at most {}>".format(name, *sizes)


# -- deliveries ------------------------------------------------------------------------------------


def test_messages_in_step_do_not_meet():
    """All of a row to the one four further on: in lockstep, none waits."""
    net = px.parallel.network("cascade", 12)
    found = net.deliver([(k, k + 4) for k in range(8)])
    assert found == Delivery(messages=8, hops=32, conflicts=0, time=4)


def test_a_link_carries_one_message_at_a_time():
    net = px.parallel.network("cascade", 3)
    assert net.deliver([(0, 1), (0, 1), (0, 1)]) == Delivery(3, 3, 3, 3)  # 2 wait, then 1
    assert net.deliver([(0, 1), (1, 0)]) == Delivery(2, 2, 0, 1)  # a link each way
    assert net.deliver([(0, 1), (0, 2)]) == Delivery(2, 3, 1, 2)  # the longer way goes first
    assert net.deliver([(0, 1, "a"), (0, 2, "b")]) == Delivery(2, 3, 1, 2)


def test_what_goes_to_several_travels_once():
    net = px.parallel.network("cascade", 5)
    assert net.deliver([(0, k, "x") for k in range(1, 5)]) == Delivery(4, 4, 0, 4)
    star = Network("star", [[1, 2], [0], [0]])
    assert star.deliver([(1, 0, "x"), (1, 2, "x")]) == Delivery(2, 2, 0, 2)
    assert star.deliver([(1, 2, "x"), (2, 1, "x")]) == Delivery(2, 4, 0, 2)  # not from one place


def test_costs_of_a_delivery():
    net = px.parallel.network("cascade", 4)
    assert net.deliver([(0, 3)], per_hop=2.5, startup=10.0).time == 17.5
    assert net.deliver([], startup=10.0) == net.deliver([(2, 2)], startup=10.0) == Delivery()
    solved = px.parallel.recurrence(add, "abcd")
    assert solved.on(net, per_hop=2.0, startup=1.0).time == (1 + 2) + (1 + 4)


@pytest.mark.parametrize("name", NETWORKS)
def test_random_messages_take_as_long_as_links_and_ways_ask(name):
    net, random = px.parallel.network(name, 16), np.random.default_rng(4)
    for _ in range(20):
        sent = [tuple(map(int, pair)) for pair in random.integers(0, 16, (24, 2))]
        ways = [net.route(*pair) for pair in sent]
        links = [link for way in ways for link in pairwise(way)]
        busiest = max(map(links.count, links))
        longest = max(map(len, ways)) - 1
        found = net.deliver(sent)
        assert found.hops == len(links)
        assert max(busiest, longest) <= found.time <= longest + found.conflicts
        assert found == net.deliver(sent)


# -- orders on networks ----------------------------------------------------------------------------


def on(order, name, p, elements=None):
    terms = "x" * (elements or p)
    return px.parallel.recurrence(add, terms, order=order, processors=p).on(
        px.parallel.network(name, p)
    )


@pytest.mark.parametrize("bits", range(1, 8))
def test_shuffled_doubling_is_made_for_the_modified_inverse_shuffle(bits):
    """A hop for each step, and no conflict: twice as long where neighbours are a hop further."""
    p = 2**bits
    found = on("shuffled_doubling", "modified_inverse_perfect_shuffle", p)
    assert (found.time, found.conflicts, found.hops) == (bits, 0, found.messages)
    found = on("shuffled_doubling", "shuffle_exchange_neighbours", p)
    assert found.time <= 2 * bits and found.conflicts == 0


@pytest.mark.parametrize("p", [2, 4, 8, 32])
def test_on_a_cascade_doubling_takes_as_long_as_handing_over(p):
    for order in ("serial", "doubling", "halving"):
        found = on(order, "cascade", p)
        assert (found.time, found.conflicts) == (p - 1, 0)
    assert on("serial", "cascade", p, elements=5 * p).messages == p - 1


def test_p_fold_blocks_hand_on_what_they_lack():
    """Ends by doubling, then each end to the next block, but for the first, which is there."""
    for p in (4, 8, 16):
        found = on("p_fold", "cascade", p, elements=3 * p)
        assert found.messages == on("doubling", "cascade", p).messages + (p - 2)
    lent = px.parallel.recurrence(add, "x" * 6, order="p_fold", processors=2).messages[-2:]
    assert lent == [[(1, 0, (3, 4))], [(0, 1, (0, 4))]]  # a task of two, and back its result
    assert on("p_fold", "cascade", 1, elements=9) == Delivery()


def test_processors_without_anything_to_do():
    solved = px.parallel.recurrence(add, "abcdef", order="doubling", processors=8)
    assert solved.on(px.parallel.network("perfect_shuffle", 8)).messages == 5 + 4 + 2


def test_a_large_network_is_shown_without_a_search_of_all_routes():
    assert repr(px.parallel.network("cascade", 2**12)).endswith("8,190 links>")
    net = px.parallel.network("cascade", 5)
    assert net.diameter == 4 and repr(net).endswith("at most 4 hops>")


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHUFFLES)
@pytest.mark.parametrize("p", [3, 6, 12])
def test_a_shuffle_wants_a_power_of_two(name, p):
    with pytest.raises(px.ArgumentError, match=f"network {name}: .* a power of two, found {p}"):
        px.parallel.network(name, p)


@pytest.mark.parametrize(
    ("name", "p", "message"),
    [
        ("torus", 4, "network: expected one of 'cascade', 'perfect_shuffle', .*, found 'torus'"),
        (None, 4, "network: expected one of .*, found None"),
        ("cascade", 0, "processors: expected an integer >= 1, found 0"),
        ("hypercube", 2**40, "network hypercube: expected at most 65,536 processors"),
        ("cascade", -3, "found -3"),
        ("cascade", "4", "found '4'"),
    ],
)
def test_networks_that_are_none(name, p, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.parallel.network(name, p)


@pytest.mark.parametrize(
    ("messages", "costs", "found"),
    [
        ([(0, 4)], {}, "processor: expected an integer from 0 to 3, found 4"),
        ([(-1, 2)], {}, "processor: expected an integer >= 0, found -1"),
        ([(0, 1.5)], {}, "found 1.5"),
        ([(0,)], {}, r"message: expected \(from, to\) or .* found \(0,\)"),
        ([7], {}, "message: expected .* found 7"),
        ([(0, 1, 2, 3)], {}, r"found \(0, 1, 2, 3\)"),
        ([], {"per_hop": -1.0}, "per_hop: expected a time >= 0, found -1.0"),
        ([], {"startup": float("nan")}, "startup: .* found nan"),
        ([], {"per_hop": "fast"}, "per_hop: .* found 'fast'"),
    ],
)
def test_deliveries_that_make_no_sense(messages, costs, found):
    with pytest.raises(px.ArgumentError, match=found):
        px.parallel.network("cascade", 4).deliver(messages, **costs)


@pytest.mark.parametrize(
    ("neighbours", "message"),
    [
        ([[7]], "neighbours of processor 0: expected integers from 0 to 0, found 7"),
        ([[1], [0.5]], "neighbours of processor 1: expected integers from 0 to 1, found 0.5"),
        ([[-1]], "found -1"),
        ([1, 0], "expected a list of the neighbours of processor 0, found 1"),
        ({0: [1], 1: [0]}, r"expected a list with the neighbours of each .*, found \{0: \[1\]"),
        ([], r"expected a list with the neighbours of each processor, found \[\]"),
    ],
)
def test_links_that_lead_nowhere(neighbours, message):
    with pytest.raises(px.ArgumentError, match=f"network odd: .*{message}"):
        px.parallel.Network("odd", neighbours)


def test_processors_that_cannot_reach_each_other_are_named():
    net = px.parallel.Network("two pairs", [[1], [0], [3], [2]])
    assert "not all of them connected" in repr(net)
    assert net.route(0, 1) == [0, 1]
    message = "network two pairs: processor 0 cannot be reached from "
    with pytest.raises(px.ArgumentError, match=f"{message}2, 3$"):
        _ = net.diameter
    for way in ([(1, 0), (3, 0)], [(3, 0, "x")]):
        with pytest.raises(px.ArgumentError, match=f"{message}3$"):
            net.deliver(way)
    with pytest.raises(px.ArgumentError, match="processor 0 cannot be reached from 1, .*, 8 and 3"):
        _ = px.parallel.Network("one way", [[k + 1] for k in range(11)] + [[]]).diameter


def test_a_row_that_leads_one_way_can_hand_over():
    row = px.parallel.Network("one way", [[1], [2], [3], []])
    assert px.parallel.recurrence(add, "abcd", order="serial").on(row).time == 3


def test_ways_and_recurrences_that_do_not_fit():
    net = px.parallel.network("cascade", 4)
    with pytest.raises(px.ArgumentError, match="found 9"):
        net.route(0, 9)
    with pytest.raises(px.ArgumentError, match="network cascade: expected at least 5 .* found 4"):
        px.parallel.recurrence(add, "abcde").on(net)
    with pytest.raises(px.ArgumentError, match="network: expected a Network, found str"):
        px.parallel.recurrence(add, "abc").on("cascade")


def test_messages_carry_what_has_a_name():
    net = px.parallel.network("cascade", 2)
    with pytest.raises(px.ArgumentError, match="message from 0 to 1: expected a hashable name"):
        net.deliver([(0, 1, [1])])
    with pytest.raises(px.ArgumentError, match="messages: expected a list, found 3"):
        net.deliver(3)
