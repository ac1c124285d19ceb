"""A graph as JavaScript: a module of functions for one state and for a batch, and their types.

For pages and servers where WebAssembly is not allowed. Nothing is evaluated from text, no memory is
taken but for results that the caller leaves out. Arrays are typed arrays with an offset, so that a
batch makes no views.
"""

from ...graph.operations import OPS
from .c import block_comment
from .text import Language, Names, arrays, description, function_name, listed, write

# V8 optimises functions of up to 60 kB of bytecode, of which a node takes about 20; a longer one
# runs 30 times slower.
MOST_NODES = 2000

# Words of JavaScript in modules, and those of TypeScript that name no parameter; then what the
# texts themselves use.
RESERVED = """
    abstract arguments as async await boolean break byte case catch char class const constructor
    continue debugger default delete do double else enum eval export extends false final finally
    float for from function get goto if implements import in instanceof int interface let long
    native new null of package private protected public return set short static super switch
    synchronized this throw throws transient true try typeof undefined var void volatile while with
    yield

    expect_entries Float64Array Infinity Math NaN Number RangeError
"""
# What names a global object of every engine: a function should not hide it.
GLOBALS = """
    Array Buffer Date Error Function Map Object Promise Proxy Reflect RegExp Set String Symbol
    Worker console document escape exports fetch global globalThis isFinite isNaN module name
    navigator parseFloat parseInt process require self unescape window
"""
LANGUAGE = Language(
    dtype="float64",
    operations={name: op.javascript for name, op in OPS.items()},
    let="const {0} = {1};",
    put="{0} = {1};",
    place="frame[{0}]",
    number="{0}",
    nan="NaN",
    infinity="Infinity",
    loop=(
        "let {0} = {1};",
        "for (let {2} = {3}; {2} <= {4}; {2}++) {{",
        "    {0} += {5} - {5};",
        "}}",
    ),
    reserved=frozenset(RESERVED.split()),
    library=frozenset(GLOBALS.split()),
)

CHECK = """function expect_entries(name, array, entries) {
    if (array?.length !== entries) {
        throw new RangeError(`${name}: expected ${entries} numbers, found ${array?.length}`);
    }
}"""


class Function:
    """The exported functions: their names, their arrays, and where the entries of a state begin."""

    def __init__(self, graph, name=None):
        self.graph, self.name = graph, function_name(graph, name, LANGUAGE)
        self.names = Names(LANGUAGE, self.name)
        self.arrays = arrays(graph, self.names)
        self.inputs, self.outputs = (
            self.arrays[: len(graph.inputs)],
            self.arrays[len(graph.inputs) :],
        )
        self.at = {array: self.names.new(f"{array.name}_at") for array in self.arrays}

    def entry(self, array, k):
        """An entry of an array; inputs may be arrays of anything, and become numbers."""
        place = f"{array.name}[{self.at[array]} + {k}]"
        return place if array.is_output else f"+{place}"

    def passed(self, used, offset="0"):
        """Arguments for arrays whose state begins at that multiple of a state's entries."""
        return [f"{a.name}, {offset if offset == '0' else f'{a.entries} * {offset}'}" for a in used]

    def comment(self, notes=()):
        usage = (
            f"{self.name} computes one state, {self.name}_batch many. Arrays are flat: states are "
            "one after another, arrays of several dimensions row-major.",
            "Results go to the arrays given last, or to new ones, and are returned: one array, or "
            "an object of several. They may be the same arrays as inputs.",
        )
        return block_comment(
            description(self.graph, self.name, LANGUAGE, self.arrays, usage, notes)
        )


def source(graph, name=None, notes=()):
    """The text of a JavaScript module; `notes` are paragraphs for the comment it begins with."""
    function = Function(graph, name)
    straight = write(graph, LANGUAGE, function.arrays, function.entry, most=MOST_NODES)
    straight.pieces[-1].store(function.outputs, straight.results)
    parts, calls = [], []
    for k, piece in enumerate(straight.pieces):
        used = [array for array in function.arrays if array in piece.arrays]
        part = f"{function.name}_part{k}"
        parameters = [f"{array.name}, {function.at[array]}" for array in used]
        parts.append(
            f"{listed(f'function {part}(', parameters, ') {', '    ')}\n{_block(piece.lines)}"
        )
        calls.append((part, used))
    frame = [f"const frame = new Float64Array({straight.frame});"] if straight.frame else []
    return (
        "\n\n".join(
            [
                function.comment(notes),
                *frame,
                *parts,
                CHECK,
                _one_state(function, calls),
                _batch(function, calls),
                "",
            ]
        ).rstrip("\n")
        + "\n"
    )


def _block(lines, end="}"):
    return "\n".join([*(f"    {line}" for line in lines), end])


def _one_state(function, calls):
    results = [f"{a.name} = new Float64Array({a.entries})" for a in function.outputs]
    head = listed(
        f"export function {function.name}(", [*_names(function.inputs), *results], ") {", "    "
    )
    lines = [
        *(f'expect_entries("{a.name}", {a.name}, {a.entries});' for a in function.arrays),
        *(listed(f"{part}(", function.passed(used), ");", " " * 8) for part, used in calls),
        _returned(function),
    ]
    return f"{head}\n{_block(lines)}"


def _batch(function, calls):
    results = [f"{a.name} = new Float64Array({a.entries} * states)" for a in function.outputs]
    head = listed(
        f"export function {function.name}_batch(",
        ["states", *_names(function.inputs), *results],
        ") {",
        "    ",
    )
    lines = [
        "if (!Number.isInteger(states) || states < 0) {",
        "    throw new RangeError(`states: expected an integer >= 0, found ${states}`);",
        "}",
        *(f'expect_entries("{a.name}", {a.name}, {a.entries} * states);' for a in function.arrays),
        "for (let state = 0; state < states; state++) {",
        *(
            listed(f"    {part}(", function.passed(used, "state"), ");", " " * 12)
            for part, used in calls
        ),
        "}",
        _returned(function),
    ]
    return f"{head}\n{_block(lines)}"


def _names(used):
    return [array.name for array in used]


def _returned(function):
    names = _names(function.outputs)
    return f"return {names[0]};" if len(names) == 1 else f"return {{ {', '.join(names)} }};"


def declaration(graph, name=None, notes=()):
    """The text of the TypeScript declaration, name.d.ts."""
    function = Function(graph, name)
    given = [f"{array.name}: ArrayLike<number>" for array in function.inputs]
    results = [f"{array.name}?: Float64Array" for array in function.outputs]
    kind = "Float64Array"
    if len(function.outputs) != 1:
        kind = f"{{ {'; '.join(f'{array.name}: Float64Array' for array in function.outputs)} }}"

    def declared(called, parameters):
        return listed(f"export function {called}(", parameters, f"): {kind};", "    ")

    return f"""{function.comment(notes)}

{declared(function.name, [*given, *results])}

{declared(f"{function.name}_batch", ["states: number", *given, *results])}
"""
