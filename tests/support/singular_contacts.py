"""Contacts that a robot cannot keep in any state, or in some: what it may say of them.

A contact is refused by an error that names it; or it is singular, with a rank below the number of
its unknowns and NaN for everything else; or it is regular, and then accelerations and forces obey
Newton's law and the contact. There is nothing else. The rank is found again here, from Jacobians
and the mass matrix, by NumPy.
"""

import warnings

import numpy as np
from support.robots import random_robot

import paraxis as px
from paraxis.dynamics.contacts.directions import duals

AXES = np.eye(6)
SINGULAR, REGULAR = 1e-9, 1e-3  # sines of angles, and shares: in between, either is right
CLOSE = 1e-7
STEPS = {"dt": 1e-4, "steps": 2}


# -- robots and contacts ---------------------------------------------------------------------------


def box():
    return px.robots.Inertia.of(1.0, (0.1, 0.2, 0.3), (0.1, 0.12, 0.15))


def rail(*axes):
    """Sliders along these axes, one on the other: nothing but constants in any Jacobian."""
    joints = [
        px.robots.Joint(f"x{k}", "prismatic", k - 1, axis=axis) for k, axis in enumerate(axes)
    ]
    return px.Robot(
        "rail", joints, [box()] * len(joints), [px.robots.Frame("tip", len(joints) - 1)]
    )


def spindle():
    """A frame on the axis about which it turns: no joint moves its origin."""
    return px.Robot(
        "spindle", [px.robots.Joint("z", "revolute")], [box()], [px.robots.Frame("tip", 0)]
    )


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS = {
    "pendulum": lambda rng: px.robots.planar(1),
    "planar arm": lambda rng: px.robots.planar(rng.randint(2, 3)),
    "slider": lambda rng: rail(rng.choice((X, Y, Z, (0.6, 0.8, 0.0)))),
    "telescope": lambda rng: rail(X, X),
    "gantry": lambda rng: rail(X, Y, Z),
    "spindle": lambda rng: spindle(),
    "any": lambda rng: random_robot(rng, joints=(1, 4)),
    "sliders": lambda rng: random_robot(rng, joints=(1, 3), kinds=("prismatic",)),
}


def random_contact(rng, robot, held):
    """One on a random frame, that holds at most so many directions."""
    moving = [frame.name for frame in robot.frames if frame.body >= 0]
    frame, count = rng.choice(moving), rng.randint(1, held)
    where = {"frame": frame, "coordinates": rng.choice(("world", "body"))}
    kind = rng.choice(("axes", "axes", "oblique", "sliding", "friction", "firm"))
    if kind == "oblique":
        seed = rng.randrange(2**32)
        return px.Contact(constraint=np.random.default_rng(seed).normal(size=(6, count)), **where)
    if kind in ("sliding", "friction"):
        normal = rng.choice((X, Y, Z, (0.6, 0.0, 0.8)))
        friction = 0.2 if kind == "friction" else None
        return px.Contact.sliding(normal=normal, friction=friction, **where)
    options = {"stabilisation": 10.0} if kind == "firm" else {}
    return px.Contact(constraint=AXES[:, rng.sample(range(6), count)], **where, **options)


# -- what a robot says -----------------------------------------------------------------------------


def constraint_rows(robot, contacts, q):
    """What the constraints measure of rates, by rows."""
    rows = []
    for contact in contacts:
        _, across = duals(contact.motion, contact.constraint)
        rows.append(across.T @ px.jacobian(robot, q, contact.frame, contact.coordinates))
    return np.concatenate(rows)


def independence(robot, contacts, q):
    """How independent constraints are, each 1 at best: their number, from the least on.

    Singular values of unit vectors, what a force along each does to the robot; and how much it
    does, of what one along any direction there could do.
    """
    root = np.linalg.inv(np.linalg.cholesky(px.mass_matrix(robot, q)))
    halves = constraint_rows(robot, contacts, q) @ root.T
    largest = [np.linalg.norm(px.jacobian(robot, q, each.frame) @ root.T, 2) for each in contacts]
    largest = np.repeat(largest, [each.constraints for each in contacts])
    lengths = np.linalg.norm(halves, axis=1)
    moved = np.where(lengths > SINGULAR * largest, lengths, 0.0)
    unit = halves * np.where(moved > 0, 1 / np.where(moved > 0, moved, 1.0), 0.0)[:, None]
    values = np.linalg.svd(unit, compute_uv=False)
    values = np.append(values, np.zeros(len(lengths) - len(values)))  # more than there are joints
    shares = moved / np.where(largest > 0, largest, 1.0)
    return values, shares[shares > 0].min(initial=1.0)


def checked(robot, contacts, q, qd, tau):
    """ "refused", "singular", "near" or "regular"; raises AssertionError where it is none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            motion = px.constrained_forward_dynamics(robot, q, qd, tau, contacts)
        except px.ArgumentError as error:
            assert "contact" in str(error), error
            return "refused"
        return _checked(robot, contacts, q, qd, tau, motion)


def _checked(robot, contacts, q, qd, tau, motion):
    unknowns = sum(contact.unknowns for contact in contacts)
    whole = bool(motion.rank == unknowns)
    for array in (motion.qdd, motion.force, motion.acceleration):
        assert np.isfinite(array).all() if whole else np.isnan(array).all()
    values, share = independence(robot, contacts, q)
    rubbing = any("friction" in contact.data for contact in contacts)
    lost = int((values < SINGULAR).sum())
    if share < REGULAR or ((values > SINGULAR) & (values < REGULAR)).any():
        kind = "near"
    elif lost:
        assert not whole and (rubbing or motion.rank == unknowns - lost), (motion.rank, values)
        kind = "singular"
    else:
        kind = "regular"
    if kind == "regular" and not rubbing:
        assert whole, (motion.rank, values)
    if whole and kind == "regular":
        _balanced(robot, contacts, q, qd, tau, motion)
    rates = px.project_velocity(robot, q, qd, contacts)
    if kind != "near":
        assert np.isnan(rates).all() if kind == "singular" else np.isfinite(rates).all()
    _simulated(robot, contacts, q, tau, kind)
    return kind


def _balanced(robot, contacts, q, qd, tau, motion):
    """M q̈ + h + Jᵀ F = τ, and no acceleration along what holds, unless it is stabilised."""
    felt = px.inverse_dynamics(robot, q, qd, motion.qdd)
    size = 1.0 + abs(felt).max() + abs(tau).max()
    for contact, force in zip(contacts, motion.force, strict=True):
        J = px.jacobian(robot, q, contact.frame, contact.coordinates)
        felt = felt + J.T @ force
        size += abs(J).max() * abs(force).max()
    assert abs(felt - tau).max() < CLOSE * size
    for contact, acceleration in zip(contacts, motion.acceleration, strict=True):
        if "stabilisation" in contact.data:
            continue
        _, across = duals(contact.motion, contact.constraint)
        scale = 1.0 + abs(acceleration).max() + abs(motion.qdd).max() + abs(qd).max() ** 2
        assert abs(across.T @ acceleration).max() < CLOSE * scale * (1 + abs(across).max())


def _simulated(robot, contacts, q, tau, kind):
    """From rest, by two methods: NaN from the first step on, or motion."""
    for method in ("rk4", "adaptive"):
        still = np.zeros(robot.nv)
        run = px.simulate(robot, q, still, tau, contact=contacts, method=method, **STEPS)
        assert np.isfinite(run.q[0]).all() and run.force.shape == (3, len(contacts), 6)
        if kind == "singular":
            assert run.failed_at == 1 and np.isnan(run.q[1:]).all() and np.isnan(run.force).all()
        elif kind == "regular" and not any("friction" in each.data for each in contacts):
            assert run.failed_at == -1 and np.isfinite(run.q).all()


def random_case(rng):
    """A robot of some kind, one or two contacts, and a state."""
    name = rng.choice(list(KINDS))
    robot = KINDS[name](rng).without_friction()
    contacts = [random_contact(rng, robot, 2) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.15:
        contacts.append(contacts[0])  # the same twice: each repeats the other
    state = np.random.default_rng(rng.randrange(2**32)).uniform(-1, 1, (3, robot.nv))
    return robot, contacts, *state
