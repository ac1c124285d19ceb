"""The README next to the Verilog of a chip."""

from ..rtl.readme import NUMBERS, filled, iterative_start, readme_text, table

ENTRIES = (
    "Numbers in the names of ports count from 0, links first: A_1_0_2 is row 0, column 2 of A of "
    "link 1, the rotation from its axes to those of the previous link."
)
MEANINGS = {
    "rate": "rate is qd along the joint's axis, in the link's coordinates",
    "twice_rate": "twice_rate is twice the rate",
    "rise": "rise is qdd along the joint's axis, in the link's coordinates",
    "rate_before": "rate_before and rise_before are qd and qdd along the joint's axis, in the "
    "coordinates of the previous link",
    "rotor_torque": "rotor_torque is the reflected inertia of a rotor times qdd",
    "p": "p and s are the positions of the next joint and of the centre of mass of a sliding link",
}
VALIDITY = "Torques are invalid, and meaningless, if a number is too large for its word."


def readme(design, name):
    """The text: purpose, ports, formats, timing, and how to run the test bench."""
    chip = design.circuit
    quantities = {source.quantity for source in chip.array.wiring.inputs}
    meanings = [text for quantity, text in MEANINGS.items() if quantity in quantities]
    formats = [(design.inputs[entry].name, chip.format_of_input(entry)) for entry in design.inputs]
    outputs = [(port.name, chip.format_of(*key)) for key, port in design.outputs.items()]
    return readme_text(
        name,
        design,
        start=iterative_start(design),
        timing=f"A state can be accepted every {design.interval} clocks. Its torques are available "
        f"{design.latency} clocks later.",
        inputs=table(formats),
        outputs=table(outputs),
        meaning="\n".join(map(filled, [ENTRIES, "; ".join(meanings) + ".", NUMBERS])),
        validity=filled(VALIDITY),
        limits="",
    )
