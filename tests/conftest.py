"""What the tests of Paraxis share: the marks of GPU and soak tests, and the summaries of a run."""

from collections import Counter
from pathlib import Path

import pytest
from support.summary import SOAK, URDF

from paraxis.errors import ParaxisError
from paraxis.targets.cuda.device import device

HERE = Path(__file__).resolve().parent
GPU = HERE / "gpu"  # tests that need one
SOAK_TESTS = HERE / "soak"  # long random trials, see tests/support/counting.py


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
