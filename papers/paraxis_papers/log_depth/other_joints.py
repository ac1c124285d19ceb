"""The plan for joints that slide, joints of several degrees and joints with rotors, carried out."""

from dataclasses import replace
from functools import cache

import numpy as np

from paraxis import Contact, constrained_forward_dynamics, integrate, neutral
from paraxis.parallel import two_array_plan
from paraxis.robots import Frame

from ..counts.plain_count import general_chain
from ..document import Row, Table
from .best_serial import TIP
from .operators import shown

PAPER = "Fijany 1994"
N = 5
ARMS = {  # name -> kinds of joints, and the inertia of their rotors
    "revolute joints": (("revolute",) * N, 0.0),
    "prismatic and revolute joints": (("prismatic", "revolute") * 2 + ("revolute",), 0.0),
    "ball joints": (("spherical",) * N, 0.0),
    "revolute joints with rotors": (("revolute",) * N, 0.2),
}


def arm(kinds, rotor):
    robot = general_chain(kinds)
    joints = [replace(joint, rotor_inertia=rotor) for joint in robot.joints]
    return replace(robot, joints=joints, frames=[Frame("tip", N - 1, TIP)], warn=False)


@cache
def errors():
    """name -> the error of the plan's accelerations, the tip being pinned."""
    return {name: _error(arm(*kinds)) for name, kinds in ARMS.items()}


def _error(robot):
    rng, axes = np.random.default_rng(8), np.eye(6)
    q = integrate(robot, neutral(robot), rng.uniform(-1, 1, robot.nv))
    qd, tau = rng.uniform(-1, 1, (2, robot.nv))
    pin = {
        "constraint": axes[:, 3:],
        "motion": axes[:, :3],
        "acceleration": np.zeros(3),
        "force": np.zeros(3),
    }
    found, _ = two_array_plan(robot).carry_out(robot, q, qd, tau, **pin)
    known = constrained_forward_dynamics(robot, q, qd, tau, Contact.pinned()).qdd
    return float(abs(found - known).max() / max(1, abs(known).max()))


def joint_table():
    rows = []
    for name, kinds in ARMS.items():
        plan = two_array_plan(arm(*kinds))
        note = (
            f"blocks of {plan.block_sizes[0]}; speed-up {plan.speedup:.2f} over its own algorithm; "
            f"carried out, its accelerations differ by at most {shown(errors()[name]):.0e} from "
            "those of `px.constrained_forward_dynamics`"
        )
        rows.append(Row(PAPER, f"{N} {name}", None, plan.makespan, note))
    lead = (
        "Flops until all accelerations are known, with free messages. A joint of k degrees leaves "
        "blocks of 6 − k, so that ball joints cost less; a rotor, which the paper does not have, "
        "adds a row to its block."
    )
    return Table("Two arrays: other joints", lead, rows)
