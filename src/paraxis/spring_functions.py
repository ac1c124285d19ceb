"""Functions of a robot with springs, from those of the same robot without them.

Recursions know nothing of springs. With the torques s(q) that hold the springs, a motion takes
τ + s instead of τ, and torques τ have the effect of τ - s.
"""

from .graph.splice import splice
from .graph.trace import trace
from .physics.linear.dense import dot
from .physics.parts.ties import Ties
from .physics.springs import spring_energy, spring_torques
from .robots.rows import rows_of

SPRUNG = (  # the functions that springs change
    *("inverse_dynamics", "bias_forces", "forward_dynamics", "potential_energy"),
    *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
)


def torques_of_springs(robot, q):
    """s(q), a torque per degree of freedom."""
    rows = rows_of(robot)
    if not rows.followers:
        return spring_torques(rows, q)
    ties = Ties(rows, q)
    return ties.torques(spring_torques(rows, ties.q))


def less_springs(robot, q, tau):
    """What is left of torques that also hold the springs."""
    if not robot.described.has_springs:
        return tau
    springs = torques_of_springs(robot.described, q)
    return [torque - spring for torque, spring in zip(tau, springs, strict=True)]


def spring_graph(robot):
    """The graph of s(q)."""
    shapes = {"q": (robot.nq,)}
    return trace(lambda q: {"s": torques_of_springs(robot, q)}, shapes, "spring_torques")


def sprung_graph(robot, function, ideal, stiffness):
    """The graph of a function from that without springs, and for derivatives the one of ∂s/∂q."""

    def run(**arrays):
        q = arrays["q"]
        if "tau" in arrays:
            arrays["tau"] = less_springs(robot, q, arrays["tau"])
        first, *others = splice(ideal, arrays.values())
        if function in ("inverse_dynamics", "bias_forces"):
            first = _sum(first, torques_of_springs(robot, q))
        elif function == "potential_energy":
            first = first + _energy(robot, q)
        elif function == "inverse_dynamics_derivatives":
            (K,) = splice(stiffness, [q])
            first = [_sum(*rows) for rows in zip(first, K, strict=True)]
        elif function == "forward_dynamics_derivatives":
            (K,) = splice(stiffness, [q])
            _, by_tau = others
            columns = [*zip(*K, strict=True)]
            by_springs = [[-dot(row, column) for column in columns] for row in by_tau]
            first = [_sum(*rows) for rows in zip(first, by_springs, strict=True)]
        return dict(zip(ideal.outputs, [first, *others], strict=True))

    return trace(run, ideal.inputs, function)


def _energy(robot, q):
    rows = rows_of(robot)
    return spring_energy(rows, Ties(rows, q).q if rows.followers else q)


def _sum(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]
