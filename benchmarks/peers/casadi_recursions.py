"""The textbook recursions over casadi.SX, each body in its own frame, at few operations.

Motion is the angular acceleration alpha and the acceleration of the body's origin; gravity is a
rising base. Force is the moment about that origin and the force.
"""

import casadi as ca

from .casadi_links import EYE, constant


def newton_euler(model, links, qd, qdd):
    """Torques. K = alpha^ + w^ w^ serves both a body's own force and its children's motion."""
    skew, cross = ca.skew, ca.cross
    spin, accel, K = {0: ca.SX(3, 1)}, {0: constant(-model.gravity.linear)}, {0: ca.SX(3, 3)}
    alpha, force, moment = {0: ca.SX(3, 1)}, {}, {}
    for i, link in links.items():
        p, k, e, h = link.parent, link.joint, link.axis, link.moment
        spin[i], alpha[i] = link.inward(spin[p]), link.inward(alpha[p])
        accel[i] = link.inward(accel[p] + K[p] @ link.arm)
        if link.revolute:
            alpha[i] += e * qdd[k] + cross(spin[i], e * qd[k])
            spin[i] += e * qd[k]
        else:
            accel[i] += e * qdd[k] + 2 * cross(spin[i], e * qd[k])
        K[i] = skew(alpha[i]) + skew(spin[i]) @ skew(spin[i])
        I = link.inertia
        force[i] = link.mass * accel[i] + K[i] @ h
        moment[i] = I @ alpha[i] + cross(spin[i], I @ spin[i]) + cross(h, accel[i])

    tau = [None] * model.nv
    for i, link in reversed(links.items()):
        tau[link.joint] = ca.dot(link.axis, moment[i] if link.revolute else force[i])
        if link.parent:
            f = link.outward(force[i])
            force[link.parent] += f
            moment[link.parent] += link.outward(moment[i]) + cross(link.arm, f)
    return ca.vertcat(*tau)


def composite_body(model, links):
    """The upper triangle of the mass matrix, zero where two joints are on different branches."""
    mass = {i: link.mass for i, link in links.items()}
    h = {i: link.moment for i, link in links.items()}
    I = {i: link.inertia for i, link in links.items()}
    M = ca.SX(model.nv, model.nv)
    for i, link in reversed(links.items()):
        p, r, e = link.parent, link.arm, link.axis
        if p:
            hp = link.outward(h[i])
            across = r @ hp.T + hp @ r.T
            mass[p] += mass[i]
            h[p] += hp + mass[i] * r
            I[p] += _symmetric(
                link.outward_tensor(I[i])
                + mass[i] * (ca.dot(r, r) * EYE - r @ r.T)
                + 2 * ca.dot(r, hp) * EYE
                - across
            )
        # the force that gives this joint alone a unit acceleration, felt by every joint below
        if link.revolute:
            moment, force = I[i] @ e, ca.cross(e, h[i])
        else:
            moment, force = ca.cross(h[i], e), mass[i] * e
        j, at = i, link
        while True:
            row, column = sorted((at.joint, link.joint))
            M[row, column] = ca.dot(at.axis, moment if at.revolute else force)
            j = at.parent
            if not j:
                break
            force = at.outward(force)
            moment = at.outward(moment) + ca.cross(at.arm, force)
            at = links[j]
    return M


def articulated_body(model, links, qd, tau):
    """Accelerations."""
    skew, cross = ca.skew, ca.cross
    spin, moment, force, c_alpha, c_accel = {0: ca.SX(3, 1)}, {}, {}, {}, {}
    J, H, m = {}, {}, {}  # moment = J alpha + H a, force = H' alpha + m a
    for i, link in links.items():
        e, h, rate = link.axis, link.moment, qd[link.joint]
        above = spin[link.parent]
        spin[i] = link.inward(above)
        c_accel[i] = link.inward(cross(above, cross(above, link.arm)))
        if link.revolute:
            c_alpha[i] = cross(spin[i], e * rate)
            spin[i] += e * rate
        else:
            c_alpha[i] = ca.SX(3, 1)
            c_accel[i] += 2 * cross(spin[i], e * rate)
        J[i], H[i], m[i] = link.inertia, skew(h), link.mass * EYE
        moment[i] = cross(spin[i], link.inertia @ spin[i])
        force[i] = cross(spin[i], cross(spin[i], h))

    u, d, U_moment, U_force = {}, {}, {}, {}
    for i, link in reversed(links.items()):
        p, r, e = link.parent, link.arm, link.axis
        U_moment[i], U_force[i] = (J[i] @ e, H[i].T @ e) if link.revolute else (H[i] @ e, m[i] @ e)
        d[i] = 1 / ca.dot(e, U_moment[i] if link.revolute else U_force[i])
        u[i] = tau[link.joint] - ca.dot(e, moment[i] if link.revolute else force[i])
        if not p:
            continue
        Um, Uf = U_moment[i], U_force[i]
        Ja = _symmetric(J[i] - (Um * d[i]) @ Um.T)
        Ha = H[i] - (Um * d[i]) @ Uf.T
        ma = _symmetric(m[i] - (Uf * d[i]) @ Uf.T)
        push = u[i] * d[i]
        n = moment[i] + Ja @ c_alpha[i] + Ha @ c_accel[i] + Um * push
        f = force[i] + Ha.T @ c_alpha[i] + ma @ c_accel[i] + Uf * push
        Ja, Ha, ma = (link.outward_tensor(A) for A in (Ja, Ha, ma))
        ma = _symmetric(ma)
        R = skew(r)
        Hp = Ha + R @ ma
        J[p] += _symmetric(Ja - Ha @ R + R @ Hp.T)
        H[p] += Hp
        m[p] += ma
        f = link.outward(f)
        force[p] += f
        moment[p] += link.outward(n) + cross(r, f)

    alpha, accel = {0: ca.SX(3, 1)}, {0: constant(-model.gravity.linear)}
    qdd = [None] * model.nv
    for i, link in links.items():
        p, e = link.parent, link.axis
        alpha[i] = link.inward(alpha[p]) + c_alpha[i]
        accel[i] = link.inward(accel[p] + cross(alpha[p], link.arm)) + c_accel[i]
        carried = ca.dot(U_moment[i], alpha[i]) + ca.dot(U_force[i], accel[i])
        qdd[link.joint] = (u[i] - carried) * d[i]
        if link.revolute:
            alpha[i] += e * qdd[link.joint]
        else:
            accel[i] += e * qdd[link.joint]
    return ca.vertcat(*qdd)


def _symmetric(A):
    """A with its lower triangle read from its upper one: SX does not see that they are equal."""
    return ca.triu2symm(ca.triu(A))


# --- the mass matrix as a linear system ----------------------------------------------------------


def factor(M):
    """L, 1/D with M = L' D L, L unit lower triangular: no fill-in on a tree (Featherstone)."""
    n = M.shape[0]
    A = ca.triu2symm(M)
    L, d = ca.SX.eye(n), [None] * n
    for k in reversed(range(n)):
        d[k] = 1 / A[k, k]
        row = A[k, :k]
        L[k, :k] = ca.sparsify(row * d[k])
        A[:k, :k] = _symmetric(ca.sparsify(A[:k, :k] - L[k, :k].T @ row))
    return ca.sparsify(L), ca.vertcat(*d)


def solve(factors, B):
    """M^-1 B for a vector or the columns of a matrix."""
    L, d = factors
    n = L.shape[0]
    rows = [B[i, :] for i in range(n)]
    for i in reversed(range(n)):  # L' y = b
        for j in range(i):
            if L.sparsity().has_nz(i, j):
                rows[j] -= L[i, j] * rows[i]
    rows = [row * d[i] for i, row in enumerate(rows)]
    for i in range(n):  # L x = y
        for j in range(i):
            if L.sparsity().has_nz(i, j):
                rows[i] -= L[i, j] * rows[j]
    return ca.vertcat(*rows)


def inverse(factors):
    """The upper triangle of M^-1 = W D^-1 W' with W = L^-1."""
    L, d = factors
    n = L.shape[0]
    W = [ca.SX.eye(n)[i, :] for i in range(n)]
    for i in range(n):
        for j in range(i):
            if L.sparsity().has_nz(i, j):
                W[i] -= L[i, j] * W[j]
    W = ca.sparsify(ca.vertcat(*W))
    return ca.triu((W @ ca.diag(d)) @ W.T)
