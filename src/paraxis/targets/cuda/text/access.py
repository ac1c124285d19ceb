"""How a thread of a kernel reads and writes the arrays of its state, for each layout.

    rows      the entries of a state side by side, states one after another: a warp copies its
              rows together, through shared memory
    columns   states side by side, entry k of all states `entry` numbers from entry k - 1
    apart     entries and states at any distance, states along two axes

An array as it is accessed has `parameters` of the kernel, `words` of shared memory per state, and
lines with which a thread begins. Inputs are asked for all at once, before anything is computed:
that is what hides how far away memory is.
"""

from ....drivers.device_map import APART, COLUMNS, ROWS
from ...source.c import SIZES, TYPES
from .prologue import ALIGNED, PACKET

VECTORS = {"float32": ((4, "quartet"), (2, "couple")), "float64": ((2, "couple"),)}


class Access:
    """An array called `name` in the text, of so many entries, some of which are `used`."""

    words = 0  # of shared memory per state
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
        """The first lines; `place` is where its shared memory begins, in numbers per state."""
        return []

    def ready(self, place):
        """Lines for when what was asked for is there."""
        return []

    def clear(self, entries):
        """The lines that write zeros to a range of entries of an output."""
        return [line for k in entries for line in self.store(k, "0")]


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
    """An output that is written entry by entry, as each is made; `is_compact` says that zeros are
    to be written by few instructions."""

    def __init__(self, *arguments, is_compact=False):
        super().__init__(*arguments, is_output=True)
        self._at = 0  # the entry that the pointer points to
        self._is_compact = is_compact

    def store(self, k, value):
        step, self._at = k - self._at, k
        return [*_go(self.name, step), f"*{self.name} = {value};"]

    def clear(self, entries):
        go, self._at = _go(self.name, entries.start - self._at), entries.stop
        times = f"int zero = 0; zero < {len(entries)}; zero++"
        loop = f"for ({times}, {self.name} += {self.name}_entry) *{self.name} = 0;"
        return [*go, "#pragma unroll 4", loop] if self._is_compact else [*go, loop]


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


class RowsWhole(Access):
    """An output in rows, which are collected in shared memory and written when they are whole."""

    together = True

    def __init__(self, name, entries, dtype, used):
        super().__init__(name, entries, dtype, used, is_output=True)
        self._missing = entries

    @property
    def words(self):
        return self.entries

    def ready(self, place):
        row = f"tile + {place} * LANES + LANE * {self.entries}"
        return [f"{self.real} *const {self.name}_made = {row};"]

    def store(self, k, value):
        self._missing -= 1
        line = f"{self.name}_made[{k}] = {value};"
        return [line] if self._missing else [line, "TOGETHER();", self._copied()]

    def _copied(self):
        n, tile = self.entries, f"{self.name}_made - LANE * {self.entries}"
        return f"rows_out({self.name} + first * {n}, {tile}, count * {n}, {n} * LANES);"


class RowsInChunks(Access):
    """A range of the entries of an output in rows, `chunk` of them collected in shared memory at a
    time: one chunk after another, so values of later ones have to wait."""

    together = True

    def __init__(self, name, entries, dtype, used, chunk):
        super().__init__(name, entries, dtype, used, is_output=True)
        starts = range(used.start, used.stop, chunk)
        self._chunks = [range(low, min(low + chunk, used.stop)) for low in starts]
        self._values, self._zeros, self._missing = {}, [], None
        self._pitch = row_of_chunks(len(self._chunks[0]), dtype)

    @property
    def in_turn(self):
        return len(self._chunks) > 1

    @property
    def words(self):
        return self._pitch

    def ready(self, place):
        row = f"{self.name} + (first + LANE) * {self.entries} + {self.used.start}"
        tile = f"tile + {place} * LANES + LANE * {self._pitch}"
        return [
            f"const int {self.name}_before = behind({row});",
            f"{self.real} *const {self.name}_made = {tile} + {self.name}_before;",
        ]

    def clear(self, entries):
        self._zeros.append(entries)
        return self._written()

    def store(self, k, value):
        self._values[k] = value
        return self._written()

    def _written(self):
        """The lines that are possible now: into the tile, and to memory where a chunk is whole."""
        lines = []
        while self._chunks:
            chunk = self._chunks[0]
            if self._missing is None:
                self._missing = set(chunk)
            for zeros in self._zeros:
                common = range(max(zeros.start, chunk.start), min(zeros.stop, chunk.stop))
                if common and common.start in self._missing:
                    lines += self._cleared(common.start - chunk.start, len(common))
                    self._missing.difference_update(common)
            for k in sorted(self._missing & self._values.keys()):
                lines.append(f"{self.name}_made[{k - chunk.start}] = {self._values.pop(k)};")
                self._missing.discard(k)
            if self._missing:
                return lines
            lines += self._copied(chunk)
            self._chunks.pop(0)
            self._missing = None
        return lines

    def _cleared(self, start, count):
        loop = f"for (int zero = 0; zero < {count}; zero++)"
        return ["#pragma unroll 4", f"{loop} {self.name}_made[{start} + zero] = 0;"]

    def _copied(self, chunk):
        n, row = self.entries, f"{self.name}_made - {self.name}_before"
        is_first, is_last = chunk.start == self.used.start, chunk.stop == self.used.stop
        rows, tile = f"{self.name} + first * {n} + {chunk.start}", f"{row} - LANE * {self._pitch}"
        sizes = f"{n}, {self._pitch}, {len(chunk)}, {int(is_first)}, {int(is_last)}"
        lines = [f"chunk_out({rows}, {tile}, count, {sizes});"]
        return lines if is_last else [*lines, f"carry({row}, {len(chunk)});"]


def row_of_chunks(chunk, dtype):
    """The numbers of shared memory for a row of such chunks and what stands over: an odd number of
    packets, so that few threads of a warp want the same bank."""
    packet = PACKET // SIZES[dtype]
    packets = -(-(chunk + ALIGNED // SIZES[dtype] - 1) // packet)
    return (packets | 1) * packet


class RowsWrittenAlone(Access):
    """An output in rows without room in shared memory: every thread writes its own."""

    def __init__(self, name, entries, dtype, used):
        super().__init__(name, entries, dtype, used, is_output=True)

    def begin(self, place):
        return [f"{self.name} += state * {self.entries};"]

    def store(self, k, value):
        return [f"{self.name}[{k}] = {value};"]


READ = {COLUMNS: (ColumnsInRegisters, ColumnsInShared), APART: (ApartInRegisters, ApartInShared)}
WRITTEN = {COLUMNS: ColumnsWritten, APART: ApartWritten}  # and rows as `collect` says


def read(name, entries, dtype, used, layout, waits, has_room):
    """An input; `waits` says whether it should wait in shared memory, where that `has_room`."""
    if layout == ROWS:
        kind = RowsRead if has_room else RowsReadAlone
    else:
        kind = READ[layout][waits and has_room]
    return kind(name, entries, dtype, used)
