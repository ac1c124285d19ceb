"""An arm like the space station's with its two-armed hand, the paper's example of 25 joints.

The Space Station Remote Manipulator System has seven joints and two booms of about 7 m. The Special
Purpose Dexterous Manipulator at its end has two arms of seven joints each; that it may have four
more in its body makes up the paper's 25. Lengths and masses are assumed: of the right order, not
those of the real machines.
"""

from functools import cache

import numpy as np

from paraxis import Contact, Robot, constrained_forward_dynamics
from paraxis import trace as program_of
from paraxis.parallel import two_array_plan
from paraxis.parallel.two_arrays.closed_chain import NONE, ONE
from paraxis.parallel.two_arrays.wiring import HYPERCUBE
from paraxis.robots import Frame, Inertia, Joint, Pose

from ..document import Row, Table
from .best_serial import INPUTS, articulated_flops_of
from .operators import shown

PAPER = "Fijany 1994"
ROLL, PITCH, YAW = (1, 0, 0), (0, 1, 0), (0, 0, 1)
# name, axis, length along x to the next joint in m, mass in kg: all assumed
LARGE_ARM = (
    ("shoulder_roll", ROLL, 0.5, 110.0),
    ("shoulder_yaw", YAW, 0.6, 110.0),
    ("shoulder_pitch", PITCH, 7.1, 340.0),
    ("elbow_pitch", PITCH, 7.1, 320.0),
    ("wrist_pitch", PITCH, 0.6, 110.0),
    ("wrist_yaw", YAW, 0.6, 110.0),
    ("wrist_roll", ROLL, 1.0, 250.0),
)
BODY = (
    ("body_roll", ROLL, 0.8, 250.0),
    ("body_pitch", PITCH, 0.4, 100.0),
    ("body_yaw", YAW, 0.4, 100.0),
    ("torso_roll", ROLL, 0.6, 250.0),
)
SMALL_ARM = (
    ("shoulder_roll", ROLL, 0.3, 60.0),
    ("shoulder_yaw", YAW, 0.3, 50.0),
    ("shoulder_pitch", PITCH, 1.2, 70.0),
    ("elbow_pitch", PITCH, 1.2, 60.0),
    ("wrist_pitch", PITCH, 0.3, 30.0),
    ("wrist_yaw", YAW, 0.3, 30.0),
    ("wrist_roll", ROLL, 0.3, 20.0),
)
APART = 0.6  # m from the middle of the torso to each small arm
RADIUS = 0.17  # m, of every link
SIDES = {"left": APART, "right": -APART}


@cache
def station_arm():
    """The whole of it: 25 joints, a tree with two hands."""
    joints, bodies = [], []

    def add(segments, parent, seat, side=""):
        for name, axis, length, mass in segments:
            joints.append(Joint(f"{side}{name}", "revolute", parent, seat, axis))
            bodies.append(_rod(length, mass))
            parent, seat = len(joints) - 1, Pose(translation=(length, 0.0, 0.0))
        return parent

    wrist = add(LARGE_ARM, -1, Pose())
    torso = add(BODY, wrist, Pose(translation=(LARGE_ARM[-1][2], 0.0, 0.0)))
    hands = {}
    for side, away in SIDES.items():
        seat = Pose(translation=(BODY[-1][2], away, 0.0))
        hands[side] = add(SMALL_ARM, torso, seat, f"{side}_")
    tip = Pose(translation=(SMALL_ARM[-1][2], 0.0, 0.0))
    frames = [Frame(f"{side}_hand", body, tip) for side, body in hands.items()]
    return Robot("station arm", joints, bodies, frames, gravity=(0.0, 0.0, 0.0), warn=False)


@cache
def working_chain():
    """A chain of 18: the left hand holds on, and the right arm is locked."""
    robot = station_arm()
    return robot.locked({name: 0.4 for name in robot.joint_names if name.startswith("right_")})


def _rod(length, mass):
    """A thin cylinder along x."""
    across = mass * (RADIUS**2 / 4 + length**2 / 12)
    return Inertia.of(mass, (length / 2, 0.0, 0.0), (mass * RADIUS**2 / 2, across, across))


@cache
def best_flops():
    """Of the working chain, pinned at its left hand: the cheaper of the two ways (best_serial)."""
    robot = working_chain()

    def run(q, qd, tau):
        return constrained_forward_dynamics(robot, q, qd, tau, _pin()).qdd

    by_mass_matrix = program_of(run, **dict.fromkeys(INPUTS, robot.n)).count().flops
    return min(by_mass_matrix, articulated_flops_of(robot))


def _pin():
    return Contact.pinned("left_hand")


def carried_out_error():
    """Of the plan carried out for the working chain, beside `px.constrained_forward_dynamics`."""
    robot, axes = working_chain(), np.eye(6)
    q, qd, tau = np.random.default_rng(25).uniform(-0.5, 0.5, (3, robot.n))
    pin = {
        "constraint": axes[:, 3:],
        "motion": axes[:, :3],
        "acceleration": np.zeros(3),
        "force": np.zeros(3),
    }
    found, _ = two_array_plan(robot).carry_out(robot, q, qd, tau, **pin)
    known = constrained_forward_dynamics(robot, q, qd, tau, _pin()).qdd
    return float(abs(found - known).max() / max(1, abs(known).max()))


def speedups(right_hand_sides=ONE):
    """Of the plan of the working chain: over its own algorithm, and over the best program."""
    plan = two_array_plan(working_chain(), right_hand_sides=right_hand_sides)
    return plan.speedup, best_flops() / plan.makespan


def station_table():
    whole, chain = station_arm(), working_chain()
    rows = [
        Row(
            PAPER,
            "joints",
            25,
            whole.n,
            f"{len(LARGE_ARM)} of the large arm, {len(BODY)} of the body, twice {len(SMALL_ARM)}; "
            f"{sum(body.mass for body in whole.inertias):,.0f} kg, assumed",
        )
    ]
    plans = {
        "2N processors": {},
        "2N, right-hand sides of Λ⁻¹ left out": {"right_hand_sides": NONE},
        "2N on hypercubes, a word 4": {"network": HYPERCUBE, "word_time": 4},
        "2N by shuffle and exchange, a word 4": {"word_time": 4},
        "2 × 8 processors": {"processors": 8},
    }
    for name, options in plans.items():
        found = two_array_plan(whole.n, **options)
        note = f"{found.makespan:,.0f} flops; {found.serial_flops:,} by the same on one processor"
        rows.append(
            Row(PAPER, f"a chain of {whole.n}, {name}", None, round(found.speedup, 2), note)
        )
    for columns, name in ((ONE, "2N processors"), (NONE, "right-hand sides of Λ⁻¹ left out")):
        own, best = speedups(columns)
        note = f"{own:.2f} over its own algorithm; the best program takes {best_flops():,} flops"
        quantity = f"{chain.n} joints with one hand held, {name}, over the best"
        rows.append(Row("Paraxis", quantity, None, round(best, 2), note))
    note = "the plan carried out, beside `px.constrained_forward_dynamics`"
    error = shown(carried_out_error())
    rows.append(Row("Paraxis", f"{chain.n} joints with one hand held, error", None, error, note))
    lead = (
        "The paper's example: the arm of the space station with its dexterous hand, which may have "
        "25 joints. Lengths and masses are assumed. It is a tree with two hands, not the single "
        "chain that the plan is for: so the plan is made for a chain of 25, and for the 18 joints "
        "from the station to the left hand, which holds on, with the right arm locked. Measured "
        "is a speed-up unless the row says otherwise; messages are free unless it says so."
    )
    return Table("The space station's arm", lead, rows)
