"""Lines of Python that are run as they are shown, so that a copy of them does the same again.

What people type or move enters lines as literals of numbers and text, never as code.
"""

import numpy as np

from ..errors import ArgumentError

MOST_PRINTED = 10_000  # characters


def literal(value):
    """A number, a text, or a list of numbers as Python."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if type(value) in (list, tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is float and not np.isfinite(value):
        raise ArgumentError(f"expected a finite number, found {value}")
    if type(value) not in (bool, int, float, str):
        raise ArgumentError(f"expected a number or a text, found {type(value).__name__}")
    return repr(value)


class Names:
    """The names that lines have defined so far, and what they print."""

    def __init__(self):
        import paraxis as px  # as the lines do, here because it imports all of the above

        self.names = {"__name__": "studio", "np": np, "px": px, "print": self._print}
        self._printed = []

    def run(self, lines):
        """Run lines; what they print."""
        self._printed = []
        exec(compile("\n".join(lines), "<studio>", "exec"), self.names)
        return "\n".join(self._printed)[:MOST_PRINTED]

    def has(self, name):
        return name in self.names

    def _print(self, *values):
        self._printed.append(" ".join(map(str, values)))

    def __getitem__(self, name):
        return self.names[name]

    def __setitem__(self, name, value):
        self.names[name] = value
