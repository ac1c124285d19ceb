"""Robots in contact: against dense equations, Pinocchio, and what contacts say of themselves."""

from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.contacts import on_floats
from support.robots import pinocchio_model, random_robot, relative_error, robots, states
from support.singular_contacts import checked, rail, spindle

import paraxis as px
from paraxis.dynamics.contacts.dynamics import constrained_graph
from paraxis.passes.count import count as operations
from paraxis.physics import composite_body, kinematics, newton_euler
from paraxis.robots.model import Model
from paraxis.targets import store

CLEAR = 1e-4  # a singular value, over the largest, that is neither zero nor near it


def equations(contact):
    """Matrices of [V̇, F, G] = right: what the contact says, written down as it is defined."""
    data = contact.data
    if "M2" in data:
        left = np.block([[np.eye(12), -np.concatenate([contact.M1, data["M2"]])]])
        return left, np.concatenate([data.get("k1", np.zeros(6)), data.get("k2", np.zeros(6))])
    H, W = contact.motion, contact.constraint
    nf, nc = H.shape[1], W.shape[1]
    φ = data.get("coupling", np.zeros((nf, nc)))
    left = np.block(
        [
            [np.eye(6), np.zeros((6, 6)), -H],
            [np.zeros((nf, 6)), H.T - φ @ W.T, np.zeros((nf, nf))],
        ]
    )
    known = W @ data.get("acceleration", np.zeros(nc))
    return left, np.concatenate([known, data.get("force", np.zeros(nf))])


def dense(robot, q, qd, tau, contacts):
    """q̈, V̇ and F from one system of linear equations, by NumPy."""
    n, k = robot.n, len(contacts)
    model, q, qd = Model(robot), q.tolist(), qd.tolist()
    places = [(each.frame_of(robot), each.coordinates) for each in contacts]
    J = np.concatenate([kinematics.jacobian(model, q, *place) for place in places])
    drift = np.ravel([kinematics.bias_acceleration(model, q, qd, *place) for place in places])
    M = np.array(composite_body.mass_matrix(model, q))
    h = np.array(newton_euler.inverse_dynamics(model, q, qd, [0.0] * n))
    said = [equations(each) for each in contacts]
    extra = [left.shape[1] - 12 for left, _ in said]
    size = n + 12 * k + sum(extra)
    A, b = np.zeros((size, size)), np.zeros(size)
    A[:n, :n], A[:n, n + 6 * k : n + 12 * k], b[:n] = M, J.T, tau - h
    A[n : n + 6 * k, :n], A[n : n + 6 * k, n : n + 6 * k] = -J, np.eye(6 * k)
    b[n : n + 6 * k] = drift
    row, column = n + 6 * k, n + 12 * k
    for c, (left, right) in enumerate(said):
        rows = slice(row, row + len(left))
        A[rows, n + 6 * c : n + 6 * c + 6] = left[:, :6]
        A[rows, n + 6 * k + 6 * c : n + 6 * k + 6 * c + 6] = left[:, 6:12]
        A[rows, column : column + extra[c]] = left[:, 12:]
        b[rows] = right
        row, column = row + len(left), column + extra[c]
    x = np.linalg.solve(A, b)
    return x[:n], x[n : n + 6 * k].reshape(k, 6), x[n + 6 * k : n + 12 * k].reshape(k, 6)


def freedoms(robot, q, contacts):
    """Singular values, over the largest, of what contacts constrain, all rows of unit length."""
    rows = []
    for each in contacts:
        place = each.frame_of(robot), each.coordinates
        J = np.array(kinematics.jacobian(Model(robot), q.tolist(), *place))
        _, constraint = np.hsplit(
            np.linalg.inv(np.hstack([each.motion, each.constraint])).T, [each.motion.shape[1]]
        )
        rows.append(constraint.T @ J)
    rows = np.concatenate(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if lengths.min() < CLEAR:
        return np.zeros(1)
    return np.linalg.svd(rows / lengths, compute_uv=False)


# -- random robots -------------------------------------------------------------------------------


def random_contact(rng, frame, most):
    """Any directions, not orthonormal; type I or II, with every number given."""
    nc = rng.integers(1, min(most, 6) + 1)
    both = rng.normal(size=(6, 6)) + 2 * np.eye(6)
    W, H = both[:, :nc], both[:, nc:]
    numbers = {"acceleration": rng.normal(size=nc)}
    if nc < 6:
        numbers |= {"motion": H, "force": rng.normal(size=6 - nc)}
        if rng.random() < 0.5:
            numbers["coupling"] = 0.3 * rng.normal(size=(6 - nc, nc))
    coordinates = rng.choice(["world", "body"]).item()
    return px.Contact(frame, constraint=W, coordinates=coordinates, **numbers)


@settings(max_examples=30)
@given(robots(joints=(1, 8)), st.integers(0, 2**32 - 1))
def test_equal_to_dense_equations(robot, seed):
    """Trees and chains, all joint kinds; one contact or two, of types I and II."""
    rng = np.random.default_rng(seed)
    q, qd, tau = (array[seed % 2] for array in states(robot, 2, seed))
    contacts, left = [], robot.n
    for body in rng.permutation(robot.n)[:2]:
        most = min(left, len(robot.path(body)))
        if most:
            contacts.append(random_contact(rng, f"f{body}", most))
            left -= contacts[-1].constraints
    found = on_floats(robot, q, qd, tau, contacts)
    unknowns, values = sum(each.unknowns for each in contacts), freedoms(robot, q, contacts)
    if len(values) < unknowns or values[-1] < CLEAR:
        return
    try:
        qdd, acceleration, force = dense(robot, q, qd, tau, contacts)
    except np.linalg.LinAlgError:
        return
    if max(abs(qdd).max(), abs(force).max()) > 1e5:  # a coupling that almost jams
        return
    assert found.rank == unknowns
    assert relative_error(found.qdd, qdd) < 1e-9
    assert relative_error(np.ravel(found.force), force.ravel()) < 1e-9
    assert relative_error(np.ravel(found.acceleration), acceleration.ravel()) < 1e-9


@settings(max_examples=12)
@given(robots(joints=(6, 8)), st.integers(0, 2**32 - 1))
def test_lathrops_form(robot, seed):
    """Constraints, added mass along what is free, and everything else that is linear."""
    rng = np.random.default_rng(seed)
    q, qd, tau = (array[seed % 2] for array in states(robot, 2, seed))
    body = max(range(robot.n), key=lambda i: len(robot.path(i)))
    nc = rng.integers(0, min(3, len(robot.path(body))) + 1)
    U, V = (np.linalg.qr(rng.normal(size=(6, 6)))[0] for _ in range(2))
    M1 = U[:, nc:] @ np.diag(rng.uniform(0.5, 2, 6 - nc)) @ V[:, nc:].T
    push = np.linalg.inv(U).T @ np.diag(rng.uniform(0.5, 2, 6)) @ V.T  # forces along accelerations
    k1, k2 = rng.normal(size=(2, 6))
    contact = px.Contact.general(f"f{body}", M1, push, k1, k2, rng.choice(["world", "body"]).item())
    assert contact.constraints == nc
    found = on_floats(robot, q, qd, tau, [contact])
    place = contact.frame_of(robot), contact.coordinates
    J = np.array(kinematics.jacobian(Model(robot), q.tolist(), *place))
    held = np.linalg.svd(U[:, :nc].T @ J, compute_uv=False)  # directions in which V̇ is given
    if (held < CLEAR).any():  # joints that hardly move the body there: two parallel slides
        return
    qdd, acceleration, force = dense(robot, q, qd, tau, [contact])
    if max(abs(qdd).max(), abs(force).max()) > 1e5:
        return
    assert found.rank == 6
    assert relative_error(found.qdd, qdd) < 1e-8
    assert relative_error(np.ravel(found.force), force.ravel()) < 1e-8
    assert relative_error(np.ravel(found.acceleration), acceleration.ravel()) < 1e-8


@settings(max_examples=12)
@given(robots(joints=(6, 8)), st.integers(0, 2**32 - 1))
def test_a_contact_that_is_repeated_adds_nothing(robot, seed):
    rng = np.random.default_rng(seed)
    q, qd, tau = (array[seed % 2] for array in states(robot, 2, seed))
    body = max(range(robot.n), key=lambda i: len(robot.path(i)))
    most = min(3, len(robot.path(body)))
    contact = random_contact(rng, f"f{body}", most)
    values = freedoms(robot, q, [contact])
    if values[-1] < CLEAR:
        return
    plain = px.Contact(contact.frame, constraint=contact.constraint)
    for each in (contact, plain):
        assert on_floats(robot, q, qd, tau, [each]).rank == each.unknowns
        assert on_floats(robot, q, qd, tau, [each, each]).rank == each.unknowns


# -- Pinocchio -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_pinocchio(seed):
    """Welds and pins; the last robot has a contact on each of two limbs."""
    import pinocchio as pin

    robot, contacts = pinocchio_cases()[seed]
    q, qd, tau = (array[1] for array in states(robot, 2, seed))
    model = pinocchio_model(robot)
    constraints, own = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for contact in contacts:
        frame = robot.frame(contact.frame)
        kind = pin.ContactType.CONTACT_6D if contact.unknowns == 6 else pin.ContactType.CONTACT_3D
        seat = pin.SE3(np.array(frame.pose.rotation), np.array(frame.pose.translation))
        local = pin.ReferenceFrame.LOCAL
        constraints.append(pin.RigidConstraintModel(kind, model, frame.body + 1, seat, local))
        own.append(constraints[-1].createData())
    data = model.createData()
    pin.initConstraintDynamics(model, data, constraints, own)
    exact = pin.ProximalSettings(1e-14, 0.0, 1)
    qdd = pin.constraintDynamics(model, data, q, qd, tau, constraints, own, exact)
    ours = on_floats(robot, q, qd, tau, contacts)
    assert ours.rank == sum(contact.unknowns for contact in contacts)
    assert relative_error(ours.qdd, qdd) < 1e-9
    for contact, force, theirs in zip(contacts, ours.force, own, strict=True):
        # Pinocchio's is on the robot, along the frame's axes, and has the linear part first
        expected = -np.stack([theirs.contact_force.angular, theirs.contact_force.linear])
        if contact.coordinates == "world":
            expected = expected @ np.array(pose_of(robot, q, contact))[:3, :3].T
        assert relative_error(force, expected.ravel()) < 1e-9


def pose_of(robot, q, contact):
    return kinematics.forward_kinematics(Model(robot), q.tolist(), contact.frame_of(robot))


def pinocchio_cases():
    long = random_chain(0)
    return [
        (long, [px.Contact.welded("f7", coordinates="body")]),
        (long, [px.Contact.pinned("f7")]),
        (random_chain(1), [px.Contact.pinned("f7"), px.Contact.pinned("f3")]),
        (two_limbs(), [px.Contact.pinned("f4"), px.Contact.pinned("f7")]),
    ]


def random_chain(number):
    several = (random_robot(seed, joints=(8, 8)) for seed in count())
    return next(islice((each for each in several if not each.branching), number, None))


def two_limbs():
    """Tips 4 and 7 on a trunk of two; depth first, as Pinocchio's contacts want joints to be."""
    chain = random_chain(2)
    joints = [*chain.joints]
    joints[5] = replace(joints[5], parent=1)
    return replace(chain, joints=joints)


# -- compiled ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm():
    return px.load("ur5")


@pytest.fixture(scope="module")
def state(arm):
    rng = np.random.default_rng(3)
    return rng.uniform(-2, 2, (5, 6)), rng.normal(size=(5, 6)), 10 * rng.normal(size=(5, 6))


def balance(robot, q, qd, tau, motion, frame=None):
    """What is missing in M q̈ + h + Jᵀ F = τ, with forces along the world's axes."""
    J = px.jacobian(robot, q, frame)
    pushed = np.einsum("...ij,...i->...j", J, motion.force)
    return px.inverse_dynamics(robot, q, qd, motion.qdd) + pushed - tau


def test_batches(arm, state):
    """Every state is what it is alone; numbers of contacts broadcast with states."""
    q, qd, tau = state
    wanted = np.random.default_rng(0).normal(size=(4, 1, 3))
    contact = px.Contact(constraint=np.eye(6)[:, 3:], acceleration=wanted)
    found = px.constrained_forward_dynamics(arm, q, qd, tau, contact)
    assert found.qdd.shape == found.force.shape == found.acceleration.shape == (4, 5, 6)
    assert found.rank.shape == (4, 5) and found.rank.dtype.kind == "i" and (found.rank == 3).all()
    assert abs(found.acceleration[..., 3:] - wanted).max() < 1e-12
    assert abs(found.force[..., :3]).max() == 0.0
    assert abs(balance(arm, q, qd, tau, found)).max() < 1e-10
    alone = px.Contact(constraint=np.eye(6)[:, 3:], acceleration=wanted[2, 0])
    one = px.constrained_forward_dynamics(arm, q[1], qd[1], tau[1], alone)
    assert (one.qdd == found.qdd[2, 1]).all() and (one.force == found.force[2, 1]).all()
    assert one.rank == 3 and np.ndim(one.rank) == 0


@pytest.mark.long
def test_compiled_as_on_floats(arm, state):
    """The largest pivot is another one in every state."""
    rng = np.random.default_rng(8)
    contacts = [
        [random_contact(rng, "tool0", 4), px.Contact.sliding("forearm_link")],
        [px.Contact.general(None, np.diag([0, 1, 1, 0, 1, 0]), rng.normal(size=(6, 6)))],
    ]
    contacts[0][0].give(coupling=rng.normal(size=contacts[0][0].shapes["coupling"]))
    for several in contacts:
        found = px.constrained_forward_dynamics(arm, *state, several)
        for k in range(5):
            alone = on_floats(arm, *(array[k] for array in state), several)
            assert found.rank[k] == alone.rank == sum(each.unknowns for each in several)
            assert relative_error(found.qdd[k], alone.qdd) < 1e-9
            assert relative_error(found.force[k].ravel(), np.ravel(alone.force)) < 1e-9


def test_float32(arm, state):
    single = [array.astype(np.float32) for array in state]
    contact = px.Contact.pinned()
    double = px.constrained_forward_dynamics(arm, *single[:2], state[2], contact)
    found = px.constrained_forward_dynamics(arm, *single, contact)
    assert found.qdd.dtype == found.force.dtype == np.float32
    assert (found.rank == 3).all()
    assert relative_error(found.qdd, double.qdd) < 1e-3


def test_nothing_that_is_no_number_spreads(arm, state):
    q, qd, tau = (array.copy() for array in state)
    clean = px.constrained_forward_dynamics(arm, q, qd, tau, px.Contact.pinned())
    q[1, 2] = np.nan
    found = px.constrained_forward_dynamics(arm, q, qd, tau, px.Contact.pinned())
    assert np.isnan(found.qdd[1]).all() and np.isnan(found.force[1]).all() and found.rank[1] == 0
    others = [0, 2, 3, 4]
    assert (found.qdd[others] == clean.qdd[others]).all()


def test_parameters_of_the_robot(arm, state):
    q, qd, tau = state
    load = px.payload(arm, mass=np.linspace(0.5, 5, 5))
    found = px.constrained_forward_dynamics(arm, q, qd, tau, px.Contact.pinned(), **load)
    heavy = arm.with_payload(5.0)
    last = px.constrained_forward_dynamics(heavy, q[4], qd[4], tau[4], px.Contact.pinned())
    assert relative_error(found.qdd[4], last.qdd) < 1e-11


def test_inside_a_trace(arm, state):
    q, qd, tau = (array[0] for array in state)
    contact = px.Contact(constraint=np.eye(6)[:, 3:], acceleration=[1.0, 2.0, 3.0])

    def both(q, qd, tau):
        motion = px.constrained_forward_dynamics(arm, q, qd, tau, contact)
        return {"qdd": motion.qdd, "force": motion.force}

    traced = px.trace(both, q=6, qd=6, tau=6).evaluate(q=q, qd=qd, tau=tau)
    found = px.constrained_forward_dynamics(arm, q, qd, tau, contact)
    assert relative_error(traced["qdd"], found.qdd) < 1e-12
    assert relative_error(traced["force"], found.force) < 1e-12


def test_two_limbs():
    """Two contacts on limbs of a tree feel each other through the trunk."""
    robot = two_limbs()
    contacts = [px.Contact.sliding(tip, normal=(1, 2, 3)) for tip in ("f4", "f7")]
    q, qd, tau = states(robot, 3, 5)
    found = px.constrained_forward_dynamics(robot, q, qd, tau, contacts)
    assert found.force.shape == found.acceleration.shape == (3, 2, 6)
    normal = np.array([1, 2, 3]) / 14**0.5
    for k in range(3):
        if found.rank[k] == 2:
            qdd, _, force = dense(robot, q[k], qd[k], tau[k], contacts)
            assert relative_error(found.qdd[k], qdd) < 1e-9
            assert relative_error(found.force[k].ravel(), force.ravel()) < 1e-9
            assert abs(found.acceleration[k, :, 3:] @ normal).max() < 1e-9
    assert (found.rank == 2).any()


# -- what people do ------------------------------------------------------------------------------


def test_sliding_with_friction(arm, state):
    """The force along the plane is the pressure times the coefficient, where it slides to."""
    q, qd, tau = state
    normal, to = np.array([0.0, 0.6, 0.8]), np.array([1.0, 0.8, -0.6])
    coefficient = np.linspace(0.1, 0.5, 5)
    contact = px.Contact.sliding(normal=2 * normal, friction=coefficient, direction=3 * to)
    found = px.constrained_forward_dynamics(arm, q, qd, tau, contact)
    pressure = -found.force[:, 3:] @ normal
    expected = (coefficient * pressure)[:, None] * to / 2**0.5 - pressure[:, None] * normal
    assert relative_error(found.force[:, 3:], expected) < 1e-12
    assert abs(found.force[:, :3]).max() == 0.0
    assert abs(found.acceleration[:, 3:] @ normal).max() < 1e-12
    assert abs(balance(arm, q, qd, tau, found)).max() < 1e-10


def test_friction_follows_the_velocity(arm, state):
    q, qd, tau = state
    found = px.constrained_forward_dynamics(arm, q, qd, tau, px.Contact.sliding(friction=0.4))
    slip = np.einsum("...ij,...j->...i", px.jacobian(arm, q), qd)[:, 3:5]
    length = np.linalg.norm(slip, axis=1, keepdims=True)
    assert length.min() > 0.05
    along = -0.4 * found.force[:, 5:] * slip / length
    assert relative_error(found.force[:, 3:5], along) < 1e-4
    still = px.constrained_forward_dynamics(arm, q, 0 * qd, tau, px.Contact.sliding(friction=0.4))
    smooth = px.constrained_forward_dynamics(arm, q, 0 * qd, tau, px.Contact.sliding())
    assert relative_error(still.qdd, smooth.qdd) < 1e-12


@pytest.mark.parametrize("damping", [None, 0.7])
@pytest.mark.parametrize("coordinates", ["world", "body"])
def test_stabilisation(arm, state, coordinates, damping):
    """What is demanded of a frame that has strayed from its anchor."""
    q, qd, tau = (array[0] for array in state)
    strayed = q + 1e-6 * np.random.default_rng(1).normal(size=6)
    J = np.array(kinematics.jacobian(Model(arm), strayed.tolist(), arm.tool(), coordinates))
    off, velocity = J @ (strayed - q), J @ qd  # the first to first order
    contact = px.Contact.welded(
        coordinates=coordinates,
        stabilisation=20.0 if damping is None else (20.0, damping),
        anchor=pose_of(arm, q, px.Contact.welded()),
    )
    found = on_floats(arm, strayed, qd, tau, [contact])
    wanted = -2 * (damping or 1.0) * 20.0 * velocity - 400.0 * off
    assert abs(found.acceleration[0] - wanted).max() < 1e-8


def test_errors_die_out():
    robot = px.robots.planar(3)
    q, qd = np.array([0.3, 0.9, -0.8]), np.array([0.1, 0.0, 0.0])
    home = px.forward_kinematics(robot, q)
    directions = np.eye(6)[:, [3, 5]]
    held = px.Contact(constraint=directions, stabilisation=20.0, anchor=home)
    q, h = q + 0.01, 2e-3
    for _ in range(500):
        qdd = px.constrained_forward_dynamics(robot, q, qd, np.zeros(3), held).qdd
        qd = qd + h * qdd
        q = q + h * qd
    assert abs(px.forward_kinematics(robot, q)[:3, 3] - home[:3, 3]).max() < 1e-3


# -- singular ------------------------------------------------------------------------------------


# A robot, the frames' directions that are held, and the rank in every state.
CROSS_WIND = np.eye(6)[:, 4]  # along y, where no joint of px.robots.planar moves anything
NEVER_KEPT = {
    "pendulum across": (lambda: px.robots.planar(1), [px.Contact(constraint=CROSS_WIND)], 0),
    "pendulum sliding": (lambda: px.robots.planar(1), [px.Contact.sliding(normal=(0, 1, 0))], 0),
    "pendulum rubbing": (
        lambda: px.robots.planar(1),
        [px.Contact.sliding(None, (0, 1, 0), 0.3)],
        0,
    ),
    "slider across": (lambda: rail((1.0, 0.0, 0.0)), [px.Contact(constraint=CROSS_WIND)], 0),
    "slider turning": (lambda: rail((0.0, 0.0, 1.0)), [px.Contact(constraint=np.eye(6)[0])], 0),
    "spindle on its axis": (spindle, [px.Contact(constraint=np.eye(6)[:, 3])], 0),
    "telescope, twice": (
        lambda: rail((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        [px.Contact("tip", constraint=np.eye(6)[:, 3])] * 2,
        1,
    ),
    "firm": (
        lambda: px.robots.planar(1),
        [px.Contact(constraint=CROSS_WIND, stabilisation=5.0)],
        0,
    ),
}

QUICK = ("pendulum across", "pendulum rubbing", "slider across", "telescope, twice")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in QUICK else pytest.mark.long) for case in NEVER_KEPT],
)
def test_contacts_that_are_singular_in_every_state(case):
    """Their equations are constants, so that NaN and the rank are known when they are traced."""
    make, contacts, rank = NEVER_KEPT[case]
    robot = make()
    state = np.random.default_rng(0).uniform(-1, 1, (3, robot.nv))
    assert px.constrained_forward_dynamics(robot, *state, contacts).rank == rank
    assert checked(robot, contacts, *state) == "singular"


@pytest.mark.long
def test_such_a_contact_of_a_long_chain():
    robot = rail(*[(1.0, 0.0, 0.0)] * 40)
    state = np.full((3, 40), 0.1)
    found = px.constrained_forward_dynamics(robot, *state, px.Contact(constraint=CROSS_WIND))
    assert found.rank == 0 and np.isnan(found.qdd).all() and np.isnan(found.force).all()
    assert np.isnan(px.project_velocity(robot, *state[:2], px.Contact(constraint=CROSS_WIND))).all()


def test_a_straight_arm_is_singular():
    robot = px.robots.planar(2)
    contact = px.Contact(constraint=np.eye(6)[:, [3, 5]])
    q = np.array([[0.3, 0.0], [0.3, 0.7], [0.3, np.pi], [0.3, 1e-4]])
    found = px.constrained_forward_dynamics(robot, q, np.ones_like(q), np.ones_like(q), contact)
    assert found.rank.tolist() == [1, 2, 1, 2]
    assert np.isnan(found.qdd[[0, 2]]).all() and np.isnan(found.force[[0, 2]]).all()
    assert np.isfinite(found.qdd[[1, 3]]).all() and np.isfinite(found.force[[1, 3]]).all()


@pytest.mark.parametrize("turned", [0.0, 0.4])
def test_a_direction_in_which_nothing_moves(turned):
    """Also where what does not move is not exactly zero."""
    robot = px.robots.planar(3).with_base(px.robots.Pose.from_rpy(rpy=(turned, turned, 0.3)))
    across = np.array(robot.base.rotation) @ (0, 1, 0)
    contact = px.Contact(constraint=np.concatenate([np.zeros(3), across]))
    found = px.constrained_forward_dynamics(robot, [0.3, 0.4, 0.5], np.ones(3), np.ones(3), contact)
    assert found.rank == 0 and np.isnan(found.qdd).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_singular_arms(arm, dtype):
    """A straight wrist or elbow, wherever the other joints are, takes a freedom from the tool."""
    q = np.random.default_rng(0).uniform(-3, 3, (3, 500, 6))
    q[0, :, 4] = q[1, :, 2] = 0.0
    q[2, :, 2] = q[2, :, 4] = 0.8  # bent
    still, push = np.zeros(6, dtype), np.ones(6, dtype)
    found = px.constrained_forward_dynamics(arm, q.astype(dtype), still, push, px.Contact.welded())
    wrist, elbow, bent = found.rank
    assert (wrist <= 5).all() and (elbow <= 5).all() and (wrist == 5).mean() > 0.99
    assert (bent == 6).mean() > 0.99
    singular = found.rank < 6
    assert np.isnan(found.qdd[singular]).all() and np.isfinite(found.qdd[~singular]).all()


def test_contacts_that_repeat_each_other(arm, state):
    twice = [px.Contact.pinned(), px.Contact.sliding(normal=(1, 1, 0))]
    found = px.constrained_forward_dynamics(arm, *state, twice)
    assert (found.rank == 3).all() and np.isnan(found.qdd).all()


def test_friction_that_jams():
    """With enough of it a rod that is pushed ahead cannot slide: here the equation has no root."""
    robot = px.robots.planar(1)
    H, W = np.eye(6)[:, [3, 0, 1, 2, 4]], np.eye(6)[:, 5]
    coupling = np.zeros((5, 1))
    coupling[0] = 1 / np.tan(0.5)  # the force then points along the rod
    contact = px.Contact(motion=H, constraint=W, coupling=coupling)
    found = px.constrained_forward_dynamics(robot, [0.5], [0.0], [1.0], contact)
    assert found.rank == 0 and np.isnan(found.qdd).all()


# -- what contacts are ---------------------------------------------------------------------------


def test_either_directions_are_the_complement_of_the_other():
    pinned = px.Contact(motion=np.eye(6)[:, :3])
    assert np.linalg.matrix_rank(np.hstack([pinned.constraint, np.eye(6)[:, 3:]])) == 3
    oblique = px.Contact(constraint=[0, 0, 0, 1, 2, 3])
    assert oblique.motion.shape == (6, 5)
    assert abs(oblique.motion.T @ oblique.constraint).max() < 1e-15
    assert repr(oblique) == "<Contact of the tool: 1 constraint>"
    assert repr(px.Contact.pinned("hand")) == "<Contact of 'hand': 3 constraints>"
    general = px.Contact.general(None, np.eye(6), np.eye(6))
    assert repr(general) == "<Contact of the tool: general form, M2>"


def test_a_contact_that_is_made_again_finds_its_kernel(arm):
    rest = np.zeros(6)
    store.forget()
    px.constrained_forward_dynamics(arm, rest, rest, rest, px.Contact.pinned())
    known = len(store._loaded)
    px.constrained_forward_dynamics(arm, rest, rest, rest, px.Contact.pinned())
    assert len(store._loaded) == known
    for other in (px.Contact.pinned(coordinates="body"), px.Contact.pinned(stabilisation=1.0)):
        px.constrained_forward_dynamics(arm, rest, rest, rest, other)
        known += 1
        assert len(store._loaded) == known


def test_lengths_of_directions_do_not_matter(arm, state):
    """Only the numbers that are given or found along them do."""
    short = px.Contact(constraint=np.eye(6)[:, 3:])
    long = px.Contact(constraint=np.diag([1, 1, 1, 1e3, 2, 1e-3])[:, 3:])
    one = [array[0] for array in state]
    a, b = (on_floats(arm, *one, [each]) for each in (short, long))
    assert relative_error(a.qdd, b.qdd) < 1e-10
    assert relative_error(a.force[0], b.force[0]) < 1e-10


def test_cost_beside_forward_dynamics(arm):
    """One factorisation serves all: a pin costs less than three times forward dynamics."""
    free = px.program(arm, "forward_dynamics").count().flops
    assert operations(constrained_graph(arm, [px.Contact.pinned()], [arm.tool()])).flops < 3 * free


AXES, MIRROR = np.eye(6), np.diag([1.0, 1.0, -1.0, 1.0])
BAD = [
    ({}, "give motion or constraint directions"),
    ({"constraint": AXES[:5, :2]}, r"constraint: expected .* 6 rows .* found shape \(5, 2\)"),
    ({"constraint": [1, 2, 3]}, r"constraint: .* found shape \(3,\)"),
    ({"constraint": 3.0}, r"constraint: .* found shape \(\)"),
    ({"constraint": ["a"] * 6}, "constraint: expected real numbers"),
    (
        {"constraint": AXES[:, [3, 4, 3]]},
        "constraint: .* independent .* 3 directions of rank 2",
    ),
    ({"constraint": np.zeros(6)}, "constraint: expected independent .* 1 direction of rank 0"),
    ({"constraint": [0, 0, 0, 0, 0, np.nan]}, "constraint: expected finite numbers"),
    ({"motion": AXES}, "motion: expected at most 5 directions"),
    ({"motion": AXES[:, :2], "constraint": AXES[:, 3:]}, "6 directions together, found 5"),
    (
        {"motion": AXES[:, :3], "constraint": AXES[:, 2:5]},
        "motion and constraint: expected independent directions, found 6 directions of rank 5",
    ),
    ({"motion": AXES[:, :3], "acceleration": [0, 0, 0]}, "acceleration: requires the constraint"),
    ({"constraint": AXES[:, 3:], "force": [0, 0, 0]}, "force: requires the motion directions"),
    ({"constraint": AXES[:, 3:], "coupling": AXES[:3, :3]}, "coupling: requires the motion"),
    ({"constraint": AXES[:, 3:], "acceleration": [0, 0]}, r"acceleration: expected shape \(..., 3"),
    ({"constraint": AXES[:, 3:], "coordinates": "tool"}, "coordinates: expected one of"),
    (
        {"constraint": AXES[:, 3:], "anchor": AXES[:4, :4]},
        "anchor: has no effect without stabilisation",
    ),
    (
        {"constraint": AXES[:, 3:], "stabilisation": 1.0, "acceleration": [0, 0, 0]},
        "stabilisation cannot be combined with acceleration",
    ),
    ({"constraint": AXES[:, 3:], "stabilisation": [1, 2, 3]}, "stabilisation: expected shape"),
    ({"constraint": AXES[:, 3:], "stabilisation": -1.0}, "stabilisation: expected numbers >= 0"),
    (
        {"constraint": AXES[:, 3:], "stabilisation": 1.0, "anchor": np.zeros((4, 4))},
        "anchor: expected poses",
    ),
    (  # one of them is a reflection
        {"constraint": AXES[:, 3:], "stabilisation": 1.0, "anchor": [MIRROR @ MIRROR, MIRROR]},
        "anchor: expected poses",
    ),
]


@pytest.mark.parametrize(("given", "message"), BAD, ids=range(len(BAD)))
def test_contacts_that_cannot_be(given, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.Contact(**given)


def test_directions_may_be_close_but_not_the_same():
    for apart in (1e-5, 1e-8):
        narrow = px.Contact(constraint=np.column_stack([AXES[3], AXES[3] + apart * AXES[4]]))
        assert narrow.constraints == 2
    with pytest.raises(px.ArgumentError, match="independent .* found 2 directions of rank 1"):
        px.Contact(constraint=np.column_stack([AXES[3], AXES[3] + 1e-10 * AXES[4]]))


def test_what_hardly_gives_way_is_not_rigid():
    for least, rigid in ((1e-5, 0), (1e-11, 0), (1e-13, 1)):
        hard = px.Contact.general(None, np.diag([1.0, 1, 1, 1, 1, least]), np.eye(6))
        assert hard.constraints == rigid


def test_more_that_cannot_be():
    with pytest.raises(px.ArgumentError, match="normal: expected a direction"):
        px.Contact.sliding(normal=(0, 0, 0))
    with pytest.raises(px.ArgumentError, match="direction: expected a direction in the plane"):
        px.Contact.sliding(friction=0.1, direction=(0, 0, 1))
    with pytest.raises(px.ArgumentError, match="in the plane, found zeros"):
        px.Contact.sliding(friction=0.1, direction=(0, 0, 0))
    with pytest.raises(px.ArgumentError, match="friction: expected numbers >= 0"):
        px.Contact.sliding(friction=[0.1, -0.1])
    with pytest.raises(px.ArgumentError, match="friction: expected numbers >= 0"):
        px.Contact.sliding(friction=-0.1, direction=(1, 0, 0))
    with pytest.raises(px.ArgumentError, match="direction: requires friction"):
        px.Contact.sliding(direction=(1, 0, 0))
    with pytest.raises(px.ArgumentError, match="M1 and M2: expected rank 6 .* rank 3"):
        px.Contact.general(None, np.diag([1, 1, 1, 0, 0, 0]), np.zeros((6, 6)))
    with pytest.raises(px.ArgumentError, match="M2: expected an array"):
        px.Contact.general(None, np.eye(6), None)
    with pytest.raises(px.ArgumentError, match="M1: expected a finite matrix"):
        px.Contact.general(None, np.full((6, 6), np.nan), np.eye(6))


@pytest.mark.parametrize(
    ("contact", "error", "message"),
    [
        (px.Contact.pinned("nowhere"), px.RobotError, "has no frame 'nowhere'"),
        (px.Contact.pinned("base"), px.ArgumentError, "'base' is fixed to the world"),
        (
            px.Contact.pinned("f1"),
            px.ArgumentError,
            "'f1': 3 constraints are more than the 2 degrees of freedom",
        ),
        (
            [px.Contact.sliding(f"f{i}") for i in (0, 1, 1, 0)],
            px.ArgumentError,
            "contacts: 4 constraints are more than the 2 degrees of freedom",
        ),
        ([], px.ArgumentError, "contact: expected at least one"),
        ("f1", px.ArgumentError, "contact: expected a px.Contact, found str"),
        ([px.Contact.sliding("f1"), None], px.ArgumentError, "px.Contact, found NoneType"),
    ],
    ids=range(7),
)
def test_contacts_that_a_robot_cannot_have(contact, error, message):
    robot = random_robot(1, joints=(6, 6))
    robot = px.Robot(
        "bent",
        [px.robots.Joint(f"j{i}", "revolute", i - 1, axis=(0, 0, 1.0)) for i in range(3)],
        robot.inertias[:3],
        [px.robots.Frame("base", -1), *(px.robots.Frame(f"f{i}", i) for i in range(3))],
    )
    with pytest.raises(error, match=message):
        px.constrained_forward_dynamics(robot, [0.0] * 3, [0.0] * 3, [0.0] * 3, contact)


def test_other_arguments_that_cannot_be(arm):
    pinned, rest = px.Contact.pinned(), [0.0] * 6
    with pytest.raises(px.ArgumentError, match=r"q: expected shape \(..., 6\), found \(5,\)"):
        px.constrained_forward_dynamics(arm, [0.0] * 5, rest, rest, pinned)
    with pytest.raises(px.ArgumentError, match="base_velocity: the base .* must be at rest"):
        px.constrained_forward_dynamics(arm, rest, rest, rest, pinned, base_velocity=rest)
    with pytest.raises(px.ArgumentError, match="parameters: expected some of") as refused:
        px.constrained_forward_dynamics(arm, rest, rest, rest, pinned, colour=rest)
    assert "'mass'" in str(refused.value) and "base_velocity" not in str(refused.value)
    with pytest.raises(px.ArgumentError, match=r"acceleration of contact 0 \(4,\)"):
        held = px.Contact(constraint=np.eye(6)[:, 3:], acceleration=np.zeros((4, 3)))
        px.constrained_forward_dynamics(arm, np.zeros((3, 6)), rest, rest, held)
