"""Who is busy when, as text."""

import re

from ...checks import one_of, whole_number

IDLE = "·"
PARTIAL = re.compile(r"T\d+")


def chart(array, results, states):
    """A row for each operation with one of these results, a column a tick, digits for states."""
    states = whole_number("states", states)
    known = {operation.result for operation in array.starts}
    results = results or [name for name in known if not PARTIAL.fullmatch(name)]
    for result in results:
        one_of(result, sorted(known), "result")
    rows = {}  # in the order in which they start
    for operation in sorted(array.starts, key=array.starts.get):
        if operation.result in results:
            row = rows.setdefault(f"{operation.result} {array.place(operation)}", {})
            for state in range(states):
                start = array.starts[operation] + state * array.interval
                for tick in range(start, start + operation.operator.flops):
                    row[tick] = str(state % 10)
    ticks = max((tick + 1 for row in rows.values() for tick in row), default=0)
    width = max(map(len, rows), default=0)
    scale = "".join(f"{tick:<10}" for tick in range(0, ticks, 10))
    lines = [f"{'':{width}}  {scale}".rstrip()]
    for name, row in rows.items():
        lines.append(f"{name:{width}}  {''.join(row.get(tick, IDLE) for tick in range(ticks))}")
    return "\n".join(lines)
