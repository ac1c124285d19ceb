"""Robots with loops, springs, couplings, screws and free bases: what works, and what is refused.

Every function either gives numbers, or an error that names the robot and says what to do.
"""

from dataclasses import replace

import numpy as np
import pytest

import paraxis as px
from paraxis.robots import Coupling, Frame, Inertia, Joint, Loop, Pose, Spring, Tendon
from paraxis.robots.joint import WORLD

BODY = Inertia.of(1.2, (0.1, 0.2, 0.05), (0.05, 0.06, 0.07))
ABOUT_Y = {"axis": (0.0, 1.0, 0.0)}


def chain(*joints, **options):
    seats = [Pose(translation=(0.3 * (k > 0), 0.0, 0.05)) for k in range(len(joints))]
    placed = [replace(j, parent=k - 1, placement=seats[k]) for k, j in enumerate(joints)]
    tip = Frame("tip", len(joints) - 1, Pose(translation=(0.2, 0.1, 0.0)))
    return px.Robot("odd", placed, [BODY] * len(joints), [tip], **options)


def looped():
    robot = chain(*(Joint(name, "revolute", **ABOUT_Y) for name in "abc"))
    place = px.program(robot, "forward_kinematics").evaluate(q=np.full(3, 0.4))
    pin = Frame("pin", WORLD, Pose.from_matrix(place, "pin"))
    return robot.with_loops(Loop.connect("loop", robot.frame("tip"), pin), independent=["a"])


ROBOTS = {
    "loops": looped(),
    "springs": chain(
        Joint("a", "revolute", **ABOUT_Y, spring=Spring(3.0)),
        Joint("b", "revolute", **ABOUT_Y),
        tendons=[Tendon("t", {"a": 1.0, "b": 0.5}, stiffness=2.0)],
    ),
    "couplings": chain(
        Joint("a", "revolute", **ABOUT_Y),
        Joint("b", "prismatic", coupling=Coupling("a", (0.1, 0.5, 0.2))),
    ),
    "screws": chain(Joint("a", "revolute", **ABOUT_Y), Joint("b", "helical", pitch=0.1)),
    "free": chain(Joint("a", "free")),
}
FUNCTIONS = [name for name in px.functions() if "derivatives" not in name]  # made from these
FEW = "operational_space_inertia"  # which needs six degrees of freedom
OPEN = {"motor_torques", "joint_reactions", FEW, f"{FEW}_inverse"}
REFUSED = {kind: {FEW} for kind in ROBOTS} | {"loops": OPEN, "free": set()}


@pytest.mark.parametrize("kind", ROBOTS)
def test_every_function(kind):
    robot, refused = ROBOTS[kind], set()
    rng = np.random.default_rng(1)
    q = np.full(3, 0.4) if robot.loops else px.robots.random_states(robot, seed=1)[0]
    for function in FUNCTIONS:
        try:
            program = px.program(robot, function)
        except px.ArgumentError as error:
            assert "needs at least 6" in str(error) or "'odd'" in str(error), function
            refused.add(function)
            continue
        given = {name: rng.normal(size=shape) for name, shape in program.inputs.items()}
        given |= {name: q for name in ("q", "q0", "q1") if name in given}
        results = program.evaluate(**given)
        for value in results.values() if isinstance(results, dict) else (results,):
            assert np.isfinite(value).all(), function
    assert refused == REFUSED[kind]


def at_rest(robot):
    return px.neutral(robot), np.zeros(robot.nv), np.zeros(robot.nv)


def still(robot):
    return px.trajectories.quintic(px.neutral(robot), px.neutral(robot), 1.0, robot=robot)


# what has recursions or equations of its own, and the robots that it takes
OTHERS = {
    px.base_parameters: {"couplings", "screws", "free"},
    px.closed_form: set(),
    px.streamlined_tasks: {"free"},
    px.parallel.systolic_array: set(),
    px.hardware.inverse_dynamics_circuit: set(),
    still: {"springs", "couplings", "screws"},
    lambda robot: px.chains.chain_dynamics(robot, "inverse_dynamics"): set(),
    lambda robot: px.control.computed_torque(robot, 1.0, 1.0): {"couplings", "screws", "free"},
    lambda robot: px.control.pd(robot, 1.0, 1.0): {"springs", "couplings", "screws", "free"},
    lambda robot: px.control.unsynchronised(robot, [[0]]): set(),
    lambda robot: px.forward_dynamics_with_friction(robot, *at_rest(robot)): {"free"},
}
REMEDY = r"'odd'.*(robot\.(without_loops|without_springs|locked)|px\.simulate)"


@pytest.mark.parametrize("kind", ROBOTS)
def test_what_is_not_for_every_robot_says_what_to_do(kind):
    for function, taken in OTHERS.items():
        if kind in taken:
            function(ROBOTS[kind])
        else:
            with pytest.raises(px.ArgumentError, match=REMEDY) as error:
                function(ROBOTS[kind])
            assert "this function" not in str(error.value)
