"""Files of a store, in a folder or behind a URL: each is there whole, or not at all.

In a folder a file is written beside its place, brought to the disk, and renamed; an object of an
object store becomes visible when all of it has arrived.
"""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

from ..checks import shown
from ..errors import ArgumentError, MissingPackageError, ParaxisError

LOCAL = ("file", "local")  # URLs that are folders
PARTIAL = ".partial"  # the end of the names of files that are being written
LEASE, BEAT, OVER = "lease.json", 15.0, 60.0  # seconds between signs of life, and after the last


class StoreError(ParaxisError, RuntimeError):
    """A store that cannot be used: of another study, in use, full, or gone."""


class Folder:
    """Files below a folder."""

    def __init__(self, path: str):
        self.path = os.path.abspath(path)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            return Path(self.path, name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._lost(error) from None

    def write(self, name: str, data: bytes, lasting: bool = True) -> None:
        """Write a file, whole or not at all; if `lasting`, that holds also if the machine stops.

        Then the file may be gone, name and all, but if it is there it is whole.
        """
        path = os.path.join(self.path, name)
        beside = f"{path}.{uuid.uuid4().hex}{PARTIAL}"
        try:
            try:
                handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            with os.fdopen(handle, "wb", buffering=0) as file:
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
                if lasting:
                    os.fsync(file.fileno())
            os.replace(beside, path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(beside)
            raise self._lost(error) from None

    def has(self, name: str, size: int) -> bool:
        """Whether a file is there and of this size."""
        try:
            return os.stat(os.path.join(self.path, name)).st_size == size
        except OSError:
            return False

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(self.path, name))

    def below(self, folder: str) -> Iterator[str]:
        """The names of files below a folder, from there."""
        top = os.path.join(self.path, folder)
        for parent, _, names in os.walk(top):
            inside = os.path.relpath(parent, top)
            for name in names:
                if not name.endswith(PARTIAL):
                    yield name if inside == "." else f"{inside}/{name}".replace(os.sep, "/")

    def is_empty(self) -> bool:
        """Whether nothing is there."""
        return not os.path.lexists(self.path) or (
            os.path.isdir(self.path) and not os.listdir(self.path)
        )

    def settle(self) -> None:
        """Bring the names of files to the disk, and remove what was left half written."""
        for parent, _, names in os.walk(self.path):
            for name in names:
                if name.endswith(PARTIAL):
                    with suppress(OSError):
                        os.unlink(os.path.join(parent, name))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only client of this store; the system ends that with the process."""
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        parent, last = os.path.split(os.path.realpath(self.path))  # whatever name it is given
        path = os.path.join(parent, f".{last}.lock")
        try:
            os.makedirs(parent, exist_ok=True)
            while True:
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with suppress(FileNotFoundError):
                    if os.stat(path).st_ino == os.fstat(handle).st_ino:
                        break
                os.close(handle)  # that of another one, which has removed it
        except BlockingIOError:
            os.close(handle)
            raise _in_use(self.path) from None
        except OSError as error:
            raise self._lost(error) from None
        try:
            yield
        finally:
            with suppress(OSError):
                os.unlink(path)
            os.close(handle)

    def _lost(self, error):
        reason = error.strerror or str(error)
        more = ""
        if error.errno in (28, 122):  # no space, over quota
            more = "; free some space, and start the same command again: it goes on"
        return StoreError(f"{shown(self.path, 300)}: {reason}{more}")

    def __str__(self) -> str:
        return self.path


class Remote:
    """Files below a URL of fsspec, such as s3://bucket/study.zarr."""

    def __init__(self, url: str, options: dict | None = None):
        try:
            import fsspec
        except ImportError:
            raise MissingPackageError(
                "a store behind a URL needs fsspec: pip install 'paraxis[cluster]'"
            ) from None
        self.url, self.options = url.rstrip("/"), options or {}
        try:
            self._files, self._top = fsspec.core.url_to_fs(self.url, **self.options)
        except ImportError as error:
            raise MissingPackageError(f"{shown(url, 300)}: {error}") from None
        except ValueError as error:
            raise ArgumentError(f"{shown(url, 300)}: {error}") from None

    def read(self, name: str) -> bytes | None:
        try:
            return self._files.cat_file(f"{self._top}/{name}")
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._lost(error) from None

    def write(self, name: str, data: bytes, lasting: bool = True) -> None:
        try:
            self._files.pipe_file(f"{self._top}/{name}", bytes(data))
        except Exception as error:
            raise self._lost(error) from None

    def has(self, name: str, size: int) -> bool:
        """An object store keeps what it has taken."""
        return True

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._files.rm_file(f"{self._top}/{name}")

    def below(self, folder: str) -> Iterator[str]:
        top = f"{self._top}/{folder}" if folder else self._top
        self._files.invalidate_cache()
        with suppress(FileNotFoundError):
            for path in self._files.find(top):
                yield path[len(top) + 1 :] if path.startswith(top) else path.split(top, 1)[-1][1:]

    def is_empty(self) -> bool:
        try:
            return next(iter(self.below("")), None) is None
        except Exception as error:
            raise self._lost(error) from None

    def settle(self) -> None:
        """Nothing is ever half written."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only client, by a lease that is renewed; that of a dead one ends in a minute."""
        name = uuid.uuid4().hex
        found = self.read(LEASE)
        if found is not None:
            with suppress(ValueError, KeyError, TypeError):
                if time.time() - json.loads(found)["time"] < OVER:
                    raise _in_use(self.url)
        over = threading.Event()

        def renew():
            while True:
                with suppress(StoreError):
                    self.write(LEASE, json.dumps({"client": name, "time": time.time()}).encode())
                if over.wait(BEAT):
                    return

        self.write(LEASE, json.dumps({"client": name, "time": time.time()}).encode())
        thread = threading.Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            with suppress(Exception):
                self.remove(LEASE)

    def _lost(self, error):
        return StoreError(f"{shown(self.url, 300)}: {type(error).__name__}: {error}")

    def __str__(self) -> str:
        return self.url

    def __reduce__(self):
        return Remote, (self.url, self.options)


Files = Folder | Remote


def files_at(store: str | os.PathLike) -> Files:
    """The files of a store, by its path or URL."""
    if not isinstance(store, str | os.PathLike) or not os.fspath(store):
        raise ArgumentError(f"store: expected a path or a URL, found {store!r}")
    where = os.fspath(store)
    if not isinstance(where, str) or "\0" in where:
        raise ArgumentError(f"store: expected a path or a URL, found {store!r}")
    scheme, _, rest = where.partition("://")
    if scheme in LOCAL:
        return Folder(unquote(rest))
    return Remote(where) if "://" in where else Folder(where)


def _in_use(where):
    return StoreError(
        f"{shown(where, 300)}: another client is at work on this store; wait for it, or end it "
        "(a client that died on another machine is given up after a minute)"
    )
