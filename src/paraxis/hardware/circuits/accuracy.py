"""How far the joint positions of a circuit are from those of float64, over the whole workspace.

Near a singularity a small change of the pose asks for a large one of the joints, so errors are
told by how far from it a solution is. Part of any error is no circuit's fault: a pose in words of
so many bits is rounded before anything is computed with it.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...api import forward_kinematics
from ...checks import whole_number
from ...errors import ArgumentError
from ...kinematics.closed_form import WRISTS, inverse_kinematics_solutions
from ...physics.inverse_kinematics.puma import arm_singularity
from ..cordic.formats import angle_between
from .kinematics_circuit import family_geometry


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Of one circuit, an entry a pose.

    `margin` is the distance of the solution from singularities: the least of three numbers that
    are 0 at one, and about 1 at most: how far the wrist's centre is from beside axis 1, over the
    arm's length; the sine at the elbow; and that at joint 5, without its sign. Where no valid
    solution is that far from singularities, `worst`, `worst_rounding` and `median` are NaN.
    """

    error: np.ndarray  # (poses, 6): radians, from float64; NaN where a pose is not valid
    rounding: np.ndarray  # (poses, 6): what float64 makes of the rounded pose, NaN alike
    margin: np.ndarray  # (poses,)
    valid: np.ndarray  # (poses,)

    def worst(self, margin=0.0):
        """The largest error of a joint, of all solutions farther than so from singularities."""
        return _largest(self.error[self.margin > margin])

    def worst_rounding(self, margin=0.0):
        """Of these, the largest error that rounding the pose alone makes."""
        return _largest(self.rounding[self.margin > margin])

    def median(self, margin=0.0):
        """Of these, the median of each one's largest error."""
        errors = self.error[(self.margin > margin) & self.valid].max(-1)
        return float(np.median(errors)) if errors.size else math.nan

    def share(self, margin=0.0):
        """How many of all solutions are valid, and farther than so from singularities."""
        return float((self.valid & (self.margin > margin)).mean())


@dataclass(frozen=True, eq=False)
class ReachablePoses:
    """Random poses that a robot of the PUMA family reaches, with all eight solutions of each."""

    pose: np.ndarray  # (poses, 4, 4)
    q: (
        np.ndarray
    )  # (poses, 8, 6): in float64, in the order of px.kinematics.inverse_kinematics_solutions
    margin: np.ndarray  # (poses, 8)

    def accuracy(self, circuit, arm=1, elbow=1, wrist=1):
        """The Accuracy of a circuit that was made for these signs."""
        if (arm, elbow, wrist) not in WRISTS:
            raise ArgumentError(
                f"arm, elbow, wrist: expected 1 or -1 each, found {(arm, elbow, wrist)}"
            )
        which = WRISTS.index((arm, elbow, wrist))
        found = circuit(self.pose)
        rounded = circuit.tasks.evaluate(pose=_as_rounded(circuit, self.pose))["q"]
        rounded = np.where(found.valid[:, None], rounded, np.nan)
        right = self.q[:, which]
        return Accuracy(
            angle_between(found.q, right),
            angle_between(rounded, right),
            self.margin[:, which],
            found.valid,
        )


def reachable_poses(robot, count=10_000, frame=None, seed=0):
    """So many random poses of a frame, by default the tool: joints stand anywhere in a turn."""
    geometry = family_geometry(robot, frame)
    count = whole_number("count", count, 1)
    q = np.random.default_rng(seed).uniform(-math.pi, math.pi, (count, robot.n))
    pose = forward_kinematics(robot, q, frame=frame)
    solutions = inverse_kinematics_solutions(robot, pose, frame).q
    angles = np.array(geometry.signs) * solutions + np.array(geometry.zeros)
    shoulder, elbow = arm_singularity(geometry, angles[..., 1], angles[..., 2])
    margin = np.minimum(np.minimum(shoulder, elbow), abs(np.sin(angles[..., 4])))
    return ReachablePoses(pose, solutions, margin)


def _as_rounded(circuit, pose):
    """The poses that a circuit is given in words."""
    rounded = pose.copy().reshape(-1, 16)
    for source, words in circuit.quantised(pose=pose)[0].items():
        rounded[:, source.index] = circuit.formats[source].real(words)
    return rounded.reshape(pose.shape)


def _largest(errors):
    known = errors[np.isfinite(errors)]
    return float(known.max()) if known.size else math.nan
