"""Which names the code of a function reads: globals, closure variables and attributes.

A module must be followed by the attribute that is read from it, as `np` in `np.linalg.norm`: what a
name holds is not known to the code alone, so the attributes that follow each name are kept with it.
Code that can read anything else (imports, stores into globals) has no Reads.
"""

import dis
from types import CodeType
from typing import NamedTuple

# attributes that lead anywhere, if they begin with two underscores and are not among these
SPECIAL = {"__init__", "__post_init__", "__call__", "__class__"}
SPECIAL |= {"__setattr__", "__delattr__"}  # of frozen dataclasses
ANYWHERE = {"format", "format_map", "gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_globals"}
# attributes and operations that tell a traced value from the number in whose place it is
TELLING = {"dtype", "get", "setdefault", "pop", "__class__"}
GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
SKIPPED = {"EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP"}
ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
HARMLESS = {"STORE_NAME", "DELETE_NAME"}  # in the body of a class
OF_OBJECT = {"STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR"}  # no chain starts or goes on here
OF_CELLS = {"LOAD_CLOSURE", "MAKE_CELL", "COPY_FREE_VARS"}
MOST = 1024  # codes that are remembered


class Reads(NamedTuple):
    """What code reads, that of functions inside it included."""

    globals: dict[str, tuple]  # name -> the chains of attributes that follow it, () for none
    free: dict[str, tuple]  # the same of closure variables
    attributes: frozenset  # every attribute that is read or stored, of anything
    typed: bool  # whether a traced value in place of a number may take another way through it


_known: dict = {}  # id of a code -> the code, which keeps its id, and its Reads


def reads_of(code):
    """The Reads of a code object, or None where they are not all."""
    found = _known.get(id(code))
    if found is None:
        if len(_known) >= MOST:
            _known.clear()
        found = _known[id(code)] = code, _analysed(code)
    return found[1]


def _analysed(code):
    names: dict = {"global": {}, "free": {}}
    attributes, typed = set(), False
    free = set(code.co_freevars)
    instructions = [each for each in dis.get_instructions(code) if each.opname not in SKIPPED]
    for k, each in enumerate(instructions):
        op, name = each.opname, each.argval
        if op in GLOBAL or (op in FREE and name in free):
            chain = _chain(instructions, k + 1)
            names["global" if op in GLOBAL else "free"].setdefault(name, set()).add(chain)
        elif op in ATTRIBUTE | OF_OBJECT:
            if name in ANYWHERE or (name[:2] == "__" == name[-2:] and name not in SPECIAL):
                return None
            attributes.add(name)
            typed |= name in TELLING
        elif each.opcode in dis.hasname and op not in HARMLESS:
            return None  # imports, stores into globals, or unknown
        elif each.opcode in dis.hasfree and op not in FREE | OF_CELLS and name in free:
            return None  # stores into a closure
        elif op == "MATCH_CLASS":  # it reads attributes that are named elsewhere
            return None
        elif op in ("CONTAINS_OP", "PUSH_EXC_INFO"):
            typed = True
        elif op == "IS_OP":
            typed |= instructions[k - 1].opname != "LOAD_CONST"
    for inner in code.co_consts:
        if type(inner) is CodeType:
            own = reads_of(inner)
            if own is None:
                return None
            for name, chains in own.globals.items():
                names["global"].setdefault(name, set()).update(chains)
            for name, chains in own.free.items():
                if name in free:
                    names["free"].setdefault(name, set()).update(chains)
            attributes |= own.attributes
            typed |= own.typed
    sorted_ = ({name: (*sorted(each),) for name, each in kind.items()} for kind in names.values())
    return Reads(*sorted_, frozenset(attributes), typed)


def _chain(instructions, k):
    """The attributes that are read one after the other from instruction k on."""
    chain = []
    while k < len(instructions) and instructions[k].opname in ATTRIBUTE:
        chain.append(instructions[k].argval)
        k += 1
    return tuple(chain)
