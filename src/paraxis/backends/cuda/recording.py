"""Launches that are always the same, recorded once as a CUDA graph and queued all at once."""

from contextlib import contextmanager

import numpy as np


class Recording:
    """`run(threads)` on fixed memory. The first call is plain: kernels are compiled on the way."""

    def __init__(self, on, run):
        self._device, self._run = on, run
        self._calls, self._graph = 0, None

    def __call__(self, threads=1):
        self._calls += 1
        if self._device.arrays is np or self._calls == 1:  # a stand-in has nothing to record with
            self._run(threads)
            return
        if self._graph is None:
            self._graph = self._recorded()
        self._graph.launch()

    def _recorded(self):
        # The default stream cannot record. Nothing runs meanwhile, so no stream has to wait.
        stream = self._device.arrays.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            self._run(1)
            return stream.end_capture()


class Turn:
    """Memory that serves one caller at a time, also where callers queue on different streams."""

    def __init__(self, on, lock):
        self._cuda, self._lock = getattr(on.arrays, "cuda", None), lock
        self._done = None  # an event: when the last caller's work is

    @contextmanager
    def __call__(self):
        with self._lock:
            if self._cuda is None:
                yield
                return
            stream = self._cuda.get_current_stream()
            if self._done is not None:
                stream.wait_event(self._done)
            yield
            self._done = stream.record()
