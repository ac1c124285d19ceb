"""Random robots: real ones hide bugs that random ones show.

One generator over `random.Random` serves both ways of asking. `random_robot(seed)` gives the
same robot for the same seed; `robots()` is a Hypothesis strategy that runs the generator on
Hypothesis's own choices, so that a failing robot shrinks to few joints and round numbers.

Also here: what tests compare with. `pinocchio_model` rebuilds a Robot in Pinocchio, and the
energies are computed from the description by NumPy in world coordinates, sharing no formula
with the algorithms. Those work on complex numbers too, for complex-step derivatives.
"""

import math
import random
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from paraxis import Robot
from paraxis.robots import (
    Frame,
    Friction,
    Inertia,
    Joint,
    JournalBearing,
    LinearBearing,
    Pose,
    ThrustBearing,
    Transmission,
)
from paraxis.robots.joint import WORLD, checked_axis

RIGHT = math.pi / 2
KINDS = ("revolute", "continuous", "prismatic")

# -- the generator ---------------------------------------------------------------------------------


def random_robot(source=0, joints=(1, 12), kinds=KINDS, massless=False, rotors=True):
    """A robot from a seed or a `random.Random`: any tree, any seats, any inertias.

    With `massless`, some bodies have no mass. Every other inertial parameter is nonzero, and
    every body could be built.
    """
    rng = source if isinstance(source, random.Random) else random.Random(source)
    n = rng.randint(*joints)
    chain = rng.random() < 0.3
    parts, inertias, frames = [], [], [Frame("base", WORLD, random_pose(rng))]
    for i in range(n):
        parent = i - 1 if chain else rng.randint(WORLD, i - 1)
        rotor = rng.uniform(0.01, 2.0) if rotors and rng.random() < 0.7 else 0.0
        seat = random_pose(rng)
        parts.append(
            Joint(f"j{i}", rng.choice(kinds), parent, seat, random_axis(rng), rotor_inertia=rotor)
        )
        empty = massless and rng.random() < 0.4
        inertias.append(Inertia() if empty else random_inertia(rng))
        frames.append(Frame(f"f{i}", i, random_pose(rng)))
    gravity = tuple(rng.uniform(-12, 12) for _ in range(3))
    return Robot("random", parts, inertias, frames, gravity, random_pose(rng))


def in_a_row(robot):
    """The robot with each joint on the body before it."""
    row = [replace(joint, parent=i + WORLD) for i, joint in enumerate(robot.joints)]
    return replace(robot, joints=tuple(row))


def random_chain(source=0, joints=(1, 7), **options):
    """A random robot with its joints put in a row."""
    return in_a_row(random_robot(source, joints, **options))


def random_angle(rng):
    """Any angle; often a right one, a half turn, or one a hair away from those."""
    kind = rng.randint(0, 3)
    if kind == 0:
        return rng.uniform(-math.pi, math.pi)
    angle = RIGHT * rng.randint(-2, 2)
    if kind == 1:
        angle += rng.choice((-1, 1)) * 10 ** rng.uniform(-9, -6)
    return angle


def random_pose(rng):
    xyz = [rng.choice((0.0, rng.uniform(-1, 1))) for _ in range(3)]
    return Pose.from_rpy(xyz, [random_angle(rng) for _ in range(3)])


def random_axis(rng):
    """A coordinate axis, one a hair away from it, or an oblique one."""
    kind = rng.randint(0, 2)
    if kind == 0:
        axis = [rng.uniform(0.1, 1) * rng.choice((-1, 1)) for _ in range(3)]
    else:
        hair = 10 ** rng.uniform(-9, -6) if kind == 1 else 0.0
        axis = [1.0, hair, -hair]
        rng.shuffle(axis)
        axis = [rng.choice((-1, 1)) * v for v in axis]
    return checked_axis(axis, "random")


def random_inertia(rng):
    """A body that can be built, all ten of its parameters nonzero.

    Its second moments of mass are those of masses at the columns of a matrix, so they are
    positive definite, which is what a solid body needs.
    """
    mass = rng.uniform(0.1, 10)
    com = [rng.choice((-1, 1)) * rng.uniform(0.01, 0.5) for _ in range(3)]
    a = np.zeros((3, 3))
    for row in range(3):
        for column in range(row):
            a[row, column] = rng.choice((-1, 1)) * rng.uniform(0.02, 0.1)
        a[row, row] = rng.uniform(0.1, 0.3)
    spread = mass * a @ a.T
    return Inertia.of(mass, com, np.trace(spread) * np.eye(3) - spread)


def with_losses(robot, source=0):
    """The robot with random bearings and transmissions; some joints get none of one or both."""
    rng = source if isinstance(source, random.Random) else random.Random(source)
    joints = [
        replace(joint, friction=random_friction(rng, joint), transmission=random_transmission(rng))
        for joint in robot.joints
    ]
    return replace(robot, joints=joints, warn=False)


def random_friction(rng, joint):
    if rng.random() < 0.2:
        return Friction()
    coulomb = rng.choice((0.0, rng.uniform(0.1, 2)))
    return Friction(
        [random_bearing(rng, joint) for _ in range(rng.randint(0, 3))],
        viscous=rng.choice((0.0, rng.uniform(0.1, 2))),
        coulomb=coulomb,
        static=rng.choice((None, coulomb + rng.uniform(0.1, 1))),
        stribeck_velocity=rng.uniform(0.01, 1),
    )


def random_bearing(rng, joint):
    coefficient, radius, length = (rng.uniform(0.01, 0.3) for _ in range(3))
    if not joint.is_revolute:
        return LinearBearing(coefficient, length)
    if rng.random() < 0.5:
        return ThrustBearing(coefficient, radius)
    return JournalBearing(coefficient, radius, length)


def random_transmission(rng):
    """Ideal, of constant efficiency, or with a table of few or many rows; either way round."""
    if rng.random() < 0.2:
        return Transmission(ratio=rng.choice((1.0, -30.0)))
    efficiency = rng.uniform(0.3, 1)
    if rng.random() < 0.7:
        loads = np.cumsum([rng.uniform(0.01, 0.3) for _ in range(rng.randint(2, 6))])
        rises = sorted(rng.uniform(0.2, 1) for _ in loads)
        efficiency = list(zip(loads, rises, strict=True))
    return Transmission(
        ratio=rng.choice((-1, 1)) * rng.uniform(0.5, 100),
        efficiency=efficiency,
        interpolation=rng.choice(("linear", "cubic")),
        break_away=rng.choice((0.0, rng.uniform(0.1, 5))),
        rotor_inertia=rng.choice((0.0, rng.uniform(1e-5, 1e-4))),
        torque_limit=rng.uniform(10, 300),
    )


@st.composite
def robots(draw, **options):
    """Robots as `random_robot` makes them, from choices that Hypothesis can shrink."""
    return random_robot(draw(st.randoms(use_true_random=False)), **options)


def states(robot, count=3, seed=0):
    """q, qd, qdd of shape (count, n); the first state stands at right angles."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-math.pi, math.pi, (count, robot.n))
    q[0] = RIGHT * rng.integers(-2, 3, robot.n)
    return q, rng.uniform(-3, 3, (count, robot.n)), rng.uniform(-5, 5, (count, robot.n))


def relative_error(ours, reference):
    """The project's error measure: max|d| / max(1, max|reference|) a state, the worst state."""
    ours, reference = np.asarray(ours), np.asarray(reference)
    assert ours.shape == reference.shape
    return float((abs(ours - reference).max(-1) / np.maximum(1, abs(reference).max(-1))).max())


# -- Pinocchio -------------------------------------------------------------------------------------


def pinocchio_model(robot):
    """The robot as Pinocchio's model: a revolute or prismatic joint about any axis each.

    Pinocchio's root frame is the world, so gravity is turned instead of the base.
    """
    import pinocchio as pin

    model = pin.Model()
    down = np.array(robot.base.rotation).T @ robot.gravity
    model.gravity = pin.Motion(down, np.zeros(3))
    for joint, body in zip(robot.joints, robot.inertias, strict=True):
        turning, sliding = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
        kind = turning if joint.is_revolute else sliding
        seat = pin.SE3(np.array(joint.placement.rotation), np.array(joint.placement.translation))
        i = model.addJoint(joint.parent + 1, kind(*joint.axis), seat, joint.name)
        model.addJointFrame(i)  # without which Pinocchio cannot lock joints
        inertia = pin.Inertia(body.mass, np.array(body.com), body.matrix)
        model.appendBodyToJoint(i, inertia, pin.SE3.Identity())
    model.armature = np.array([joint.rotor_inertia for joint in robot.joints])
    return model


def pinocchio_torques(robot, q, qd, qdd):
    """pin.rnea on states (count, n)."""
    import pinocchio as pin

    model = pinocchio_model(robot)
    data = model.createData()
    rows = zip(q, qd, qdd, strict=True)
    return np.array([pin.rnea(model, data, *row).copy() for row in rows])


def pinocchio_on_a_moving_base(robot, motion, velocity, acceleration):
    """Torques and reactions of one state from Pinocchio, where the root is a body that flies.

    Pinocchio has the linear part first, and the rate of the velocity's coordinates instead of the
    acceleration of the origin.
    """
    import pinocchio as pin

    fixed = pinocchio_model(robot)
    free = pin.Model()
    free.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    free.appendBodyToJoint(1, pin.Inertia.Zero(), pin.SE3.Identity())
    for i in range(1, fixed.njoints):
        seat, parent = fixed.jointPlacements[i], fixed.parents[i] + 1
        free.addJoint(parent, fixed.joints[i], seat, fixed.names[i])
        free.appendBodyToJoint(i + 1, fixed.inertias[i], pin.SE3.Identity())
    free.gravity = fixed.gravity
    free.armature = np.concatenate((np.zeros(6), fixed.armature))
    (spin, speed), (turn, rise) = np.split(velocity, 2), np.split(acceleration, 2)
    q, qd, qdd = motion
    data = free.createData()
    torques = pin.rnea(
        free,
        data,
        np.concatenate(([0, 0, 0, 0, 0, 0, 1], q)),
        np.concatenate((speed, spin, qd)),
        np.concatenate((rise - np.cross(spin, speed), turn, qdd)),
    )[6:]
    return torques, np.array([[*f.angular, *f.linear] for f in list(data.f)[2:]])


# -- MuJoCo ----------------------------------------------------------------------------------------


def mujoco_xml(robot):
    """The robot as MJCF text: bodies without shapes, joints without limits or losses."""
    below = {i: [] for i in range(WORLD, robot.n)}
    for i, joint in enumerate(robot.joints):
        below[joint.parent].append(i)

    def words(numbers):
        return " ".join(repr(float(v)) for v in numbers)

    def placed(pose):
        x, y, _ = zip(*pose.rotation, strict=True)  # columns: the child's axes in the parent
        return f'pos="{words(pose.translation)}" xyaxes="{words(x + y)}"'

    def body(i):
        joint, mass = robot.joints[i], robot.inertias[i]
        kind = "hinge" if joint.is_revolute else "slide"
        return (
            f"<body {placed(joint.placement)}>"
            f'<joint name="{joint.name}" type="{kind}" axis="{words(joint.axis)}" '
            f'armature="{joint.rotor_inertia!r}"/>'
            f'<inertial mass="{mass.mass!r}" pos="{words(mass.com)}" '
            f'fullinertia="{words(mass.about_com)}"/>' + "".join(map(body, below[i])) + "</body>"
        )

    return (
        f'<mujoco><compiler angle="radian"/><option gravity="{words(robot.gravity)}"/>'
        f"<worldbody><body {placed(robot.base)}>"
        + "".join(map(body, below[WORLD]))
        + "</body></worldbody></mujoco>"
    )


def mujoco_torques(xml, robot, q, qd, qdd):
    """mj_inverse on states (count, n), in the robot's order of joints."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    kind = mujoco.mjtObj.mjOBJ_JOINT
    names = [mujoco.mj_id2name(model, kind, i) for i in range(model.njnt)]
    assert sorted(names) == sorted(robot.joint_names)
    order = [robot.joint_names.index(name) for name in names]
    data, torques = mujoco.MjData(model), np.empty_like(q)
    for state in range(len(q)):
        for target, values in ((data.qpos, q), (data.qvel, qd), (data.qacc, qdd)):
            target[:] = values[state, order]
        mujoco.mj_inverse(model, data)
        torques[state, order] = data.qfrc_inverse
    return torques


# -- energies from the description -----------------------------------------------------------------


def skew(v):
    x, y, z = v
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def body_poses(robot, q):
    """The 4x4 pose of every body in the world, by Rodrigues' formula; q may be complex."""
    poses = []
    for joint, angle in zip(robot.joints, q, strict=True):
        parent = robot.base.matrix if joint.parent == WORLD else poses[joint.parent]
        motion, axis = np.eye(4, dtype=np.result_type(angle)), np.array(joint.axis)
        if joint.is_revolute:
            k = skew(axis)
            motion[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
        else:
            motion[:3, 3] = axis * angle
        poses.append(parent @ joint.placement.matrix @ motion)
    return poses


def potential_energy(robot, q):
    """Minus the work of gravity on every body, from the world's origin."""
    return sum(
        -body.mass * np.array(robot.gravity) @ (pose @ (*body.com, 1))[:3]
        for body, pose in zip(robot.inertias, body_poses(robot, q), strict=True)
    )


def kinetic_energy(robot, q, qd):
    """Of bodies and rotors, from velocities in world coordinates."""
    spins, speeds, total = [], [], 0.0
    poses = body_poses(robot, q)
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        turn, here = poses[i][:3, :3], poses[i][:3, 3]
        spin = speed = np.zeros(3)
        if joint.parent != WORLD:
            spin = spins[joint.parent]
            speed = speeds[joint.parent] + skew(spin) @ (here - poses[joint.parent][:3, 3])
        along = turn @ joint.axis * qd[i]
        if joint.is_revolute:
            spin = spin + along
        else:
            speed = speed + along
        spins.append(spin)
        speeds.append(speed)
        centre = speed + skew(spin) @ (turn @ body.com)
        local = turn.T @ spin
        total = total + 0.5 * body.mass * (centre @ centre) + 0.5 * local @ body.matrix @ local
        total = total + 0.5 * joint.rotor_inertia * qd[i] ** 2
    return total
