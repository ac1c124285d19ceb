"""Where all bodies are at all moments, from one compiled Program."""

from dataclasses import replace
from functools import partial

import numpy as np

from .. import api
from ..robots.frame import Frame

CHUNK = 2**17  # matrices that are in memory at the same time
FEW = 1_000  # states, for which compiling would take longer than the interpreter


def body_poses(robot, q):
    """(states, bodies, 7), float32: position in m and quaternion x, y, z, w in the world.

    q is (states, nq); poses are not finite where it is not.
    """
    frames = [Frame(f"body {i}", i) for i in range(robot.n)]
    posed = replace(robot, frames=frames, shapes=(), warn=False)
    program = api.program(posed, "frame_poses")
    poses = program.evaluate if len(q) <= FEW else partial(api.frame_poses, posed)
    found = np.empty((len(q), len(frames), 7), np.float32)
    step = max(1, CHUNK // len(frames))
    for begin in range(0, len(q), step):
        matrices = poses(q=q[begin : begin + step])
        found[begin : begin + step, :, :3] = matrices[..., :3, 3]
        found[begin : begin + step, :, 3:] = quaternions(matrices[..., :3, :3])
    return found


def quaternions(rotations):
    """Unit quaternions x, y, z, w of rotation matrices (..., 3, 3)."""
    diagonal = np.diagonal(rotations, axis1=-2, axis2=-1)
    trace = diagonal.sum(-1)
    # 4 q_i q_j for all pairs: the row with the largest diagonal entry is q, scaled
    four = np.empty((*trace.shape, 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        four[..., i, i] = 1.0 - trace + 2.0 * diagonal[..., i]
        four[..., i, j] = four[..., j, i] = rotations[..., i, j] + rotations[..., j, i]
        four[..., i, 3] = four[..., 3, i] = rotations[..., k, j] - rotations[..., j, k]
    four[..., 3, 3] = 1.0 + trace
    largest = np.nan_to_num(np.einsum("...ii->...i", four)).argmax(-1)
    row = np.take_along_axis(four, largest[..., None, None], -2)[..., 0, :]
    with np.errstate(invalid="ignore"):
        return row / np.linalg.norm(row, axis=-1, keepdims=True)


def pose_of(pose):
    """A Pose as seven numbers."""
    return [*pose.translation, *quaternions(np.array(pose.rotation)).tolist()]
