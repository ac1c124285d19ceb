"""The README next to exported Verilog: ports, formats, timing."""

import math
import textwrap

from ...targets.source.text import WIDTH, comment_lines
from .icarus import commands

TEXT = """{name}: {summary}.
Written by Paraxis.

{notes}Ports, all read and changed at the rising edge of clk
    clk     in
    rst     in, active high, synchronous: high for at least one clock before the first item;
            it clears all items in progress, and no item is accepted while it is high
{start}
    done    out, high for one clock per item: it is at the outputs now, and only now
    valid   out, high together with done if the item is valid

{timing}

Inputs, signed, in two's complement
{inputs}

Outputs, signed, in two's complement
{outputs}

{meaning}

{validity}
{limits}

Icarus Verilog checks it, in this folder, against the expected words in the accompanying files
(-g2012 instead of -g2005 works too):
{commands}
"""
PIPELINED = """\
    start   in, an item is at the inputs; it is accepted in this clock"""
ITERATIVE = """\
    start   in, an item is at the inputs; hold it and them until ready is high
    ready   out, an item at the inputs is accepted in this clock; high in one clock of
            {interval}, so an item waits at most {most}; a start while ready is low is ignored"""
ENTRIES = "Numbers in the names of ports count from 0: {port} is {place} of {array}."
NOT_NEEDED = "Entries of inputs without a port are not used."
NUMBERS = "A number with f fraction bits is word / 2^f, so 2^f is 1.0 if that fits."
ANGLES = (
    "An angle of w bits is word * pi / 2^(w-1) radians, so half a turn is 2^(w-1); angles wrap "
    "around, as words do."
)
VALIDITY = (
    "An item is invalid, and its outputs are meaningless, if a number is too large for its word; "
    "if a root is not real or near zero; if a length that determines an angle is near zero, "
    "so that the angle would be inaccurate"
)
LIMITS = "; and if an input is beyond these limits:"


def readme(design, name):
    """The text: purpose, ports, formats, timing, and how to run the test bench."""
    circuit = design.circuit
    inputs = [(port.name, circuit.formats[source]) for source, port in design.inputs.items()]
    outputs = [(port.name, circuit.format_of(*key)) for key, port in design.outputs.items()]
    limits = list(_limits(design))
    every = "clock" if design.interval == 1 else f"{design.interval} clocks"
    return readme_text(
        name,
        design,
        start=PIPELINED if design.ready is None else iterative_start(design),
        timing=f"An item can be accepted every {every}. It takes {design.latency} clocks, "
        f"{circuit.stages} stages of {circuit.iterations}.",
        inputs=table(inputs),
        outputs=table(outputs),
        meaning="\n".join(map(filled, _meaning(design))),
        validity=filled(VALIDITY + (LIMITS if limits else ".")),
        limits=table(limits),
    )


def iterative_start(design):
    """The ports that say when an item is accepted, unless that is at every clock."""
    return ITERATIVE.format(interval=design.interval, most=design.interval - 1)


def readme_text(name, design, **parts):
    """The whole text, with the parts that depend on the kind of design."""
    return TEXT.format(
        name=name,
        summary=design.summary,
        notes="".join(f"{line}\n" for line in comment_lines([*design.notes, ""])),
        commands="\n".join(f"    {command}" for command in commands(name)),
        **parts,
    )


def _meaning(design):
    """The sentences about ports and words that apply to this circuit."""
    tasks = design.circuit.tasks
    shapes = tasks.inputs | {name: shape for name, (shape, _) in tasks.outputs.items()}
    ports = [(source.name, port.name) for source, port in design.inputs.items()]
    ports += [(name, port.name) for (name, _), port in design.outputs.items()]
    array, port = max(reversed(ports), key=lambda names: len(shapes[names[0]]))
    if shapes[array]:
        yield ENTRIES.format(port=port, array=array, place=_place(port.removeprefix(f"{array}_")))
    if len(design.inputs) < sum(map(math.prod, tasks.inputs.values())):
        yield NOT_NEEDED
    sources = [*design.inputs, *(operand.source for operand in design.circuit.outputs.values())]
    angles = [tasks.is_angle(source) for source in sources]
    if not all(angles):
        yield NUMBERS
    if any(angles):
        yield ANGLES


def _place(numbers):
    places = numbers.split("_")
    if len(places) == 2:
        return "row {}, column {}".format(*places)
    return f"entry {', '.join(places)}"


def _limits(design):
    """(name of a port, its limits), in the order of ports."""
    circuit = design.circuit
    for source, port in design.inputs.items():
        if source in circuit.limits:
            words = circuit.limits[source]
            least, most = circuit.formats[source].real(words)
            yield port.name, f"{least:.6g} to {most:.6g}, in words {words[0]} to {words[1]}"


def filled(text):
    return textwrap.fill(text, WIDTH)


def table(rows):
    rows = list(rows)
    widest = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"    {name:<{widest}}  {meaning}" for name, meaning in rows)
