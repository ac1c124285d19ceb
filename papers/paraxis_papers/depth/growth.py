"""How depth grows: the line that what is measured lies on, if it does."""

from dataclasses import dataclass

from ..counts.polynomial import formula

ENOUGH = 3  # points that make a line; two lie on one always


@dataclass(frozen=True)
class Line:
    """Of each quantity: slope x + rest, for measured x from `since` on."""

    slope: list
    rest: list
    since: int

    @property
    def range(self):
        return f"from {self.since} links on" if self.since > 1 else "for every n"

    def text(self, variable="n"):
        formulas = map(formula, zip(self.slope, self.rest, strict=True))
        return " and ".join(each.replace("n", variable) for each in formulas)

    __str__ = text


def line(found):
    """The Line through x -> [mul, add] at the largest x, as far down as it goes; None for none."""
    xs = sorted(found)
    (x0, last), (x1, before) = ((x, found[x]) for x in xs[:-3:-1])
    slope = [(a - b) / (x0 - x1) for a, b in zip(last, before, strict=True)]
    if any(s != int(s) for s in slope):
        return None
    slope = [int(s) for s in slope]
    rest = [a - s * x0 for a, s in zip(last, slope, strict=True)]
    on = [[s * x + r for s, r in zip(slope, rest, strict=True)] == found[x] for x in xs]
    since = next(k for k in range(len(xs)) if all(on[k:]))
    return Line(slope, rest, xs[since]) if len(xs) - since >= ENOUGH else None
