"""Shared by the targets that write source text.

A language is a table: an expression for every operation, a statement that names a value, words
that are taken. `write` turns a graph into such statements, one per node; a target puts function
heads around them. Names and comments of a description are untrusted: names become identifiers
through `Names`, and every comment goes through `harmless`.
"""

import itertools
import math
import re
import textwrap
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from ...errors import ArgumentError
from ...graph.graph import size
from ...graph.operations import LEAVES, OPS
from ...passes.count import count
from ...passes.pieces import cut, frame_places, frame_size
from ..number import digits

MOST_NODES = 4000  # in one function; clang puts shorter ones together again, and takes long
LONG_RUN = 64  # entries in a row that a loop looks at
LONGEST = 50  # characters of a name; Fortran allows 63, and endings such as _batch are added
WIDTH = 92  # characters of a line, about
PAIR = ("sin", "cos")  # of one angle, where a language makes both at once
TRANSCENDENTAL = [op for op in OPS if "trig" in OPS[op].counted and op not in PAIR]

# Functions of no language of ours, but of what they are linked or tested with.
TAKEN = frozenset(
    (
        *("abort", "abs", "errno", "isinf", "isnan", "memcpy", "memset", "puts", "signbit"),
        *("signgam", "sincos", "sincosf", "stderr", "stdin", "stdout", "time"),  # of C
        *("edata", "end", "etext"),  # of linkers
        *("os", "print", "sys", "test"),  # of self-tests
    )
)
# names that `write` gives
_OWN = re.compile(r"(v|poison)[0-9]+|poison[0-9]+_at|frame|states?", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Language:
    """How a language spells the statements of a straight line."""

    dtype: str
    operations: dict  # operation -> an expression over {0} {1} {2}
    let: str  # the statement that gives a value its name: {0} is to be {1}
    put: str  # the statement that writes memory: {0} is to hold {1}
    place: str  # place {0} of the frame
    number: str  # {0} are the digits
    nan: str
    infinity: str
    loop: tuple  # lines: {0} is {1}, then plus {5} - {5} for all {2} from {3} to {4}, the last
    reserved: frozenset  # words that name nothing else
    library: frozenset = frozenset()  # names of functions it has already
    first: int = 0  # where counting begins
    folds_case: bool = False
    pair: str | None = None  # names {0} and {1}, sine and cosine of {2}

    def literal(self, value):
        if value != value:
            return self.nan
        if math.isinf(value):
            return self.infinity if value > 0 else f"-{self.infinity}"
        return self.number.format(digits(value, self.dtype))

    def operand(self, value):
        """A literal that may follow an operator."""
        return f"({self.literal(value)})" if value < 0 else self.literal(value)


# -- names and comments ------------------------------------------------------------------------


class Names:
    """Identifiers, each given once, none a word of the language or a name that `write` gives.

    They are for arrays of `function`, or without one for functions.
    """

    def __init__(self, language, function=None):
        self.language, self.function, self.given = language, function, set()

    def new(self, wanted):
        """`wanted` itself where it can be had, else something like it."""
        base = re.sub(r"[^A-Za-z0-9_]", "_", wanted)
        macro = len(base) > 1 and base.isupper()  # NAN, NULL, ...: nobody knows them all
        base = (f"x{base}" if macro or not base[:1].isalpha() else base)[:LONGEST]
        endings = itertools.chain([""], (f"_{k}" for k in itertools.count(2)))
        name = next(base + ending for ending in endings if self.free(base + ending))
        self.given.add(self._folded(name))
        return name

    def free(self, name):
        name = self._folded(name)
        taken = name in self.language.reserved or name in self.given or _OWN.fullmatch(name)
        return not taken and not self._names_a_function(name)

    def _names_a_function(self, name):
        if self.function is None:  # it is to be the function's
            return name in self.language.library or name in TAKEN
        function = re.escape(self._folded(self.function))
        return re.fullmatch(f"{function}(_batch|_module|_test|_part[0-9]+)?", name) is not None

    def _folded(self, name):
        return name.lower() if self.language.folds_case else name


def function_name(graph, name, language):
    """The name of the function: the one asked for, or one after the program."""
    if name is None:
        return Names(language).new(graph.name)
    if (
        not isinstance(name, str)
        or not _IDENTIFIER.match(name)
        or len(name) > LONGEST
        or (len(name) > 1 and name.isupper())  # it may be a macro
        or not Names(language).free(name)
    ):
        raise ArgumentError(
            f"name: expected a letter, then letters, digits and _, at most {LONGEST} in all, and "
            f"not a reserved word, found {name!r}"
        )
    return name


def harmless(text):
    """`text` for a comment of any language: what could end a comment, a line or a string, or
    is not ASCII, is written as in web addresses (%2A for an asterisk)."""
    return quote(text, safe=" ,.:;()[]+-=_<>^|'/", errors="replace")


def comment_lines(paragraphs):
    """Paragraphs, each a text or a list of lines, as lines with an empty one in between."""
    for k, paragraph in enumerate(paragraphs):
        if k:
            yield ""
        for line in [paragraph] if isinstance(paragraph, str) else paragraph:
            yield from textwrap.wrap(harmless(line), WIDTH)


def description(graph, name, language, arrays, usage, notes):
    """What a reader should know of the function, as paragraphs."""
    inputs = ", ".join(_shaped(array) for array in arrays if not array.is_output)
    outputs = ", ".join(_shaped(array) for array in arrays if array.is_output)
    found = {node.op for node in graph.nodes}
    *under_trig, last = "sines", "cosines", *(op for op in TRANSCENDENTAL if op in found)
    cost = (
        f"Each state takes {count(graph)}. An add is an addition or subtraction; sign changes are "
        f"free; {', '.join(under_trig)} and {last} count under trig."
    )
    looked_at = (
        "Inputs on which no output depends are still checked: if one is not finite, every "
        "output of its state that is not always zero is NaN."
    )
    return [
        f"{name}: ({inputs}) -> ({outputs}) in {language.dtype}, written by Paraxis.",
        *notes,
        " ".join(usage),
        cost,
        *([looked_at] if graph.unused else []),
    ]


def with_strides(shape):
    """(length, how many entries apart) of each axis of a row-major array."""
    return [(length, size(shape[k + 1 :])) for k, length in enumerate(shape)]


def _shaped(array):
    return array.name + "".join(f"[{k}]" for k in array.shape)


def listed(head, items, tail, indent, width=WIDTH):
    """`head` items, separated by commas, `tail`: on as many lines as it takes."""
    lines, line = [], head
    for k, item in enumerate(items):
        piece = item + ("," if k + 1 < len(items) else tail)
        if k and len(line) + 1 + len(piece) > width:
            lines.append(line)
            line = indent + piece
        else:
            line += (" " if k else "") + piece
    return "\n".join([*lines, line if items else line + tail])


# -- statements --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Array:
    """An input or output of the function."""

    name: str  # as an identifier
    shape: tuple
    is_output: bool

    @property
    def entries(self):
        return size(self.shape)


def arrays(graph, names):
    """The arrays of a graph, inputs first, each with an identifier of its own."""
    given = [Array(names.new(key), shape, False) for key, shape in graph.inputs.items()]
    made = [Array(names.new(key), shape, True) for key, (shape, _) in graph.outputs.items()]
    return given + made


@dataclass(frozen=True)
class Straight:
    """A graph written out."""

    pieces: list  # of Statements
    frame: int  # how many values the pieces keep for each other
    results: list  # for each output the values of its entries, as the last piece knows them


def write(graph, language, arrays, entry, in_pieces=True, most=MOST_NODES):
    """The graph as statements; `entry(array, k)` is the text of an array's entry, of which k is
    the number or an expression for it.

    Pieces have at most so many nodes. Nothing is stored: outputs may overlap inputs, so all values
    come first.
    """
    pieces = cut(graph.nodes, min(MOST_NODES, most) if in_pieces else len(graph.nodes))
    places = frame_places(pieces, [(node, len(pieces) - 1) for node in graph.results])
    numbers = {node.index: k for k, node in enumerate(graph.nodes)}
    inputs = dict(zip(graph.inputs, arrays, strict=False))
    written = []
    for piece in pieces:
        statements = Statements(language, inputs, entry, numbers, places)
        statements.compute(piece)
        written.append(statements)
    last = written[-1]
    poison = last.poison(graph.unused)
    results = [[last.value(node) for node in nodes] for _, nodes in graph.outputs.values()]
    if poison:
        results = [
            [
                f"{value} + {poison}" if spoilt else value
                for value, spoilt in zip(values, graph.poisoned(name), strict=True)
            ]
            for name, values in zip(graph.outputs, results, strict=True)
        ]
    return Straight(written, frame_size(places), results)


class Statements:
    """The statements of one function: a piece of the graph."""

    has_loops = True  # can an entry be named by an expression?

    def __init__(self, language, inputs, entry, numbers, places):
        self.language, self.lines = language, []
        # what the lines speak of: values, integers, arrays
        self.names, self.indices, self.arrays, self.uses_frame = [], [], set(), False
        self._inputs, self._entry, self._numbers, self._places = inputs, entry, numbers, places
        self._known = {}  # node index -> the name of its value

    def compute(self, piece, made=lambda node: None):
        """Write all of a piece; `made(node)` is called once the value of a node is available."""
        language = self.language
        of_angle = {op: {n.args[0].index: n for n in piece if n.op == op} for op in PAIR}
        both = of_angle["sin"].keys() & of_angle["cos"].keys() if language.pair else ()
        for node in piece:
            if node.op in LEAVES or node.index in self._known:
                continue
            arguments = [self.argument(node, a) for a in node.args]
            if node.op in PAIR and node.args[0].index in both:
                pair = [of_angle[op][node.args[0].index] for op in PAIR]
                names = [self._name(each) for each in pair]
                self.lines.append(language.pair.format(*names, *arguments))
                self._keep(*pair)
                made(pair[0])
                made(pair[1])
            else:
                known = self._not_finite(node)
                written = language.operations[node.op].format(*arguments)
                self._let(self._name(node), written if known is None else language.literal(known))
                self._keep(node)
                made(node)

    def _not_finite(self, node):
        """NaN or infinity, if an operation on constants gives it: compilers may refuse that."""
        if any(argument.op != "const" for argument in node.args):
            return None
        known = OPS[node.op].meaning(*(argument.value for argument in node.args))
        if self.language.dtype == "float32":
            with np.errstate(over="ignore"):
                known = float(np.float32(known))
        return None if math.isfinite(known) else known

    def argument(self, node, argument):
        """How the expression of a node refers to one of its arguments."""
        return self.value(argument)

    def value(self, node):
        """How statements refer to a node's value, brought here if another piece made it."""
        if node.op == "const":
            return self.language.operand(node.value)
        if node.index not in self._known:
            source = self._input(*node.value) if node.op == "input" else self._place(node)
            self._let(self._name(node), source)
        return self._known[node.index]

    def poison(self, unused):
        """What to add to the outputs: zero, or NaN when an entry no output uses is not finite.

        `unused` is (input, range of its entries) for each run of such entries.
        """
        total, count = None, 0
        for name, entries in unused:
            if len(entries) >= LONG_RUN and self.has_loops:
                total = self._loop(
                    f"poison{count}", total or self.language.literal(0.0), name, entries
                )
                count += 1
                continue
            for k in entries:
                value = self._input(name, k)
                own = f"{value} - {value}"
                self._let(f"poison{count}", f"{total} + ({own})" if total else own)
                total, count = f"poison{count}", count + 1
        return total

    def _loop(self, total, start, name, entries):
        at, language = f"{total}_at", self.language
        self.names.append(total)
        self.indices.append(at)
        value = self._input(name, at)
        parts = total, start, at, entries.start, entries.stop - 1, value
        self.lines += [line.format(*parts) for line in language.loop]
        return total

    def store(self, outputs, results):
        for array, values in zip(outputs, results, strict=True):
            self.arrays.add(array)
            for k, value in enumerate(values):
                self.lines.append(self.language.put.format(self._entry(array, k), value))

    def _let(self, name, value):
        self.names.append(name)
        self.lines.append(self.language.let.format(name, value))

    def _input(self, name, k):
        self.arrays.add(self._inputs[name])
        return self._entry(self._inputs[name], k)

    def _name(self, node):
        name = self._known[node.index] = f"v{self._numbers[node.index]}"
        return name

    def _keep(self, *nodes):
        for node in nodes:
            if node.index in self._places:
                place, value = self._place(node), self._known[node.index]
                self.lines.append(self.language.put.format(place, value))

    def _place(self, node):
        self.uses_frame = True
        return self.language.place.format(self._places[node.index] + self.language.first)
