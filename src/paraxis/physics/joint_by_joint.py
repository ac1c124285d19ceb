"""Dynamics with a processor for each joint, in base coordinates (Lathrop; Lee and Chang).

All vectors are along the axes of the base and about one point, so nothing is transformed from link
to link: poses follow by a product, motions and forces by a sum (Lee and Chang, 1988, equations 15
to 31). The point is the present position of the first joint that turns: about the origin of the
base, a robot on a rail would lose digits with the square of the distance travelled. The local
equations of every joint are evaluated for all joints at once, by one processor each (Lathrop,
1985). A machine executes this (joint_functions/machine.py):

    each(items, rule, ...)      a rule for all items at once: bodies, joints, pairs of joints, ...
    poses(rule)                 level by level from the base, a joint after the one that carries it
    outward(field, result)      sums over all joints that carry a body, from the value of the base
    inward(field)               sums over all that a body carries, itself included

A rule is a function of scalars. Its arguments and results are fields of numbers: `pose`, `v` and
`a` of a body, `S` of a joint, `v_up` and `v_p` of the body that carries it, `f_c` and `S_b` of the
joints of a pair (c, b), of which b carries c. The rows of a floating base are relative to the
world, and all coordinates are then along the base's frame. Symbols: docs/concepts/notation.md.
"""

from ..robots.model import BodyInertia, quaternion_rotation
from ..scalar import cos, sin
from ..spatial import (
    ZERO3,
    Rotation,
    Spatial,
    Symmetric,
    Vector,
    cross,
    cross_force,
    cross_motion,
)
from .inverse_derivatives import Swirl
from .linear.factor import Factors, back_solve, eliminate, half_solve

RIGID, FORCE = 9, 6  # numbers of a composite inertia without its mass, and of a force
BODY = ("mass", "com", "inertia")


def inverse_dynamics(machine):
    """The torques of the motion (q, qd, qdd)."""
    _move(machine, "qdd")
    machine.each("bodies", _force, reads=("pose", "v", "a"), constants=BODY)
    machine.inward("beyond")
    machine.each("joints", _torque, reads=("S", "beyond", "qdd"), constants=("rotor",))


def forward_dynamics(machine):
    """The accelerations that the torques tau cause."""
    _accelerations(machine)


def inverse_dynamics_derivatives(machine):
    """∂τ/∂q and ∂τ/∂q̇ (Singh, Russell and Wensing, 2022): see inverse_derivatives.py."""
    _move(machine, "qdd")
    _composites(machine)
    _slopes(machine, 1.0, 2)
    for k, name in enumerate(("dtau_dq", "dtau_dqd")):
        machine.output(name, "slopes", k * machine.n**2, (machine.n, machine.n))


def forward_dynamics_derivatives(machine):
    """∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹: the first two are -M⁻¹ times the derivatives of τ."""
    n, ancestors = machine.n, machine.ancestors
    _accelerations(machine)
    machine.base(_accelerate_base)
    machine.each("moving", _accelerate, reads=("b", "S", "qdd"))
    machine.outward("b", "a")
    _composites(machine)
    _slopes(machine, -1.0, 3)
    machine.each("diagonal", lambda unity: {"unit": unity}, constants=("unity",))

    for solve in (half_solve, back_solve):

        def solved(M, right, solve=solve):
            return {"solved": solve(_factors(ancestors, M), right)}

        machine.each("columns", solved, reads=("M", "right"))
    for k, name in enumerate(("dqdd_dq", "dqdd_dqd", "dqdd_dtau")):
        machine.output(name, "slopes", k * n**2, (n, n))


# -- motions and forces ----------------------------------------------------------------------------


def _move(machine, accelerations):
    """Poses, directions, velocities and accelerations; without `accelerations`, those of a motion
    with constant rates."""
    given = (accelerations,) if accelerations else ()
    machine.root(_root, given)
    constants = ("across", "axis", "origin", "turns", "slides")
    machine.each("moving", _on_its_seat, reads=("q",), constants=constants)
    machine.poses(_carried)
    machine.each("moving", _direction, reads=("pose", "qd"), constants=("turns", "slides"))
    machine.outward("u", "v")
    machine.each("moving", _change, reads=("S", "u", "v_up", *given))
    machine.outward("b", "a")


def _root(gravity, seat, rails, q=None, qd=None, qdd=None):
    """The world and, if it floats, the base: its rates are linear first. `rails` are the position
    of the reference point at q = 0, and the directions of the joints that slide it."""
    still = (0.0,) * 6
    if seat is None:
        point, *directions = rails
        for direction, slid in zip(directions, q or (), strict=True):
            point = point + direction * slid
        pose = (*_AXES, *-point)
        return {"pose": pose, "v": still, "a": Spatial(ZERO3, -gravity).scalars()}
    turn = quaternion_rotation(*q[3:])
    world = Spatial(ZERO3, -(turn.T @ (seat.T @ gravity)))
    along = (0.0,) * 6 if qdd is None else (*qdd[3:], *qdd[:3])
    return {
        "v": still,
        "a": world.scalars(),
        "base_pose": _IDENTITY,
        "base_v": (*qd[3:], *qd[:3]),
        "base_a": (world + Spatial.of(along)).scalars(),
    }


_AXES = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)  # x, y, z
_IDENTITY = (*_AXES, 0.0, 0.0, 0.0)  # and the origin


def _on_its_seat(across, axis, origin, turns, slides, q):
    """A joint's body in the frame of the body that carries it: its z axis is the joint's."""
    x, y, z = Vector(*across[:3]), Vector(*across[3:]), Vector(*axis)
    c, s = cos(q * turns), sin(q * turns)
    place = Vector(*origin) + z * (q * slides)
    return {"pose": (*(x * c + y * s), *(y * c - x * s), *z, *place)}


def _carried(own, up, up_origin, is_origin):
    """An axis or the origin of a frame, in the coordinates of the carrying frame."""
    turned = _Pose((*up, 0.0, 0.0, 0.0)).turned(Vector(*own))
    return {"own": (*(turned + Vector(*up_origin) * is_origin),)}


def _direction(pose, qd, turns, slides):
    place = _Pose(pose)
    z = place.z
    S = Spatial(z * turns, cross(place.origin, z) * turns + z * slides)
    return {"S": S.scalars(), "u": (S * qd).scalars()}


def _change(S, u, v_up, qdd=None):
    """The change of acceleration from the body that carries a joint to the one beyond it."""
    b = cross_motion(Spatial.of(v_up), Spatial.of(u))
    return {"b": (b if qdd is None else b + Spatial.of(S) * qdd).scalars()}


def _accelerate(b, S, qdd):
    return {"b": (Spatial.of(b) + Spatial.of(S) * qdd).scalars()}


def _accelerate_base(world_a, qdd):
    return {"base_a": (Spatial.of(world_a) + Spatial.of((*qdd[3:], *qdd[:3]))).scalars()}


class _Pose:
    def __init__(self, scalars):
        self.x, self.y, self.z, self.origin = (Vector(*scalars[k : k + 3]) for k in (0, 3, 6, 9))

    def turned(self, vector):
        return self.x * vector.x + self.y * vector.y + self.z * vector.z

    def back(self, vector):
        return Vector(self.x @ vector, self.y @ vector, self.z @ vector)

    def rotation(self):
        return Rotation(*zip(self.x, self.y, self.z, strict=True))


def _body(pose, v, a, mass, com, inertia):
    """A body in base coordinates, with its motion."""
    place = _Pose(pose)
    about_com = place.rotation().tensor(Symmetric(*inertia))
    centre = place.origin + place.turned(Vector(*com))
    return BodyInertia(mass, centre, about_com.scalars()), Spatial.of(v), Spatial.of(a)


def _force(pose, v, a, mass, com, inertia):
    """The force and moment that accelerate a body, with its inertia rotated in its own frame."""
    place, J = _Pose(pose), Symmetric(*inertia)
    v, a = Spatial.of(v), Spatial.of(a)
    c = place.origin + place.turned(Vector(*com))
    ω, α = place.back(v.angular), place.back(a.angular)
    velocity = v.linear + cross(v.angular, c)
    force = (a.linear + cross(a.angular, c) + cross(v.angular, velocity)) * mass
    moment = place.turned(J @ α + cross(ω, J @ ω)) + cross(c, force)
    return {"beyond": (*moment, *force)}


def _torque(S, beyond, qdd, rotor):
    return {"tau": Spatial.of(S) @ Spatial.of(beyond) + qdd * rotor}


# -- forward dynamics ------------------------------------------------------------------------------


def _accelerations(machine):
    """q̈ from the mass matrix, which is overwritten by its factors."""
    ancestors = machine.ancestors
    _move(machine, None)

    def composite(**own):
        I, v, a = _body(**own)
        return {"beyond": (*_rigid(I), *(I @ a + cross_force(v, I @ v)).scalars())}

    machine.each("bodies", composite, reads=("pose", "v", "a"), constants=BODY)
    machine.inward("beyond")
    machine.each("joints", _felt, reads=("S", "beyond"), constants=("carried",))
    machine.each("pairs", _meeting, reads=("S_b", "h_c"), constants=("rotor",))

    for rows, filled in _batches(ancestors, machine.at_once):

        def eliminated(entries, rows=rows, filled=filled):
            H = dict(zip(filled, entries, strict=True))
            for k in rows:
                H[k, k] = 1.0 / H[k, k]
                H |= eliminate(ancestors, H, k, H[k, k])
            return {"entries": [H[each] for each in filled]}

        machine.in_place("M", filled, eliminated)

    def half(M, h, tau):
        right = [t - b for t, b in zip(tau, h, strict=True)]
        return {"qdd": half_solve(_factors(ancestors, M), right)}

    def whole(M, qdd):
        return {"qdd": back_solve(_factors(ancestors, M), qdd)}

    machine.each("whole", half, reads=("M", "h", "tau"))
    machine.each("whole", whole, reads=("M", "qdd"))


def _batches(ancestors, most):
    """Rows from the last to the first, in batches that touch at most `most` entries of a matrix,
    and these entries."""
    rows, touched = [], {}
    for k in reversed(range(len(ancestors))):
        path = (k, *ancestors[k])
        entries = dict.fromkeys((i, j) for i in path for j in (i, *ancestors[i]))
        if rows and len(touched | entries) > most:
            yield rows, [*touched]
            rows, touched = [], {}
        rows.append(k)
        touched |= entries
    yield rows, [*touched]


def _factors(ancestors, entries):
    """The factors that elimination left in place of a matrix, by rows with the sparsity of the
    tree: reciprocals of pivots on the diagonal."""
    places = [(i, j) for i, above in enumerate(ancestors) for j in (i, *above)]
    H = dict(zip(places, entries, strict=True))
    L = {(i, j): entry for (i, j), entry in H.items() if i != j}
    return Factors(ancestors, L, [H[k, k] for k in range(len(ancestors))])


def _rigid(I):
    return (*I.moment, *I.about_origin.scalars())


def _felt(S, beyond, carried):
    """The effect on a joint of all that it carries: its momentum along S, and its force."""
    S, I = Spatial.of(S), _composite(beyond, carried)
    F = Spatial.of(beyond[RIGID:])
    return {"momentum": (I @ S).scalars(), "h": S @ F}


def _meeting(S_b, h_c, rotor):
    return {"M": Spatial.of(S_b) @ Spatial.of(h_c) + rotor}


def _composite(scalars, mass):
    moment, about_origin = Vector(*scalars[:3]), Symmetric(*scalars[3:RIGID])
    return BodyInertia.about_frame(mass, moment, about_origin)


# -- derivatives -----------------------------------------------------------------------------------


def _composites(machine):
    """Inertia, swirl and force of all that each body carries, itself included."""

    def composite(**own):
        I, v, a = _body(**own)
        B = Swirl.of(I, v)
        F = I @ a + (B @ v) * 0.5
        return {"beyond": (*_rigid(I), *F.scalars(), *B.angular.scalars(), *B.linear)}

    machine.each("bodies", composite, reads=("pose", "v", "a"), constants=BODY)
    machine.inward("beyond")


def _slopes(machine, sign, matrices):
    """∂τ/∂q and ∂τ/∂q̇, or their negatives, to the first of the matrices of the field `slopes`."""
    machine.each(
        "joints", _changes, reads=("S", "beyond", "v_p", "a_p", "v_o"), constants=("carried",)
    )

    machine.clear("slopes", matrices * machine.n**2)  # late, because it needs much memory

    def within(S_b, straight_c, g_c):
        """Entries between a joint's own rows."""
        S = Spatial.of(S_b) * sign
        return {"q_bc": S @ Spatial.of(straight_c), "qd_bc": S @ Spatial.of(g_c)}

    def between(S_b, ψ_b, f_c, g_c, h_c, w_c):
        """Entries between a joint c and one that carries it, b."""
        S, h, w = Spatial.of(S_b) * sign, Spatial.of(h_c) * sign, Vector(*w_c) * sign
        ψ1, ψ2, σ = Vector(*ψ_b[:3]), Spatial.of(ψ_b[3:9]), Spatial.of(ψ_b[9:])
        return {
            "q_bc": S @ Spatial.of(f_c),
            "qd_bc": S @ Spatial.of(g_c),
            "q_cb": h @ ψ2 + w @ ψ1,
            "qd_cb": h @ σ + w @ Vector(*S_b[:3]),
        }

    machine.each("within", within, reads=("S_b", "straight_c", "g_c"))
    machine.each("between", between, reads=("S_b", "ψ_b", "f_c", "g_c", "h_c", "w_c"))


def _changes(S, beyond, v_p, a_p, v_o, carried):
    """The changes of motions beyond a joint with its position and rate, and their forces."""
    S, v_p, a_p, v_o = map(Spatial.of, (S, v_p, a_p, v_o))
    I, F = _composite(beyond, carried), Spatial.of(beyond[RIGID : RIGID + FORCE])
    B = Swirl(_matrix(beyond[RIGID + FORCE : -3]), Vector(*beyond[-3:]))
    ψ1 = cross_motion(v_p, S)
    ψ2 = cross_motion(a_p, S) + cross_motion(v_p, ψ1)
    σ = ψ1 + cross_motion(v_o, S)
    f, g = I @ ψ2 + B @ ψ1, I @ σ + B @ S
    return {
        "ψ": (*ψ1.angular, *ψ2.scalars(), *σ.scalars()),
        "momentum": (I @ S).scalars(),
        "w": (*B.across(S),),
        "straight": f.scalars(),
        "f": (f + cross_force(S, F)).scalars(),  # only other joints are affected
        "g": g.scalars(),
    }


def _matrix(scalars):
    return Rotation(scalars[:3], scalars[3:6], scalars[6:])
