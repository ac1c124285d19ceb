"""Studies and arrays on a cluster: the bytes of one process, whatever dies meanwhile."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from support.processes import environment

import paraxis as px

pytest.importorskip("zarr")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

SPACE = {"a": np.arange(24.0)}


def content(path):
    """Every file of a store."""
    return {
        str(each.relative_to(path)): each.read_bytes()
        for each in sorted(Path(path).rglob("*"))
        if each.is_file()
    }


@pytest.fixture(scope="module")
def client():
    """Two processes here."""
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as made:
        yield made


@pytest.fixture
def store(tmp_path):
    return tmp_path / "study.zarr"


def once(path):
    """Whether it is the first time that this is asked for."""
    try:
        path.touch(exist_ok=False)
        return True
    except FileExistsError:
        return False


def test_arrays(client):
    robot, q = px.load("planar3"), np.random.default_rng(0).normal(size=(12, 3))
    lazy = px.inverse_dynamics(robot, da.from_array(q, chunks=(5, 3)), q, q)
    found = client.compute(lazy).result()
    assert found.tobytes() == px.inverse_dynamics(robot, q, q, q).tobytes()
    kernel = px.trace(lambda x: x * x, x=3).compile()
    assert (client.compute(kernel(da.from_array(q, chunks=(5, 3)))).result() == q * q).all()


def test_a_study(client, store):
    robot = px.load("planar3")
    kernel = px.program(robot, "gravity_torques").compile()
    space = px.sweeps.sampled(40, q=([-1.0] * 3, 1.0))

    def function(q, index):
        return {"tau": kernel(q), "index_": index}

    here = px.sweep(function, space, store, block=6)
    there = px.sweep(function, space, store.with_name("there"), block=6, scheduler=client)
    assert there.status.complete and content(there.store) == content(here.store)


def test_workers_here_keep_memory_for_the_next_block(store):
    def of_worker(name):
        return int(os.environ.get(name, 0))

    def function(a):
        return {"kept": a * 0 + of_worker("MALLOC_TOP_PAD_")}

    found = px.sweep(function, {"a": np.arange(2.0)}, store, workers=1)
    assert (found.open().kept.values == 2**26).all()


def test_by_the_address_of_a_scheduler(client, store):
    px.sweep(lambda a: a + 1, SPACE, store, block=6, scheduler=client.scheduler.address)
    assert px.sweeps.status(store).complete
    with pytest.raises(px.ArgumentError, match="workers and scheduler cannot be combined"):
        px.sweep(lambda a: a, SPACE, store, workers=1, scheduler="tcp://x:1")


def test_an_atlas(client, store):
    options = {"policies": ["hamilton", "exact"], "axes": {"speed": [0.5, 1.0]}, "duration": 0.3}
    options |= {"periods": [0.01, 0.1]}
    robot = px.load("planar3")
    expected = px.control.stability_atlas(robot, **options)
    for more in ({}, {"store": store}):
        found = px.control.stability_atlas(robot, **options, scheduler=client, **more)
        for key, known in expected.maps.items():
            for name in ("error", "diverged_at", "boundary"):
                np.testing.assert_array_equal(getattr(found[key], name), getattr(known, name))
    assert px.sweeps.status(store).complete
    with pytest.raises(px.ArgumentError, match="give workers or scheduler"):
        px.control.stability_atlas(robot, **options, store=store)


def test_workers_that_are_killed_in_a_block(client, store, tmp_path):
    folder = tmp_path

    def function(a):
        if a[0] == 6.0 and len(a) == 3 and once(folder / "killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        return a * 2

    found = px.sweep(function, SPACE, store, block=3, scheduler=client)
    assert (folder / "killed").exists() and found.status.complete
    assert (found.open().result.values == 2 * SPACE["a"]).all()


def test_a_block_that_always_kills_its_worker_is_recorded(client, store):
    def function(a):
        if a[0] == 6.0 and len(a) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return a * 2

    lost = pytest.warns(px.sweeps.SweepWarning, match="WorkerLost: the worker process died")
    with allowed_failures(client, 0), lost:
        found = px.sweep(function, SPACE, store, block=3, scheduler=client)
    assert (found.status.done, found.status.failed) == (7, 1) and 2 in found.status.errors


@contextmanager
def allowed_failures(client, count):
    """A scheduler that lets a task kill so many workers."""
    scheduler = client.cluster.scheduler
    before, scheduler.allowed_failures = scheduler.allowed_failures, count
    try:
        yield
    finally:
        scheduler.allowed_failures = before


def test_a_block_that_hangs_ends_with_its_worker(client, store):
    def function(a):
        if a[0] == 6.0 and len(a) == 3:
            time.sleep(1000)
        return a * 2

    with pytest.warns(px.sweeps.SweepWarning, match=r"longer than its limit of 0.5 s"):
        found = px.sweep(function, SPACE, store, block=3, scheduler=client, limit=0.5)
    assert (found.status.done, found.status.failed) == (7, 1)


def test_errors_and_lost_stores_come_back(client, store):
    def function(a):
        if a[0] == 6.0 and len(a) == 3:
            raise ValueError("six")
        return a * 2

    with pytest.warns(px.sweeps.SweepWarning, match="ValueError: six"):
        px.sweep(function, SPACE, store, block=3, scheduler=client)
    root = (store / "zarr.json").read_bytes()

    def vanish(a):
        if len(a) == 3 and a[0] == 6.0:
            (store.with_name("b") / "zarr.json").unlink(missing_ok=True)
        return a * 2

    with pytest.raises(px.sweeps.StoreError, match="the store is gone"):
        px.sweep(vanish, SPACE, store.with_name("b"), block=3, scheduler=client)
    assert root == (store / "zarr.json").read_bytes()


# -- processes that are killed ---------------------------------------------------------------------

STUDY = """
    import sys, time
    import numpy as np
    import paraxis as px

    def function(a):
        if len(a) == 2:
            time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0.0)
        return {"x": np.sin(a)[:, None] * np.ones(1000)}

    if __name__ == "__main__":
        where = {"scheduler": sys.argv[2]} if ":" in sys.argv[2] else {"workers": int(sys.argv[2])}
        where = {} if sys.argv[2] == "0" else where
        px.sweep(function, {"a": np.arange(40.0)}, sys.argv[1], block=2, **where)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "study.py"
    path.write_text(textwrap.dedent(STUDY))
    return path


def started(script, *arguments):
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)


def blocks_done(store):
    return len([*(store / "blocks/c").glob("*")]) if (store / "blocks/c").is_dir() else 0


def wait_for(condition, seconds=60):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "it takes too long"
        time.sleep(0.02)


def test_a_client_that_is_killed(script, store):
    assert started(script, store.with_name("expected"), 0, 0.0).wait(60) == 0
    for wanted in (3, 9):
        process = started(script, store, 0, 0.05)
        wait_for(lambda wanted=wanted: blocks_done(store) >= wanted)
        process.kill()
        process.wait()
        process.stderr.close()
    assert 0 < px.sweeps.status(store).pending < 20
    assert started(script, store, 0, 0.0).wait(60) == 0
    assert content(store) == content(store.with_name("expected"))


@pytest.mark.long
def test_a_local_cluster_whose_client_is_killed(script, store):
    for _ in range(2):
        process = started(script, store, 2, 0.2)
        before = blocks_done(store)
        wait_for(lambda before=before: blocks_done(store) >= before + 3)
        process.kill()
        process.wait()
    assert started(script, store, 2, 0.2).wait(120) == 0
    assert started(script, store.with_name("expected"), 0, 0.0).wait(60) == 0
    assert content(store) == content(store.with_name("expected"))


@pytest.mark.long
def test_a_scheduler_that_is_killed(script, store, tmp_path):
    def cluster(port):
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(port)]
        scheduler = subprocess.Popen(
            [*command, "--no-dashboard", "--host", "127.0.0.1"],
            env=environment(),
            stderr=subprocess.DEVNULL,
        )
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}"]
            + ["--nthreads", "1", "--no-dashboard", "--death-timeout", "20"],
            env=environment(),
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        return scheduler, worker

    scheduler, worker = cluster(38786)
    try:
        process = started(script, store, "tcp://127.0.0.1:38786", 0.2)
        wait_for(lambda: blocks_done(store) >= 3)
        scheduler.kill()
        _, error = process.communicate(timeout=60)
        assert process.returncode != 0
        assert "the scheduler was lost" in error and "start the same command again" in error
    finally:
        for each in (scheduler, worker):
            each.kill()
            each.wait()
    assert started(script, store, 0, 0.2).wait(120) == 0
    assert started(script, store.with_name("expected"), 0, 0.0).wait(60) == 0
    assert content(store) == content(store.with_name("expected"))
