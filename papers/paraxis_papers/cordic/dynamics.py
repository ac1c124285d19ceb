"""Inverse dynamics by the same path: torques of a new state every stage."""

import numpy as np

from paraxis import inverse_dynamics as torques
from paraxis import load
from paraxis.hardware import inverse_dynamics_circuit
from paraxis.robots import planar

from ..document import Row, Table, text_of
from .circuits import HERE
from .joint_errors import brief, rounded

STATES = 10_000
VELOCITY, ACCELERATION = 4.0, 20.0
LEAD = (
    "The cheapest Program of the joint torques, 24 bits, one item per stage. Speeds up to "
    f"{VELOCITY:g} rad/s, accelerations up to {ACCELERATION:g} rad/s²; {STATES:,} random states."
)


def dynamics_table():
    """Sizes and errors for three arms."""
    arms = {
        "planar arm, 3 joints": planar(3),
        "PUMA, 3 joints": load("puma560").subchain("link3", drop_rest=True),
        "PUMA, 6 joints": load("puma560"),
    }
    rows = [row for name, robot in arms.items() for row in _rows(name, robot)]
    return Table("Inverse dynamics in hardware", LEAD, rows)


def _rows(name, robot):
    circuit = inverse_dynamics_circuit(robot, VELOCITY, ACCELERATION)
    line = circuit.pipeline
    kinds = ", ".join(f"{count} {kind}" for kind, count in circuit.tasks.counts.items())
    error, largest, valid = _errors(circuit, robot)
    joint = int((error / largest).argmax())
    share = error[joint] / largest[joint]
    return [
        Row(HERE, f"{name}: tasks", None, len(circuit.tasks.tasks), kinds),
        Row(HERE, f"{name}: stages", None, line.stages, ""),
        Row(
            HERE,
            f"{name}: buffer stages",
            None,
            line.buffers,
            f"the fewest there are; {line.tapped_delay_lines} lines tapped",
        ),
        Row(
            HERE,
            f"{name}: largest error, N m",
            None,
            rounded(error.max()),
            f"of torques up to {largest.max():.0f}; at worst {brief(share)} of a joint's largest; "
            f"{text_of(int(valid.sum()))} of {text_of(valid.size)} valid",
        ),
    ]


def _errors(circuit, robot):
    """The largest error and torque of each joint, and which states are valid."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (STATES, robot.n))
    qd = rng.uniform(-VELOCITY, VELOCITY, q.shape)
    qdd = rng.uniform(-ACCELERATION, ACCELERATION, q.shape)
    found, right = circuit(q, qd, qdd), torques(robot, q, qd, qdd)
    return np.nanmax(abs(found.tau - right), 0), abs(right).max(0), found.valid
