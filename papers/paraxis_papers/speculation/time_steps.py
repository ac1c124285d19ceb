"""How long the loop is under each policy: in the paper's time steps, and in flops."""

from dataclasses import replace
from functools import cache

from paraxis.control import Cut, policies, policy, speculate
from paraxis.robots import chain

from ..document import Row, Table
from ..printed import printed
from .arms import BINDER_HERZOG, EXACT, FIGURE_3, PAPER, PLANAR, PUMA, TABLE_1, arm

SIZES = {PLANAR: "3 links", PUMA: "6 links"}
PRINTED_AS = {
    EXACT: "serial",
    BINDER_HERZOG: "binder_herzog",
    "yamakita_buffered": "yamakita",
    TABLE_1: "hamilton",
    FIGURE_3: "hamilton",
}


@cache
def program(name, which, gravity_old=False):
    """The torques of an arm under a policy, as a Program."""
    return _speculation(arm(name), which, gravity_old)


def _speculation(robot, which, gravity_old):
    chosen = policy(which)
    if gravity_old:
        chosen = replace(chosen, cuts=(*chosen.cuts, Cut("gravity")))
    return speculate(robot, chosen)


@cache
def depth(name, which, gravity_old=False):
    """Flops on the longest path."""
    return program(name, which, gravity_old).depth().flops


@cache
def chain_depth(links, which, gravity_old=False):
    """The same of a chain in space, of any length."""
    return _speculation(chain(links), which, gravity_old).depth().flops


def carried(found):
    """How many numbers a step passes to the next: those outputs that are not always zero."""
    outputs = found.graph.outputs
    return sum(node.op != "const" for name in found.carry.values() for node in outputs[name][1])


def told(name, which):
    """The time steps that the paper prints; it does so for three links."""
    steps = printed("hamilton")["time_steps_3_links"]
    return steps.get(PRINTED_AS.get(which)) if name == PLANAR else None


def time_step_table():
    rows = []
    for name, links in SIZES.items():
        for which in policies():
            found = program(name, which)
            note = (
                f"{depth(name, which)} flops deep, {depth(name, which, gravity_old=True)} with "
                f"gravity stale too; {found.count().flops} flops; {carried(found)} values carried"
            )
            steps = told(name, which)
            rows.append(Row(PAPER, f"{links}, {which}", steps, found.time_steps, note))
    lead = (
        "Time steps are the paper's measure: blocks, a forward and a backward one per link, one "
        f"after another. `{TABLE_1}` is Table 1 as printed: two variables that its backward block "
        "reads are not boxed, so that it waits for the forward block, and the loop has two steps. "
        f"Figure 3's one step needs these two stale as well: `{FIGURE_3}`."
    )
    conventions = (
        "Three links: a planar arm of equal rods in a vertical plane; six: the PUMA 560. Sines are "
        "free, and zeros of the arm are not computed with.",
        "As printed, gravity is found from the joint positions of all links before and is not "
        "stale: the chain of rotations that is left. Cut as well, it leaves the second depth.",
        f"The depth of `{EXACT}` and `pipelined` is that of a whole set of torques.",
    )
    return Table("Time steps of a loop", lead, rows, conventions)
