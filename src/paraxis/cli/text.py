"""Text for people: lists of names and short numbers."""

from ..checks import shown


def names(items, most=40):
    """The first names, and how many more there are."""
    listed = ", ".join(shown(name) for name in items[:most])
    return listed + (f" and {len(items) - most} more" if len(items) > most else "")


def short(value, digits=3):
    """So many digits and a factor of a thousand: 52300000 -> 52.3 M."""
    for factor, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:
            return f"{_rounded(value / factor, digits)} {letter}"
    return _rounded(value, digits)


def duration(seconds):
    """Three digits and a unit: 7.4e-05 -> 74.0 µs."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * factor:
            return f"{_rounded(seconds / factor, 3)} {unit}"
    return f"{_rounded(seconds / 1e-9, 3)} ns"


def _rounded(value, digits):
    """With that many digits in all; those before the point always stand."""
    before = 1 if value < 9.995 else 2 if value < 99.95 else 3
    return f"{value:.{max(0, digits - before)}f}"
