"""The state behind Table 3.5: where on the line, and how fast, the arm has the printed torques.

The thesis prints no velocity profile. But along the line the motion at an instant is three numbers,
z, ż and z̈, and three dynamic torques are printed: so they can be solved for, by Newton's method
from many places, for each of the four ways the arm can reach the line.

There are two readings. The wrist is on one side of link 3 in the kinematics, D.1.3, and on the
other in the dynamics, D.1.2. Either the arm is meant as D.1.2 has it; or the angles of D.1.3 went
into D.1.2 as they are, half a turn off in joint 3.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from paraxis import inverse_dynamics, trace
from paraxis.physics.inverse_kinematics.puma_positioning import positioning
from paraxis.robots.puma_geometry import arm_geometry

from ..printed import printed
from .arm import arm

ARMS = [(way, elbow) for way in (1, -1) for elbow in (1, -1)]
STARTS = np.stack(
    np.meshgrid(np.linspace(-0.5, 0.5, 11), (0.1, 0.3, 0.6, 1.0), (-1, 0, 1)), -1
).reshape(-1, 3)
ROUNDS = 40
READINGS = {"one arm": 0.0, "the programs as they stand": math.pi}  # added to q3
ONE_ARM = "one arm"
SAME = 1e-6  # m, m/s and m/s² between two that are one


@dataclass(frozen=True)
class State:
    """One way to have the printed dynamic torques, with the hand moving up the line."""

    reading: str
    arm: int
    elbow: int
    z: float
    speed: float
    acceleration: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray

    @property
    def fits(self):
        """Do joints move as the printed friction says, up the line or down?"""
        told = np.sign(printed("dhanaraj")["case_study"]["joint_friction"])
        return bool((np.sign(self.qd) == told).all() or (np.sign(self.qd) == -told).all())


@cache
def states():
    """All that are found."""
    return [state for reading in READINGS for way in ARMS for state in _states(reading, *way)]


def the_state():
    """The one of one arm whose joints move as the printed friction says."""
    (found,) = [state for state in states() if state.fits and state.reading == ONE_ARM]
    return found


def motion(way, z, speed, acceleration):
    """q, q̇ and q̈ of the arm at places of the line, by the offset of program D.1.3."""
    told = printed("dhanaraj")["case_study"]
    robot = arm(told["offset"]["kinematics"])
    geometry, x = arm_geometry(robot, robot.tool()), told["line"]["x"]
    rows = (x, z, z), (0.0, speed, speed), (0.0, acceleration, acceleration)
    θ, θd, θdd = positioning(geometry, *rows, *way)
    return geometry.positions(θ), geometry.rates(θd), geometry.rates(θdd)


@cache
def _kernels():
    """Torques and motion at (z, ż, z̈), and the slope of the torques, for any arm and elbow."""
    robot = arm(printed("dhanaraj")["case_study"]["offset"]["dynamics"])

    def torques(x, way, elbow, turn):
        q, qd, qdd = motion((way, elbow), *x)
        q = [*q[:2], q[2] + turn]
        return {"tau": inverse_dynamics(robot, q, qd, qdd), "q": q, "qd": qd, "qdd": qdd}

    program = trace(torques, x=3, way=(), elbow=(), turn=())
    return program.compile(), program.jacobian("tau", "x").compile()


def _states(reading, way, elbow):
    goal = printed("dhanaraj")["case_study"]["dynamic"]
    value, slope = _kernels()
    x, choice = STARTS.copy(), (way, elbow, READINGS[reading])
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS):
            residual, derivative = value(x, *choice)[0] - goal, slope(x, *choice)
            good = np.isfinite(residual).all(-1) & np.isfinite(derivative).all((-1, -2))
            good &= abs(np.linalg.det(np.where(good[:, None, None], derivative, 0.0))) > 1e-9
            x, residual, derivative = x[good], residual[good], derivative[good]
            x = x - np.linalg.solve(derivative, residual[..., None])[..., 0]
        tau, q, qd, qdd = value(x, *choice)
    met = (abs(tau - goal).max(-1) < 1e-9) & (x[:, 1] > 0)
    found = []
    for k in np.flatnonzero(met):
        if all(abs(x[k] - (s.z, s.speed, s.acceleration)).max() > SAME for s in found):
            found.append(State(reading, way, elbow, *map(float, x[k]), q[k], qd[k], qdd[k]))
    return found
