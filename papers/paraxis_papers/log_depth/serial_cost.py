"""How much more constraint forces cost than articulated bodies on one processor, for large N."""

from functools import cache, partial

from paraxis import program
from paraxis.graph.trace import trace
from paraxis.passes.count import count
from paraxis.physics import ALGORITHMS
from paraxis.physics.constraint_force import HeldLinks
from paraxis.physics.linear.block_tridiagonal import BlockTridiagonal
from paraxis.robots.model import Model

from ..document import Row, Table
from ..printed import printed
from .chains import EQUAL, GENERAL, ROTORS, flops, robot_of
from .forward_costs import BEST, CONSTRAINT

PAPER = "Fijany 1994"
LENGTHS = (6, 12)  # flops are on a line from here on
NUMBERS = ("mass", "com", "inertia", "origin")  # that are inputs of a robot nobody knows yet


def a_link(flops_of):
    """What a link more costs, given the flops of n links."""
    short, long = LENGTHS
    return (flops_of(long) - flops_of(short)) / (long - short)


def known(kind):
    """Flops per link of both algorithms: of a chain whose numbers are known."""
    return _both(partial(flops, kind))


def given():
    """The same where all numbers come with the state."""

    def found(n, algorithm):
        robot = robot_of(GENERAL, n)
        return program(robot, "forward_dynamics", algorithm, NUMBERS).count().flops

    return _both(found)


def bias_first(kind):
    """As the paper has it; see `accelerations`."""

    def found(n):
        run = accelerations(Model(robot_of(kind, n)))
        return count(trace(run, dict.fromkeys(("q", "qd", "tau"), (n,)))).flops

    _, best = known(kind)
    return a_link(found), best


def accelerations(model):
    """Forward dynamics by Newton and Euler's torques of bias, which are subtracted before M⁻¹."""

    def run(q, qd, tau):
        bias = ALGORITHMS["inverse_dynamics"]["newton_euler"](model, q, qd, [0.0] * model.n)
        left = [torque - b for torque, b in zip(tau, bias, strict=True)]
        return HeldLinks(model, q, CONSTRAINT, BlockTridiagonal).answer(left).qdd

    return run


def _both(flops_of):
    """Flops per link of the two algorithms, given those of n links by an algorithm."""

    def of(algorithm):
        return a_link(lambda n: flops_of(n, algorithm))

    return of(CONSTRAINT), of(BEST)


@cache
def costs():
    """What is compared -> flops per link of constraint forces, and of articulated bodies."""
    return {
        **{kind: known(kind) for kind in (EQUAL, GENERAL, ROTORS)},
        "general links, numbers given with the state": given(),
        **{f"{kind}, bias torques first": bias_first(kind) for kind in (EQUAL, GENERAL, ROTORS)},
    }


def ratios():
    return {name: held / best for name, (held, best) in costs().items()}


def serial_cost_table():
    told, found = printed("fijany")["serial_cost"], ratios()
    least, most = min(found.values()), max(found.values())
    rows = [
        Row(PAPER, name, told, round(found[name], 2), f"{held:,.0f} flops per link for {best:,.0f}")
        for name, (held, best) in costs().items()
    ]
    lead = (
        f"Flops per link on one processor. The paper quotes {told} from a count that it does not "
        f"show. Nothing here comes to that: {least:.2f} to {most:.2f}, "
        "by what is known of the links. Both algorithms are traced, so that what is symmetric is "
        "computed once and what is zero not at all. A small part of the difference is that the "
        "paper takes torques of bias from those given, which Newton and Euler's recursion sums up "
        "along the chain; here each link keeps its own bias, and no second recursion is needed."
    )
    return Table(f"{CONSTRAINT} over {BEST}, for large N", lead, rows)
