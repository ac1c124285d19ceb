"""Where to start the search for a pose, or for a part of one: at postures whose poses are near it.

Some postures are centres: a pose belongs to the nearest centre's pose, and starts from that posture
first. For further attempts each centre has a list of other postures, those nearest to it first.
Postures are spread evenly by Kronecker's sequence (multiples of irrational numbers, modulo one),
so that the same pose is always sought from the same starts, and no random numbers are involved.
"""

import numpy as np

from ..api import forward_kinematics, trace
from ..scalar import less, select

CENTRES = 128
POSTURES = 512
COLUMNS = {"pose": slice(0, 4), "position": slice(3, 4), "rotation": slice(0, 3)}  # of a pose
CLOSE = 0.25  # of `length`: how far apart is as bad as frames turned by 41 degrees


class Starts:
    """Postures of a robot within limits, for several attempts at a goal, on a target.

    A goal is one of each frame of the robot.
    """

    def __init__(self, robot, goal, limits, length, attempts, target):
        self._scale, self._columns = CLOSE * length, COLUMNS[goal]
        self.postures = limits.positions(kronecker(POSTURES, robot.nv))
        poses = [forward_kinematics(robot, self.postures, name) for name in robot.frame_names]
        points = self._points(np.stack(poses, axis=1))
        centres = points[:CENTRES]
        lists = np.argsort(_apart(centres, points), axis=-1, kind="stable")[:, :attempts]
        self._lists, self._there = target.put(lists), target.put(self.postures)
        shape = (len(poses), 4, 4)
        nearest = trace(lambda poses: self._nearest(centres, poses), poses=shape)
        self._centre_of = nearest.compile(target.name)

    def centre_of(self, poses):
        """The number of the centre that poses (..., frames, 4, 4) belong to."""
        return self._centre_of(poses).astype(int)

    def start(self, centre, attempts):
        """The postures that poses of a centre start from, (..., attempts, nq)."""
        return self._there[self._lists[centre, attempts.start : attempts.stop]]

    def _points(self, poses):
        """Poses as points, 12 numbers or fewer a frame, of a space in which near ones are near."""
        turns, origins = poses[:, :, :3, :3], poses[:, :, :3, 3:] / self._scale
        points = np.concatenate([turns, origins], axis=-1)[..., self._columns]
        return points.reshape(len(poses), -1)

    def _nearest(self, centres, poses):
        """The number of the nearest centre, over generic scalars.

        |a - b|² = b² - 2 a·b + a², of which a², the pose's own, is the same for all.
        """
        rows = [
            (*turn, origin * (1.0 / self._scale)) for pose in poses for *turn, origin in pose[:3]
        ]
        point = [v for row in rows for v in row[self._columns]]
        scores = []
        for number, centre in enumerate(centres.tolist()):
            products = (-2.0 * c * v for c, v in zip(centre, point, strict=True))
            scores.append((sum(products, sum(c * c for c in centre)), float(number)))
        while len(scores) > 1:  # a knock-out, which is less deep than taking them in turn
            scores = [_nearer(*pair) for pair in zip(scores[::2], scores[1::2], strict=True)]
        return scores[0][1]


def _nearer(a, b):
    """The lower of two (score, number)."""
    first = less(a[0], b[0])
    return select(first, a[0], b[0]), select(first, a[1], b[1])


def _apart(a, b):
    """The squared distances of each of some points from each of others."""
    return (a * a).sum(-1)[:, None] - 2 * a @ b.T + (b * b).sum(-1)


def kronecker(count, n):
    """So many points of the unit cube: multiples of the powers of 1/g, modulo one, where g is the
    generalised golden ratio, the root of g^(n + 1) = g + 1 (Roberts, 2018)."""
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    return np.outer(np.arange(1, count + 1), ratio ** -np.arange(1.0, n + 1)) % 1.0
