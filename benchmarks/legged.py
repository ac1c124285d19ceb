"""Legged robots that stand on flat ground under a PD law: the Go2 with 4 spheres, the G1 with 8."""

import dataclasses
from dataclasses import dataclass

import numpy as np

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

DT, ROTOR, FRICTION = 2e-3, 0.02, 0.8
FILES = {"go2": "go2.urdf", "g1": "g1_29dof_rev_1_0.urdf"}


@dataclass(frozen=True)
class Standing:
    """A robot, its points, the joint positions it is held in, the height of its base, and gains."""

    name: str
    robot: px.Robot
    points: list
    stance: np.ndarray
    height: float
    kp: float
    kd: float

    def states(self, robots):
        """q and qd: all in one place, each with rates of its own."""
        one = np.concatenate([[0, 0, self.height, 0, 0, 0, 1], self.stance])
        qd = 0.1 * np.random.default_rng(0).standard_normal((robots, self.robot.nv))
        return np.tile(one, (robots, 1)), qd

    def hold(self):
        """The PD law, as a controller."""
        stance, kp, kd = self.stance, self.kp, self.kd

        def law(t, q, qd):
            each = zip(stance, q[7:], qd[6:], strict=True)
            return [0.0] * 6 + [kp * (g - x) - kd * v for g, x, v in each]

        return law

    def simulator(self, law="hard", dtype="float64", **options):
        """A Simulator under the PD law; options are those of the ground."""
        ground = Ground(self.points, law=law, friction=FRICTION, **options)
        common = {"dt": DT, "limits": False, "controller": self.hold(), "dtype": dtype}
        return px.Simulator(self.robot, ground=ground, **common)


def go2(folder=None):
    robot = loaded("go2", folder)
    feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
    stance = np.tile([0.0, 0.8, -1.5], 4)
    return Standing("Go2, 4 points", with_rotors(robot), feet, stance, 0.33, 60.0, 2.0)


def g1(folder=None):
    robot = loaded("g1", folder)
    feet = [f"{side}_ankle_roll_link" for side in ("left", "right")]
    stance = np.zeros(29)
    stance[[0, 6]], stance[[3, 9]], stance[[4, 10]] = -0.2, 0.42, -0.23
    points = px.simulation.contact_points(robot, feet)
    return Standing("G1, 8 points", with_rotors(robot), points, stance, 0.785, 300.0, 6.0)


def loaded(name, folder=None):
    """The robot from example-robot-data, or from its URDF in a folder."""
    return px.load(name if folder is None else str(folder / FILES[name]), floating_base=True)


def with_rotors(robot):
    joints = [
        j if j.kind == "free" else dataclasses.replace(j, rotor_inertia=ROTOR) for j in robot.joints
    ]
    return dataclasses.replace(robot, joints=joints, warn=False)
