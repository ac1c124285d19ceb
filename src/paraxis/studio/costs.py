"""What a function of the robot costs: operations, critical path, and its speed on this machine."""

from math import prod

from .. import api
from ..checks import one_of
from .lines import literal
from .work import Plot, Result

BATCHES = (1, 10, 100, 1_000, 10_000, 100_000)
MOST_NUMBERS = 2e7  # of a batch's arrays
DEFINED = '''
from time import perf_counter

def seconds(call):
    """The best time of a call."""
    best, begin = np.inf, perf_counter()
    while perf_counter() - begin < 0.1:
        start = perf_counter()
        call()
        best = min(best, perf_counter() - start)
    return best
'''.splitlines()


def costs(work, function="inverse_dynamics", algorithm=""):
    """Count, depth and measured speed of a function; without an algorithm, of the cheapest."""
    one_of(function, api.functions(), "function")
    given = ["robot", literal(function)]
    if algorithm:
        one_of(algorithm, api.algorithms(function), "algorithm")
        given.append(literal(algorithm))
    lines = [] if work.names.has("seconds") else DEFINED[1:] + [""]
    lines += [
        f"program = px.program({', '.join(given)})",
        "print(program.count())",
        'print(f"depth {program.depth().flops} flops on the critical path")',
    ]
    counted, notes = work.do(lines, postures=())
    program = work.names["program"]
    shapes = [*program.inputs.values(), *program.outputs.values()]
    numbers = sum(map(prod, shapes))
    batches = [batch for batch in BATCHES if batch * numbers <= MOST_NUMBERS] or [1]
    lines = [
        "kernel, rng, times = program.compile(), np.random.default_rng(0), {}",
        f"for batch in {literal(batches)}:",
        "    states = [rng.uniform(-1, 1, (batch, *shape)) for shape in program.inputs.values()]",
        "    out = kernel(*states)",
        "    times[batch] = seconds(lambda: kernel(*states, out=out)) / batch",
        '    print(f"{batch:>7,} states: {1e9 * times[batch]:,.0f} ns per state")',
    ]
    measured, more = work.do(lines, postures=())
    times = work.names["times"]
    plot = Plot(
        list(times), {"ns per state": [1e9 * each for each in times.values()]},
        "states at once", "ns per state", logarithmic=True,
    )  # fmt: skip
    return Result(f"{counted}\n{measured}", plot, notes=[*notes, *more])
