"""Robot dynamics as a first course teaches it, in NumPy, sharing no line with the package.

Everything is in world coordinates: 4x4 poses, the velocity and acceleration of every link, its
Jacobian by cross products, then d'Alembert's principle: the torques are those of the forces that
accelerate each link, seen through its Jacobian. Slow, and as plain as can be.

Robots come from two readers. `of_robot` copies the numbers of a px.Robot. `of_urdf` reads the file
itself and welds nothing: a fixed joint is a joint that does not move.
"""

import math
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

GRAVITY = (0.0, 0.0, -9.81)


class Link(NamedTuple):
    name: str
    parent: int  # the index of a link before this one, or -1
    seat: np.ndarray  # 4x4, where the joint holds the link at q = 0
    kind: str  # revolute, prismatic or fixed
    axis: np.ndarray
    coordinate: int  # its place in q, -1 if fixed
    mass: float
    center: np.ndarray
    inertia: np.ndarray  # 3x3 about the centre of mass, along the link's axes
    rotor: float = 0.0


class Textbook:
    """The links of a robot in one state of motion. All vectors are in the world.

    `base` is the pose of the root, and `motion` its velocity and acceleration: six numbers each,
    angular first, along the root's axes. What belongs to link i is at [i]; to the root, at [-1].
    """

    def __init__(self, links, q, qd, qdd, gravity=GRAVITY, base=None, motion=(0.0,) * 12):
        self.links, self.gravity, self.n = links, np.array(gravity), len(q)
        self.qd, self.qdd = qd, qdd
        self.poses, self.ways = {-1: np.eye(4) if base is None else base}, {-1: []}
        R = self.poses[-1][:3, :3]
        spin, speed, turning, rising = (R @ each for each in np.reshape(motion, (4, 3)))
        self.spin, self.turning = {-1: spin}, {-1: turning}  # angular velocity and acceleration
        self.speed, self.rising = {-1: speed}, {-1: rising}  # those of the link's origin
        for i, link in enumerate(links):
            self.ways[i] = [*self.ways[link.parent], i]  # the links from the root to this one
            self._place(i, link, q)
            self._move(i, link)

    def _place(self, i, link, q):
        moved = np.eye(4)
        if link.kind == "revolute":
            moved[:3, :3] = turn(link.axis, q[link.coordinate])
        elif link.kind == "prismatic":
            moved[:3, 3] = link.axis * q[link.coordinate]
        self.poses[i] = self.poses[link.parent] @ link.seat @ moved

    def _move(self, i, link):
        """With the parent, as one of its points; then as the joint moves on it."""
        p, here = link.parent, self.poses[i]
        spin, turning = self.spin[p], self.turning[p]
        arm = here[:3, 3] - self.poses[p][:3, 3]
        speed = self.speed[p] + np.cross(spin, arm)
        rising = self.rising[p] + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm))
        if link.kind != "fixed":
            axis = here[:3, :3] @ link.axis
            rate, change = axis * self.qd[link.coordinate], axis * self.qdd[link.coordinate]
            if link.kind == "revolute":
                turning = turning + change + np.cross(spin, rate)
                spin = spin + rate
            else:
                rising = rising + change + 2 * np.cross(spin, rate)
                speed = speed + rate
        self.spin[i], self.turning[i], self.speed[i], self.rising[i] = spin, turning, speed, rising

    # -- points ------------------------------------------------------------------------------------

    def point(self, i, offset=(0, 0, 0)):
        """A point of link i, given along the link's axes, in the world."""
        return (self.poses[i] @ (*offset, 1.0))[:3]

    def velocity(self, i, offset):
        return self.speed[i] + np.cross(self.spin[i], self.poses[i][:3, :3] @ offset)

    def acceleration(self, i, offset):
        arm, spin = self.poses[i][:3, :3] @ offset, self.spin[i]
        return self.rising[i] + np.cross(self.turning[i], arm) + np.cross(spin, np.cross(spin, arm))

    def jacobian(self, i, offset=(0, 0, 0)):
        """(6, n), angular first: how link i turns and its point moves with each joint's rate."""
        J, end = np.zeros((6, self.n)), self.point(i, offset)
        for k in self.ways[i]:
            link, axis = self.links[k], self.poses[k][:3, :3] @ self.links[k].axis
            if link.kind == "revolute":
                J[:3, link.coordinate] += axis
                J[3:, link.coordinate] += np.cross(axis, end - self.point(k))
            elif link.kind == "prismatic":
                J[3:, link.coordinate] += axis
        return J

    # -- dynamics ----------------------------------------------------------------------------------

    @property
    def rotors(self):
        found = np.zeros(self.n)
        for link in self.links:
            if link.kind != "fixed":
                found[link.coordinate] = link.rotor
        return found

    def inertia_of(self, i):
        R = self.poses[i][:3, :3]
        return R @ self.links[i].inertia @ R.T

    def torques(self, pushes=None):
        """`pushes`: moment and force on each link from outside, at its origin, along its axes."""
        tau = self.rotors * self.qdd
        for i, link in enumerate(self.links):
            I, w, J = self.inertia_of(i), self.spin[i], self.jacobian(i, link.center)
            force = link.mass * (self.acceleration(i, link.center) - self.gravity)
            moment = I @ self.turning[i] + np.cross(w, I @ w)
            tau = tau + J[:3].T @ moment + J[3:].T @ force
            if pushes is not None:
                R, J = self.poses[i][:3, :3], self.jacobian(i)
                tau = tau - J[:3].T @ R @ pushes[i][:3] - J[3:].T @ R @ pushes[i][3:]
        return tau

    def mass_matrix(self):
        M = np.diag(self.rotors)
        for i, link in enumerate(self.links):
            J = self.jacobian(i, link.center)
            M = M + J[:3].T @ self.inertia_of(i) @ J[:3] + link.mass * J[3:].T @ J[3:]
        return M

    def kinetic_energy(self):
        energy = 0.5 * self.rotors @ self.qd**2
        for i, link in enumerate(self.links):
            v, w = self.velocity(i, link.center), self.spin[i]
            energy += 0.5 * link.mass * v @ v + 0.5 * w @ self.inertia_of(i) @ w
        return energy

    def potential_energy(self):
        centers = [(link.mass, self.point(i, link.center)) for i, link in enumerate(self.links)]
        return -sum(mass * self.gravity @ at for mass, at in centers)


# -- readers ---------------------------------------------------------------------------------------


def of_robot(robot):
    """The links of a px.Robot."""
    links = []
    for i, (joint, body) in enumerate(zip(robot.joints, robot.inertias, strict=True)):
        xx, yy, zz, xy, xz, yz = body.about_com
        links.append(
            Link(
                joint.name,
                joint.parent,
                np.array(joint.placement.matrix),
                "prismatic" if joint.kind == "prismatic" else "revolute",
                np.array(joint.axis),
                i,
                body.mass,
                np.array(body.com),
                np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
                joint.reflected_inertia,
            )
        )
    return links


def of_urdf(path, coordinates):
    """The links of a URDF file, the fixed ones too. `coordinates`: the place of each joint in q.

    A link that is fixed to the ground has no mass here: it has no part in what moves.
    """
    root = ElementTree.parse(path).getroot()
    elements = {element.get("name"): element for element in root.iterfind("link")}
    joints = {j.find("child").get("link"): j for j in root.iterfind("joint")}
    (trunk,) = elements.keys() - joints.keys()
    links, index = [], {trunk: -1}
    waiting = list(joints)
    while waiting:
        child = waiting.pop(0)
        joint = joints[child]
        parent = joint.find("parent").get("link")
        if parent not in index:
            waiting.append(child)
            continue
        kind = {"continuous": "revolute"}.get(joint.get("type"), joint.get("type"))
        axis = np.array([1.0, 0.0, 0.0])
        if joint.find("axis") is not None and kind != "fixed":
            axis = numbers(joint.find("axis").get("xyz"))
        moves = kind != "fixed" or _moves(links, index[parent])
        body = inertial(elements[child].find("inertial") if moves else None)
        index[child] = len(links)
        links.append(
            Link(
                child,
                index[parent],
                origin(joint.find("origin")),
                kind,
                axis / np.linalg.norm(axis),
                -1 if kind == "fixed" else coordinates[joint.get("name")],
                *body,
            )
        )
    return links


def _moves(links, i):
    while i >= 0 and links[i].kind == "fixed":
        i = links[i].parent
    return i >= 0


def inertial(element):
    """Mass, centre of mass, and the inertia about it along the link's axes."""
    if element is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    of = element.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        float(of.get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    place = origin(element.find("origin"))
    R, I = place[:3, :3], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(element.find("mass").get("value")), place[:3, 3], R @ I @ R.T


def origin(element):
    """The 4x4 pose of an <origin>: turns about the fixed axes x, y, z, in this order."""
    pose = np.eye(4)
    if element is not None:
        r, p, y = numbers(element.get("rpy", "0 0 0"))
        x_axis, y_axis, z_axis = np.eye(3)
        pose[:3, :3] = turn(z_axis, y) @ turn(y_axis, p) @ turn(x_axis, r)
        pose[:3, 3] = numbers(element.get("xyz", "0 0 0"))
    return pose


def numbers(text):
    return np.array([float(word) for word in text.split()])


def error(ours, reference):
    """The design's error measure, of one state: max|d| / max(1, max|reference|)."""
    ours, reference = np.asarray(ours), np.asarray(reference)
    assert ours.shape == reference.shape
    return abs(ours - reference).max() / max(1.0, abs(reference).max())


def turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
