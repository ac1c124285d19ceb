"""The steps of a Plan of the `lanes` driver as text, for the kernels that take them.

The numbers of a state are in shared memory, where fields that are never needed together have the
same place; constants and the integers that say where things are come first, once for all warps of a
block. What all lanes read alike is read in packets.
"""

from ....drivers.lanes import Clear, Repeat
from ....passes.fuse import fuse
from ...source.c import SIZES, TYPES
from ...source.text import Array
from .body import DeviceStatements, device_language

LANES = 32
PACKET = 16  # bytes
WORDS = """
    own numbers table item span begin end state lane every repetition is_over round place
    ALL_TOGETHER
"""
COMPONENTS = "xyzw"  # of a packet
ALIGNED = 4  # numbers, at a multiple of which fields begin
SHORT, ROUNDS = 80, 4  # nodes of a rule, of which so many rounds are written out


class LaneSteps:
    """The lines of each step, those of the `first`, and what they read besides fields: `numbers`
    and `table`. `lanes` are those of a state; `moved` are numbers that a last line copies, as pairs
    of where to and where from.

    `starts` says where a field begins in the memory `own` of a state. Fields of `elsewhere`, name
    -> the name of a pointer, begin there.
    """

    def __init__(self, plan, dtype, starts, elsewhere, words="", lanes=LANES, moved=()):
        self.plan, self.dtype, self.starts, self.elsewhere = plan, dtype, starts, elsewhere
        self.lanes = lanes
        self.real, self.item = TYPES[dtype], SIZES[dtype]
        self.per = PACKET // self.item  # numbers of a packet
        self.language = device_language(dtype, WORDS + words)
        self.numbers, self.table = [], []
        self.first = [line for step in plan.first for line in self._step(step)]
        self.each = [self._step(step) for step in plan.steps]
        self.moved = self._moved(moved)
        self.numbers += [0.0] * (-len(self.numbers) % self.per)
        self.table += [0] * (-len(self.table) % (PACKET // 2))

    @property
    def lines(self):
        return [line for lines in self.each for line in lines]

    def definitions(self, name):
        """The text of what kernels of that name copy to shared memory."""
        numbers = [self.language.literal(x) for x in self.numbers]
        table = [str(k) for k in self.table]
        return _array(f"{name}_numbers", self.real, numbers) + _array(
            f"{name}_table", "short", table
        )

    def copied(self, name, threads):
        """Lines by which the threads of a block do so."""
        sizes = {"numbers": len(self.numbers) * self.item, "table": len(self.table) * 2}
        return [
            f"for (int k = threadIdx.x; k < {bytes} / {PACKET}; k += {threads})\n"
            f"        COPY_PACKET((packet *){to} + k, (const packet *){name}_{to} + k);"
            for to, bytes in sizes.items()
            if bytes
        ]

    def shared(self, rooms):
        """Bytes of a block whose states have so many numbers together."""
        return (len(self.numbers) + rooms) * self.item + 2 * len(self.table)

    def _step(self, step):
        if isinstance(step, Clear):
            start, own = self._start(step.field)
            count = self.plan.sizes[step.field]
            return [
                "#pragma unroll 4",
                f"for (int k = LANE; k < {count}; k += LANES) {own}[{start} + k] = 0;",
                "TOGETHER();",
            ]
        if isinstance(step, Repeat):
            start, own = self._start(step.until)
            return [
                "#pragma unroll 1",
                f"for (int repetition = 0; repetition < {step.most}; repetition++) {{",
                *("    " + line for each in step.steps for line in self._step(each)),
                f"    const bool is_over = {own}[{start}] != 0;",
                "    TOGETHER();  /* before its place has another number */",
                "    if (is_over) break;",
                "}",
            ]
        columns, numbers = {}, {}
        for name, column in step.columns.items():
            columns[name], self.table = len(self.table), [*self.table, *column]
        for name, rows in step.constants.items():
            numbers[name] = len(self.numbers)
            self.numbers += [row[k] for k in range(len(rows[0])) for row in rows]
        graph = fuse(step.graph)
        inputs = {name: Array(name, shape, False) for name, shape in graph.inputs.items()}
        order = {node.index: k for k, node in enumerate(graph.nodes)}

        packets = set()

        def entry(array, k):
            if array.name in numbers:
                return f"numbers[{numbers[array.name] + k * step.items} + item]"
            place = step.places[array.name]
            width = self._together(step, place, array.entries)
            if width == 1:
                return self._at(place, k)
            start, own = self._start(place.field)
            component = (start + place.number(k)) % width
            first, kind = start + place.number(k) - component, self._kind(width)
            name = "_".join([kind, f"{own}{first}", *([place.column] if place.column else [])])
            if name not in packets:
                packets.add(name)
                at = f"{own} + {first}" + (f" + at_{place.column}" if place.column else "")
                text.lines.append(f"const {kind} {name} = *(const {kind} *)({at});")
            return f"{name}.{COMPONENTS[component]}"

        text = DeviceStatements(self.language, inputs, entry, order)
        text.bring_angles(graph.nodes, self.dtype)
        # Of numbers that a caller gives: others come from these.
        given = {name for name, place in step.places.items() if place.field in self.plan.inputs}
        poison = text.poison([each for each in graph.unused if each[0] in given])
        text.compute(graph.nodes)
        for name, (_, nodes) in graph.outputs.items():
            for k, node in enumerate(nodes):
                value = text.value(node) + (f" + {poison}" if poison else "")
                text.lines.append(f"{self._at(step.places[name], k)} = {value};")
        at = [f"const int at_{name} = table[{start} + item];" for name, start in columns.items()]
        inner = ["    " + line for line in [*at, *text.lines]]
        if len(step.spans) == 1:
            lines = [*self._items(step, len(graph.nodes)), *inner, "}"]
            return [*lines, "TOGETHER();"] if step.waits else lines
        spans, self.table = len(self.table), [*self.table, *step.spans]
        return [
            "#pragma unroll 1",
            f"for (int span = 0, begin = 0; span < {len(step.spans)}; span++) {{",
            f"    const int end = table[{spans} + span];",
            "    #pragma unroll 1",
            "    for (int item = begin + LANE; item < end; item += LANES) {",
            *("    " + line for line in inner),
            "    }",
            "    TOGETHER();",
            "    begin = end;",
            "}",
        ]

    def _together(self, step, place, entries):
        """How many numbers of an input may be read at once, wherever its items have it."""
        if place.offsets is not None or place.stride != 1:
            return 1
        columns = step.columns.get(place.column, ())
        fitting = (w for w in (self.per, 2) if entries >= w and all(k % w == 0 for k in columns))
        return next(fitting, 1)

    def _kind(self, width):
        """The type of so many numbers that are read at once."""
        return "packet" if width == self.per else "couple"

    def _items(self, step, nodes):
        """How the loop over items begins. Rounds of short rules are written out, so that one reads
        while another computes; lanes that are left over in the last one do the last item again,
        where that makes no difference."""
        rounds = -(-step.items // self.lanes)
        if rounds == 1:
            return [f"if (LANE < {step.items}) {{", "    const int item = LANE;"]
        read = {place.field for name, place in step.places.items() if name in step.graph.inputs}
        written = {place.field for name, place in step.places.items() if name in step.graph.outputs}
        if nodes > SHORT or read & written:
            head = f"for (int item = LANE; item < {step.items}; item += LANES) {{"
            return ["#pragma unroll 1", head]
        last = step.items - 1
        return [
            f"#pragma unroll {min(rounds, ROUNDS)}",
            f"for (int round = 0; round < {rounds}; round++) {{",
            "    const int place = LANE + round * LANES;",
            f"    const int item = place < {last} ? place : {last};",
        ]

    def _moved(self, pairs):
        if not pairs:
            return []
        to = len(self.table)
        self.table += [each for each, _ in pairs] + [each for _, each in pairs]
        pair = f"own[table[{to} + k]] = own[table[{to + len(pairs)} + k]];"
        return [f"for (int k = LANE; k < {len(pairs)}; k += LANES) {pair}"]

    def _at(self, place, k):
        start, own = self._start(place.field)
        fixed = start + place.number(k)
        return f"{own}[{fixed}]" if place.column is None else f"{own}[{fixed} + at_{place.column}]"

    def _start(self, field):
        """Where a field begins, and from which pointer."""
        return self.starts[field], self.elsewhere.get(field, "own")


def aligned(count):
    """So many numbers, and what it takes for the next field to begin where it may."""
    return -(-count // ALIGNED) * ALIGNED


def places(plan, kept=(), elsewhere=()):
    """field -> where it begins in the memory of a state, and how many numbers that has: a field has
    its place from the step that first names it to the last; those of `kept` have it throughout, and
    those of `elsewhere` have none."""
    first, last = dict.fromkeys(plan.inputs, -1), {}
    for k, step in enumerate(plan.steps):
        for field in sorted(step.fields()):
            first.setdefault(field, k)
            last[field] = k
    for _, field, _ in plan.outputs.values():
        last[field] = len(plan.steps)
    for field in {*kept}.union(*(step.fields() for step in plan.first)):
        first[field], last[field] = -1, len(plan.steps)
    starts, room = {}, 0
    first = {field: k for field, k in first.items() if field not in elsewhere}
    for field in sorted(first, key=lambda each: (-plan.sizes[each], first[each], each)):
        at, count = 0, aligned(plan.sizes[field])
        beside = sorted(
            (starts[other], starts[other] + aligned(plan.sizes[other]))
            for other in starts
            if last.get(other, -1) >= first[field] and last.get(field, -1) >= first[other]
        )
        for begin, end in beside:
            if at + count <= begin:
                break
            at = max(at, end)
        starts[field], room = at, max(room, at + count)
    return starts, room


def _array(name, kind, values):
    rows = [", ".join(values[k : k + 12]) for k in range(0, len(values), 12)] or ["0"]
    body = ",\n    ".join(rows)
    return f"alignas(16) static __device__ const {kind} {name}[] = {{\n    {body}}};\n"
