"""What a Program costs: operations, depth, and how they compare between Programs."""

from dataclasses import asdict, dataclass

NOTE = (
    "Counting rule: an add is an addition or a subtraction; a multiplication by a constant counts; "
    "sign changes and copies are free; flops are mul + add + div + sqrt; sines and cosines stand "
    "under trig. Depth is the flops on the longest path, with processors without limit and sums as "
    "balanced trees."
)


@dataclass(frozen=True)
class Operations:
    """The cost of one Program, under a name."""

    name: str
    mul: int
    add: int
    trig: int
    flops: int
    depth: int

    @classmethod
    def of(cls, name, program):
        count, depth = program.count(), program.depth()
        return cls(name, count.mul, count.add, count.trig, count.flops, depth.flops)

    def as_dict(self):
        return asdict(self)


def cheapest(rows):
    """The row of fewest flops, the first of equals."""
    return min(rows, key=lambda row: row.flops)
