"""The simulated scheduler: workers are busy as long as it keeps up, and share it otherwise."""

import pytest

scheduler_load = pytest.importorskip("scheduler_load")  # of benchmarks/


def test_workers_are_busy_where_the_scheduler_keeps_up():
    assert scheduler_load.utilisation(20, 1.0, rate=1000.0) > 0.99
    assert scheduler_load.utilisation(100, 1.0, rate=200.0) > 0.97


@pytest.mark.parametrize(("workers", "seconds", "rate"), [(200, 0.1, 200.0), (500, 0.5, 100.0)])
def test_else_they_share_what_it_takes(workers, seconds, rate):
    busy = scheduler_load.utilisation(workers, seconds, rate)
    assert busy == pytest.approx(rate * seconds / workers, rel=0.1)


@pytest.mark.long
def test_a_cluster_is_measured():
    cluster = pytest.importorskip("cluster")
    found = cluster.measure(quick=True)
    assert found["states"]["ratio"] > 0 and found["stored"]["ratio"] > 0
    assert found["loops"]["ratio"] > 0 and found["overhead"]["cluster"] > 0
