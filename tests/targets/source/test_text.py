"""The text of exported source: golden texts, names, long bodies."""

import numpy as np
import pytest
from support.exported import (
    EVERY_OPERATION,
    HOSTILE,
    NATIVE,
    SOURCES,
    compiled,
    error,
    interpreted,
    program_of,
    random_program,
    text_of,
)
from support.robots import states
from support.swing import swing

import paraxis as px
from paraxis.graph.graph import Graph
from paraxis.graph.operations import LEAVES
from paraxis.passes.pieces import cut, frame_places, frame_size
from paraxis.targets.source import c, fortran
from paraxis.targets.source import text as source

# -- the texts -------------------------------------------------------------------------------------


GOLDEN = {
    "c": """\
#include <math.h>
#include <stddef.h>

void swing(const double q[2], const double k[1], double tau[2])
{
    const double v0 = q[1];
    const double v2 = sin(v0);
    const double v1 = k[0];
    const double v3 = v1 * v2;
    const double v5 = v3 + 0.5;
    const double v6 = cos(v0);
    const double v8 = v6 * 9.81;
    const double v9 = -v8;
    const double poison0 = q[0] - q[0];
    tau[0] = v5 + poison0;
    tau[1] = v9 + poison0;
}

void swing_batch(size_t states, const double *q, const double *k, double *tau)
{
    for (size_t state = 0; state < states; state++) {
        swing(q + 2 * state, k + 1 * state, tau + 2 * state);
    }
}
""",
    "cuda": """\
static __device__ void swing(const double *q, long long q_entry,
    const double *k, long long k_entry, double *tau, long long tau_entry)
{
    const double v0 = q[1 * q_entry];
    double v2, v6; sincos(v0, &v2, &v6);
    const double v1 = k[0 * k_entry];
    const double v3 = v1 * v2;
    const double v5 = v3 + 0.5;
    const double v8 = v6 * 9.81;
    const double v9 = -v8;
    const double poison0 = q[0 * q_entry] - q[0 * q_entry];
    tau[0 * tau_entry] = v5 + poison0;
    tau[1 * tau_entry] = v9 + poison0;
}

extern "C" __global__ void swing_batch(long long states,
    const double *q, long long q_entry, long long q_state,
    const double *k, long long k_entry, long long k_state,
    double *tau, long long tau_entry, long long tau_state)
{
    const long long state = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (state < states) {
        swing(q + q_state * state, q_entry, k + k_state * state, k_entry,
            tau + tau_state * state, tau_entry);
    }
}
""",
    "fortran": """\
module swing_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: swing, swing_batch

contains

  pure subroutine swing(q, k, tau)
    real(wp), intent(in) :: q(2)
    real(wp), intent(in) :: k
    real(wp), intent(out) :: tau(2)
    real(wp) :: v0, v2, v1, v3, v5, v6, v8, v9, poison0
    v0 = q(2)
    v2 = sin(v0)
    v1 = k
    v3 = v1 * v2
    v5 = v3 + 0.5_wp
    v6 = cos(v0)
    v8 = v6 * 9.81_wp
    v9 = -v8
    poison0 = q(1) - q(1)
    tau(1) = v5 + poison0
    tau(2) = v9 + poison0
  end subroutine swing

  pure subroutine swing_batch(states, q, k, tau)
    integer, intent(in) :: states
    real(wp), intent(in) :: q(2, states)
    real(wp), intent(in) :: k(states)
    real(wp), intent(out) :: tau(2, states)
    integer :: state
    do state = 1, states
      call swing(q(:, state), k(state), tau(:, state))
    end do
  end subroutine swing_batch

end module swing_module
""",
    "python": """\
import math


def swing(q, k):
    v0 = float(q[1])
    v2 = math.sin(v0) if math.isfinite(v0) else math.nan
    v1 = float(k)
    v3 = v1 * v2
    v5 = v3 + 0.5
    v6 = math.cos(v0) if math.isfinite(v0) else math.nan
    v8 = v6 * 9.81
    v9 = -v8
    poison0 = float(q[0]) - float(q[0])
    tau = [v5 + poison0, v9 + poison0]
    return tau
""",
}
GOLDEN["javascript"] = """\
function swing_part0(q, q_at, k, k_at, tau, tau_at) {
    const v0 = +q[q_at + 1];
    const v2 = Math.sin(v0);
    const v1 = +k[k_at + 0];
    const v3 = v1 * v2;
    const v5 = v3 + 0.5;
    const v6 = Math.cos(v0);
    const v8 = v6 * 9.81;
    const v9 = -v8;
    const poison0 = +q[q_at + 0] - +q[q_at + 0];
    tau[tau_at + 0] = v5 + poison0;
    tau[tau_at + 1] = v9 + poison0;
}

function expect_entries(name, array, entries) {
    if (array?.length !== entries) {
        throw new RangeError(`${name}: expected ${entries} numbers, found ${array?.length}`);
    }
}

export function swing(q, k, tau = new Float64Array(2)) {
    expect_entries("q", q, 2);
    expect_entries("k", k, 1);
    expect_entries("tau", tau, 2);
    swing_part0(q, 0, k, 0, tau, 0);
    return tau;
}

export function swing_batch(states, q, k, tau = new Float64Array(2 * states)) {
    if (!Number.isInteger(states) || states < 0) {
        throw new RangeError(`states: expected an integer >= 0, found ${states}`);
    }
    expect_entries("q", q, 2 * states);
    expect_entries("k", k, 1 * states);
    expect_entries("tau", tau, 2 * states);
    for (let state = 0; state < states; state++) {
        swing_part0(q, 2 * state, k, 1 * state, tau, 2 * state);
    }
    return tau;
}
"""
COMMENT = """\
swing: (q[2], k) -> (tau[2]) in float64, written by Paraxis.

swing computes one state, swing_batch many. States are consecutive. Arrays of several
dimensions are row-major. Outputs may be the same arrays as inputs. No memory is allocated.

Each state takes 3 flops (2 mul, 1 add, 2 trig). An add is an addition or subtraction; sign
changes are free; sines and cosines count under trig.

Inputs on which no output depends are still checked: if one is not finite, every output of
its state that is not always zero is NaN.
"""


@pytest.mark.parametrize("language", SOURCES)
def test_golden_text(language):
    text = getattr(px.trace(swing, q=2, k=()), f"to_{language}")()
    first = GOLDEN[language].split("\n")[0]
    assert text[text.index(first) :] == GOLDEN[language]


def test_golden_comment_and_header():
    program = px.trace(swing, q=2, k=())
    lines = [f" * {line}".rstrip() for line in COMMENT.splitlines()]
    assert program.to_c().startswith("\n".join(["/*", *lines, " */"]) + "\n\n#include")
    text = c.header(program.graph)
    assert text[text.index("#ifndef") :] == (
        "#ifndef PARAXIS_SWING_H\n#define PARAXIS_SWING_H\n\n#include <stddef.h>\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        "void swing(const double q[2], const double k[1], double tau[2]);\n\n"
        "void swing_batch(size_t states, const double *q, const double *k, double *tau);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
    )


def test_lines_of_fortran_are_short():
    many = {f"a_long_name_of_an_array_{k}": 3 for k in range(60)}
    program = px.trace(lambda **arrays: [px.math.minimum(a[0], -1.2345678901234567e-300)
                                         for a in arrays.values()], **many)  # fmt: skip
    for text in (program.to_fortran(), program_of("puma560").to_fortran()):
        assert max(map(len, text.splitlines())) < 132


# -- names -----------------------------------------------------------------------------------------


def echo(**arrays):
    """Each array times a number of its own; half the outputs are called like inputs."""
    return {name: [x * (k + 2) for x in values] for k, (name, values) in enumerate(arrays.items())}


AWKWARD = (
    "int double class lambda def if real call sin merge math main frame state states v0 V1 poison0 "
    "f f_batch f_part0 f_module q Q q_entry q_state _x __LINE__ NAN NULL linux worst given print "
    "test_given float end data E1 I await eval arguments let Math Infinity undefined "
    "expect_entries q_at f_at constructor __proto__ " + "x" * 80 + " " + "x" * 81
).split()


@pytest.mark.parametrize("language", SOURCES)
def test_awkward_names_of_arrays(language, tmp_path):
    program = px.trace(echo, **dict.fromkeys(AWKWARD, 2))
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(3, 2)) for _ in AWKWARD]
    found = compiled(program, language, tmp_path)(*arrays)
    for k, (result, array) in enumerate(zip(found, arrays, strict=True)):
        np.testing.assert_array_equal(result, array * (k + 2))


@pytest.mark.parametrize("language", SOURCES)
def test_marks_with_dots_in_their_names(language, tmp_path):
    program = px.program(px.robots.planar(2), algorithm="newton_euler").with_marks("omega", "force")
    assert "omega.1" in program.outputs
    arrays = states(px.robots.planar(2), 3)
    found = compiled(program, language, tmp_path)(*arrays)
    assert error(found, interpreted(program, *arrays)) < 1e-12


def test_names_that_differ_by_case_or_dots_stay_apart():
    language = fortran.language_of("float64")
    names = source.Names(language, "f")
    given = [names.new(name) for name in ("q", "Q", "a.b", "a_b", "A.B", "F", "sin", "V0", "NaN")]
    assert len({name.lower() for name in given}) == len(given)
    assert not {name.lower() for name in given} & {"f", "sin", "v0"}


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize(
    "name", ["", "7x", "a b", "a-b", "a\n", "é", "_x", "x" * 51, "a.b", "state", 3, "f;int x"]
)
def test_a_bad_name_is_refused(name, language):
    with pytest.raises(px.ArgumentError, match="name: expected a letter"):
        text_of(px.trace(swing, q=2, k=()), language, name)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("c", "int"),
        ("c", "sqrtf"),
        ("cuda", "sincos"),
        ("fortran", "sum"),
        ("python", "lambda"),
        ("javascript", "typeof"),
        ("javascript", "Math"),
    ],
)
def test_a_word_of_the_language_is_no_name(language, name):
    program = px.trace(swing, q=2, k=())
    with pytest.raises(px.ArgumentError, match=f"found '{name}'"):
        text_of(program, language, name)
    renamed = px.Program.of(Graph(program.graph.inputs, program.graph.outputs, {}, name))
    assert f"{name}_2" in getattr(renamed, f"to_{language}")()


def test_a_dtype_is_checked():
    program = px.trace(swing, q=2, k=())
    assert program.to_c(dtype=np.float32) == program.to_c(dtype="float32")
    for language in NATIVE:
        with pytest.raises(px.ArgumentError, match="dtype: expected one of"):
            text_of(program, language, dtype="float16")


def test_comments_are_harmless():
    for text in HOSTILE:
        line = source.harmless(text)
        assert line.isascii() and line.isprintable()
        assert not set(line) & set('\\*?"`#!&{}$@~\n')
    assert source.harmless("UR5 (left), m/s^2") == "UR5 (left), m/s^2"
    assert source.harmless("*/") == "%2A/"


# -- long bodies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", SOURCES)
def test_a_long_body_is_several_functions(language, tmp_path, monkeypatch):
    """Where a body is cut changes no bit; Python's is never cut."""
    programs = [program_of("stanford"), px.parse(EVERY_OPERATION), random_program(7)]
    for program, most in zip(programs, (60, 3, 11), strict=True):
        rng = np.random.default_rng(0)
        arrays = [rng.uniform(-2, 2, (5, *shape)) for shape in program.inputs.values()]
        whole = compiled(program, language, tmp_path)(*arrays)
        with monkeypatch.context() as patch:
            patch.setattr(source, "MOST_NODES", most)
            assert ("f_part1" in text_of(program, language)) == (language != "python")
            pieces = compiled(program, language, tmp_path)(*arrays)
        for a, b in zip(whole, pieces, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_program_that_is_really_long(tmp_path):
    robot = px.robots.chain(50)
    program = px.program(robot, algorithm="newton_euler")
    assert len(program.graph.nodes) > source.MOST_NODES
    assert "f_part1" in program.to_c("f")
    arrays = states(robot, 2)
    found = compiled(program, "c", tmp_path, optimise="-O0")(*arrays)
    assert error(found, interpreted(program, *arrays)) < 1e-12


@pytest.mark.parametrize("most", [1, 5, 40])
def test_places_in_the_frame_are_shared_but_never_at_once(most):
    graph = program_of("puma560").graph
    pieces = cut(graph.nodes, most)
    places = frame_places(pieces, [(node, len(pieces) - 1) for node in graph.results])
    held = {}  # place -> the node it holds
    for piece in pieces:
        for node in piece:
            for argument in node.args:
                if argument.index in places and argument.index not in {n.index for n in piece}:
                    assert held[places[argument.index]] == argument.index
        for node in piece:
            if node.index in places:
                held[places[node.index]] = node.index
    outside = {node.index for node in pieces[-1]}
    for node in graph.results:
        if node.index not in outside and node.op not in LEAVES:
            assert held[places[node.index]] == node.index
    assert frame_size(places) < len(places)
