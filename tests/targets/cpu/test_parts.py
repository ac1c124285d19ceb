"""Schedules run for real: parts of a Program on threads, and as C, against the interpreter.

Random schedules of random robots, more processors than cores, several callers at once, forks and
ends of processes. What never may happen is a thread that waits for ever.
"""

import io
import os
import random
import shutil
import subprocess
import textwrap
import threading
import time

import numpy as np
import pytest
from support.processes import python
from support.robots import random_robot, relative_error, states

import paraxis as px
from paraxis.parallel.schedules.cones import share_out
from paraxis.parallel.schedules.schedule import Schedule
from paraxis.parallel.schedules.thread_schedule import thread_schedule as for_threads
from paraxis.parallel.threads import divided
from paraxis.passes.parts import RECEIVED, steps

UR5 = px.load("ur5")


def random_schedule(program, processors, seed):
    """Any places, any order that is possible, messages that take time or not."""
    rng = random.Random(seed)
    grain = rng.choice([None, 5, 30])
    options = dict(trig=rng.choice([0, 9]), latency=rng.choice([0, 20]))
    tasks = px.TaskGraph.from_program(program, grain, **options)
    places = [rng.randrange(processors) for _ in range(len(tasks))]
    if rng.random() < 0.5:  # few messages
        places = [k * processors // len(tasks) for k in range(len(tasks))]
    clock, starts = [0] * processors, [0] * len(tasks)
    for task in tasks.order:
        here = places[task]
        arrived = [
            starts[f] + tasks.weights[f] + (places[f] != here) * tasks.messages.get((f, task), 0)
            for f in tasks.predecessors[task]
        ]
        starts[task] = max([clock[here], *arrived]) + rng.choice([0, 0, 3])
        clock[here] = starts[task] + tasks.weights[task]
    return Schedule(tasks, processors, tuple(starts), tuple(places))


def inputs_of(program, seed=0, batch=()):
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-2, 2, (*batch, *s)) for name, s in program.inputs.items()}


def flat(results):
    results = results.values() if isinstance(results, dict) else results
    results = results if isinstance(results, (tuple, type({}.values()))) else (results,)
    return np.concatenate([np.ravel(each) for each in results])


def error(program, kernel, given):
    """Of the kernel against the interpreter, on one state."""
    return relative_error(flat(kernel(*given.values())), flat(program.evaluate(**given)))


# -- results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("processors", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_random_schedules_of_random_robots(seed, processors):
    function = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "regressor"][seed]
    program = px.program(random_robot(seed, (3, 6)), function)
    schedule = random_schedule(program, processors, 10 * seed + processors)
    kernel = schedule.compile()
    for again in range(3):
        assert error(program, kernel, inputs_of(program, again)) < 1e-9


def test_every_operation(tmp_path):
    def all_of_them(x, y):
        a, b = x[0] * y + 2.0, px.math.sqrt(abs(x[1])) / (y * y + 1.0)
        c = px.math.select(px.math.less(a, b), px.math.atan2(a, b), px.math.sign(x[2]) - a)
        return {
            "one": [
                px.math.minimum(a, c),
                px.math.maximum(b, c),
                px.math.sin(c) * px.math.cos(c),
                -a,
            ],
            "two": [[px.math.equal(x[0], x[1]), 0.0], [px.math.less_equal(a, c), x[0]], [0.0, 0.0]],
        }

    program = px.trace(all_of_them, x=3, y=())
    for seed in range(4):
        kernel = random_schedule(program, 3, seed).compile()
        for given in (inputs_of(program), {"x": np.array([1.0, 1.0, 0.0]), "y": np.array(0.5)}):
            found = kernel(*given.values())
            expected = program.evaluate(**given)
            for array, name in zip(found, expected, strict=True):
                np.testing.assert_allclose(array, expected[name], rtol=1e-12, atol=1e-12)


def test_a_batch_and_out_and_other_dtypes():
    program = px.program(UR5)
    kernel = random_schedule(program, 2, 3).compile()
    q, qd, qdd = states(UR5, 6)
    expected = program.evaluate(q=q, qd=qd, qdd=qdd)
    assert relative_error(kernel(q, qd, qdd), expected) < 1e-12
    assert (
        relative_error(
            kernel(q.tolist(), qd=qd, qdd=qdd[0]), program.evaluate(q=q, qd=qd, qdd=qdd[0])
        )
        < 1e-12
    )
    out = np.empty(6)
    assert kernel(q[0], qd[0], qdd[0], out=out) is out
    assert relative_error(out, expected[0]) < 1e-12
    own = qdd[0].copy()  # written where it is read
    kernel(q[0], qd[0], own, out=own)
    assert relative_error(own, expected[0]) < 1e-12
    assert kernel(q[:0], qd[:0], qdd[:0]).shape == (0, 6)
    with pytest.raises(px.ArgumentError, match="qd: expected shape"):
        kernel(q, qd[:, :3], qdd)
    single = random_schedule(program, 2, 3).compile(dtype="float32")
    assert single(q, qd, qdd).dtype == np.float32
    assert relative_error(single(q, qd, qdd), expected) < 1e-4


def test_bad_entries_that_no_output_uses_still_spoil_the_state():
    program = px.trace(lambda x: [x[0] * x[1], x[1] + x[0], 0.0, x[0]], x=3)
    schedule = Schedule(px.TaskGraph.from_program(program), 2, (0, 0), (0, 1))
    found = schedule.compile()(np.array([1.0, 2.0, np.nan]))
    np.testing.assert_array_equal(found, [np.nan, np.nan, 0.0, np.nan])


def test_the_same_bits_every_time():
    program = px.program(random_robot(5, (5, 5)))
    kernel = random_schedule(program, 2, 1).compile()
    given = inputs_of(program).values()
    first = kernel(*given)
    assert all((kernel(*given) == first).all() for _ in range(300))


WIDE = px.trace(lambda x: [sum((a * b for a in x), x[0]) for b in x], x=95)


@pytest.mark.long
def test_a_long_part_is_several_functions():
    kernel = random_schedule(WIDE, 2, 0).compile()
    assert error(WIDE, kernel, inputs_of(WIDE)) < 1e-12


def test_a_schedule_on_one_processor_is_a_plain_kernel():
    program = px.program(UR5)
    kernel = px.schedule(px.TaskGraph.from_program(program), 1).compile()
    assert "lanes" in repr(kernel)
    assert error(program, kernel, inputs_of(program)) < 1e-12


def test_what_cannot_be_run_says_so():
    tasks = px.TaskGraph({"a": 1, "b": 2}, [("a", "b")])
    with pytest.raises(px.ScheduleError, match="only the tasks of a Program"):
        px.schedule(tasks, 2).compile()
    program = px.trace(lambda **x: [v * v for v in x.values()], **{f"x{k}": () for k in range(130)})
    with pytest.raises(px.ArgumentError, match="expected at most 126 arrays, found 131"):
        random_schedule(program, 2, 0).compile()
    with pytest.raises(TypeError, match="pickle the robot"):
        random_schedule(px.program(px.robots.planar(2)), 2, 0).compile().__reduce__()


# -- messages --------------------------------------------------------------------------------------


def test_nobody_waits_for_what_must_be_there_already():
    """a -> b -> c and a -> c, on three processors: c knows of a when it knows of b."""

    def three(x):
        a = x * x
        b = a + 1.0
        return b * a

    program = px.trace(three, x=())
    tasks = px.TaskGraph.from_program(program)
    parts, lines = divided(Schedule(tasks, 3, (0, 1, 2), (0, 1, 2)), 7)
    assert len(lines) == 3
    rows = steps(parts)
    assert [sum(step.op == "wait" for step in row) for row in rows] == [0, 1, 2]
    late = [divided(Schedule(tasks, 3, (0, 1, 2), places), 7) for places in ((0, 1, 0), (0, 0, 1))]
    assert [len(each[1]) for each in late] == [2, 1]


def test_values_share_lines_while_that_keeps_nobody_waiting():
    program = px.trace(lambda x: sum((px.math.sqrt(v * v) for v in x), 0.0 * x[0]), x=10)
    tasks = px.TaskGraph.from_program(program)
    squares = [name for name in tasks.names if name.endswith("mul")]
    places = tuple(0 if name in squares else 1 for name in tasks.names)
    early = tuple(k for k in range(len(tasks)))
    parts, lines = divided(Schedule(tasks, 2, early, places), 7)
    assert all(len(line.nodes) == 1 for line in lines)  # each root follows its square at once
    late = tuple(squares.index(n) if n in squares else 100 + k for k, n in enumerate(tasks.names))
    parts, lines = divided(Schedule(tasks, 2, late, places), 7)
    assert [len(line.nodes) for line in lines] == [7, 3]
    assert parts[0].graph.inputs[RECEIVED] == (10,)  # the busiest is the first


def test_free_values_do_not_travel():
    program = px.trace(lambda x: [px.math.sin(x) * x, px.math.cos(x) * -x], x=())
    tasks = px.TaskGraph.from_program(program)
    _, lines = divided(Schedule(tasks, 2, (0, 0), (0, 1)), 7)
    assert lines == []


# -- schedules for threads -------------------------------------------------------------------------


@pytest.mark.parametrize("processors", [2, 3])
def test_schedules_for_threads_are_right(processors):
    program = px.program(random_robot(8, (6, 6)), "inverse_dynamics_derivatives")
    for latency in (5, 60):
        schedule = for_threads(program, processors, latency)
        assert len(set(schedule.places)) > 1
        assert error(program, schedule.compile(), inputs_of(program)) < 1e-9


def test_work_is_done_twice_rather_than_sent():
    program = px.program(px.load("ur5"), "inverse_dynamics_derivatives")
    schedule = for_threads(program, 2, latency=150)
    _, lines = divided(schedule, 7)
    assert len(lines) < 15
    copies = [name for name in schedule.tasks.names if name.endswith((" on 0", " on 1"))]
    assert copies
    assert schedule.tasks.work == schedule.tasks.fine.work < sum(schedule.tasks.weights)
    assert schedule.speedup > 1


def test_one_thread_where_two_would_not_pay():
    schedule = for_threads(px.program(UR5), 2, latency=1000)
    assert set(schedule.places) == {0}
    with pytest.raises(px.ArgumentError, match="processors: expected an integer >= 1, found 0"):
        for_threads(px.program(UR5), 0)
    for latency in (-1, float("nan"), "fast"):
        with pytest.raises(px.ArgumentError, match="latency: expected a time >= 0, found"):
            for_threads(px.program(UR5), 2, latency)


def test_a_program_that_computes_nothing():
    program = px.trace(lambda x: [2.0, x, -x], x=())
    for schedule in (for_threads(program), px.schedule(px.TaskGraph.from_program(program), 2)):
        np.testing.assert_array_equal(schedule.compile()(3.0), [2.0, 3.0, -3.0])


def largest_load(place, weights, rows):
    return max(weights[rows[place == k].any(axis=0)].sum() for k in set(place))


def test_sharing_out_is_near_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows, weights = rng.random((8, 16)) < 0.3, rng.integers(1, 9, 16).astype(float)
        found = largest_load(share_out(weights, rows, np.zeros(2)), weights, rows)
        every = (np.array(place) for place in np.ndindex(*[2] * 8))
        assert found <= 1.25 * min(largest_load(place, weights, rows) for place in every)


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_sharing_out_finds_what_has_nothing_in_common(parts):
    rng = np.random.default_rng(parts)
    family = rng.permutation(np.repeat(np.arange(parts), 10))
    rows = np.zeros((10 * parts, 20 * parts), bool)
    for row, own in zip(rows, family, strict=True):
        row[20 * own : 20 * own + 20] = rng.random(20) < 0.5
    place = share_out(np.ones(20 * parts), rows, np.zeros(parts))
    assert all(len(set(place[family == own])) == 1 for own in range(parts))


# -- threads ---------------------------------------------------------------------------------------


def test_more_processors_than_cores():
    program = px.program(UR5)
    kernel = random_schedule(program, 9, 0).compile()
    for again in range(5):
        assert error(program, kernel, inputs_of(program, again)) < 1e-12


def test_several_threads_call_at_once():
    program = px.program(UR5)
    kernels = [random_schedule(program, p, 7).compile() for p in (2, 3)]
    given = [inputs_of(program, k).values() for k in range(4)]
    expected = [kernels[0](*each) for each in given]
    wrong, until = [], time.monotonic() + 1.5

    def call(k):
        while time.monotonic() < until:
            found = kernels[k % 2](*given[k])
            if relative_error(found, expected[k]) > 1e-12:
                wrong.append(k)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)


def test_members_sleep_and_are_woken():
    kernel = random_schedule(px.program(UR5), 2, 2).compile()
    given = inputs_of(px.program(UR5)).values()
    first = kernel(*given)
    time.sleep(0.3)
    spent = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - spent < 0.2  # or they would have spun all the time
    assert (kernel(*given) == first).all()


RUNS_AND = """
    import os, sys, threading, time
    import numpy as np
    import paraxis as px
    program = px.program(px.robots.planar(3))
    tasks = px.TaskGraph.from_program(program, 6)
    kernel = px.schedule(tasks, 3).compile()
    x = np.ones(3)
    first = kernel(x, x, x)
"""


def runs(text):
    return python(text, before=textwrap.dedent(RUNS_AND))


def test_a_process_ends_while_members_spin_or_sleep():
    for rest in (0, 0.5):
        done = runs(f"time.sleep({rest}); print('end')")
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_process_ends_while_a_thread_calls():
    done = runs("""
        def call():
            while True:
                kernel(x, x, x)
        threading.Thread(target=call, daemon=True).start()
        time.sleep(0.2)
        print("end")
    """)
    assert (done.returncode, done.stdout) == (0, "end\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_has_threads_of_its_own():
    done = runs("""
        child = os.fork()
        same = all((kernel(x, x, x) == first).all() for _ in range(50))
        if not child:
            os._exit(0 if same else 1)
        _, status = os.waitpid(child, 0)
        print(same, os.waitstatus_to_exitcode(status))
    """)
    assert done.stdout == "True 0\n", done.stderr


def test_kernels_can_be_thrown_away():
    program = px.program(px.robots.planar(3))
    given = inputs_of(program).values()
    for seed in range(6):
        random_schedule(program, 2, seed).compile()(*given)


# -- as C ------------------------------------------------------------------------------------------

FLAGS = "-std=c11 -pedantic -Wall -Wextra -Werror -Wmissing-prototypes -pthread"


def built_and_run(folder, name, compiler, flags):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    command = [compiler, *flags.split(), f"{name}.c", f"{name}_test.c", "-lm", "-o", "test"]
    for words in (command, ["./test"]):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_exported_c_agrees(tmp_path, compiler, dtype):
    program = px.program(random_robot(2, (4, 4)))
    schedule = random_schedule(program, 3, 12)
    written = schedule.export(tmp_path, "arm", dtype)
    assert [os.path.basename(path) for path in written.paths] == ["arm.h", "arm.c", "arm_test.c"]
    assert "arm: error" in built_and_run(tmp_path, "arm", compiler, FLAGS + " -O1")


def test_exported_c_without_messages(tmp_path):
    independent = px.trace(lambda x: [x[0] * x[1], x[0] + x[1]], x=2)
    schedule = Schedule(px.TaskGraph.from_program(independent), 2, (0, 0), (0, 1))
    schedule.export(tmp_path, "pair")
    built_and_run(tmp_path, "pair", "gcc", FLAGS)
    assert "line[" not in (tmp_path / "pair.c").read_text()


@pytest.mark.long
def test_exported_c_in_pieces(tmp_path):
    random_schedule(WIDE, 2, 0).export(tmp_path, "wide")
    built_and_run(tmp_path, "wide", "gcc", FLAGS)
    assert "frame" in (tmp_path / "wide.c").read_text()


def test_exported_c_has_no_races(tmp_path):
    random_schedule(px.program(UR5), 4, 1).export(tmp_path, "arm")
    found = built_and_run(tmp_path, "arm", "gcc", "-std=c11 -g -O1 -pthread -fsanitize=thread")
    assert "WARNING" not in found


def test_names_in_c_do_not_clash(tmp_path):
    program = px.trace(
        lambda shared, call, f_run, line: [shared * call, f_run * line + shared],
        shared=(),
        call=(),
        f_run=(),
        line=(),
    )
    random_schedule(program, 2, 0).export(tmp_path, "f")
    built_and_run(tmp_path, "f", "gcc", FLAGS)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
def test_the_source_stands_alone(tmp_path):
    text = random_schedule(px.program(px.robots.planar(2)), 2, 1).to_c("arm")
    (tmp_path / "arm.c").write_text(text)
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Werror", "-c", "arm.c"], cwd=tmp_path, check=True)
    assert "arm_run(int processor, struct arm_shared *shared" in text.replace("\n    ", " ")


# -- the benchmark ---------------------------------------------------------------------------------


@pytest.mark.long
def test_the_benchmark_measures_and_prints():
    threads = pytest.importorskip("threads")  # of benchmarks/, with the peers' packages
    console = pytest.importorskip("rich.console")
    messages = threads.message_kernels()
    row = threads.measure("two chains of 6", "inverse_dynamics", messages, 1, np.inf)
    assert row["one_ns"] > 0
    assert row["two"]["ns"] > 0
    page = io.StringIO()
    threads.show({"rows": [row]}, console.Console(file=page, width=150))
    assert "two chains of 6, inverse dynamics" in page.getvalue()
