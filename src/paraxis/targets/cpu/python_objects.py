"""The objects of CPython and NumPy as native code sees them, and a check that they are so.

The native function of a kernel (text/python_entry.py) reads arrays and tuples where they are in
memory, and is called as CPython calls functions written in C. What it relies on is listed here as
constants. Some of it CPython and NumPy promise, some they have merely kept to so far. So, before a
process runs such code for the first time, `difference` compares every constant with what Python
itself says about a few sample objects. It takes a fraction of a millisecond. On an interpreter that
differs, kernels are called through Python instead: the same results, tens of microseconds later.

The check goes from what is certain to what rests on it and ends at the first difference, so it
reads only inside of objects, and behind pointers only where the system lets it.
"""

import ctypes
import os
import struct
import sys
import sysconfig
from functools import cache

import numpy as np

from . import host

TYPE = 8  # in every object, after the count of references
LENGTH, ITEMS = 16, tuple.__basicsize__  # in a tuple
# in an array: C's PyArrayObject_fields
DATA, DIMENSIONS_COUNT, DIMENSIONS, STRIDES, DTYPE, FLAGS = 16, 24, 32, 40, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
TYPE_NUMBER = {"double": 12, "float": 11}
# in NumPy's table of C functions, as its ABI of version 2 orders it
ABI, ABI_VERSION, ARRAY_TYPE, NEW_ARRAY = 0, 0x02000000, 2, 93
FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002  # how C functions are called

DTYPES = {"double": np.dtype(np.float64), "float": np.dtype(np.float32)}
OUT = sys.intern("out")

_pointer, _size = ctypes.c_void_p, ctypes.c_ssize_t
_Call = ctypes.PYFUNCTYPE(ctypes.py_object, _pointer, _pointer, _size, _pointer)
_NewArray = ctypes.PYFUNCTYPE(
    ctypes.py_object,
    *(_pointer, ctypes.c_int, _pointer, ctypes.c_int),  # type, axes, lengths, type number
    *(_pointer, _pointer, ctypes.c_int, ctypes.c_int, _pointer),  # as NumPy likes it
)


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def new_function(address, *alive):
    """A built-in function around C code at this address, which keeps these objects alive."""
    definition = _MethodDef(b"kernel", address, FASTCALL_WITH_KEYWORDS, b"One compiled Program.")
    new = host.python_api.PyCMethod_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.POINTER(_MethodDef), ctypes.py_object, _pointer, _pointer]
    # As the function's `self`, these live exactly as long as the function does.
    return new(ctypes.byref(definition), (definition, *alive), None, None)


def address_of(name):
    """Where the C function of Python with this name is."""
    return ctypes.cast(getattr(host.python_api, name), _pointer).value


def array_functions():
    """NumPy's table of C functions."""
    capsule = np._core.multiarray._ARRAY_API
    table = host.python_api.PyCapsule_GetPointer(id(capsule), None)
    return ctypes.cast(table, ctypes.POINTER(_pointer))


def known_platform():
    """Is this an interpreter that native functions are written for at all?"""
    return (
        sys.implementation.name == "cpython"
        and struct.calcsize("P") == 8
        and sys.byteorder == "little"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


@cache
def difference():
    """What is not as listed above in this process, as one line of text; None if all is."""
    try:
        with _Elsewhere() as elsewhere:
            for what, found, expected in _facts(elsewhere):
                if found != expected:
                    return f"{what}: expected {expected}, found {found}"
    except Exception as error:  # whatever a stranger interpreter may make of this
        return f"{type(error).__name__}: {error}"


def _facts(elsewhere):
    """(what it is, as found at the listed place, as Python says), each safe if those before hold."""
    samples = _sample_arrays()
    for what, sample in samples.items():
        yield f"type of {what}", _inside(sample, TYPE), id(type(sample))
    yield from _facts_about_tuples()
    for what, sample in samples.items():
        yield from _facts_about_array(what, sample, elsewhere)
    for element, dtype in DTYPES.items():
        yield f"type number of {dtype}", dtype.num, TYPE_NUMBER[element]
        # compared by address, so there must be one only
        yield f"dtype of {dtype} arrays", id(np.zeros(1, dtype).dtype), id(dtype)
    yield from _facts_about_new_arrays()
    yield from _facts_about_calls(elsewhere)


def _sample_arrays():
    whole = np.arange(24.0).reshape(4, 6)
    fixed = whole.copy()
    fixed.flags.writeable = False
    return {
        "a vector": np.arange(3.0),
        "a float32 vector": np.arange(3, dtype=np.float32),
        "a matrix": whole,
        "a matrix with gaps": whole[::2, 1::2],
        "a matrix backwards": whole[::-1, ::-3],
        "a transposed matrix": whole.T,
        "a repeated row": np.broadcast_to(whole[0], (5, 6)),
        "a read-only matrix": fixed,
        "a byte-swapped vector": np.arange(3, dtype=">f8"),
        "an unaligned vector": np.frombuffer(bytearray(25), np.uint8)[1:].view(float),
        "an array without axes": np.array(1.0),
        "an array without entries": np.empty((0, 6)),
        "an array of another class": whole.view(type("Subclass", (np.ndarray,), {})),
    }


def _facts_about_tuples():
    first, second = object(), object()
    for items in ((first,), (first, second)):
        yield "length of a tuple", _inside(items, LENGTH), len(items)
        for k, item in enumerate(items):
            yield "entry of a tuple", _inside(items, ITEMS + 8 * k), id(item)


def _facts_about_array(what, array, elsewhere):
    flags = _inside(array, FLAGS, ctypes.c_int32)
    yield f"flags of {what}", flags, array.flags.num
    yield f"contiguity of {what}", bool(flags & C_CONTIGUOUS), array.flags.c_contiguous
    yield f"alignment of {what}", bool(flags & ALIGNED), array.flags.aligned
    yield f"writeability of {what}", bool(flags & WRITEABLE), array.flags.writeable
    yield f"data of {what}", _inside(array, DATA), array.__array_interface__["data"][0]
    yield f"dtype of {what}", _inside(array, DTYPE), id(array.dtype)
    axes = _inside(array, DIMENSIONS_COUNT, ctypes.c_int32)
    yield f"axes of {what}", axes, array.ndim
    yield f"shape of {what}", elsewhere.words(_inside(array, DIMENSIONS), axes), array.shape
    yield f"strides of {what}", elsewhere.words(_inside(array, STRIDES), axes), array.strides


def _facts_about_new_arrays():
    table = array_functions()
    yield "array type in NumPy's table", table[ARRAY_TYPE], id(np.ndarray)
    yield "version of NumPy's ABI", ctypes.PYFUNCTYPE(ctypes.c_uint)(table[ABI])(), ABI_VERSION
    new = _NewArray(table[NEW_ARRAY])
    for element, dtype in DTYPES.items():
        for shape in ((), (3,), (2, 3)):
            lengths = (_size * len(shape))(*shape)
            number = TYPE_NUMBER[element]
            made = new(id(np.ndarray), len(shape), lengths, number, None, None, 0, 0, None)
            like = np.empty(shape, dtype)
            yield "a new array", _about(made), _about(like)
            yield "references to it", sys.getrefcount(made), sys.getrefcount(like)


def _about(array):
    return type(array), array.dtype, array.shape, array.strides, array.flags.num


def _facts_about_calls(elsewhere):
    """By a stand-in for the native function, which hands on all that it is called with."""
    heard, expected, result = [], None, object()

    def python(*positional, **named):
        heard.append((positional, named))
        return result

    hand_on = _Call(address_of("PyObject_Vectorcall"))

    def native(itself, arguments, count, names):
        (length,) = (names and elsewhere.words(names + LENGTH, 1)) or (0,)
        keywords = elsewhere.words((names or 0) + ITEMS, length)
        heard.append((count, elsewhere.words(arguments, count + length), keywords))
        return hand_on(id(python), arguments, count, names) if heard == [expected] else None

    code = _Call(native)
    function = new_function(ctypes.cast(code, _pointer).value, code)
    # A kernel has its native function as `__call__` of its type, and is not passed to it.
    kernel = type("Kernel", (), {"__call__": function})()
    x, y, z = arguments = [np.zeros(k + 1) for k in range(3)]
    references = [sys.getrefcount(argument) for argument in arguments]
    for call in (function, kernel):
        for positional, named in (((x, y), {}), ((x,), {OUT: z}), ((), {"x": x, OUT: y})):
            heard.clear()
            values = *map(id, positional), *map(id, named.values())
            expected = len(positional), values, tuple(map(id, named))
            returned = call(*positional, **named)
            yield "arguments of a call", heard[0], expected
            yield "result of a call", returned is result, True
            positional_then, named_then = heard[1]
            handed_on = *map(id, positional_then), *map(id, named_then.values())
            yield "arguments handed on", handed_on, values
            yield "names handed on", tuple(named_then), tuple(named)
    heard.clear()
    del positional, named, positional_then, named_then
    kept = [sys.getrefcount(argument) for argument in arguments]
    yield "references to arguments after calls", kept, references


def _inside(thing, offset, kind=ctypes.c_size_t):
    """What is at this offset of an object; None beyond its end."""
    if not 0 <= offset <= object.__sizeof__(thing) - ctypes.sizeof(kind):
        return None
    return kind.from_address(id(thing) + offset).value


class _Elsewhere:
    """Memory at addresses that may not be any, read by way of a pipe: the system refuses to copy
    from where there is nothing, and the process goes on."""

    def __enter__(self):
        self._reading, self._writing = os.pipe()
        self._write = ctypes.CDLL(None).write  # Python's own takes no addresses
        self._write.argtypes = [ctypes.c_int, _pointer, ctypes.c_size_t]
        self._write.restype = _size
        return self

    def __exit__(self, *_):
        os.close(self._reading)
        os.close(self._writing)

    def words(self, address, count):
        """As many words from there on; None if they cannot be read."""
        if not count:
            return ()
        size = 8 * count
        if not address or not 0 < size <= 512:  # which a pipe takes at once
            return None
        if self._write(self._writing, address, size) != size:
            return None
        return struct.unpack(f"{count}q", os.read(self._reading, size))
