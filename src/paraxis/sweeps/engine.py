"""Where blocks are done: in this process, or by the workers of a Dask cluster.

A cluster is given a few blocks per thread at a time, however many there are: a scheduler holds
what it does not know of for free.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from ..checks import integer
from ..errors import ArgumentError, MissingPackageError
from ..targets.blocks import Recipe
from .files import StoreError

IN_FLIGHT = 3  # blocks per thread: one is computed, the next is there
SMALL = 100_000  # bytes that may travel with every task
PATIENCE = "30s"  # for a scheduler to answer


class WorkerLost(Exception):
    """A block whose workers died, several times."""


def here(work: Callable, numbers: Iterable[int]) -> Iterator[Any]:
    """The outcomes of `work(number)`, one after another."""
    for number in numbers:
        yield work(number)


def on_cluster(client: Any, recipe: Recipe, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
    """(number, outcome or WorkerLost) of blocks in the order in which they are done."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed

    left, run = iter(numbers), uuid.uuid4().hex[:8]
    work: Any = recipe
    if len(recipe.packed) > SMALL:
        work = client.scatter(recipe, broadcast=True, hash=False)
    places: dict[str, int] = {}
    done = as_completed(loop=client.loop)

    def submit(count):
        some = [*itertools.islice(left, count)]
        keys = [f"{recipe.label}-{run}-{number}" for number in some]
        places.update(zip(keys, some, strict=True))
        for number, key in zip(some, keys, strict=True):
            done.add(client.submit(_apply, work, number, key=key, pure=False))

    try:
        submit(IN_FLIGHT * _threads(client))
        while places:
            future = next(done)
            number = places.pop(future.key)
            try:
                yield number, future.result()
            except KilledWorker as error:
                yield number, WorkerLost(_words(error))
            except (CancelledError, OSError) as error:
                raise _lost(error) from None
            wanted = max(1, IN_FLIGHT * _threads(client) - len(places))
            del future
            submit(wanted)
    except (TimeoutError, StopIteration) as error:
        raise _lost(error) from None
    finally:
        with suppress(Exception):
            client.cancel([*places], force=True)


def _apply(work, number):
    return work(number)


def _threads(client):
    try:
        return max(1, sum(client.nthreads().values()))
    except Exception as error:
        raise _lost(error) from None


def _lost(error):
    return StoreError(
        f"the scheduler was lost ({type(error).__name__}); blocks that were committed are kept: "
        "start the same command again, and it goes on"
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
    if workers is not None and scheduler is not None:
        raise ArgumentError("workers and scheduler cannot be combined; give one of them")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingPackageError("a cluster needs Dask: pip install 'paraxis[cluster]'") from None
    with ExitStack() as closing:
        if isinstance(scheduler, Client):
            yield scheduler
            return
        if scheduler is None:
            count = integer("workers", workers)
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=50,
                host="127.0.0.1",
                protocol="tcp://",
            )
            scheduler = closing.enter_context(cluster)
        try:
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"scheduler {scheduler!r}: {error}") from None
        yield closing.enter_context(client)
