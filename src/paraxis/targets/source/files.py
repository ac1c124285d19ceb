"""A graph as files to take away: source or a library, a header, a self-test."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.typing import DTypeLike

from ...checks import one_of
from ...errors import ArgumentError
from ...graph.graph import Graph
from ..cpu import host, library
from ..cpu.machines import machine_of
from ..number import checked_dtype
from ..wasm.iterate import iterate_module
from ..wasm.map import map_module
from . import c, c_parts, fortran, javascript, python, wasm
from . import cuda as cuda
from .linking import exports, link_for, link_here
from .selftest import c as c_test
from .selftest import c_parts as c_parts_test
from .selftest import c_parts_time
from .selftest import cortex as cortex_test
from .selftest import cuda as cuda_test
from .selftest import fortran as fortran_test
from .selftest import javascript as javascript_test
from .selftest import python as python_test
from .selftest import wasm as wasm_test
from .selftest.vectors import vectors

LANGUAGES = ("c", "cuda", "fortran", "python", "javascript", "library", "wasm")
IN_FLOAT64 = {"python": "Python", "javascript": "JavaScript", "wasm": "WebAssembly"}


@dataclass(frozen=True)
class Exported:
    """The files written, and the shell commands that build the self-test and run it.

    - `paths`: of the files.
    - `build`: commands that build the self-test; any one will do.
    - `test`: the command that runs it.
    - `link`: the command that makes the shared library, where that could not be done here because
      there is no compiler for the machine it is for. The object file can be linked as it is.
    - `elsewhere`: whether all commands are to be run on another machine, in the folder.
    """

    paths: list[str]
    build: list[str]
    test: str
    link: list[str] = field(default_factory=list)
    elsewhere: bool = False


def write_files(
    graph: Graph,
    language: str,
    folder: str | os.PathLike,
    name: str | None = None,
    dtype: DTypeLike = "float64",
    cpu: str | None = None,
    notes: Sequence[str] = (),
    target: str | None = None,
) -> Exported:
    """Write the files of one graph to `folder`, which is made if it is not there.

    `name` is the function's name in the source, by default after the graph; `notes` are what its
    comments say besides. `cpu` is for a library: None for the CPU at hand, or a level as
    "x86-64-v3". `target` too is for a library: the machine it is for, as "aarch64-linux".
    """
    one_of(language, LANGUAGES, "language")
    for option, value in (("cpu", cpu), ("target", target)):
        if value is not None and language != "library":
            raise ArgumentError(
                f"{option} can be set only for language 'library', not for {language!r}"
            )
    machine, dtype = None if target is None else machine_of(target, cpu), checked_dtype(dtype)
    if language in IN_FLOAT64 and dtype != "float64":
        raise ArgumentError(
            f"dtype: expected 'float64' for {IN_FLOAT64[language]}, found {dtype!r}"
        )
    name = c.c_function(graph, name, dtype).name
    if language == "library":
        notes = [*notes, _about_machine(machine, cpu, dtype)]
    files = _files(graph, language, name, dtype, notes, cpu, machine)
    paths = [write_file(folder, file, content) for file, content in files.items()]
    if language == "library":
        done = link_for(machine, folder, name) if machine else link_here(folder, name)
        return Exported([*paths, *done.paths], done.build, done.test, done.link, done.elsewhere)
    return Exported(paths, *_commands(language, folder, name))


def write_parts(graph, parts, folder, name=None, dtype="float64"):
    """Write the C11 files of a graph in parts, a processor each, to `folder`."""
    name = c.c_function(graph, name, dtype).name
    cases = vectors(graph, dtype)
    files = {
        f"{name}.h": c_parts.header(graph, parts, name, dtype),
        f"{name}.c": c_parts.source(graph, parts, name, dtype, with_header=True),
        f"{name}_test.c": c_parts_test.self_test(graph, parts, cases, name, dtype),
    }
    paths = [write_file(folder, file, content) for file, content in files.items()]
    sources, program = paths[1:], os.path.join(folder, f"{name}_test")
    build = ["cc", "-std=c11", "-O2", "-pthread", *sources, "-lm", "-o", program]
    return Exported(paths, [shlex.join(build)], shlex.join([program]))


def write_iteration(row, plan, folder, name=None):
    """Write a step that is repeated as WebAssembly, with its loader, to `folder`."""
    name = c.c_function(row.links[0].graph, name, "float64").name
    about = wasm.described_iteration(plan, name)
    files = {
        f"{name}.wasm": iterate_module(row, plan, name),
        f"{name}.js": wasm.loader(about),
        f"{name}.d.ts": wasm.declaration(about),
    }
    return [write_file(folder, file, content) for file, content in files.items()]


def write_timing(graph, parts, folder, name=None, dtype="float64"):
    """Write a program that times the C11 files that `write_parts` wrote; see c_parts_time.py.

    Its path without the ending, and the words that come after the name of a compiler.
    """
    name = c.c_function(graph, name, dtype).name
    text = c_parts_time.timing(graph, parts, vectors(graph, dtype), name, dtype)
    source = write_file(folder, f"{name}_time.c", text)
    program = os.path.join(folder, f"{name}_time")
    sources = [os.path.join(folder, f"{name}.c"), source]
    return program, ["-std=c11", "-O2", "-pthread", *sources, "-lm", "-o", program]


def _about_machine(machine, cpu, dtype):
    """What a header says of the machine code."""
    if machine:
        level = f", level {machine.cpu}" if machine.cpu in host.LEVELS else ""
        built = f"{machine.about}{level}"
    else:
        built = f"any CPU of level {cpu}" if cpu else f"a CPU as this one: {host.cpu_name()}"
    vectors = ", in vectors" if machine is None or machine.vector_bits else ""
    slow = ""
    if machine and not machine.has_float64 and dtype == "float64":
        slow = " Its FPU has float32 only: here each operation is a call, much slower than that."
    return (
        f"The library is machine code for {built}.{slow} The calling thread does the work of a "
        f"batch{vectors}; several threads may call at once."
    )


def _files(graph, language, name, dtype, notes, cpu, machine):
    """file name -> content."""
    cases = vectors(graph, dtype)
    if language == "c":
        return {
            f"{name}.h": c.header(graph, name, dtype, notes),
            f"{name}.c": c.source(graph, name, dtype, notes, with_header=True),
            f"{name}_test.c": c_test.self_test(graph, cases, name, dtype),
        }
    if language == "library":
        return {
            f"{name}.h": c.header(graph, name, dtype, notes),
            f"{name}_test.c": c_test.self_test(graph, cases, name, dtype),
            **_object_file(graph, name, dtype, cpu, machine),
        }
    if language == "cuda":
        return {
            f"{name}.cu": cuda.source(graph, name, dtype, notes),
            f"{name}_test.cu": cuda_test.self_test(graph, cases, name, dtype),
        }
    if language == "fortran":
        return {
            f"{name}.f90": fortran.source(graph, name, dtype, notes),
            f"{name}_test.f90": fortran_test.self_test(graph, cases, name, dtype),
        }
    if language == "javascript":
        return {
            f"{name}.js": javascript.source(graph, name, notes),
            f"{name}.d.ts": javascript.declaration(graph, name, notes),
            f"{name}_test.mjs": javascript_test.self_test(graph, cases, name),
        }
    if language == "wasm":
        about = wasm.described(graph, name)
        return {
            f"{name}.wasm": map_module(graph, name),
            f"{name}.js": wasm.loader(about, notes),
            f"{name}.d.ts": wasm.declaration(about),
            f"{name}_test.mjs": wasm_test.self_test(about, cases),
        }
    return {
        f"{name}.py": python.source(graph, name, notes),
        f"{name}_test.py": python_test.self_test(graph, cases, name),
    }


def _object_file(graph, name, dtype, cpu, machine):
    if machine is None:
        return {f"{name}.o": library.object_code(graph, name, dtype, cpu)}
    code = library.object_code(graph, name, dtype, cpu, machine.name)
    files = {f"{name}{machine.object_ending}": code}
    if machine.is_windows:
        files[f"{name}.def"] = exports(name)
    if machine.beside:
        files[f"{name}{machine.beside[0]}"] = cortex_test.start()
    return files


def _commands(language, folder, name):
    """The commands that build the self-test, any one of which will do, and the one that runs it."""

    def here(ending):
        return os.path.join(folder, name + ending)

    if language == "python":
        return [], shlex.join(["python", here("_test.py")])
    if language in ("javascript", "wasm"):
        return [], shlex.join(["node", here("_test.mjs")])
    build = {
        "c": [["cc", "-std=c99", "-O2", here(".c"), here("_test.c"), "-lm"]],
        "cuda": [
            ["nvcc", "-O2", here("_test.cu")],
            ["c++", "-O2", "-x", "c++", here("_test.cu")],  # on the CPU
        ],
        "fortran": [["gfortran", "-O2", "-J", folder, here(".f90"), here("_test.f90")]],
    }[language]
    commands = [shlex.join([*words, "-o", here("_test")]) for words in build]
    return commands, shlex.join([here("_test")])


def write_file(folder, file, content):
    path = os.path.join(folder, file)
    data = content if isinstance(content, bytes) else content.encode("ascii")
    make_folder(folder)
    try:
        with open(path, "wb") as opened:
            opened.write(data)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    return path


def make_folder(folder):
    """Before what takes long to make: a folder that cannot be is refused at once."""
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None


def _unwritable(path, error):
    reason = getattr(error, "strerror", None) or error
    return ArgumentError(f"{os.fspath(path)}: cannot be written: {reason}")
