"""Robots, their inverse dynamics compiled for the CPU, and states to call the kernels with."""

from functools import cache

import numpy as np

import paraxis as px

ROBOTS = ("puma560", "stanford", "ur5", "tree")
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
WIDTHS = {"float64": (2, 4, 8), "float32": (4, 8, 16)}  # lanes


def random_tree(seed, n=7):
    """A branching robot without a zero in it: both joint kinds, tilted axes, full inertias."""
    rng = np.random.default_rng(seed)

    def rotation():
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        return turned * np.sign(np.linalg.det(turned))

    joints, inertias = [], []
    for i in range(n):
        axis = rng.normal(size=3)
        joints.append(
            px.robots.Joint(
                f"j{i}",
                ("revolute", "prismatic")[i % 3 == 2],
                int(rng.integers(-1, i)),
                px.robots.Pose.of(rotation(), rng.normal(size=3)),
                tuple(axis / np.linalg.norm(axis)),
                rotor_inertia=float(rng.uniform(0, 1)),
            )
        )
        points = rng.normal(size=(5, 3))  # five specks of mass make a body that can be built
        spread = np.einsum("ij,ij", points, points) * np.eye(3) - points.T @ points
        inertias.append(px.robots.Inertia.of(rng.uniform(0.5, 5), rng.normal(size=3), spread))
    return px.Robot(f"tree{seed}", joints, inertias, gravity=(1.0, -2.0, -9.0))


@cache
def robot(name):
    return random_tree(3) if name == "tree" else px.load(name)


@cache
def program(name):
    return px.program(robot(name))


@cache
def kernel(name, dtype="float64", threads=None):
    return program(name).compile(dtype=dtype, threads=threads)


def states(name, *batch, seed=0, dtype="float64"):
    """Random q, qd, qdd."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, robot(name).n)).astype(dtype) for _ in range(3)]


def one_by_one(kernel, arrays):
    """Every state of a batch computed alone: the bits all other ways must give."""
    return np.stack(
        [kernel(*(np.ascontiguousarray(a[i]) for a in arrays)) for i in range(len(arrays[0]))]
    )


def both_ways(kernel):
    """The call as users write it, which starts in native code, and the general path behind it."""
    return {"call": kernel, "general": kernel.general}
