"""The CPU target and the `map` driver against the interpreter, which defines what a Program means.

Every width of vectors, every algorithm, states of any number of entries, and the machine code of
other machines.
"""

import re
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest
from support.bits import same_bits
from support.kernels import ROBOTS, TOLERANCE, WIDTHS, kernel, one_by_one, program, robot, states
from support.processes import script
from support.robots import relative_error

import paraxis as px
from paraxis.physics import CHEAP
from paraxis.targets.cpu import map as kernel_module
from paraxis.targets.cpu.text.lanes import Lanes

pytestmark = pytest.mark.usefixtures("own_cache")

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
    assert relative_error(alone, expected) < TOLERANCE[dtype]
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
        assert relative_error(own.evaluate(**arrays), expected) < 1e-11, algorithm
        assert relative_error(own.compile()(**arrays), own.evaluate(**arrays)) < 1e-12, algorithm


def test_parameters_as_inputs():
    parametric = px.program(robot("ur5"), parameters=("mass", "com", "gravity"))
    arrays = dict(zip(("q", "qd", "qdd"), states("ur5", 9), strict=True))
    values = {key: px.parameter_values(robot("ur5"), key) for key in ("mass", "com", "gravity")}
    found = parametric.compile()(**arrays, **values)  # com is a matrix, the same for all states
    assert relative_error(found, program("ur5").evaluate(**arrays)) < 1e-12


def mixed(n):
    """n numbers in, n numbers out, each from two of them."""
    return px.trace(lambda x: [x[k] - 2.0 * x[n - 1 - k] for k in range(n)], x=n)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    "n",
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33]
    + [pytest.param(n, marks=pytest.mark.long) for n in (31, 32, 34, 35, 64, 67)],
)
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
