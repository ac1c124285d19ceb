"""Launches that are always the same, recorded once as a CUDA graph and queued all at once.

Where the caller is capturing a graph of their own, launches become a part of that one. Events of
earlier work cannot be waited for then; whoever replays a graph keeps its turns apart.
"""

from contextlib import contextmanager

from ..exclusive import exclusive


class Recording:
    """`run(threads)` on fixed memory. The first call is plain: kernels are compiled on the way."""

    def __init__(self, on, run):
        self._on, self._cuda, self._run = on, _cuda(on), run
        self._calls, self._graph = 0, None

    def __call__(self, threads=1):
        self._calls += 1
        if self._cuda is None or self._calls == 1 or is_capturing(self._on):
            self._run(threads)
            return
        if self._graph is None:
            self._graph = self._recorded()
        self._graph.launch()

    def _recorded(self):
        # The default stream cannot record. Nothing runs meanwhile, so no stream has to wait.
        stream = self._cuda.Stream(non_blocking=True)
        # What a run allocates on its way stays its own: every launch of the graph writes there.
        self._memory = self._cuda.MemoryPool()
        with stream, self._cuda.using_allocator(self._memory.malloc):
            stream.begin_capture()
            self._run(1)
            return stream.end_capture()


class Turn:
    """Memory that serves one caller at a time, also where callers queue on different streams."""

    def __init__(self, on):
        self._on, self._cuda = on, _cuda(on)
        self._lock, self._done = exclusive(), None  # an event: the last caller's work is done

    @contextmanager
    def taken(self):
        # A generator that an interrupt leaves behind is closed, which releases the lock.
        with self._lock:
            in_order = self._cuda is not None and not is_capturing(self._on)
            if in_order and self._done is not None:
                self._cuda.get_current_stream().wait_event(self._done)
            try:
                yield
            finally:
                if in_order:
                    self._done = self._cuda.get_current_stream().record()


def _cuda(on):
    """Streams, events and graphs of a device; a stand-in for one has none."""
    return getattr(on.arrays, "cuda", None)


def is_capturing(on):
    """Whether what is queued on a device now becomes part of a CUDA graph."""
    cuda = _cuda(on)
    return cuda is not None and bool(cuda.get_current_stream().is_capturing())
