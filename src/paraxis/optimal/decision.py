"""The decision about a problem in a round of its search, over traced scalars.

A step of some length along a control law has made a candidate, which is judged. Is it accepted?
Which step comes next, how much is the next law damped, or is the search over?
"""

from typing import NamedTuple

from ..graph.trace import trace
from ..scalar import equal, maximum, minimum, select, sqrt
from .quadratic import dot
from .status import RUNNING, Status

# The state of a search. merit: the cost, and what constraints add to it. length: of the step that
# makes the candidate; 0: no step. first_cost: its size; -1 before there is one. weight: of gaps, in
# the merit of a trajectory. within: the tolerance, which is loose before multipliers are known.
# exact: whether the dynamics bend the cost (DDP).
STATE = (
    ("status", "merit", "added", "length", "damping", "iterations", "first_cost", "weight")
    + ("within", "exact", "violation", "penalty")
)  # fmt: skip
# stays: the candidate is not accepted. bent: it is, and there is no best control law around it.
# pulled: multipliers change.
MARKS = ("stays", "bent", "pulled")

ARMIJO = 1e-4  # the share of the predicted gain that a step must bring
SHORTEST = 2.0**-4  # a step; if it brings nothing at that length, the law is damped
SHORTEST_KINKED = 2.0**-10  # with constraints: where one begins to act, the cost has a kink
FADING = 0.9  # of the weight of gaps per full step tried: what mattered far away is forgotten
FIRST_DAMPING, MOST_DAMPING = 1e-3, 1e10
LEAST_PROGRESS = 0.25  # by which violations must fall for the penalty to stay
MORE_PENALTY, MOST_PENALTY = 10.0, 1e14
NARROW = 1e-3  # gaps at an optimum, in units of states and of the root of the tolerance


class Kind(NamedTuple):
    """What a decision depends on. directions: of states where trajectories have gaps, or 0."""

    exact: bool
    constrained: bool
    directions: int


def kind_of(problem):
    constrained = bool(problem.stage.constraints or problem.terminal.constraints)
    return Kind(problem.exact, constrained, 0 if problem.feasible else problem.system.ndx)


def inputs_of(kind):
    """name -> shape, of nothing that is not needed: it would spoil a decision if it is not finite.

    Tallies with a prime are those of the candidate, others of what is accepted. dx, costates: at
    the end of a whole step of the linearised dynamics, until where the cost has risen by `slope`.
    largest: of the entries of the candidate's states. added, violation: by its constraints.
    """
    names = ["noise", "decrement", "total'", "decrement'", "least'"]
    if kind.directions:
        names += ["tolerance", "gaps", "bridged", "gaps'", "widest'", "slope", "largest"]
    if kind.constrained:
        names += ["tolerance", "constraint_tolerance", "added", "violation"]
    shapes = {"state": (len(STATE),)} | dict.fromkeys(names, ())
    return shapes | dict.fromkeys(("dx", "costates") if kind.directions else (), (kind.directions,))


def decision_graph(kind):
    """The state -> the next one, marks, and what passes read of the state, as further outputs."""

    def run(state, **given):
        state, marks = decided(kind, dict(zip(STATE, state, strict=True)), given)
        results = {"state'": [state[name] for name in STATE]}
        results["marks"] = [select(mark, 1.0, 0.0) for mark in marks]
        return results | {name: state[name] for name in ("length", "damping", "penalty")}

    return trace(run, inputs_of(kind), "decision")


def decided(kind, state, given):
    """The next state by name, and marks in their order."""
    s = dict(state)
    running, stepping = equal(s["status"], float(RUNNING)), s["length"] > 0.0
    if kind.directions:
        s["weight"] = _weight(s, given)
    good = _is_good(kind, s, stepping, given)
    accepted, refused = good & running, ~good & running
    moved = accepted & stepping

    # refused: a shorter step, or another law
    s["status"] = select(refused & ~stepping, float(Status.FAILED), s["status"])
    shorter = refused & stepping
    s["length"] = select(shorter, 0.5 * s["length"], s["length"])
    shortest = SHORTEST_KINKED if kind.constrained else SHORTEST
    spent = shorter & (s["length"] < shortest)

    # accepted: what it costs, and a longer step, less damped; or another law, if there is none
    s["merit"] = select(accepted, given["total'"], s["merit"])
    if kind.constrained:
        s["added"] = select(accepted, given["added"], s["added"])
    cost = s["merit"] - s["added"]
    s["first_cost"] = select(accepted & ~(s["first_cost"] >= 0.0), abs(cost), s["first_cost"])
    s["iterations"] = s["iterations"] + select(moved, 1.0, 0.0)
    sound = (given["least'"] > 0.0) & is_finite(given["decrement'"])
    fine, bent = accepted & sound, accepted & ~sound
    longer = select(stepping, minimum(1.0, 4.0 * s["length"]), 1.0)
    s["length"] = select(fine, longer, s["length"])
    lower = select(s["damping"] > FIRST_DAMPING, 0.1 * s["damping"], 0.0)
    s["damping"] = select(moved & sound, lower, s["damping"])
    _damp(s, spent | bent, kind.exact)
    if kind.exact:
        s["exact"] = select(moved & sound, 1.0, s["exact"])

    # where the cost is flat nothing is left to do, unless it is for the damping
    flat = fine & (given["decrement'"] <= s["within"] * (abs(cost) + 1e-6 * s["first_cost"]))
    if kind.directions:
        narrow = sqrt(given["tolerance"]) * NARROW * (1.0 + given["largest"])
        flat = flat & (given["widest'"] <= narrow)
    damped = flat & (s["damping"] > FIRST_DAMPING)
    s["length"] = select(damped, 0.0, s["length"])
    s["damping"] = select(damped, lower, s["damping"])
    flat = flat & ~damped
    if not kind.constrained:
        s["status"] = select(flat, float(Status.SOLVED), s["status"])
        return s, (~accepted, bent)
    return s, (~accepted, bent, _pull(s, flat, given))


def _is_good(kind, s, stepping, given):
    """Whether the candidate is better than what it comes from, or need not be."""
    finite, gain = is_finite(given["total'"]), s["merit"] - given["total'"]
    if kind.directions:
        finite = finite & is_finite(given["gaps'"])
        rise = given["slope"] + dot(given["costates"], given["dx"])
        needed = -ARMIJO * s["length"] * (rise - s["weight"] * given["gaps"])
        gain = gain + s["weight"] * (given["gaps"] - given["gaps'"])
    else:
        needed = ARMIJO * s["length"] * given["decrement"]
    return finite & (~stepping | (gain >= needed - given["noise"] * abs(s["merit"])))


def _weight(s, given):
    """The weight of gaps by which the step improves the merit of a trajectory: where the model has
    the cost rise, for gaps to close, twice as much as that (Nocedal and Wright, 18.36)."""
    gaps, rise = given["gaps"], given["bridged"] - given["decrement"]
    matters = (gaps > 0.0) & (rise > given["noise"] * abs(s["merit"]))
    enough = select(matters, 2.0 * rise / select(matters, gaps, 1.0), 0.0)
    faded = select(equal(s["length"], 1.0), FADING * s["weight"], s["weight"])
    return maximum(faded, enough)


def _damp(s, problems, exact):
    """Another law from where they are: without second derivatives of the dynamics, or, where there
    are none, with more damping."""
    s["length"] = select(problems, 0.0, s["length"])
    if exact:
        bending = s["exact"] > 0.0
        s["exact"] = select(problems, 0.0, s["exact"])
        problems = problems & ~bending
    s["damping"] = select(problems, maximum(10.0 * s["damping"], FIRST_DAMPING), s["damping"])
    stalled = problems & (s["damping"] > MOST_DAMPING)
    s["status"] = select(stalled, float(Status.STALLED), s["status"])


def _pull(s, flat, given):
    """At an optimum under the multipliers so far: solved, or which multipliers change."""
    violation = given["violation"]
    kept = violation <= given["constraint_tolerance"]
    tight = s["within"] <= given["tolerance"]
    s["status"] = select(flat & kept & tight, float(Status.SOLVED), s["status"])
    pulled = flat & ~(kept & tight)
    s["within"] = select(pulled, maximum(0.1 * s["within"], given["tolerance"]), s["within"])
    slow = pulled & ~kept & (violation > LEAST_PROGRESS * s["violation"])
    s["penalty"] = select(slow, MORE_PENALTY * s["penalty"], s["penalty"])
    s["violation"] = select(pulled, violation, s["violation"])
    over = pulled & (s["penalty"] > MOST_PENALTY)
    s["status"] = select(over, float(Status.INFEASIBLE), s["status"])
    s["length"] = select(pulled, 0.0, s["length"])  # the cost is another one now
    return pulled


def is_finite(x):
    return abs(x) < 2.0 * abs(x) + 1.0


def bending_graph(directions):
    """Costates, or 0 where the dynamics shall not bend the cost."""

    def run(exact, costates):
        return {"bending": [select(exact > 0.0, each, 0.0) for each in costates]}

    return trace(run, {"exact": (), "costates": (directions,)}, "bending")
