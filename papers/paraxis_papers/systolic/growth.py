"""Every machine over the number of links."""

from paraxis.drawing.figure import Figure

from ..document import Row, Table, text_of
from .arrays import NAMES, PAPER, SIZES, array
from .limits import LARGE
from .times import equation_5, equation_17

LEAD = (
    "Latency in flops, printed by equation 5 (linear) or 17 (logarithmic); in the notes how often "
    "a state may enter, and what there is of hardware."
)
CONVENTIONS = (
    "From three links on the logarithmic form takes 8 ⌈log₂ n⌉ + 15 flops. Equation 17 has "
    "⌈log₂(n + 1)⌉: there the base, which may spin, is an element; here it is at rest.",
    "At best: with operations timed for the fewest words in buffers; dashed in the figure.",
)


def growth():
    """The table."""
    rows = [_row(form, machine, n) for form, machine in NAMES for n in SIZES]
    return Table("The machines over the number of joints", LEAD, rows, CONVENTIONS)


def _row(form, machine, n):
    found = array(form, machine, n)
    note = (
        f"a state every {found.interval} ({found.shortest_interval} would do); "
        f"{text_of(found.processors)} processors, {text_of(found.wires)} wires, "
        f"{text_of(found.buffers)} words in buffers"
    )
    if best := _best(form, machine, n):
        note += f" ({text_of(best.buffers)} at best)"
    time = equation_5 if form == "linear" else equation_17
    return Row(PAPER, f"{NAMES[form, machine]}, n = {n}", time(n), found.latency, note)


def _best(form, machine, n):
    if machine == "systolic" and (form == "linear" or n <= LARGE):
        return array(form, machine, n, fewest_buffers=True)
    return None


def figures():
    """Latency, processors and buffers over the number of links."""
    systolic = {form: NAMES[form, "systolic"] for form in ("linear", "logarithmic")}
    latency = {
        name: [(n, array(form, "systolic", n).latency) for n in SIZES]
        for form, name in systolic.items()
    }
    latency["equation 5"] = [(n, equation_5(n)) for n in SIZES]
    latency["equation 17"] = [(n, equation_17(n)) for n in SIZES]
    fewest = {
        f"{name}, fewest": [
            (n, best.buffers) for n in SIZES if (best := _best(form, "systolic", n))
        ]
        for form, name in systolic.items()
    }
    return (
        Figure(
            "Latency",
            "From the arrival of a state to its torques; dashed what is printed.",
            "links",
            "flops",
            latency,
            dashed=("equation 5", "equation 17"),
            log="xy",
        ),
        Figure(
            "Processors",
            "Matrix-vector processors on which torques depend. Machines that use theirs again have "
            "the same latency.",
            "links",
            "processors",
            _curves("processors"),
            log="xy",
        ),
        Figure(
            "Buffers",
            "Words that wait. Links of a linear array wait for their turn, and forces for the way "
            "back: n² words; dashed the fewest there can be.",
            "links",
            "words",
            _curves("buffers") | fewest,
            dashed=tuple(fewest),
            log="xy",
        ),
    )


def _curves(quantity):
    return {
        name: [(n, getattr(array(form, machine, n), quantity)) for n in SIZES]
        for (form, machine), name in NAMES.items()
    }
