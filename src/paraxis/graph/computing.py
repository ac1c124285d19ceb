"""What a user's function may read of Python, NumPy and Paraxis: that which only computes.

Known by identity, so that nothing that merely has the name of such a function is taken for it.
"""

import builtins
import cmath
import dataclasses
import functools
import math
import sys
from abc import ABCMeta
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)

import numpy as np

PACKAGE = __package__.partition(".")[0]

BUILTINS = {"abs", "all", "any", "bool", "bytes", "complex", "dict", "divmod", "enumerate"}
BUILTINS |= {"filter", "float", "frozenset", "int", "iter", "len", "list", "map", "max", "min"}
BUILTINS |= {"next", "object", "pow", "range", "reversed", "round", "set", "slice", "sorted"}
BUILTINS |= {"str", "sum", "super", "tuple", "zip", "isinstance", "issubclass", "type"}
BUILTINS |= {"callable", "property", "staticmethod", "classmethod"}
# They tell numbers from traced values.
ASKING = {isinstance, issubclass, type, callable, np.isscalar, np.isrealobj, np.iscomplexobj}
ASKING |= {np.issubdtype, np.result_type, np.can_cast, np.min_scalar_type}
# They read files, settings of the process, or objects that hide what they hold.
NOT_OF_NUMPY = {"load", "save", "savez", "savez_compressed", "loadtxt", "savetxt"}
NOT_OF_NUMPY |= {"genfromtxt", "fromfile", "fromregex", "memmap", "seterr", "geterr"}
NOT_OF_NUMPY |= {"seterrcall", "geterrcall", "setbufsize", "getbufsize", "set_printoptions"}
NOT_OF_NUMPY |= {"get_printoptions", "printoptions", "show_config", "show_runtime", "info"}
NOT_OF_NUMPY |= {"test", "get_include", "vectorize", "frompyfunc", "from_dlpack", "frombuffer"}
NOT_OF_NUMPY |= {"nditer", "flatiter", "ndenumerate", "broadcast", "matrix", "asmatrix", "mat"}
NOT_OF_NUMPY |= {"bmat"}
NOT_OF_PARAXIS = {"load", "from_mujoco", "from_pinocchio", "random_states"}  # files, and chance

MISSING = object()
_CLASSES = (np.dtype, np.finfo, np.iinfo, np.errstate, np.linalg.LinAlgError)
CACHED = type(functools.lru_cache(len))
_BUILT_IN: tuple[type, ...] = (int, float, complex, str, bytes, bytearray, list, dict, set, tuple)
_BUILT_IN += (frozenset, np.ndarray, np.generic, BaseException, ModuleType, type, CellType)
_BUILT_IN += (CodeType,)
OF_C = {GetSetDescriptorType, MemberDescriptorType, BuiltinFunctionType, WrapperDescriptorType}
OF_C |= {MethodDescriptorType, ClassMethodDescriptorType, MethodWrapperType}


class Unknown(Exception):
    """Something that a fingerprint does not cover."""


@functools.cache
def computing():
    """Functions and classes of Python and NumPy that only compute: their id -> themselves."""
    known = [getattr(builtins, name) for name in BUILTINS]
    known += [
        value
        for value in vars(builtins).values()
        if type(value) is type and issubclass(value, Exception)
    ]
    for module in (math, cmath):
        known += [value for value in vars(module).values() if callable(value)]
    for module in (np, np.linalg):
        for name, value in vars(module).items():
            if name[0] == "_" or name in NOT_OF_NUMPY or type(value) is ModuleType:
                continue
            if isinstance(value, type) and not issubclass(value, (np.generic, *_CLASSES)):
                continue
            if callable(value):
                known.append(value)
    known += [np.r_, np.c_, np.s_, np.index_exp, np.mgrid, np.ogrid, np.ma.masked]
    known += [
        dataclasses.MISSING,
        dataclasses._HAS_DEFAULT_FACTORY,
        dataclasses.FrozenInstanceError,
    ]
    return {id(value): value for value in known}


def of_module(module, name):
    value = vars(module).get(name, MISSING)
    if value is not MISSING or "__getattr__" not in vars(module):
        return value
    if module.__name__.partition(".")[0] not in (PACKAGE, "numpy"):
        raise Unknown
    return getattr(module, name, MISSING)  # imported when it is first asked for


def is_of_package(function):
    """Is the code of a function our own?"""
    name = function.__globals__.get("__name__")
    if type(name) is not str or name.partition(".")[0] != PACKAGE:
        return False
    module = sys.modules.get(name)
    return module is not None and vars(module) is function.__globals__


def at_top_of_package(value):
    """Is it a function that one of our modules has by its own name?"""
    name = value.__module__
    if type(name) is not str or name.partition(".")[0] != PACKAGE:
        return False
    module = sys.modules.get(name)
    if module is None or vars(module).get(value.__name__) is not value:
        return False
    if value.__name__ in NOT_OF_PARAXIS:
        raise Unknown
    return True


def is_class_of_package(cls):
    name = cls.__module__
    if type(name) is not str or name.partition(".")[0] != PACKAGE:
        return False
    module = sys.modules.get(name)
    return module is not None and vars(module).get(cls.__name__) is cls


def is_plain(cls):
    """Does it derive from `object` alone? Whether in Python, its entries tell."""
    return type(cls) in (type, ABCMeta) and not issubclass(cls, _BUILT_IN)


def is_named_tuple(cls):
    return cls.__bases__ == (tuple,) and type(cls) is type and "_fields" in vars(cls)


def is_layout(name, kind, entries):
    """Is an entry written in C one that every class has, or a slot?"""
    if kind is GetSetDescriptorType:
        return name in ("__dict__", "__weakref__")
    return kind is MemberDescriptorType and name in entries.get("__slots__", ())
