"""A store of Zarr that remembers which blocks are done.

    zarr.json              what the study is: written last, so that a store is whole or not there
    <result>/c/...         a chunk per block
    blocks/c/...           a byte per block, written once all its chunks are on the disk
    errors/<number>.json   of blocks whose function raised

Metadata are made by zarr; chunks are plain arrays, uncompressed, as numbers of simulations hardly
compress. So the bytes of a store depend on the study alone.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from ..checks import shown
from ..errors import ArgumentError, MissingPackageError
from .estimating import variables_stored
from .files import LEASE, Files, StoreError
from .layout import Layout
from .results import KINDS, Result
from .space import Space, check_name

ROOT, KEY, FORMAT = "zarr.json", "paraxis", 1
DONE = b"\x01"
MARKS, ERRORS = "blocks", "errors"
MOST_BLOCKS = 10**8
LONGEST = 2**63  # of an axis


class Store:
    """The store of one study, of which blocks are read and written."""

    def __init__(self, files: Files, root: bytes):
        self.files, self.root = files, root
        study = checked_study(root)
        self.layout = Layout(tuple(study["shape"]), tuple(study["chunk"]))
        self.identity: dict[str, Any] = study["identity"]
        self.results = {
            name: Result(tuple(each["shape"]), each["dtype"])
            for name, each in study["results"].items()
        }
        self.study: dict[str, Any] = study

    # -- blocks ----------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise unless the store is still there, and still of this study."""
        if self.files.read(ROOT) != self.root:
            raise StoreError(
                f"{shown(self.files, 300)}: the store is gone, or belongs to another study now; "
                "results that were not committed are lost"
            )

    def is_done(self, number: int) -> bool:
        """Whether a block is committed."""
        return self.files.read(self._mark(number)) == DONE and self._is_whole(number)

    def commit(self, number: int, arrays: dict[str, np.ndarray]) -> None:
        """Write all chunks of a block, then the mark that it is done."""
        region = self.layout.region(number)
        own = tuple(s.stop - s.start for s in region)
        for name, array in arrays.items():
            kind = self.results[name]
            array = np.ascontiguousarray(array, kind.dtype).reshape(*own, *kind.shape)
            if own != self.layout.chunk:  # a chunk is always whole
                whole = np.full((*self.layout.chunk, *kind.shape), fill_of(kind.dtype), kind.dtype)
                whole[tuple(map(slice, own))] = array
                array = whole
            self.files.write(self._chunk(name, number), memoryview(array).cast("B"))  # type: ignore[arg-type]
        self.check()
        self.files.write(self._mark(number), DONE, lasting=False)  # if lost, it is done again
        self.files.remove(self._error(number))

    def failed(self, number: int, error: dict[str, str]) -> None:
        """Record the error of a block."""
        self.check()
        self.files.write(self._error(number), json.dumps(error).encode())

    def done(self) -> set[int]:
        """The numbers of blocks that are committed."""
        places = (name.split("/") for name in self.files.below(MARKS) if name.startswith("c/"))
        try:
            numbers = [self.layout.number(tuple(map(int, place[1:]))) for place in places]
        except ValueError:
            raise self._strange(MARKS) from None
        return {number for number in numbers if self._is_whole(number)}

    def _strange(self, folder):
        return StoreError(
            f"{shown(self.files, 300)}: {folder}/ has files that are not of px.sweep; remove them"
        )

    def _is_whole(self, number):
        """Whether what a mark tells of is there: a machine that stops may keep the mark alone."""
        return self.files.has(self._mark(number), len(DONE)) and all(
            self.files.has(self._chunk(name, number), self.layout.states * kind.bytes)
            for name, kind in self.results.items()
        )

    def errors(self) -> dict[int, dict[str, str]]:
        """The errors of blocks by number."""
        found = {}
        for name in self.files.below(ERRORS):
            content = self.files.read(f"{ERRORS}/{name}")
            if content is not None:
                try:
                    number = int(name.removesuffix(".json"))
                    self.layout.place(number)
                    found[number] = _error_in(content)
                except (ValueError, RecursionError):
                    raise self._strange(ERRORS) from None
        return dict(sorted(found.items()))

    def error(self, number: int) -> dict[str, str] | None:
        """The error of one block, if it has one."""
        content = self.files.read(self._error(number))
        try:
            return None if content is None else _error_in(content)
        except (ValueError, RecursionError):
            raise self._strange(ERRORS) from None

    def forget_error(self, number: int) -> None:
        """So that the block is computed again."""
        self.files.remove(self._error(number))

    def block(self, name: str, number: int) -> np.ndarray:
        """The values of one result in a block, with its states as first axis."""
        kind, region = self.results[name], self.layout.region(number)
        data = self.files.read(self._chunk(name, number))
        whole = (*self.layout.chunk, *kind.shape)
        if data is None:
            raise StoreError(f"{shown(self.files, 300)}: block {number} of {name} is not there")
        array = np.frombuffer(data, kind.dtype).reshape(whole)
        own = tuple(slice(s.stop - s.start) for s in region)
        return array[own].reshape(-1, *kind.shape)

    def _chunk(self, name, number):
        ends = "/0" * len(self.results[name].shape)
        return f"{name}/{self.layout.key(number)}{ends}"

    def _mark(self, number):
        return f"{MARKS}/{self.layout.key(number)}"

    def _error(self, number):
        return f"{ERRORS}/{number}.json"


def _error_in(content):
    error = json.loads(content)
    if not isinstance(error, dict) or not isinstance(error.get("error"), str):
        raise ValueError
    return error


def fill_of(dtype: str) -> Any:
    """What is read where nothing is written yet."""
    kind = np.dtype(dtype).kind
    return {"f": np.nan, "b": False}.get(kind, 0)


def found_at(files: Files) -> Store | None:
    """The store that is there; None if there is nothing; an error if there is something else."""
    root = files.read(ROOT)
    if root is None:
        if not files.is_empty() and not _begun(files):
            raise StoreError(
                f"{shown(files, 300)}: there are files, but no study; expected an empty folder "
                "or the store of a study"
            )
        return None
    try:
        return Store(files, root)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArgumentError):
        raise StoreError(
            f"{shown(files, 300)}: this is no study of px.sweep of this version of Paraxis"
        ) from None


def checked_study(root: bytes) -> dict[str, Any]:
    """What a store says of its study; an error unless all of it can be what px.sweep has written.

    Stores come from elsewhere, as files do: names become paths, and lengths become loops.
    """
    study = json.loads(root)["attributes"][KEY]
    shape, chunk, results = study["shape"], study["chunk"], study["results"]
    lengths = [*shape, *chunk, *(n for each in results.values() for n in each["shape"])]
    words = [study["function"], *study["axes"], *study["variables"], *study["units"].values()]
    kinds = [np.dtype(each["dtype"]) for each in results.values()]
    if not (
        study["format"] == FORMAT
        and all(isinstance(study["identity"][name], dict) for name in ("robots", "versions"))
        and all(type(n) is int and 0 < n < LONGEST for n in lengths)
        and all(isinstance(word, str) for word in words)
        and len(shape) == len(chunk) == len(study["axes"])
        and all(kind.kind in KINDS and kind.itemsize <= 8 for kind in kinds)
        and Layout(tuple(shape), tuple(chunk)).count <= MOST_BLOCKS
    ):
        raise ValueError
    for name in [*results, *study["axes"], *study["variables"], *study["units"]]:
        check_name(name)
    return study


def _begun(files):
    """Whether the files are those of a store whose making was interrupted."""
    return files.read(f"{MARKS}/zarr.json") is not None or {*files.below("")} <= {LEASE}


def create(
    files: Files,
    space: Space,
    layout: Layout,
    results: dict[str, Result],
    identity: dict[str, Any],
    about: dict[str, Any],
    units: dict[str, str],
) -> Store:
    """A new store without any block; `about` is more to be kept of the study."""
    zarr = _zarr()
    kept = variables_stored(space) | results
    _check_axes(space, kept)
    memory = zarr.storage.MemoryStore()
    dims = [*space.axes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # words and consolidated metadata are young in Zarr 3
        study = {"format": FORMAT, "identity": identity, "chunk": layout.chunk} | about
        study |= {"shape": layout.shape, "results": {k: _kind(each) for k, each in kept.items()}}
        root = zarr.create_group(memory, attributes={KEY: study})
        marks = [f"{name}_block" for name in dims]
        _array(root, MARKS, layout.grid, (1,) * len(dims), "|u1", marks, {"meaning": "1: done"})
        for name, (axis, values) in space.coordinates.items():
            own = [axis, *(f"{name}_{k}" for k in range(values.ndim - 1))]
            if values.dtype.kind == "U":
                array = root.create_array(name, shape=values.shape, dtype=str, dimension_names=own)
                array[:] = values
                continue
            dtype = values.dtype.newbyteorder("<").str
            array = _array(root, name, values.shape, values.shape, dtype, own, _unit(units, name))
            array[...] = values
        for name, kind in kept.items():
            own = [*dims, *(f"{name}_{k}" for k in range(len(kind.shape)))]
            shape, chunk = (*layout.shape, *kind.shape), (*layout.chunk, *kind.shape)
            _array(root, name, shape, chunk, kind.dtype, own, _unit(units, name))
        zarr.consolidate_metadata(memory)
    for name in [*files.below("")]:  # of a store whose making was interrupted
        if name != LEASE:
            files.remove(name)
    content = {name: data.to_bytes() for name, data in memory._store_dict.items()}
    last = content.pop(ROOT)
    for name in sorted(content, key=lambda name: not name.startswith(MARKS)):
        files.write(name, content[name])
    files.write(ROOT, last)
    return Store(files, last)


def _check_axes(space, kept):
    """Raise if two axes of arrays have one name and two lengths: readers could not tell them."""
    lengths = dict(space.axes)
    shapes = {name: values.shape[1:] for name, (_, values) in space.coordinates.items()}
    for name, shape in (shapes | {name: kind.shape for name, kind in kept.items()}).items():
        for k, length in enumerate(shape):
            if lengths.setdefault(f"{name}_{k}", length) != length:
                raise ArgumentError(
                    f"{name}: its axis would be called {name}_{k}, as another one is; give it "
                    "another name"
                )


def _array(root, name, shape, chunk, dtype, dims, attributes):
    return root.create_array(
        name,
        shape=shape,
        chunks=tuple(max(1, c) for c in chunk),
        dtype=np.dtype(dtype),
        compressors=None,
        filters=None,
        fill_value=fill_of(dtype),
        dimension_names=dims,
        attributes=attributes,
    )


def _kind(result):
    return {"shape": list(result.shape), "dtype": result.dtype}


def _unit(units, name):
    return {"units": units[name]} if name in units else {}


def _zarr():
    try:
        import zarr
        import zarr.storage
    except ImportError:
        raise MissingPackageError(
            "a study is kept in a Zarr store: pip install 'paraxis[cluster]'"
        ) from None
    return zarr
