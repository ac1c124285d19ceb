"""The CPU target and the `map` driver against the interpreter, which says what a Program means.

Numbers first: every width, every operation, sine and cosine. Then what a batch may look like:
strides, broadcasting, `out=`, bad arguments, NaN. Then what must not happen: leaks, copies of
large arrays, trouble with threads and forks.
"""

import gc
import itertools
import math
import os
import re
import sys
import threading
import tracemalloc
import weakref
from contextlib import suppress
from functools import cache

import llvmlite.binding as llvm
import numpy as np
import pytest
from support.bits import same_bits
from support.layouts import aliases
from support.operations import LOSES_ZERO_SIGN, OPERATIONS, ROUNDS_APART, SPECIAL, WITHIN_TWO_ULP
from support.processes import python, script

import paraxis as px
from paraxis.drivers import map as map_driver
from paraxis.physics import CHEAP
from paraxis.targets.cpu import host
from paraxis.targets.cpu import map as kernel_module
from paraxis.targets.cpu.text import map as loop
from paraxis.targets.cpu.text.lanes import Lanes

ROBOTS = ("puma560", "stanford", "ur5", "tree")
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    """Kernels of this file go to a folder of its own, so no test sees yesterday's code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARAXIS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


# -- robots, programs, kernels, states ---------------------------------------------------------


def random_tree(seed, n=7):
    """A branching robot without a zero in it: both joint kinds, tilted axes, full inertias."""
    rng = np.random.default_rng(seed)

    def rotation():
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        return turned * np.sign(np.linalg.det(turned))

    joints, inertias = [], []
    for i in range(n):
        axis = rng.normal(size=3)
        joints.append(
            px.robots.Joint(
                f"j{i}",
                ("revolute", "prismatic")[i % 3 == 2],
                int(rng.integers(-1, i)),
                px.robots.Pose.of(rotation(), rng.normal(size=3)),
                tuple(axis / np.linalg.norm(axis)),
                rotor_inertia=float(rng.uniform(0, 1)),
            )
        )
        points = rng.normal(size=(5, 3))  # five specks of mass make a body that can be built
        spread = np.einsum("ij,ij", points, points) * np.eye(3) - points.T @ points
        inertias.append(px.robots.Inertia.of(rng.uniform(0.5, 5), rng.normal(size=3), spread))
    return px.Robot(f"tree{seed}", joints, inertias, gravity=(1.0, -2.0, -9.0))


@cache
def robot(name):
    return random_tree(3) if name == "tree" else px.load(name)


@cache
def program(name):
    return px.program(robot(name))


@cache
def kernel(name, dtype="float64", threads=None):
    return program(name).compile(dtype=dtype, threads=threads)


def states(name, *batch, seed=0, dtype="float64"):
    """Random q, qd, qdd."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, robot(name).n)).astype(dtype) for _ in range(3)]


def one_by_one(kernel, arrays):
    """Every state of a batch computed alone: the bits all other ways must give."""
    return np.stack(
        [kernel(*(np.ascontiguousarray(a[i]) for a in arrays)) for i in range(len(arrays[0]))]
    )


def error(found, reference):
    """max|d| / max(1, max|reference|), the worst over the states."""
    found, reference = np.asarray(found, float), np.asarray(reference)
    assert found.shape == reference.shape
    size = np.maximum(1.0, abs(reference).max(axis=-1))
    return (abs(found - reference).max(axis=-1) / size).max()


def both_ways(kernel):
    """The call as users write it, which starts in native code, and the general path behind it."""
    return {"call": kernel, "general": kernel.general}


# -- every width -------------------------------------------------------------------------------


WIDTHS = {"float64": (2, 4, 8), "float32": (4, 8, 16)}
ELEMENT = {"float64": "double", "float32": "float"}


def kernel_of_width(program, dtype, count):
    """A kernel of so many lanes; LLVM splits vectors that this machine's registers cannot hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_module, "lanes_of", lambda dtype: Lanes(ELEMENT[dtype], count))
        return program.compile(dtype=dtype)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("name", ROBOTS)
def test_every_width_agrees_with_the_interpreter_and_with_every_other_width(name, dtype):
    arrays = states(name, 37, seed=1, dtype=dtype)
    expected = program(name).evaluate(**dict(zip(("q", "qd", "qdd"), arrays, strict=True)))
    alone = one_by_one(kernel(name, dtype), arrays)  # one lane
    assert alone.dtype == dtype
    assert error(alone, expected) < TOLERANCE[dtype]
    for count in WIDTHS[dtype]:
        wide = kernel_of_width(program(name), dtype, count)
        assert wide.lanes == count
        assert same_bits(wide(*arrays), alone), f"{count} lanes"


@pytest.mark.parametrize("name", ROBOTS)
def test_every_algorithm_compiles_to_what_it_means(name):
    arrays = dict(zip(("q", "qd", "qdd"), states(name, 11), strict=True))
    expected = program(name).evaluate(**arrays)
    for algorithm in CHEAP:
        own = px.program(robot(name), algorithm=algorithm)
        assert error(own.evaluate(**arrays), expected) < 1e-11, algorithm
        assert error(own.compile()(**arrays), own.evaluate(**arrays)) < 1e-12, algorithm


def test_parameters_as_inputs():
    parametric = px.program(robot("ur5"), parameters=("mass", "com", "gravity"))
    arrays = dict(zip(("q", "qd", "qdd"), states("ur5", 9), strict=True))
    values = {key: px.parameter_values(robot("ur5"), key) for key in ("mass", "com", "gravity")}
    found = parametric.compile()(**arrays, **values)  # com is a matrix, the same for all states
    assert error(found, program("ur5").evaluate(**arrays)) < 1e-12


def mixed(n):
    """n numbers in, n numbers out, each from two of them."""
    return px.trace(lambda x: [x[k] - 2.0 * x[n - 1 - k] for k in range(n)], x=n)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("n", (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 32, 33, 34, 35, 64, 67))
def test_states_of_any_number_of_entries(n, dtype):
    """Rows are moved by tiles that may overlap; nothing outside the result may be touched."""
    for count in WIDTHS[dtype]:
        compiled = kernel_of_width(mixed(n), dtype, count)
        for size in (1, count - 1, count, count + 1, 8 * count - 1, 8 * count, 17 * count + 3):
            x = np.random.default_rng(size).normal(size=(size, n)).astype(dtype)
            with np.errstate(all="raise"):
                expected = x - 2 * x[:, ::-1]
            field = np.full((size + 2, n), 7, dtype)
            compiled(x, out=field[1:-1])
            assert abs(field[1:-1] - expected).max() < 1e-5
            assert (field[[0, -1]] == 7).all(), (count, size)
            turned = np.full((n + 2, size), 7, dtype)
            compiled(np.asfortranarray(x), out=turned[1:-1].T)
            assert same_bits(turned[1:-1].T.copy(), field[1:-1]), (count, size)
            assert (turned[[0, -1]] == 7).all(), (count, size)


@pytest.mark.skipif(sys.platform == "win32", reason="mprotect is a Unix call")
def test_nothing_beyond_an_array_is_read():
    """Arrays that begin or end where memory that must not be touched ends or begins."""
    text = """
    import ctypes, mmap
    import numpy as np, paraxis as px

    page, libc = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True)
    kept = []

    def room(pages):  # with a forbidden page on either side
        memory = mmap.mmap(-1, (pages + 2) * page)
        kept.append(memory)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for edge in (start, start + (pages + 1) * page):
            assert libc.mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) == 0
        return np.frombuffer(memory, np.uint8)[page : (pages + 1) * page]

    def placed(a, space, at_end):
        bytes_ = space[space.size - a.nbytes :] if at_end else space[: a.nbytes]
        view = np.ndarray(a.shape, a.dtype, bytes_, 0, a.strides)
        view[...] = a
        return view

    spaces = [room(4), room(4)]
    for n in (1, 3, 6, 7, 17, 35):
        mixed = px.trace(lambda x: [x[k] - 2.0 * x[n - 1 - k] for k in range(n)], x=n)
        for dtype in ("float64", "float32"):
            kernel = mixed.compile(dtype=dtype)
            for size in (1, 7, 8, 9, 16, 17, 40):
                x = np.random.default_rng(0).normal(size=(size, n)).astype(dtype)
                expected = kernel(x)
                for order in "CF":
                    for at_end in (True, False):
                        a = placed(np.array(x, order=order), spaces[0], at_end)
                        out = placed(np.zeros_like(a), spaces[1], at_end)
                        kernel(a, out=out)
                        assert (out == expected).all()
                        kernel.general(a[::-1], out=out[::-1])
                        assert (out == expected).all()
    print("done")
    """
    assert script(text).strip() == "done"


# machine code of other machines: (triple, cpu, element, lanes, an instruction it must contain)
MACHINES = [
    ("x86_64-unknown-linux-gnu", "x86-64", "double", 2, "mulpd"),
    ("x86_64-unknown-linux-gnu", "x86-64", "float", 4, "mulps"),
    ("x86_64-unknown-linux-gnu", "haswell", "double", 4, "%ymm"),
    ("x86_64-unknown-linux-gnu", "haswell", "float", 8, "vfmadd"),
    ("x86_64-unknown-linux-gnu", "skylake-avx512", "double", 8, "%zmm"),
    ("x86_64-unknown-linux-gnu", "skylake-avx512", "float", 16, "%zmm"),
    ("x86_64-pc-windows-msvc", "haswell", "double", 4, "vfmadd"),
    ("aarch64-unknown-linux-gnu", "generic", "double", 2, "fmla\tv"),
    ("aarch64-unknown-linux-gnu", "generic", "float", 4, "fmla\tv"),
    ("arm64-apple-macosx14.0.0", "apple-m1", "double", 2, "fmla.2d"),
]


def assembly_for(graph, triple, cpu, lanes):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as reason:
        pytest.skip(f"this llvmlite was built without {triple}: {reason}")
    module = llvm.parse_assembly(kernel_module.assembly_source(graph, lanes, 1000))
    module.verify()
    machine = target.create_target_machine(cpu=cpu, opt=2, reloc="pic", codemodel="small")
    return machine.emit_assembly(module)


@pytest.mark.parametrize("triple, cpu, element, count, instruction", MACHINES)
def test_code_for_other_machines_assembles(triple, cpu, element, count, instruction):
    text = assembly_for(program("ur5").graph, triple, cpu, Lanes(element, count))
    assert instruction in text
    if cpu == "x86-64":
        assert "%ymm" not in text and "vfmadd" not in text


@pytest.mark.parametrize(
    "triple, cpu, element, count, instruction",
    [
        ("x86_64-unknown-linux-gnu", "haswell", "double", 4, "vroundpd"),
        ("x86_64-unknown-linux-gnu", "haswell", "float", 8, "vroundps"),
        ("x86_64-unknown-linux-gnu", "skylake-avx512", "double", 8, "vrndscalepd"),
        ("x86_64-unknown-linux-gnu", "skylake-avx512", "float", 16, "vrndscaleps"),
        ("aarch64-unknown-linux-gnu", "generic", "double", 2, "frintx"),
    ],
)
def test_rounding_is_one_instruction(triple, cpu, element, count, instruction):
    graph = px.trace(lambda x: px.math.rint(x), x=()).graph
    text = assembly_for(graph, triple, cpu, Lanes(element, count))
    assert instruction in text and not re.search(r"\b(callq?|bl)\s+rint", text)


# -- every operation ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", SPECIAL)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_on_every_kind_of_number(op, dtype):
    """All pairs of ordinary and special numbers; bits as the interpreter's, rounded to the dtype.

    (A double result rounded to float32 is the float32 result, for each single operation.) The
    arguments come out too: an argument nothing depends on is added as a zero, which turns -0.0.
    """
    pair = px.trace(lambda a, b: [OPERATIONS[op](a, b), a, b], a=(), b=())
    compiled = pair.compile(dtype=dtype)
    values = np.array(SPECIAL[dtype], dtype)
    a, b = values[:, None], values[None, :]
    found = compiled(a, b)
    with np.errstate(over="ignore"):
        expected = pair.evaluate(a=a, b=b).astype(dtype)
    assert found.dtype == dtype and found.shape == expected.shape
    alone = [[compiled(np.array(x), np.array(y)) for y in values] for x in values]
    assert same_bits(np.array(alone), found)
    found, expected = found[..., 0], expected[..., 0]
    for i, j in itertools.product(range(len(values)), repeat=2):
        x, y = float(found[i, j]), float(expected[i, j])
        where = f"{op}({values[i]!r}, {values[j]!r}) = {x!r}, expected {y!r}"
        if math.isnan(y) or math.isinf(y):
            assert x == y or (math.isnan(x) and math.isnan(y)), where
        elif op in WITHIN_TWO_ULP:
            assert abs(x - y) <= 2 * np.spacing(abs(expected[i, j])), where
        elif op in ROUNDS_APART:
            slack = {"float64": 1e-14, "float32": 1e-6}[dtype]
            assert math.isclose(x, y, rel_tol=slack, abs_tol=slack), where
        else:
            assert x == y, where
            assert op in LOSES_ZERO_SIGN or math.copysign(1, x) == math.copysign(1, y), where


def test_every_operation_of_the_table_is_tried():
    """A new operation in graph/operations.py needs a line in OPERATIONS."""
    from paraxis.graph.operations import LEAVES, OPS
    from paraxis.passes.fuse import fuse

    tried = set()
    for function in OPERATIONS.values():
        traced = px.trace(lambda a, b, function=function: function(a, b), a=(), b=())
        tried.update(node.op for node in fuse(traced.graph).nodes)
    assert tried - set(LEAVES) == set(OPS)


def test_conditions_can_be_results():
    compare = px.trace(
        lambda a, b: [px.math.less(a, b), px.math.less_equal(a, b), px.math.equal(a, b)], a=(), b=()
    )
    found = compare.compile()(np.array([1.0, 2.0, 3.0, math.nan]), 2.0)
    assert found.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]


def test_a_constant_or_an_input_can_be_a_result():
    both = px.trace(lambda x: {"x": x, "two": 2.0, "again": [x[1], 5.0, x[1]]}, x=2)
    x, two, again = both.compile()(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert x.tolist() == [[1, 2], [3, 4]]
    assert two.tolist() == [2, 2]
    assert again.tolist() == [[2, 5, 2], [4, 5, 4]]


# -- sine and cosine ---------------------------------------------------------------------------


SCALE = 256  # bits after the point, in the exact reference
PI_BITS = 1024 + 2 * SCALE


@cache
def pi_over_two():
    """pi/2 times 2^PI_BITS, by Machin's formula in whole numbers."""

    def arctan_of_inverse(k):
        power = total = (1 << (PI_BITS + 16)) // k
        n, sign = 3, -1
        while power:
            power //= k * k
            total += sign * (power // n)
            n, sign = n + 2, -sign
        return total

    return 2 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239)) >> 16


@cache
def exact_sine_cosine(x):
    """(sin x, cos x) of a float, times 2^SCALE, right to some 240 bits."""
    numerator, denominator = x.as_integer_ratio()
    fixed = (numerator << PI_BITS) // denominator  # floats here are whole multiples of 2^-PI_BITS
    turns = (2 * fixed + pi_over_two()) // (2 * pi_over_two())
    r = (fixed - turns * pi_over_two()) >> (PI_BITS - SCALE)
    square = r * r >> SCALE
    sine = term = r
    cosine = other = 1 << SCALE
    n = 1
    while other or term:
        other = -(other * square >> SCALE) // (2 * n * (2 * n - 1))
        term = -(term * square >> SCALE) // (2 * n * (2 * n + 1))
        cosine, sine, n = cosine + other, sine + term, n + 1
        if abs(other) <= 1 and abs(term) <= 1:
            break
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][turns % 4]


def ulps(found, exact, smallest=0.0):
    """How far a float is from an exact value, in units of the last place of that value."""
    value = exact / (1 << SCALE)  # rounded once
    assert abs(found) >= 2.0**-180  # so that the next line is exact
    return abs((int(math.ldexp(found, SCALE)) - exact) / (1 << SCALE)) / math.ulp(
        max(abs(value), smallest)
    )


@cache
def sine_cosine(dtype="float64"):
    return px.trace(lambda x: {"s": px.math.sin(x), "c": px.math.cos(x)}, x=()).compile(dtype=dtype)


def worst_ulps(angles, smallest=0.0):
    """The largest error of sine and cosine over float64 angles, and where.

    Sines and cosines below `smallest` are measured in units of its last place.
    """
    found = np.stack(sine_cosine()(angles), axis=-1).tolist()
    worst = (0.0, None)
    for x, pair in zip(angles.tolist(), found, strict=True):
        for value, exact in zip(pair, exact_sine_cosine(x), strict=True):
            worst = max(worst, (ulps(value, exact, smallest), x), key=lambda item: item[0])
    return worst


def test_the_exact_reference_is_right():
    """The reference of the following tests against printed digits of other people's."""
    sine, cosine = exact_sine_cosine(1.0)
    assert str(sine * 10**40 >> SCALE) == "8414709848078965066525023216302989996225"
    assert str(cosine * 10**40 >> SCALE) == "5403023058681397174009366074429766037323"
    for x in (0.3, -2.0, 4.0, 1e5, 1e22, 1.7e308):
        for exact, close in zip(exact_sine_cosine(x), (math.sin(x), math.cos(x)), strict=True):
            assert ulps(close, exact) < 1


def test_sine_and_cosine_to_two_ulp_everywhere_up_to_1e5():
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [
            rng.uniform(-1e5, 1e5, 6000),
            rng.uniform(-7, 7, 6000),
            rng.normal(size=2000) * 10.0 ** rng.uniform(-30, 5, 2000),
        ]
    )
    worst, where = worst_ulps(angles)
    assert worst <= 2, where


def test_sine_and_cosine_beside_every_multiple_of_a_right_angle():
    """The float nearest to k pi/2, where nearly all digits cancel; also past 1e5."""
    half_pi, one = pi_over_two(), 1 << PI_BITS
    angles = np.array([k * half_pi / one for k in range(1, 63663, 7)])
    border = np.array([k * half_pi / one for k in range(83400, 83500)])  # the C library begins here
    quarter = np.array([(2 * k + 1) * half_pi / (2 * one) for k in range(0, 60000, 53)])
    for group in (angles, -border, border, quarter, np.nextafter(quarter, 0)):
        worst, where = worst_ulps(group)
        assert worst <= 2, where


def test_the_hardest_angles_below_1e5():
    """Of all floats nearest to k pi/2, those whose cosine or sine is smallest."""
    half_pi, one = pi_over_two(), 1 << PI_BITS
    angles = [k * half_pi / one for k in range(1, 63663)]

    def remainder(k):
        numerator, denominator = angles[k - 1].as_integer_ratio()
        return abs((numerator << PI_BITS) // denominator - k * half_pi)

    hardest = sorted(range(1, 63663), key=remainder)[:300]
    assert remainder(hardest[0]) / one < 1e-15
    worst, where = worst_ulps(np.array([angles[k - 1] for k in hardest]))
    assert worst <= 2, where


def test_sine_and_cosine_of_huge_angles():
    """They are the C library's. Of all floats, 6381956970095103 * 2^797 is nearest to a multiple
    of pi/2; there glibc's cosine, 4.7e-19, is wrong by 8 ulp, so smaller than 1e-17 counts as that.
    """
    rng = np.random.default_rng(2)
    angles = rng.normal(size=600) * 10.0 ** rng.uniform(5, 307, 600)
    extreme = [6381956970095103.0 * 2.0**797, 1.7e308, -1.7e308, 2.0**1023]
    worst, where = worst_ulps(np.concatenate([angles, extreme]), smallest=1e-17)
    assert worst < 2, where


def test_sine_and_cosine_of_tiny_angles():
    tiny = [0.0, -0.0, 5e-324, -5e-324, 3e-310, 2.3e-308, 1e-300, -1e-100, 1e-20, -1e-9]
    sine, cosine = sine_cosine()(np.array(tiny))
    assert sine.tolist() == tiny  # sin x = x to the last bit
    assert cosine.tolist() == [1.0] * len(tiny)
    tiny = np.array([0.0, -0.0, 1e-45, -1e-45, 1e-39, 1e-30, -1e-5], np.float32)
    sine, cosine = sine_cosine("float32")(tiny)
    assert sine.tolist() == tiny.tolist()
    assert cosine.tolist() == [1.0] * len(tiny)


def test_float32_sine_and_cosine_to_two_ulp():
    rng = np.random.default_rng(3)
    beside = np.arange(1, 63663) * (math.pi / 2)
    angles = np.concatenate(
        [
            rng.uniform(-1e5, 1e5, 100_000),
            rng.uniform(-7, 7, 100_000),
            beside,
            rng.normal(size=1000) * 10.0 ** rng.uniform(5, 37, 1000),
        ]
    ).astype(np.float32)
    angles = np.concatenate([angles, np.nextafter(angles, np.float32(0))])
    found = sine_cosine("float32")(angles)
    for values, function in zip(found, (math.sin, math.cos), strict=True):
        exact = np.array([function(x) for x in angles.tolist()])
        unit = np.spacing(abs(exact).astype(np.float32)).astype(float)
        distance = abs(values - exact) / unit
        assert distance.max() <= 2, angles[distance.argmax()]


@pytest.mark.parametrize("dtype", SPECIAL)
def test_an_angle_changes_nothing_in_its_neighbours_lanes(dtype):
    """Huge, infinite and NaN angles take another way through the code, alone."""
    count = 2 * sine_cosine(dtype).lanes + 3
    angles = np.random.default_rng(4).uniform(-10, 10, count).astype(dtype)
    clean = np.stack(sine_cosine(dtype)(angles), axis=-1)
    for place, odd in itertools.product(
        range(count), (1e30, -131072.0, math.inf, -math.inf, math.nan)
    ):
        spoiled = angles.copy()
        spoiled[place] = odd
        found = np.stack(sine_cosine(dtype)(spoiled), axis=-1)
        if math.isfinite(odd):
            assert (
                abs(found[place] - [math.sin(spoiled[place]), math.cos(spoiled[place])]).max()
                < 1e-6
            )
        else:
            assert np.isnan(found[place]).all()
        found[place] = clean[place]
        assert same_bits(found, clean)


# -- the same bits, whatever the batch ---------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTHS)
def test_same_bits_at_any_place_in_a_batch_of_any_size(dtype):
    """Sizes that end inside a vector, at its edge, and at the edges of groups of vectors."""
    k = kernel("ur5", dtype)
    arrays = states("ur5", 560, dtype=dtype)
    alone = one_by_one(k, arrays)
    edges = {m * k.lanes * group + d for m in (1, 2, 3) for group in (1, 4, 8) for d in (-1, 0, 1)}
    for size in sorted({*range(1, 41), *edges}):
        for first in (0, 1, 13):
            part = [a[first : first + size] for a in arrays]
            for way, call in both_ways(k).items():
                assert same_bits(call(*part), alone[first : first + size]), (size, first, way)


@pytest.mark.parametrize("threads", (1, 2, 3))
def test_same_bits_with_any_number_of_threads(threads, monkeypatch):
    """Also for batches too small to be worth a thread, given one all the same."""
    k = kernel("ur5", threads=threads)
    arrays = states("ur5", 20_000, seed=5)
    whole = kernel("ur5", threads=1).general(*arrays)
    assert same_bits(whole[:100], one_by_one(k, [a[:100] for a in arrays]))
    assert same_bits(k(*arrays), whole)
    used, run_together = [], kernel_module.run_together

    def counted(function, job, count):
        used.append(count)
        return run_together(function, job, count)

    monkeypatch.setattr(kernel_module, "run_together", counted)
    monkeypatch.setattr(kernel_module, "THREAD_WORK", 1)
    for size in (1, 2, 7, 8, 9, 63, 64, 65, 100, 1000, 4097):
        part = [a[:size] for a in arrays]
        assert same_bits(k.general(*part), whole[:size]), size
    assert set(used) == {threads}


def layouts(a):
    """The same (B, n) numbers, laid out in memory in every way we can think of."""
    rows, columns = a.shape
    spread = np.full((2 * rows, 3 * columns), np.nan, a.dtype)
    yield "C", np.ascontiguousarray(a)
    yield "Fortran", np.asfortranarray(a)
    yield "rows apart", _filled(spread[::2, :columns], a)
    yield "columns apart", _filled(spread.copy()[:rows, 1::3], a)
    yield "both apart", _filled(spread.copy()[1::2, ::3], a)
    yield "Fortran, padded", _filled(np.full((columns, rows + 5), np.nan, a.dtype)[:, 3:-2].T, a)
    yield "rows reversed", np.ascontiguousarray(a[::-1])[::-1]
    yield "columns reversed", np.ascontiguousarray(a[:, ::-1])[:, ::-1]
    yield "both reversed", np.asfortranarray(a[::-1, ::-1])[::-1, ::-1]


def _filled(view, values):
    view[...] = values
    return view


@pytest.mark.parametrize("dtype", WIDTHS)
def test_same_bits_in_any_layout(dtype):
    k = kernel("ur5", dtype)
    q, qd, qdd = states("ur5", 2 * k.lanes * 8 + 5, seed=6, dtype=dtype)
    expected = one_by_one(k, (q, qd, qdd))
    for (name, a), (other, b) in itertools.product(layouts(q), layouts(qd)):
        for way, call in both_ways(k).items():
            assert same_bits(call(a, b, qdd), expected), (name, other, way)
    for (name, a), (other, target) in itertools.product(layouts(qdd), layouts(np.zeros_like(q))):
        for way, call in both_ways(k).items():
            target[...] = 0
            assert call(q, qd, a, out=target) is target
            assert same_bits(target, expected), (name, other, way)


def test_a_result_written_apart_leaves_the_gaps_alone():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 29)
    for call in both_ways(k).values():
        for rows, columns in ((slice(None, None, 2), slice(2, 8)), (slice(3, 32), slice(0, 12, 2))):
            field = np.full((58, 12), 7.0)
            call(q, qd, qdd, out=field[rows, columns])
            field[rows, columns] = 7.0
            assert (field == 7.0).all()


@pytest.mark.parametrize("dtype", WIDTHS)
def test_one_state_in_any_layout(dtype):
    """One state has no batch axis, in or out."""
    k = kernel("ur5", dtype)
    q, qd, qdd = states("ur5", dtype=dtype)
    expected = k(q, qd, qdd)
    assert expected.shape == (6,)
    for _, grid in layouts(np.stack([q, qd, qdd])):
        for call in both_ways(k).values():
            assert same_bits(call(*grid), expected)
            assert same_bits(call(grid[0], qd, qdd), expected)
            target = np.empty((6, 2), dtype)[:, 1]
            assert call(*grid, out=target) is target
            assert same_bits(target, expected)


def test_broadcasting():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 21)
    one = np.stack([k(q[i], qd[0], qdd[2]) for i in range(21)])
    for way, call in both_ways(k).items():
        for a, b in itertools.product(
            (qd[0], qd[:1], np.broadcast_to(qd[0], (21, 6))), (qdd[2], qdd[2:3])
        ):
            assert same_bits(call(q, a, b), one), way
            assert same_bits(call(q, a, b, out=np.empty((21, 6))), one), way
        grid = call(q[:, None], qd[None, :7], qdd[:1])
        assert grid.shape == (21, 7, 6)
        for i, j in itertools.product(range(21), range(7)):
            assert same_bits(grid[i, j], k(q[i], qd[j], qdd[0])), way
        assert call(q[:1], qd[0], qdd[0]).shape == (1, 6)
        assert call(q[None, :1], qd[0], qdd[0]).shape == (1, 1, 6)


def test_batches_of_many_axes_in_any_order():
    k = kernel("ur5")
    rng = np.random.default_rng(8)
    for shape in ((3, 4, 5), (2, 3, 1, 4, 3), (2, 2, 2, 2, 2)):
        orders = list(itertools.permutations(range(len(shape))))[::7]
        whole = rng.normal(size=(3, *shape, 6))
        expected = one_by_one(k, whole.reshape(3, -1, 6)).reshape(*shape, 6)
        for order in orders:
            back = (*np.argsort(order), len(shape))
            views = [np.ascontiguousarray(a.transpose(*order, -1)).transpose(back) for a in whole]
            assert same_bits(k(*views), expected), order
            assert same_bits(k(views[0], whole[1], whole[2][..., ::1]), expected), order
            target = np.empty((*(shape[i] for i in order), 6)).transpose(back)
            assert k(whole[0], views[1], whole[2], out=target) is target
            assert same_bits(np.ascontiguousarray(target), expected), order


def test_more_axes_than_a_job_can_have():
    """Eleven axes that cannot be joined: right numbers, or an error that says so."""
    k = kernel("ur5")
    q = np.random.default_rng(9).normal(size=(*(2,) * 11, 6))
    turned = q.transpose(*reversed(range(11)), 11)
    try:
        found = k(turned, q, q)
    except px.ArgumentError as error:
        assert "axes" in str(error)
    else:
        flat = [np.ascontiguousarray(a).reshape(-1, 6) for a in (turned, q, q)]
        assert same_bits(found.reshape(-1, 6), k(*flat))


def test_empty_batches():
    k = kernel("ur5")
    _, qd, qdd = states("ur5", 5)
    for shape in ((0,), (3, 0), (0, 4), (2, 0, 3)):
        empty = np.empty((*shape, 6))
        for call in both_ways(k).values():
            assert call(empty, empty, empty).shape == (*shape, 6)
            assert call(empty, qd[0], qdd[:1]).shape == (*shape, 6)
            target = np.empty((*shape, 6))
            assert call(empty, empty, qdd[0], out=target) is target


# -- entries of any shape ----------------------------------------------------------------------


@cache
def shapes_kernel():
    """Scalars and matrices in, a matrix out: r = k * (a @ b) + sin(k)."""

    def multiply(a, b, k):
        rows = [[sum(x * b[m][j] for m, x in enumerate(row)) for j in range(4)] for row in a]
        return [[k * value + px.math.sin(k) for value in row] for row in rows]

    traced = px.trace(multiply, a=(2, 3), b=(3, 4), k=())
    return traced, traced.compile()


def test_matrices_and_scalars():
    traced, compiled = shapes_kernel()
    rng = np.random.default_rng(10)
    a, b, k = rng.normal(size=(19, 2, 3)), rng.normal(size=(19, 3, 4)), rng.normal(size=19)
    expected = k[:, None, None] * (a @ b) + np.sin(k)[:, None, None]
    assert abs(traced.evaluate(a=a, b=b, k=k) - expected).max() < 1e-14
    plain = compiled(a, b, k)
    assert abs(plain - expected).max() < 1e-14
    for call in both_ways(compiled).values():
        assert same_bits(np.stack([call(a[i], b[i], k[i]) for i in range(19)]), plain)
        assert same_bits(call(a, b, k), plain)
        # turned entries, states apart, k with a stride, k as a float
        turned = np.ascontiguousarray(a.transpose(2, 1, 0)).transpose(2, 1, 0)
        assert same_bits(call(turned, b[::-1][::-1], np.repeat(k, 3)[::3]), plain)
        assert same_bits(call(a[3], b[3], float(k[3])), plain[3])
        assert same_bits(call(a.tolist(), b, k.tolist()), plain)
        whole = np.round(turned * 8).astype(np.float32)  # turned entries of another dtype
        assert same_bits(call(whole, b, k), call(np.array(whole, float, order="C"), b, k))
        assert call(a[:, None], b[None, :5], 2.0).shape == (19, 5, 2, 4)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_matrix_results_in_any_layout(order):
    """`out` holds the result itself, not a copy of it, whichever axis is innermost."""
    _, compiled = shapes_kernel()
    rng = np.random.default_rng(11)
    a, b, k = rng.normal(size=(19, 2, 3)), rng.normal(size=(19, 3, 4)), rng.normal(size=19)
    expected = compiled(a, b, k)
    for call in both_ways(compiled).values():
        for step in (1, 2, -1):
            shape = tuple((19, 2, 4)[i] * abs(step) for i in order)
            target = np.full(shape, np.nan).transpose(np.argsort(order))[::step, ::step, ::step]
            assert call(a, b, k, out=target) is target
            assert same_bits(np.ascontiguousarray(target), expected)


def test_scalar_functions_of_scalars():
    compiled = px.trace(lambda x: x * x + 1.0, x=()).compile()
    for value in (3.0, 3, np.float64(3), np.float32(3), np.array(3.0)):
        found = compiled(value)
        assert found.shape == () and found == 10
    assert compiled([1.0, 2.0, 3.0]).tolist() == [2, 5, 10]
    assert compiled(np.arange(24.0).reshape(2, 3, 4)[:, ::-1, 1]).tolist() == [
        [82, 26, 2],
        [442, 290, 170],
    ]


def test_several_results():
    both = px.trace(lambda x: {"sum": x[0] + x[1], "parts": [x[1], x[0], x[0]]}, x=2)
    compiled = both.compile()
    x = np.random.default_rng(12).normal(size=(3, 7, 2))
    total, parts = compiled(x)
    assert total.shape == (3, 7) and parts.shape == (3, 7, 3)
    assert same_bits(total, x[..., 0] + x[..., 1])
    assert same_bits(parts, x[..., [1, 0, 0]])
    into = np.empty((7, 3)).T, np.empty((3, 7, 6))[..., ::2]
    for form in (tuple(into), list(into)):
        found = compiled(x, out=form)
        assert found[0] is into[0] and found[1] is into[1]
        assert same_bits(np.ascontiguousarray(into[0]), total)
        assert same_bits(np.ascontiguousarray(into[1]), parts)
    assert [part.shape for part in compiled(x[0, 0])] == [(), (3,)]
    field = np.empty(100)
    with pytest.raises(px.ArgumentError, match="out"):
        compiled(x, out=(field[:21].reshape(3, 7), field[20:83].reshape(3, 7, 3)))
    with pytest.raises(px.ArgumentError, match="out: expected 2 arrays, found 1"):
        compiled(x, out=total)


def test_more_inputs_than_the_native_call_takes():
    names = [f"x{i}" for i in range(20)]
    total = px.trace(lambda **x: sum(x[name] for name in names), **dict.fromkeys(names, ()))
    values = np.random.default_rng(13).normal(size=(20, 11))
    assert abs(total.compile()(*values) - values.sum(axis=0)).max() < 1e-13


def test_a_program_without_inputs():
    """There is nothing to compute, and that is no reason to fail."""
    assert px.trace(lambda: [1.0, 2.0]).compile()().tolist() == [1, 2]


# -- out= --------------------------------------------------------------------------------------


@pytest.mark.parametrize("array, q, out", aliases())
def test_out_may_share_memory_with_an_input(array, q, out, monkeypatch):
    for which, threads in itertools.product(range(3), (1, 2)):
        k = kernel("ur5", threads=threads)
        for call in both_ways(k).values():
            field = array.copy()
            arrays = states("ur5", 40, seed=15)
            arrays[which] = field[q]
            expected = k(*(a.copy() for a in arrays))
            if threads == 2:
                monkeypatch.setattr(kernel_module, "THREAD_WORK", 1)
            call(*arrays, out=field[out])
            monkeypatch.undo()
            assert same_bits(np.ascontiguousarray(field[out]), expected), which


@pytest.mark.parametrize("array, q, out", aliases())
def test_out_may_share_memory_when_large_arrays_are_converted_piecewise(array, q, out, monkeypatch):
    """Another input has another dtype, so states are done in pieces: none may spoil a later one."""
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 100)
    k, field = kernel("ur5"), array.copy()
    _, qd, qdd = states("ur5", 40, seed=16)
    qd = qd.astype(np.float32)
    expected = k(field[q].copy(), qd.astype(float), qdd)
    k(field[q], qd, qdd, out=field[out])
    assert same_bits(np.ascontiguousarray(field[out]), expected)


def test_out_may_be_the_memory_of_an_input_of_another_dtype(monkeypatch):
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 100)
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 40)
    numbers = (1000 * q).astype(np.int64)
    expected = k(numbers.astype(float), qd, qdd)
    k(numbers, qd, qdd, out=numbers.view(np.float64))
    assert same_bits(numbers.view(np.float64), expected)


def test_out_may_be_every_input_at_once():
    k = kernel("ur5")
    for batch in ((), (40,), (3, 5)):
        (x, *_), target = states("ur5", *batch), np.empty((*batch, 6))
        expected = k(x, x, x, out=target).copy()
        for call in both_ways(k).values():
            field = x.copy()
            assert same_bits(call(field, field, field, out=field), expected)


def test_out_that_shares_memory_with_one_state():
    k = kernel("ur5")
    _, qd, qdd = states("ur5")
    for shift in range(-6, 7):
        field = np.random.default_rng(17).normal(size=18)
        q, out = field[6:12], field[6 + shift : 12 + shift]
        expected = k(q.copy(), qd, qdd)
        k(q, qd, qdd, out=out)
        assert same_bits(out, expected), shift


def test_out_of_fewer_entries_over_windows_of_the_input():
    """State i reads entries i+2, i+1, i and writes i+2, which later states have yet to read."""
    mean = px.trace(lambda x: [x[0] + 10.0 * x[1] + 100.0 * x[2]], x=3).compile()
    for call in both_ways(mean).values():
        field = np.random.default_rng(18).normal(size=102)
        windows = np.lib.stride_tricks.sliding_window_view(field, 3)[:, ::-1]
        target = field[2:].reshape(-1, 1)[:, ::-1]  # strides as those of the windows
        expected = mean(windows.copy())
        call(windows, out=target)
        assert same_bits(field[2:], expected[:, 0])


@pytest.mark.parametrize("one_state", (True, False))
def test_out_that_cannot_be_used_is_refused(one_state):
    k = kernel("ur5")
    batch = () if one_state else (5,)
    arrays = states("ur5", *batch)
    frozen = np.empty((*batch, 6))
    frozen.flags.writeable = False
    bad = {
        "shorter": np.empty((*batch, 5)),
        "one axis more": np.empty((1, *batch, 6)),
        "other batch": np.empty((4, 6)),
        "flat": np.empty(6 * math.prod(batch) + 1),
        "float32": np.empty((*batch, 6), np.float32),
        "integers": np.empty((*batch, 6), int),
        "other byte order": np.empty((*batch, 6), np.dtype(float).newbyteorder()),
        "read-only": frozen,
        "broadcast": np.broadcast_to(np.zeros(6), (*batch, 6)),
        "a list": [0.0] * 6,
        "a number": 1.0,
        "two arrays": (np.empty((*batch, 6)), np.empty((*batch, 6))),
        "no array": (),
    }
    for name, out in bad.items():
        for call in both_ways(k).values():
            with pytest.raises(px.ArgumentError, match=r"\bout\b"):
                call(*arrays, out=out)
                pytest.fail(name)
    target = np.empty((*batch, 6))
    assert k(*arrays, out=(target,)) is target
    assert same_bits(k(*arrays, out=None), target)


# -- arguments ---------------------------------------------------------------------------------


class OnAnotherDevice:
    """What a GPU array looks like from outside."""

    dtype, shape = np.dtype(float), (6,)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        raise AssertionError("memory of another device must not be touched")


BAD = {
    "too few entries": np.zeros(5),
    "too many entries": np.zeros((3, 7)),
    "a number": 1.0,
    "nothing": None,
    "an empty list": [],
    "a ragged list": [[1.0] * 6, [1.0] * 5],
    "a word": "123456",
    "words": ["1"] * 6,
    "complex": np.zeros(6, complex),
    "objects": np.zeros(6, object),
    "longdouble": np.zeros(6, np.longdouble),
    "bool": np.zeros(6, bool),  # a truth value is not an angle
    "dates": np.zeros(6, "datetime64[s]"),
    "records": np.zeros(6, [("a", float)]),
    "a set": {1.0, 2.0},
    "integers past 64 bits": [2**70] * 6,
    "GPU": OnAnotherDevice(),
}


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="longdouble is double here")
@pytest.mark.parametrize("batch", ((), (3,)))
@pytest.mark.parametrize("name", BAD)
def test_a_bad_argument_is_named(name, batch):
    good = np.zeros((*batch, 6))
    for k in (kernel("ur5"), kernel("ur5", "float32")):
        for place, argument in enumerate(("q", "qd", "qdd")):
            arrays = [good, good, good]
            arrays[place] = BAD[name]
            for call in both_ways(k).values():
                with pytest.raises(px.ArgumentError, match=rf"^{argument}: expected"):
                    call(*arrays)
                with pytest.raises(px.ArgumentError, match=rf"^{argument}: expected"):
                    call(*arrays, out=np.zeros((*batch, 6), k.dtype))
    with pytest.raises(px.ArgumentError, match=r"^qd: expected"):
        px.inverse_dynamics(robot("ur5"), good, BAD[name], good)


def test_wrong_numbers_of_arguments_are_named():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 3)
    for call in both_ways(k).values():
        with pytest.raises(px.ArgumentError, match=r"missing \(qdd\)"):
            call(q, qd)
        with pytest.raises(px.ArgumentError, match=r"missing \(q, qd, qdd\)"):
            call()
        with pytest.raises(px.ArgumentError, match=r"expected 3 arrays \(q, qd, qdd\), found 4"):
            call(q, qd, qdd, q)
        with pytest.raises(px.ArgumentError, match="'speed'"):
            call(q, qd, speed=qdd)
        with pytest.raises(px.ArgumentError, match="'speed'"):
            call(q, qd, qdd, speed=qdd)
        with pytest.raises(px.ArgumentError, match="qd was given twice"):
            call(q, qd, qdd=qdd, qd=qd)
        with pytest.raises(px.ArgumentError, match=r"q \(3,\), qd \(2,\), qdd \(3,\)"):
            call(q, qd[:2], qdd)
        with pytest.raises(px.ArgumentError, match="broadcast"):
            call(q[:0], qd, qdd)
        with pytest.raises(px.ArgumentError, match="broadcast"):
            call(q[:, None], qd[None, :2], qdd)
        assert same_bits(call(qdd=qdd, qd=qd, q=q), k(q, qd, qdd))
        assert same_bits(call(q, qdd=qdd, qd=qd), k(q, qd, qdd))
        named_out = {"".join(("o", "ut")): np.empty((3, 6))}  # a word Python has not interned
        assert same_bits(call(q, qd, qdd, **named_out), k(q, qd, qdd))


def test_arrays_of_other_kinds_are_converted():
    k, single = kernel("ur5"), kernel("ur5", "float32")
    _, qd, qdd = states("ur5", 13)
    values = np.random.default_rng(19).integers(-3, 4, size=(13, 6))
    expected = k(values.astype(float), qd, qdd)
    swapped = np.dtype(float).newbyteorder()
    unsigned = k(abs(values).astype(float), qd, qdd)
    for call in both_ways(k).values():
        for dtype in ("i1", "i2", "i4", "i8", "f2", "f4", "f8", swapped):
            assert same_bits(call(values.astype(dtype), qd, qdd), expected), dtype
            assert same_bits(call(values[4].astype(dtype), qd[4], qdd[4]), expected[4]), dtype
        for dtype in ("u1", "u2", "u4", "u8"):
            assert same_bits(call(abs(values).astype(dtype), qd, qdd), unsigned), dtype
        assert same_bits(call(values.tolist(), qd.tolist(), tuple(map(tuple, qdd))), expected)
        assert same_bits(call(list(values), qd, qdd), expected)
    rounded = single(values.astype("f4"), qd.astype("f4"), qdd.astype("f4"))
    assert same_bits(single(values, qd, qdd), rounded)
    assert same_bits(single(values, qd.astype("f4"), qdd), rounded)


def test_the_function_form_chooses_the_dtype():
    arrays = states("ur5", 13, dtype="float32")
    assert same_bits(px.inverse_dynamics(robot("ur5"), *arrays), kernel("ur5", "float32")(*arrays))
    mixed = [arrays[0], *(a.astype(float) for a in arrays[1:])]
    expected = kernel("ur5")(*(a.astype(float) for a in arrays))
    assert same_bits(px.inverse_dynamics(robot("ur5"), *mixed), expected)
    assert same_bits(px.inverse_dynamics(robot("ur5"), *(a.tolist() for a in arrays)), expected)
    target = np.empty((13, 6))
    assert px.inverse_dynamics(robot("ur5"), *mixed, out=target) is target
    assert same_bits(target, expected)


class Subclass(np.ndarray):
    pass


def unaligned(a):
    """The same numbers one byte off."""
    field = np.zeros(a.nbytes + 1, np.uint8)[1:]
    field[:] = np.ascontiguousarray(a).view(np.uint8).reshape(-1)
    return field.view(a.dtype).reshape(a.shape)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_uncommon_arrays_give_the_right_numbers():
    k = kernel("ur5")
    q, qd, qdd = states("ur5", 40)
    frozen = q.copy()
    frozen.flags.writeable = False
    swapped = np.dtype(float).newbyteorder()
    uncommon = {
        "subclass": q.view(Subclass),
        "matrix": np.asmatrix(q),
        "nothing masked": np.ma.masked_array(q),
        "read-only": frozen,
        "unaligned": unaligned(q),
        "other byte order": q.astype(swapped),
        "other byte order, unaligned": unaligned(q.astype(swapped)),
        "memory of bytes": np.frombuffer(q.tobytes()).reshape(40, 6),
        "a field of a record": _filled(np.zeros(40, [("pad", "i4"), ("q", float, 6)])["q"], q),
        "memoryview": memoryview(q),
        "a copy of the dtype": q.astype(np.dtype("f8", copy=True)),
    }
    assert not uncommon["unaligned"].flags.aligned
    assert not uncommon["a field of a record"].flags.aligned
    for name, odd in uncommon.items():
        for call in both_ways(k).values():
            found = call(odd, qd, qdd)
            assert type(found) is np.ndarray and same_bits(found, k(q, qd, qdd)), name


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    "change", (unaligned, np.asmatrix, np.ma.masked_array, lambda a: a.view(Subclass))
)
def test_uncommon_arrays_take_the_result(change):
    arrays = states("ur5", 40)
    for call in both_ways(kernel("ur5")).values():
        out = change(np.zeros((40, 6)))
        assert call(*arrays, out=out) is out
        assert same_bits(np.array(out), kernel("ur5")(*arrays))


def test_masked_states_are_not_read_as_numbers():
    """What stands under a mask is nobody's number: an error, or no number in that state."""
    q, qd, qdd = states("ur5", 5)
    masked = np.ma.masked_array(q, mask=np.zeros((5, 6), bool))
    masked[2, 3] = np.ma.masked
    for call in both_ways(kernel("ur5")).values():
        with pytest.raises(px.ArgumentError, match=r"^q: "):
            call(masked, qd, qdd)


# -- NaN ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("ur5", "stanford", "tree"))
def test_a_bad_number_spoils_its_own_state_and_no_other(name):
    """In every entry, also those no torque depends on (q of ur5's first joint), in every lane."""
    k, n = kernel(name), robot(name).n
    size = 2 * k.lanes + 3
    arrays = states(name, size, seed=20)
    clean = k(*arrays)
    spots = itertools.product(range(3), range(n), (math.nan, math.inf, -math.inf), range(size))
    for which, entry, bad, place in spots:
        spoiled = [a.copy() for a in arrays]
        spoiled[which][place, entry] = bad
        found = k(*spoiled)
        where = (("q", "qd", "qdd")[which], entry, bad, place)
        assert not np.isfinite(found[place]).all(), where
        if math.isnan(bad):
            assert np.isnan(found[place]).any(), where
        assert (
            same_bits(k(*(a[place] for a in spoiled)), found[place]) or np.isnan(found[place]).any()
        )
        found[place] = clean[place]
        assert same_bits(found, clean), where


@pytest.mark.parametrize("name", ("ur5", "stanford", "tree"))
def test_nan_goes_where_the_interpreter_says(name):
    """One state for each bad entry, all in one batch; and each alone."""
    k, n = kernel(name), robot(name).n
    q, qd, qdd = states(name, 3 * n, seed=21)
    for which, entry in itertools.product(range(3), range(n)):
        (q, qd, qdd)[which][which * n + entry, entry] = math.nan
    expected = np.isnan(program(name).evaluate(q=q, qd=qd, qdd=qdd))
    assert expected.any(axis=1).all()
    assert (np.isnan(k(q, qd, qdd)) == expected).all()
    assert (np.isnan(one_by_one(k, (q, qd, qdd))) == expected).all()


def test_an_entry_that_nothing_depends_on_still_spoils_everything():
    assert ("q", range(1)) in program("ur5").graph.unused
    q, qd, qdd = states("ur5", 11)
    for bad in (math.nan, math.inf):
        q[4, 0] = bad
        assert np.isnan(kernel("ur5")(q, qd, qdd)).any(axis=1).tolist() == [
            i == 4 for i in range(11)
        ]
        assert np.isnan(kernel("ur5")(q[4], qd[4], qdd[4])).all()
    ignoring = px.trace(lambda x, y: {"a": x[0], "b": [2.0 * x[0], 1.0]}, x=2, y=())
    a, b = ignoring.compile()(
        np.array([[1.0, 2.0], [1.0, math.nan], [1.0, 3.0]]), [0.0, 0.0, math.inf]
    )
    assert np.isnan(a).tolist() == [False, True, True]
    assert np.isnan(b).tolist() == [[False] * 2, [True] * 2, [True] * 2]


def test_huge_numbers_in_an_entry_that_nothing_depends_on_change_nothing():
    q, qd, qdd = states("ur5", 11)
    expected = kernel("ur5")(q, qd, qdd)
    q[:, 0] = 1.7e308
    assert same_bits(kernel("ur5")(q, qd, qdd), expected)


# -- memory, references, threads ---------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="there is no resource module")
def test_large_batches_are_not_copied():
    """2^21 states: 100 MB an array. Nothing larger than a piece of one may be made on the way."""
    text = """
    import re, resource, sys
    import numpy as np, paraxis as px

    def peak():  # the most memory this process has had, in bytes
        if sys.platform == "linux":  # where getrusage counts the parent before exec, too
            return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    kernel = px.program(px.load("ur5")).compile()
    n, other = 1 << 21, np.full(6, 0.5)
    out, expected = np.ones((n, 6)), kernel(np.ones(6), other, other)
    kernel(np.ones((50_000, 6)), other, other)  # starts the threads
    for dtype in (np.int32, np.float32, np.float64):  # from small to large: a peak stays a peak
        q = np.ones((n, 6), dtype)
        out[:] = 0
        before = peak()
        kernel(q, other, other, out=out)
        after = peak()
        assert (out[::65537] == expected).all() and (out[-1] == expected).all()
        print(np.dtype(dtype), (after - before) / 1e6)
        del q
    """
    for line in script(text).splitlines():
        dtype, megabytes = line.split()
        assert float(megabytes) < 64, dtype


def test_large_batches_of_another_dtype_give_the_same_bits(monkeypatch):
    """Converted in pieces along the longest axis, other arrays broadcast along it or not."""
    k = kernel("ur5")
    rng = np.random.default_rng(22)
    q = rng.integers(-3, 4, size=(3, 50, 6))
    qd, qdd = rng.normal(size=(50, 6)), rng.normal(size=(3, 1, 6))
    expected = k(q.astype(float), qd, qdd)
    monkeypatch.setattr(map_driver, "CONVERTED_AT_ONCE", 200)
    assert same_bits(k(q, qd, qdd), expected)
    assert same_bits(k(np.asfortranarray(q), qd, qdd), expected)
    out = np.empty((6, 50, 3)).T
    k(q, qd, qdd, out=out)
    assert same_bits(np.ascontiguousarray(out), expected)


@pytest.mark.parametrize("batch", ((), (5,)))
def test_calling_often_leaks_nothing(batch):
    """The native call counts references by hand."""
    k = kernel("ur5")
    arrays, out = states("ur5", *batch), np.empty((*batch, 6))
    watched = [*arrays, out, k, np.ndarray, out.dtype, None]

    def work(times):
        for _ in range(times):
            k(*arrays)
            k(*arrays, out=out)
        for _ in range(times // 100):  # the general path, and errors
            k.general(*arrays, out=out)
            k(arrays[0].tolist(), *arrays[1:])
            with suppress(px.ArgumentError):
                k(arrays[0], out=3)

    work(1000)
    gc.collect()
    tracemalloc.start()
    try:
        counts, bytes_before = [sys.getrefcount(thing) for thing in watched], _allocated()
        work(50_000)
        gc.collect()
        bytes_after, now = _allocated(), [sys.getrefcount(thing) for thing in watched]
    finally:
        tracemalloc.stop()
    for thing, before, after in zip(watched, counts, now, strict=True):
        assert abs(after - before) < 100, type(thing)  # others may hold ndarray and None
    assert bytes_after - bytes_before < 100_000


def _allocated():
    return tracemalloc.get_traced_memory()[0]


def test_results_own_their_memory():
    k = kernel("ur5")
    arrays = states("ur5", 9)
    for call in both_ways(k).values():
        for found in (
            call(*arrays),
            call(*(a[0] for a in arrays)),
            call(*arrays[:2], 0 * arrays[2]),
        ):
            assert found.base is None and found.flags.owndata and found.flags.c_contiguous
            assert found.flags.writeable and found.flags.aligned
            assert not any(np.may_share_memory(found, a) for a in arrays)
    first, kept = k(*arrays), k(*arrays).copy()
    k(*(2 * a for a in arrays))
    assert same_bits(first, kept)


def test_kernels_are_collected():
    def make():
        k = px.trace(lambda x: x * 3.0, x=()).compile()
        k(1.0)
        return weakref.ref(k)

    gc.collect()
    before = len(host._engines)
    references = [make() for _ in range(3)]
    gc.collect()
    assert all(reference() is None for reference in references)
    assert len(host._engines) == before


def test_a_kernel_outlives_its_program_and_robot():
    short = px.load("ur5")
    gone = weakref.ref(short)
    k = px.program(short).compile()
    px.inverse_dynamics(short, *states("ur5", 3))
    del short
    gc.collect()
    assert gone() is None
    assert same_bits(k(*states("ur5", 3)), kernel("ur5")(*states("ur5", 3)))


def test_the_native_function_keeps_its_code():
    k = px.trace(lambda x: x * 3.0, x=()).compile()
    call = k.__call__
    del k
    gc.collect()
    for i in range(5):  # other code may now stand where this one stood
        px.trace(lambda x, i=i: x + float(i), x=()).compile()
    assert call(np.array(2.0)) == 6


def in_threads(work, count=8):
    """Run work(0), ... work(count - 1) at once; raise what any of them raised."""
    failures, ready = [], threading.Barrier(count)

    def guarded(number):
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_one_kernel_in_many_python_threads(monkeypatch):
    monkeypatch.setattr(kernel_module, "THREAD_WORK", 1000)  # so that every batch uses threads
    k = kernel("ur5", threads=2)
    cases = [states("ur5", 50 + 37 * i, seed=i) for i in range(8)]
    expected = [one_by_one(k, arrays) for arrays in cases]

    def work(number):
        for turn in range(40):
            which = (number + turn) % 8
            call = k.general if turn % 2 else k
            assert same_bits(call(*cases[which]), expected[which])

    in_threads(work)


def test_compiling_in_many_python_threads():
    def work(number):
        traced = px.trace(lambda x: px.math.sin(x) * float(number + 1), x=())
        for _ in range(3):
            assert traced.compile()(np.array(1.0)) == pytest.approx(math.sin(1) * (number + 1))

    in_threads(work)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_threads_after_a_fork():
    """The parent's waiting threads do not exist in the child, which starts its own."""
    text = """
    import os, sys, warnings
    import numpy as np, paraxis as px
    from paraxis.targets.cpu import kernel as module
    from paraxis.targets.cpu.threads import workers

    warnings.simplefilter("ignore")  # newer Pythons warn about forking beside threads
    module.THREAD_WORK = 1
    kernel = px.program(px.load("ur5")).compile(threads=2)
    q = np.random.default_rng(0).normal(size=(3000, 6))
    expected = kernel.general(q, q, q)
    assert len(workers) == workers.idle() == 1
    child = os.fork()
    right = kernel.general(q, q, q).tobytes() == expected.tobytes()
    if child == 0:
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert right and status == 0, status
    print("done")
    """
    assert script(text).strip() == "done"


def test_a_bad_option_is_named():
    with pytest.raises(px.ArgumentError, match="dtype"):
        program("ur5").compile(dtype="int32")
    with pytest.raises(px.ArgumentError, match="dtype"):
        program("ur5").compile(dtype="float99")
    with pytest.raises(px.ArgumentError, match="threads"):
        program("ur5").compile(threads=0)
    with pytest.raises(px.ArgumentError, match="threads"):
        program("ur5").compile(threads="two")
    with pytest.raises(px.ArgumentError, match="target"):
        program("ur5").compile(target="abacus")


def test_a_constant_beyond_float32_is_refused():
    """Better no kernel than one that computes with infinity."""
    program = px.trace(lambda x: x * 1e300, x=())
    with pytest.raises(px.ArgumentError, match="1e\\+300"):
        program.compile(dtype="float32")
    assert program.compile()(np.float64(2.0)) == 2e300


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_long_body_is_several_functions_with_the_same_bits(most, monkeypatch):
    """Where a straight line is cut changes nothing but the time it takes to compile."""
    from paraxis.targets.cpu import host
    from paraxis.targets.cpu.map import assembly_source, lanes_of, load_kernel
    from paraxis.targets.cpu.text import body

    def several(x, y):
        less = px.math.less(x[0], y[0])
        return {
            "a": [px.math.select(less, x[1], y[1]) + px.math.sin(x[0])],
            "b": [x[0], less, y[0] * y[1]],
        }

    for traced in (px.program(px.load("stanford")), px.trace(several, x=2, y=2)):
        graph, lanes = traced.graph, lanes_of("float64")
        description = {
            "name": "cut",
            "dtype": "float64",
            "inputs": traced.inputs,
            "outputs": traced.outputs,
            "lanes": lanes.count,
            "work": 100,
            "entry": len(traced.outputs) == 1,
        }
        whole = traced.compile()
        monkeypatch.setattr(body, "MOST_LINES", most)
        source = assembly_source(graph, lanes, 100)
        monkeypatch.undo()
        assert source.count("define internal void @body.") > 1
        cut = load_kernel(description, host.compile_object(source))
        rng = np.random.default_rng(most)
        batch = [rng.uniform(-2, 2, (37, *shape)) for shape in traced.inputs.values()]
        for arrays in (batch, [np.asfortranarray(a) for a in batch], [a[3] for a in batch]):
            expected, found = whole(*arrays), cut(*arrays)
            if len(traced.outputs) == 1:
                expected, found = (expected,), (found,)
            for x, y in zip(expected, found, strict=True):
                np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("most", [60, 300, 4000])
@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix_inverse", "frame_poses"])
def test_every_body_keeps_within_its_frame(monkeypatch, function, most):
    """Bodies are cut in other places for rows, blocks and one state, and keep other values."""
    from paraxis.targets.cpu.map import assembly_source, lanes_of
    from paraxis.targets.cpu.text import body

    monkeypatch.setattr(body, "MOST_LINES", most)
    lanes = lanes_of("float64")
    source = assembly_source(px.program(px.robots.chain(12), function).graph, lanes, 100)
    given = int(re.search(r"%block0 = getelementptr i8, ptr %memory, i64 (\d+)", source)[1])
    one = int(re.search(r"%frame = alloca \[(\d+) x double\]", source)[1])
    room = dict.fromkeys(("body", "body_rows", "body_rows_far"), given) | {"body_one": 8 * one}
    vector = dict.fromkeys(room, 8 * lanes.count) | {"body_one": 8}
    kept = 0
    for name, text in re.findall(r"define internal void @(\w+)\.\d+\((.*?)\n}", source, re.DOTALL):
        for offset in map(int, re.findall(r"ptr %frame, i64 (\d+)", text)):
            assert offset + vector[name] <= room[name]
            kept += 1
    assert kept or most == 4000


@pytest.mark.parametrize(
    ("function", "near"),
    [
        ("inverse_dynamics", 0),
        pytest.param("mass_matrix_inverse", 1 << 40, marks=pytest.mark.long),
        pytest.param("inverse_dynamics", 1 << 40, marks=pytest.mark.long),
        pytest.param("mass_matrix_inverse", 0, marks=pytest.mark.long),
    ],
)
def test_long_bodies_compute_in_every_way(function, near, monkeypatch):
    monkeypatch.setattr(loop, "NEAR_BYTES", near)
    monkeypatch.setenv("PARAXIS_CACHE", "off")
    program = px.program(px.robots.chain(16 if function == "mass_matrix_inverse" else 60), function)
    kernel, rng = program.compile(), np.random.default_rng(0)
    batch = [rng.uniform(-1, 1, (19, *shape)) for shape in program.inputs.values()]
    alone = np.array([kernel(*(array[k] for array in batch)) for k in range(19)])
    assert same_bits(kernel(*batch), alone)
    assert same_bits(kernel(*map(np.asfortranarray, batch)), alone)
    state = dict(zip(program.inputs, (array[3] for array in batch), strict=True))
    assert error(alone[3], program.evaluate(**state)) < 1e-11


def test_a_kernel_can_be_called_by_the_finalizer_of_other_garbage():
    """Machine code goes when nothing refers to it any more, not when a cycle is found."""
    source = """
        import gc, numpy as np, paraxis as px
        class Owner:
            def __del__(self):
                print(self.kernel(*x).shape, self.kernel.general(*x).shape)
        x = np.zeros((3, 6))
        for _ in range(3):
            kernel = px.program(px.load("ur5")).compile()
            owner = Owner()
            owner.kernel, owner.cycle = kernel, owner
            del owner, kernel
            gc.collect()
        from paraxis.targets.cpu import host
        print(len(host._engines))
    """
    done = python(source)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.split("\n") == ["(6,) (6,)"] * 3 + ["0", ""]


def test_outputs_are_written_after_all_inputs_are_read():
    """An output that is an input, in a body of several functions, when `out` is that input."""

    def long(x):
        s = x[0]
        for _ in range(5000):
            s = s * 1.0001 + x[1]
        return {"a": [s, s + 1], "b": [x[0], x[1]]}

    kernel = px.trace(long, x=2).compile()
    x = np.random.default_rng(1).uniform(-1, 1, (37, 2))
    a, b = kernel(x)
    shared, other = x.copy(), np.empty_like(x)
    kernel(shared, out=(shared, other))
    np.testing.assert_array_equal(shared, a)
    np.testing.assert_array_equal(other, b)
    np.testing.assert_array_equal(b, x)


def test_an_input_broadcast_over_the_batch_may_be_out():
    """The same array is not the same states when its entries have another shape."""
    kernel = px.trace(
        lambda x, y: [x[i][j] + y for i in range(3) for j in range(2)], x=(3, 2), y=()
    ).compile()
    x, y = np.random.default_rng(2).uniform(-1, 1, (6, 3, 2)), np.arange(6.0)
    expected = kernel(x[0], y)
    buffer = np.empty((6, 6))
    buffer[0] = x[0].ravel()
    found = kernel(buffer[0].reshape(3, 2), y, out=buffer)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.long
def test_a_state_of_many_entries_does_not_need_a_large_stack():
    source = """
        import numpy as np, paraxis as px, threading
        threading.stack_size(256 * 1024)
        kernel = px.trace(lambda x: sum(x), x=20000).compile(threads=1)
        found = []
        work = threading.Thread(target=lambda: found.append(kernel(np.ones((50, 20000)))))
        work.start()
        work.join()
        print((found[0] == 20000).all())
    """
    done = python(source)
    assert done.stdout == "True\n", done.stderr


def test_columns_of_one_array_are_not_copied_and_do_not_clash():
    """Their extents overlap in memory, their elements do not."""
    from paraxis.drivers import map as driver

    whole = np.random.default_rng(3).uniform(-1, 1, (1000, 24))
    q, qd, qdd, tau = (whole[:, k : k + 6] for k in (0, 6, 12, 18))
    assert not driver.overlap(q, tau) and driver.overlap(whole[:, :7], qd)
    kernel = px.program(px.load("ur5")).compile()
    expected = kernel(q.copy(), qd.copy(), qdd.copy())
    np.testing.assert_array_equal(kernel.general(q, qd, qdd, out=tau), expected)
    np.testing.assert_array_equal(tau, expected)


def test_kernels_say_that_they_do_not_pickle():
    import pickle

    with pytest.raises(TypeError, match="machine code of this process"):
        pickle.dumps(px.program(px.load("planar3")).compile())


def test_a_batch_of_one_state_is_that_state():
    """With a batch axis of length one or without: the same bits, in the shape that was asked."""
    k = kernel("ur5")
    one = [a[0].copy() for a in states("ur5", 2)]
    batch = [a[None] for a in one]
    expected = k(*one)
    gaps = np.zeros((1, 12))[:, ::2]
    for out in (None, np.empty((1, 6)), gaps):
        found = k(*batch) if out is None else k(*batch, out=out)
        assert found.shape == (1, 6) and same_bits(found[0], expected)
    assert same_bits(k(one[0], batch[1], one[2])[0], expected)
    shared = batch[0].copy()
    assert same_bits(k(shared, batch[1], batch[2], out=shared)[0], expected)
