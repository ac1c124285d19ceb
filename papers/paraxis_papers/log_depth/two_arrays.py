"""Fijany's two-array plan: messages hidden or not, step II under step I, and more processors."""

from functools import cache

from paraxis.parallel import network, two_array_plan
from paraxis.parallel.two_arrays.closed_chain import NONE, ONE, SIX
from paraxis.parallel.two_arrays.elimination import ALLOCATIONS
from paraxis.parallel.two_arrays.script import Do
from paraxis.parallel.two_arrays.wiring import HYPERCUBE, SHUFFLED, Wiring, rounds

from ..document import Figure, Row, Table

PAPER = "Fijany 1994"
SIZES = (4, 8, 64, 1024)
CURVE = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
NETWORKS = (8, 64, 256)
WORD_TIMES = (1, 4, 16)
FEWER = (8, 64, 256)
FREE = (0, 0)  # (word_time, startup) of messages
MESSAGES = {ONE: (FREE, (4, 0), (16, 0), (1, 30), (1, 100)), SIX: (FREE, (4, 0), (1, 100))}
NEGLIGIBLE = 0.05  # of the time that the elimination computes
LARGEST_STARTUP = 1000
PLANS = (
    ("N processors", ONE, 1),
    ("2N, the paper's plan", ONE, 2),
    ("6N, six arrays for Λ⁻¹ and one of them for all else", SIX, 1),
    ("7N, six arrays for Λ⁻¹ and one for step II", SIX, 2),
    ("N, right-hand sides of Λ⁻¹ left out", NONE, 1),
    ("2N, right-hand sides of Λ⁻¹ left out", NONE, 2),
)
CONVENTIONS = (
    "Time is in flops of one processor. Tasks weigh the flops of their traced functions, for "
    "joints that turn and a contact in three directions; sines are free.",
    "A node computes and sends at once, but sends one message at a time. A message takes its "
    "startup and the time of its words for each link that it crosses.",
    "Blocks move by an inverse shuffle from round to round, so that partners are neighbours: two "
    "links to a partner's next place, one for a block's own move.",
)


def plan(n, allocation="second", messages=FREE, right_hand_sides=ONE, arrays=2):
    return two_array_plan(n, allocation, *messages, right_hand_sides, arrays)


def work(found):
    """The flops of all processors together."""
    return sum(int(item.flops.sum()) for item in found.timing.script.items if isinstance(item, Do))


def two_array_tables():
    """All there is to say of the plan for revolute joints, in six tables."""
    return [
        network_table(),
        hypercube_table(),
        allocation_table(),
        overlap_table(),
        processor_table(),
        fewer_table(),
    ]


# -- the network -----------------------------------------------------------------------------------


def network_table():
    """The way of the messages of an elimination, in place and with blocks that are shuffled."""
    rows = []
    for n in NETWORKS:
        for what, times in zip(("in place", "shuffled"), hop_times(n), strict=True):
            note = "by rounds " + ", ".join(f"{time:.0f}" for time in times)
            rows.append(Row(PAPER, f"N = {n}, {what}", None, sum(times), note))
    lead = (
        "Hop times until every block has what its partner at i - 2^(j-1) sends, all rounds "
        "together, on the shuffle-exchange network with neighbours. The paper calls the network "
        "optimal for this; it is if blocks move with the rounds, which the paper does not say."
    )
    return Table("Two arrays: how far partners are", lead, rows)


@cache
def hop_times(n):
    """Of each round: with blocks that stay where they are, and with blocks that move."""
    wires, wiring = network(SHUFFLED, n), Wiring(SHUFFLED, n, n)
    in_place = [_hop_time(wires, range(n), range(n), 2**j) for j in range(rounds(n))]
    shuffled = [
        _hop_time(wires, wiring.places(j).tolist(), wiring.places(j + 1).tolist(), 2**j)
        for j in range(rounds(n))
    ]
    return in_place, shuffled


def _hop_time(wires, now, then, reach):
    """Until all have arrived where their receivers are next."""
    n = wires.processors
    return wires.deliver([(now[i], then[i + reach]) for i in range(n - reach)], 1, 0).time


def hypercube_table():
    """The plan on hypercubes instead, by the time of a word."""
    rows = []
    for n in SIZES:
        for word_time in WORD_TIMES:
            shuffled = two_array_plan(n, word_time=word_time)
            found = two_array_plan(n, word_time=word_time, network=HYPERCUBE)
            note = f"{shuffled.makespan:,.0f} on the shuffle-exchange network with neighbours"
            rows.append(Row(PAPER, f"N = {n}, a word {word_time}", None, found.makespan, note))
    lead = (
        "Flops until all accelerations are known, on two hypercubes linked processor by processor, "
        "which are one hypercube. Processors are numbered by a Gray code, so that partners are two "
        "links apart and no block moves."
    )
    return Table("Two arrays: hypercubes", lead, rows, CONVENTIONS[:2])


# -- the two allocations ---------------------------------------------------------------------------


def allocation_table():
    """Step I.b: what messages add to its time, by allocation, length of the chain and word time."""
    rows = []
    for allocation in ALLOCATIONS:
        for word_time in WORD_TIMES:
            for n in SIZES:
                found = plan(n, allocation, (word_time, 0))
                computed = found.computation("I.b")
                note = (
                    f"{'hidden' if hides_messages(found) else 'not hidden'}: {found.hidden:.0%} of "
                    f"{found.communication('I.b'):,} of a node's messages, under {computed:,} of "
                    "computing"
                )
                quantity = f"N = {n}, {allocation} allocation, a word {word_time}"
                rows.append(Row(PAPER, quantity, None, found.elimination_exposed, note))
    first, second = (plan(SIZES[-1], each, (1, 0)) for each in ALLOCATIONS)
    words = second.communication("I.b")  # a word takes one flop here
    lead = (
        "How much longer the diagonalisation of A takes than with free messages. Hidden means by "
        f"at most {NEGLIGIBLE:.0%}. The paper says that the second allocation computes less and "
        "overlaps messages. Both are so: a block is factored once a round instead of twice, "
        f"{second.computation('I.b'):,} flops for {first.computation('I.b'):,} at N = "
        f"{SIZES[-1]:,}, and messages are hidden while a word takes about a flop. From "
        f"{second.computation('I.b') / words:.1f} flops a word on a node sends longer than it "
        "computes, and no order of its steps could hide that."
    )
    return Table("Two arrays: messages of the elimination", lead, rows, CONVENTIONS)


def hides_messages(found):
    """Whether messages make a plan's elimination hardly longer."""
    return found.elimination_exposed <= NEGLIGIBLE * found.computation("I.b")


# -- step II under step I --------------------------------------------------------------------------


def overlap_table():
    """How long array 2 waits for Λ⁻¹ once it is done with step II."""
    rows = [
        _overlap_row(n, messages, right_hand_sides)
        for right_hand_sides, all_messages in MESSAGES.items()
        for messages in all_messages
        for n in SIZES
    ]
    rows += [_startup_row(n) for n in SIZES]
    lead = (
        "Slack: the time between the end of step II on array 2 and Λ⁻¹ arriving there; below 0 "
        "step II is not hidden under step I. The paper says that it is, in computation and in "
        "communication. It is with free messages, and however long a word takes, even where six "
        "arrays share the right-hand sides of Λ⁻¹. It is not where each message takes long "
        "however short it is: step II is one recurrence after another, all of short messages."
    )
    conventions = (
        "The paper has array 2 wait for the last A before it updates a right-hand side. Only the "
        "last solution needs that A: right-hand sides go along with the elimination here.",
    )
    return Table("Two arrays: step II under step I", lead, rows, (*CONVENTIONS, *conventions))


def _overlap_row(n, messages, right_hand_sides):
    found, (word_time, startup) = plan(n, "second", messages, right_hand_sides), messages
    ends, timing = found.ends, found.timing
    note = (
        f"step I ends at {ends['I.c']:,}, step II at {max(ends['II.b'], ends['II.d']):,}; the "
        f"right-hand side is ready at {timing.arrival('X²₀'):,}, the last A comes at "
        f"{timing.arrival(f'A {rounds(n)}'):,}"
    )
    times = f"a word {word_time}, a message {startup}" if any(messages) else "free messages"
    return Row(PAPER, f"N = {n}, {right_hand_sides} for Λ⁻¹, {times}", None, found.slack, note)


def _startup_row(n):
    note = "the largest with which step II is hidden, a word taking a flop"
    return Row("Paraxis", f"N = {n}, startup of a message", None, largest_startup(n), note)


@cache
def largest_startup(n):
    """Of a message, with which step II is still hidden."""
    low, high = 0, LARGEST_STARTUP
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if plan(n, "second", (1, middle)).slack >= 0 else (low, middle)
    return low


# -- more processors -------------------------------------------------------------------------------


def processor_table():
    """Makespans by the number of arrays, with free messages."""
    rows = []
    for n in SIZES:
        for name, right_hand_sides, arrays in PLANS:
            found = plan(n, right_hand_sides=right_hand_sides, arrays=arrays)
            note = (
                f"speed-up {found.speedup:.2f} on {found.processors:,} over "
                f"{found.serial_flops:,} "
                "flops of the same algorithm on one processor"
            )
            paper = PAPER if right_hand_sides != NONE else "Paraxis"
            rows.append(Row(paper, f"N = {n}, {name}", None, found.makespan, note))
    first = next(n for n in CURVE if _without(n) < plan(n).makespan)
    lead = (
        "Flops until all accelerations are known, with free messages. Serial is block LDLᵀ along "
        "the chain, of the same pieces. Λ⁻¹ needs no right-hand side to be updated: of E only the "
        "last block is not zero, no round of the elimination brings anything to the last block, "
        "and only that one is used. So steps I.c.2 and the six arrays for it can be left out, and "
        "the result is the same to the last bit. N processors are then faster than the paper's 2N, "
        f"from {first} links on."
    )
    return Table("Two arrays: more processors", lead, rows, CONVENTIONS[:1])


def _without(n):
    """The makespan on one array that leaves the right-hand sides of Λ⁻¹ alone."""
    return plan(n, right_hand_sides=NONE, arrays=1).makespan


def fewer_table():
    """Fewer processors than links."""
    rows = []
    for n in FEWER:
        processors = 2 ** rounds(n)
        while processors:
            found = two_array_plan(n, processors=processors)
            without = two_array_plan(n, processors=processors, right_hand_sides=NONE)
            note = f"{found.makespan:,.0f} flops; {without.speedup:.2f} without right-hand sides"
            quantity = f"N = {n}, {processors} in each array"
            rows.append(Row("Paraxis", quantity, None, round(found.speedup, 2), note))
            processors //= 4
    lead = (
        "Speed-up over the same algorithm on one processor, with free messages, where a processor "
        "has several links in a row and does for each of them what the plan does. Elimination in "
        "rounds is more work than along the chain, so that too few processors are slower than one."
    )
    return Table("Two arrays: fewer processors than links", lead, rows, CONVENTIONS[:1])


def time_figure():
    """Makespans over the length of the chain: lines, as time grows with its logarithm."""
    return Figure(
        "Two arrays: time over the length of the chain",
        "Flops until all accelerations are known, with free messages.",
        "links",
        "flops",
        {
            name: [
                (n, plan(n, right_hand_sides=right_hand_sides, arrays=arrays).makespan)
                for n in CURVE
            ]
            for name, right_hand_sides, arrays in PLANS
        },
        log="x",
    )
