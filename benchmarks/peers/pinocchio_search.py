"""Inverse kinematics with Pinocchio as its users write it: a loop in Python over its functions.

The method is the one that did best here: Levenberg-Marquardt with damping by the squared error and
a new random start where that fails. One pose at a time; there is no call for a batch.
"""

import numpy as np
import pinocchio as pin

from .robots import load

DAMPING, LEAST_DAMPING = 0.03, 1e-12
STEPS, STARTS = 30, 30  # a start, a pose


class PinocchioSearch:
    """Solutions for a frame of a robot whose joints all move it."""

    def __init__(self, path, frame):
        self.model = load(path)
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(frame)
        self.low, self.high = self.model.lowerPositionLimit, self.model.upperPositionLimit

    def solve(self, poses, tolerance):
        """How many poses were reached, and the steps this took."""
        rng, found, steps = np.random.default_rng(0), 0, 0
        for pose in poses:
            goal = pin.SE3(pose[:3, :3], pose[:3, 3])
            for _ in range(STARTS):
                reached, taken = self._descend(rng.uniform(self.low, self.high), goal, tolerance)
                steps += taken
                if reached:
                    found += 1
                    break
        return found, steps

    def _descend(self, q, goal, tolerance):
        model, data, frame = self.model, self.data, self.frame
        unit = np.eye(model.nv)
        for step in range(STEPS):
            pin.framesForwardKinematics(model, data, q)
            e = pin.log6(data.oMf[frame].actInv(goal)).vector
            if max(np.linalg.norm(e[:3]), np.linalg.norm(e[3:])) <= tolerance:
                turned = np.mod(q + np.pi, 2 * np.pi) - np.pi
                return bool((turned >= self.low).all() and (turned <= self.high).all()), step + 1
            J = pin.computeFrameJacobian(model, data, q, frame)
            damping = DAMPING * e @ e + LEAST_DAMPING
            q = q + np.linalg.solve(J.T @ J + damping * unit, J.T @ e)
        return False, STEPS

    def calls(self, steps):
        """Only Pinocchio's own part of so many steps."""
        model, data, frame = self.model, self.data, self.frame
        q = np.zeros(model.nq)
        for _ in range(steps):
            pin.framesForwardKinematics(model, data, q)
            pin.computeFrameJacobian(model, data, q, frame)
