"""What all tests share: the peers on the path, a compile cache of their own, the robot summary."""

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.summary import SOAK, URDF

from paraxis.errors import ParaxisError
from paraxis.targets.cuda.device import device

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes all GPU memory

settings.register_profile(
    "paraxis",
    max_examples=60,  # for the sake of time; every run tries others
    deadline=None,  # the first example compiles or imports; time is not what is tested
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("paraxis")

HERE = Path(__file__).resolve().parent
GPU = HERE / "gpu"  # tests that need one
SOAK_TESTS = HERE / "soak"  # long random trials, see tests/support/counting.py


def pytest_configure(config):
    """Kernels compiled by tests go to a folder of this run, which its worker processes inherit."""
    config.stash_cache = None
    if "PARAXIS_CACHE" not in os.environ:
        config.stash_cache = tempfile.mkdtemp(prefix="paraxis-tests-")
        os.environ["PARAXIS_CACHE"] = config.stash_cache


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """Kernels of a file go to a folder of their own: none is what another file compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARAXIS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_collection_modifyitems(items):
    """Soak tests are marked. Where there is no GPU, tests that need one are skipped, and say so."""
    for item in items:
        if item.path.is_relative_to(SOAK_TESTS):
            item.add_marker(pytest.mark.soak)
    here = [item for item in items if item.path.is_relative_to(GPU)]
    reason = _no_gpu() if here else None
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs a GPU: {reason}"))


def _no_gpu():
    """Why there is none, or None."""
    try:
        device()
    except ParaxisError as reason:
        return str(reason)
    return None


def pytest_unconfigure(config):
    if config.stash_cache is not None:
        shutil.rmtree(config.stash_cache, ignore_errors=True)
        del os.environ["PARAXIS_CACHE"]


def pytest_terminal_summary(terminalreporter):
    calls = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
    ]
    _summarise_robots(terminalreporter, calls)
    _summarise_soak(terminalreporter, calls)


def _summarise_robots(terminalreporter, calls):
    """How many real robots were checked, and why each other one was not."""
    found = [value for call in calls for key, value in call.user_properties if key == URDF]
    if not found:
        return
    excluded = sorted((name, reason) for name, reason in found if reason)
    terminalreporter.section("example-robot-data")
    terminalreporter.line(
        f"{len(found) - len(excluded)} of {len(found)} URDFs checked against Pinocchio"
    )
    for name, reason in excluded:
        terminalreporter.line(f"  excluded {name}: {reason}")


def _summarise_soak(terminalreporter, calls):
    """How often each thing was tried, over all tests that tried it, and the time it took."""
    counts, seconds = Counter(), Counter()
    for call in calls:
        tried = [tuple(value) for key, value in call.user_properties if key == SOAK]
        for what, count in tried:
            counts[what] += count
            seconds[what] += call.duration / len(tried)
    for what, count in counts.items():
        terminalreporter.line(f"soak: {count:,} {what} ({seconds[what]:.0f} s)")
