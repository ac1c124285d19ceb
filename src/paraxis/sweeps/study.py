"""`px.sweep`: a function over a space of variables, computed into a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from numpy.typing import ArrayLike

from ..checks import integer, one_of, quoted, shown
from ..errors import ArgumentError, Interrupted, MissingPackageError, warn
from ..parallel.written import written
from .amounts import Estimate
from .block import FAILED, Outcome, Work, recipe_of_work, recorded
from .engine import WorkerLost, begun, here, on_cluster
from .estimating import chosen_layout, estimated, measured
from .files import Files, StoreError, files_at
from .identity import difference, identity_of
from .layout import layout_for
from .progress import Live, Status, SweepWarning, status_of
from .space import Space, as_space
from .store import MOST_BLOCKS, Store, create, found_at

LONGEST = 1e8  # seconds that timers of all systems can count


class Sweep:
    """A study and its store, as returned by `px.sweep`.

    **Example:**

    >>> def energy(speed, mass):
    ...     return {"energy": 0.5 * mass * speed**2}
    ...
    >>> study = px.sweep(energy, {"speed": [1.0, 2.0], "mass": [1.0, 3.0]}, "energy.zarr")
    >>> study.open().energy.sel(speed=2.0).values  # J, for each mass
    array([2., 6.])
    >>> page = study.to_html("energy.html")
    """

    def __init__(self, store: Store):
        self._store = store

    @property
    def store(self) -> str:
        """The path or URL of the store."""
        return str(self._store.files)

    @property
    def status(self) -> Status:
        """The progress of the study."""
        return status_of(self._store)

    def open(self) -> Any:
        """The results as an `xarray.Dataset`, which reads values on access."""
        try:
            import xarray
        except ImportError:
            raise MissingPackageError(
                "results are opened by xarray: pip install 'paraxis[cluster]'"
            ) from None
        options = getattr(self._store.files, "options", None) or None
        opened = xarray.open_zarr(self.store, storage_options=options, chunks=None)
        return opened.drop_vars("blocks")

    def to_html(self, path: str | os.PathLike | None = None) -> str:
        """Return the results as an interactive HTML page; also written to `path` if given."""
        from .page import page

        return written(page(self), path)

    def __repr__(self) -> str:
        return f"<Sweep {self.status}>"


def sweep(
    function: Callable,
    space: Space | Mapping[str, ArrayLike],
    store: str | os.PathLike,
    *,
    block: int | None = None,
    workers: int | None = None,
    scheduler: Any = None,
    retry_failed: bool = False,
    limit: float | None = None,
    units: Mapping[str, str] | None = None,
    started: Callable[[Estimate], None] | None = None,
) -> Sweep:
    """Compute a function over a space of variables, block by block, into a Zarr store.

    Blocks are committed atomically: after an interruption, the same call resumes where the run
    ended, and the store has the same bytes as after an undisturbed run. If the function raises an
    error in a block, the error is recorded, and the other blocks are computed.

    **Arguments:**

    - `function`: called with the variables by name, arrays with the states of a block as first
      axis; returns an array with that first axis, or a dict, named tuple or dataclass of such
      arrays. If it has an argument `index`, it also gets the indices of the states, on which
      random numbers may depend (`px.math.random_uniform(seed, index)`).
    - `space`: made by `px.sweeps.product`, `px.sweeps.points` or `px.sweeps.sampled`; a dict is a
      product.
    - `store`: a path, or a URL that fsspec supports, such as `s3://bucket/study.zarr`.
    - `block`: the largest number of states per block; by default a block takes about two seconds,
      and at most 64 MB. It cannot be changed once a store exists.
    - `workers`: the number of Dask worker processes on this machine; by default this process
      computes.
    - `scheduler`: the address of a Dask scheduler, a `distributed.Client`, or a cluster, such as
      one of dask-jobqueue or dask-cuda. Its workers must reach the store.
    - `retry_failed`: also compute the blocks that failed before.
    - `limit`: the longest time that a block may take, s; one that takes longer fails.
    - `units`: of variables and results, by name; kept in the store.
    - `started`: called with an `Estimate` before the first block.

    **Returns:** a `px.sweeps.Sweep`, also when blocks failed, with a warning.

    **Raises:** `px.sweeps.StoreError` if another client uses the store, if it belongs to another
    study, robot or version of the code, or if it cannot be written; `px.ArgumentError` if
    arguments are not valid; the error of the function, if it fails for every state that is tried
    first. Ctrl-C raises `px.Interrupted`, a KeyboardInterrupt.

    **Example:**

    >>> import tempfile
    >>> def torque(angle, mass):
    ...     return px.gravity_torques(px.robots.planar(1), angle[:, None], mass=mass[:, None])
    ...
    >>> space = {"angle": np.linspace(0.0, np.pi / 2, 3), "mass": [1.0, 2.0]}
    >>> study = px.sweep(torque, space, tempfile.mkdtemp() + "/study.zarr")
    >>> study.status.complete
    True
    >>> study.open().result.values[..., 0]  # angles by masses, N m
    array([[4.905, 9.81 ],
           [3.468, 6.937],
           [0.   , 0.   ]])
    """
    space, files = as_space(space), files_at(store)
    if not callable(function):
        raise ArgumentError(f"function: expected a function, found {quoted(function)}")
    if block is not None:
        block = integer("block", block)
    if limit is not None and not (
        isinstance(limit, int | float) and not isinstance(limit, bool) and 0 < limit <= LONGEST
    ):
        raise ArgumentError(f"limit: expected seconds > 0, at most {LONGEST:g}, found {limit!r}")
    _check_units(units)
    if workers is not None and scheduler is not None:
        raise ArgumentError("workers and scheduler cannot be combined; give one of them")
    with files.alone(), _where(workers, scheduler, files) as client:
        found = _opened(function, space, files, block, dict(units or {}), started, limit)
        files.settle()
        done, errors = found.done(), found.errors()
        if retry_failed:
            for number in errors:
                found.forget_error(number)
            errors = {}
        pending = [k for k in range(found.layout.count) if k not in done and k not in errors]
        live = Live(found.layout, len(done), len(errors))
        given = function, space, files, found.root, limit
        try:
            for outcome in _outcomes(client, given, pending, found):
                live.after(outcome)
        except KeyboardInterrupt:
            raise Interrupted(f"sweep: interrupted; {_resumes(found)}", Sweep(found)) from None
        finally:
            live.close()
        finished = Sweep(found)
        _warn_of_failures(finished.status)
        return finished


def _opened(function, space, files, block, units, started, limit):
    """The store of this study, resumed or created."""
    identity, found = identity_of(function, space), found_at(files)
    if found is not None:
        wrong = difference(found.identity, identity)
        if wrong is None and found.layout.shape != space.shape:
            wrong = "its space has another shape"
        if wrong is not None:
            raise StoreError(
                f"{shown(files, 300)}: this store belongs to another study: {wrong}. Resume "
                "with what it was started with, or use another store"
            )
        if block is not None and layout_for(space, block) != found.layout:
            raise StoreError(
                f"{shown(files, 300)}: its blocks have {found.layout.states:,} states, and cannot "
                f"have {block:,} now; leave block out"
            )
        if units and units != found.study["units"]:
            raise StoreError(
                f"{shown(files, 300)}: its units are {found.study['units']}, and cannot be {units} "
                "now; leave units out"
            )
        return found
    trial = measured(function, space, block is None or started is not None, block, limit)
    layout = chosen_layout(space, trial, block)
    if layout.count > MOST_BLOCKS:
        raise ArgumentError(
            f"space: {space.count:,} states are {layout.count:,} blocks, expected at most "
            f"{MOST_BLOCKS:,}; make blocks larger or the space smaller"
        )
    for name in units:
        one_of(name, [*space.names, *trial.results], "units")
    if started is not None:
        started(estimated(space, trial, layout))
    about = {
        "function": _name_of(function),
        "axes": [*space.axes],
        "variables": [*space.names],
        "space": type(space).__name__.lower(),
        "seed": getattr(space, "seed", None),
        "method": getattr(space, "method", None),
        "units": units,
    }
    return create(files, space, layout, trial.results, identity, about, units)


def _check_units(units):
    if units is None:
        return
    if not isinstance(units, Mapping):
        raise ArgumentError(f"units: expected a dict of words by name, found {quoted(units)}")
    for name, unit in units.items():
        if not isinstance(unit, str):
            raise ArgumentError(f"units: expected a word for {name}, found {quoted(unit)}")


def _name_of(function):
    """As people call it."""
    name = getattr(function, "name", None) or getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


@contextmanager
def _where(workers: int | None, scheduler: Any, files: Files) -> Iterator[Callable | None]:
    """What returns the client of a cluster, which begins already; None where it is not needed."""
    known = found_at(files)
    complete = known is not None and len(known.done()) == known.layout.count
    if complete or (workers is None and scheduler is None):
        yield None
    else:
        with begun(workers, scheduler) as client:
            yield client


def _outcomes(client, given, pending, store):
    """The outcomes of the pending blocks, wherever they are done."""
    if client is None or not pending:
        return here(Work(*given, expendable=False), pending)
    recipe = recipe_of_work("sweep", *given, True)
    return _recorded(on_cluster(client(), recipe, pending), store)


def _recorded(outcomes, store):
    """Outcomes, those of workers that died among them."""
    for number, outcome in outcomes:
        if isinstance(outcome, WorkerLost):
            known = store.error(number)
            if known is None:
                known = recorded(outcome)
                store.failed(number, known)
            outcome = Outcome(number, FAILED, 0.0, error=known["error"])
        yield outcome


def _resumes(store):
    count = status_of(store)
    return f"{count.done:,} of {count.blocks:,} blocks are committed; the same call resumes"


def _warn_of_failures(status):
    if not status.errors:
        return
    number, first = next(iter(status.errors.items()))
    warn(
        f"sweep: {status.failed:,} of {status.blocks:,} blocks failed, block {number} with "
        f"{shown(first, 300)}; px.sweep(..., retry_failed=True) computes them again",
        SweepWarning,
    )
