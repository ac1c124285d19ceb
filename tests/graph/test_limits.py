"""Programs of any size: what is too large is refused, what is large costs in proportion."""

import math
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.processes import script

import paraxis as px
from paraxis.graph import limits
from paraxis.passes.cost import cost
from paraxis.targets.cpu import map as kernel
from paraxis.targets.cpu.text import body, job, many_arrays


def text(inputs="q[1]", output="y", values="%0"):
    return f"program p\ninput {inputs}\n%0 = input q 0\noutput {output} = {values}\n"


# -- what is too large ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source, message",
    [
        (text("q[16000000]"), "inputs: expected at most 100,000 entries in all, found 16,000,000"),
        (text("q[99999999999][99999999999]"), "inputs: expected at most 100,000 entries"),
        (text("q[2] r[60000] s[60000]"), "expected at most 100,000 entries in all, found 120,002"),
        (text("q" + "[1]" * 17), "input 'q': expected at most 16 axes, found 17"),
        (text("q[1] " + "x" * 1001), r"input 'x{40}'...: expected a name of at most 1,000 char"),
        (text("q[1] " + "x" * 10_000), r"line 2: .*'x{40}'... has 10,000 characters"),
        (text(output="y" * 1001), "output 'y{40}'...: expected a name of at most 1,000"),
        (text("q[1] " + " ".join(f"x{k}" for k in range(10_000))), "found 10,001"),
        (f"{text()}mark {'m' * 1001} 0 = %0\n", "mark 'm{80}': expected a name .* at most 1,000"),
        (text().replace("program p", "program " + "p" * 1001), "program 'p{80}': expected a name"),
    ],
)
def test_texts_beyond_the_limits(source, message):
    with pytest.raises(px.ProgramError, match=message) as caught:
        px.parse(source)
    assert len(str(caught.value)) < 500  # whatever the text holds


def test_the_limits_themselves_are_within():
    inputs = limits.MOST_ENTRIES["input"]
    assert px.parse(text(f"q[{inputs}]")).inputs == {"q": (inputs,)}
    name = "x" * limits.LONGEST_NAME
    assert name in px.parse(text(f"q[1] {name}{'[1]' * limits.MOST_AXES}")).inputs


def test_texts_and_traces_that_are_too_long(monkeypatch):
    monkeypatch.setattr(limits, "MOST_NODES", 5)
    with pytest.raises(px.ProgramError, match="expected at most 5 operations, found 7"):
        px.trace(lambda x: x * x * x * x * x * x * x, x=())
    line = "".join(f"%{k + 1} = neg %{k}\n" for k in range(9))
    with pytest.raises(px.ProgramError, match="line 8: .* at most 5 operations, found 6"):
        px.parse(text().replace("output", f"{line}output"))
    monkeypatch.setattr("paraxis.graph.parse.LONGEST_TEXT", 40)
    with pytest.raises(px.ProgramError, match="expected at most 40 characters, found 5"):
        px.parse(text())


@pytest.mark.parametrize("shape", (10**12, (10**6, 10**6)))
def test_traces_of_too_much_are_refused_before_they_begin(shape):
    def never(q):
        raise AssertionError("it was called")

    with pytest.raises(px.ProgramError, match="inputs: expected at most 100,000 entries"):
        px.trace(never, q=shape)


# -- what is large -------------------------------------------------------------------------------


def assembly(program):
    graph = program.graph
    return kernel.assembly_source(graph, kernel.lanes_of("float64"), cost(graph))


def test_unused_inputs_do_not_lengthen_the_code():
    short, long = (assembly(px.parse(text(f"q[{n}]"))) for n in (8000, 100_000))
    assert len(long) < len(short) + 1000
    many = px.trace(lambda q: [q[k] for k in range(20)], q=90_000)  # enough to ask for memory early
    assert len(assembly(many)) < 300_000


def test_code_grows_with_the_number_of_arrays_and_not_faster():
    def bytes_of(count):
        return len(assembly(px.trace(lambda x: {f"y{k}": x * k for k in range(count)}, x=())))

    few, some, many = map(bytes_of, (200, 400, 800))
    assert many - some < 3 * (some - few)
    texts = [
        re.search(r"define +void @run\(.*?\n}", assembly(px.trace(echo, **names(count))), re.S)[0]
        for count in (300, 600)
    ]
    assert len(texts[1]) - len(texts[0]) < 50  # loops over arrays, however many there are


def names(count):
    return {f"x{k}": (1 + k % 3,) for k in range(count)}


def echo(**arrays):
    total = sum(array[0] for array in arrays.values())
    return {f"{name}_out": [x * 2.0 + total for x in array] for name, array in arrays.items()}


def test_loads_and_stores_have_fences_between_them():
    """LLVM takes four times as long to order twice as many."""
    program = px.trace(lambda q: [q[k % 7] * float(k + 1) for k in range(600)], q=7)
    for function in re.findall(r"^define.*?^}", assembly(program), re.S | re.M):
        if not re.match(r"define internal void @body", function):
            continue
        between = [
            len(re.findall(r"= load |^  store ", part, re.M)) for part in function.split("fence")
        ]
        assert max(between) < 2 * body.MOST_TOUCHES


@pytest.mark.parametrize("dtype", ("float64", "float32"))
def test_many_arrays_in_any_layout(dtype):
    """Against the interpreter, whose errors in float32 are those of rounding the inputs."""
    shapes = names(many_arrays.MANY // 2 + 4)
    program = px.trace(echo, **shapes)
    assert len(program.graph.shapes) > many_arrays.MANY
    compiled, rng = program.compile(dtype=dtype), np.random.default_rng(1)
    arrays = {name: rng.normal(size=(3, 7, *shape)).astype(dtype) for name, shape in shapes.items()}
    arrays["x0"][1, 2] = math.nan
    arrays["x1"] = np.asfortranarray(arrays["x1"])
    arrays["x2"] = arrays["x2"][0, 0]  # the same in every state
    arrays["x3"] = arrays["x3"][:, :1]
    arrays["x4"] = arrays["x4"][:, ::-1]
    found, expected = compiled(**arrays), program.evaluate(**arrays).values()
    tolerance = 1e-13 if dtype == "float64" else 1e-4
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance)
        assert np.isnan(own[1, 2]).all() and np.isfinite(own[0]).all()


@pytest.mark.parametrize("step", (1, 2, 70))
def test_unused_entries_spoil_their_own_state(step):
    """Whether few or many in a row, at the beginning, in between or at the end."""
    program = px.trace(lambda q: [q[k] * 2.0 for k in range(70, 220, step)], q=300)
    compiled, rng = program.compile(), np.random.default_rng(2)
    unused = [k for _, entries in program.graph.unused for k in entries]
    assert {0, 69, 220, 299} <= {*unused}
    q = rng.normal(size=(40, 300))
    for row, k in zip((3, 9, 17, 30, 39), (*unused[:2], 69, 220, 299), strict=True):
        q[row, k] = math.inf
    expected = program.evaluate(q=q)
    assert np.isnan(expected).any(axis=1).sum() == 5
    for layout in (q, np.asfortranarray(q)):
        np.testing.assert_array_equal(compiled(layout), expected)
    for row in (3, 4, 39):
        np.testing.assert_array_equal(compiled(q[row]), expected[row])


# -- threads with small stacks ---------------------------------------------------------------------


def pairs(x):
    squares = [v * v for v in x]
    return [a * b for a, b in zip(squares, reversed(squares), strict=True)]


def test_no_function_takes_much_of_the_stack(monkeypatch):
    monkeypatch.setattr(body, "MOST_LINES", 500)
    source = assembly(px.trace(pairs, x=4500))  # keeps 36 kB for one state
    source = re.sub(
        r"define void @one\(.*?^}", "", source, flags=re.S | re.M
    )  # XLA's, on its threads
    for count, kind in re.findall(r"alloca \[(\d+) x (\w+)\]", source):
        assert int(count) * {"i8": 1, "ptr": 8, "i64": 8, "double": 8}[kind] <= job.MOST_STACK
    assert "@frame = internal global [" in source and "@scratch = internal global [" in source


def test_memory_of_the_code_is_for_one_thread_at_a_time(monkeypatch):
    """Others have theirs from the heap."""
    monkeypatch.setattr(body, "MOST_LINES", 50)
    monkeypatch.setattr(job, "MOST_STACK", 0)
    monkeypatch.setenv("PARAXIS_CACHE", "off")
    compiled, x = px.trace(pairs, x=30).compile(threads=1), np.random.default_rng(0)
    x = x.normal(size=(20_000, 30))
    expected = x**2 * x[:, ::-1] ** 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: (compiled(x), compiled(x[7])), range(12)))
    for many, one in found:
        np.testing.assert_allclose(many, expected, rtol=1e-14)
        np.testing.assert_array_equal(one, many[7])


def test_threads_with_small_stacks():
    """Some 60 kB for a block of states, where registers have 512 bits, on 64 KiB of stack."""
    text = """
    import threading
    import numpy as np, paraxis as px

    kernel = px.trace(lambda x: [2.0 * v for v in x], x=340).compile(threads=2)
    x, found = np.random.default_rng(0).normal(size=(40, 340)), []
    threading.stack_size(64 * 1024)
    thread = threading.Thread(target=lambda: found.append((kernel(x[0]), kernel(x.T.copy().T))))
    thread.start()
    thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(found[0], (2 * x[0], 2 * x)))
    """
    script(text)


def test_a_jacobian_is_refused_before_it_is_made():
    entries = " ".join(["%0"] * 2000)
    text = f"program big\ninput q[100000]\n%0 = input q 0\noutput x[2000] = {entries}\n"
    with pytest.raises(px.ProgramError, match="expected at most 1,000,000 entries in all, found 2"):
        px.parse(text).jacobian("x", "q")
