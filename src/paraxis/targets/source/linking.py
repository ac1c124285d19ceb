"""How the object file of a library is linked, and its self-test built and run.

On this machine, with the C compiler of the system; for another machine with a compiler for it, if
there is one. Where there is none, the commands are those to run on that machine, in the folder.
"""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass, field

from ...errors import ArgumentError
from .compiler import c_compiler, compile_c


@dataclass(frozen=True)
class Linked:
    """What was linked, and commands: to link what was not, to build the self-test, to run it."""

    paths: list[str]
    build: list[str]
    test: str
    link: list[str] = field(default_factory=list)
    elsewhere: bool = False  # are the commands for a machine with a compiler?


def link_here(folder, name):
    """Make the shared library from the object, by the system's compiler."""
    ending = "dylib" if sys.platform == "darwin" else "so"
    target = os.path.join(folder, f"lib{name}.{ending}")
    words = ["-shared", "-o", target, os.path.join(folder, f"{name}.o"), "-lm"]
    if c_compiler() is None:
        raise ArgumentError(
            "library: found no C compiler (cc, gcc, clang) to link it with. The object file has "
            f"been written; on a machine with a compiler, run: {shlex.join(['cc', *words])}"
        )
    compile_c(words)
    test = os.path.join(folder, f"{name}_test")
    words = ["cc", "-O2", f"{test}.c", "-L", folder, f"-l{name}", "-lm"]
    build = shlex.join([*words, "-Wl,-rpath,$ORIGIN", "-o", test])
    return Linked([target], [build], shlex.join([test]))


def link_for(machine, folder, name):
    """The same for another machine. There the self-test takes the object itself."""
    if machine.is_here:
        return _linked(machine, folder, name, c_compiler(), ())
    found = next(filter(None, map(shutil.which, machine.compilers)), None)
    emulator = machine.emulator if found else ()
    return _linked(machine, folder, name, [os.path.basename(found)] if found else None, emulator)


def _linked(machine, folder, name, compiler, emulator):
    folder = folder if compiler else ""  # what is run there is run in the folder
    if compiler is None and machine.is_windows:
        return Linked([], *_by_visual_studio(machine, name), elsewhere=True)

    def here(file):
        return os.path.join(folder, file)

    cc, obj = compiler or machine.own_compiler, here(f"{name}{machine.object_ending}")
    paths, link = [], []
    if machine.library:
        library = here(machine.library.format(name))
        objects = [obj, here(f"{name}.def")] if machine.is_windows else [obj]
        words = [*machine.flags, "-shared", "-o", library, *objects, *machine.libraries]
        if compiler:
            compile_c(words, compiler)
            paths.append(library)
        else:
            link.append(shlex.join([*cc, *words]))
    program = here(machine.program.format(name))
    sources = [here(f"{name}{ending}") for ending in ("_test.c", *machine.beside)]
    static = machine.alone if compiler and not machine.is_here else ()
    words = [*machine.flags, "-O2", *sources, obj, *static, *machine.libraries, "-o", program]
    test = [*emulator, program if folder else f"./{program}"]
    return Linked(paths, [shlex.join([*cc, *words])], shlex.join(test), link, compiler is None)


def exports(name):
    """The text of name.def: what a shared library of Windows has for others."""
    return f"EXPORTS\n    {name}\n    {name}_batch\n"


def _by_visual_studio(machine, name):
    obj, library = f"{name}{machine.object_ending}", machine.library.format(name)
    program = machine.program.format(name)
    link = f"link /DLL /DEF:{name}.def /OUT:{library} {obj} msvcrt.lib ucrt.lib vcruntime.lib"
    return [f"cl /O2 /MD {name}_test.c {obj} /Fe:{program}"], program, [link]
