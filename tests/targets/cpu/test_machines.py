"""Libraries for other machines: what is in them here, and in long tests their results there.

The long tests take what is installed: on Debian gcc-aarch64-linux-gnu, gcc-riscv64-linux-gnu and
qemu-user, gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm, gcc-mingw-w64-x86-64
and wine.
"""

import shlex
import shutil

import numpy as np
import pytest
from support import object_files
from support.exported import (
    EVERY_OPERATION,
    needs,
    program_of,
    random_program,
    robot_of,
    shell,
)
from support.robots import states

import paraxis as px
from paraxis.cli import main as cli
from paraxis.targets.cpu import host, library
from paraxis.targets.cpu.machines import MACHINES, machine_of
from paraxis.targets.source import linking

FORMATS = {
    "x64-linux": ("elf64", "x86-64"),
    "x64-windows": ("coff", "x86-64"),
    "aarch64-linux": ("elf64", "aarch64"),
    "arm64-apple": ("mach-o", "aarch64"),
    "riscv64-linux": ("elf64", "riscv"),
    "cortex-m4": ("elf32", "arm"),
    "cortex-m7": ("elf32", "arm"),
}
# What a C library of each has: of C99's <math.h>, and what compilers call themselves.
MATH = {"acos", "asin", "atan2", "cos", "exp", "floor", "fma", "fmod", "log", "rint", "sin"}
MATH |= {"sqrt", "tan", "tanh", "trunc"}
ARITHMETIC = {f"__aeabi_{name}" for name in ("dadd", "dsub", "dmul", "ddiv", "ui2d", "dcmpun")}
ARITHMETIC |= {f"__aeabi_dcmp{how}" for how in ("eq", "lt", "le", "gt", "ge")}
OF_COMPILERS = {"x64-windows": {"__chkstk", "_fltused"}, "cortex-m4": ARITHMETIC}
MEMORY = {"malloc", "free", "memset", "memcpy"}


def object_of(program, target, dtype="float64", cpu=None):
    return object_files.read(library.object_code(program.graph, "f", dtype, cpu, target))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", MACHINES)
def test_an_object_is_of_its_machine_and_asks_only_for_functions_of_c(target, dtype):
    """With every operation in it, and for robots for sines and cosines."""
    f = "f" if dtype == "float32" else ""
    known = {name + f for name in MATH} | OF_COMPILERS.get(target, set())
    for program, more in ((px.parse(EVERY_OPERATION), known), (program_of("puma560"), None)):
        found = object_of(program, target, dtype)
        assert (found.format, found.machine) == FORMATS[target]
        defined = {name for name in found.defined if not name.startswith("__")}  # constants
        assert defined == {"f", "f_batch"}
        sines = {f"sin{f}", f"cos{f}"} | OF_COMPILERS.get(target, set())
        assert found.wanted <= (sines if more is None else more)


@pytest.mark.parametrize("target", ["x64-windows", "aarch64-linux", "cortex-m7"])
def test_large_bodies_ask_for_memory_at_most(target):
    large = px.program(px.robots.chain(25), algorithm="newton_euler").with_marks("omega", "force")
    zeros = px.program(px.robots.chain(12), "jacobian")
    sines = {"sin", "cos"} | OF_COMPILERS.get(target, set())
    for program in (large, zeros):
        assert object_of(program, target).wanted <= sines | MEMORY | {"__aeabi_memclr8"}


def test_the_c_that_each_machine_calls():
    """Flags of the ABI, and the size of size_t."""
    graph = program_of("puma560").graph
    assert object_of(program_of("puma560"), "riscv64-linux").flags & 6 == 4  # float64 in registers
    for target, machine in MACHINES.items():
        text = library.assembly_source(graph, "f", target=target)
        assert f"@f_batch(i{machine.size_bits} %" in text
        assert machine.size_bits == (32 if target.startswith("cortex") else 64)
        assert (f"<{machine.vector_bits // 64} x double>" in text) == bool(machine.vector_bits)


def test_the_stack_can_be_walked_on_windows():
    text = library.assembly_source(program_of("puma560").graph, "f", target="x64-windows")
    functions = [line for line in text.splitlines() if line.startswith("define")]
    assert functions and all(" uwtable" in line for line in functions)


def test_levels_are_those_of_x64():
    graph = program_of("puma560").graph
    text = library.assembly_source(graph, "f", "float64", "x86-64-v4", "x64-windows")
    assert "<8 x double>" in text
    assert machine_of("x64-linux").cpu == "x86-64-v3"
    for target, cpu, problem in (
        ("aarch64-linux", "x86-64-v3", "'aarch64-linux': it has no levels"),
        ("x64-linux", "x86-64-v2", "cpu: expected one of .*found 'x86-64-v2'"),
        ("aarch64-linus", None, "did you mean 'aarch64-linux'"),
    ):
        with pytest.raises(px.ArgumentError, match=problem):
            machine_of(target, cpu)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cortex_m4_multiplies_and_adds_only_what_it_can(dtype):
    """A multiply-add of float64 would be a call there, and of no use."""
    text = library.assembly_source(program_of("puma560").graph, "f", dtype, target="cortex-m4")
    assert ("llvm.fma" in text) == (dtype == "float32")


# -- commands --------------------------------------------------------------------------------------


def test_a_library_for_a_machine_like_this_one(tmp_path, capsys):
    """Linked, built and run: the machine is here."""
    needs("library")
    here = [name for name, machine in MACHINES.items() if machine.is_here]
    if not here or (here == ["x64-linux"] and not host.features().get("avx2")):
        pytest.skip("libraries for this machine are its own")
    words = ["puma560", "--language", "library", "--target", here[0], "--name", "f"]
    assert cli.main(["export", *words, "-o", str(tmp_path)]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines()[-2:])
    assert "error" in shell(lines["build"], lines["test"])
    assert any(path.name.startswith("libf.") for path in tmp_path.iterdir())


@pytest.mark.parametrize("target", MACHINES)
def test_without_a_compiler_for_it_the_commands_are_for_that_machine(
    target, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(linking.shutil, "which", lambda name: None)
    monkeypatch.setattr(type(MACHINES[target]), "is_here", False)
    words = ["puma560", "--language", "library", "--target", target, "--name", "f"]
    assert cli.main(["export", *words, "-o", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    written = {line.split("/")[-1] for line in lines if line.startswith("wrote")}
    assert written == {path.name for path in tmp_path.iterdir()}
    link = [line[7:].split("  (")[0] for line in lines if line.startswith("link")]
    (build,) = [line[7:] for line in lines if line.startswith("build")]
    assert link == {
        "x64-linux": ["cc -shared -o libf.so f.o -lm"],
        "aarch64-linux": ["cc -shared -o libf.so f.o -lm"],
        "riscv64-linux": ["cc -shared -o libf.so f.o -lm"],
        "arm64-apple": ["cc -arch arm64 -shared -o libf.dylib f.o -lm"],
        "x64-windows": ["link /DLL /DEF:f.def /OUT:f.dll f.obj msvcrt.lib ucrt.lib vcruntime.lib"],
    }.get(target, [])
    assert sum(line.startswith(f"There is no compiler for {target}") for line in lines) == 1
    assert {"f_test.c", f"f{MACHINES[target].object_ending}"} <= {*shlex.split(build)}


def test_the_header_says_what_the_code_is_for(tmp_path, monkeypatch):
    monkeypatch.setattr(linking.shutil, "which", lambda name: None)
    program = program_of("puma560")
    for dtype, slow in (("float64", True), ("float32", False)):
        program.export(tmp_path, "library", name="f", dtype=dtype, target="cortex-m4")
        text = " ".join((tmp_path / "f.h").read_text().replace("*", "").split())
        assert "machine code for the ARM Cortex-M4 with its FPU" in text
        assert ("each operation is a call" in text) == slow


@pytest.mark.parametrize("language", ["c", "python", "javascript"])
def test_only_libraries_have_a_target(language, tmp_path):
    with pytest.raises(px.ArgumentError, match="target can be set only for language 'library'"):
        program_of("puma560").export(tmp_path, language, target="cortex-m7")


# -- on those machines, or what takes them for granted ---------------------------------------------

PRINTS = """
#include <stdio.h>
#include <string.h>
#include "f.h"
static const {real} q[] = {{{q}}}, qd[] = {{{qd}}}, qdd[] = {{{qdd}}};
static {real} tau[{entries}];
int main(void)
{{
    f_batch({states}, q, qd, qdd, tau);
    for (int k = 0; k < {entries}; k++) {{
        unsigned words[2] = {{0}};
        memcpy(words, tau + k, sizeof *tau);
        printf("%08x%08x\\n", words[1], words[0]);
    }}
    return 0;
}}
"""


def emulated(target):
    machine = MACHINES[target]
    compiler = next(filter(None, map(shutil.which, machine.compilers)), None)
    if not (machine.is_here or (compiler and shutil.which(machine.emulator[0]))):
        pytest.skip(f"there is no compiler, or no emulator, for {target} here")


EMULATED = [name for name, machine in MACHINES.items() if machine.emulator]


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", EMULATED)
def test_self_tests_there(target, dtype, tmp_path):
    emulated(target)
    chain = px.robots.chain(25)
    programs = {
        "random": random_program(0),
        "zeros": px.program(px.robots.chain(12), "jacobian"),
        "marks": px.program(chain, algorithm="newton_euler").with_marks("omega", "force"),
        "pieces": px.program(px.robots.chain(40), "forward_dynamics"),
        "unused": px.trace(lambda q, k: [2.0 * q[5][1], 3.0], q=(50, 4), k=(70,)),
        "shapes": px.trace(
            lambda a, b: {"x": [a * b[0], b[1]], "y": px.math.minimum(b[2], a)}, a=(), b=3
        ),
    }
    for name, program in programs.items():
        done = program.export(tmp_path, "library", name=name, dtype=dtype, target=target)
        assert f"{name}: error" in shell(done.build[0], done.test)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", EMULATED)
def test_the_same_bits_as_here(target, dtype, tmp_path):
    """Wherever one instruction multiplies and adds: in vectors of any width, and without."""
    emulated(target)
    if (target, dtype) == ("cortex-m4", "float64"):
        pytest.skip("it has no such instruction")
    if not host.has_fma():
        pytest.skip("this machine has no such instruction")
    program, arrays = program_of("puma560"), states(robot_of("puma560"), 11)
    arrays = [array.astype(dtype) for array in arrays]
    done = program.export(tmp_path, "library", name="f", dtype=dtype, target=target)
    given = {
        name: ", ".join(float(x).hex() for x in array.ravel())
        for name, array in zip(("q", "qd", "qdd"), arrays, strict=True)
    }
    real = "double" if dtype == "float64" else "float"
    text = PRINTS.format(real=real, entries=66, states=11, **given)
    (tmp_path / "f_test.c").write_text(text)
    lines = shell(done.build[0], done.test).split()
    words = np.array([int(line, 16) for line in lines], np.uint64)
    word = np.uint64 if dtype == "float64" else np.uint32
    expected = program.compile(dtype=dtype)(*arrays).ravel()
    np.testing.assert_array_equal(words.astype(word), expected.view(word))
