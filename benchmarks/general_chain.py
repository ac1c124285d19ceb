"""A long chain for benchmarks: no two of its links are alike, no number of them is zero."""

import numpy as np

import paraxis as px

SEED = 6
AT_ONCE = 4_096  # links that are lists for a moment: their peak is none of the chain's


def general_chain(n, sliding=0.0, seed=SEED):
    """Links of some 10 cm and 0.1 to 1 kg; `sliding` is the share of prismatic joints."""
    rng = np.random.default_rng(seed)
    seats = _rotations(rng.normal(size=(n, 4)))
    steps = rng.uniform(0.02, 0.1, (n, 3)) * rng.choice((-1, 1), (n, 3))
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    slides = rng.random(n) < sliding
    mass = rng.uniform(0.1, 1.0, n)
    com = rng.uniform(0.01, 0.05, (n, 3)) * rng.choice((-1, 1), (n, 3))
    spread = rng.normal(scale=0.02, size=(n, 3, 3))
    spread = mass[:, None, None] * (spread @ spread.mT + 1e-4 * np.eye(3))
    spread = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    moments = spread[:, (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
    rotors = rng.uniform(1e-4, 1e-3, n)
    arrays = (seats, steps, axes, slides, mass, com, moments, rotors)
    joints, bodies = [], []
    for first in range(0, n, AT_ONCE):
        rows = (array[first : first + AT_ONCE].tolist() for array in arrays)
        for seat, step, axis, slides_here, kg, centre, six, rotor in zip(*rows, strict=True):
            i, kind = len(joints), "prismatic" if slides_here else "revolute"
            pose = px.robots.Pose(tuple(map(tuple, seat)), tuple(step))
            joints.append(
                px.robots.Joint(f"j{i}", kind, i - 1, pose, tuple(axis), rotor_inertia=rotor)
            )
            bodies.append(px.robots.Inertia(kg, tuple(centre), tuple(six)))
    return px.Robot(f"chain of {n}", joints, bodies)


def state_of(robot, seed=SEED):
    """q, qd, qdd, tau. Rates add up along the chain: they are so small that the last link turns at
    about 1 rad/s, and gains as much in a second."""
    rng, n = np.random.default_rng(seed), robot.n
    turns = [joint.is_revolute for joint in robot.joints]
    q = rng.uniform(-1, 1, n) * np.where(turns, np.pi, 0.05)
    return q, rng.normal(size=n) / np.sqrt(n), rng.normal(size=n) / np.sqrt(n), rng.normal(size=n)


def _rotations(quaternions):
    """Of four numbers each, the scalar last: all rotations alike where these are normal."""
    x, y, z, w = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), -1, 0)


def error(found, expected):
    return float(abs(found - expected).max() / max(1, abs(expected).max()))
