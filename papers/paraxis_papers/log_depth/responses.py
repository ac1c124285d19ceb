"""Λ⁻¹, how the tip of a chain gives way to a force, counted."""

from ..document import Row, Table
from .chains import flops
from .forward_costs import KINDS, SHORT

PAPER = "Fijany 1994"
FUNCTION = "operational_space_inertia_inverse"
HELD, COMPOSITE = "constraint_force", "composite_body"


def response_flops(kind, n, algorithm):
    return flops(kind, n, algorithm, FUNCTION)


def crossover(kind):
    """The shortest chain for which Λ⁻¹ is cheaper from constraint forces."""
    low, high = SHORT[0], SHORT[-1]  # composite bodies are cheaper at the one, dearer at the other
    while high - low > 1:
        middle = (low + high) // 2
        if response_flops(kind, middle, HELD) < response_flops(kind, middle, COMPOSITE):
            high = middle
        else:
            low = middle
    return high


def response_table():
    rows = []
    for kind in KINDS:
        for n in SHORT:
            held, composite = (response_flops(kind, n, each) for each in (HELD, COMPOSITE))
            note = f"{held / composite:.2f} times the {composite:,} of {COMPOSITE}"
            rows.append(Row(PAPER, f"n = {n}, {kind}", None, held, note))
        note = f"links from which on {HELD} is the cheaper"
        rows.append(Row("Paraxis", f"{kind}, crossover", None, crossover(kind), note))
    lead = (
        "Flops of Λ⁻¹ = D − Eᵀ A⁻¹ E of the tip: six columns, with A factored once. They grow with "
        "n. Composite bodies give J M⁻¹ Jᵀ, with a factored M, of which the flops grow with n³, "
        "but of small numbers: a short arm is better served by them."
    )
    return Table("Λ⁻¹ of the tip: flops", lead, rows)
