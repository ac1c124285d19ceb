"""Studies in an object store, a local one that speaks S3."""

import json
import socket
import time

import numpy as np
import pytest

import paraxis as px

pytest.importorskip("zarr")
s3fs = pytest.importorskip("s3fs")
server = pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def bucket():
    """The URL of a bucket of a server that this process has on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    running.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        s3fs.S3FileSystem().mkdir("studies")
        yield "s3://studies"
    running.stop()


def content(url):
    files = s3fs.S3FileSystem()
    files.invalidate_cache()
    top = url.removeprefix("s3://")
    return {name.removeprefix(top): files.cat_file(name) for name in files.find(top)}


def test_a_study_goes_on_in_an_object_store(bucket, tmp_path):
    space, fails = px.sweeps.sampled(30, x=([0.0, 0.0], 1.0)), tmp_path / "fails"
    fails.touch()

    def function(x, index):
        if fails.exists() and index[0] == 12:
            raise ValueError("no")
        return {"y": x.sum(-1)}

    with pytest.warns(px.sweeps.SweepWarning, match="ValueError: no"):
        found = px.sweep(function, space, f"{bucket}/a.zarr", block=7)
    assert {*found.status.errors} == {2}
    fails.unlink()
    found = px.sweep(function, space, f"{bucket}/a.zarr", retry_failed=True)
    here = px.sweep(function, space, tmp_path / "here.zarr", block=7)
    assert found.status.complete and not found.status.errors
    expected = {
        f"/{path.relative_to(tmp_path / 'here.zarr')}": path.read_bytes()
        for path in (tmp_path / "here.zarr").rglob("*")
        if path.is_file()
    }
    assert content(f"{bucket}/a.zarr") == expected
    assert (found.open().y.values == here.open().y.values).all()


def test_one_client_at_a_time(bucket):
    url, space = f"{bucket}/b.zarr", {"x": np.arange(4.0)}
    files = s3fs.S3FileSystem()

    def lease(age):
        content = json.dumps({"client": "another", "time": time.time() - age})
        files.pipe_file(f"{url}/lease.json", content.encode())

    lease(age=10.0)
    with pytest.raises(px.sweeps.StoreError, match="another client is at work"):
        px.sweep(lambda x: x, space, url)
    lease(age=100.0)  # of one that died
    assert px.sweep(lambda x: x, space, url).status.complete
    assert "/lease.json" not in content(url)


def test_a_bucket_that_is_not_there(bucket):
    with pytest.raises(px.sweeps.StoreError, match="nowhere"):
        px.sweep(lambda x: x, {"x": np.arange(4.0)}, "s3://nowhere/a.zarr")
