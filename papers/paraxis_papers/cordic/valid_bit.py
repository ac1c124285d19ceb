"""Whether the valid bit is high where it should be."""

from functools import cache

import numpy as np

from paraxis import forward_kinematics
from paraxis.hardware.circuits.circuit import NEAR
from paraxis.kinematics import inverse_kinematics_solutions

from ..document import Row, Table, text_of
from .circuits import HERE, accuracy, circuit, puma
from .joint_errors import fraction

POSES = 20_000
SURE = 2.0  # margins by so much above or below what counts as near are not in doubt


@cache
def _anywhere():
    """Poses in the cube around the arm, which it mostly does not reach."""
    rng = np.random.default_rng(1)
    poses = forward_kinematics(puma(), rng.uniform(-np.pi, np.pi, (POSES, puma().n)))
    reach = abs(poses[:, :3, 3]).max()
    poses[:, :3, 3] = rng.uniform(-reach, reach, (POSES, 3))
    return poses


def valid_bit_table():
    """The table."""
    found = accuracy(1, 1, 1)
    near = found.margin < NEAR / SURE
    far = found.margin > SURE * NEAR
    poses = _anywhere()
    reached = inverse_kinematics_solutions(puma(), poses).solved[:, 0]
    valid = circuit()(poses).valid
    far_away = np.repeat(np.eye(4)[None], 6, axis=0)
    far_away[:, 0, 3] = (2.0, -50.0, 1e9, np.inf, -np.inf, np.nan)
    part = fraction(NEAR)
    rows = [
        _row(f"margin over twice {part}, valid", found.valid & far, far, "reachable poses"),
        _row(
            f"margin below half of {part}, not valid",
            ~found.valid & near,
            near,
            "singular, or too near to it to have an angle",
        ),
        _row("no solution in float64, not valid", ~valid & ~reached, ~reached, "poses in a cube"),
        _row(
            "a solution in float64, valid",
            valid & reached,
            reached,
            "poses in the same cube",
        ),
        _row(
            "2 m, 50 m, 10⁹ m, ∞ and NaN away, not valid",
            ~circuit()(far_away).valid,
            np.ones(len(far_away), bool),
            "nothing wraps: what does not fit a word is no pose",
        ),
    ]
    lead = (
        "A circuit says of every item whether it is one: the valid bit is low where a pose is out "
        "of reach, where a length that an angle hangs on is below "
        f"{part} of the largest it can be, and where a number does not fit. How many of those "
        "where it should be are as they should."
    )
    return Table("The valid bit", lead, rows)


def _row(quantity, right, all_, note):
    return Row(HERE, quantity, None, int(right.sum()), f"of {text_of(int(all_.sum()))}; {note}")
