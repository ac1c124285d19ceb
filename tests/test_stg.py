"""STG files: what is written can be read, and what is wrong is said to be."""

import pytest

import paraxis as px
from paraxis.errors import ArgumentError, TaskError


def test_long_numbers_stay_apart(tmp_path):
    tasks = px.TaskGraph({"a": 10**11, "b": 10**18 - 1, "c": 7}, [("a", "b"), ("b", "c")])
    path = tmp_path / "long.stg"
    tasks.to_stg(path)
    assert tuple(px.TaskGraph.from_stg(path).weights) == (10**11, 10**18 - 1, 7)


def test_a_weight_that_could_not_be_read_is_not_written():
    with pytest.raises(TaskError, match="task a: expected a weight of 18 digits at most"):
        px.TaskGraph({"a": 10**18}, []).to_stg()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0 0 1 2", "line 2: expected no predecessors of task 0, found 1"),
        ("0 0 -1", "line 2: expected a number of predecessors >= 0, found -1"),
        (f"0 {10**18} 0", "line 2: expected numbers of 18 digits at most"),
    ],
)
def test_wrong_rows(tmp_path, row, message):
    path = tmp_path / "wrong.stg"
    path.write_text(f"2\n{row}\n1 4 1 0\n2 4 1 1\n3 0 1 2\n")
    with pytest.raises(TaskError, match=message):
        px.TaskGraph.from_stg(path)


def test_what_is_no_path():
    with pytest.raises(ArgumentError, match="path: expected that of an STG file, found 5"):
        px.TaskGraph.from_stg(5)
    with pytest.raises(TaskError, match="expected a file in STG format"):
        px.TaskGraph.from_stg("a\0b")
