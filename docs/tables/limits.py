"""Operation counts, and the time that no kernel can be faster than."""

SINCOS = 19  # operations of the multiplying kind in a sine and cosine (targets/cpu/text/trig.py)


def _ur5():
    import paraxis as px

    return px.program(px.load("ur5"))


def counts():
    program = _ur5()
    return f"""```python
program = px.program(robot, "inverse_dynamics")
print(program.count())  # {program.count()}
print(program.depth().flops)  # depth {program.depth().flops}: the time with unlimited processors
print(program)  # every operation, as text that px.parse reads back
kernel = program.compile(dtype="float32", threads=2)
```"""


def limit():
    count = _ur5().count()
    pairs = count.trig // 2
    return f"""Inverse dynamics of a UR5 takes {count.mul} multiplications, {count.add} additions
and {pairs} pairs of sine and cosine. A pair costs {SINCOS} operations of the kind that multiplies.
The measured machine does one multiplication or fused multiply-add on eight doubles per cycle, and
additions on other units at the same time. So no kernel for these operations can take less than
({count.mul} + {pairs}·{SINCOS}) / 8 ≈ {(count.mul + pairs * SINCOS) / 8:.0f} cycles per state."""


def answer(data):
    count = _ur5().count()
    cycles = (count.mul + count.trig // 2 * SINCOS) / 8
    time = data["robots"]["ur5"]["paraxis"]["1"]
    return (
        f"A UR5's inverse dynamics needs at least {cycles:.0f} cycles per state of one core with "
        f"AVX-512; a batch call takes {time:.1f} ns on one thread, reading and writing memory "
        "included."
    )


ANSWER = ("cpu",), answer
TABLES = {"example:counts": (None, counts), "text:limit": (None, limit)}
