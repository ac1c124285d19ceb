"""The text of a Program, which reads back to the same graph, and the checks of a graph."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.expressions import EXPRESSIONS, POINTS, traceable
from support.robots import random_robot, states

import paraxis as px
from paraxis.errors import ProgramError
from paraxis.graph.check import check
from paraxis.graph.evaluate import evaluate
from paraxis.graph.graph import Graph
from paraxis.graph.node import Builder, Node
from paraxis.passes.count import count
from paraxis.passes.depth import depth
from paraxis.passes.fuse import fuse
from paraxis.physics import CHEAP

# -- text ------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), POINTS)
def test_text_reads_back_to_the_same_graph(expressions, x):
    graph = traceable(*expressions)
    text = px.Program.of(graph).text()
    again = px.parse(text)
    assert again.text() == text
    before, after = evaluate(graph, {"x": x}), evaluate(again.graph, {"x": x})
    assert before["result"].tobytes() == after["result"].tobytes()
    assert count(again.graph) == count(graph) and depth(again.graph) == depth(graph)


@settings(max_examples=100)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_constants_read_back_to_the_same_bits(values):
    program = px.trace(lambda x: [x + v * v0 for v in values for v0 in (1.0, -1.0)], x=())
    assert px.parse(program.text()).text() == program.text()
    assert px.parse(program.text()).evaluate(x=0.0).tolist() == program.evaluate(x=0.0).tolist()


@pytest.mark.parametrize("algorithm", [None, *CHEAP])
@pytest.mark.parametrize("name", ["puma560", "stanford", "random"])
def test_real_programs_read_back_with_their_marks(name, algorithm):
    robot = random_robot(4) if name == "random" else px.load(name)
    program = px.program(
        robot, algorithm=algorithm, parameters=() if algorithm is None else ["mass"]
    )
    again = px.parse(program.text())
    assert str(again) == program.text()
    assert again.inputs == program.inputs and again.outputs == program.outputs
    assert again.graph.marks.keys() == program.graph.marks.keys()
    assert (again.count(), again.depth()) == (program.count(), program.depth())
    q, qd, qdd = states(robot, 2)
    arrays = {"q": q, "qd": qd, "qdd": qdd}
    if "mass" in program.inputs:
        arrays["mass"] = px.parameter_values(robot, "mass")
    assert program.evaluate(**arrays).tobytes() == again.evaluate(**arrays).tobytes()


def test_fused_programs_read_back():
    graph = fuse(px.program(px.load("planar3")).graph)
    again = px.parse(px.Program.of(graph).text())
    assert "fma" in again.text() and count(again.graph) == count(graph)


def test_the_text_is_what_the_documentation_shows():
    program = px.trace(
        lambda q, k: {"tau": [px.math.mark("pull", 1, px.math.sin(q[1]) * 9.81) - k]}, q=2, k=()
    )
    assert program.text() == (
        "program program\n"
        "input q[2] k\n"
        "%0 = input q 1\n"
        "%1 = input k 0\n"
        "%2 = sin %0\n"
        "%3 = const 9.81\n"
        "%4 = mul %2 %3\n"
        "%5 = sub %1 %4\n"
        "%6 = neg %5\n"
        "mark pull 1 = %4\n"
        "output tau[1] = %6\n"
    )


HEAD = "program p\ninput x y[2]\n%0 = input x 0\n"
BAD_LINES = [
    "program",
    "program two words",
    "hello world",
    "%1 input x 0",
    "v = input x 0",
    "input z[0]",
    "input z[-1]",
    "input z[a]",
    "input z]2[",
    "input x",
    "input 1st",
    "%1 = const 1e999",
    "%1 = const one",
    "%1 = const",
    "%1 = const 1 2",
    "%1 = input x 1",
    "%1 = input y 2",
    "%1 = input y -1",
    "%1 = input y one",
    "%1 = input z 0",
    "%1 = input x",
    "%1 = sinh %0",
    "%1 = add %0",
    "%1 = sin %0 %0",
    "%1 = add %0 %2",
    "%1 = add %0 %1",
    "%0 = input y 0",
    "mark m = %0",
    "mark m arm = %0",
    "mark m 1 %0",
    "mark m 1 = %9",
    "output a[2] = %0",
    "output a =",
    "output a %0",
    "output a = %9",
    "output a[ = %0",
    "output a% = %0",
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_cannot_be_read_is_named(line):
    px.parse(HEAD + "output r = %0\n")
    with pytest.raises(ProgramError, match=r"^line 4: cannot read ") as caught:
        px.parse(HEAD + line + "\noutput r = %0\n")
    assert repr(line) in str(caught.value)


def test_a_text_without_outputs_or_of_another_type():
    for text in ("", "\n\n", HEAD):
        with pytest.raises(ProgramError, match="expected at least one output line"):
            px.parse(text)
    with pytest.raises(ProgramError, match=r"line 5: .*r is defined twice"):
        px.parse(HEAD + "output r = %0\noutput r = %0\n")
    for other in (None, b"program p", 3):
        with pytest.raises(ProgramError, match="expected str, found"):
            px.parse(other)


PLANAR = px.program(px.robots.planar(3), algorithm="newton_euler").text().splitlines()


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_any_damage_to_a_text_gives_a_program_or_a_program_error(rng):
    lines = list(PLANAR)
    for _ in range(rng.randint(1, 3)):
        k = rng.randrange(len(lines))
        words = lines[k].split()
        match rng.randint(0, 3):
            case 0:
                del lines[k]
            case 1 if words:
                del words[rng.randrange(len(words))]
                lines[k] = " ".join(words)
            case 2 if words:
                words[rng.randrange(len(words))] = rng.choice(
                    ["%0", "%7", "=", "q", "-1", "[", "fma"]
                )
                lines[k] = " ".join(words)
            case _:
                lines.insert(k, rng.choice(lines))
    try:
        program = px.parse("\n".join(lines))
    except ProgramError:
        return
    assert px.parse(program.text()).text() == program.text()


# -- what a graph must be --------------------------------------------------------------------------


def broken_graphs():
    """(why, graph) of graphs no builder would make."""
    b = Builder()
    x = b.input("x", 0)

    def graph(*nodes, shape=None, inputs=None, output="r", marks=None, name="p"):
        outputs = {output: ((len(nodes),) if shape is None else shape, nodes)}
        return Graph({"x": ()} if inputs is None else inputs, outputs, marks or {}, name)

    check(graph(x, b.add(x, b.one)))
    yield "shape", graph(x, shape=(2,))
    yield "unknown operation", graph(Node(b, 100, "sinh", (x,), None))
    yield "wrong number of arguments", graph(Node(b, 100, "add", (x,), None))
    yield "no such input entry", graph(x, inputs={"y": ()})
    yield "no such input entry", graph(b.input("x", 1))
    late = Node(b, 101, "sin", (x,), None)
    yield "before it is computed", graph(Node(b, 100, "cos", (late,), None))
    yield "another trace", graph(x, Builder().input("x", 0))
    stranger = Builder().input("x", 0)  # of the same index as x, so that neither hides the other
    yield "another trace", graph(Node(b, 100, "sin", (stranger,), None), x)
    yield "output 'a b': expected a name", graph(x, output="a b")
    yield "input '': expected a name", graph(x, inputs={"x": (), "": ()})
    yield "program 'a b': expected a name", graph(x, name="a b")
    yield "mark 1: expected a name", graph(x, marks={(1, 0): (x,)})
    yield "expected the index of a link", graph(x, marks={("m", None): (x,)})


def test_check_finds_what_is_wrong():
    for why, graph in broken_graphs():
        with pytest.raises(ProgramError, match=why):
            check(graph)
        with pytest.raises(ProgramError, match=why):
            px.Program.of(graph)
