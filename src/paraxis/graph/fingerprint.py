"""All that a user's function reads and that can change: read without calling it.

A function is a code object and the values of the names that it reads: closure variables, defaults,
globals, attributes of modules; and in turn what those read that are functions, or objects of plain
classes. Values that are understood are listed below; whatever else is among them (generators of
random numbers, files, generators, objects with `__getattr__`, builtins such as `open` or `getattr`)
makes the function one that has no fingerprint and must be called to know what it does.

Two fingerprints are equal only if the functions do the same when called with the same arguments.
Three things are taken for granted: that NumPy, `math` and Paraxis themselves are not changed,
that nothing depends on which of two equal numbers or strings an object is, and that arrays which
share memory are not written to.

Floats, and arrays of floats, are kept apart from the rest, so that functions that differ in nothing
else can be told (remembered.py).
"""

import builtins
import functools
import struct
from types import (
    BuiltinFunctionType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from .computing import (
    ASKING,
    CACHED,
    MISSING,
    OF_C,
    Unknown,
    at_top_of_package,
    computing,
    is_class_of_package,
    is_layout,
    is_named_tuple,
    is_of_package,
    is_plain,
    of_module,
)
from .reads import reads_of

LARGEST = 1_000_000  # numbers in an array: above that, calling a function is the lesser cost
DEEPEST = 200  # values inside values

# Of a class: what no operation asks for.
UNREAD = {"__repr__", "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__"}
UNREAD |= {"__annotations__", "__slots__", "__dataclass_fields__", "__dataclass_params__"}
UNREAD |= {"__match_args__", "__firstlineno__", "__orig_bases__", "__static_attributes__"}
UNREAD |= {"__parameters__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"}
UNREAD |= {"__replace__", "__annotate__", "__annotate_func__", "__annotations_cache__"}
UNREAD |= {"__sizeof__", "__dir__", "__abstractmethods__", "_abc_impl", "__signature__"}
OF_NAMED_TUPLES = {"__new__", "_make", "_replace", "_asdict", "__getnewargs__", "__replace__"}
OF_NAMED_TUPLES |= {"_fields", "_field_defaults", "__repr__"}
REFUSED = {"__getattr__", "__getattribute__", "__get__", "__set__", "__set_name__"}
MAKING = {"__init__", "__new__", "__init_subclass__", "__post_init__", "__class_getitem__"}


_pack = struct.Struct("d").pack
FLOAT = np.dtype(float)


def fingerprint(function):
    """A hashable of all that `function` reads and that can change, or None if that is unknown."""
    reading = read(function)
    return None if reading is None else Fingerprint(reading)


class Fingerprint:
    """A reading as a key: it keeps alive what it knows by identity."""

    def __init__(self, reading):
        self._key, self._kept = (reading.structure, reading.numbers), reading.kept

    def __eq__(self, other):
        return isinstance(other, Fingerprint) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def read(function):
    """The Reading of a function, or None."""
    try:
        return Reading(function)
    except (Unknown, RecursionError):
        return None


_attributes: dict = {}  # id of a code -> it, and what functions that begin there read of objects


class Reading:
    """What a function reads.

    structure: a tuple of all but the numbers; kept: what it knows by identity only. numbers: the
    bytes of each float and array of floats; places: where each is, (holder, kind, name); arrays:
    the array that each is, None for a float. integers: (value, place) of each. asks:
    whether it tells numbers from other values.
    """

    __slots__ = (
        "_attributes",
        "_deep",
        "_fixed",
        "_out",
        "arrays",
        "asks",
        "integers",
        "kept",
        "numbers",
        "places",
        "seen",
        "structure",
    )

    def __init__(self, function):
        start = getattr(function, "__func__", function)
        start = id(getattr(start, "__code__", type(start)))
        known = _attributes.get(start)
        self._attributes = known[1] if known else frozenset()
        while True:
            before = self._attributes
            self._out, self.seen, self.kept = [], {}, []
            self.numbers, self.places, self.arrays, self.asks = [], [], [], False
            self.integers = []
            self._fixed = False
            self._deep = 0
            self._value(function, self, "function", None)
            if self._attributes is before:
                break
        if known is None or known[1] is not before:
            if len(_attributes) > 1000:
                _attributes.clear()
            _attributes[start] = function_root(function), before
        self.structure, self.numbers = tuple(self._out), tuple(self.numbers)

    # -- values ----------------------------------------------------------------------------------

    def _value(self, value, holder, kind, name):
        rule = _RULES.get(type(value))
        if rule is not None:
            rule(self, value, holder, kind, name)
        else:
            self._other(value)

    def _atom(self, value, *place):
        self._out += (type(value), value)

    def _integer(self, value, *place):
        self._out += (int, value)
        if not self._fixed:
            self.integers.append((value, place))

    def _same(self, value, *place):
        """Something known by which object it is."""
        self._out.append(id(value))
        self.kept.append(value)

    def _float(self, value, holder, kind, name):
        if self._fixed:
            self._out += (float, _pack(value))
            return
        self._out.append(_NUMBER)
        self.numbers.append(_pack(value))
        self.places.append((holder, kind, name))
        self.arrays.append(None)

    def _scalar(self, value, holder, kind, name):
        if type(value) is np.float64 and not self._fixed:
            self._out.append(np.float64)
            self._float(value, holder, kind, name)
        else:
            self._out += (type(value), value.dtype.str, value.tobytes())

    def _complex(self, value, *place):
        self._out += (complex, _pack(value.real), _pack(value.imag))

    def _array(self, value, holder, kind, name):
        if self._again(value):
            return
        dtype, shape = value.dtype, value.shape
        self._out += (np.ndarray, shape, value.strides)  # sums depend on the latter
        if value.size > LARGEST or dtype.kind not in "fbiucSU":
            raise Unknown
        if dtype is FLOAT and shape and value.size and not self._fixed:
            self.numbers.append(value.tobytes())
            self.places.append((holder, kind, name))
            self.arrays.append(value)
        else:
            self._out += (dtype.str, value.tobytes())

    def _again(self, value):
        """Was this object seen before, in the same role? Its number tells it from equal ones."""
        seen, fixed, own = self.seen, self._fixed, id(value)
        if (own, fixed) in seen:
            self._out += (_SEEN, seen[own, fixed])
            return True
        number = seen.get((own, not fixed))
        seen[own, fixed] = number = len(seen) if number is None else number
        self._out.append(number)
        return False

    def _sequence(self, value, *place):
        if self._again(value):
            return
        self._deeper()
        self._out += (type(value), len(value))
        for k, item in enumerate(value):
            self._value(item, value, "item", k)
        self._deep -= 1

    def _set(self, value, *place):
        """In the order in which it is iterated over."""
        if self._again(value):
            return
        self._out += (type(value), len(value))
        for item in value:
            self._constant(item)

    def _dict(self, value, *place):
        if self._again(value):
            return
        self._deeper()
        self._out += (dict, len(value))
        for key, item in value.items():
            self._constant(key)
            self._value(item, value, "item", key)
        self._deep -= 1

    def _deeper(self):
        self._deep += 1
        if self._deep > DEEPEST:
            raise Unknown

    def _constant(self, value):
        """What stays as it is when other numbers become inputs."""
        fixed, self._fixed = self._fixed, True
        self._value(value, None, None, None)
        self._fixed = fixed

    def _range(self, value, *place):
        self._out += (range, value.start, value.stop, value.step)

    def _slice(self, value, *place):
        self._out.append(slice)
        for each in (value.start, value.stop, value.step):
            self._constant(each)

    # -- functions -------------------------------------------------------------------------------

    def _function(self, function, *place):
        if id(function) in computing():
            self.asks |= function in ASKING
            self._same(function)
            return
        if at_top_of_package(function):
            self._same(function)
            return
        if self._again(function):
            return
        self._deeper()
        code = function.__code__
        self._same(code)
        reads = reads_of(code)
        if is_of_package(function):
            self._library_function(function)
        elif reads is None or function.__builtins__ is not builtins.__dict__:
            raise Unknown
        else:
            self._plain_function(function, reads)
        self._deep -= 1

    def _plain_function(self, function, reads):
        if not reads.attributes <= self._attributes:
            self._attributes |= reads.attributes
        self.asks |= reads.typed
        if function.__defaults__:
            self._out.append(len(function.__defaults__))
            for k, value in enumerate(function.__defaults__):
                self._value(value, function, "default", k)
        if function.__kwdefaults__:
            self._out.append(_KEYWORDS)
            for key, value in function.__kwdefaults__.items():
                self._out.append(key)
                self._value(value, function, "keyword", key)
        if function.__closure__:
            free = reads.free
            for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=True):
                if name in free:
                    self._cell(cell, name, free[name])
        space = function.__globals__
        for name, chains in reads.globals.items():
            key = id(space), name, self._fixed
            if key in self.seen and type(space.get(name)) is not ModuleType:
                self._out += (_SEEN, self.seen[key])
                continue
            self.seen[key] = len(self.seen)
            value = space.get(name, MISSING)
            if value is MISSING:
                value = builtins.__dict__.get(name, MISSING)
            if type(value) is ModuleType:
                self._module(value, chains)
            elif value is MISSING:
                self._out.append(MISSING)
            else:
                self._value(value, space, "global", name)
        if function.__dict__:
            self._dict(function.__dict__)

    def _cell(self, cell, name, chains):
        try:
            value = cell.cell_contents
        except ValueError:
            self._out.append(MISSING)
            return
        if type(value) is ModuleType:
            self._module(value, chains)
        elif not self._again(cell):
            self._value(value, cell, "closure", name)

    def _library_function(self, function):
        """A closure that Paraxis made: its code is no one else's, its variables may be."""
        for each in (function.__defaults__ or (), (*(function.__kwdefaults__ or {}).items(),)):
            self._constant(each)
        for cell in function.__closure__ or ():
            try:
                self._constant(cell.cell_contents)
            except ValueError:
                self._out.append(MISSING)

    def _module(self, module, chains):
        """What is read of a module. It must not be passed on, to where that cannot be seen."""
        for chain in chains:
            value, k = module, 0
            while type(value) is ModuleType:
                if k == len(chain):
                    raise Unknown
                value, k = of_module(value, chain[k]), k + 1
            self._out.append(MISSING) if value is MISSING else self._constant(value)

    def _partial(self, value, *place):
        if self._again(value):
            return
        self._deeper()
        self._out += (functools.partial, len(value.args), len(value.keywords))
        self._value(value.func, value, "function", None)
        for k, each in enumerate(value.args):
            self._value(each, value, "argument", k)
        for key, each in value.keywords.items():
            self._out.append(key)
            self._value(each, value, "keyword", key)
        if value.__dict__:
            raise Unknown
        self._deep -= 1

    def _method(self, value, *place):
        self._deeper()
        self._out.append(MethodType)
        self._value(value.__func__, value, "function", None)
        self._value(value.__self__, value, "object", None)
        self._deep -= 1

    def _builtin(self, value, *place):
        if id(value) in computing():
            self.asks |= value in ASKING
            self._same(value)
        elif type(value.__self__) in _DATA:  # a method of a list, say
            self._out += (BuiltinFunctionType, value.__name__)
            self._constant(value.__self__)
        else:
            raise Unknown

    # -- objects and classes ---------------------------------------------------------------------

    def _class(self, cls, *place, made=True):
        """A class: which one, and of its entries those that may be asked for."""
        if id(cls) in computing():
            self.asks |= cls in ASKING
            self._same(cls)
            return
        key = id(cls), made
        if key in self.seen:
            self._out += (_SEEN, self.seen[key])
            return
        self.seen[key] = len(self.seen)
        self._same(cls)
        if is_class_of_package(cls):
            return
        self._deeper()
        if not is_plain(cls) or (made and type(cls) is not type):
            raise Unknown  # which classes belong to an abstract one is written nowhere
        fixed, self._fixed = self._fixed, True
        # what our own functions ask objects of our own classes for is not known here
        every = any(map(is_class_of_package, cls.__mro__))
        for each in cls.__mro__[:-1]:
            if not is_class_of_package(each):
                self._entries(vars(each), every, made)
        self._fixed = fixed
        self._deep -= 1

    def _entries(self, entries, every, made):
        dataclass = "__dataclass_params__" in entries
        for name, value in entries.items():
            kind = type(value)
            if name in REFUSED or (kind in OF_C and not is_layout(name, kind, entries)):
                raise Unknown
            if name in UNREAD or (name in MAKING and not made):
                continue
            generated = dataclass and kind is FunctionType
            generated = generated and value.__code__.co_filename == "<string>"
            if name == "__hash__" and generated:
                continue
            if every or name[:2] == "__" == name[-2:] or name in self._attributes:
                asks = self.asks
                self._out.append(name)
                self._entry(value)
                if generated:
                    self.asks = asks  # of classes, which stay the same

    def _entry(self, value):
        kind = type(value)
        if kind is property:
            self._out.append(kind)
            for each in (value.fget, value.fset, value.fdel):
                self._value(each, None, None, None)
        elif kind in (staticmethod, classmethod):
            self._out.append(kind)
            self._value(value.__func__, None, None, None)
        elif kind is functools.cached_property:
            self._out.append(kind)
            self._value(value.func, None, None, None)
        elif kind is not MemberDescriptorType:
            self._value(value, None, None, None)

    def _namespace(self, value, *place):
        if self._again(value):
            return
        self._deeper()
        self._out.append(SimpleNamespace)
        self._attributes_of(value, vars(value), self._attributes)
        self._deep -= 1

    def _attributes_of(self, value, space, read):
        for name, each in space.items():
            if name != "__signature__" and (read is None or name in read or name[:2] == "__"):
                self._out.append(name)
                self._value(each, value, "attribute", name)
        self._out.append(_END)

    def _other(self, value):
        """A class, a function of NumPy, or an object of a class."""
        kind = type(value)
        if id(value) in computing():
            self.asks |= kind is not np.ufunc and value in ASKING
            self._same(value)
        elif kind is type:
            self._class(value)
        elif isinstance(value, np.generic) and kind.__module__ == "numpy":
            self._scalar(value, None, None, None)
        elif kind is CACHED and at_top_of_package(value):
            self._same(value)
        elif is_named_tuple(kind) and not is_class_of_package(kind):
            self._named_tuple(value, kind)
        elif issubclass(kind, type) or not (is_class_of_package(kind) or is_plain(kind)):
            raise Unknown
        elif is_class_of_package(kind) and (hasattr(kind, "digest") or hasattr(kind, "graph")):
            self._same(value)  # a robot, a graph or a Program: they never change
        elif not self._again(value):
            self._object(value, kind)

    def _named_tuple(self, value, kind):
        self._deeper()
        self._same(kind)
        fixed, self._fixed = self._fixed, True
        rest = {key: each for key, each in vars(kind).items() if key not in OF_NAMED_TUPLES}
        getters = type(vars(kind)[kind._fields[0]]) if kind._fields else None
        self._entries({k: v for k, v in rest.items() if type(v) is not getters}, False, False)
        for each in value:
            self._value(each, None, None, None)
        self._fixed = fixed
        self._deep -= 1

    def _object(self, value, kind):
        self._deeper()
        ours = any(map(is_class_of_package, kind.__mro__))
        self._class(kind, made=False)
        fixed, self._fixed = self._fixed, self._fixed or ours
        if issubclass(kind, tuple):  # a named one
            for each in value:
                self._value(each, None, None, None)
        elif not is_plain(kind):
            raise Unknown
        read = None if ours else self._attributes
        if kind.__dictoffset__:
            self._attributes_of(value, object.__getattribute__(value, "__dict__"), read)
        for cls in kind.__mro__:
            for name, entry in vars(cls).items():
                if type(entry) is MemberDescriptorType and (read is None or name in read):
                    self._out.append(name)
                    try:
                        each = entry.__get__(value)
                    except AttributeError:
                        self._out.append(MISSING)
                    else:
                        self._value(each, value, "slot", name)
        self._fixed = fixed
        self._deep -= 1


_SEEN, _NUMBER, _KEYWORDS, _END = (object() for _ in range(4))
_DATA = {np.ndarray, list, dict, tuple, str, bytes, set, frozenset, int, float, complex}

_RULES: dict[Any, Any] = {
    FunctionType: Reading._function,
    MethodType: Reading._method,
    BuiltinFunctionType: Reading._builtin,
    functools.partial: Reading._partial,
    type: Reading._class,
    SimpleNamespace: Reading._namespace,
    float: Reading._float,
    int: Reading._integer,
    np.float64: Reading._scalar,
    complex: Reading._complex,
    np.ndarray: Reading._array,
    list: Reading._sequence,
    tuple: Reading._sequence,
    set: Reading._set,
    frozenset: Reading._set,
    dict: Reading._dict,
    range: Reading._range,
    slice: Reading._slice,
    **dict.fromkeys((bool, str, bytes, type(None), type(...), type(NotImplemented)), Reading._atom),
}


def function_root(function):
    """What keeps the id of a function's code, or of an object's class."""
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", type(function))
