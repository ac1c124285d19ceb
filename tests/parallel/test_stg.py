"""STG files: what is written can be read, and what is wrong is said to be."""

import pytest

import paraxis as px
from paraxis.errors import ArgumentError, TaskError
from paraxis.parallel.tasks import stg


def test_long_numbers_stay_apart(tmp_path):
    tasks = px.TaskGraph({"a": 10**11, "b": 10**18 - 1, "c": 7}, [("a", "b"), ("b", "c")])
    path = tmp_path / "long.stg"
    tasks.to_stg(path)
    assert tuple(px.TaskGraph.from_stg(path).weights) == (10**11, 10**18 - 1, 7)


def test_a_weight_that_could_not_be_read_is_not_written():
    with pytest.raises(TaskError, match="task a: expected a weight of at most 18 digits"):
        px.TaskGraph({"a": 10**18}, []).to_stg()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0 0 1 2", "line 2: expected task 0 to have no predecessors, found 1"),
        ("0 0 -1", "line 2: expected a predecessor count >= 0, found -1"),
        (f"0 {10**18} 0", "line 2: expected numbers of at most 18 digits"),
    ],
)
def test_wrong_rows(tmp_path, row, message):
    path = tmp_path / "wrong.stg"
    path.write_text(f"2\n{row}\n1 4 1 0\n2 4 1 1\n3 0 1 2\n")
    with pytest.raises(TaskError, match=message):
        px.TaskGraph.from_stg(path)


def test_a_file_that_counts_its_dummies_too(tmp_path):
    """As the public robot.stg does, whose 90 tasks are 88 and two dummies."""
    path = tmp_path / "counted.stg"
    path.write_text("5\n0 0 0\n1 4 1 0\n2 6 1 1\n3 5 1 1\n4 0 2 2 3\n# the end\n")
    tasks = px.TaskGraph.from_stg(path)
    assert tasks.names == ("1", "2", "3")
    assert tuple(tasks.weights) == (4, 6, 5)
    assert [edge[:2] for edge in tasks.edges()] == [("1", "2"), ("1", "3")]


@pytest.mark.parametrize(
    "rows",
    [
        "0 0 0\n1 4 1 0\n2 6 1 1\n3 5 1 1",  # no dummy at its end
        "0 0 0\n1 4 1 0\n2 6 1 1\n3 5 1 1\n4 0 1 3",  # one that does not follow task 2
        "0 0 0\n1 4 1 0\n2 6 1 1\n3 5 1 1\n4 7 2 2 3",  # one that takes time
    ],
)
def test_a_file_that_breaks_off_is_not_one_that_counts_its_dummies(tmp_path, rows):
    path = tmp_path / "broken.stg"
    path.write_text(f"5\n{rows}\n")
    with pytest.raises(TaskError, match="expected 7 rows, tasks 0 to 6, found the end after"):
        px.TaskGraph.from_stg(path)


def test_no_more_than_a_bounded_part_of_a_file_is_read(tmp_path):
    path = tmp_path / "endless.stg"
    with open(path, "wb") as file:
        file.truncate(2**40)  # a hole: it takes no room on the disk, and would fill the memory
    with pytest.raises(TaskError, match="the file is larger than 64 MB"):
        px.TaskGraph.from_stg(path)


def test_the_numbers_of_a_file_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(stg, "MOST_NUMBERS", 12)
    path = tmp_path / "many.stg"
    path.write_text("2\n0 0 0\n1 4 1 0\n2 4 1 1\n3 0 1 2\n")
    with pytest.raises(TaskError, match="the file has more than 12 numbers"):
        px.TaskGraph.from_stg(path)


def test_what_is_no_path():
    with pytest.raises(ArgumentError, match="path: expected the path of an STG file, found 5"):
        px.TaskGraph.from_stg(5)
    with pytest.raises(TaskError, match="cannot be read as an STG file"):
        px.TaskGraph.from_stg("a\0b")
