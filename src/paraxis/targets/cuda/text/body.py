"""A graph as the statements of one thread: loads, arithmetic, stores as soon as they can be."""

import re

from ....graph.operations import LEAVES
from ...sine_series import LARGE
from ...source.c import SUFFIX, TYPES, c_language
from ...source.text import PAIR, Array, Statements

RESERVED = """
    threadIdx blockIdx blockDim gridDim warpSize sincos sincosf packet couple quartet word tile
    memory index inner outer within state states first count row zero
    sine_cosine within_a_turn rows_in rows_out behind packet_out chunk_out carry
"""
LONG = 12_000  # nodes of a kernel, from which on compilers need to be told
# There is no header that has them: NVRTC's text includes nothing.
NOT_FINITE = {
    "float64": {
        "nan": "FROM_BITS(0x7ff8000000000000)",
        "infinity": "FROM_BITS(0x7ff0000000000000)",
    },
    "float32": {"nan": "FROM_BITS(0x7fc00000)", "infinity": "FROM_BITS(0x7f800000)"},
}
MANY_ZEROS = 8  # side by side, that a loop writes


def device_language(dtype, reserved=""):
    """CUDA C++ for numbers of this type, in which some more words are `reserved`."""
    pair = f"{TYPES[dtype]} {{0}}, {{1}}; sine_cosine({{2}}, &{{0}}, &{{1}});"
    return c_language(dtype, RESERVED + reserved, pair=pair, **NOT_FINITE[dtype])


def called_in_text(keys, names, own):
    """key -> its name in a text that makes names like those that `own` matches itself."""

    def apart(key):
        return f"{key}_" if own.fullmatch(re.sub(r"\W", "_", key)) else key

    return {key: names.new(apart(key)) for key in keys}


class Body:
    """The statements that compute a graph; `load(name, k)` is the text of an input's entry.

    `stored(name, k, value)` returns the lines that write an entry of an output, and
    `cleared(name, entries)`, if it is given, those that write zeros to a range of them. `wanted`
    maps outputs to the entries that are asked for, by default all.
    """

    def __init__(self, graph, dtype, order, load, stored, cleared=None, wanted=None):
        self.graph, self.dtype, self.order = graph, dtype, order
        self._stored, self._cleared, self._wanted = stored, cleared, wanted
        inputs = {name: Array(name, shape, False) for name, shape in graph.inputs.items()}
        numbers = {node.index: k for k, node in enumerate(graph.nodes)}
        self._text = DeviceStatements(
            device_language(dtype), inputs, lambda a, k: load(a.name, k), numbers
        )

    def lines(self):
        text, graph = self._text, self.graph
        text.bring_angles(self.order, self.dtype)
        poison = text.poison(graph.unused)
        places = {}
        for name, (_, nodes) in graph.outputs.items():
            spoilt = graph.poisoned(name)
            wanted = range(len(nodes)) if self._wanted is None else self._wanted.get(name, ())
            zeros = _long_runs(wanted, nodes, spoilt) if self._cleared else []
            for entries in zeros:
                text.lines += self._cleared(name, entries)
            done = {k for entries in zeros for k in entries}
            for k in wanted:
                spoiled_by = poison if spoilt[k] else None
                if k not in done:
                    places.setdefault(nodes[k].index, []).append((name, k, spoiled_by))

        def made(node):
            for name, k, spoiled_by in places.get(node.index, ()):
                value = text.value(node)
                value = f"{value} + {spoiled_by}" if spoiled_by else value
                text.lines += self._stored(name, k, value)

        leaves = {node.index: node for node in graph.results if node.op in LEAVES}
        for node in leaves.values():
            made(node)
        text.compute(self.order, made)
        return text.lines


def _long_runs(wanted, nodes, spoilt):
    """The ranges of at least MANY_ZEROS entries, side by side, that are zero in every state."""
    runs, start = [], None
    for k in [*wanted, None]:
        is_zero = k is not None and nodes[k].op == "const" and nodes[k].value == 0 and not spoilt[k]
        if is_zero and start is None:
            start = k
        if not is_zero and start is not None:
            stop = wanted.stop if k is None else k
            runs += [range(start, stop)] if stop - start >= MANY_ZEROS else []
            start = None
    return runs


class DeviceStatements(Statements):
    """Statements whose angles are within the reach of `sine_cosine`."""

    has_loops = False  # entries are brought in ways that depend on which they are

    def __init__(self, language, inputs, entry, numbers, places=None):
        super().__init__(language, inputs, entry, numbers, places or {})
        self._angles = {}  # node index -> the name of an angle that is small enough

    def bring_angles(self, order, dtype):
        """Bring all angles that are inputs at once: one branch for all of them."""
        turned = {node.args[0].index: node.args[0] for node in order if node.op in PAIR}
        self.bring([node for node in turned.values() if node.op == "input"], dtype)

    def bring(self, angles, dtype):
        """Have these angles within reach: one branch for all of them."""
        if not angles:
            return
        real, f, large = TYPES[dtype], SUFFIX[dtype], self.language.literal(LARGE[TYPES[dtype]])
        names = []
        for node in angles:
            name = self._angles[node.index] = f"angle{len(self._angles)}"
            value = self._input(*node.value) if node.op == "input" else self.value(node)
            self.lines.append(f"{real} {name} = {value};")
            names.append(name)
        small = " && ".join(f"fabs{f}({name}) < {large}" for name in names)
        self.lines.append(f"if (!({small})) {{")
        self.lines += [f"    {name} = within_a_turn({name});" for name in names]
        self.lines.append("}")

    def argument(self, node, argument):
        if node.op not in PAIR:
            return self.value(argument)
        known = self._angles.get(argument.index)
        if known is not None:
            return known
        value, f = self.value(argument), SUFFIX[self.language.dtype]
        large = self.language.literal(LARGE[TYPES[self.language.dtype]])
        return f"fabs{f}({value}) < {large} ? {value} : within_a_turn({value})"
