"""The only cache: what was compiled is found in this process first, then on disk.

In the process, kernels are kept as they were loaded, those used last. On disk, a file is written
whole under a temporary name and then renamed, so readers never see half of one and writers may
race. Code is loaded only from a directory and a file that belong to this user and that nobody else
may write; otherwise the cache is silently not used. The directory is PARAXIS_CACHE if set ("off"
for none), else a folder of the user's cache directory.

Every key includes a digest of those sources of this package that make code (own_code.py), so that
one version never runs the machine code of another. Where they cannot be read, nothing is kept.
"""

import hashlib
import json
import os
import stat
import struct
import sys
import tempfile
import time
from collections import OrderedDict
from contextlib import contextmanager, suppress
from pathlib import Path

from ..compiling import compiling
from .own_code import code_digest

try:
    import fcntl
except ImportError:  # Windows, where two processes may both compile
    fcntl = None  # type: ignore[assignment]

MAGIC = b"paraxis object 1\n"
ABANDONED = 3600.0  # seconds after which nobody is still writing a file
MOST_BYTES = 512 << 20  # when the folder outgrows this, the files unused for longest go
LOOKS = 64  # at all files while a process writes MOST_BYTES: to look takes longer than to write one
LONGEST, LOOK = 600.0, 0.02  # seconds to wait for another process, and between looks
LOCK = ".lock"
CODE, SOURCES = ".bin", ".sources"  # files of machine code, and of what sources came to
MOST_LOADED = 128  # kernels kept in the process: each takes from ten kilobytes to a megabyte
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


_unseen = {}  # folder -> bytes that this process wrote there since it last looked at all files
_loaded = OrderedDict()  # (parts, options) -> what was loaded, that used last at the end


def get(parts, make, load, *options):
    """`load(description, data, *options)` of what is compiled from `parts`.

    Where this process has loaded it before, it is returned again; else machine code comes from the
    disk; else from `make()`, and is kept there. Options do not change the code.
    """
    known = parts, options
    try:
        value = _loaded[known]
        _loaded.move_to_end(known)
        return value
    except KeyError:  # not here, or not any more: another thread may have dropped it meanwhile
        pass
    value = load(*code(parts, make), *options)
    _loaded[known] = value
    while len(_loaded) > MOST_LOADED:
        with suppress(KeyError):
            _loaded.popitem(last=False)
    return value


def forget():
    """Drop what this process has loaded: the next to ask looks on the disk."""
    _loaded.clear()


def code(parts, make):
    """(description, machine code) from the disk, or from `make()` and kept there."""
    name = key(*parts)
    found = load(name)
    if found is None:
        keeps = name is not None and directory() is not None
        note = "; kept for next time" if keeps else ""
        with compiling("generating code for", note), _only_maker(name) as is_first:
            found = None if is_first else load(name)  # the process that was first has made it
            if found is None:
                found = make()
                store(name, *found)
    return found


@contextmanager
def _only_maker(name):
    """Be the only process of this machine that makes this code; False after waiting for another.

    Workers of a cluster that start at once all need the same code. A process that ends, however it
    does, holds nothing any more; one that seems to sleep is not waited for longer than LONGEST.
    """
    path = _lock_path(name)
    if path is None:
        yield True
        return
    handle, waited = None, 0.0
    try:
        with compiling("waiting for another process that compiles"):
            while waited < LONGEST:
                handle = handle or os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
                if _locked(handle):
                    break
                time.sleep(LOOK)
                waited += LOOK
    except OSError:  # a file system without locks, or a full one
        pass
    try:
        yield waited == 0.0
    finally:
        if handle is not None:
            with suppress(OSError):
                os.unlink(
                    path
                )  # the code is kept by now: whoever still waits for this file finds it
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_UN)  # also of a copy that a forked child has
            os.close(handle)


def _lock_path(name):
    folder = _trusted_folder(create=True) if fcntl is not None and name is not None else None
    return None if folder is None else folder / f"{name}{LOCK}"


def _locked(handle):
    """Whether the file is this process's own now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def key(*parts):
    """The name under which code made from these parts is kept; None for code not to be kept."""
    digest = sources() if directory() is not None else None
    if digest is None:
        return None
    return hashlib.sha256("\0".join((digest, *map(str, parts))).encode()).hexdigest()


def sources():
    """The digest of the sources that make code; None where they cannot be read."""
    return code_digest(_digest_of_files)


def _digest_of_files(states, make):
    """The digest of files in these states, kept beside the code: reading them all takes longer than
    a kernel does to load."""
    name = hashlib.sha256(repr(states).encode()).hexdigest()
    found = load(name, SOURCES)
    if found is None:
        found = {"digest": make()}, b""
        store(name, *found, SOURCES)
    return found[0]["digest"]


def _private(status, kind):
    """Whether this user owns it and nobody else may write it."""
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


def load(name, kind=CODE):
    """(description, object bytes) stored under a key, or None."""
    folder = _trusted_folder()
    if folder is None or name is None:
        return None
    path = folder / f"{name}{kind}"
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


def store(name, description, code, kind=CODE):
    """Keep compiled code; failing to is not an error."""
    folder = _trusted_folder(create=True) if name is not None else None
    if folder is None:
        return
    data = _pack(name, description, code)
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")  # mode 0600
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, folder / f"{name}{kind}")
        _unseen[folder] = _unseen.get(folder, MOST_BYTES) + len(data)
        if _unseen[folder] > MOST_BYTES // LOOKS:
            _unseen[folder] = 0
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
        if path.endswith((".tmp", LOCK)) and time.time() - status.st_mtime > ABANDONED:
            os.unlink(path)
    files = [(status, path) for status, path in entries if path.endswith((CODE, SOURCES))]
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
