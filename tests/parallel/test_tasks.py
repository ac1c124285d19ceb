"""Task graphs: what they say of themselves, what they refuse, and Standard Task Graph files."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraxis as px

# Four tasks: b and c need a, d needs both.
DIAMOND = {"a": 2, "b": 1, "c": 5, "d": 3}
EDGES = [("a", "b"), ("a", "c", 4), ("b", "d"), ("c", "d")]


@pytest.fixture
def diamond():
    return px.TaskGraph(DIAMOND, EDGES, "diamond")


@st.composite
def whole_graphs(draw):
    """Tasks with whole weights; an edge only goes from a task to one named later."""
    weights = draw(st.lists(st.integers(0, 9), max_size=12))
    pairs = [(i, j) for j in range(len(weights)) for i in range(j)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.permutations(range(len(weights))))
    return px.TaskGraph(
        {names[k]: weight for k, weight in enumerate(weights)},
        [(names[i], names[j]) for i, j in chosen],
    )


# -- what a graph says of itself -------------------------------------------------------------------


def test_a_small_graph(diamond):
    assert diamond.names == ("a", "b", "c", "d")
    assert diamond.predecessors == ((), (0,), (0,), (1, 2))
    assert diamond.successors == ((1, 2), (3,), (3,), ())
    assert diamond.messages == {(0, 2): 4}
    assert (diamond.work, diamond.span, diamond.parallelism) == (11, 10, 1.1)
    assert diamond.heads == [0, 2, 2, 7]
    assert diamond.tails == [10, 4, 8, 3]
    assert diamond.critical_path() == ["a", "c", "d"]
    assert diamond.layers == [["a"], ["b", "c"], ["d"]]
    assert diamond.width == 2
    assert "4 tasks, 4 edges, work 11, span 10" in repr(diamond)


def test_edges_come_back(diamond):
    edges = list(diamond.edges())
    assert edges == [("a", "b", 0), ("a", "c", 4), ("b", "d", 0), ("c", "d", 0)]
    again = px.TaskGraph(DIAMOND, edges)
    assert (again.predecessors, again.messages) == (diamond.predecessors, diamond.messages)


def test_done_backwards(diamond):
    back = diamond.mirrored
    assert back.predecessors == diamond.successors
    assert back.messages == {(2, 0): 4}
    assert back.span == diamond.span
    assert [h + w for h, w in zip(back.heads, back.weights, strict=True)] == diamond.tails


def test_nothing_to_do():
    empty = px.TaskGraph({})
    assert (len(empty), empty.work, empty.span, empty.width) == (0, 0, 0, 0)
    assert empty.layers == empty.critical_path() == []


def test_an_edge_counts_once_and_its_largest_message():
    tasks = px.TaskGraph({1: 1, 2: 1}, [(1, 2, 3), (1, 2, 5), (1, 2, 4), (1, 2)])
    assert tasks.predecessors == ((), (0,))
    assert tasks.messages == {(0, 1): 5}


@pytest.mark.parametrize(
    ("weight", "message", "kind"),
    [
        (np.int32(3), np.int64(1), int),
        (np.float32(1.5), np.int64(1), float),
        (np.int32(3), np.float64(0.5), float),
    ],
)
def test_times_are_all_whole_or_all_floats(weight, message, kind):
    tasks = px.TaskGraph({"a": weight, "b": 2}, [("a", "b", message)])
    assert {type(time) for time in (*tasks.weights, *tasks.messages.values())} == {kind}
    assert tasks.whole == (kind is int)


def test_one_of_a_kind():
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b")])
    assert "2 tasks, 1 edge, work 2" in repr(tasks)
    assert "1 task, 0 edges" in repr(px.TaskGraph({"a": 1}))


@given(whole_graphs())
def test_the_order_respects_every_edge(tasks):
    position = {task: k for k, task in enumerate(tasks.order)}
    assert sorted(position) == list(range(len(tasks)))
    for then, before in enumerate(tasks.predecessors):
        assert all(position[first] < position[then] for first in before)


@given(whole_graphs())
def test_levels_are_longest_paths(tasks):
    for k in range(len(tasks)):
        assert tasks.heads[k] + tasks.tails[k] <= tasks.span
        for then in tasks.successors[k]:
            assert tasks.heads[then] >= tasks.heads[k] + tasks.weights[k]
    path = tasks.critical_path()
    assert sum(tasks.weights[tasks.index[name]] for name in path) == tasks.span


# -- what it refuses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "edges", "said"),
    [
        ([1, 2], [], "weights: expected a mapping from names to weights, found list"),
        ({"a": -1}, [], "task a: expected a weight >= 0, found -1"),
        ({"a": math.nan}, [], "task a: expected a finite number as its weight, found nan"),
        ({"a": math.inf}, [], "task a: expected a finite number as its weight, found inf"),
        ({"a": "3"}, [], "task a: expected a finite number as its weight, found '3'"),
        ({"a": True}, [], "task a: expected a finite number as its weight, found True"),
        ({"a": 1}, [("a", "b")], "edge ('a', 'b'): there is no task 'b'"),
        ({"a": 1}, [("a",)], "edge: expected (before, after) or (before, after, size)"),
        ({"a": 1}, [7], "edge: expected (before, after) or (before, after, size), found 7"),
        ({"a": 1}, [("a", ["b"])], "edge: expected (before, after)"),
        ({"a": 1, "b": 1}, [("a", "b", 1, 2)], "edge: expected (before, after)"),
        ({"a": 1, "b": 1}, [("a", "b", -2)], "message 'a' -> 'b': expected a size >= 0, found -2"),
        (
            {"a": 1, "b": 1},
            [("a", "b", "x")],
            "message 'a' -> 'b': expected a finite number as its size",
        ),
        ({"a": 1}, None, "edges: expected (before, after) pairs, found NoneType"),
        ({"a": 10**400, "b": 0.5}, [], "task a: expected a weight <= 1e+300, found more"),
        (
            {"a": 10**299, "b": 10**300 - 1},
            [],
            "tasks: the times add up to more than 1e+300",
        ),
        (dict.fromkeys("abc", 1e300), [], "tasks: the times add up to more than 1e+300"),
        ({"a": 1}, [("a", "a")], "the tasks form a cycle: a -> a"),
    ],
)
def test_bad_tasks(weights, edges, said):
    with pytest.raises(px.TaskError) as caught:
        px.TaskGraph(weights, edges)
    assert said in str(caught.value)


@pytest.mark.parametrize("what", ["labels", "groups"])
def test_only_tasks_have_labels_and_groups(what):
    with pytest.raises(px.TaskError, match=f"{what}: there is no task 'b'"):
        px.TaskGraph({"a": 1}, **{what: {"a": "x", "b": "y"}})
    with pytest.raises(px.TaskError, match=f"{what}: expected a mapping from names, found list"):
        px.TaskGraph({"a": 1}, **{what: ["x"]})


def test_a_cycle_is_shown():
    around = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]
    with pytest.raises(px.TaskError, match="loop: the tasks form a cycle: b -> c -> b"):
        px.TaskGraph(dict.fromkeys("abcd", 1), around, "loop")


def test_a_long_cycle_is_cut_short():
    many = 10_000
    with pytest.raises(px.TaskError) as caught:
        px.TaskGraph(dict.fromkeys(range(many), 1), [(k, (k + 1) % many) for k in range(many)])
    assert "..." in str(caught.value)
    assert len(str(caught.value)) < 200


# -- Standard Task Graph files ---------------------------------------------------------------------

SAMPLE = """\
          3
          0          0          0
          1         20          1          0
          2          5          1          1
          3          0          2          1          2
          4          0          1          3
# Standard Task Graph Set Project
#   a remark with 7 numbers
"""


def written(tmp_path, text):
    path = tmp_path / "sample.stg"
    path.write_text(text)
    return path


def test_reading(tmp_path):
    tasks = px.TaskGraph.from_stg(written(tmp_path, SAMPLE))
    assert tasks.name == "sample"
    assert tasks.names == ("1", "2", "3")
    assert tasks.weights == (20, 5, 0)
    assert tasks.predecessors == ((), (0,), (0, 1))


def test_writing(tmp_path):
    path = tmp_path / "diamond.stg"
    text = px.TaskGraph(DIAMOND, EDGES, "diamond").to_stg(path)
    assert path.read_text() == text
    rows = [[int(word) for word in line.split()] for line in text.splitlines() if line[0] != "#"]
    assert rows == [
        [4],
        [0, 0, 0],
        [1, 2, 1, 0],
        [2, 1, 1, 1],
        [3, 5, 1, 1],
        [4, 3, 2, 2, 3],
        [5, 0, 1, 4],
    ]
    assert "# CP Length           : 10" in text


@given(tasks=whole_graphs())
def test_what_is_written_is_read_again(tmp_path_factory, tasks):
    path = tmp_path_factory.getbasetemp() / "round.stg"
    text = tasks.to_stg(path)
    again = px.TaskGraph.from_stg(path)
    place = {task: k for k, task in enumerate(tasks.order)}
    assert again.weights == tuple(tasks.weights[task] for task in tasks.order)
    for k, task in enumerate(tasks.order):
        assert sorted(again.predecessors[k]) == sorted(place[f] for f in tasks.predecessors[task])
    assert again.to_stg().splitlines()[:-3] == text.splitlines()[:-3]  # but for the remarks


def test_only_whole_weights_are_written():
    assert "          1          3" in px.TaskGraph({"a": 3.0}).to_stg()
    with pytest.raises(px.TaskError, match="task a: expected an integer weight for STG, found 1.5"):
        px.TaskGraph({"a": 1.5}).to_stg()


HEAD = "2\n0 0 0\n1 4 1 0\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected the number of tasks, found nothing"),
        ("# only a remark\n", "line 1: expected the number of tasks, found nothing"),
        ("2 3\n", "line 1: expected the number of tasks, found 2 3"),
        ("-2\n", "line 1: expected the number of tasks, found -2"),
        ("two\n", "line 1: expected integers, found 'two'"),
        ("2\n", "line 1: expected 4 rows, tasks 0 to 3, found the end after 0"),
        (HEAD, "line 3: expected 4 rows, tasks 0 to 3, found the end after 2"),
        (HEAD + "2 4\n", "line 4: expected a task's number, its time and how many predecessors"),
        (HEAD + "2 4 2 1\n", "line 4: expected 2 predecessors, found 1"),
        (HEAD + "2 4 1 1 0\n", "line 4: expected 1 predecessor, found 2"),
        (HEAD + "2 4 -1\n", "line 4: expected a predecessor count >= 0, found -1"),
        (HEAD + "3 4 1 1\n", "line 4: expected task 2, found task 3"),
        (HEAD + "2 -4 1 1\n", "line 4: expected a time >= 0 for task 2, found -4"),
        (HEAD + "2 4.5 1 1\n", "line 4: expected integers, found '4.5'"),
        (HEAD + "2 4 1 3\n", "line 4: expected predecessors from 0 to 2, found 3"),
        (HEAD + "2 4 1 1\n3 6 1 2\n", "line 5: expected a dummy of time 0, found time 6"),
        (HEAD + "2 4 1 1\n3 0 1 2\n4 0 0\n", "line 6: expected the end after task 3, found 4 0 0"),
        ("2\n0 0 0\n1 4 1 2\n2 4 1 1\n3 0 1 1\n", "the tasks form a cycle: "),
    ],
)
def test_bad_files(tmp_path, text, said):
    path = written(tmp_path, text)
    with pytest.raises(px.TaskError) as caught:
        px.TaskGraph.from_stg(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("lines", range(6))
def test_a_file_cut_after_any_line_is_refused(tmp_path, lines):
    text = "\n".join(SAMPLE.splitlines()[:lines])
    with pytest.raises(px.TaskError, match="sample.stg"):
        px.TaskGraph.from_stg(written(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(px.TaskError, match="none.stg"):
        px.TaskGraph.from_stg(tmp_path / "none.stg")
    with pytest.raises(px.TaskError, match=tmp_path.name):
        px.TaskGraph.from_stg(tmp_path)
    (tmp_path / "binary.stg").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(px.TaskError, match="binary.stg"):
        px.TaskGraph.from_stg(tmp_path / "binary.stg")
