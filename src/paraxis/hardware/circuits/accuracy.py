"""How far the joint positions of a circuit are from those in float64, over the whole workspace.

Near a singularity a small change of the pose requires a large one of the joints, so errors are
grouped by the distance of the solution from it. Part of any error is not due to the circuit: a pose
is rounded to words before anything is computed with it.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...api import forward_kinematics
from ...checks import integer
from ...errors import ArgumentError
from ...kinematics.puma_solutions import WRISTS, inverse_kinematics_solutions
from ...physics.inverse_kinematics.puma import arm_singularity
from ...robots.robot import Robot
from ..cordic.formats import angle_between
from .circuit import Circuit
from .kinematics_circuit import family_geometry


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The accuracy of one circuit, one entry per pose.

    - `error`: `(poses, 6)`, rad, relative to float64; NaN for invalid poses.
    - `rounding`: `(poses, 6)`, rad, the part that is due to rounding of the pose, in float64; NaN
      for invalid poses.
    - `margin`: `(poses,)`, the distance of the solution from singularities: the least of three
      numbers that are 0 at one, and at most about 1: the distance of the wrist's centre from the
      surface next to axis 1, over the arm's length; the absolute sine of the elbow angle; and that
      of joint 5.
    - `valid`: `(poses,)`.

    If no valid solution has a larger margin than the requested one, `worst`, `worst_rounding` and
    `median` are NaN.
    """

    error: np.ndarray
    rounding: np.ndarray
    margin: np.ndarray
    valid: np.ndarray

    def worst(self, margin: float = 0.0) -> float:
        """The largest error of a joint, rad, over all solutions with a larger margin."""
        return _largest(self.error[self.margin > margin])

    def worst_rounding(self, margin: float = 0.0) -> float:
        """The largest of these errors that is due to rounding of the pose, rad."""
        return _largest(self.rounding[self.margin > margin])

    def median(self, margin: float = 0.0) -> float:
        """The median, over these solutions, of the largest error of each, rad."""
        errors = self.error[(self.margin > margin) & self.valid].max(-1)
        return float(np.median(errors)) if errors.size else math.nan

    def share(self, margin: float = 0.0) -> float:
        """The share of all solutions that are valid and have a larger margin."""
        return float((self.valid & (self.margin > margin)).mean())


@dataclass(frozen=True, eq=False)
class ReachablePoses:
    """Random poses that a robot of the PUMA family reaches, each with all eight solutions.

    - `pose`: `(poses, 4, 4)`.
    - `q`: `(poses, 8, 6)`, rad, in float64, in the order of
      `px.kinematics.inverse_kinematics_solutions`.
    - `margin`: `(poses, 8)`, the distance of each solution from singularities.
    """

    pose: np.ndarray
    q: np.ndarray
    margin: np.ndarray

    def accuracy(self, circuit: Circuit, arm: int = 1, elbow: int = 1, wrist: int = 1) -> Accuracy:
        """The accuracy of a circuit made for these signs, 1 or -1 each."""
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


def reachable_poses(
    robot: Robot, count: int = 10_000, frame: str | None = None, seed: int = 0
) -> ReachablePoses:
    """Return random poses of a frame, with joints anywhere in a full turn, to test circuits.

    **Arguments:**

    - `robot`: an arm of the PUMA family.
    - `count`: the number of poses, an integer >= 1.
    - `frame`: the name of a frame; by default the tool.
    - `seed`: the seed of the random numbers.

    **Returns:** the poses as `.pose`, `(count, 4, 4)`, their eight solutions as `.q`, `(count, 8,
    6)`, in rad, and the distance of each from singularities as `.margin`, `(count, 8)`. `.accuracy`
    compares a circuit with them.

    **Raises:** `px.RobotError` if the robot has no closed-form inverse kinematics or no such frame;
    `px.ArgumentError` if `count` is out of range.

    **Example:**

    >>> poses = px.hardware.reachable_poses(px.load("puma560"), count=100, seed=0)
    >>> poses.pose.shape, poses.q.shape
    ((100, 4, 4), (100, 8, 6))
    """
    geometry = family_geometry(robot, frame)
    count = integer("count", count, 1)
    q = np.random.default_rng(seed).uniform(-math.pi, math.pi, (count, robot.n))
    pose = forward_kinematics(robot, q, frame=frame)
    solutions = inverse_kinematics_solutions(robot, pose, frame).q
    angles = np.array(geometry.signs) * solutions + np.array(geometry.zeros)
    shoulder, elbow = arm_singularity(geometry, angles[..., 1], angles[..., 2])
    margin = np.minimum(np.minimum(shoulder, elbow), abs(np.sin(angles[..., 4])))
    return ReachablePoses(pose, solutions, margin)


def _as_rounded(circuit, pose):
    """The poses that a circuit gets after rounding to words."""
    rounded = pose.copy().reshape(-1, 16)
    for source, words in circuit.quantised(pose=pose)[0].items():
        rounded[:, source.index] = circuit.formats[source].real(words)
    return rounded.reshape(pose.shape)


def _largest(errors):
    known = errors[np.isfinite(errors)]
    return float(known.max()) if known.size else math.nan
