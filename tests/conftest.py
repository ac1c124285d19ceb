"""What all tests share: the peers on the path, a compile cache of their own, the robot summary."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

settings.register_profile(
    "paraxis",
    deadline=None,  # the first example compiles or imports; time is not what is tested
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("paraxis")

URDF = "urdf"  # the property under which a test reports what became of a real robot


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


def pytest_terminal_summary(terminalreporter):
    """How many real robots were checked, and why each other one was not."""
    found = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for key, value in report.user_properties
        if key == URDF
    ]
    if not found:
        return
    excluded = sorted((name, reason) for name, reason in found if reason)
    terminalreporter.section("example-robot-data")
    terminalreporter.line(
        f"{len(found) - len(excluded)} of {len(found)} URDFs checked against Pinocchio"
    )
    for name, reason in excluded:
        terminalreporter.line(f"  excluded {name}: {reason}")
