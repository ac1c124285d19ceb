"""The contribution of joints of several degrees of freedom to the Coriolis matrix.

Half the slope of the bias forces with respect to the velocities is a Coriolis matrix, with
Christoffel symbols, if velocities are rates of coordinates. Velocities along the axes of a body are
not: they also rotate each other, which gives p·[e, v] along a direction e of the joint with the
momentum p = M v. This force does no work, but its half slope is not skew-symmetric, as the part of
C that does no work must be for Ṁ − 2 C to be skew-symmetric. The difference is computed here.
"""

from ..spatial import ZERO, cross_motion


def gyroscopic_matrix(robot, qd, M):
    """Return the matrix to add to half the slope, by rows. M is the mass matrix."""
    n = robot.nv
    G, M = [[0.0] * n for _ in range(n)], [list(row) for row in M]
    for k in (k for rows in robot.turning_rows for k in rows):
        M[k][k] = M[k][k] - robot.rotor_inertia[k]  # which is not affected by rotating axes
    for rows in robot.turning_rows:
        S, v = {k: robot.subspace[k] for k in rows}, ZERO
        for k in rows:
            v = v + S[k] * qd[k]
        p = {k: sum((M[k][j] * qd[j] for j in range(n)), 0.0) for k in rows}
        for i in rows:
            turned = cross_motion(S[i], v)
            for j in range(n):
                taken = sum(((S[k] @ turned) * M[k][j] for k in rows), 0.0)
                G[i][j] = -0.5 * taken
            for j in rows:
                other = cross_motion(S[i], S[j])
                G[i][j] = G[i][j] + 0.5 * sum((p[k] * (S[k] @ other) for k in rows), 0.0)
    return G
