"""The kernel of a team: warps compute states together, each a part of the graph.

For batches that leave a GPU empty: with one thread per state, the time is that of one long chain of
instructions, most of it spent waiting for them. The warps are those of a block, or of a cluster of
blocks, each with a part of the graph that its multiprocessor's cache of instructions holds. A block
brings the inputs to its shared memory; each warp runs a function of its own, superstep by
superstep, and puts what others need into the memory of their blocks; results go to the block that
writes those of their state. Numbers in shared memory are side by side for the states of a cluster,
which are as many as there is room for, at most one per lane; lanes without a state of their own
repeat another's.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from ....drivers.device_map import COLUMNS, ROWS
from ....graph.graph import size
from ....passes.team import FREE, Team
from ...source.c import SIZES, TYPES
from ...source.text import Array, Names, function_name
from .body import DeviceStatements, called_in_text, device_language
from .map import OWN, Kernel, MapText
from .prologue import prologue

WARP = 32
MOST_STATES = 32  # of a cluster
# Words that the text uses, beside those of every kernel.
WORDS = """
    given shared made lane part every block at entry per mine ALL_TOGETHER CLUSTER_TOGETHER of_block
"""


@dataclass(frozen=True)
class Room:
    """Numbers of a block's shared memory per state: of inputs, of slots, and of results, each state
    of which is written by one of the `blocks`."""

    given: int
    shared: int
    made: int
    blocks: int

    def words(self, states):
        return (self.given + self.shared) * states + self.made * (states // self.blocks)

    def states(self, room, item):
        """How many states of a cluster fit into so many bytes of each block: a power of two that
        its blocks share evenly, or none."""
        count = MOST_STATES
        while count >= self.blocks and self.words(count) * item > room:
            count //= 2
        return count if count >= self.blocks else 0


def room_of(graph, team):
    inputs = sum(map(size, graph.inputs.values()))
    outputs = sum(size(shape) for shape, _ in graph.outputs.values())
    made = outputs | 1  # odd: lanes then write to banks of their own
    return Room(inputs, team.room, made, len(team.slots))


def team_text(graph, team: Team, layouts, dtype, states):
    """The text, for clusters of so many states, a block for each group of the team; `graph` has
    multiply-adds."""
    language = device_language(dtype, WORDS)
    name = f"{function_name(graph, None, language)}_team"
    room = room_of(graph, team)
    parts = _Parts(graph, team, room, dtype, states, name)
    blocks = len(team.slots)
    threads = team.workers // blocks * WARP
    kernel = _kernel(graph, parts, layouts, language, threads)
    text = "\n".join([prologue(dtype), *parts.functions(), kernel])
    shared = room.words(states) * SIZES[dtype]
    return MapText(text, (Kernel(name, threads, shared, states, blocks),), "usual")


class _Parts:
    """A function for each worker."""

    def __init__(self, graph, team, room, dtype, states, name):
        self.graph, self.team, self.room, self.dtype = graph, team, room, dtype
        self.states, self.name, self.real = states, name, TYPES[dtype]
        self.blocks = len(team.slots)
        self.together = "CLUSTER_TOGETHER();" if self.blocks > 1 else "ALL_TOGETHER();"
        self.language = device_language(dtype, WORDS)
        self._offsets, at = {}, 0
        for key, shape in graph.inputs.items():
            self._offsets[key], at = at, at + size(shape)
        self._stored = self._homes()

    def _homes(self):
        """worker -> node index -> the entries of results that are to be written there."""
        homes, first = [defaultdict(list) for _ in self.team.rows], 0
        owner = self.team.owner
        for key, (shape, nodes) in self.graph.outputs.items():
            spoilt = self.graph.poisoned(key)
            for k, node in enumerate(nodes):
                if not is_zero(node) or spoilt[k]:
                    entries = homes[owner.get(self._base(node).index, 0)][node.index]
                    entries.append((first + k, spoilt[k], node))
            first += size(shape)
        return homes

    def functions(self):
        return [self._function(worker) for worker in range(self.team.workers)]

    def _function(self, worker):
        stored = self._stored[worker]
        inputs = {key: Array(key, shape, False) for key, shape in self.graph.inputs.items()}
        numbers = {node.index: k for k, node in enumerate(self.graph.nodes)}
        text = _PartStatements(self, worker, inputs, numbers)
        row = self.team.rows[worker]
        text.bring_blocks(row)
        text.bring_angles([node for nodes in row for node in nodes], self.dtype)
        poison = text.poison(self.graph.unused) if stored else None

        def made(node):
            for entry, is_spoilt, _ in stored.get(node.index, ()):
                value = text.value(node)
                value = f"{value} + {poison}" if is_spoilt and poison else value
                text.lines.append(f"made[{entry}] = {value};")

        known = set()
        for (_, _, node), *_ in list(stored.values()):
            if self._base(node).index not in self.team.owner:  # an input, a constant
                text.compute(self._with_free([node], {}, known))
                made(node)
        for step, nodes in enumerate(row):
            if step:
                text.lines.append(self.together)
            text.compute(self._with_free(nodes, stored, known), made)
        body = "\n".join(f"    {line}" for line in text.lines)
        return f"""static __device__ __noinline__ void {self.name}_part{worker}(
    const {self.real} *given, {self.real} *shared, {self.real} *made, const int lane)
{{
{body}
}}
"""

    def entry(self, array, k):
        return f"given[{(self._offsets[array.name] + k) * self.states} + lane]"

    def _with_free(self, nodes, stored, known):
        """The nodes, with what they are freely made of before them, and what is freely made of
        them and stored here behind them."""
        order = []

        def bring(node):
            if node.op == "neg" and node.index not in known:
                bring(node.args[0])
                known.add(node.index)
                order.append(node)

        for node in nodes:
            for argument in node.args:
                bring(argument)
            order.append(node)
            for index in self._negated.get(node.index, ()):
                if index in stored:
                    bring(stored[index][0][2])
        return order

    def _base(self, node):
        """What a node is freely made of."""
        while node.op in FREE and node.args:
            node = node.args[0]
        return node

    @cached_property
    def _negated(self):
        """node index -> the nodes that are freely made of it."""
        found = defaultdict(list)
        for node in self.graph.nodes:
            base = self._base(node)
            if base is not node:
                found[base.index].append(node.index)
        return found


class _PartStatements(DeviceStatements):
    """Statements of a worker, which reads its own block's slots and writes those of any."""

    def __init__(self, parts, worker, inputs, numbers):
        super().__init__(parts.language, inputs, parts.entry, numbers)
        self._parts, self._slots = parts, parts.team.slots
        self._own = parts.team.group(worker)

    def bring_blocks(self, row):
        """Where the other blocks are that get something."""
        made = {node.index for nodes in row for node in nodes}
        for block, slots in enumerate(self._slots):
            if block != self._own and made & slots.keys():
                there = f"{self._parts.real} *const {self._shared(block)}"
                self.lines.append(f"{there} = of_block(shared, {block});")

    def _shared(self, block):
        return "shared" if block == self._own else f"shared{block}"

    def _keep(self, *nodes):
        for node in nodes:
            for block, slots in enumerate(self._slots):
                if node.index in slots:
                    place = (
                        f"{self._shared(block)}[{slots[node.index] * self._parts.states} + lane]"
                    )
                    self.lines.append(f"{place} = {self._known[node.index]};")

    def _place(self, node):
        return f"shared[{self._slots[self._own][node.index] * self._parts.states} + lane]"


def is_zero(node):
    return node.op == "const" and node.value == 0


def _kernel(graph, parts, layouts, language, threads):
    names = Names(language, parts.name)
    inputs, outputs = graph.inputs, {key: shape for key, (shape, _) in graph.outputs.items()}
    called = called_in_text((*inputs, *outputs), names, OWN)
    layout_of = dict(zip((*inputs, *outputs), layouts, strict=True))
    apart = any(layout not in (ROWS, COLUMNS) for layout in layouts)
    parameters = ["long long states", *(["long long inner"] if apart else [])]
    lines, first = [], 0
    for key, shape in inputs.items():
        parameters += _parameters(called[key], layout_of[key], f"const {parts.real}")
        lines += _copied(called[key], layout_of[key], size(shape), parts.states, threads, first)
        first += size(shape)
    pitch, states, blocks = parts.room.made, parts.states, parts.blocks
    per = states // blocks  # states whose results a block writes
    back, first = [], 0
    for key, shape in outputs.items():
        parameters += _parameters(called[key], layout_of[key], parts.real)
        back += _written(called[key], layout_of[key], size(shape), per, threads, first, pitch)
        first += size(shape)
    zeros = any(
        is_zero(node) and not spoilt
        for key, (_, nodes) in graph.outputs.items()
        for node, spoilt in zip(nodes, graph.poisoned(key), strict=True)
    )
    if zeros:
        lines += [
            "#pragma unroll 4",
            f"for (int at = threadIdx.x; at < {per * pitch}; at += {threads}) results[at] = 0;",
        ]
    block = f"blockIdx.x % {blocks}" if blocks > 1 else "0"
    made = f"results + lane % {per} * {pitch}"
    made = f"of_block({made}, lane / {per})" if blocks > 1 else made
    cases = []
    for worker in range(parts.team.workers):
        call = f"{parts.name}_part{worker}(given, shared, made, lane)"
        cases.append(f"    case {worker}: {call}; break;")
    body = [
        "SHARED(memory);",
        f"{parts.real} *const given = ({parts.real} *)memory;",
        f"{parts.real} *const shared = given + {parts.room.given * states};",
        f"{parts.real} *const results = shared + {parts.room.shared * states};",
        f"const int block = {block}, lane = threadIdx.x % {states};",
        f"long long first = blockIdx.x / {blocks} * (long long){states};",
        f"int count = states - first < {states} ? (int)(states - first) : {states};",
        *lines,
        parts.together,
        f"{parts.real} *const made = {made};",
        f"switch (block * {threads // WARP} + threadIdx.x / {WARP}) {{",
        *cases,
        "}",
        parts.together,
        f"first += block * {per};",
        f"count -= block * {per};",
        *back,
    ]
    heads = ",\n    ".join(parameters)
    code = "\n".join(f"    {line}" for line in body)
    bounds = f"__launch_bounds__({threads}, 1)"
    if blocks > 1:
        bounds += f" __cluster_dims__({blocks}, 1, 1)"
    return f"""extern "C" __global__ void {bounds} {parts.name}(
    {heads})
{{
{code}
}}
"""


DISTANCES = {ROWS: (), COLUMNS: ("entry",)}  # and otherwise
APART = "entry", "state", "outer"


def _parameters(name, layout, real):
    distances = DISTANCES.get(layout, APART)
    return [f"{real} *__restrict__ {name}", *(f"long long {name}_{each}" for each in distances)]


def _address(name, layout, entries):
    """Where entry `entry` of state `first + at` is."""
    if layout == ROWS:
        return f"{name}[(first + at) * {entries} + entry]"
    if layout == COLUMNS:
        return f"{name}[first + at + entry * {name}_entry]"
    outer, within = "(first + at) / inner", "(first + at) % inner"
    return f"{name}[{outer} * {name}_outer + {within} * {name}_state + entry * {name}_entry]"


def _loop(layout, entries, states, threads):
    """The head of a loop of all threads over states `at` and entries, in the order of memory."""
    split = (
        f"const int at = every / {entries}, entry = every % {entries};"
        if layout == ROWS
        else f"const int at = every % {states}, entry = every / {states};"
    )
    return [
        "#pragma unroll 8",
        f"for (int every = threadIdx.x; every < {entries * states}; every += {threads}) {{",
        f"    {split}",
    ]


def _copied(name, layout, entries, states, threads, first):
    """The lines that bring an input: states beyond the last are those of the last."""
    if not entries:
        return []
    begin, *rest = _loop(layout, entries, states, threads)
    head, split = rest
    split = split.replace("const int at =", "const int place =")
    return [
        begin,
        head,
        split,
        "    const int at = place < count ? place : count - 1;",
        f"    given[({first} + entry) * {states} + place] = {_address(name, layout, entries)};",
        "}",
    ]


def _written(name, layout, entries, states, threads, first, pitch):
    if not entries:
        return []
    value = f"results[at * {pitch} + {first} + entry]"
    return [
        *_loop(layout, entries, states, threads),
        f"    if (at < count) {_address(name, layout, entries)} = {value};",
        "}",
    ]
