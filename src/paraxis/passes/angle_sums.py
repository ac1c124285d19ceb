"""Products of sines and cosines as sines and cosines of sums of angles.

    s2*c3 + c2*s3  ->  sin(q2 + q3)

One form only, as the products are: a Fourier series in the angles. It is the shorter one where
axes are parallel. Exact in real arithmetic; what rounding leaves of a zero is dropped.
"""

from .expand import ROUNDING, Factor, Term, in_order


def angle_sums(terms):
    """The same sum, with at most one sine or cosine in a product."""
    waves = {}  # (angle, other factors) -> (coefficient of exp(i angle), magnitude)
    for term in terms:
        others = tuple((factor, power) for factor, power in term.factors if not factor.function)
        turning = [(factor, power) for factor, power in term.factors if factor.function]
        for angle, wave in _waves(term.coefficient, turning).items():
            before, magnitude = waves.get((angle, others), (0.0, 0.0))
            waves[angle, others] = (before + wave, magnitude + abs(wave))
    found = []
    for (angle, others), (wave, magnitude) in waves.items():
        if not angle:
            parts = [(wave.real, ())]
        elif angle[0][1] < 0:  # the conjugate of its opposite: together they are real
            parts = []
        else:
            parts = [
                (2 * wave.real, ((Factor(angle, "cos"), 1),)),
                (-2 * wave.imag, ((Factor(angle, "sin"), 1),)),
            ]
        found += [
            Term(coefficient, tuple(sorted(others + turned)))
            for coefficient, turned in parts
            if abs(coefficient) > ROUNDING * magnitude
        ]
    return in_order(found)


def _waves(coefficient, factors):
    """A product of sines and cosines as angle -> coefficient of exp(i angle)."""
    waves = {(): complex(coefficient)}
    for factor, power in factors:
        ahead, behind = (0.5, 0.5) if factor.function == "cos" else (-0.5j, 0.5j)
        for _ in range(power):
            product = {}
            for angle, wave in waves.items():
                for sign, half in ((1, ahead), (-1, behind)):
                    turned = _moved(angle, factor.argument, sign)
                    product[turned] = product.get(turned, 0) + wave * half
            waves = product
    return waves


def _moved(angle, by, sign):
    """The sum of one angle and `sign` times another, each a tuple of (input, multiple) pairs."""
    multiples = dict(angle)
    for entry, multiple in by:
        multiples[entry] = multiples.get(entry, 0) + sign * multiple
    return tuple(sorted((entry, multiple) for entry, multiple in multiples.items() if multiple))
