"""A path of a frame: straight from pose to pose, corners rounded or not."""

import math

import numpy as np

SLIVER = 1e-4  # of the length


class Polyline:
    """Poses over the distance s from the start, turning evenly while the origin goes straight.

    Over lengths[k] of s the origin moves by displacements[k] and the frame turns by rotations[k], a
    vector along the axis in the frame's own coordinates. From `blend` before an inner corner to
    `blend` after, one segment ends while the next one sets in, with two continuous derivatives.
    """

    def __init__(self, start, displacements, rotations, lengths, blend=0.0):
        self.start = start
        self.rates = [
            (move / length, turn / length)
            for move, turn, length in zip(displacements, rotations, lengths, strict=True)
        ]
        self.corners = np.cumsum([0.0, *lengths])
        self.blend = blend

    @property
    def length(self):
        return float(self.corners[-1])

    @property
    def breaks(self):
        """The distances between which the path is one formula, but for slivers between two blends.

        No curve of fifth powers over a sliver has a second derivative that is worth anything.
        """
        inner = [place + side for place in self.corners[1:-1] for side in (-self.blend, self.blend)]
        inner = np.unique(np.clip(inner, 0.0, self.length))
        inner = inner[np.diff(inner, prepend=0.0) > SLIVER * self.length]
        return np.array([0.0, *inner[self.length - inner > SLIVER * self.length], self.length])

    @property
    def limited_parts(self):
        """The parts of a twist, angular 0 and linear 1, whose size a velocity limits, and of which
        an acceleration does.

        Those of the origin; where a line only turns, those of the turn.
        """
        moves = [bool(move.any()) for move, _ in self.rates]
        if all(moves):
            return (1,), (1,)
        return ((1,), (0, 1)) if any(moves) else ((0,), (0,))

    def __call__(self, s):
        """The pose (4, 4) at s, and how it changes with s: twist and its rate (6,), angular first.

        Both are of the frame's origin, along the axes of the world.
        """
        p, turn = self.start[:3, 3].copy(), self.start[:3, :3]
        v, a, w, alpha = np.zeros((4, 3))  # of the origin; of the turn, in the frame's coordinates
        inner = [_ramp(s - corner, self.blend) for corner in self.corners[1:-1]]
        ramps = [(s, 1.0, 0.0), *inner, (0.0, 0.0, 0.0)]  # how far each segment is begun
        for k, (move, spin) in enumerate(self.rates):
            way, rate, rise = (
                begun - ended for begun, ended in zip(*ramps[k : k + 2], strict=True)
            )
            p, v, a = p + way * move, v + rate * move, a + rise * move
            after = rotation(way * spin)
            w, alpha = after.T @ w, after.T @ alpha
            alpha = alpha - np.cross(rate * spin, w) + rise * spin
            w = w + rate * spin
            turn = turn @ after
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn, p
        return pose, np.concatenate([turn @ w, v]), np.concatenate([turn @ alpha, a])


def _ramp(x, d):
    """max(x, 0), rounded between -d and d, and its first two derivatives."""
    if abs(x) >= d:
        return max(x, 0.0), float(x >= 0), 0.0
    y = x / d
    return d * (3 + 8 * y + 6 * y**2 - y**4) / 16, (2 + 3 * y - y**3) / 4, 3 * (1 - y**2) / (4 * d)


def rotation(vector):
    """The rotation about `vector` by its length."""
    angle = math.sqrt(vector @ vector)
    x, y, z = vector
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * k + np.sinc(angle / 2 / np.pi) ** 2 / 2 * k @ k


def rotation_vector(turn):
    """The shortest vector whose rotation it is; of half a turn, one of the two."""
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    sine, cosine = math.sqrt(axis @ axis), (np.trace(turn) - 1) / 2
    angle = math.atan2(sine, cosine)
    if cosine > 0:
        return axis / np.sinc(angle / np.pi)
    # near half a turn the symmetric part knows the axis: turn + turnᵀ = 2 cos + 2 (1 - cos) k kᵀ
    square = (turn + turn.T) / 2 - cosine * np.eye(3)
    column = square[:, np.diag(square).argmax()]
    column = column / math.sqrt(column @ column)
    return angle * (column if column @ axis >= 0 else -column)
