"""A WebAssembly module from LLVM's text, without a linker.

What LLVM writes for wasm32 is an object file, and that is a module almost ready to run: calls and
addresses inside are right as they are. It imports its memory and its stack pointer, exports
nothing, and ends with what linkers want to know. Here it gets a memory and a stack of its own, the
functions that are not internal become exports, and the rest goes.

Memory is the object's data from address 0 on, then the stack, then the heap, which is the
caller's: the exported global `heap` is where that begins. One thread at a time.
"""

from functools import cache

import llvmlite.binding as llvm

from ...errors import ArgumentError
from ..cpu import host

FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
STACK, PAGE = 1 << 17, 1 << 16  # bytes
TYPE, IMPORT, FUNCTION, MEMORY, GLOBAL, EXPORT, CODE, DATA = 1, 2, 3, 5, 6, 7, 10, 11
CUSTOM, DATA_COUNT = 0, 12
FUNCTIONS, GLOBALS, MEMORIES = 0, 3, 2  # kinds of imports and exports
SYMBOLS = 8  # the part of the section "linking" that lists them
OF_FUNCTION, OF_DATA, OF_SECTION = 0, 1, 3  # kinds of symbols
LOCAL, UNDEFINED, NAMED = 0x3, 0x10, 0x40  # flags of symbols
I32, MUTABLE, CONSTANT, I32_CONST, END = 0x7F, 1, 0, 0x41, 0x0B


def compiled(ir):
    """The bytes of a module that exports the functions of LLVM's text that are not internal."""
    return finished(host.compile_for(_machine, ir))


@cache
def _all_targets():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _machine(effort):
    _all_targets()
    target = llvm.Target.from_triple("wasm32-unknown-unknown")
    return target.create_target_machine(
        cpu="generic", features=FEATURES, opt=effort, reloc="static", codemodel="small"
    )


def finished(data):
    """A module that can run, from an object file."""
    sections = list(_sections(data))
    parts = {kind: content for kind, content in sections if kind not in (CUSTOM, DATA_COUNT)}
    if unknown := set(parts) - {TYPE, IMPORT, FUNCTION, CODE, DATA}:
        raise ArgumentError(f"object file: sections {sorted(unknown)} cannot be made a module")
    imports = _functions_imported(parts[IMPORT])
    segments, end = _segments(parts.get(DATA))
    top = _aligned(end + STACK)
    parts[IMPORT] = _list(imports)
    parts[MEMORY] = _list([b"\x00" + _unsigned(-(-top // PAGE))])
    parts[GLOBAL] = _list([_global(MUTABLE, top), _global(CONSTANT, top)])
    exports = [_export("memory", MEMORIES, 0), _export("heap", GLOBALS, 1)]
    exports += [_export(name, FUNCTIONS, index) for name, index in _defined(sections)]
    parts[EXPORT] = _list(exports)
    parts[DATA] = _list(segments)
    body = b"".join(bytes([kind]) + _sized(parts[kind]) for kind in sorted(parts))
    return data[:8] + body


def _aligned(address):
    return -(-address // 64) * 64


# -- writing ---------------------------------------------------------------------------------------


def _unsigned(value):
    """LEB128: seven bits at a time, the lowest first."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _signed(value):
    """The same of a number that could be negative but is not: the highest bit is its sign."""
    encoded = bytearray(_unsigned(value))
    if encoded[-1] & 0x40:
        encoded[-1] |= 0x80
        encoded.append(0)
    return bytes(encoded)


def _sized(content):
    return _unsigned(len(content)) + content


def _list(items):
    return _unsigned(len(items)) + b"".join(items)


def _export(name, kind, index):
    return _sized(name.encode()) + bytes([kind]) + _unsigned(index)


def _global(mutable, value):
    return bytes([I32, mutable, I32_CONST]) + _signed(value) + bytes([END])


# -- reading ---------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self):
        return self.bytes(self.number()).decode()

    def more(self):
        return self.at < len(self.data)


def _sections(data):
    """(kind, content) of each."""
    reader = _Reader(data)
    reader.bytes(8)
    while reader.more():
        kind = reader.byte()
        yield kind, reader.bytes(reader.number())


def _functions_imported(content):
    """The entries of functions; memory and stack pointer are left out."""
    reader, kept = _Reader(content), []
    for _ in range(reader.number()):
        begin = reader.at
        reader.name()
        name, kind = reader.name(), reader.byte()
        if kind == FUNCTIONS:
            reader.number()
            kept.append(content[begin : reader.at])
        elif kind == MEMORIES:
            if reader.byte() & 1:
                reader.number()
            reader.number()
        elif kind == GLOBALS and name == "__stack_pointer":
            reader.bytes(2)
        else:
            raise ArgumentError(f"object file: {name!r} cannot be made part of a module")
    return kept


def _segments(content):
    """(those that are not zero, the end of all of them)."""
    if content is None:
        return [], 0
    reader, kept, end = _Reader(content), [], 0
    for _ in range(reader.number()):
        begin = reader.at
        if reader.number() != 0 or reader.byte() != I32_CONST:
            raise ArgumentError("object file: found data without a constant address")
        address = reader.number()
        reader.byte()
        data = reader.bytes(reader.number())
        end = max(end, address + len(data))
        if any(data):
            kept.append(content[begin : reader.at])
    return kept, end


def _defined(sections):
    """(name, index) of each function that is not internal."""
    for kind, content in sections:
        reader = _Reader(content)
        if kind != CUSTOM or reader.name() != "linking":
            continue
        reader.number()  # version
        while reader.more():
            part, data = reader.byte(), reader.bytes(reader.number())
            if part == SYMBOLS:
                yield from _exported_symbols(_Reader(data))


def _exported_symbols(reader):
    for _ in range(reader.number()):
        kind, flags = reader.byte(), reader.number()
        defined = not flags & UNDEFINED
        if kind == OF_DATA:
            reader.name()
            if defined:
                for _ in range(3):
                    reader.number()
        elif kind == OF_SECTION:
            reader.number()
        else:
            index = reader.number()
            name = reader.name() if defined or flags & NAMED else None
            if kind == OF_FUNCTION and defined and not flags & LOCAL:
                yield name, index
