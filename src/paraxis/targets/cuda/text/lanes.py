"""The kernel of the `lanes` driver: a warp for each state, a lane for each joint of it.

For batches that leave a GPU empty, and for graphs too long for its cache of instructions: the steps
of a Plan (drivers/lanes.py) are short, and each serves all joints. The numbers of a state are
in shared memory, where fields that are never needed together have the same place; constants and the
integers that say where things are come first, once for all warps of a block.
"""

from ....drivers.device_map import COLUMNS, ROWS
from ....drivers.lanes import Clear
from ....graph.graph import size
from ....passes.fuse import fuse
from ...source.c import SIZES, TYPES
from ...source.text import Array, Names
from .body import DeviceStatements, called_in_text, device_language
from .map import OWN, Kernel, MapText
from .prologue import prologue

WARPS = 4  # of a block
LANES = 32
PACKET = 16  # bytes
WORDS = "own numbers table item span begin end state lane every ALL_TOGETHER"


def lanes_text(plan, layouts, dtype):
    """The text; `layouts` are those of the arrays, inputs first."""
    return _Lanes(plan, layouts, dtype).text()


def shared_bytes(plan, dtype):
    """Of a block."""
    return _Lanes(plan, (), dtype).shared


class _Lanes:
    def __init__(self, plan, layouts, dtype):
        self.plan, self.layouts, self.dtype = plan, layouts, dtype
        self.real, self.item = TYPES[dtype], SIZES[dtype]
        self.language = device_language(dtype, WORDS)
        self.name = Names(self.language).new(f"{plan.name}_lanes")
        self.starts, self.room = places(plan)
        self.numbers, self.table = [], []  # constants and integers of all steps
        self.lines = [line for step in plan.steps for line in self._step(step)]
        per = PACKET // self.item
        self.room = -(-self.room // per) * per
        self.numbers += [0.0] * (-len(self.numbers) % per)
        self.table += [0] * (-len(self.table) % (PACKET // 2))
        self.shared = (len(self.numbers) + WARPS * self.room) * self.item + 2 * len(self.table)

    def text(self):
        real, plan, name = self.real, self.plan, self.name
        arrays = (*plan.inputs, *plan.outputs)
        names = Names(self.language, name)
        called = called_in_text(
            [*plan.inputs, *(f"{key}_out" if key in plan.inputs else key for key in plan.outputs)],
            names,
            OWN,
        )
        called = (
            dict(zip(arrays[: len(plan.inputs)], list(called.values()), strict=False)),
            dict(zip(plan.outputs, list(called.values())[len(plan.inputs) :], strict=True)),
        )
        given, made = called
        layouts = dict(zip([*given.values(), *made.values()], self.layouts, strict=True))
        apart = any(layout not in (ROWS, COLUMNS) for layout in layouts.values())
        parameters = ["long long states", *(["long long inner"] if apart else [])]
        parameters += [
            text
            for key in given.values()
            for text in _parameters(key, layouts[key], f"const {real}")
        ]
        parameters += [
            text for key in made.values() for text in _parameters(key, layouts[key], real)
        ]
        bring, back, back_together = [], [], []
        for key, shape in plan.inputs.items():
            at = _address(given[key], layouts[given[key]], size(shape))
            head = f"for (int k = LANE; k < {size(shape)}; k += LANES)"
            bring.append(f"{head} COPY_ITEM(own + {self.starts[key]} + k, &{at});")
        for key, (shape, field, first) in plan.outputs.items():
            at, start = made[key], self.starts[field] + first
            if layouts[at] == COLUMNS:
                back_together += self._states_side_by_side(at, size(shape), start)
                continue
            address = _address(at, layouts[at], size(shape))
            back.append("#pragma unroll 8")
            head = f"for (int k = LANE; k < {size(shape)}; k += LANES)"
            back.append(f"{head} {address} = own[{start} + k];")
        blocks = self.numbers, self.table
        packets = [
            f"{each} / {PACKET}" for each in (len(blocks[0]) * self.item, len(blocks[1]) * 2)
        ]
        copied = [
            f"for (int k = threadIdx.x; k < {count}; k += {WARPS * LANES})\n"
            f"        COPY_PACKET((packet *){to} + k, (const packet *){name}_{to} + k);"
            for count, to in zip(packets, ("numbers", "table"), strict=True)
            if not count.startswith("0 ")
        ]
        body = [
            "SHARED(memory);",
            f"{real} *const numbers = ({real} *)memory;",
            f"{real} *const own = numbers + {len(self.numbers)} "
            f"+ threadIdx.x / LANES * {self.room};",
            f"short *const table = (short *)(numbers + {len(self.numbers) + WARPS * self.room});",
            f"long long state = blockIdx.x * {WARPS}LL + threadIdx.x / LANES;",
            "const bool is_own = state < states;",
            "if (!is_own) state = states - 1;",
            *bring,
            *copied,
            "ARRIVED();",
            "ALL_TOGETHER();",
            *(["if (is_own) {"] if back_together else ["if (!is_own) return;"]),
            *self.lines,
            *back,
            *(["}", "ALL_TOGETHER();"] if back_together else []),
            *back_together,
        ]
        heads = ",\n    ".join(parameters)
        code = "\n".join(f"    {line}" for line in body)
        literal = self.language.literal
        tables = [
            _array(f"{name}_numbers", real, [literal(x) for x in self.numbers]),
            _array(f"{name}_table", "short", [str(k) for k in self.table]),
        ]
        text = f"""{prologue(self.dtype)}
{"".join(tables)}
extern "C" __global__ void __launch_bounds__({WARPS * LANES}) {name}(
    {heads})
{{
{code}
}}
"""
        kernel = Kernel(name, WARPS * LANES, self.shared, WARPS)
        return MapText(text, (kernel,), "usual")

    def _states_side_by_side(self, name, entries, start):
        """Lines by which all warps of a block write columns: an entry of each of their states."""
        states = f"states - blockIdx.x * {WARPS}LL"
        own = f"numbers[{len(self.numbers)} + k % {WARPS} * {self.room} + {start} + k / {WARPS}]"
        at = f"{name}[blockIdx.x * {WARPS}LL + k % {WARPS} + k / {WARPS} * {name}_entry]"
        return [
            "#pragma unroll 8",
            f"for (int k = threadIdx.x; k < {entries * WARPS}; k += {WARPS * LANES})",
            f"    if (k % {WARPS} < {states}) {at} = {own};",
        ]

    def _step(self, step):
        if isinstance(step, Clear):
            start = self.starts[step.field]
            count = self.plan.sizes[step.field]
            return [
                "#pragma unroll 4",
                f"for (int k = LANE; k < {count}; k += LANES) own[{start} + k] = 0;",
                "TOGETHER();",
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

        def entry(array, k):
            if array.name in numbers:
                return f"numbers[{numbers[array.name] + k * step.items} + item]"
            return self._at(step.places[array.name], k)

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
            return [
                "#pragma unroll 1",
                f"for (int item = LANE; item < {step.items}; item += LANES) {{",
                *inner,
                "}",
                "TOGETHER();",
            ]
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

    def _at(self, place, k):
        fixed = self.starts[place.field] + place.number(k)
        return f"own[{fixed}]" if place.column is None else f"own[{fixed} + at_{place.column}]"


def places(plan):
    """field -> where it begins in the memory of a state, and how many numbers that has: a field has
    its place from the step that first names it to the last."""
    first, last = dict.fromkeys(plan.inputs, -1), {}
    for k, step in enumerate(plan.steps):
        for field in sorted(step.fields()):
            first.setdefault(field, k)
            last[field] = k
    for _, field, _ in plan.outputs.values():
        last[field] = len(plan.steps)
    starts, room = {}, 0
    for field in sorted(first, key=lambda each: (-plan.sizes[each], first[each], each)):
        at, count = 0, plan.sizes[field]
        beside = sorted(
            (starts[other], starts[other] + plan.sizes[other])
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


DISTANCES = {ROWS: (), COLUMNS: ("entry",)}  # and otherwise
APART = "entry", "state", "outer"


def _parameters(name, layout, real):
    distances = DISTANCES.get(layout, APART)
    return [f"{real} *__restrict__ {name}", *(f"long long {name}_{each}" for each in distances)]


def _address(name, layout, entries):
    """Where entry k of the state is."""
    if layout == ROWS:
        return f"{name}[state * {entries} + k]"
    if layout == COLUMNS:
        return f"{name}[state + k * {name}_entry]"
    outer, within = "state / inner", "state % inner"
    return f"{name}[{outer} * {name}_outer + {within} * {name}_state + k * {name}_entry]"
