"""Faults that take a process, a disk or seconds of their own; each ends in the right bytes."""

import os
import shutil
import subprocess
import textwrap

import numpy as np
import pytest
from support.processes import python

import paraxis as px

pytest.importorskip("zarr")

STUDY = """
    import os, sys
    import numpy as np
    import paraxis as px

    def function(a):
        return {"x": np.sin(a)[:, None] * np.ones(1000), "y": a > 3}

    real, written = os.replace, []

    def put(beside, place):
        written.append(place)
        if len(written) == int(sys.argv[2]):
            os.truncate(beside, os.path.getsize(beside) // 2)
            os.kill(os.getpid(), 9)  # what is being written is half written
        real(beside, place)

    os.replace = put
    px.sweep(function, {"a": np.arange(12.0)}, sys.argv[1], block=4)
"""
NEVER = 10**6


def content(path):
    return {
        str(each.relative_to(path)): each.read_bytes()
        for each in sorted(path.rglob("*"))
        if each.is_file()
    }


def killed_at(writes, folder):
    """Run a study that is killed at these writes, one run after the other, and then to its end."""
    store = folder / "study.zarr"
    for write in writes:
        assert python(STUDY, store, write).returncode == -9
    done = python(STUDY, store, NEVER)
    assert done.returncode == 0, done.stderr
    return content(store)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return killed_at([], tmp_path_factory.mktemp("expected"))


def test_killed_in_the_middle_of_writing(expected, tmp_path):
    assert killed_at([9], tmp_path) == expected


@pytest.mark.long
def test_killed_at_any_write(expected, tmp_path):
    write, store = 1, tmp_path / "1" / "study.zarr"
    store.parent.mkdir()
    while (ended := python(STUDY, store, write).returncode) == -9:
        assert python(STUDY, store, NEVER).returncode == 0
        assert content(store) == expected, write
        write, store = write + 1, tmp_path / str(write + 1) / "study.zarr"
        store.parent.mkdir()
    assert ended == 0 and write > 14  # metadata, and three blocks of two chunks and a mark


@pytest.mark.long
def test_a_small_disk_that_fills(tmp_path):
    """A tmpfs of a megabyte; mounting one takes rights that not everyone has."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")

    def function(a):
        return np.repeat(a[:, None], 2000, 1)

    try:
        store, ballast = disk / "study.zarr", disk / "ballast"
        ballast.write_bytes(bytes(400_000))
        space = {"a": np.arange(50.0)}
        with pytest.raises(px.sweeps.StoreError, match="No space left on device; free some space"):
            px.sweep(function, space, store, block=5)
        assert 0 < px.sweeps.status(store).done < 10
        ballast.unlink()
        assert px.sweep(function, space, store).status.complete
        px.sweep(function, space, tmp_path / "expected.zarr", block=5)
        assert content(store) == content(tmp_path / "expected.zarr")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.long
def test_a_worker_that_runs_out_of_memory(tmp_path):
    distributed = pytest.importorskip("distributed")

    def function(a):
        if len(a) == 2 and a[0] == 4.0:
            hoard = [np.ones(10_000_000) for _ in range(20)]  # 1.6 GB
            a = a + 0 * hoard[-1][0]
            import time

            time.sleep(5)
        return a

    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        memory_limit="800MB",
        dashboard_address=":0",
        silence_logs=50,
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        cluster.scheduler.allowed_failures = 0
        with pytest.warns(px.sweeps.SweepWarning, match="more memory than a worker has"):
            found = px.sweep(
                function, {"a": np.arange(12.0)}, tmp_path / "s.zarr", block=2, scheduler=client
            )
    assert (found.status.done, list(found.status.errors)) == (5, [2])


@pytest.mark.long
def test_two_processes_on_one_store(tmp_path):
    text = """
        import sys, time
        import numpy as np
        import paraxis as px

        def function(a):
            time.sleep(0.3)
            return a

        try:
            px.sweep(function, {"a": np.arange(12.0)}, sys.argv[1], block=2)
        except px.sweeps.StoreError as error:
            print(error)
    """
    import sys

    from support.processes import environment

    command = [sys.executable, "-c", textwrap.dedent(text), str(tmp_path / "study.zarr")]
    both = [
        subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = sorted(each.communicate(timeout=60)[0] for each in both)
    assert outputs[0] == "" and "another client is at work on this store" in outputs[1]
    assert px.sweeps.status(tmp_path / "study.zarr").complete
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".lock")]
