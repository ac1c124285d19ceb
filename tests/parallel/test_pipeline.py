"""Pipelines: the fewest buffers, streams that stay in step, and what breaks them."""

import itertools
import json
import math
import random
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import paraxis as px
from paraxis.parallel.pipelines.buffers import OUTSIDE, Line
from paraxis.parallel.pipelines.drawing import Layout

ALIGNMENTS = list(itertools.product([True, False], repeat=2))


def random_tasks(rng, size, weights=(0, 1, 1, 2), reach=None):
    """Every task but the first few takes from up to three of those before it."""
    edges = [
        (rng.randrange(max(0, then - (reach or then)), then), then)
        for then in range(2, size)
        for _ in range(rng.randint(0, 3))
    ]
    return px.TaskGraph({k: rng.choice(weights) for k in range(size)}, edges)


def random_values(rng, tasks):
    """Some edges carry the value x, some y, some both, some the only one there is."""
    kinds = [("x",), ("y",), ("x", "y"), None]
    edges = [(a, b) for b in tasks.names for a in tasks.predecessors[b]]
    chosen = {edge: rng.choice(kinds) for edge in edges}
    return {edge: kind for edge, kind in chosen.items() if kind}


def buffers_by_definition(tasks, latencies, starts, stages, values, shared, outputs, spacing=1):
    """The registers that given starts need, or None if something would come too late."""
    waits = {}
    for then in tasks.names:
        for first in tasks.predecessors[then]:
            wait = starts[then] - starts[first] - latencies[first]
            for value in values.get((first, then), ("",)):
                waits.setdefault((first, value), []).append(wait)
    for task in tasks.names:
        wait = stages - starts[task] - latencies[task]
        if wait < 0:
            return None
        if outputs and not tasks.successors[task]:
            waits[task, ""] = [wait]
    if any(wait < 0 for each in waits.values() for wait in each):
        return None
    registers = [[math.ceil(wait / spacing) for wait in each] for each in waits.values()]
    return sum(max(each) if shared else sum(each) for each in registers)


def fewest_by_trying(tasks, latencies, stages, values, shared, inputs, outputs):
    """The fewest buffers over all starts there are, and the earliest starts with so few."""
    choices = []
    for task, latency in enumerate(latencies):
        source, sink = not tasks.predecessors[task], not tasks.successors[task]
        if inputs and source:
            choices.append([0])
        elif outputs and sink and not latency:
            choices.append([stages])
        else:
            choices.append(range(stages - latency + 1))
    found = (
        (buffers_by_definition(tasks, latencies, starts, stages, values, shared, outputs), starts)
        for starts in itertools.product(*choices)
    )
    possible = [each for each in found if each[0] is not None]
    return min(possible, key=lambda each: (each[0], sum(each[1])))


@pytest.mark.parametrize("seed", range(40))
def test_no_starts_need_fewer_buffers(seed):
    rng = random.Random(seed)
    tasks = random_tasks(rng, rng.randint(1, 6))
    values = random_values(rng, tasks)
    inputs, outputs = ALIGNMENTS[seed % 4]
    for shared, extra in itertools.product((True, False), (0, 1)):
        options = dict(aligned_inputs=inputs, aligned_outputs=outputs, values=values, shared=shared)
        least = px.pipeline(tasks, stage=1, **options).stages
        p = px.pipeline(tasks, stage=1, stages=least + extra, **options)
        assert p.latencies == tasks.weights
        assert (p.buffers, p.starts) == fewest_by_trying(
            tasks, p.latencies, p.stages, values, shared, inputs, outputs
        )


@pytest.mark.parametrize("shared", [True, False])
def test_the_optimum_of_large_graphs_is_proved_by_a_flow(shared):
    """A flow of least cost in the dual network, found by other means, has the same value."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    tasks = random_tasks(random.Random(7), 400, reach=60)
    p = px.pipeline(tasks, shared=shared)
    takers = [list(after) if after else [OUTSIDE] for after in tasks.successors]
    if not shared:
        takers = [[each] for after in takers for each in after]
        makers = [k for k, after in enumerate(tasks.successors) for _ in after or [None]]
    else:
        makers = range(len(tasks))
    root, flow = len(tasks), SimpleMinCostFlow()  # the time of the root is 0
    demand, fixed, apart = {}, 0, []
    for task, latency in enumerate(p.latencies):
        apart += [(root, task, 0), (task, root, latency - p.stages)]
        apart += [(first, task, p.latencies[first]) for first in tasks.predecessors[task]]
        if not tasks.predecessors[task]:
            apart.append((task, root, 0))
        elif not tasks.successors[task] and not latency:
            apart.append((root, task, p.stages))
    for number, (maker, each) in enumerate(zip(makers, takers, strict=True)):
        end = root + 1 + number
        apart += [(root, end, p.stages) if t is OUTSIDE else (t, end, 0) for t in each]
        demand[end] = 1
        demand[maker] = demand.get(maker, 0) - 1
        fixed -= p.latencies[maker]
    for earlier, later, time in apart:
        flow.add_arc_with_capacity_and_unit_cost(earlier, later, 10_000, -time)
    for event, amount in demand.items():
        flow.set_node_supply(event, -amount)
    flow.set_node_supply(root, sum(demand.values()))
    assert flow.solve() == flow.OPTIMAL
    assert p.buffers == fixed - flow.optimal_cost()


@pytest.mark.parametrize("seed", range(20))
def test_sharing_lines_never_costs_buffers(seed):
    tasks = random_tasks(random.Random(seed), 60, reach=20)
    shared, unshared = px.pipeline(tasks), px.pipeline(tasks, shared=False)
    assert shared.stages == unshared.stages
    assert shared.buffers <= unshared.buffers
    assert unshared.tapped_delay_lines == 0
    assert sum(shared.delays.values()) == shared.buffers


# -- streams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_random_streams_stay_in_step(seed):
    rng = random.Random(seed)
    tasks = random_tasks(rng, rng.randint(1, 40))
    inputs, outputs = ALIGNMENTS[seed % 4]
    p = px.pipeline(
        tasks,
        stage=1,
        values=random_values(rng, tasks),
        shared=rng.random() < 0.5,
        aligned_inputs=inputs,
        aligned_outputs=outputs,
        processors=rng.choice([None, 1, 2, 5]),
    )
    stream = p.simulate(4)
    assert [{*made.values()} for made in stream.results] == [{0}, {1}, {2}, {3}]
    steps = [after - before for before, after in itertools.pairwise(stream.done)]
    assert steps == [p.interval] * 3
    assert stream.done[0] == p.latency


@pytest.mark.parametrize("processors", [None, 2])
@pytest.mark.parametrize("shared", [True, False])
def test_every_wrong_tap_is_found(shared, processors):
    tasks = random_tasks(random.Random(3), 25, reach=8)
    p = px.pipeline(tasks, shared=shared, processors=processors)
    p.simulate(3)
    tried = 0
    for k, line in enumerate(p.lines):
        for taker, delay in line.taps.items():
            for wrong in {delay + 1, max(delay - 1, 0)} - {delay}:
                spoilt = Line(line.task, line.value, line.taps | {taker: wrong})
                broken = replace(p, lines=(*p.lines[:k], spoilt, *p.lines[k + 1 :]))
                with pytest.raises(px.ScheduleError, match="stage"):
                    broken.simulate(3)
                tried += 1
    assert tried > 40


def test_what_does_not_belong_together_is_named():
    tasks = px.TaskGraph({"in": 0, "a": 1, "b": 1}, [("in", "a"), ("in", "b"), ("a", "b")])
    p = px.pipeline(tasks)
    source, *rest = p.lines
    assert source.taps == {1: 0, 2: 1}
    broken = replace(p, lines=(Line(0, None, {1: 0, 2: 0}), *rest))
    with pytest.raises(px.ScheduleError) as error:
        broken.simulate(2)
    assert str(error.value) == "stage 0: b receives item 0 from in and nothing from a together"
    late = replace(p, lines=(*p.lines[:-1], Line(2, None, {OUTSIDE: 1})))
    with pytest.raises(px.ScheduleError) as error:
        late.simulate(2)
    assert str(error.value) == "stage 2: nothing leaves b, but item 0 is due"


def test_two_tasks_at_once_on_a_processor_are_found():
    tasks = px.TaskGraph({"a": 2, "b": 2}, [])
    p = px.pipeline(tasks, stage=1, processors=2)
    assert p.interval == 2
    with pytest.raises(px.ScheduleError, match="b needs processor 0, which is busy with a"):
        replace(p, places=(0, 0)).simulate(1)


# -- by hand ---------------------------------------------------------------------------------------

REACH = 0.149  # the shoulder's offset, d2 of a PUMA


def first_angle():
    """Subtasks 1 to 3 of Lee and Chang, and the rotation that takes what they find."""
    tasks = px.TaskGraph(
        {"px": 0, "py": 0, "T1": 40, "T2": 40, "T3": 40, "T4": 40, "theta1": 0, "f": 0},
        [
            ("px", "T1"),
            ("py", "T1"),
            ("T1", "T2"),
            ("T2", "T3"),
            ("T1", "T3"),
            ("px", "T4"),
            ("py", "T4"),
            ("T3", "T4"),
            ("T3", "theta1"),
            ("T4", "f"),
        ],
        name="first angle",
    )
    values = {
        ("T1", "T2"): "x",
        ("T1", "T3"): "z",
        ("T3", "T4"): "z",
        ("T3", "theta1"): "z",
    }
    functions = {
        "T1": lambda x, y: {"x": math.hypot(x, y), "z": math.atan2(y, x)},
        "T2": lambda r: math.sqrt(r * r - REACH**2),
        "T3": lambda root, angle: {"z": angle - math.atan2(REACH, root)},
        "T4": lambda x, y, angle: x * math.cos(angle) + y * math.sin(angle),
    }
    return tasks, values, functions


def test_the_first_angle_of_a_puma():
    tasks, values, functions = first_angle()
    p = px.pipeline(tasks, stage=40, values=values)
    assert (p.stages, p.latency, p.interval, p.processors) == (4, 160, 40, 4)
    assert p.start == dict(px=0, py=0, T1=0, T2=1, T3=2, T4=3, theta1=4, f=4)
    assert p.delays == {"px": 3, "py": 3, "T1.z": 1, "T3.z": 1}
    assert (p.buffers, p.tapped_delay_lines) == (8, 0)
    points = [(0.5 + 0.1 * k, 0.3 - 0.2 * k) for k in range(5)]
    stream = p.simulate([{"px": x, "py": y} for x, y in points], functions)
    assert stream.done == [4, 5, 6, 7, 8]
    for (x, y), made in zip(points, stream.results, strict=True):
        angle = math.atan2(y, x) - math.atan2(REACH, math.sqrt(math.hypot(x, y) ** 2 - REACH**2))
        assert made == {"theta1": angle, "f": x * math.cos(angle) + y * math.sin(angle)}


def test_values_of_one_task_do_not_share_a_line():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "late"), ("a", "late")]
    tasks = px.TaskGraph(dict.fromkeys(["a", "b", "c", "late"], 1), edges)
    one = px.pipeline(tasks)
    assert (one.delays, one.tapped_delay_lines) == ({"a": 2}, 1)
    assert [line.taps for line in one.lines if line.length] == [{1: 0, 2: 1, 3: 2}]
    two = px.pipeline(tasks, values={("a", "late"): ["x", "y"], ("a", "c"): "x"})
    assert two.delays == {"a.x": 2, "a.y": 2}
    assert two.tapped_delay_lines == 1
    assert px.pipeline(tasks, shared=False).delays == {"a to c": 1, "a to late": 2}


def test_inputs_and_outputs_may_come_and_go_when_they_are_there():
    tasks = px.TaskGraph(
        {"p": 0, "q": 0, "a": 1, "b": 1, "early": 0, "last": 0},
        [("p", "a"), ("a", "b"), ("q", "b"), ("a", "early"), ("b", "last")],
    )
    assert px.pipeline(tasks).delays == {"q": 1, "a": 1}
    assert px.pipeline(tasks, aligned_inputs=False).delays == {"a": 1}
    skewed = px.pipeline(tasks, aligned_inputs=False, aligned_outputs=False)
    assert (skewed.delays, skewed.start["q"], skewed.start["early"]) == ({}, 1, 1)
    assert skewed.simulate(2).done == [2, 3]


def test_weights_become_stages():
    tasks = px.TaskGraph({"a": 0.3, "b": 0.1 + 0.2, "c": 0.31, "d": 0.0})
    assert px.pipeline(tasks, stage=0.1).latencies == (3, 3, 4, 0)
    assert px.pipeline(tasks).latencies == (1, 1, 1, 0)


def test_more_stages_than_needed():
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b")])
    p = px.pipeline(tasks, stages=5)
    assert (p.stages, p.buffers, p.simulate(2).done) == (5, 3, [5, 6])


# -- fewer processors than tasks -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_equal_tasks_keep_all_processors_busy(seed):
    rng = random.Random(seed)
    tasks = random_tasks(rng, rng.randint(2, 50), weights=(1,))
    for processors in (1, 2, 3, 7):
        p = px.pipeline(tasks, processors=processors)
        assert p.interval == math.ceil(len(tasks) / processors)
        p.simulate(3)


@pytest.mark.parametrize("seed", range(20))
def test_no_other_rounds_need_fewer_buffers(seed):
    """Processors and slots as they are, each task so many rounds later."""
    rng = random.Random(seed)
    tasks = random_tasks(rng, 6, weights=(1, 2))
    for shared in (True, False):
        p = px.pipeline(tasks, stage=1, processors=2, shared=shared)
        slots = [start % p.spacing for start in p.starts]
        found = (
            buffers_by_definition(tasks, p.latencies, starts, p.stages, {}, shared, True, p.spacing)
            for starts in itertools.product(
                *(range(slot, p.stages + 1, p.spacing) for slot in slots)
            )
        )
        assert p.buffers == min(each for each in found if each is not None)


def test_processors_shared_by_uneven_tasks():
    tasks = random_tasks(random.Random(5), 60, weights=(1, 2, 3, 5))
    p = px.pipeline(tasks, stage=1, processors=4)
    assert tasks.work / 4 <= p.interval <= 1.1 * tasks.work / 4
    assert p.processors == 4
    assert {*p.processor.values()} == {0, 1, 2, 3}


# -- Programs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"shared": False}, {"processors": 5}], ids=str)
@pytest.mark.parametrize("grain", [None, 5])
def test_a_stream_of_states_through_a_program(grain, options):
    program = px.program(px.robots.planar(3))
    p = px.pipeline(px.TaskGraph.from_program(program, grain, trig=2), stage=1, **options)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2, 3, 3))
    expected = program.evaluate(q=q, qd=qd, qdd=qdd)
    np.testing.assert_array_equal(p.evaluate(q=q, qd=qd, qdd=qdd), expected)
    one = p.evaluate(q=q[0, 0], qd=qd[0, 0], qdd=qdd[0, 0])
    np.testing.assert_array_equal(one, expected[0, 0])
    assert px.pipeline(p.tasks, stage=1, **options).delays == p.delays


def test_entries_that_are_constant_unused_or_only_passed_on():
    program = px.trace(
        lambda a, b, c: {"out": [a[1], 2.0, -a[0] * b, 0.0], "twice": 2.0 * b}, a=3, b=(), c=2
    )
    p = px.pipeline(px.TaskGraph.from_program(program))
    names = [name for name in p.tasks.names if not name.startswith("%")]
    assert names[:3] == ["input a[0]", "input a[1]", "input b"]
    assert names[-3:] == ["output out[0]", "output out[2]", "output twice"]
    assert p.delays == {"input a[1]": 1}
    arrays = dict(a=[[1.0, 2.0, 3.0], [1.0, 2.0, math.nan], [math.nan, 2.0, 0.0]], b=5.0, c=[0, 1])
    made, expected = p.evaluate(**arrays), program.evaluate(**arrays)
    assert made.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(made[name], array)


def test_operations_on_constants():
    """Tracing folds them; text is taken as it is written."""
    text = """program odd
        input q[2]
        %0 = const 2.0
        %1 = sqrt %0
        %2 = input q 0
        %3 = mul %1 %2
        %4 = neg %0
        output y[3] = %3 %1 %4"""
    program = px.parse(text)
    p = px.pipeline(px.TaskGraph.from_program(program))
    q = [[1.0, 2.0], [3.0, 4.0]]
    np.testing.assert_array_equal(p.evaluate(q=q), program.evaluate(q=q))


def test_a_wrong_tap_in_a_program_is_found():
    program = px.program(px.robots.planar(2))
    p = px.pipeline(px.TaskGraph.from_program(program))
    k = next(k for k, line in enumerate(p.lines) if line.tapped)
    line = p.lines[k]
    spoilt = Line(line.task, line.value, {each: line.length for each in line.taps})
    broken = replace(p, lines=(*p.lines[:k], spoilt, *p.lines[k + 1 :]))
    with pytest.raises(px.ScheduleError, match=r"stage \d+: .* receives .* together"):
        broken.evaluate(q=[0, 1], qd=[1, 2], qdd=[3, 4])


# -- showing it ------------------------------------------------------------------------------------


def test_it_prints():
    tasks, values, _ = first_angle()
    assert (
        str(px.pipeline(tasks, values=values))
        == """\
first angle: 4 processors, 4 stages, an item every stage, 8 buffer stages in 4 delay lines, 0 tapped

stage  tasks that start
    0  px; py; T1
    1  T2
    2  T3
    3  T4
    4  theta1; f

delay line  stages  read by
px               3  T1 at once, T4 after 3
py               3  T1 at once, T4 after 3
T1.z             1  T3 after 1
T3.z             1  T4 at once, theta1 after 1"""
    )


def test_large_pipelines_print_their_beginnings():
    edges = [(k, k + 1) for k in range(99)] + [(0, k) for k in range(2, 100)]
    edges += [(k, "late") for k in range(50)]
    tasks = px.TaskGraph(dict.fromkeys([*range(100), "late"], 1), edges, "long\nname")
    p = px.pipeline(tasks)
    assert "\n" not in repr(p)
    lines = str(p).splitlines()
    assert len(lines) == 41
    assert lines[20] == "... and 83 more stages"
    assert lines[-1] == f"... and {len(p.delays) - 17} more delay lines"
    assert lines[23].startswith("0               98  1 at once, 2 after 1, 3 after 2, ")
    assert lines[23].endswith(", ... and 95 more") and len(lines[23]) <= 100


def test_json(tmp_path):
    tasks, values, _ = first_angle()
    p = px.pipeline(tasks, stage=40, values=values)
    text = p.to_json(tmp_path / "p.json")
    assert (tmp_path / "p.json").read_text() == text
    told = json.loads(text)
    assert (told["stages"], told["latency"], told["interval"], told["buffers"]) == (4, 160, 40, 8)
    assert told["tasks"][4] == {
        "name": "T3",
        "after": ["T2", "T1"],
        "start": 2,
        "stages": 1,
        "processor": 2,
    }
    line = {"name": "T1.z", "task": "T1", "value": "z", "stages": 1, "taps": {"T3": 1}}
    assert line in told["lines"]


class Elements(HTMLParser):
    """What is open must be closed; keeps the first class of each element, and the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.classes, self.words = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.classes.append(dict(attributes).get("class", "").split(" ")[0])
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize(
    "options", [{}, {"shared": False}, {"processors": 3}, {"aligned_inputs": False}], ids=str
)
def test_the_page_shows_every_task_and_register(tmp_path, options):
    tasks = px.TaskGraph.from_program(px.program(px.robots.planar(2)))
    p = px.pipeline(tasks, **options)
    text = p.to_html(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == text
    found = Elements(text)
    assert found.classes.count("task") == len(tasks)
    assert found.classes.count("register") == p.buffers
    shared = "processors" in options
    assert found.classes.count("place") == (len(tasks) if shared else 0)
    assert ("processor 2" in found.words) == shared
    for line in p.delays:
        assert line in found.words


def test_the_page_escapes_names():
    tasks = px.TaskGraph({"in": 0, "<b>": 1, "a&b": 0}, [("in", "<b>"), ("<b>", "a&b")], "<script>")
    text = px.pipeline(tasks, stages=3).to_html()
    assert "<b>" not in text.replace("<li><b>", "")
    assert "<script>" not in text
    Elements(text)


@pytest.mark.parametrize("seed", range(10))
def test_things_in_one_row_of_the_picture_do_not_overlap(seed):
    rng = random.Random(seed)
    tasks = random_tasks(rng, 40, reach=9)
    p = px.pipeline(tasks, stage=1, values=random_values(rng, tasks), shared=seed % 2)
    layout = Layout(p)
    assert len(layout.task_row) == len(tasks)
    for taken in layout.taken:
        for (_, end), (start, _) in itertools.pairwise(sorted(taken)):
            assert end <= start
    for wires, tracks in zip(layout.wires, layout.tracks, strict=True):
        for (a, s), (b, t) in itertools.combinations(zip(wires, tracks, strict=True), 2):
            assert s != t or a.rows[-1] < b.rows[0] or b.rows[-1] < a.rows[0]
    reached = [(w.line, taker) for wires in layout.wires for w in wires for taker in w.takers]
    lines = enumerate(p.lines)
    assert sorted(reached) == sorted(
        (k, taker) for k, line in lines for taker in line.taps if taker is not OUTSIDE
    )


def test_large_pipelines_are_not_drawn():
    tasks = px.TaskGraph(dict.fromkeys(range(2001), 1))
    assert "More than 2,000 tasks are not drawn." in px.pipeline(tasks).to_html()


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stages": 1}, "stages: expected .* >= 2.*, found 1"),
        ({"stages": 2.0}, "stages: expected .*, found 2.0"),
        ({"stage": 0}, "stage: expected a length > 0, found 0"),
        ({"stage": math.nan}, "stage: expected a length > 0, found nan"),
        ({"processors": 0}, "processors: expected .* >= 1.*, found 0"),
        ({"processors": True}, "processors: expected .*, found True"),
        ({"values": ["x"]}, "values: expected a mapping, found list"),
        ({"values": {("b", "a"): "x"}}, r"values: expected an edge of tasks, found \('b', 'a'\)"),
        ({"values": {("a", "b"): ()}}, r"values: expected the names .* \('a', 'b'\), found none"),
    ],
)
def test_bad_options_are_named(options, message):
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b")])
    with pytest.raises((px.ArgumentError, px.TaskError), match=message):
        px.pipeline(tasks, **options)


def test_no_tasks():
    with pytest.raises(px.TaskError, match="nothing: there are no tasks"):
        px.pipeline(px.TaskGraph({}, name="nothing"))
    with pytest.raises(px.ArgumentError, match="tasks: expected a TaskGraph, found list"):
        px.pipeline([])


def test_messages_are_refused():
    tasks = px.TaskGraph({"a": 1, "b": 1}, [("a", "b", 3)])
    with pytest.raises(px.TaskError, match="a message of size 3 goes from a to b"):
        px.pipeline(tasks)
    program = px.program(px.robots.planar(2))
    with pytest.raises(px.TaskError, match="a message of size 1 goes from"):
        px.pipeline(px.TaskGraph.from_program(program, messages=1))


def test_what_takes_no_time_but_several_values_needs_a_function():
    tasks = px.TaskGraph({"x": 0, "y": 0, "sum": 0}, [("x", "sum"), ("y", "sum")])
    p = px.pipeline(tasks)
    point = [{"x": 1, "y": 2}]
    assert p.simulate(point, {"sum": lambda x, y: x + y}).results == [{"sum": 3}]
    with pytest.raises(
        px.ArgumentError, match="several arguments needs a function, .* none for 'sum'"
    ):
        p.simulate(point, {})


def test_a_missing_solver_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(px.MissingPackageError, match=r"pip install 'paraxis\[opt\]'"):
        px.pipeline(px.TaskGraph({"a": 1}))


def test_bad_streams_are_named():
    tasks, values, functions = first_angle()
    p = px.pipeline(tasks, values=values)
    for items in (0, True, [], "abc", None):
        with pytest.raises(px.ArgumentError, match="items: expected"):
            p.simulate(items)
    with pytest.raises(px.ArgumentError, match="items: expected a list of dicts"):
        p.simulate(3, functions)
    with pytest.raises(px.ArgumentError, match="item 1: expected a value for each of"):
        p.simulate([{"px": 1, "py": 2}, {"px": 1}], functions)
    point = [{"px": 1.0, "py": 2.0}]
    with pytest.raises(px.ArgumentError, match="functions: items with values need functions"):
        p.simulate(point)
    with pytest.raises(px.ArgumentError, match="functions: .* there is none for 'T1', .* 'T4'"):
        p.simulate(point, {})
    with pytest.raises(px.ArgumentError, match="functions: there is no task 'T5'"):
        p.simulate(point, {**functions, "T5": functions["T4"]})
    with pytest.raises(px.ArgumentError, match="function of T4: expected a function, found None"):
        p.simulate(point, {**functions, "T4": None})
    with pytest.raises(px.ArgumentError, match="functions: expected a mapping .*, found list"):
        p.simulate(point, [functions])
    with pytest.raises(px.ArgumentError, match="function of T3: expected a dict with 'z'"):
        p.simulate(point, {**functions, "T3": lambda root, angle: angle})
    with pytest.raises(px.ArgumentError, match="expected a dict with 'x', found None"):
        p.simulate(point, {**functions, "T1": lambda x, y: None})
    with pytest.raises(px.ArgumentError, match="only a pipeline of a Program can be evaluated"):
        p.evaluate(px=1.0, py=2.0)
    program = px.program(px.robots.planar(2))
    p = px.pipeline(px.TaskGraph.from_program(program))
    with pytest.raises(px.ArgumentError, match="missing"):
        p.evaluate(q=[0, 1])
    with pytest.raises(px.ArgumentError, match="values: cannot be given for a Program"):
        px.pipeline(px.TaskGraph.from_program(program), values={})


# -- large numbers ---------------------------------------------------------------------------------


def test_stages_of_whole_weights_are_exact():
    assert px.pipeline(px.TaskGraph({"a": 10**9 + 1}, []), stage=1).stages == 10**9 + 1
    assert px.pipeline(px.TaskGraph({"a": 0.1 + 0.2}, []), stage=0.1).stages == 3


@pytest.mark.parametrize(("weight", "stage"), [(1, 1e-320), (10**20, 1)])
def test_too_many_stages(weight, stage):
    with pytest.raises(px.TaskError, match="expected at most 10,000,000,000 stages, found 1.00e"):
        px.pipeline(px.TaskGraph({"a": weight}, []), stage=stage)


@pytest.mark.parametrize("names", [[[1]], {"x": 1}, [("x", [1])]])
def test_values_need_names(names):
    with pytest.raises(px.TaskError, match="expected hashable names of the values along"):
        px.pipeline(px.TaskGraph({"a": 1, "b": 1}, [("a", "b")]), values={("a", "b"): names})
