"""Tests that need a GPU. Where there is none they are skipped, and say so."""

import os
from pathlib import Path

import pytest

import paraxis as px
from paraxis.backends.cuda.device import device

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes all memory
FOLDER = Path(__file__).resolve().parent


def missing():
    """Why there is no GPU, or None."""
    try:
        device()
    except px.ArgumentError as reason:
        return str(reason)
    return None


def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.is_relative_to(FOLDER)]
    reason = missing() if here else None
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs a GPU: {reason}"))
