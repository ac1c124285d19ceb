"""Directions of a contact, six-vectors as columns: completed to six, and their duals."""

import numpy as np

from ...robots.pose import clean


def complement(matrix):
    """Orthonormal directions (6, 6 - k) that are orthogonal to these, along axes where possible."""
    basis, _ = np.linalg.qr(matrix)
    found = []
    for _ in range(6 - matrix.shape[1]):
        left = np.eye(6) - basis @ basis.T
        left = left[:, np.argmax(np.linalg.norm(left, axis=0).round(9))]
        found.append(left / np.linalg.norm(left))
        basis = np.column_stack([basis, found[-1]])
    return clean(np.column_stack(found)) if found else np.empty((6, 0))


def duals(motion, constraint):
    """The bases dual to both: a force along one of these works along its own direction only."""
    both = np.linalg.inv(np.column_stack([motion, constraint])).T
    return clean(both[:, : motion.shape[1]]), clean(both[:, motion.shape[1] :])
