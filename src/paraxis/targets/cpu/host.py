"""This machine as a compilation target: features, code generation, loading.

The main thread asks LLVM for nothing itself but waits for another thread to do it. So Ctrl-C need
not wait for a long compilation, and cannot land between llvmlite's own lock and the code that
releases it, after which no other thread could ever compile. What is compiled for nobody any more
is dropped.
"""

import atexit
import ctypes
import itertools
import os
import threading
from _thread import interrupt_main
from functools import cache

import llvmlite.binding as llvm

from ...compiling import compiling
from .. import store
from .aside import aside
from .cpu_features import wanted

_lock = threading.RLock()  # LLVM's global state is not safe to change from two threads at once
# and llvmlite's own, which it takes for every call; if it still has one
_locks = _lock, getattr(getattr(llvm.ffi.lib, "_lock", None), "_lock", _lock)
_interrupted = []


def _hold_for_fork():
    """No child may be born with a lock held by a thread that is not there."""
    for lock in _locks:
        held = False
        while not held:
            try:
                held = lock.acquire()
            except KeyboardInterrupt:  # a fork cannot be interrupted, and would ignore it
                _interrupted.append(True)


def _let_go_after_fork():
    for lock in _locks:
        while lock._is_owned():
            lock.release()


def _go_on_after_fork():
    _let_go_after_fork()
    if _interrupted:
        _interrupted.clear()
        interrupt_main()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_hold_for_fork,
        after_in_parent=_go_on_after_fork,
        after_in_child=_let_go_after_fork,
    )

# Levels of the x86-64 architecture that multiply and add at once -> bits of their registers.
LEVELS = {"x86-64-v3": 256, "x86-64-v4": 512}

# Bytes of LLVM beyond which its late passes double the time and change next to nothing: they are
# for loops, and a body is a straight line.
LONG_TEXT = 2_000_000

LIBRARY = "code"  # what a JIT calls its one library

_engines = {}  # token -> the engine that owns machine code, and the address of its life
_disposed = []  # engines no longer needed; freed by the next call of LLVM
_tokens = itertools.count(1)
# Python's C functions; not ctypes.pythonapi itself, on which others set argument types too.
python_api = ctypes.PyDLL("python", handle=ctypes.pythonapi._handle)
python_api.PyCapsule_New.restype = ctypes.py_object
python_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
python_api.PyCapsule_GetPointer.restype = ctypes.c_size_t
python_api.PyCapsule_SetDestructor.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
python_api.Py_IncRef.argtypes = [ctypes.py_object]


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _dispose(capsule):
    _disposed.append(_engines.pop(python_api.PyCapsule_GetPointer(capsule, None), None))


def _life(engine):
    """An object that keeps an engine alive, and lets go of it when nothing refers to it any more.

    A capsule, because the garbage collector does not look at those: an engine's own finalizer
    could run while other garbage of the same cycle can still call the code.
    """
    token = next(_tokens)
    capsule = python_api.PyCapsule_New(ctypes.c_size_t(token), None, _dispose)
    _engines[token] = engine, id(capsule)
    return capsule


@atexit.register
def _outlive_python():
    """From here on nothing is disposed: finalizers may run in any order, and memory goes anyway."""
    for engine, address in list(_engines.values()):
        python_api.PyCapsule_SetDestructor(address, None)
        python_api.Py_IncRef(engine)
    for engine in list(_disposed):
        python_api.Py_IncRef(engine)


def _by_llvm(call):
    """What `call()` returns, with LLVM's locks held; never in the main thread, if it can be."""

    def locked():
        with _lock:
            _initialise()
            while _disposed:
                _disposed.pop()
            return call()

    return aside(locked)


@cache
def _initialise():
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def _host():
    """The CPU's name, its features, and the triple of this process, as LLVM has them."""
    return _by_llvm(
        lambda: (
            llvm.get_host_cpu_name(),
            dict(llvm.get_host_cpu_features()),
            llvm.get_process_triple(),
        )
    )


@cache
def features():
    """The CPU's features as LLVM names them, less those turned off, e.g. {'avx2': True, ...}."""
    return wanted(_host()[1])


def register_bits():
    """The widest vector register worth using."""
    has = features()
    if has.get("avx512f") and has.get("avx512dq"):
        return 512
    return 256 if has.get("avx2") and has.get("fma") else 128


def has_fma():
    """Is a multiply-add one instruction? Where it is not, it would be a slow library call."""
    return bool(features().get("fma", True))  # a feature of x86 only; others always have it


def cpu_name():
    """This CPU as LLVM names it."""
    return _host()[0]


def triple():
    """Architecture, vendor and system, as "x86_64-unknown-linux-gnu"."""
    return _host()[2]


@cache
def description():
    """What compiled code depends on: LLVM, the CPU and its features."""
    on = ",".join(sorted(name for name, present in features().items() if present))
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"llvm {version} {triple()} {cpu_name()} {on}"


def _target_machine(level=None, effort=3):
    """Code generation for this CPU, or any of a level. Small and position-independent: constants
    are reached by short addresses, which lets them be operands of arithmetic instead of loads of
    their own."""
    target = llvm.Target.from_triple(triple())
    name, has = (level, {}) if level else (cpu_name(), features())
    # what is off comes last: a feature that is on turns on what it needs
    flags = [f"+{feature}" for feature, on in sorted(has.items()) if on]
    flags += [f"-{feature}" for feature, on in sorted(has.items()) if not on]
    if (LEVELS[level] if level else register_bits()) == 512:
        flags.append("-prefer-256-bit")
    return target.create_target_machine(
        cpu=name, features=",".join(flags), opt=effort, reloc="pic", codemodel="small"
    )


def compile_object(ir, level=None):
    """Machine code, as the bytes of an object file."""
    return compile_for(lambda effort: _target_machine(level, effort), ir)


def compile_for(make_machine, ir):
    """The bytes of an object file for the target machine that `make_machine(effort)` returns."""
    with compiling("compiling"):
        return _by_llvm(lambda: _compiled(make_machine, ir))


def _compiled(make_machine, ir):
    machine = make_machine(1 if len(ir) > LONG_TEXT else 3)
    module = llvm.parse_assembly(ir)
    if machine.triple != triple():  # another machine's addresses may be smaller
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)
    return machine.emit_object(module)


def _linked(data):
    jit = llvm.create_lljit_compiler(_target_machine(), use_jit_link=True)
    library = llvm.JITLibraryBuilder().add_object_img(data).add_current_process()
    return jit, library.link(jit, LIBRARY)


class LoadedCode:
    """An object file in executable memory, for as long as this lives.

    By LLVM's newer linker, which keeps all of an object together: the older one lets code and its
    constants lie too far apart where other libraries hold much of the address space, as CUDA does.
    """

    def __init__(self, data):
        jit, linked = _by_llvm(lambda: _linked(data))
        self._jit, self._found = jit, {}
        self.life = _life((linked, self._found, jit))

    def address(self, name):
        if name not in self._found:
            self._found[name] = _by_llvm(lambda: self._jit.lookup(LIBRARY, name))
        return self._found[name][name]

    global_address = address

    def function(self, name, result, *arguments):
        """A function that keeps its code loaded: a thread may be inside of it and stay there."""
        function = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        function.life = self.life
        return function


def loaded(name, source):
    """Code that belongs to no Body, as threads need it: from the disk, or from `source()`."""
    _, data = store.code((name, description()), lambda: ({}, compile_object(source())))
    return LoadedCode(data)
