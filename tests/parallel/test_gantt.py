"""Charts of schedules: what a schedule waits for, the page, and its script where Node is."""

import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from support.pages import addresses

import paraxis as px
from paraxis.drawing.axes import LinearAxis
from paraxis.drawing.figure import Figure
from paraxis.parallel.gantt.called import called, value_words
from paraxis.parallel.gantt.page import SCRIPTS, _file, page
from paraxis.parallel.gantt.waits import NEEDS, PROCESSOR, causes, critical_chain, slacks
from paraxis.parallel.schedules.schedule import violations
from paraxis.parallel.schedules.speedup_curve import speedup_figures


def diamond(message=0):
    """a before b and c, both before d; c is the longer way."""
    edges = [("a", "b"), ("a", "c", message), ("b", "d"), ("c", "d")]
    return px.TaskGraph({"a": 2, "b": 1, "c": 5, "d": 3}, edges, name="diamond")


def scattered(seed, count=40, processors=3, whole=True):
    """A schedule of random tasks, some of no length, with messages; each starts when it can."""
    rng = random.Random(seed)
    weights = {k: rng.randint(0, 5) if whole else rng.uniform(0, 5) for k in range(count)}
    edges = [
        (first, then, rng.randint(0, 3))
        for then in range(1, count)
        for first in rng.sample(range(then), min(then, rng.randint(0, 2)))
    ]
    tasks = px.TaskGraph(weights, edges)
    places = [rng.randrange(processors) for _ in range(count)]
    starts = as_early_as_can_be(tasks, places, list(tasks.order), [0] * count)
    return px.parallel.Schedule(tasks, processors, tuple(starts), tuple(places))


def as_early_as_can_be(tasks, places, order, least):
    """The starts when every processor keeps its order and no task starts before its least."""
    starts, free = [0] * len(tasks), {}
    for task in order:
        ready = [least[task]]
        if tasks.weights[task]:
            ready.append(free.get(places[task], 0))
        for first in tasks.predecessors[task]:
            message = tasks.messages.get((first, task), 0) * (places[first] != places[task])
            ready.append(starts[first] + tasks.weights[first] + message)
        starts[task] = max(ready)
        if tasks.weights[task]:
            free[places[task]] = starts[task] + tasks.weights[task]
    return starts


# -- what a schedule waits for ---------------------------------------------------------------------


def test_what_a_task_waits_for():
    schedule = px.parallel.Schedule(diamond(), 2, (0, 2, 2, 7), (0, 0, 1, 0))
    assert causes(schedule) == [None, (0, NEEDS), (0, NEEDS), (2, NEEDS)]
    assert critical_chain(schedule) == ["a", "c", "d"]
    assert slacks(schedule) == [0, 4, 0, 0]


def test_a_processor_can_be_what_is_waited_for():
    schedule = px.parallel.Schedule(diamond(), 1, (0, 2, 3, 8), (0, 0, 0, 0))
    assert causes(schedule)[2] == (1, PROCESSOR)
    assert critical_chain(schedule) == ["a", "b", "c", "d"]
    assert slacks(schedule) == [0, 0, 0, 0]


def test_messages_count_between_processors_only():
    schedule = px.parallel.Schedule(diamond(message=4), 2, (0, 2, 6, 11), (0, 0, 1, 0))
    assert slacks(schedule) == [0, 8, 0, 0]
    schedule = px.parallel.Schedule(diamond(message=4), 2, (0, 2, 2, 7), (0, 1, 0, 0))
    assert slacks(schedule) == [0, 4, 0, 0]


def test_a_schedule_that_dawdles_has_a_chain_and_slack():
    schedule = px.parallel.Schedule(diamond(), 2, (1, 5, 4, 10), (0, 0, 1, 0))
    assert critical_chain(schedule) == ["a", "c", "d"]
    assert slacks(schedule) == [2, 4, 1, 0]


def test_no_tasks_no_chain():
    schedule = px.schedule(px.TaskGraph({}), 2)
    assert critical_chain(schedule) == [] and slacks(schedule) == []


@pytest.mark.parametrize("seed", range(20))
def test_slack_is_what_can_be_lost_and_no_more(seed):
    schedule = scattered(seed)
    tasks, places = schedule.tasks, schedule.places
    late = [start + slack for start, slack in zip(schedule.starts, slacks(schedule), strict=True)]
    assert violations(tasks, schedule.processors, late, places) == []
    assert max(s + w for s, w in zip(late, tasks.weights, strict=True)) == schedule.makespan
    for task in range(len(tasks)):
        later = [0] * len(tasks)
        later[task] = late[task] + 1
        starts = as_early_as_can_be(tasks, places, list(tasks.order), later)
        ends = [s + w for s, w in zip(starts, tasks.weights, strict=True)]
        assert max(ends) == schedule.makespan + 1


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_the_chain_leads_from_the_start_to_the_end_without_a_gap(seed, whole):
    schedule = scattered(seed, whole=whole)
    tasks, found = schedule.tasks, causes(schedule)
    chain = [tasks.index[name] for name in critical_chain(schedule)]
    assert schedule.starts[chain[0]] == 0 and found[chain[0]] is None
    assert schedule.starts[chain[-1]] + tasks.weights[chain[-1]] == schedule.makespan
    for first, then in pairwise(chain):
        message = tasks.messages.get((first, then), 0)
        apart = schedule.places[first] != schedule.places[then]
        wait = message if found[then][1] == NEEDS and apart else 0
        ready = schedule.starts[first] + tasks.weights[first] + wait
        assert schedule.starts[then] == pytest.approx(ready)
    assert all(slacks(schedule)[task] == pytest.approx(0) for task in chain)


# -- the page --------------------------------------------------------------------------------------

ODD = "</script><script>alert(1)</script>"
WORSE = 'a\u2028b\u202e<img src=x onerror="alert(2)">'


class Page(HTMLParser):
    """The elements of a page; every tag must be closed by its own."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.words, self.scripts = [], [], [], []
        self.attributes = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input", "link"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)

    @property
    def data(self):
        return json.loads(self.scripts[0])


def test_the_page_holds_every_task_and_what_is_known_of_it():
    tasks = px.TaskGraph(
        {"a": 1, "b": 2.5, "c": 0},
        [("a", "b", 3), ("a", "c")],
        name="three",
        labels={"b": "the second"},
        groups={"a": 1, "b": "odd", "c": 1},
        unit="s",
    )
    schedule = px.parallel.Schedule(
        tasks, 2, (0, 4, 1), (0, 1, 0), "by hand", {"critical path": 3.5}
    )
    found = Page(schedule.to_html())
    assert found.data == {
        "names": ["a", "b", "c"],
        "bars": [],
        "labels": ["", "the second", ""],
        "unit": "s",
        "groupNames": ["link 1", "odd"],
        "groups": [0, 1, 0],
        "weights": [1, 2.5, 0],
        "before": [[], [0], [0]],
        "messages": [[0, 1, 3]],
        "schedules": [
            {
                "processors": 2,
                "numbers": [0, 1],
                "senders": [],
                "makespan": 6.5,
                "starts": [0, 4, 1],
                "places": [0, 1, 0],
                "slacks": [0, 0, 5.5],
                "causes": [-1, 0, 0],
                "needs": [0, 1, 1],
            }
        ],
    }
    words = " ".join(found.words)
    for word in ("three", "by hand", "6.5", "3.5", "bound, by critical path", "gap 85.7%", "0.54×"):
        assert word in words
    assert "slower than one processor" in words
    assert (
        "3 tasks and 2 dependencies; work 3.5 s, longest path 3.5 s, so at most 1 processor"
        in words
    )
    assert "efficiency; idle 9.5 s" in words and "three: schedule on 2 processors" in words


def test_a_proved_optimum_is_said_with_its_bounds():
    words = " ".join(Page(px.schedule(diamond(), 2).to_html()).words)
    assert "optimal" in words and "no schedule is shorter" in words
    assert re.search(r"bound, by critical path( and [\w-]+)*; work 6", words)


def test_the_page_fetches_nothing_and_runs_its_own_script_only():
    source = px.schedule(diamond(), 2).to_html()
    found = Page(source)
    assert not addresses(found.attributes)
    assert "://" not in source and "prefers-color-scheme: dark" in source
    (policy,) = [value for _, value in found.attributes if value and "default-src" in value]
    _, script = found.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy


def test_names_are_text_wherever_they_stand():
    tasks = px.TaskGraph(
        {ODD: 1, WORSE: 2}, [(ODD, WORSE)], name=ODD, labels={ODD: ODD}, groups={ODD: WORSE}
    )
    schedule = px.schedule(tasks, 1)
    source = schedule.to_html()
    found = Page(source)
    assert found.tags.count("script") == 2 and "img" not in found.tags
    assert found.data["names"][0] == found.data["labels"][0] == ODD
    assert not {"\u2028", "\u202e"} & set(source)
    assert ODD in " ".join(found.words)  # the title


def test_pages_are_written_to_files(tmp_path):
    schedule, path = px.schedule(diamond(), 2), tmp_path / "out.html"
    assert schedule.to_html(path) == path.read_text("utf-8")


def test_several_schedules_and_figures_share_a_page():
    tasks = diamond()
    curve = Figure("Speed-up", "Over p.", "p", "times", {"list": [(1, 1), (2, 1.1)]})
    found = Page(page(px.schedule(tasks, 1), px.schedule(tasks, 2), figures=[curve]))
    assert [each["processors"] for each in found.data["schedules"]] == [1, 2]
    assert found.tags.count("svg") == 3 and "Over p." in found.words
    assert [v for k, v in found.attributes if k == "data-schedule"] == ["0", "1", "0", "1"]


def test_notebooks_show_the_page_in_a_frame():
    schedule = px.schedule(diamond(), 2)
    frame = Page(schedule._repr_html_())
    assert frame.tags == ["iframe"]
    assert dict(frame.attributes)["srcdoc"] == schedule.to_html()
    assert px.schedule(px.TaskGraph({k: 1 for k in range(6000)}), 2)._repr_html_() is None


def test_speedup_curves_are_pages(tmp_path):
    curve, path = px.parallel.speedup_curve(diamond(), 3), tmp_path / "out.html"
    assert curve.to_html(path) == path.read_text("utf-8")
    found = Page(curve.to_html())
    assert [each["processors"] for each in found.data["schedules"]] == [1, 2, 3]
    assert found.tags.count("svg") == 5  # one is the mark
    assert {"Speed-up over processors", "Efficiency over processors"} <= set(found.words)
    assert "1.1" in found.words  # 11 over 10, in the table of points
    assert dict(Page(curve._repr_html_()).attributes)["srcdoc"] == curve.to_html()


def test_figures_of_curves():
    schedules = px.parallel.speedup_curve(diamond(), (1, 2)).schedules
    speedup, efficiency = speedup_figures(schedules)
    assert speedup.curves["list"] == [(1, 1.0), (2, 1.1)]
    assert efficiency.curves["list"] == [(1, 100.0), (2, pytest.approx(55.0))]
    (bound,) = speedup.dashed
    assert speedup.curves[bound] == [(1, 1.0), (2, 1.1)]
    assert LinearAxis.tight([1, 2], 0, 700, most=10).ticks == [1, 2]  # there is no 1.2 processors
    assert LinearAxis.tight([1.0, 2.0], 0, 700, most=10).ticks[1] == pytest.approx(1.1)
    nothing, _ = speedup_figures([px.schedule(px.TaskGraph({}), 1)])
    assert nothing.curves["list"] == [(1, 1.0)]


def test_processors_without_tasks_have_no_row():
    tasks = px.TaskGraph(dict.fromkeys("abc", 2))
    source = px.parallel.Schedule(tasks, 10**6, (0, 0, 2), (0, 7, 0)).to_html()
    (schedule,) = Page(source).data["schedules"]
    assert (schedule["processors"], schedule["numbers"]) == (10**6, [0, 7])
    assert schedule["places"] == [0, 1, 0]
    assert len(source) < 100_000 and "on 1,000,000 processors" in source


def test_tasks_have_names_that_people_know():
    robot = px.load("puma560")
    program = px.program(robot, "inverse_dynamics", algorithm="newton_euler")
    tasks = px.TaskGraph.from_program(program)
    found = called(tasks)
    assert tasks.unit == "flops" and set(found.bars) <= {
        "×",
        "+",
        "−",
        *(f"τ{k}" for k in "₀₁₂₃₄₅"),
    }
    assert found.words[0] == "inertial moment of link 0, z"
    assert any(words.startswith("product for ") for words in found.words)
    assert {f"joint torque {k}" for k in range(6)} <= set(found.words)
    assert tasks.names[0] in found.labels[0]  # what the name is in code stays findable
    assert px.TaskGraph.from_program(program, mul=2).unit == ""  # no flops any more
    words = called(px.streamlined_tasks(robot)).words
    assert "link 2: ω of the previous link, turned" in words
    assert value_words("omega[3].x") == "angular velocity of link 3, x"
    with pytest.raises(px.TaskError, match="unit: expected text"):
        px.TaskGraph({"a": 1}, unit=3)


def test_operations_without_groups_go_by_their_kind():
    program = px.trace(lambda x: {"y": [px.math.sin(x[0] * x[1]) + x[2], x[0] * x[2]]}, x=3)
    data = Page(px.schedule(px.TaskGraph.from_program(program), 2).to_html()).data
    kinds = [data["groupNames"][group] for group in data["groups"]]
    assert sorted(kinds) == ["additions", "multiplications", "multiplications", "sines"]
    coarse = px.TaskGraph.from_program(program, grain=9)
    assert Page(px.schedule(coarse, 2).to_html()).data["groupNames"] == [
        "multiplications, additions, sines",
        "multiplications",
    ]
    marked = px.TaskGraph.from_program(px.program(px.load("ur5"), algorithm="newton_euler"))
    assert "link 1" in Page(px.schedule(marked, 2).to_html()).data["groupNames"]


def test_a_search_that_was_left_out_is_said():
    tasks = px.TaskGraph({"a": 5, "b": 3, "c": 2, "d": 2})
    found = px.schedule(tasks, 2, "optimal", time_limit=1e-9)
    assert "method; no exact search: the time limit" in Page(found.to_html()).words


def test_extreme_schedules_have_pages():
    nothing = Page(px.schedule(px.TaskGraph({}), 3).to_html()).words
    assert "There are no tasks." in nothing
    assert nothing.count("–") == 2  # no speed-up, no efficiency
    Page(px.schedule(px.TaskGraph({"nothing": 0}), 1).to_html())
    Page(px.schedule(px.TaskGraph({k: 1 for k in range(5000)}), 700).to_html())


def test_json_tells_the_whole_schedule(tmp_path):
    schedule, path = scattered(1), tmp_path / "out.json"
    assert schedule.to_json(path) == path.read_text("utf-8")
    read = json.loads(path.read_text("utf-8"))
    tasks = px.TaskGraph(
        {each["name"]: each["weight"] for each in read["tasks"]},
        [
            (first, each["name"], size)
            for each in read["tasks"]
            for first, size in zip(each["after"], each["messages"], strict=True)
        ],
    )
    assert tasks.messages == schedule.tasks.messages
    starts = [each["start"] for each in read["tasks"]]
    places = [each["processor"] for each in read["tasks"]]
    assert violations(tasks, read["processors"], starts, places) == []
    assert (read["makespan"], read["bound"]) == (schedule.makespan, schedule.bound)


# -- its script ------------------------------------------------------------------------------------


def node(source):
    done = subprocess.run(
        ["node", "--input-type=commonjs", "-"], input=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


needs_node = pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")


@needs_node
def test_the_script_is_javascript():
    script = "\n".join(map(_file, SCRIPTS))
    assert node(f"new Function({json.dumps(script)}); console.log('true')")


@needs_node
@pytest.mark.parametrize("seed", range(3))
def test_the_script_finds_what_is_there(seed):
    schedule = scattered(seed)
    tasks, data = schedule.tasks, Page(schedule.to_html()).scripts[0]
    asked = [(p, time + 0.5) for p in range(3) for time in range(int(schedule.makespan))]
    found = node(
        f"const document = {{ getElementById: () => ({{ textContent: {json.dumps(data)} }}) }};\n"
        f"{_file('model.js')}\nchoose(0);\n"
        f"const asked = {json.dumps(asked)};\n"
        "console.log(JSON.stringify({ chain: schedule.chain, rows: schedule.rows,\n"
        "  at: asked.map(([p, time]) => taskAt(p, time, 0)),\n"
        "  busy: asked.map(([p, time]) => busyAt(time)), sum: busyUntil(schedule.makespan),\n"
        "  found: search('1'), waits: schedule.waits }));"
    )

    def running(place, time):
        return [
            k
            for k in range(len(tasks))
            if schedule.places[k] == place
            and schedule.starts[k] <= time < schedule.starts[k] + tasks.weights[k]
        ]

    assert found["chain"] == [tasks.index[name] for name in critical_chain(schedule)]
    assert [sorted(row) for row in found["rows"]] == [sorted(row) for row in schedule.rows.values()]
    assert found["at"] == [next(iter(running(*each)), -1) for each in asked]
    assert found["busy"] == [sum(len(running(p, time)) for p in range(3)) for _, time in asked]
    assert found["sum"] == tasks.work
    waited = causes(schedule)
    assert any(since < start for since, start in zip(found["waits"], schedule.starts, strict=True))
    for task, since in enumerate(found["waits"]):
        start, place = schedule.starts[task], schedule.places[task]
        assert not any(running(place, time + 0.5) for time in range(since, start))
        if since < start:
            cause, kind = waited[task]
            sent = schedule.starts[cause] + tasks.weights[cause]
            assert kind == NEEDS and sent <= since
            assert sent + tasks.messages[cause, task] == start
    assert sorted(found["found"]) == [k for k in tasks.names if "1" in str(k)]


def test_a_framed_chart_has_a_background_of_its_own():
    """What frames it may be dark where the system is light: then its titles would not show."""
    style = re.search(r"<style>(.*?)</style>", page(px.schedule(diamond(), 2)), re.S)[1]
    assert not re.search(r"\.framed body \{[^}]*background: (none|transparent)", style)
    assert re.search(r"\bbody \{[^}]*background: var\(--paper\)", style)
