"""CPU features that are turned off: code without them, the same numbers."""

import platform
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import paraxis as px
from paraxis.passes.cost import cost
from paraxis.targets.cpu import host
from paraxis.targets.cpu import map as kernel

pytestmark = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="the names are those of x86-64"
)


def forget():
    """Look at the CPU and the variable again."""
    host.features.cache_clear()
    host.description.cache_clear()


@pytest.fixture
def without(monkeypatch, tmp_path):
    """Turn features off, for a test that compiles everything anew."""
    monkeypatch.setenv("PARAXIS_CACHE", str(tmp_path))

    def without(names):
        monkeypatch.setenv("PARAXIS_DISABLE_CPU_FEATURES", names)
        forget()

    yield without
    forget()


@pytest.fixture(params=("avx512f", "avx2", "sse3"))
def left_out(request, without):
    without(request.param)
    return request.param


def everything(x, y):
    s, c = px.math.sin(x[0]), px.math.cos(x[1])
    return {
        "smooth": [s * c + x[2], px.math.sqrt(abs(x[0])) / (2.0 + c), px.math.atan2(x[1], y)],
        "steps": [
            px.math.rint(x[0]),
            px.math.sign(x[1]),
            px.math.minimum(x[0], y),
            px.math.maximum(x[2], s),
        ],
        "choice": px.math.select(
            px.math.less(x[0], y), x[1] - y, px.math.select(px.math.equal(y, y), 0.5, x[2])
        ),
    }


@pytest.mark.parametrize("dtype", ("float64", "float32"))
def test_every_operation_against_the_interpreter(left_out, dtype):
    program, rng = px.trace(everything, x=3, y=()), np.random.default_rng(1)
    x, y = (3 * rng.normal(size=(21, *shape)).astype(dtype) for shape in ((3,), ()))
    compiled = program.compile(dtype=dtype)
    tolerance = 1e-14 if dtype == "float64" else 1e-5
    expected = list(program.evaluate(x=x, y=y).values())
    for found in (compiled(x, y), compiled(np.asfortranarray(x), y)):
        for own, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance)
    for own, other in zip(compiled(x[4], y[4]), expected, strict=True):
        np.testing.assert_allclose(own, other[4], rtol=tolerance, atol=tolerance)


def test_a_robot_and_its_simulation(left_out):
    robot, rng = px.robots.planar(2), np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 19, 2))
    program = px.program(robot)
    np.testing.assert_allclose(
        px.inverse_dynamics(robot, q, qd, qdd), program.evaluate(q=q, qd=qd, qdd=qdd), rtol=1e-13
    )
    run = px.simulate(robot, q, qd, dt=1e-3, steps=1, method="semi_implicit_euler")
    step = qd + 1e-3 * px.program(robot, "forward_dynamics").evaluate(q=q, qd=qd, tau=0 * q)
    np.testing.assert_allclose(run.qd[-1], step, rtol=1e-12, atol=1e-12)


def registers_of(program):
    """The kinds of registers that the code of a kernel speaks of."""
    graph = program.graph
    source = kernel.assembly_source(graph, kernel.lanes_of("float64"), cost(graph))
    with host._lock:
        assembly = host._target_machine().emit_assembly(llvm.parse_assembly(source))
    three_operands = bool(re.search(r"\tv(add|mul|mov)\w*\s", assembly))
    return {name for name in ("xmm", "ymm", "zmm") if f"%{name}" in assembly}, three_operands


def test_the_code_is_without_them(without):
    program = px.trace(everything, x=3, y=())
    without("sse3")
    assert registers_of(program) == ({"xmm"}, False)
    assert not host.has_fma()
    without("avx")
    assert registers_of(program) == ({"xmm"}, False)
    without("avx512f")
    assert "zmm" not in registers_of(program)[0]


def test_what_needs_a_feature_goes_with_it(without):
    without("")
    everything_on = {name for name, on in host.features().items() if on}
    without("avx")
    left = {name for name, on in host.features().items() if on}
    assert left == {
        name for name in everything_on if not re.match(r"avx|fma|f16c|vaes|vpcl|xop", name)
    }


def test_code_with_other_features_is_other_code(without):
    without("")
    before = host.description()
    without("FMA, avx512F")  # any case, commas or spaces
    after = host.description()
    assert before != after or "fma" not in before
    without("fma avx512f")
    assert host.description() == after


@pytest.mark.parametrize(
    "names, message",
    [
        (
            "avx512f avx3",
            r"PARAXIS_DISABLE_CPU_FEATURES: LLVM does not know a feature 'avx3' .* did you mean",
        ),
        ("neon", "LLVM does not know a feature 'neon' of this CPU"),
        (
            "sse2",
            "sse2 cannot be turned off, as every x86-64 CPU has it; turn off 'sse3'",
        ),
    ],
)
def test_names_that_are_wrong(without, names, message):
    without(names)
    for _ in range(2):  # not only at the first attempt
        with pytest.raises(px.ArgumentError, match=message):
            px.trace(lambda x: x * 2.0, x=()).compile()
