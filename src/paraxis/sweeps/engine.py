"""Where blocks are done: in this process, or by the workers of a Dask cluster.

A cluster is given a few blocks per thread at a time, however many there are: a scheduler holds
what it does not know of for free.
"""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from ..checks import integer
from ..errors import ArgumentError, MissingPackageError
from ..targets.blocks import Recipe
from .files import StoreError

IN_FLIGHT = 3  # blocks per thread: one is computed, the next is there
SMALL = 100_000  # bytes that may travel with every task
AGAIN = 1.0  # seconds
PATIENCE = "30s"  # for a scheduler to answer
BEFORE_START = "distributed.nanny.pre-spawn-environ"  # of Dask's settings: variables of workers
MEMORY = {  # results below 32 MB take the memory of earlier ones, of which a thread keeps 64 MB
    "MALLOC_MMAP_THRESHOLD_": 2**25,
    "MALLOC_TOP_PAD_": 2**26,
}


class WorkerLost(Exception):
    """A block whose workers died, several times."""


def here(work: Callable, numbers: Iterable[int]) -> Iterator[Any]:
    """The outcomes of `work(number)`, one after another."""
    for number in numbers:
        yield work(number)


def on_cluster(client: Any, recipe: Recipe, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
    """(number, outcome or WorkerLost) of blocks in the order in which they are done.

    With a worker that dies, a scheduler blames all blocks that are there. So those that lose theirs
    too often are done again at the end, one at a time: then it is their own fault.
    """
    lost = []
    for number, outcome in _in_flight(client, recipe, numbers, IN_FLIGHT):
        if isinstance(outcome, WorkerLost):
            lost.append(number)
        else:
            yield number, outcome
    for number in lost:
        yield from _in_flight(client, recipe, [number], 1)


def _in_flight(client, recipe, numbers, most):
    """The same with so many blocks per thread at a time."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed

    left, run = iter(numbers), uuid.uuid4().hex[:8]
    work: Any = recipe
    if len(recipe.packed) > SMALL:
        work = client.scatter(recipe, broadcast=True, hash=False)
    places: dict[str, int] = {}
    threads = _Threads(client)
    done = as_completed(loop=client.loop, with_results=True, raise_errors=False)  # in batches

    def submit():
        some = [*itertools.islice(left, max(1, most * threads.count() - len(places)))]
        for number in some:
            key = f"{recipe.label}-{run}-{number}"
            places[key] = number
            done.add(client.submit(_apply, work, number, key=key, pure=False))

    try:
        submit()
        while places:
            future, result = next(done)
            number = places.pop(future.key)
            if future.status == "cancelled":
                raise _lost(CancelledError())
            if future.status == "error":
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    raise error
                result = WorkerLost(_words(error))
            del future
            yield number, result
            submit()
    except (TimeoutError, StopIteration, CancelledError, OSError) as error:
        raise _lost(error) from None
    finally:
        with suppress(Exception):
            client.cancel([*places], force=True)


def _apply(work, number):
    return work(number)


class _Threads:
    """How many threads a cluster has, which may grow: asked for again from time to time."""

    def __init__(self, client):
        self._client, self._known, self._asked = client, 0, 0.0

    def count(self):
        """At least one, which may be on its way."""
        if time.monotonic() - self._asked > AGAIN:
            try:
                self._known = max(1, sum(self._client.nthreads().values()))
            except Exception as error:
                raise _lost(error) from None
            self._asked = time.monotonic()
        return self._known


def _lost(error):
    return StoreError(
        f"the scheduler was lost ({type(error).__name__}); blocks that were committed are kept: "
        "the same command resumes"
    )


def _words(error):
    worker = getattr(error, "last_worker", None)
    where = f", the last on {worker.address}" if worker is not None else ""
    return (
        f"the worker process died {getattr(error, 'allowed_failures', 3) + 1} times in this block"
        f"{where}; it may need more memory than a worker has"
    )


@contextmanager
def client_of(workers: int | None, scheduler: Any) -> Iterator[Any]:
    """The client of a cluster of so many processes here, or of a scheduler elsewhere."""
    with begun(workers, scheduler) as client:
        yield client()


@contextmanager
def begun(workers: int | None, scheduler: Any) -> Iterator[Callable]:
    """What returns that client. Processes begin at once, and may do so while others work."""
    if workers is not None and scheduler is not None:
        raise ArgumentError("workers and scheduler cannot be combined; give one of them")
    require_dask()
    with ExitStack() as closing:
        if scheduler is None:
            starting = closing.enter_context(ThreadPoolExecutor(1))
            cluster = starting.submit(_local_cluster, integer("workers", workers))
            closing.callback(_close, cluster)

        def client():
            where = scheduler if scheduler is not None else _started(cluster)
            return _client(where, closing)

        yield client


def _client(where, closing):
    from distributed import Client

    if isinstance(where, Client):
        return where
    try:
        client = Client(where, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"scheduler {where!r}: {error}") from None
    return closing.enter_context(client)


def _local_cluster(count):
    import dask
    from distributed import LocalCluster

    before = dask.config.get(BEFORE_START, {})
    with dask.config.set({BEFORE_START: MEMORY | before}):
        return LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
            host="127.0.0.1",
        )


def _started(starting):
    try:
        return starting.result()
    except (RuntimeError, OSError) as error:
        raise ArgumentError(
            f"workers: processes cannot be started: {error} A script that starts processes is "
            'imported by them, so it must call px.sweep below `if __name__ == "__main__":`'
        ) from None


def _close(starting):
    """End the processes, once they have begun; whoever needed them knows if they have not."""
    with suppress(Exception):
        starting.result().close()


def require_dask() -> None:
    """Raise where Dask is missing."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingPackageError("a cluster needs Dask: pip install 'paraxis[cluster]'") from None
