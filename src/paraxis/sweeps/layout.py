"""Blocks of a study: which states each has. A block is one chunk of each array of the store."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from .space import Region, Space


@dataclass(frozen=True)
class Layout:
    """The axes of a space cut into blocks of one shape; those at the ends may be smaller."""

    shape: tuple[int, ...]
    chunk: tuple[int, ...]

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """How many blocks along each axis."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunk, strict=True))

    @cached_property
    def count(self) -> int:
        """How many blocks."""
        return math.prod(self.grid)

    @property
    def states(self) -> int:
        """Of a whole block."""
        return math.prod(self.chunk)

    def place(self, number: int) -> tuple[int, ...]:
        """Where a block is in the grid."""
        if not 0 <= number < self.count:
            raise ValueError(f"block: expected one below {self.count}, found {number}")
        place = []
        for length in reversed(self.grid):
            number, k = divmod(number, length)
            place.append(k)
        return tuple(reversed(place))

    def number(self, place: tuple[int, ...]) -> int:
        """The number of the block at a place of the grid."""
        found = 0
        for k, length in zip(place, self.grid, strict=True):
            if not 0 <= k < length:
                raise ValueError(f"block: expected a place in {self.grid}, found {place}")
            found = found * length + k
        return found

    def region(self, number: int) -> Region:
        """The states of a block."""
        return tuple(
            slice(k * c, min((k + 1) * c, n))
            for k, c, n in zip(self.place(number), self.chunk, self.shape, strict=True)
        )

    def key(self, number: int) -> str:
        """The name of a block's chunk in an array of Zarr."""
        return "/".join(["c", *map(str, self.place(number))])


def layout_for(space: Space, states: int) -> Layout:
    """Blocks of about so many states: long along the last axes, as arrays are laid out."""
    chunk, left = [], max(states, 1)
    for name, length in reversed(space.axes.items()):
        if name in space.cases:
            chunk.append(1)
            continue
        blocks = -(-length // min(length, left))
        chunk.append(-(-length // blocks))
        left //= chunk[-1]
        left = max(left, 1)
    return Layout(space.shape, tuple(reversed(chunk)))
