"""Native code writes where it may: all memory of the chains' sweeps has a known pattern around it.

Sweeps work by whole registers and may go on beyond the last link, into room that their owners have
left for it. Where there is too little, what they hit belongs to somebody else, and nothing fails
until much later.
"""

from dataclasses import replace

import numpy as np
import pytest
from support.chains import chain, slow_states

import paraxis as px
from paraxis.chains import closed, dynamics, rows
from paraxis.chains.dynamics import SCANS, ChainDynamics
from paraxis.drivers import columns
from paraxis.dynamics.contacts.long_chain import constrained_chain
from paraxis.targets.cpu import memory as main_memory

FENCE = 128  # numbers on either side
PATTERN = 0xA5
BOUNDARY = 64  # bytes, to which `tiles` aligns what it has asked for
LENGTHS = (1, 2, 3, 7, 8, 9, 23, 24)  # full registers and lines of a cache, or one off
EVERY = [(function, algorithm) for function in SCANS for algorithm in SCANS[function]]


class Fenced:
    """NumPy, but for memory, which lies between fences."""

    def __init__(self):
        self._fences = []

    def __getattr__(self, name):
        return getattr(np, name)

    def zeros(self, shape, dtype=np.float64):
        """Aligned, so that what `tiles` leaves of its bytes is all at the end, and fence, too."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        raw = np.full(size + 2 * 8 * FENCE + BOUNDARY, PATTERN, np.uint8)
        start = 8 * FENCE + -raw.ctypes.data % BOUNDARY
        end = start + size - (BOUNDARY if dtype == np.uint8 else 0)
        raw[start:end] = 0
        self._fences += [raw[:start], raw[end:]]
        return raw[start : start + size].view(dtype).reshape(shape)

    empty = zeros

    def intact(self):
        """Are all fences since the last time this was asked?"""
        fences, self._fences = self._fences, []
        return all((fence == PATTERN).all() for fence in fences)


class FencedRows(Fenced):
    """With a fence after each row, too: for those who go by strides from row to row."""

    def zeros(self, shape):
        entries, length = shape
        whole = super().zeros((entries, length + FENCE))
        fence = whole[:, length:]
        fence.view(np.uint8)[...] = PATTERN
        self._fences.append(fence.view(np.uint8))
        return whole[:, :length]


@pytest.fixture
def memory(monkeypatch):
    plain, in_rows = Fenced(), FencedRows()
    for module in (main_memory, rows, dynamics, closed):
        monkeypatch.setattr(module, "np", plain)
    monkeypatch.setattr(columns, "np", in_rows)

    def intact():
        return all([plain.intact(), in_rows.intact()])

    return intact


QUICK = ("articulated_body", "newton_euler", "logarithmic_newton_euler")  # to compile


@pytest.mark.parametrize(
    "function, algorithm",
    [pytest.param(*each, marks=() if each[1] in QUICK else pytest.mark.long) for each in EVERY],
)
def test_every_order_stays_in_its_memory(memory, function, algorithm):
    for n in LENGTHS:
        robot = chain(n)
        state = slow_states(robot, 1)
        for order in SCANS[function][algorithm]:
            px.chains.chain_dynamics(robot, function, algorithm, order)(*state)
            assert memory(), (n, order)


@pytest.mark.parametrize("function", SCANS)
def test_every_way_stays_in_its_memory(memory, function):
    for n in (1, 9, 24, 300):
        robot = chain(n)
        for way, count in (("serial", 2), ("scan", 1), ("batched", 1), ("batched", 11)):
            ChainDynamics(robot, function, way)(*slow_states(robot, count))
            assert memory(), (n, way)


def test_contact_stays_in_its_memory(memory):
    for n in (7, 9, 24, 300):
        robot = replace(chain(n))  # to which nothing is attached yet
        constrained_chain(robot, *slow_states(robot, 2), px.Contact.pinned(None))
        assert memory(), n


def test_a_write_beyond_is_seen():
    for fenced in (Fenced(), FencedRows()):
        array = fenced.zeros((3, 4))
        assert not array.any()
        beyond = np.lib.stride_tricks.as_strided(array[-1], (5,))
        beyond[:4] = 1.0
        assert fenced.intact()
        array = fenced.zeros((3, 4))
        beyond = np.lib.stride_tricks.as_strided(array[-1], (5,))
        beyond[4] = 1.0
        assert not fenced.intact()
