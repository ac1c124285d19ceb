"""Functions of a robot with coupled joints, from those of the tree of all its rows.

The positions of all rows are functions of those of the joints that follow none; their velocities
are G q̇, their accelerations G q̈ + Ġ q̇. What is said of rows becomes what is said of joints by
products with G: torques Gᵀ τ, the mass matrix Gᵀ M G, Jacobians J G. Where G is constant, so do
derivatives of torques: Gᵀ ∂τ G.
"""

from .graph.splice import splice
from .graph.trace import trace
from .physics.forward_derivatives import forward_dynamics_derivatives
from .physics.linear.dense import dot, transposed
from .physics.linear.factor import dense_factor, solve
from .physics.linear.inverse import inverse
from .physics.parts.ties import Ties


def coupled_graph(rows, function, whole, coupled, shapes):
    """The graph of a function. `whole(name)` is a graph of the rows, `coupled(name)` one of the
    joints, and `shapes` those of the inputs."""
    in_masses = function in OF_MASSES
    run = _of_masses(function, coupled) if in_masses else _of_rows(rows, function, whole)
    return trace(run, shapes, function)


def follow_linearly(rows):
    """Whether all that follow do so linearly, so that G is constant."""
    terms = [polynomial for each in rows.followers.values() for _, polynomial in each]
    return all(not any(polynomial[2:]) for polynomial in terms)


def _of_rows(rows, function, whole):
    """What follows from the same function of the rows."""
    # with bias forces joints keep their velocities, but those that follow them do not
    graph = whole("inverse_dynamics" if function == "bias_forces" else function)
    further = {"bias_acceleration": "jacobian", "centroidal_bias": "centroidal_momentum_matrix"}
    further |= {"coriolis_matrix": "mass_matrix"}
    other = whole(further[function]) if function in further else None

    def run(**arrays):
        q, qd = arrays["q"], arrays.get("qd")
        ties = Ties(rows, q)
        arrays["q"] = ties.q
        if qd is not None:
            arrays["qd"] = ties.rates(qd)
            still = [0.0] * ties.nv
            arrays["qdd"] = ties.accelerations(qd, arrays.get("qdd", still))
        named = dict(zip(graph.outputs, _spliced(graph, arrays), strict=True))
        if function == "bias_forces":
            return {"h": ties.torques(named["tau"])}
        (matrix,) = (None,) if other is None else _spliced(other, arrays)
        return {name: _of_joints(ties, name, each, qd, matrix) for name, each in named.items()}

    return run


def _of_joints(ties, name, value, qd, matrix):
    """A result of rows as one of joints; `matrix` is what bends have to be multiplied with."""
    if name in ("tau", "g"):
        return ties.torques(value)
    if name in ("J", "A"):
        return ties.columns(value)
    if name == "Y":
        return transposed(map(ties.torques, transposed(value)))
    if name in ("dtau_dq", "dtau_dqd"):
        return ties.both(value)
    if name in ("M", "C"):
        total = ties.both(value)
        if name == "M":
            return total
        each = zip(total, ties.bends(qd, matrix), strict=True)
        return [[a + b for a, b in zip(*both, strict=True)] for both in each]
    if matrix is not None:
        coasting = ties.coasting(qd)
        return [x + dot(row, coasting) for x, row in zip(value, matrix, strict=True)]
    return value


def _spliced(graph, arrays):
    return splice(graph, [arrays[name] for name in graph.inputs])


# -- with the inverse of the mass matrix -------------------------------------------------------

OF_MASSES = (
    "forward_dynamics",
    "mass_matrix_inverse",
    "operational_space_inertia",
    "operational_space_inertia_inverse",
    "forward_dynamics_derivatives",
)


def _of_masses(function, coupled):
    masses = coupled("mass_matrix")
    other = {"forward_dynamics": "bias_forces", "mass_matrix_inverse": "mass_matrix"}
    other["forward_dynamics_derivatives"] = "bias_forces"
    other = coupled(other.get(function, "jacobian"))
    slopes = None
    if function == "forward_dynamics_derivatives":
        slopes = coupled("inverse_dynamics_derivatives")

    def run(**arrays):
        (M,) = _spliced(masses, arrays)
        factors = dense_factor(M)
        if function == "mass_matrix_inverse":
            return {"M_inverse": inverse(factors)}
        (found,) = _spliced(other, arrays)
        if slopes is not None:
            results = forward_dynamics_derivatives(
                factors, arrays["tau"], found, lambda qdd: _spliced(slopes, arrays | {"qdd": qdd})
            )
            return dict(zip(("dqdd_dq", "dqdd_dqd", "dqdd_dtau"), results, strict=True))
        if function == "forward_dynamics":
            net = [torque - bias for torque, bias in zip(arrays["tau"], found, strict=True)]
            return {"qdd": solve(factors, net)}
        moved = [solve(factors, row) for row in found]
        mobility = [[dot(row, each) for each in moved] for row in found]
        if function == "operational_space_inertia_inverse":
            return {"inertia_inverse": mobility}
        return {"inertia": inverse(dense_factor(mobility))}

    return run
