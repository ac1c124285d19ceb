"""What a study is made from, as text: its function with all that it reads, its space, the code.

A store goes on only with the study that began it. A function is its code and the values of the
names that it reads: closures, defaults, globals of the user's own modules, their own modules by
the attributes that it may read there, and so on inside them.
Robots are their digests and names; Paraxis itself is the digest of its sources; installed packages
are their versions.
"""

from __future__ import annotations

import copyreg
import dis
import hashlib
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..body import Body
from ..checks import quoted
from ..errors import ArgumentError
from ..robots.robot import Robot
from ..targets import store
from ..targets.blocks import Recipe

PACKAGES = ("numpy", "llvmlite", "scipy")  # whose versions may change bits
DEEPEST = 100
GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)


class Reading:
    """A value read as text, and the robots that it has inside."""

    def __init__(self, value: Any):
        self.robots: dict[str, str] = {}  # name -> digest
        self._seen: dict[int, int] = {}  # id -> the how-manieth it was
        self._kept: list[Any] = []  # so that ids stay theirs
        self._packages = 0  # objects of installed packages around what is read
        self.digest = hashlib.sha256(self._text(value, 0).encode()).hexdigest()

    def _text(self, value, depth):
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return repr(value)
        if isinstance(value, np.generic) or value is Ellipsis:
            return repr(value)
        if isinstance(value, ModuleType):
            return f"module {value.__name__}"
        if depth > DEEPEST:
            raise ArgumentError("function: values are nested too deeply to be recognised later")
        if id(value) in self._seen:
            return f"again {self._seen[id(value)]}"
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        return self._of_object(value, depth + 1)

    def _of_object(self, value, depth):
        if isinstance(value, Robot):
            self.robots[value.name] = value.digest
            frames = hashlib.sha256(repr((value.frames, value.joint_names)).encode()).hexdigest()
            return f"robot {value.name!r} {value.digest} {frames}"
        if isinstance(value, Body):
            return f"body {value.key}"
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            content = hashlib.sha256(np.ascontiguousarray(value)).hexdigest()  # type: ignore[arg-type]
            return f"array {value.dtype.str} {value.shape} {content}"
        if isinstance(value, GENERATORS) and not self._packages:  # theirs may have drawn before
            raise ArgumentError(
                f"function: it reads {quoted(type(value).__name__)}, whose numbers depend on what "
                "was drawn before, so that a resumed study would differ; draw from "
                "the index of the states: px.math.random_uniform(seed, index)"
            )
        if isinstance(value, (tuple, list)):
            inside = ", ".join(self._text(each, depth) for each in value)
            return f"{type(value).__name__}({inside})"
        if isinstance(value, (set, frozenset)):
            return f"set({', '.join(sorted(self._text(each, depth) for each in value))})"
        if isinstance(value, (dict, MappingProxyType)):
            items = (f"{self._text(k, depth)}: {self._text(v, depth)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, partial):
            return f"partial {self._text((value.func, value.args, value.keywords), depth)}"
        if isinstance(value, MethodType):
            return f"method {self._text((value.__func__, value.__self__), depth)}"
        if isinstance(value, FunctionType):
            return self._of_function(value, depth)
        if isinstance(value, (staticmethod, classmethod)):
            return f"{type(value).__name__} {self._text(value.__func__, depth)}"
        if isinstance(value, property):
            return f"property {self._text((value.fget, value.fset, value.fdel), depth)}"
        if isinstance(value, BuiltinFunctionType) and not _is_of_module(value):
            return f"method {value.__name__} {self._text(value.__self__, depth)}"
        if isinstance(value, (BuiltinFunctionType, type)) or _is_found_by_name(value):
            return self._of_named(value, depth)
        if isinstance(getattr(value, "__wrapped__", None), FunctionType):  # as by lru_cache
            own = getattr(value, "__dict__", None)
            return f"{type(value).__qualname__} {self._text((value.__wrapped__, own), depth)}"
        return self._of_instance(value, depth)

    def _of_function(self, function, depth):
        if is_installed(function.__module__) and "<" not in function.__qualname__:
            return f"{function.__module__}.{function.__qualname__}"
        code, inside = function.__code__, getattr(function, "__wrapped__", None)
        names = {name for each in codes(code) for name in each.co_names}
        reads = {n: function.__globals__[n] for n in sorted(names) if n in function.__globals__}
        reads |= _of_own_modules(names, [*reads.values(), *_imported(function)])
        cells = [_content(cell) for cell in function.__closure__ or ()]
        parts = [reads, cells, function.__defaults__, function.__kwdefaults__, inside]
        return f"function {_of_code(code)} {self._text(parts, depth)}"

    def _of_named(self, value, depth):
        module, name = value.__module__, getattr(value, "__qualname__", value.__name__)
        if isinstance(value, type) and not is_installed(module):
            own = {k: v for k, v in sorted(vars(value).items()) if not k.startswith("__")}
            dunder = {k: v for k, v in vars(value).items() if isinstance(v, FunctionType)}
            return f"class {name} {self._text([own, dunder, value.__bases__], depth)}"
        return f"{module}.{name}"

    def _of_instance(self, value, depth):
        """By what a copy of it would be made from."""
        kind = type(value)
        if isinstance(getattr(value, "recipe", None), Recipe):  # a compiled Program
            return f"kernel {value.recipe.token}"
        if kind.__module__ == "_thread":  # a lock
            return kind.__name__
        try:
            reduced = copyreg.dispatch_table.get(kind)
            parts = reduced(value) if reduced is not None else value.__reduce_ex__(2)
            if isinstance(parts, str) and not _is_known_as(value, parts):  # as of np.frompyfunc
                parts = None
        except TypeError:
            parts = (kind, (), dict(vars(value))) if hasattr(value, "__dict__") else None
        if parts is None:
            raise ArgumentError(
                f"function: it reads {quoted(kind.__name__)}, which cannot be recognised when the "
                "study resumes; make it inside the function"
            )
        if isinstance(parts, str):
            return parts
        state = [
            part if hasattr(part, "__len__") or part is None else [*part] for part in parts[2:]
        ]
        if state and isinstance(state[0], dict):
            state[0] = {k: v for k, v in state[0].items() if not _is_cached(kind, k)}
        installed = is_installed(kind.__module__)
        self._packages += installed
        text = f"{self._text(parts[0], depth)} {self._text([parts[1], state], depth)}"
        self._packages -= installed
        return text


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


def _of_code(code):
    """As text, without the lines and files it was written in."""
    constants = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    content = repr((code.co_code, constants, names, code.co_flags, code.co_argcount))
    return hashlib.sha256(content.encode()).hexdigest()


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _of_own_modules(names, modules):
    """What code with these names may read of modules that are not installed, by module and name.

    Modules inside packages are attributes of these.
    """
    found, left = {}, [*modules]
    while left:
        module = left.pop(0)
        if not isinstance(module, ModuleType) or is_installed(module.__name__):
            continue
        for name in sorted(names & vars(module).keys()):
            if (module.__name__, name) not in found:
                found[module.__name__, name] = vars(module)[name]
                left.append(vars(module)[name])
    return {f"{module}.{name}": value for (module, name), value in sorted(found.items())}


def _imported(function):
    """The modules that a function imports when it is called."""
    package = function.__globals__.get("__package__")
    for code in codes(function.__code__):
        steps = [*dis.get_instructions(code)]
        for level, _, step in zip(steps, steps[1:], steps[2:], strict=False):
            if step.opname == "IMPORT_NAME":
                with suppress(Exception):  # which the function will raise as well
                    yield import_module("." * int(level.argval) + step.argval, package)


def _is_of_module(function):
    return function.__self__ is None or isinstance(function.__self__, ModuleType)


def _is_known_as(value, name):
    """Whether an installed module has it under this name."""
    modules = [module for at, module in [*sys.modules.items()] if is_installed(at)]
    return any(getattr(module, "__dict__", {}).get(name) is value for module in modules)


def _is_found_by_name(value):
    """Whether it is what an installed package has under its name: then its version tells all."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not (callable(value) and isinstance(module, str) and isinstance(name, str)):
        return False
    return is_installed(module) and getattr(sys.modules.get(module), name, None) is value


def _is_cached(kind, name):
    """Whether an attribute is what a cached_property has found."""
    return type(getattr(kind, name, None)).__name__ == "cached_property"


def is_installed(module: str | None) -> bool:
    """Whether a module belongs to Paraxis, to Python or to an installed package."""
    if module is None:
        return True
    if module.partition(".")[0] == __name__.partition(".")[0]:
        return True
    where = getattr(sys.modules.get(module), "__file__", None)
    if where is None:
        return module != "__main__"
    if "site-packages" in where or "dist-packages" in where:
        return True
    return where.startswith(sysconfig.get_path("stdlib"))


def identity_of(function: Callable, space: Any) -> dict[str, Any]:
    """What must be the same for a study to go on."""
    read = Reading(function)
    sources = store.sources()
    versions = {"python": "{}.{}.{}".format(*sys.version_info[:3])}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "function": read.digest,
        "robots": read.robots,
        "space": Reading(space.identity).digest,
        "sources": sources if sources is not None else "unknown",
        "versions": versions,
    }


def difference(found: dict[str, Any], own: dict[str, Any]) -> str | None:
    """In what a store's study differs from this one, in words, and what to do; None if in nothing.

    What tells most comes first: a function differs as well where its robot does.
    """
    robots = found.get("robots", {}), own["robots"]
    changed = sorted(
        name for name in {*robots[0]} & {*robots[1]} if robots[0][name] != robots[1][name]
    )
    if changed:
        return f"robot {', '.join(map(repr, changed))} has changed since the study began"
    if robots[0] != robots[1]:
        before, now = (", ".join(map(repr, sorted(each))) or "none" for each in robots)
        return f"its function read other robots: {before} then, {now} now"
    if found.get("space") != own["space"]:
        return "its space has other variables or values"
    if found.get("versions") != own["versions"]:
        before, now = found.get("versions", {}), own["versions"]
        words = [
            f"{name} {before.get(name, 'none')} then, {now.get(name, 'none')} now"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        ]
        return f"other versions: {'; '.join(words)}"
    if found.get("sources") != own["sources"] or own["sources"] == "unknown":
        return "the code of Paraxis is not that with which the study began"
    if found.get("function") != own["function"]:
        return "its function, or a value that it reads, has changed"
    return None
