"""A copy of a user's function in which numbers that it reads are inputs.

Closure variables, defaults, globals, arguments of partials, attributes of objects, and entries of
lists, tuples and dicts of such may become inputs, wherever they are floats or arrays of floats.
Integers and booleans stay what they are: they are counts, indices and options. So do numbers in
modules and classes, and in objects of Paraxis: their places are not the function's own.
"""

import functools
from types import CellType, FunctionType, MemberDescriptorType, MethodType, SimpleNamespace

import numpy as np

from .reads import reads_of


def promoted(function, reading, values):
    """A copy of `function`; `values` maps indices of numbers of its Reading to what they become."""
    places, arrays = {}, {}
    for k, value in values.items():
        holder, kind, name = reading.places[k]
        places[id(holder), kind, name] = value
        if reading.arrays[k] is not None:  # it may be in several places
            arrays[id(reading.arrays[k])] = value
    return _Copies(places, arrays, reading.seen).of(function)


def described(place):
    """Where a number is, in words."""
    holder, kind, name = place
    if kind == "default":
        code = holder.__code__
        positional = code.co_varnames[: code.co_argcount]
        return str(positional[len(positional) - len(holder.__defaults__) + name])
    if kind in ("attribute", "slot"):
        return f"the attribute {name}"
    if kind == "item":
        return f"entry {name!r} of a {type(holder).__name__}"
    return f"argument {name} of a partial" if kind == "argument" else str(name)


class _Copies:
    """Copies of what a Reading went into, each made once, with other numbers at some places."""

    def __init__(self, places, made, seen):
        self._places, self._seen = places, seen
        self._made, self._spaces = made, {}  # by ids of originals, which the function keeps alive

    def of(self, value):
        kind = type(value)
        if id(value) in self._made:
            return self._made[id(value)]
        if kind is tuple:
            return tuple(self._at(value, "item", k, each) for k, each in enumerate(value))
        if kind is MethodType:
            return MethodType(self.of(value.__func__), self.of(value.__self__))
        if (id(value), False) not in self._seen:
            return value  # known by identity, a constant, or never read
        return _RULES.get(kind, _Copies._object)(self, value)

    def _at(self, holder, kind, name, value):
        found = self._places.get((id(holder), kind, name))
        return self.of(value) if found is None else found

    def _function(self, function):
        code, globals_ = function.__code__, function.__globals__
        reads = reads_of(code)
        names = [*zip(code.co_freevars, function.__closure__ or (), strict=True)]
        cells = tuple(self._made.setdefault(id(cell), CellType()) for _, cell in names)
        space = self._spaces.setdefault(id(globals_), dict(globals_))
        copy = FunctionType(code, space, function.__name__, None, cells)
        self._made[id(function)] = copy
        for name, cell in names:
            self._fill(cell, name)
        if function.__defaults__:
            given = enumerate(function.__defaults__)
            copy.__defaults__ = tuple(self._at(function, "default", *each) for each in given)
        if function.__kwdefaults__:
            given = function.__kwdefaults__.items()
            copy.__kwdefaults__ = {key: self._at(function, "keyword", key, v) for key, v in given}
        copy.__dict__.update(self.of(function.__dict__))
        for name in reads.globals:
            if name in globals_:
                space[name] = self._at(globals_, "global", name, globals_[name])
        return copy

    def _fill(self, cell, name):
        copy = self._made[id(cell)]
        if _is_empty(copy) and not _is_empty(cell):
            copy.cell_contents = None  # a function may be in its own closure
            copy.cell_contents = self._at(cell, "closure", name, cell.cell_contents)

    def _partial(self, value):
        arguments = [self._at(value, "argument", k, each) for k, each in enumerate(value.args)]
        given = value.keywords.items()
        keywords = {key: self._at(value, "keyword", key, each) for key, each in given}
        return functools.partial(self.of(value.func), *arguments, **keywords)

    def _list(self, value):
        self._made[id(value)] = copy = []
        copy.extend(self._at(value, "item", k, each) for k, each in enumerate(value))
        return copy

    def _dict(self, value):
        self._made[id(value)] = copy = {}
        copy.update((key, self._at(value, "item", key, each)) for key, each in value.items())
        return copy

    def _namespace(self, value):
        self._made[id(value)] = copy = SimpleNamespace()
        for name, each in vars(value).items():
            setattr(copy, name, self._at(value, "attribute", name, each))
        return copy

    def _object(self, value):
        kind = type(value)
        self._made[id(value)] = copy = object.__new__(kind)
        if kind.__dictoffset__:
            space = object.__getattribute__(copy, "__dict__")
            for name, each in object.__getattribute__(value, "__dict__").items():
                space[name] = self._at(value, "attribute", name, each)
        for cls in kind.__mro__:
            for name, slot in vars(cls).items():
                if type(slot) is MemberDescriptorType:
                    try:
                        each = slot.__get__(value)
                    except AttributeError:
                        continue
                    slot.__set__(copy, self._at(value, "slot", name, each))
        return copy


def _is_empty(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


_RULES = {
    FunctionType: _Copies._function,
    functools.partial: _Copies._partial,
    list: _Copies._list,
    dict: _Copies._dict,
    SimpleNamespace: _Copies._namespace,
    np.ndarray: lambda copies, array: array,
    set: lambda copies, items: items,
    frozenset: lambda copies, items: items,
}
