"""Studies: whatever ends one, the next run goes on, and its bytes are those of one undisturbed."""

import json
import os
import shutil
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import paraxis as px
from paraxis.sweeps import block as blocks
from paraxis.sweeps.files import Folder
from paraxis.sweeps.store import found_at
from paraxis.sweeps.study import sweep

pytest.importorskip("zarr")
SPACE = {"a": np.arange(5.0), "b": np.linspace(0, 2, 7)}


def plain(a, b):
    return {"sum": a + b, "both": np.stack([a, b], -1), "large": b > 1}


def content(path):
    """Every file of a store."""
    return {
        str(each.relative_to(path)): each.read_bytes()
        for each in sorted(Path(path).rglob("*"))
        if each.is_file()
    }


@pytest.fixture
def store(tmp_path):
    return tmp_path / "study.zarr"


@pytest.fixture
def expected(tmp_path):
    px.sweep(plain, SPACE, tmp_path / "expected.zarr", block=6)
    return content(tmp_path / "expected.zarr")


def test_results_are_those_of_the_function(store):
    xr = pytest.importorskip("xarray")
    found = px.sweep(plain, SPACE, store, block=6, units={"a": "m", "sum": "rad"})
    assert found.status.complete and repr(found).endswith("10 of 10 blocks done>")
    data = found.open()
    assert isinstance(data, xr.Dataset) and data["sum"].dims == ("a", "b")
    assert data.a.attrs == {"units": "m"} and data["sum"].attrs == {"units": "rad"}
    a, b = np.meshgrid(SPACE["a"], SPACE["b"], indexing="ij")
    for name, values in plain(a, b).items():
        assert data[name].dtype == values.dtype and (data[name].values == values).all()
    assert data.attrs["paraxis"]["function"] == "plain"


def test_the_size_of_blocks_changes_nothing_but_the_blocks(tmp_path):
    def f(x, index):
        return x + px.math.random_uniform(7, index.astype(float))

    space = px.sweeps.sampled(50, x=(0.0, 1.0))
    results = [
        px.sweep(f, space, tmp_path / f"{block}.zarr", block=block).open().result.values
        for block in (1, 7, 50)
    ]
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("after", [0, 1, 4, 9])
def test_it_goes_on_where_it_ended(store, expected, after):
    calls = []

    class Stop(KeyboardInterrupt):
        pass

    def work(number):
        calls.append(number)
        if len(calls) == after + 1:
            raise Stop
        return True

    original = blocks.Work.__call__
    try:
        blocks.Work.__call__ = lambda self, number: work(number) and original(self, number)
        with pytest.raises(px.Interrupted, match=f"{after} of 10 blocks are committed"):
            px.sweep(plain, SPACE, store, block=6)
        assert px.sweeps.status(store).pending == 10 - after
        first = calls[:-1]
        calls.clear()
        after = 99
        px.sweep(plain, SPACE, store)
    finally:
        blocks.Work.__call__ = original
    assert sorted(first + calls) == [*range(10)]  # nothing is done twice
    assert content(store) == expected


def test_a_block_that_was_half_written_is_written_again(store, expected):
    px.sweep(plain, SPACE, store, block=6)
    (store / "blocks/c/2/1").unlink()  # not committed
    (store / "sum/c/2/1").write_bytes(b"half")
    (store / "both/c/2/1/0").unlink()
    (store / "both/c/2/1/0.abc.partial").write_bytes(b"half")
    px.sweep(plain, SPACE, store)
    assert content(store) == expected


def test_a_mark_without_its_chunk_is_no_block(store, expected):
    """As a machine may leave it that stops before names are on its disk."""
    px.sweep(plain, SPACE, store, block=6)
    (store / "sum/c/2/1").unlink()
    (store / "both/c/0/0/0").write_bytes(b"")
    (store / "blocks/c/4/1").write_bytes(b"")
    assert px.sweeps.status(store).pending == 3
    px.sweep(plain, SPACE, store)
    assert content(store) == expected


def test_a_store_that_was_half_made_is_made_again(store, expected):
    px.sweep(plain, SPACE, store, block=6)
    (store / "zarr.json").unlink()  # which is written last
    (store / "sum/c/0/0").write_bytes(b"of another try")
    px.sweep(plain, SPACE, store, block=6)
    assert content(store) == expected


def test_errors_are_recorded_and_the_others_go_on(store, expected, tmp_path):
    broken = tmp_path / "broken"

    def function(a, b):
        if broken.exists() and 6.0 in a + b:
            raise ValueError(f"too large at {max(a + b):g}")
        return plain(a, b)

    px.sweep(function, SPACE, tmp_path / "own.zarr", block=6)
    broken.touch()
    with pytest.warns(px.sweeps.SweepWarning, match="1 of 10 blocks failed, block 9 with .*at 6"):
        found = px.sweep(function, SPACE, store, block=6)
    assert (found.status.done, found.status.failed, found.status.pending) == (9, 1, 0)
    assert found.status.errors == {9: "ValueError: too large at 6"}
    assert np.isnan(found.open()["sum"].values[4, 4:]).all()
    broken.unlink()
    with pytest.warns(px.sweeps.SweepWarning):  # not tried again unasked
        px.sweep(function, SPACE, store)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = px.sweep(function, SPACE, store, retry_failed=True)
    assert found.status.complete and content(store) == content(tmp_path / "own.zarr")


def test_results_that_change_their_kind_fail(store):
    def function(a):
        return a if a[0] < 4 else {"other": a}

    with pytest.warns(px.sweeps.SweepWarning, match="expected the results .*'result'.*'other'"):
        px.sweep(function, {"a": np.arange(6.0)}, store, block=2)
    with pytest.raises(px.ArgumentError, match="first axis of the 2 states"):
        px.sweep(lambda a: a.sum(), {"a": np.arange(6.0)}, store.with_name("b"), block=2)


def test_no_more_states_than_a_block_are_ever_asked_for(store):
    def function(a):
        assert len(a) == 1
        return a

    assert px.sweep(function, {"a": np.arange(5.0)}, store, block=1).status.complete
    assert px.sweeps.estimate(function, {"a": np.arange(5.0)}, block=1).seconds > 0


def test_nan_is_a_result(store):
    found = px.sweep(lambda a: np.where(a > 3, np.nan, a), {"a": np.arange(6.0)}, store, block=4)
    assert found.status.complete
    assert np.isnan(found.open().result.values).tolist() == [False] * 4 + [True] * 2


def test_a_function_that_never_works_makes_no_store(store):
    with pytest.raises(ZeroDivisionError):
        px.sweep(lambda a: 1 / 0, {"a": [1.0, 2.0]}, store)
    assert not store.exists()


def test_a_block_beyond_its_limit_fails(store):
    def function(a):
        while a[0] == 2.0:
            pass
        return a

    with pytest.warns(px.sweeps.SweepWarning, match=r"longer than its limit of 0.2 s"):
        found = px.sweep(function, {"a": np.arange(6.0)}, store, block=2, limit=0.2)
    assert (found.status.done, found.status.failed) == (2, 1)


# -- refusals --------------------------------------------------------------------------------------


def of_robot(robot, gain=1.0):
    return lambda q: gain * px.gravity_torques(robot, q)


def test_another_study_is_refused(store):
    robot, space = px.load("planar3"), {"q": np.zeros((4, 3))}
    px.sweep(of_robot(robot), space, store, block=2)
    before = content(store)
    for function, other, message in (
        (of_robot(robot.with_gravity((0, 0, -1))), space, "robot 'planar3' has changed"),
        (of_robot(robot, 2.0), space, "its function, or a value that it reads, has changed"),
        (lambda q: q, space, "its function read other robots: 'planar3' then, none now"),
        (of_robot(robot), {"q": np.ones((4, 3))}, "its space has other variables or values"),
        (of_robot(robot), px.sweeps.sampled(4, q=(0, 1)), "its space has other"),
    ):
        with pytest.raises(px.sweeps.StoreError, match=message):
            px.sweep(function, other, store)
    with pytest.raises(px.sweeps.StoreError, match="its blocks have 2 states"):
        px.sweep(of_robot(robot), space, store, block=1)
    assert content(store) == before
    px.sweep(of_robot(px.load("planar3")), space, store)  # the same again


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("sources", "0" * 64, "the code of Paraxis is not that"),
        ("versions", {"numpy": "1.0"}, r"other versions: .*numpy 1.0 then, .* now"),
    ],
)
def test_other_versions_are_refused(store, key, value, message):
    px.sweep(plain, SPACE, store, block=6)
    root = json.loads((store / "zarr.json").read_text())
    root["attributes"]["paraxis"]["identity"][key] = value
    (store / "zarr.json").write_text(json.dumps(root))
    with pytest.raises(px.sweeps.StoreError, match=message):
        px.sweep(plain, SPACE, store)


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(px.sweeps.StoreError, match="there are files, but no study"):
        px.sweep(plain, SPACE, tmp_path)
    (tmp_path / "zarr.json").write_text('{"zarr_format": 3, "attributes": {}}')
    with pytest.raises(px.sweeps.StoreError, match="no study of px.sweep"):
        px.sweep(plain, SPACE, tmp_path)
    with pytest.raises(px.sweeps.StoreError, match="there is no study"):
        px.sweeps.status(tmp_path / "nothing")
    assert (tmp_path / "thesis.tex").read_text() == "x"


def test_two_clients_on_one_store(store):
    def function(a):
        if a[0] == 2.0:
            with pytest.raises(px.sweeps.StoreError, match="another client is at work"):
                sweep(lambda a: a, {"a": np.arange(4.0)}, store)
        return a

    assert px.sweep(function, {"a": np.arange(4.0)}, store, block=2).status.complete
    assert not [*store.parent.glob(".*.lock")]


def test_a_store_that_vanishes_is_noticed(store):
    def function(a):
        if len(a) == 3 and a[0] == 3.0:
            shutil.rmtree(store)
        return a

    space = {"a": np.arange(6.0)}
    with pytest.raises(px.sweeps.StoreError, match="the store is gone"):
        px.sweep(function, space, store, block=3)
    assert not (store / "zarr.json").exists()


def test_a_full_disk_is_no_error_of_the_function(store, expected, monkeypatch):
    real, written = os.fsync, []

    def full(handle):
        written.append(handle)
        if len(written) > 20:
            raise OSError(28, "No space left on device")
        return real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(px.sweeps.StoreError, match="No space left on device; free some space"):
        px.sweep(plain, SPACE, store, block=6)
    monkeypatch.undo()
    px.sweep(plain, SPACE, store, block=6)
    assert content(store) == expected


# -- what made it ----------------------------------------------------------------------------------


def test_a_store_says_what_made_it(store):
    robot = px.load("planar3")
    px.sweep(of_robot(robot), px.sweeps.sampled(4, seed=5, q=([-1.0] * 3, 1.0)), store, block=2)
    study = found_at(Folder(str(store))).study
    assert study["identity"]["robots"] == {"planar3": robot.digest}
    assert study["seed"] == 5 and study["method"] == "random"
    assert {"numpy", "python", "llvmlite"} <= {*study["identity"]["versions"]}


def test_estimates(capsys):
    found = px.sweeps.estimate(plain, SPACE, block=6)
    assert (found.states, found.blocks, found.bytes) == (35, 10, 35 * 25)
    assert found.seconds > 0 and "35 states in 10 blocks, 875 B" in str(found)
    slow = px.sweeps.estimate(lambda a: (time.sleep(0.02), a * 1.0)[1], {"a": range(8)})
    assert slow.seconds >= 0.02  # at least one block that sleeps


def test_the_page(store):
    words = {"word": ["<b>", "y"], **SPACE}
    found = px.sweep(lambda word, a, b: plain(a, b), words, store, units={"sum": "N m"})
    html = found.to_html(store.with_name("page.html"))
    assert store.with_name("page.html").read_text(encoding="utf-8") == html
    data = json.loads(html.partition('id="data">')[2].partition("</script>")[0])
    assert [axis["name"] for axis in data["axes"]] == ["word", "a", "b"]
    assert [each["name"] for each in data["results"]] == ["sum", "both[0]", "both[1]", "large"]
    expected = [float(f"{a + b:.4g}") for _ in range(2) for a in SPACE["a"] for b in SPACE["b"]]
    assert data["results"][0]["cells"] == expected and data["results"][0]["unit"] == "N m"
    assert sum(data["results"][0]["histogram"]["counts"]) == 70
    assert "<b>" not in html.replace('"\\u003cb>"', "")
    sampled = px.sweep(
        lambda x: x * 2, px.sweeps.sampled(100, x=(0.0, 1.0)), store.with_name("s"), block=9
    )
    assert '"cells":null' in sampled.to_html()


def test_parquet(store, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    space = px.sweeps.sampled(35, x=([0.0, 0.0], 1.0))
    found = px.sweep(lambda x: {"y": x.sum(-1)}, space, store, block=10)
    paths = px.sweeps.to_parquet(store, tmp_path / "parquet")
    times = {path: os.stat(path).st_mtime_ns for path in paths}
    assert px.sweeps.to_parquet(store, tmp_path / "parquet") == paths  # they are there already
    assert times == {path: os.stat(path).st_mtime_ns for path in paths}
    train, test = (parquet.read_table(tmp_path / "parquet" / each) for each in ("train", "test"))
    assert test["index"].to_pylist() == [9, 19, 29] and train.num_rows == 32
    assert train.column_names == ["index", "x_0", "x_1", "y"]
    data = found.open()
    assert (data.y.values[[9, 19, 29]] == test["y"].to_numpy()).all()
    assert (data.x.values[[9, 19, 29], 1] == test["x_1"].to_numpy()).all()
    read = parquet.read_table(tmp_path / "parquet")
    assert read.num_rows == 35  # and nothing else is taken for data


def test_parquet_of_another_study_is_not_taken_for_this_ones(store, tmp_path):
    pytest.importorskip("pyarrow")
    for seed in (0, 1):
        space = px.sweeps.sampled(20, seed=seed, x=(0.0, 1.0))
        px.sweep(lambda x: 2 * x, space, store.with_name(f"{seed}"))
    px.sweeps.to_parquet(store.with_name("0"), tmp_path / "parquet")
    with pytest.raises(px.sweeps.StoreError, match="there are other files"):
        px.sweeps.to_parquet(store.with_name("1"), tmp_path / "parquet")


def test_columns_of_one_name_are_refused(store, tmp_path):
    pytest.importorskip("pyarrow")
    space = px.sweeps.sampled(20, x=([0.0, 0.0], 1.0))
    px.sweep(lambda x: {"x_0": x[:, 1]}, space, store)
    with pytest.raises(px.ArgumentError, match="x_0: two columns"):
        px.sweeps.to_parquet(store, tmp_path / "parquet")


def test_the_page_of_an_axis_of_arrays(store):
    space = {"a": np.array([[1.0, 2.0], [3.0, 4.0]])}
    assert "[3.0, 4.0]" in px.sweep(lambda a: a.sum(-1), space, store).to_html()


def test_a_function_may_write_into_its_arguments(store):
    def doubled(x):
        return np.multiply(x, 2.0, out=x)

    found = px.sweep(doubled, px.sweeps.points(x=np.arange(4.0)), store, block=2).open()
    assert (found.result.values == [0, 2, 4, 6]).all() and (found.x.values == [0, 1, 2, 3]).all()


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda q: {"q": q + 1}, "q: a variable or an axis"),
        (lambda q: {"sample": q}, "sample: a variable or an axis"),
        (lambda q: {"a": {"b_c": q}, "a_b": {"c": q}}, "a_b_c: expected results of different"),
        (lambda q: (q, q), "expected names for several"),
        (lambda q: np.ma.masked_greater(q, 0.5), "no masks"),
        (lambda q: np.zeros((len(q), 0)), "expected numbers, found none"),
        (lambda q: q.astype(np.longdouble), "expected real numbers"),
    ],
)
def test_results_that_would_be_lost_are_refused(store, returned, words):
    if "real" in words and np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("long double is double here")
    with pytest.raises(px.ArgumentError, match=words):
        px.sweep(returned, px.sweeps.sampled(4, q=(0, 1)), store, block=2)
    assert not store.exists()


def test_axes_of_one_name_and_two_lengths_are_refused(store):
    space = {"a": np.zeros((3, 2)), "a_0": np.arange(3)}
    with pytest.raises(px.ArgumentError, match="its axis would be called a_0"):
        px.sweep(lambda a, a_0: a_0, space, store)


def test_an_exit_ends_a_block_and_not_the_study(store):
    def leaving(x):
        if x[0] >= 2:
            raise SystemExit(0)
        return x

    with pytest.warns(px.sweeps.SweepWarning, match="SystemExit"):
        found = px.sweep(leaving, {"x": np.arange(4.0)}, store, block=1)
    assert (found.status.done, found.status.failed) == (2, 2)


def test_a_block_that_raises_is_recorded_when_its_states_were_to_be_timed(store):
    def careful(x):
        if (x > 4).any():
            raise ValueError("too far")
        return x

    with pytest.warns(px.sweeps.SweepWarning, match="too far"):
        assert px.sweep(careful, {"x": np.arange(40.0)}, store).status.failed


def test_a_function_that_always_hangs_is_ended(store):
    import time

    with pytest.raises(px.ParaxisError, match="longer than its limit"):
        px.sweep(lambda x: time.sleep(60), {"x": np.arange(2.0)}, store, limit=0.02)


@pytest.mark.parametrize("limit", [0, True, np.inf, 1e300])
def test_limits_that_cannot_be_timed_are_refused(store, limit):
    with pytest.raises(px.ArgumentError, match="limit: expected seconds"):
        px.sweep(plain, SPACE, store, limit=limit)


@pytest.mark.parametrize(
    ("units", "words"),
    [({"zz": "m"}, "units: expected one of"), ("m", "expected a dict"), ({"a": 1}, "a word for a")],
)
def test_units_of_nothing_are_refused(store, units, words):
    with pytest.raises(px.ArgumentError, match=words):
        px.sweep(plain, SPACE, store, units=units)


def test_more_blocks_than_a_store_can_have_are_refused(store):
    with pytest.raises(px.ArgumentError, match="make blocks larger"):
        px.sweep(lambda x: x, px.sweeps.sampled(10**12, x=(0, 1)), store, block=1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("errors/2.json", "{"),
        ("errors/2.json", "[]"),
        ("errors/notes.txt", ""),
        ("errors/2.json", '{"error": 3}'),
        ("errors/99.json", '{"error": "x"}'),
        ("blocks/c/zz", ""),
        ("blocks/c/99", "\1"),
        ("blocks/c/-1", "\1"),
        ("zarr.json", "[" * 100_000),
        ("zarr.json", '{"attributes": {"paraxis": {"format": 1}}}'),
    ],
)
def test_strange_files_in_a_store_are_refused(store, name, content):
    px.sweep(lambda x: x, {"x": np.arange(4.0)}, store, block=2)
    (store / name).parent.mkdir(exist_ok=True)
    (store / name).write_text(content)
    with pytest.raises(px.sweeps.StoreError):
        px.sweeps.status(store)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": "abc"},
        {"shape": [10**30]},
        {"shape": [4, 4]},
        {"chunk": [0]},
        {"chunk": [True]},
        {"results": []},
        {"results": {"../../x": {"shape": [], "dtype": "<f8"}}},
        {"results": {"result": {"shape": [-1], "dtype": "<f8"}}},
        {"results": {"result": {"shape": [], "dtype": "|O"}}},
        {"identity": []},
        {"function": 3},
        {"axes": ["../x"]},
        {"units": [1]},
    ],
)
def test_what_a_store_says_of_its_study_is_not_trusted(store, change):
    px.sweep(lambda x: x, {"x": np.arange(4.0)}, store, block=2)
    root = json.loads((store / "zarr.json").read_text())
    root["attributes"]["paraxis"] |= change
    (store / "zarr.json").write_text(json.dumps(root))
    with pytest.raises(px.sweeps.StoreError, match="this is no study of px.sweep"):
        px.sweeps.status(store)


def test_a_store_of_another_length_is_refused(store):
    px.sweep(lambda x: x, {"x": np.arange(4.0)}, store, block=2)
    root = json.loads((store / "zarr.json").read_text())
    root["attributes"]["paraxis"]["shape"] = [40_000]
    (store / "zarr.json").write_text(json.dumps(root))
    with pytest.raises(px.sweeps.StoreError, match="its space has another shape|has changed"):
        px.sweep(lambda x: x, {"x": np.arange(4.0)}, store)


def test_a_path_as_a_url(store):
    found = px.sweep(plain, SPACE, store.as_uri(), block=6)
    assert found.store == str(store) and found.status.complete
    assert px.sweeps.status(f"local://{store}").complete


def test_units_that_change_are_refused(store):
    px.sweep(plain, SPACE, store, units={"a": "m"})
    assert px.sweep(plain, SPACE, store).open().a.attrs == {"units": "m"}
    with pytest.raises(px.sweeps.StoreError, match="leave units out"):
        px.sweep(plain, SPACE, store, units={"a": "km"})


def test_a_store_in_use_is_so_by_all_its_names(store):
    pytest.importorskip("fcntl")
    store.mkdir()
    other = store.with_name("other")
    other.symlink_to(store)
    with Folder(store).alone(), pytest.raises(px.sweeps.StoreError, match="another client"):
        px.sweep(plain, SPACE, other)
