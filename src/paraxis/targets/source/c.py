"""A graph as C99: a function for one state, one for a batch, and their header.

No allocation, no globals. A long body is several functions that share a frame on the stack.
"""

import re

from numpy.typing import DTypeLike

from ...graph.operations import OPS
from ..number import checked_dtype
from .text import Language, Names, arrays, comment_lines, description, function_name, listed, write

TYPES = {"float64": "double", "float32": "float"}
SUFFIX = {"float64": "", "float32": "f"}  # of numbers and of the library's functions
SIZES = {"float64": 8, "float32": 4}  # bytes of a number

# Words of C and of C++, as the header is for both; then what the texts themselves use.
RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
    char8_t class co_await co_return co_yield compl complex concept const const_cast consteval
    constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
    export extern false float for friend goto if imaginary inline int long mutable namespace new
    noexcept noreturn not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename typeof union
    unsigned using virtual void volatile wchar_t while xor xor_eq linux unix i386

    size_t
    test_inputs test_given test_results test_expected test_batch test_alone test_error test_larger
"""
# The functions that operations call, for either type.
CALLED = frozenset(
    name + end
    for op in OPS.values()
    for name in re.findall(r"(\w+){f}\(", op.c)
    for end in SUFFIX.values()
)

# What <math.h> declares (also with an f or l at the end), <stdio.h> as far as it is used, and C.
LIBRARY = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
    fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p
    log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round
    scalbln scalbn sin sinh sqrt tan tanh tgamma trunc gamma j0 j1 jn y0 y1 yn
    main printf exit malloc free
"""


def c_language(dtype, reserved="", **options):
    """The table of C, or with options of a language much like it."""
    dtype = checked_dtype(dtype)
    f, real = SUFFIX[dtype], TYPES[dtype]
    return Language(
        dtype=dtype,
        operations={name: op.c.replace("{f}", f) for name, op in OPS.items()},
        let=f"const {real} {{0}} = {{1}};",
        put="{0} = {1};",
        place="frame[{0}]",
        number="{0}" + f,
        **{"nan": "NAN", "infinity": "INFINITY"} | options,
        loop=(
            f"{real} {{0}} = {{1}};",
            "for (size_t {2} = {3}; {2} <= {4}; {2}++) {{",
            "    {0} += {5} - {5};",
            "}}",
        ),
        reserved=CALLED.union((RESERVED + reserved).split()),
        library=frozenset(word + end for word in LIBRARY.split() for end in ("", "f", "l")),
    )


class Function:
    """The exported function: its name, its arrays, and how C declares them."""

    kind, part_kind = "void", "static void"
    layout = "States are consecutive."

    def __init__(self, graph, name, language):
        self.graph, self.language, self.real = graph, language, TYPES[language.dtype]
        self.name = function_name(graph, name, language)
        self.names = Names(language, self.name)
        self.arrays = arrays(graph, self.names)

    def head(self):
        return listed(f"{self.kind} {self.name}(", self.parameters(self.arrays), ")", "    ")

    def batch_head(self):
        pointers = [f"{self.pointee(array)} *{array.name}" for array in self.arrays]
        return listed(f"void {self.name}_batch(", ["size_t states", *pointers], ")", "    ")

    def parameters(self, arrays):
        return [f"{self.pointee(array)} {array.name}[{array.entries}]" for array in arrays]

    def arguments(self, arrays):
        return [array.name for array in arrays]

    def entry(self, array, k):
        return f"{array.name}[{k}]"

    def pointee(self, array):
        return self.real if array.is_output else f"const {self.real}"

    def rows(self, names):
        """Where the arrays of a state begin, in batches of these names."""
        pairs = zip(names, self.arrays, strict=True)
        return [f"{name} + {array.entries} * state" for name, array in pairs]

    def comment(self, notes, *more):
        usage = (*self.usage(), *more)
        text = description(self.graph, self.name, self.language, self.arrays, usage, notes)
        return block_comment(text)

    def usage(self):
        """Sentences that explain its use."""
        return (
            f"{self.name} computes one state, {self.name}_batch many. {self.layout}",
            "Arrays of several dimensions are row-major. Outputs may be the same arrays as inputs.",
        )


def c_function(graph, name, dtype):
    return Function(graph, name, c_language(dtype))


def block_comment(paragraphs):
    lines = [f" * {line}".rstrip() for line in comment_lines(paragraphs)]
    return "\n".join(["/*", *lines, " */"])


def source(graph, name=None, dtype: DTypeLike = "float64", notes=(), with_header=False):
    """The text of a C file; `notes` are paragraphs for the comment it begins with.

    With `with_header` it includes the file that `header` writes.
    """
    function = c_function(graph, name, dtype)
    straight = write(graph, function.language, function.arrays, function.entry)
    include = f'"{function.name}.h"' if with_header else "<stddef.h>"
    rows = function.rows(function.arguments(function.arrays))
    return f"""{function.comment(notes, memory(straight))}

#include <math.h>
#include {include}

{one_state(function, straight)}

{function.batch_head()}
{{
    for (size_t state = 0; state < states; state++) {{
{listed(f"        {function.name}(", rows, ");", " " * 12)}
    }}
}}
"""


def memory(straight):
    kept = f"; {straight.frame} intermediate values are kept on the stack" if straight.frame else ""
    return f"No memory is allocated{kept}."


def one_state(function, straight):
    """The function for one state, after the pieces it is made of."""
    outputs = [array for array in function.arrays if array.is_output]
    straight.pieces[-1].store(outputs, straight.results)
    if len(straight.pieces) == 1:
        return f"{function.head()}\n{_block(straight.pieces[0].lines)}"
    parts, calls = [], []
    frame = f"{function.real} frame[{straight.frame}]"
    if straight.frame:
        calls.append(f"{frame};")
    for k, piece in enumerate(straight.pieces):
        part = f"{function.name}_part{k}"
        used = [array for array in function.arrays if array in piece.arrays]
        parameters, arguments = function.parameters(used), function.arguments(used)
        if piece.uses_frame:
            parameters, arguments = [*parameters, frame], [*arguments, "frame"]
        head = listed(f"{function.part_kind} {part}(", parameters or ["void"], ")", "    ")
        parts.append(f"{head}\n{_block(piece.lines)}")
        calls.append(listed(f"{part}(", arguments, ");", " " * 8))
    return "\n\n".join([*parts, f"{function.head()}\n{_block(calls)}"])


def _block(lines):
    return "\n".join(["{", *(f"    {line}" for line in lines), "}"])


def header(graph, name=None, dtype="float64", notes=()):
    """The text of the header."""
    function = c_function(graph, name, dtype)
    guard = f"PARAXIS_{function.name.upper()}_H"
    return f"""{function.comment(notes)}

#ifndef {guard}
#define {guard}

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

{function.head()};

{function.batch_head()};

#ifdef __cplusplus
}}
#endif

#endif
"""
