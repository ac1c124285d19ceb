"""Launches that are always the same, recorded once as a CUDA graph and queued all at once."""

from contextlib import contextmanager

from ..exclusive import exclusive


class Recording:
    """`run(threads)` on fixed memory. The first call is plain: kernels are compiled on the way."""

    def __init__(self, on, run):
        self._cuda, self._run = _cuda(on), run
        self._calls, self._graph = 0, None

    def __call__(self, threads=1):
        self._calls += 1
        if self._cuda is None or self._calls == 1:
            self._run(threads)
            return
        if self._graph is None:
            self._graph = self._recorded()
        self._graph.launch()

    def _recorded(self):
        # The default stream cannot record. Nothing runs meanwhile, so no stream has to wait.
        stream = self._cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            self._run(1)
            return stream.end_capture()


class Turn:
    """Memory that serves one caller at a time, also where callers queue on different streams."""

    def __init__(self, on):
        self._cuda = _cuda(on)
        self._lock, self._done = exclusive(), None  # an event: the last caller's work is done

    @contextmanager
    def taken(self):
        # A generator that an interrupt leaves behind is closed, which releases the lock.
        with self._lock:
            if self._done is not None:
                self._cuda.get_current_stream().wait_event(self._done)
            try:
                yield
            finally:
                if self._cuda is not None:
                    self._done = self._cuda.get_current_stream().record()


def _cuda(on):
    """Streams, events and graphs of a device; a stand-in for one has none."""
    return getattr(on.arrays, "cuda", None)
