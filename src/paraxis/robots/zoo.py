"""Built-in robots: the arms of the papers, a common arm of today, simple chains."""

import math

import numpy as np

from ..errors import RobotError
from .frame import Frame
from .inertia import Inertia
from .joint import Joint
from .pose import Pose
from .robot import Robot

RIGHT = math.pi / 2

# alpha, a, d, theta (modified convention): Dhanaraj, Table 2.1
_PUMA_ROWS = [
    (0, 0, 0, 0),
    (-RIGHT, 0, 0.2435, 0),
    (0, 0.4318, -0.0934, 0),
    (RIGHT, -0.0203, 0.4331, 0),
    (-RIGHT, 0, 0, 0),
    (RIGHT, 0, 0, 0),
]


def puma560():
    """The PUMA 560 of Dhanaraj's thesis, Tables 2.1, 2.5 and 2.6.

    The inertias of links 5 and 6 are a tenth of what is printed there (a misprint). Of link 1
    only the moment about its own axis matters, and only that is known. Rotor inertias are kept
    apart from the links and add to the diagonal of the mass matrix.
    """
    links = [
        (0, (0, 0, 0), (0, 0, 0.35)),
        (17.4, (0.068, 0.006, -0.016), (0.13, 0.524, 0.539)),
        (4.8, (0, -0.07, 0.014), (0.066, 0.0125, 0.086)),
        (0.82, (0, 0, -0.019), (0.0018, 0.0018, 0.0013)),
        (0.34, (0, 0, 0), (0.0003, 0.0003, 0.0004)),
        (0.09, (0, 0, 0.032), (0.00015, 0.00015, 0.00004)),
    ]
    rotors = (1.14, 4.71, 0.83, 0.2, 0.179, 0.193)
    return Robot.from_dh(_PUMA_ROWS, links, name="puma560", rotor_inertia=rotors, warn=False)


def puma560_thesis():
    """The PUMA 560 exactly as the thesis's generator was given it (appendix D.2).

    Rotor inertia is folded into Izz and inertias about the link origin are used as central
    ones: good for counting operations, wrong as physics.
    """
    links = [
        (0, (0, 0, 0), (0, 0, 1.49)),
        (17.4, (-0.068, 0, 0), (0.1351, 0.6089, 5.3301)),
        (4.8, (0, -0.07, 0), (0.066, 0.0134, 0.9395)),
        (0.82, (0, 0, 0), (0.0021, 0.0021, 0.2013)),
        (0.34, (0, 0, 0), (0.0003, 0.0003, 0.1794)),
        (0.09, (0, 0, 0.032), (0.0002422, 0.0002422, 0.193)),
    ]
    return Robot.from_dh(_PUMA_ROWS, links, name="puma560_thesis", gravity=(0, 0, -9.8), warn=False)


def stanford():
    """The Stanford arm of Dhanaraj's thesis, Tables 2.2 (rows 3 and 4 corrected), 2.7 and 2.8.

    The moment of link 3 about its own axis is not printed; it is 0 here. The motor entry of
    joint 3, which slides, is a mass.
    """
    rows = [
        (0, 0, 0, 0),
        (-RIGHT, 0, 0.1524, 0),
        (RIGHT, 0, 0, 0),
        (0, 0, 0, 0),
        (-RIGHT, 0, 0, 0),
        (RIGHT, 0, 0, 0),
    ]
    links = [
        (9.29, (0, -0.1165, -0.0175), (0.276, 0.071, 0.255)),
        (5.01, (0, 0, -0.1054), (0.108, 0.1, 0.018)),
        (4.25, (0, 0, 0.6447), (2.51, 2.51, 0)),
        (1.08, (0, -0.0054, -0.0092), (0.002, 0.001, 0.001)),
        (0.63, (0, -0.0566, 0), (0.003, 0.0004, 0.003)),
        (0.51, (0, 0, 0.1554), (0.013, 0.013, 0.0003)),
    ]
    return Robot.from_dh(
        rows,
        links,
        name="stanford",
        kinds=("revolute", "revolute", "prismatic", "revolute", "revolute", "revolute"),
        rotor_inertia=(0.953, 2.193, 0.782, 0.106, 0.097, 0.02),
        warn=False,
    )


def ur5():
    """The Universal Robots UR5, with the numbers of its public robot description."""
    quarter = 1.57079632679  # as the description writes a right angle
    full, half = 6.28318530718, 3.14159265359
    # joint, its offset and pitch, axis, mass, com z, (Ixx = Iyy, Izz), range, speed, effort
    rows = [
        ("shoulder_pan", (0, 0, 0.089159), 0, "z", 3.7, 0, (0.010267495893, 0.00666), full),
        (
            "shoulder_lift",
            (0, 0.13585, 0),
            quarter,
            "y",
            8.393,
            0.28,
            (0.22689067591, 0.0151074),
            full,
        ),
        ("elbow", (0, -0.1197, 0.425), 0, "y", 2.275, 0.25, (0.049443313556, 0.004095), half),
        ("wrist_1", (0, 0, 0.39225), quarter, "y", 1.219, 0, (0.111172755531, 0.21942), full),
        ("wrist_2", (0, 0.093, 0), 0, "z", 1.219, 0, (0.111172755531, 0.21942), full),
        ("wrist_3", (0, 0, 0.09465), 0, "y", 0.1879, 0, (0.0171364731454, 0.033822), full),
    ]
    axes = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    links = ("shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3")
    joints, inertias, frames = [], [], [Frame("base_link", -1)]
    for i, (name, xyz, pitch, axis, mass, z, (across, along), reach) in enumerate(rows):
        strong = i < 3
        seat = Pose.from_rpy(xyz, (0, pitch, 0))
        joints.append(
            Joint(
                f"{name}_joint",
                "revolute",
                i - 1,
                seat,
                axes[axis],
                -reach,
                reach,
                3.15 if strong else 3.2,
                150.0 if strong else 28.0,
            )
        )
        inertias.append(Inertia.of(mass, (0, 0, z), (across, across, along)))
        frames.append(Frame(f"{links[i]}_link", i))
    frames.append(Frame("ee_link", 5, Pose.from_rpy((0, 0.0823, 0), (0, 0, quarter))))
    frames.append(Frame("tool0", 5, Pose.from_rpy((0, 0.0823, 0), (-quarter, 0, 0))))
    root = Inertia.of(4.0, (0, 0, 0), (0.00443333156, 0.00443333156, 0.0072))
    return Robot("ur5", joints, inertias, frames, root=root)


def planar(n: int, length: float = 1.0, mass: float = 1.0) -> Robot:
    """n uniform slender rods hinged end to end, swinging in the vertical x-z plane.

    **Arguments:**

    - `n`: the number of joints, an integer >= 1.
    - `length`, `mass`: of each rod, m and kg.

    **Returns:** a `px.Robot` with frames base, link1, link2, ..., tip.

    **Raises:** `px.RobotError` if a number is out of range.

    **Example:**

    >>> px.robots.planar(3, length=0.5)
    <Robot planar3: 3 joints, a chain, 3 kg moving, gravity (0 0 -9.81) m/s²>
    >>> px.forward_kinematics(px.robots.planar(3, length=0.5), np.zeros(3))[:3, 3]
    array([1.5, 0. , 0. ])
    """
    rod = (mass, (length / 2, 0, 0), (0, mass * length**2 / 12, mass * length**2 / 12))
    return _serial("planar", n, length, rod, [(0.0, -1.0, 0.0)])


def chain(n: int, length: float = 0.2, mass: float = 0.5) -> Robot:
    """n equal links in space, each hinge at a right angle to the one before.

    **Arguments:**

    - `n`: the number of joints, an integer >= 1.
    - `length`, `mass`: of each link, m and kg.

    **Returns:** a `px.Robot` with frames base, link1, link2, ..., tip.

    **Raises:** `px.RobotError` if a number is out of range.

    **Example:**

    >>> robot = px.robots.chain(1000)
    >>> robot.n, robot.frame_names[-1]
    (1000, 'tip')
    >>> px.forward_dynamics(robot, np.zeros(1000), np.zeros(1000), np.zeros(1000)).shape
    (1000,)
    """
    link = (mass, (length / 2, 0.01, 0.005), (2e-4, 1.8e-3, 1.9e-3))
    return _serial("chain", n, length, link, [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])


def _serial(name, n, length, link, axes):
    """n equal links in a row along x, hinged about `axes` in turn."""
    if not isinstance(n, int | np.integer) or n < 1:
        raise RobotError(f"{name}: expected a number of joints >= 1, found {n!r}")
    n, step, body = int(n), Pose(translation=(float(length), 0.0, 0.0)), Inertia.of(*link)
    joints = [
        Joint(f"joint{i + 1}", "revolute", i - 1, step if i else Pose(), axes[i % len(axes)])
        for i in range(n)
    ]
    links = [Frame(f"link{i + 1}", i) for i in range(n)]
    frames = [Frame("base", -1), *links, Frame("tip", n - 1, step)]
    return Robot(f"{name}{n}", joints, [body] * n, frames, warn=False)


ZOO = {
    "puma560": puma560,
    "puma560_thesis": puma560_thesis,
    "stanford": stanford,
    "ur5": ur5,
    "planar3": lambda: planar(3),
}
