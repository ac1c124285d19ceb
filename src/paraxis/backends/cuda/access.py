"""How a thread of a kernel reads and writes the arrays of its state, for each way they may lie.

    rows      the entries of a state side by side, states one after another: a warp copies its
              rows together, through shared memory
    columns   states side by side, entry k of all states `entry` numbers from entry k - 1
    apart     entries and states at any distance, states along two axes

An array as it is accessed has `parameters` of the kernel, `words` of shared memory a state, and
lines with which a thread begins. Inputs are asked for all at once, before anything is computed:
that is what hides how far away memory is.
"""

import math

from ...drivers.device_map import APART, COLUMNS, ROWS
from ..c import TYPES

SIZES = {"float64": 8, "float32": 4}  # bytes of a number
CHUNK = 32  # entries of a long row that are written at once
SHORT = 512  # bytes of a row that is written whole
VECTORS = {"float32": ((4, "quartet"), (2, "couple")), "float64": ((2, "couple"),)}


class Access:
    """An array called `name` in the text, of so many entries, some of which are `used`."""

    words = 0  # of shared memory a state
    together = False  # do the threads of a warp copy it together?
    in_turn = False  # is it written entry after entry, so that later ones have to wait?

    def __init__(self, name, entries, dtype, used, is_output=False):
        self.name, self.entries, self.dtype, self.used = name, entries, dtype, used
        self.real = TYPES[dtype]
        self.constness = "" if is_output else "const "

    def parameters(self):
        pointer = f"{self.constness}{self.real} *__restrict__ {self.name}"
        return [pointer, *(f"long long {self.name}_{distance}" for distance in self.distances)]

    distances = ()

    def begin(self, place):
        """The first lines; `place` is where its shared memory begins, in numbers a state."""
        return []

    def ready(self, place):
        """Lines for when what was asked for is there."""
        return []


class Strided(Access):
    """Columns, or states apart: a pointer that goes `to_state`, the state's first entry."""

    def begin(self, place):
        return [f"{self.name} += {self.to_state};"]


class Columns(Strided):
    distances = ("entry",)
    to_state = "state"


class Apart(Strided):
    distances = ("entry", "state", "outer")

    @property
    def to_state(self):
        return f"outer * {self.name}_outer + within * {self.name}_state"


class _InRegisters:
    """An input whose entries are read into registers at once."""

    def begin(self, place):
        return super().begin(place) + [
            f"const {self.real} {self.load(k)} = {self.name}[{k} * {self.name}_entry];"
            for k in self.used
        ]

    def load(self, k):
        return f"{self.name}_value{k}"


class ColumnsInRegisters(_InRegisters, Columns):
    pass


class ApartInRegisters(_InRegisters, Apart):
    pass


class _InShared:
    """An input whose entries wait in shared memory until they are needed."""

    @property
    def words(self):
        return len(self.used)

    def begin(self, place):
        column = f"{self.real} *const {self.name}_column = tile + {place} * LANES + LANE;"
        lines, at = super().begin(place) + [column], 0
        for j, k in enumerate(self.used):
            lines += _go(self.name, k - at)
            lines.append(f"COPY_ITEM({self.name}_column + {j} * LANES, {self.name});")
            at = k
        return lines

    def load(self, k):
        return f"{self.name}_column[{self.used.index(k)} * LANES]"


class ColumnsInShared(_InShared, Columns):
    pass


class ApartInShared(_InShared, Apart):
    pass


class _Written:
    """An output that is written entry by entry, as each is made."""

    def __init__(self, *arguments):
        super().__init__(*arguments, is_output=True)
        self._at = 0  # the entry that the pointer points to

    def store(self, k, value):
        step, self._at = k - self._at, k
        return [*_go(self.name, step), f"*{self.name} = {value};"]

    def clear(self, entries):
        """Write zeros to a range of entries."""
        go, self._at = _go(self.name, entries.start - self._at), entries.stop
        times = f"int zero = 0; zero < {len(entries)}; zero++"
        loop = f"for ({times}, {self.name} += {self.name}_entry)"
        return [*go, f"{loop} *{self.name} = 0;"]


def _go(name, entries):
    """The line that moves a pointer so many entries on; adding is cheaper than multiplying."""
    if not entries:
        return []
    return [f"{name} += {name}_entry;" if entries == 1 else f"{name} += {entries} * {name}_entry;"]


class ColumnsWritten(_Written, Columns):
    pass


class ApartWritten(_Written, Apart):
    pass


class RowsRead(Access):
    together = True

    @property
    def words(self):
        return self.entries

    @property
    def _vector(self):
        """How many entries are read from shared memory at once, and their type: rows of an even
        length would else lie in the same banks."""
        fitting = (each for each in VECTORS[self.dtype] if self.entries % each[0] == 0)
        return next(fitting, (1, self.real))

    def begin(self, place):
        n = self.entries
        return [
            f"rows_in(tile + {place} * LANES, {self.name} + first * {n}, count * {n}, {n} * LANES);"
        ]

    def ready(self, place):
        _, kind = self._vector
        row = f"tile + {place} * LANES + row * {self.entries}"
        return [f"const {kind} *const {self.name}_row = (const {kind} *)({row});"]

    def load(self, k):
        width, _ = self._vector
        if width == 1:
            return f"{self.name}_row[{k}]"
        return f"{self.name}_row[{k // width}].{'xyzw'[k % width]}"


class RowsReadAlone(Access):
    """An input in rows for which there is no room in shared memory: every thread reads its own."""

    def begin(self, place):
        return [f"{self.name} += state * {self.entries};"]

    def load(self, k):
        return f"{self.name}[{k}]"


class RowsWritten(Access):
    """An output in rows. Short rows are collected in shared memory and written whole, a range of
    entries of long ones in chunks: one after another, so values of later ones have to wait."""

    together = True

    def __init__(self, name, entries, dtype, used):
        super().__init__(name, entries, dtype, used, is_output=True)
        self._whole = len(used) == entries and _fits(entries, dtype)
        size = entries if self._whole else CHUNK
        starts = range(used.start, used.stop, size)
        self._chunks = [range(low, min(low + size, used.stop)) for low in starts]
        self._values, self._missing = {}, None

    @property
    def in_turn(self):
        return not self._whole

    @property
    def words(self):
        return self.entries if self._whole else CHUNK | 1

    def ready(self, place):
        return [f"{self.real} *const {self.name}_made = tile + {place} * LANES;"]

    def clear(self, entries):
        return [line for k in entries for line in self.store(k, "0")]

    def store(self, k, value):
        self._values[k] = value
        lines = []
        while self._chunks:
            chunk = self._chunks[0]
            if self._missing is None:
                self._missing = set(chunk)
            for ready in sorted(self._missing & self._values.keys()):
                place = f"LANE * {self._apart(chunk)} + {ready - chunk.start}"
                lines.append(f"{self.name}_made[{place}] = {self._values.pop(ready)};")
                self._missing.discard(ready)
            if self._missing:
                return lines
            lines += self._copied(chunk)
            self._chunks.pop(0)
            self._missing = None
        return lines

    def _apart(self, chunk):
        """The numbers between rows in shared memory; an odd number, so that no two threads of a
        warp want the same bank, unless they lie as in memory."""
        return self.entries if self._whole else len(chunk) | 1

    def _copied(self, chunk):
        n, made = self.entries, f"{self.name}_made"
        if self._whole:
            copy = f"rows_out({self.name} + first * {n}, {made}, count * {n}, {n} * LANES);"
            return ["TOGETHER();", copy]
        start = f"{self.name} + first * {n} + {chunk.start}"
        copy = f"columns_out({start}, {made}, count, {len(chunk)}, {n});"
        return ["TOGETHER();", copy, "TOGETHER();"]


class RowsWrittenAlone(Access):
    """An output in rows without room in shared memory: every thread writes its own."""

    def __init__(self, name, entries, dtype, used):
        super().__init__(name, entries, dtype, used, is_output=True)

    def begin(self, place):
        return [f"{self.name} += state * {self.entries};"]

    def store(self, k, value):
        return [f"{self.name}[{k}] = {value};"]

    def clear(self, entries):
        return [line for k in entries for line in self.store(k, "0")]


def _fits(entries, dtype):
    """Is a row short enough to be collected whole, and do few threads want the same bank?"""
    words = SIZES[dtype] // 4
    threads_a_bank = math.gcd(entries * words, 32) // words
    return entries * SIZES[dtype] <= SHORT and threads_a_bank <= 4


READ = {COLUMNS: (ColumnsInRegisters, ColumnsInShared), APART: (ApartInRegisters, ApartInShared)}
WRITTEN = {COLUMNS: ColumnsWritten, APART: ApartWritten}


def read(name, entries, dtype, used, layout, waits, has_room):
    """An input; `waits` says whether it should wait in shared memory, where that `has_room`."""
    if layout == ROWS:
        kind = RowsRead if has_room else RowsReadAlone
    else:
        kind = READ[layout][waits and has_room]
    return kind(name, entries, dtype, used)


def written(name, entries, dtype, used, layout, room):
    """An output; `room` is how many numbers a state may still have in shared memory."""
    if layout != ROWS:
        return WRITTEN[layout](name, entries, dtype, used)
    together = RowsWritten(name, entries, dtype, used)
    return together if together.words <= room else RowsWrittenAlone(name, entries, dtype, used)
