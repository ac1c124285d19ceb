"""Transposing a few entries of all states of a block, in registers.

A register is seen as a row of cells of e entries: cell c of register j holds e entries of state
c*e + j. An e x e transpose inside the cells, which is its own inverse, leaves one entry of all
states in each register.
"""


class Straight:
    """Lines of one straight piece of code; names its values."""

    def __init__(self, prefix="x"):
        self.prefix, self.lines = prefix, []

    def let(self, text):
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text):
        self.lines.append("  " + text)

    def __str__(self):
        return "\n".join(self.lines)

    def shuffle(self, type_, a, b, indices):
        mask = ", ".join(f"i32 {i}" for i in indices)
        return self.let(f"shufflevector {type_} {a}, {type_} {b}, <{len(indices)} x i32> <{mask}>")


def cell_entries(lanes):
    """How many entries fill 128 bits: the smallest cell."""
    return 16 // lanes.size


def wide_cell(lanes):
    """The entries of a tile where there are enough: 256-bit cells in 512-bit registers of doubles."""
    return 4 if lanes.count >= 8 else cell_entries(lanes)


def tiles(entries, lanes):
    """(first entry, entries) of the tiles that cover a row; the last may overlap."""
    narrow, wide, k = cell_entries(lanes), wide_cell(lanes), 0
    while k < entries:
        cell = wide if entries - k > narrow and entries >= wide else narrow
        yield min(k, entries - cell), cell
        k += cell


def load_tile(code, lanes, e, address):
    """e registers, one per entry, from rows; `address(state)` is where a state's entries begin."""
    registers = []
    for states in _cell_states(lanes, e):
        cells = [
            code.let(f"load <{e} x {lanes.element}>, ptr {address(state)}, align {lanes.size}")
            for state in states
        ]
        registers.append(_concatenate(code, lanes, e, cells))
    return _transpose_cells(code, lanes, e, registers)


def store_tile(code, lanes, e, registers, address):
    """The reverse."""
    registers = _transpose_cells(code, lanes, e, registers)
    for register, states in zip(registers, _cell_states(lanes, e), strict=True):
        for cell, state in enumerate(states):
            part = code.shuffle(lanes.type, register, "poison", range(cell * e, cell * e + e))
            code.do(
                f"store <{e} x {lanes.element}> {part}, ptr {address(state)}, align {lanes.size}"
            )


def _cell_states(lanes, e):
    """For each register of a tile, the state in each of its cells."""
    return [[cell * e + j for cell in range(lanes.count // e)] for j in range(e)]


def _concatenate(code, lanes, width, parts):
    while len(parts) > 1:
        type_ = f"<{width} x {lanes.element}>"
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [code.shuffle(type_, a, b, range(2 * width)) for a, b in pairs]
        width *= 2
    return parts[0]


def _transpose_cells(code, lanes, e, registers):
    """Transpose each e x e cell across e registers: log2(e) rounds of pairwise interleaving."""
    n, step = lanes.count, 1
    while step < e:
        turned = list(registers)
        for j in range(e):
            if j & step:
                continue
            a, b = registers[j], registers[j | step]
            low = [_swapped(i, step, n, False) for i in range(n)]
            high = [_swapped(i, step, n, True) for i in range(n)]
            turned[j] = code.shuffle(lanes.type, a, b, low)
            turned[j | step] = code.shuffle(lanes.type, a, b, high)
        registers, step = turned, 2 * step
    return registers


def _swapped(i, step, n, high):
    """Which lane of a (or n + lane of b) goes to lane i when columns and registers swap a bit."""
    if high:
        return n + i if i & step else i | step
    return n + (i & ~step) if i & step else i
