"""The functions of a robot as casadi.Function: the ways a user might write each.

A function has inputs and outputs like Paraxis's: rows of matrices side by side.
"""

import casadi as ca

from .casadi_links import links
from .casadi_recursions import (
    articulated_body,
    composite_body,
    factor,
    inverse,
    newton_euler,
    solve,
)

MODES = {"forward": 0.0, "reverse": 1.0}  # of differentiation -> CasADi's weight for it


def _inverse_dynamics(model, fold, q, qd, qdd):
    yield "Newton-Euler", [newton_euler(model, links(model, q, fold), qd, qdd)]


def _mass_matrix(model, fold, q):
    yield "composite bodies", [ca.triu2symm(composite_body(model, links(model, q, fold)))]


def _mass_matrix_inverse(model, fold, q):
    factors = factor(composite_body(model, links(model, q, fold)))
    yield "L'DL of composite bodies", [ca.triu2symm(inverse(factors))]
    yield "L'DL of composite bodies, solved", [solve(factors, ca.SX.eye(model.nv))]


def _accelerations(model, bodies, qd, tau):
    factors = factor(composite_body(model, bodies))
    bias = newton_euler(model, bodies, qd, ca.SX(model.nv, 1))
    return factors, solve(factors, tau - bias)


def _forward_dynamics(model, fold, q, qd, tau):
    bodies = links(model, q, fold)
    yield "articulated bodies", [articulated_body(model, bodies, qd, tau)]
    yield "composite bodies", [_accelerations(model, bodies, qd, tau)[1]]


def _slopes(y, *inputs, mode):
    """The Jacobians of y by each input."""
    options = {"helper_options": {"ad_weight": MODES[mode], "ad_weight_sp": MODES[mode]}}
    return ca.horzsplit(ca.jacobian(ca.cse(y), ca.vertcat(*inputs), options), y.shape[0])


def _inverse_dynamics_derivatives(model, fold, q, qd, qdd):
    torques = newton_euler(model, links(model, q, fold), qd, qdd)
    for mode in MODES:
        slopes = _slopes(torques, q, qd, mode=mode)
        yield f"Newton-Euler, {mode} mode", [slope.T for slope in slopes]


def _forward_dynamics_derivatives(model, fold, q, qd, tau):
    """Those of inverse dynamics at the accelerations, through the mass matrix; to differentiate
    articulated bodies takes three times the operations."""
    bodies = links(model, q, fold)
    factors, accelerations = _accelerations(model, bodies, qd, tau)
    M_inverse = ca.triu2symm(inverse(factors))
    qdd = ca.SX.sym("qdd", model.nv)
    torques = newton_euler(model, bodies, qd, qdd)
    for mode in MODES:
        slopes = _slopes(torques, q, qd, mode=mode)
        slopes = ca.substitute(slopes, [qdd], [accelerations])
        solved = [-solve(factors, slope).T for slope in slopes]
        yield f"-M^-1 times Newton-Euler, {mode} mode, solved", [*solved, M_inverse]
        multiplied = [-(M_inverse @ slope).T for slope in slopes]
        yield f"-M^-1 times Newton-Euler, {mode} mode", [*multiplied, M_inverse]


WAYS = {
    "inverse_dynamics": (("q", "qd", "qdd"), _inverse_dynamics),
    "forward_dynamics": (("q", "qd", "tau"), _forward_dynamics),
    "mass_matrix": (("q",), _mass_matrix),
    "mass_matrix_inverse": (("q",), _mass_matrix_inverse),
    "inverse_dynamics_derivatives": (("q", "qd", "qdd"), _inverse_dynamics_derivatives),
    "forward_dynamics_derivatives": (("q", "qd", "tau"), _forward_dynamics_derivatives),
}


def ways(model, function):
    """(name, casadi.Function) for every way to write a function."""
    names, write = WAYS[function]
    for fold in (False, True):
        inputs = [ca.SX.sym(name, model.nv) for name in names]
        for way, outputs in write(model, fold, *inputs):
            outputs = ca.cse([ca.densify(output) for output in outputs])
            yield way, ca.Function("state", inputs, outputs)


def operations(function: ca.Function) -> int:
    """Arithmetic operations of an SX function; sin, cos and sign changes count one each."""
    free = {ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT}
    ids = (function.instruction_id(k) for k in range(function.n_instructions()))
    return sum(op not in free for op in ids)
