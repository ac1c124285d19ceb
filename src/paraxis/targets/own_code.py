"""A digest of the sources of this package that make code: what every key on disk begins with.

Which these are is known by the parts of the package they belong to. What shows, schedules or checks
is none of them: mending a page compiles no kernel anew.
"""

import hashlib
import os
import sys
import time
from contextlib import suppress
from functools import cache, partial
from types import CodeType

PACKAGE = __package__.rpartition(".")[0]
IMPORTED = time.time_ns()  # sources that change later are not those that run

# From a robot to machine code; a test looks for Bodies that are made elsewhere.
MAKES_CODE = (
    *("scalar", "spatial", "robots", "physics", "graph", "passes", "body", "drivers", "targets"),
    *(
        "coupled_functions",
        "spring_functions",
        "looped_functions",
        "robot_functions",
        "joint_functions",
        "function_bodies",
        "chains",
        "dynamics",
        "kinematics",
        "simulation",
    ),
    *(
        "trajectories",
        "control",
        "optimal",
        "frameworks",
        "programs",
        "calls",
        "api",
        "math",
        "counter_random",
    ),
)


@cache
def code_digest(kept):
    """The digest, or None where the code that runs cannot be read.

    `kept(states, make)` is `make()`, or what that was when files were in these states.
    """
    return digest_of(sys.modules[PACKAGE], MAKES_CODE, kept)


def digest_of(package, parts, kept):
    """A hash of the modules in these parts of an imported package, by name and content, or None.

    None if a module that is already imported is not among those found, or came from somewhere
    else: then what was found is not what runs.
    """
    try:
        in_files = os.path.isfile(package.__spec__.origin)
        found = dict((_modules_in_files if in_files else _modules_by_loader)(package, parts))
        imported = {
            name: module.__spec__.origin
            for name, module in list(sys.modules.items())
            if name.startswith(f"{package.__name__}.") and module is not None
        }
        for name, origin in imported.items():
            if _part(name) in parts and origin != found[name][0]:
                return None
        if not in_files:
            return _hashed(found)
        states = _states(found)
        if max(changed for *_, changed in states) > IMPORTED:
            return None  # such as by an upgrade: what runs is older than these files
        return kept(states, partial(_hashed, found))
    except (AttributeError, ImportError, KeyError, OSError, TypeError):  # a loader that cannot tell
        return None


def _part(name):
    """The part of a package that a module belongs to: the folder or file below the package."""
    return name.split(".", 2)[1] if "." in name else ""


def _states(found):
    """Of files: which they are, and when they were last changed, by the clock of the system."""
    states = []
    for name, (path, _) in sorted(found.items()):
        s = os.stat(path)
        states.append((name, path, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns))
    return states


def _hashed(found):
    h = hashlib.sha256()
    for name, (_, read) in sorted(found.items()):
        content = read()
        h.update(f"{name} {len(content)} ".encode())
        h.update(content)
    return h.hexdigest()


def _modules_in_files(package, parts):
    """(name, (origin, what reads it)) of modules that are in a folder, as source or as bytecode."""
    folder, first = os.path.split(package.__spec__.origin)
    kind = os.path.splitext(first)[1]
    folders = [(package.__name__, folder)]
    while folders:
        parent, folder = folders.pop()
        for entry in os.scandir(folder):
            stem, end = os.path.splitext(entry.name)
            name = parent if stem == "__init__" else f"{parent}.{stem}"
            if _part(name) not in parts:
                continue
            if end == kind:
                yield name, (entry.path, partial(_file_content, entry.path))
            elif not end and entry.is_dir():
                folders.append((name, entry.path))


def _file_content(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _modules_by_loader(package, parts):
    """The same of modules in an archive, or wherever an application keeps them."""
    import pkgutil  # here, because few need it

    folders = [package.__spec__]
    while folders:
        parent = folders.pop()
        path = parent.submodule_search_locations
        for finder, name, is_folder in pkgutil.iter_modules(path, f"{parent.name}."):
            if _part(name) not in parts:
                continue
            spec = finder.find_spec(name)
            yield name, (spec.origin, partial(_loader_content, spec))
            if is_folder:
                folders.append(spec)


def _loader_content(spec):
    """The bytes a module is imported from or, where a loader has only code, that code."""
    with suppress(AttributeError, OSError):
        return spec.loader.get_data(spec.origin)
    return _spelt(spec.loader.get_code(spec.name)).encode()


def _spelt(value):
    """Code and its constants as text that is the same in every process."""
    if isinstance(value, CodeType):
        names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
        counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount)
        handlers = getattr(value, "co_exceptiontable", b"")
        own = (value.co_name, value.co_flags, counts, names, value.co_code, handlers)
        return f"code({own!r}, {_spelt(value.co_consts)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelt, value))})"
    if isinstance(value, frozenset):  # in no order
        return f"{{{', '.join(sorted(map(_spelt, value)))}}}"
    return repr(value)
