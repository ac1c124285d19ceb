"""Newton-Euler with separate variables for every link, as they are sent and read.

The equations of Hamilton, Walker and Bennett (1996, appendix), after Spong and Vidyasagar: moments
about the centres of mass, with gravity separate from accelerations. ω̇ and α are the same vector,
computed in two ways, as printed: one enters accelerations, the other moments. a_c starts from a_e
of the previous link, where a_c is misprinted. Points of a link are measured from its joint's seat,
which is fixed in the parent, so that a sliding link has the same equations.
Symbols: docs/concepts/notation.md.
"""

from ..robots.joint import WORLD
from ..scalar import mark
from ..spatial import ZERO3, cross

FORWARD = ("omega", "omega_dot", "alpha", "end_acceleration", "com_acceleration")
BACKWARD = ("force", "moment")
VARIABLES = (*FORWARD, "gravity", *BACKWARD)


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that make the robot move as (q, qd, qdd).

    The end acceleration of row i is that of the seat of joint i, on the previous link.
    """
    X, children = {}, {i: [] for i, _ in robot.outward}
    ω, ωd, α = ({WORLD: vector} for vector in _base_turning(robot))
    a_e, a_c, g, f, n = {}, {}, {WORLD: robot.gravity}, {}, {}
    for i, p in robot.outward:  # parents first
        X[i] = robot.transform(i, q)
        if p == WORLD:
            a_e[i] = _end_acceleration(robot, i, WORLD, _base_push(robot), ZERO3, ω, ωd)
        else:
            children[p].append(i)
    for i, p in robot.outward:
        back, z, s = X[i].turn.T, robot.axis[i], robot.inertia[i].com
        spin, slide = (z, ZERO3) if robot.is_revolute[i] else (ZERO3, z)
        out = robot.travel(i, q)  # from the seat to the link's origin
        ω[i] = mark("omega", i, back @ ω[p] + spin * qd[i])
        turned = back @ ω[p]
        ωd[i] = mark("omega_dot", i, back @ ωd[p] + cross(turned, spin * qd[i]) + spin * qdd[i])
        α[i] = mark("alpha", i, back @ α[p] + cross(ω[i], spin * qd[i]) + spin * qdd[i])
        sliding = slide * qdd[i] + cross(ω[i], slide * (qd[i] + qd[i]))
        seat = back @ a_e[i] + sliding
        for c in children[i]:
            a_e[c] = _end_acceleration(robot, c, i, seat, out, ω, ωd)
        r = s + out
        a_c[i] = seat + cross(ωd[i], r) + cross(ω[i], cross(ω[i], r))
        a_c[i] = mark("com_acceleration", i, a_c[i])
        g[i] = mark("gravity", i, back @ g[p])
    for i, _ in robot.inward:  # children first
        m, s, I = robot.inertia[i].mass, robot.inertia[i].com, robot.inertia[i].about_com
        pull = robot.external_force[i]
        f[i] = (a_c[i] - g[i]) * m - pull.linear
        for c in children[i]:
            f[i] = f[i] + X[c].turn @ f[c]
        f[i] = mark("force", i, f[i])
        n[i] = I @ α[i] + cross(ω[i], I @ ω[i]) + cross(s, f[i])
        n[i] = n[i] - pull.angular + cross(s, pull.linear)  # given about the origin
        for c in children[i]:
            n[i] = n[i] + X[c].turn @ n[c] + cross(X[c].origin - s, X[c].turn @ f[c])
        n[i] = mark("moment", i, n[i])
    drive = [n[i] if robot.is_revolute[i] else f[i] for i, _ in robot.outward]
    own = zip(drive, robot.axis, robot.rotor_inertia, qdd, strict=True)
    return [axis @ load + rotor * rate for load, axis, rotor, rate in own]


def _end_acceleration(robot, joint, link, seat, out, ω, ωd):
    """The acceleration of the seat of a joint, on the link that carries it."""
    r = robot.origin[joint] + out
    end = seat + cross(ωd[link], r) + cross(ω[link], cross(ω[link], r))
    return end if link == WORLD else mark("end_acceleration", joint, end)


def _base_turning(robot):
    """The angular velocity and, twice, the angular acceleration of the base."""
    turning = robot.base_acceleration.angular
    return robot.base_velocity.angular, turning, turning


def _base_push(robot):
    """The linear acceleration of the base itself, without that which represents gravity."""
    return robot.base_acceleration.linear + robot.gravity
