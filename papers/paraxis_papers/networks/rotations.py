"""Equation 15 by recursive doubling for the PUMA, whose own rotations are full of zeros."""

from operator import matmul

from paraxis import load
from paraxis.math import mark
from paraxis.physics.parts.orders import doubling
from paraxis.robots.model import Model
from paraxis.spatial import Matrix, Rotation, Vector

from ..counts.plain_count import Ledger, Tally, Work, some_state
from .simd import Simd


def rotation_time(joints, known):
    """Time on as many processors as joints, which are the PUMA's over and over.

    `known` says which zeros and ones are: "all", those of the "given" rotations, or "none".
    """
    machine = Simd(joints, joints, doubling)
    number, entry = machine.ledger.number, machine.ledger.entry
    robot = load("puma560")
    model, (q, _, _) = Model(robot), some_state(robot)
    given = [model.transform(i, q).turn.matrix() for i in range(robot.n)]
    turns = [
        Rotation(*(map(number if known == "none" else entry, row) for row in given[i % robot.n]))
        for i in range(joints)
    ]

    def forgetful(left, right):
        product = left @ right
        return Matrix(*([x if isinstance(x, Tally) else number(x) for x in r] for r in product))

    machine.outward("15", forgetful if known == "given" else matmul, turns)
    return machine.times()["15"]


def chip_times(joints):
    """With a chip in every processor that multiplies matrices: one multiplier for each entry of the
    product, and one for each product of scalars."""
    ledger = Ledger()
    row, column = (Vector(*(ledger.number(x) for x in (2.0, 3.0, 5.0))) for _ in range(2))
    mark("entry", 0, row @ column)
    entry, steps = ledger.total(), len(doubling(joints, joints).steps)
    return Work(entry.mul * steps, entry.add * steps), Work(steps, entry.add * steps)
