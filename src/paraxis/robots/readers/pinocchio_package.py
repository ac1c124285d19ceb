"""The package Pinocchio, and its poses."""

import numpy as np

from ...errors import MissingPackageError
from ..pose import Pose


def pinocchio_package():
    """The package `pinocchio`."""
    try:
        import pinocchio
    except ImportError:
        raise MissingPackageError("this needs Pinocchio: pip install pin") from None
    return pinocchio


def a_pose(placement):
    """A pose from a pinocchio.SE3."""
    return Pose.of(placement.rotation, np.asarray(placement.translation).tolist(), "placement")
