"""Dynamics as one would write them in jax.numpy: a state at a time, vmapped and jitted.

The recursions are unrolled over the links, whose numbers are constants. Products of small matrices
are written in two ways, of which XLA likes now one, now the other: as products, which may become
calls of a library, and as sums, which melt into the operations around them. A benchmark takes
whichever is faster.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Links:
    """A tree of bodies with a joint each, parents first; arrays have one row per joint."""

    parent: tuple  # -1 for the base
    turns: tuple  # or slides
    rotation: np.ndarray  # (n, 3, 3) of the joint's seat, child to parent
    position: np.ndarray  # (n, 3) in the parent
    axis: np.ndarray  # (n, 3)
    mass: np.ndarray  # (n,)
    center: np.ndarray  # (n, 3)
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass
    rotor: np.ndarray  # (n,)
    gravity: np.ndarray  # (3,) in the base


def products(a, b):
    return jnp.matmul(a, b, precision="highest")  # else in 10 bits, on some GPUs


def sums(a, b):
    if b.ndim == 1:
        return (a * b).sum(-1)
    return (a[:, :, None] * b).sum(1)


MULTIPLY = {"products": products, "sums": sums}


def skew(v):
    x, y, z = v
    zero = 0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def _seat(links, i, q):
    """(R, p): the child's axes and origin in the parent."""
    R, p, s = links.rotation[i], links.position[i], links.axis[i]
    if not links.turns[i]:
        return jnp.asarray(R, q.dtype), p + (R @ s) * q
    along, across = R @ np.outer(s, s), R @ skew(s)
    turned = jnp.cos(q) * (R - along) + jnp.sin(q) * across + along
    return turned.astype(q.dtype), jnp.asarray(p, q.dtype)


def newton_euler(links, mul, q, qd, qdd):
    """The torques of one state, by Newton and Euler's equations in the bodies' own frames."""
    n, real = len(links.parent), q.dtype
    cross = jnp.cross
    motion = {-1: (jnp.zeros(3, real), jnp.zeros(3, real), jnp.asarray(-links.gravity, real))}
    seats, force, moment = [], [], []
    for i, parent in enumerate(links.parent):
        R, p = _seat(links, i, q[i])
        w0, dw0, a0 = motion[parent]
        s, c = jnp.asarray(links.axis[i], real), jnp.asarray(links.center[i], real)
        w, dw = mul(R.T, w0), mul(R.T, dw0)
        a = mul(R.T, a0 + cross(dw0, p) + cross(w0, cross(w0, p)))
        if links.turns[i]:
            dw = dw + s * qdd[i] + cross(w, s * qd[i])
            w = w + s * qd[i]
        else:
            a = a + s * qdd[i] + 2 * cross(w, s * qd[i])
        inertia = jnp.asarray(links.inertia[i], real)
        f = (a + cross(dw, c) + cross(w, cross(w, c))) * links.mass[i].astype(real)
        force.append(f)
        moment.append(mul(inertia, dw) + cross(w, mul(inertia, w)) + cross(c, f))
        motion[i] = w, dw, a
        seats.append((R, p))
    torques = [None] * n
    for i in reversed(range(n)):
        own = moment[i] if links.turns[i] else force[i]
        torques[i] = (links.axis[i].astype(real) * own).sum() + links.rotor[i].astype(real) * qdd[i]
        parent = links.parent[i]
        if parent >= 0:
            R, p = seats[i]
            f = mul(R, force[i])
            force[parent] = force[parent] + f
            moment[parent] = moment[parent] + mul(R, moment[i]) + cross(p, f)
    return jnp.stack(torques)


def mass_matrix_solve(links, mul, q, qd, tau):
    """The accelerations of one state: the mass matrix from unit accelerations, then Cholesky."""
    n, still = len(links.parent), jnp.zeros_like(qd)
    bias = newton_euler(links, mul, q, qd, still)
    weightless = partial(newton_euler, _without_gravity(links), mul, q, still)
    M = jax.vmap(weightless)(jnp.eye(n, dtype=q.dtype))
    return jax.scipy.linalg.solve(M, tau - bias, assume_a="pos")


def _without_gravity(links):
    return Links(**{**vars(links), "gravity": np.zeros(3)})


def articulated_body(links, mul, q, qd, tau):
    """The accelerations of one state by Featherstone's articulated bodies, angular part first."""
    n, real = len(links.parent), q.dtype
    up, S, v, c, inertia, bias = [], [], [], [], [], []
    for i, parent in enumerate(links.parent):
        R, p = _seat(links, i, q[i])
        px = _skew(p)
        zero = jnp.zeros((3, 3), real)
        X = jnp.block([[R.T, zero], [-mul(R.T, px), R.T]])  # parent to child
        axis, none = jnp.asarray(links.axis[i], real), jnp.zeros(3, real)
        s = jnp.concatenate((axis, none) if links.turns[i] else (none, axis))
        joint = s * qd[i]
        speed = joint if parent < 0 else mul(X, v[parent]) + joint
        body = jnp.asarray(_spatial_inertia(links, i), real)
        up.append(X), S.append(s), v.append(speed), inertia.append(body)
        c.append(_motion_cross(speed, joint))
        bias.append(_force_cross(speed, mul(body, speed)))
    U, d, u = [None] * n, [None] * n, [None] * n
    for i in reversed(range(n)):
        U[i] = mul(inertia[i], S[i])
        d[i] = (S[i] * U[i]).sum() + links.rotor[i].astype(real)
        u[i] = tau[i] - (S[i] * bias[i]).sum()
        parent = links.parent[i]
        if parent >= 0:
            left = inertia[i] - U[i][:, None] * (U[i] / d[i])
            pushed = bias[i] + mul(left, c[i]) + U[i] * (u[i] / d[i])
            inertia[parent] = inertia[parent] + mul(up[i].T, mul(left, up[i]))
            bias[parent] = bias[parent] + mul(up[i].T, pushed)
    rising = jnp.concatenate((jnp.zeros(3, real), jnp.asarray(-links.gravity, real)))
    a, qdd = {-1: rising}, []
    for i, parent in enumerate(links.parent):
        carried = mul(up[i], a[parent]) + c[i]
        qdd.append((u[i] - (U[i] * carried).sum()) / d[i])
        a[i] = carried + S[i] * qdd[i]
    return jnp.stack(qdd)


def _spatial_inertia(links, i):
    m, c = links.mass[i], skew(links.center[i])
    return np.block([[links.inertia[i] + m * c @ c.T, m * c], [m * c.T, m * np.eye(3)]])


def _skew(v):
    x, y, z = v
    zero = jnp.zeros_like(x)
    return jnp.stack([jnp.stack(r) for r in ((zero, -z, y), (z, zero, -x), (-y, x, zero))])


def _motion_cross(a, b):
    (w, v), (w1, v1) = jnp.split(a, 2), jnp.split(b, 2)
    return jnp.concatenate((jnp.cross(w, w1), jnp.cross(w, v1) + jnp.cross(v, w1)))


def _force_cross(a, b):
    (w, v), (n, f) = jnp.split(a, 2), jnp.split(b, 2)
    return jnp.concatenate((jnp.cross(w, n) + jnp.cross(v, f), jnp.cross(w, f)))


# function -> (name, recursion, ways to multiply); those left out are slower everywhere
RECURSIONS = {
    "inverse_dynamics": [("Newton-Euler", newton_euler, MULTIPLY)],
    "forward_dynamics": [
        ("articulated bodies", articulated_body, MULTIPLY),
        ("mass matrix, solved", mass_matrix_solve, ("products",)),
    ],
}


def jax_ways(links, function):
    """name -> the function of a batch of states, jitted."""
    return {
        f"{name}, {kind}": jax.jit(jax.vmap(partial(recursion, links, MULTIPLY[kind])))
        for name, recursion, kinds in RECURSIONS[function]
        for kind in kinds
    }
