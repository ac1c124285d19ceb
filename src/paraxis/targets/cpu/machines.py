"""The machines that libraries are compiled for, from any other: what LLVM is to know of each.

An entry has the processor, the sizes that C has on it, and the C compilers that make programs for
it, here and on the machine itself. Vectors are those that every processor of the kind has.
"""

from dataclasses import dataclass, replace
from functools import cache

import llvmlite.binding as llvm

from ...checks import one_of
from ...errors import ArgumentError
from . import host


@dataclass(frozen=True)
class Machine:
    name: str
    about: str
    triple: str
    cpu: str
    vector_bits: int = 0  # of a register of several numbers; 0: it computes one state at a time
    size_bits: int = 64  # of size_t and of addresses
    features: str = ""
    abi: str = ""  # of C, where a triple has several
    has_float64: bool = True  # in hardware
    object_ending: str = ".o"
    library: str | None = "lib{}.so"  # the name of a shared library, if it can have one
    program: str = "{}_test"  # the name of the self-test
    compilers: tuple[str, ...] = ()  # that make programs for it on other machines
    own_compiler: tuple[str, ...] = ("cc",)  # on the machine itself, or wherever one is
    flags: tuple[str, ...] = ()  # for any compiler
    libraries: tuple[str, ...] = ("-lm",)
    alone: tuple[str, ...] = ()  # flags for a program that needs nothing of the machine
    beside: tuple[str, ...] = ()  # endings of what else the self-test is made of
    emulator: tuple[str, ...] = ()  # which runs its programs on other machines

    @property
    def is_here(self):
        """Is this machine one of its kind?"""
        ours, theirs = (_kind(triple) for triple in (host.triple(), self.triple))
        return ours == theirs

    @property
    def is_windows(self):
        return "windows" in self.triple

    def for_llvm(self, effort):
        """LLVM's code generation for it."""
        _all_targets()
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu,
            features=self.features,
            opt=effort,
            reloc="pic" if self.library else "static",
            codemodel="small",
            abiname=self.abi,
        )


@cache
def _all_targets():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _kind(triple):
    """(processor, system), of which triples have several spellings."""
    processor, *rest = triple.split("-")
    systems = {"linux": "linux", "darwin": "apple", "macosx": "apple", "windows": "windows"}
    system = next((s for word in rest for key, s in systems.items() if word.startswith(key)), "")
    return {"arm64": "aarch64"}.get(processor, processor), system


_CORTEX = {
    "triple": "thumbv7em-none-unknown-eabihf",
    "size_bits": 32,
    "library": None,
    "compilers": ("arm-none-eabi-gcc",),
    "own_compiler": ("arm-none-eabi-gcc",),
    "libraries": ("-lm", "--specs=rdimon.specs", "-Wl,--section-start=.vectors=0"),
    "beside": ("_start.c",),
}
_CORTEX_FLAGS = ("-mthumb", "-mfloat-abi=hard")
_SEMIHOSTING = ("-nographic", "-semihosting", "-kernel")

MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            "x64-linux",
            "Linux on x86-64",
            "x86_64-unknown-linux-gnu",
            "x86-64-v3",
            compilers=("x86_64-linux-gnu-gcc",),
            alone=("-static",),
            emulator=("qemu-x86_64",),
        ),
        Machine(
            "x64-windows",
            "Windows on x86-64",
            "x86_64-pc-windows-msvc",
            "x86-64-v3",
            object_ending=".obj",
            library="{}.dll",
            program="{}_test.exe",
            compilers=("x86_64-w64-mingw32-gcc",),
            # what makes room on the stack, as Visual Studio calls it and as GCC does
            libraries=("-Wl,-u,___chkstk_ms", "-Wl,--defsym,__chkstk=___chkstk_ms"),
            emulator=("wine",),
        ),
        Machine(
            "aarch64-linux",
            "Linux on 64-bit ARM",
            "aarch64-unknown-linux-gnu",
            "generic",
            vector_bits=128,
            compilers=("aarch64-linux-gnu-gcc",),
            alone=("-static",),
            emulator=("qemu-aarch64",),
        ),
        Machine(
            "arm64-apple",
            "macOS 11 or later on Apple silicon",
            "arm64-apple-macosx11.0.0",
            "apple-m1",
            vector_bits=128,
            library="lib{}.dylib",
            flags=("-arch", "arm64"),
        ),
        Machine(
            "riscv64-linux",
            "Linux on 64-bit RISC-V (RV64GC)",
            "riscv64-unknown-linux-gnu",
            "generic-rv64",
            features="+m,+a,+f,+d,+c",
            abi="lp64d",
            compilers=("riscv64-linux-gnu-gcc",),
            alone=("-static",),
            emulator=("qemu-riscv64",),
        ),
        Machine(
            "cortex-m4",
            "the ARM Cortex-M4 with its FPU (hard-float ABI)",
            cpu="cortex-m4",
            has_float64=False,
            flags=("-mcpu=cortex-m4", *_CORTEX_FLAGS, "-mfpu=fpv4-sp-d16"),
            emulator=("qemu-system-arm", "-machine", "mps2-an386", *_SEMIHOSTING),
            **_CORTEX,
        ),
        Machine(
            "cortex-m7",
            "the ARM Cortex-M7 with the FPU for float64 (hard-float ABI)",
            cpu="cortex-m7",
            flags=("-mcpu=cortex-m7", *_CORTEX_FLAGS, "-mfpu=fpv5-d16"),
            emulator=("qemu-system-arm", "-machine", "mps2-an500", *_SEMIHOSTING),
            **_CORTEX,
        ),
    )
}


def machine_of(target: str, cpu: str | None = None) -> Machine:
    """The machine of that name; `cpu` is a level, for those that have levels."""
    machine = MACHINES[one_of(target, MACHINES, "target")]
    if machine.cpu not in host.LEVELS:
        if cpu is not None:
            raise ArgumentError(f"cpu cannot be set for target {target!r}: it has no levels")
        return machine
    level = one_of(cpu or machine.cpu, host.LEVELS, "cpu")
    bits = host.LEVELS[level]
    features = "-prefer-256-bit" if bits > 256 else ""
    return replace(machine, cpu=level, vector_bits=bits, features=features)
