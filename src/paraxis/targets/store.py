"""Native code on disk, so that a robot is compiled once a machine, not once a process.

A file is written whole under a temporary name and then renamed, so readers never see half of
one and writers may race. Code is loaded only from a directory and a file that belong to this
user and that nobody else may write; otherwise the cache is silently not used. The directory is
PARAXIS_CACHE if set ("off" for none), else a folder of the user's cache directory.

Every key includes a digest of this package's own code, so that one version never runs the machine
code of another. Where that code cannot be read, nothing is kept on disk.
"""

import hashlib
import json
import os
import stat
import struct
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import CodeType

from .compiling import compiling

PACKAGE = __package__.rpartition(".")[0]

MAGIC = b"paraxis object 1\n"
ABANDONED = 3600.0  # seconds after which nobody is still writing a file
MOST_BYTES = 512 << 20  # when the folder outgrows this, the files unused for longest go
# links are not followed, and a pipe in place of a file is not waited for
_OPEN = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def directory():
    """The cache folder, or None when there is none to trust."""
    chosen = os.environ.get("PARAXIS_CACHE")
    if chosen == "off":
        return None
    if chosen:
        base, inside = chosen, ""
    elif sys.platform == "win32":
        base, inside = os.environ.get("LOCALAPPDATA"), "paraxis"
    elif sys.platform == "darwin":
        base, inside = "~/Library/Caches", "paraxis"
    else:
        base, inside = os.environ.get("XDG_CACHE_HOME") or "~/.cache", "paraxis"
    try:
        return Path(base).expanduser() / inside if base else None
    except RuntimeError:  # no home directory
        return None


@cache
def package_digest():
    """A hash of this package's code, or None where the code that runs cannot be read."""
    return digest_of(sys.modules[PACKAGE])


def digest_of(package):
    """A hash of all modules of an imported package, by name and content, or None.

    None if a module that is already imported is not among those found, or came from somewhere
    else: then what was found is not what runs.
    """
    try:
        in_files = os.path.isfile(package.__spec__.origin)
        found = dict((_modules_in_files if in_files else _modules_by_loader)(package))
        imported = {
            name: module.__spec__.origin
            for name, module in list(sys.modules.items())
            if name.startswith(f"{package.__name__}.") and module is not None
        }
        if any(origin != found[name][0] for name, origin in imported.items()):
            return None
        h = hashlib.sha256()
        for name, (_, read) in sorted(found.items()):
            content = read()
            h.update(f"{name} {len(content)} ".encode())
            h.update(content)
    except (AttributeError, ImportError, KeyError, OSError, TypeError):  # a loader that cannot tell
        return None
    return h.hexdigest()


def _modules_in_files(package):
    """(name, (origin, what reads it)) of modules that lie in a folder, as source or as bytecode."""
    folder, first = os.path.split(package.__spec__.origin)
    kind = os.path.splitext(first)[1]
    folders = [(package.__name__, folder)]
    while folders:
        parent, folder = folders.pop()
        for entry in os.scandir(folder):
            stem, end = os.path.splitext(entry.name)
            if end == kind:
                name = parent if stem == "__init__" else f"{parent}.{stem}"
                yield name, (entry.path, partial(_file_content, entry.path))
            elif not end and entry.is_dir():
                folders.append((f"{parent}.{entry.name}", entry.path))


def _file_content(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _modules_by_loader(package):
    """The same of modules in an archive, or wherever an application keeps them."""
    import pkgutil  # here, because few need it

    folders = [package.__spec__]
    yield package.__name__, (package.__spec__.origin, partial(_loader_content, package.__spec__))
    while folders:
        parent = folders.pop()
        path = parent.submodule_search_locations
        for finder, name, is_folder in pkgutil.iter_modules(path, f"{parent.name}."):
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


def key(*parts):
    """The name under which code made from these parts is kept; None for code not to be kept."""
    digest = package_digest()
    if digest is None:
        return None
    return hashlib.sha256("\0".join((digest, *map(str, parts))).encode()).hexdigest()


def kept(name, make):
    """(description, object bytes) kept under a key, or those of `make()`, kept from now on."""
    found = load(name)
    if found is None:
        keeps = name is not None and directory() is not None
        with compiling(note="; kept in the cache for next time" if keeps else ""):
            found = make()
        store(name, *found)
    return found


def _private(status, kind):
    """Does this user own it, and may nobody else write it?"""
    if not kind(status.st_mode):
        return False
    if sys.platform == "win32":
        return True  # the profile folder's access list keeps others out
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _trusted_folder(create=False):
    folder = directory()
    if folder is None:
        return None
    try:
        if create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _private(os.lstat(folder), stat.S_ISDIR) else None
    except OSError:
        return None


def load(name):
    """(description, object bytes) stored under a key, or None."""
    folder = _trusted_folder()
    if folder is None or name is None:
        return None
    path = folder / f"{name}.bin"
    try:
        handle = os.open(path, _OPEN)
        try:
            if not _private(os.fstat(handle), stat.S_ISREG):
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read()
        finally:
            os.close(handle)
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # used now: the last to be thrown out
    return _unpack(data, name)


def store(name, description, code):
    """Keep compiled code; failing to is not an error."""
    folder = _trusted_folder(create=True) if name is not None else None
    if folder is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")  # mode 0600
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_pack(name, description, code))
        os.replace(temporary, folder / f"{name}.bin")
        _prune(folder)
    except OSError:
        return
    finally:
        with suppress(OSError):
            os.unlink(temporary)  # still there only when something went wrong


def _pack(name, description, code):
    text = json.dumps(description).encode()
    payload = name.encode() + struct.pack("<Q", len(text)) + text + code
    return MAGIC + hashlib.sha256(payload).digest() + payload


def _unpack(data, name):
    """The parts of a file, or None if it is not exactly what was written under this name."""
    start = len(MAGIC) + 32
    payload = data[start:]
    if not data.startswith(MAGIC) or hashlib.sha256(payload).digest() != data[len(MAGIC) : start]:
        return None
    if not payload.startswith(name.encode()):
        return None
    at = len(name) + 8
    (length,) = struct.unpack("<Q", payload[len(name) : at])
    return json.loads(payload[at : at + length]), payload[at + length :]


def _prune(folder):
    """Throw out what was unused for longest, and what writers that died left behind."""
    with os.scandir(folder) as found:
        entries = [(status, entry.path) for entry in found if (status := _status(entry))]
    for status, path in entries:
        if path.endswith(".tmp") and time.time() - status.st_mtime > ABANDONED:
            os.unlink(path)
    files = [(status, path) for status, path in entries if path.endswith(".bin")]
    excess = sum(status.st_size for status, _ in files) - MOST_BYTES
    for status, path in sorted(files, key=lambda item: item[0].st_mtime):
        if excess <= 0:
            return
        os.unlink(path)
        excess -= status.st_size


def _status(entry):
    """Of a file in a folder; None where another process threw it out meanwhile."""
    try:
        return entry.stat()
    except FileNotFoundError:
        return None
