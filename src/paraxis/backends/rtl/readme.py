"""What tells a reader of exported Verilog what it is."""

import textwrap

from .icarus import commands

TEXT = """{name}: {summary}

Ports, all read and changed at the rising edge of clk
    clk     in
    rst     in, for at least one clock before the first item
    start   in, an item is at the inputs
{ready}    done    out, an item is at the outputs
    valid   out, and it is right

Inputs, signed
{inputs}

Outputs, signed
{outputs}

{timing}

{validity}
{limits}

Icarus Verilog checks it, in this folder, against the expected words that lie beside it:
{commands}
"""
READY = "    ready   out, an item at the inputs is taken in this clock\n"
VALIDITY = """
An item is not valid where a number came out too large for its word, where a length that an angle
hangs on is too short or not real, or where an input is beyond these limits:
"""


def readme(design, name):
    """Ports, formats, timing, and how to run the test bench."""
    circuit = design.circuit
    every = "clock" if design.interval == 1 else f"{design.interval} clocks"
    inputs = [(s.name, circuit.formats[source]) for source, s in design.inputs.items()]
    limits = [
        (design.inputs[source].name, f"{least} to {most}")
        for source, (least, most) in circuit.limits.items()
    ]
    return TEXT.format(
        name=name,
        summary=f"{circuit.tasks.summary}, {design.architecture}",
        ready="" if design.ready is None else READY,
        inputs=_table(inputs),
        outputs=_table((s.name, circuit.format_of(*key)) for key, s in design.outputs.items()),
        timing=f"An item can be taken every {every}. It is {design.latency} clocks on its way, "
        f"{circuit.stages} stages of {circuit.iterations}.",
        validity=textwrap.fill(VALIDITY.strip(), 98),
        limits=_table(limits),
        commands="\n".join(f"    {command}" for command in commands(name)),
    )


def _table(rows):
    rows = list(rows)
    widest = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"    {name:<{widest}}  {meaning}" for name, meaning in rows)
