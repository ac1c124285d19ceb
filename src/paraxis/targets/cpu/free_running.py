"""Bodies that run freely, compiled, with the memory that they share and what they leave in it."""

import ctypes
import struct
from array import array as word_array
from dataclasses import dataclass

import numpy as np

from . import host
from .aside import on_another_thread
from .text.clock import ticks_a_second
from .text.free_running import BLOCK, NOT_YET, START, WORD, assembly_source, board_words
from .together import run_together

LONG_AGO = -(2**62)  # ticks: when the first sample came if the last one is over


@dataclass(frozen=True, eq=False)
class Log:
    """What a body did. `kept` of a sample in which no pass ended means nothing."""

    kept: np.ndarray  # (samples, entries)
    passes: np.ndarray  # (samples,): how many ended while it was the latest
    ages: dict  # body that was read -> (samples,): passes in which its values were so old
    overtaken: int  # readings given up, as the record was being written again


class FreeRunningKernel:
    def __init__(self, bodies, code):
        self.bodies, self._life = bodies, code.life
        self._run = code.function("run", None, ctypes.c_void_p)

    def __call__(self, given, found, period):
        """A Log for each body, of a run through all samples, one every `period` seconds.

        `given` has an array (samples, entries) for each body, `found` what it finds at first.
        """
        samples, words, logs, shared = len(given[0]), [], [], []
        for body, rows, first in zip(self.bodies, given, found, strict=True):
            # Filled, not only asked for: memory that is touched first in a pass makes it late.
            kept = np.full((samples, body.size("kept")), 0.0)
            passes, overtaken = np.full(samples, 0), np.full(1, 0)
            ages = np.full((len(body.reads), samples), 0)
            board, own = _blocks(board_words(body)), _blocks(max(len(first), 1))
            own[: len(first)] = np.asarray(first, float).view(np.int64)
            rows = np.ascontiguousarray(rows, float)
            arrays = board, rows, own, kept, passes, overtaken, ages
            words += [array.ctypes.data for array in arrays]
            shared.append(arrays)
            logs.append((kept, passes, ages, overtaken, list(body.reads)))
        (rate,) = struct.unpack("q", struct.pack("d", 1 / (period * ticks_a_second())))
        job = word_array("q", [0, NOT_YET, rate, samples, *words])
        on_another_thread(
            lambda: self._run_all(job, shared), stop=lambda: job.__setitem__(START, LONG_AGO)
        )
        return [
            Log(kept, passes, dict(zip(reads, ages, strict=True)), int(overtaken[0]))
            for kept, passes, ages, overtaken, reads in logs
        ]

    def _run_all(self, job, arrays):
        """With the arrays that the job's words point to, so that they outlive it."""
        run_together(self._run, job.buffer_info()[0], len(self.bodies), long=True)


def _blocks(words):
    """Zeros of memory that shares no line with any other."""
    memory = np.zeros(words + 2 * BLOCK // WORD, np.int64)
    first = -memory.ctypes.data % BLOCK // WORD
    end = first + -(-words * WORD // BLOCK) * BLOCK // WORD
    return memory[first:end]


def compile_free_running(bodies):
    """A kernel from the cache, or compiled and kept there."""
    text = assembly_source(bodies)
    return FreeRunningKernel(bodies, host.loaded(text, lambda: text))
