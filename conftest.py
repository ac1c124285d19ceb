"""What all tests share, those of Paraxis and those of the papers: a compile cache of their own."""

import gc
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes all GPU memory

settings.register_profile(
    "paraxis",
    max_examples=25,  # to save time; every run tries others, except that
    derandomize="CI" in os.environ,  # a change is not refused for a robot that it did not touch
    deadline=None,  # the first example compiles or imports; time is not what is tested
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("paraxis")


def pytest_configure(config):
    """Kernels compiled by tests go to a folder of this run, which its worker processes inherit."""
    config.stash_cache = None
    if "PARAXIS_CACHE" not in os.environ:
        config.stash_cache = tempfile.mkdtemp(prefix="paraxis-tests-")
        os.environ["PARAXIS_CACHE"] = config.stash_cache


def pytest_unconfigure(config):
    if config.stash_cache is not None:
        shutil.rmtree(config.stash_cache, ignore_errors=True)
        del os.environ["PARAXIS_CACHE"]


@pytest.fixture(scope="module", autouse=True)
def what_lives_on_is_no_garbage():
    """Tests, imported packages and remembered graphs come to millions of objects that live to the
    end. To look for garbage among all of them took a second and more, again and again."""
    gc.freeze()
