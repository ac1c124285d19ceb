"""Object files of ELF, COFF and Mach-O, as far as tests ask: the machine, names of symbols."""

import struct
from dataclasses import dataclass

ELF_MACHINES = {40: "arm", 62: "x86-64", 183: "aarch64", 243: "riscv"}
COFF_MACHINES = {0x8664: "x86-64"}
MACH_MACHINES = {0x0100000C: "aarch64"}


@dataclass(frozen=True)
class ObjectFile:
    format: str  # "elf32", "elf64", "coff" or "mach-o"
    machine: str
    flags: int  # of the whole file
    defined: set[str]  # what others may use
    wanted: set[str]  # what others have to define


def read(data):
    if data[:4] == b"\x7fELF":
        return _elf(data)
    return _mach_o(data) if data[:4] == b"\xcf\xfa\xed\xfe" else _coff(data)


def _text(data, start):
    return data[start : data.index(b"\0", start)].decode()


def _elf(data):
    wide = data[4] == 2
    (machine,) = struct.unpack_from("<H", data, 18)
    head = struct.unpack_from("<QQQIHHHHHH" if wide else "<IIIIHHHHHH", data, 24)
    _, _, start, flags, _, _, _, size, count, _ = head
    kind = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    sections = [struct.unpack_from(kind, data, start + k * size) for k in range(count)]
    defined, wanted = set(), set()
    for _, type_, _, _, offset, length, link, _, _, each in sections:
        if type_ != 2:  # the table of symbols
            continue
        for at in range(offset + each, offset + length, each):
            if wide:
                name, info, _, section = struct.unpack_from("<IBBH", data, at)
            else:
                name, _, _, info, _, section = struct.unpack_from("<IIIBBH", data, at)
            if info >> 4:  # not local
                (defined if section else wanted).add(_text(data, sections[link][4] + name))
    return ObjectFile("elf64" if wide else "elf32", ELF_MACHINES[machine], flags, defined, wanted)


def _coff(data):
    machine, _, _, start, count, _, flags = struct.unpack_from("<HHIIIHH", data, 0)
    strings = start + 18 * count
    defined, wanted, k = set(), set(), 0
    while k < count:
        at = start + 18 * k
        zero, offset = struct.unpack_from("<II", data, at)
        name = data[at : at + 8].rstrip(b"\0").decode() if zero else _text(data, strings + offset)
        _, section, _, storage, beside = struct.unpack_from("<IhHBB", data, at + 8)
        if storage == 2:  # external
            (defined if section else wanted).add(name)
        k += 1 + beside
    return ObjectFile("coff", COFF_MACHINES[machine], flags, defined, wanted)


def _mach_o(data):
    _, machine, _, _, count, _, flags, _ = struct.unpack_from("<8I", data, 0)
    at, defined, wanted = 32, set(), set()
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:  # the table of symbols
            symbols, number, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(number):
                name, kind, section, _, _ = struct.unpack_from("<IBBHQ", data, symbols + 16 * k)
                if kind & 1:  # external
                    found = _text(data, strings + name).removeprefix("_")
                    (defined if section else wanted).add(found)
        at += size
    return ObjectFile("mach-o", MACH_MACHINES[machine], flags, defined, wanted)
