"""The states and results of a sampled study as Parquet files, for learning."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import shown
from ..errors import ArgumentError, MissingPackageError
from .files import PARTIAL, StoreError, files_at
from .store import Store, found_at

STUDY = "_study.json"  # readers of Parquet pass over names that begin so
TEST_OF = 10  # one state in so many is for testing


def is_test(index: np.ndarray) -> np.ndarray:
    """Which states are for testing: every tenth, by index, whatever block they are in."""
    return index % TEST_OF == TEST_OF - 1


def to_parquet(store: str | os.PathLike, folder: str | os.PathLike) -> list[str]:
    """Write a study of states as Parquet, a file per block, those for testing apart.

    **Arguments:**

    - `store`: of a study over `px.sweeps.sampled` or `px.sweeps.points` whose blocks are all done.
    - `folder`: where to write `train/` and `test/`. Every tenth state, by its index, is for
      testing. Files of this study that are there already are kept, so that a second call goes on.

    **Returns:** the paths of the files. Columns have the names of variables and results, with the
    number of the entry where they are arrays, and `index`.

    **Raises:** `px.sweeps.StoreError` if there is no such study or it is not complete, or if the
    folder has something else.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> space = px.sweeps.sampled(100, speed=(0.0, 1.0), mass=(1.0, 2.0))
    >>> study = px.sweep(energy, space, "samples.zarr")
    >>> files = px.sweeps.to_parquet("samples.zarr", "columns")
    """
    found = found_at(files_at(store))
    if found is None:
        raise StoreError(f"{shown(store, 300)}: there is no study")
    if len(found.layout.shape) != 1:
        raise ArgumentError(
            f"{shown(store, 300)}: expected a study of sampled states, found one over the axes "
            f"{found.study['axes']}"
        )
    left = found.layout.count - len(found.done())
    if left:
        raise StoreError(f"{shown(store, 300)}: {left:,} blocks are not done; finish it first")
    _begin(found, Path(folder))
    paths = []
    for number in range(found.layout.count):
        paths += _block(found, number, Path(folder))
    return paths


def check_parquet(folder: str | os.PathLike) -> None:
    """Raise if nothing can be written there, before hours are spent."""
    _pyarrow()
    files = files_at(folder)
    if files.read(STUDY) is None and not files.is_empty():
        raise _other_files(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("it cannot be written to")
    except OSError as error:
        raise StoreError(f"{shown(folder, 300)}: {error.strerror or error}") from None


def _other_files(folder):
    return StoreError(
        f"{shown(folder, 300)}: there are other files; expected an empty folder, or that of "
        "this study"
    )


def _begin(store: Store, folder: Path) -> None:
    """Say whose files the folder has; an error if they are others'."""
    files = files_at(folder)
    own = json.dumps({"study": hashlib.sha256(store.root).hexdigest()}).encode()
    if files.read(STUDY) == own:
        return
    if not files.is_empty():
        raise _other_files(folder)
    files.write(STUDY, own)


def _block(store: Store, number: int, folder: Path) -> list[str]:
    region = store.layout.region(number)[0]
    index = np.arange(region.start, region.stop)
    rows = {"train": ~is_test(index), "test": is_test(index)}
    paths = {
        name: folder / name / f"{number:08d}.parquet" for name, own in rows.items() if own.any()
    }
    if not all(path.exists() for path in paths.values()):
        columns = {"index": index} | _columns(store, number)
        for name, path in paths.items():
            _write(path, {key: value[rows[name]] for key, value in columns.items()})
    return [str(path) for path in paths.values()]


def _columns(store, number):
    columns: dict[str, Any] = {}
    for name in store.results:
        array = store.block(name, number)
        flat = array.reshape(len(array), -1)
        for k in range(flat.shape[1]):
            column = name if array.ndim == 1 else f"{name}_{k}"
            if column in columns:
                raise ArgumentError(f"{column}: two columns would have this name; rename a result")
            columns[column] = flat[:, k]
    return columns


def _write(path: Path, columns: dict[str, Any]) -> None:
    pa, parquet = _pyarrow()
    beside = path.with_name(f"{path.name}.{uuid.uuid4().hex}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(beside, "wb") as file:
            parquet.write_table(pa.table(columns), file)
            file.flush()
            os.fsync(file.fileno())  # a file of this name is never written again
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"{path}: {error.strerror or error}") from None


def _pyarrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPackageError(
            "Parquet files need pyarrow: pip install 'paraxis[cluster]'"
        ) from None
    return pyarrow, pyarrow.parquet
