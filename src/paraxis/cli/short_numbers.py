"""Numbers in a few characters, for people: 52.3 M, 74.0 µs."""


def short(value, digits=3):
    """That many digits and a power of a thousand: 52300000 -> 52.3 M."""
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
    """With that many digits in all; those before the point are always kept."""
    before = 1 if value < 9.995 else 2 if value < 99.95 else 3
    return f"{value:.{max(0, digits - before)}f}"
