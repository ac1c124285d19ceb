"""How LLVM spells vectors of one element type and one number of lanes."""

import struct
from dataclasses import dataclass, replace

from ...number import as_float32

SIZES = {"double": 8, "float": 4}
ARITY = {
    **dict.fromkeys(("fabs", "sqrt", "rint", "floor", "trunc"), 1),
    **dict.fromkeys(("copysign", "minimum", "maximum"), 2),
    "fma": 3,
}  # of intrinsics


@dataclass(frozen=True)
class Lanes:
    """`count` states side by side in one register; count 1 is a plain scalar.

    `fused` says whether the machine multiplies and adds in one instruction. Where it does not,
    graphs are not fused, and functions that need an exact product find other ways. `most_lines`
    is how long a function may be, about, where compilers of what LLVM writes want shorter ones.
    """

    element: str  # "double" or "float"
    count: int
    fused: bool = True
    most_lines: int | None = None

    @property
    def single(self):
        """One state of the same kind."""
        return replace(self, count=1)

    @property
    def size(self):
        return SIZES[self.element]

    @property
    def type(self):
        return self.element if self.count == 1 else f"<{self.count} x {self.element}>"

    @property
    def integer(self):
        return self.of_ints(8 * self.size)

    def of_ints(self, bits):
        return f"i{bits}" if self.count == 1 else f"<{self.count} x i{bits}>"

    @property
    def condition(self):
        return self.of_ints(1)

    @property
    def suffix(self):
        """As in llvm.fma.v8f64."""
        scalar = f"f{8 * self.size}"
        return scalar if self.count == 1 else f"v{self.count}{scalar}"

    def constant(self, value):
        """A number, in every lane."""
        if self.element == "float":
            value = float(as_float32(value))
        bits = struct.pack(">d", value).hex()  # LLVM writes floats as the bits of a double
        return self._splat(self.element, f"0x{bits}")

    def constant_int(self, value):
        return self._splat(f"i{8 * self.size}", str(value))

    def _splat(self, type_, text):
        if self.count == 1:
            return text
        return f"splat ({type_} {text})"

    def intrinsic(self, name, *arguments):
        """A call of an LLVM intrinsic on values of this type."""
        inside = ", ".join(f"{self.type} {a}" for a in arguments)
        return f"call {self.type} @llvm.{name}.{self.suffix}({inside})"

    def declaration(self, name):
        inside = ", ".join([self.type] * ARITY[name])
        return f"declare {self.type} @llvm.{name}.{self.suffix}({inside})"
