"""The plots of the demo's page: speed over batch size, operations as bars, flops at each step."""

import math

from ..drawing.axes import LogAxis
from ..drawing.svg import Drawing
from .short_numbers import duration, short

LEFT, RIGHT, TOP, BOTTOM = 56, 18, 34, 48  # room around the axes for their labels


def throughput(series, width):
    """States per second over batch size, both logarithmic. series: [(name, speeds)]."""
    drawing = Drawing(width, 360, "States per second over batch size")
    every = [speed for _, speeds in series for speed in speeds]
    x = LogAxis([s.batch for s in every], LEFT, width - RIGHT)
    y = LogAxis([s.states_per_s for s in every], drawing.height - BOTTOM, TOP + 34)
    for tick in y.ticks:
        drawing.line(LEFT, y(tick), width - RIGHT, y(tick), "grid")
        drawing.text(LEFT - 8, y(tick) + 4, short(tick, digits=1), "tick", "end")
    for tick in x.ticks:
        drawing.line(x(tick), y.start, x(tick), y.start + 5, "axis")
        drawing.text(x(tick), y.start + 20, short(tick, digits=1), "tick", "middle")
    drawing.line(LEFT, y.start, width - RIGHT, y.start, "axis")
    drawing.text(0, TOP + 16, "states per second", "unit")
    drawing.text(
        (LEFT + width - RIGHT) / 2, drawing.height - 8, "states per call", "unit", "middle"
    )
    drawing.legend([(f"c{k + 1}", name) for k, (name, _) in enumerate(series)])
    for k, (name, speeds) in reversed(list(enumerate(series))):  # the first on top, and thinner
        points = [(x(s.batch), y(s.states_per_s)) for s in speeds]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        drawing.add("polyline", points=path, kind=f"curve c{k + 1}", stroke_width=2.5 + 3 * k)
        for (px, py), s in zip(points, speeds, strict=True):
            title = (
                f"{name}, {s.batch:,} states per call: {short(s.states_per_s)} states/s, "
                f"{duration(s.ns_per_state / 1e9)} per state"
            )
            drawing.add("circle", title=title, cx=px, cy=py, r=4.5 + 1.5 * k, kind=f"dot c{k + 1}")
    best = max(every, key=lambda s: s.states_per_s)
    at = min(x(best.batch), width - RIGHT - 4)
    drawing.text(at, y(best.states_per_s) - 14, f"{short(best.states_per_s)}/s", "value", "end")
    return drawing


def operations(groups, width):
    """Bars: [(algorithm, [(colour, what, flops)])], the longest bar as long as there is room."""
    bar, gap, head = 20, 4, 22
    rows = sum(len(bars) for _, bars in groups)
    height = TOP + rows * (bar + gap) + len(groups) * (head + 14)
    drawing = Drawing(width, height, "Floating-point operations of each algorithm")
    longest = max(flops for _, bars in groups for _, _, flops in bars)
    legend = {what: colour for _, bars in groups for colour, what, _ in bars}
    drawing.legend([(colour, what) for what, colour in legend.items()])
    y, room = TOP + 10, width - 92
    for name, bars in groups:
        drawing.text(0, y + 12, name, "group")
        y += head
        for colour, what, flops in bars:
            length = max(2.0, room * flops / longest)
            title = f"{name}, {what}: {flops} flops"
            drawing.add(
                "rect", title=title, x=0, y=y, width=length, height=bar, rx=4, kind=f"fill {colour}"
            )
            drawing.text(length + 8, y + 15, f"{flops} flops", "value")
            y += bar + gap
        y += 14
    return drawing


def layers(widths, flops, width):
    """How many flops could run at once at each step of the critical path, and the average."""
    drawing = Drawing(width, 320, "Operations that could run at once, step by step")
    depth, average = len(widths), flops / len(widths)
    bins = _binned(widths, most=(width - LEFT - RIGHT) // 3)
    top = _round_up(max([average, *(height for _, _, height in bins)]))
    floor, ceiling = drawing.height - BOTTOM, TOP + 6

    def y(value):
        return floor + (ceiling - floor) * value / top

    def x(step):
        return LEFT + (width - LEFT - RIGHT) * step / depth

    for k in range(5):
        value = top * k / 4
        drawing.line(LEFT, y(value), width - RIGHT, y(value), "grid" if k else "axis")
        drawing.text(LEFT - 8, y(value) + 4, f"{value:g}", "tick", "end")
    thin = 1.5 if x(1) - x(0) > 6 else 0.0
    for first, last, height in bins:
        steps = f"step {last}" if last == first + 1 else f"steps {first + 1} to {last}"
        drawing.add(
            "rect",
            title=f"{steps}: {height:.3g} flops could run at once",
            x=x(first) + thin / 2,
            y=y(height),
            width=max(x(last) - x(first) - thin, 0.5),
            height=floor - y(height),
            kind="fill c1",
        )
    for step in _ticks(depth, most=8 if width > 500 else 4):
        drawing.text(x(step - 0.5), floor + 20, str(step), "tick", "middle")
    drawing.line(LEFT, y(average), width - RIGHT, y(average), "mean")
    drawing.text(width - RIGHT, y(average) - 8, f"average {average:.1f}", "value", "end")
    drawing.text(0, 15, "flops at once", "unit")
    middle = (LEFT + width - RIGHT) / 2
    drawing.text(middle, drawing.height - 8, f"step (depth: {depth} steps)", "unit", "middle")
    return drawing


def _binned(widths, most):
    """(first, last, mean) of runs of steps, one per step where there is room for that."""
    size = -(-len(widths) // most)
    starts = range(0, len(widths), size)
    parts = [(first, widths[first : first + size]) for first in starts]
    return [(first, first + len(part), sum(part) / len(part)) for first, part in parts]


def _round_up(value):
    """The next of 4, 8, 12, 20, 40, 80, 120, ...: its quarters are round."""
    power = 10 ** max(0, math.floor(math.log10(max(value, 1))) - 1)
    steps = (f * power * k for k in (1, 10, 100) for f in (4, 8, 12, 16, 20, 24, 28, 32, 36))
    return next(step for step in steps if step >= value)


def _ticks(count, most):
    """1 and some round numbers up to `count`."""
    for step in (s * 10**k for k in range(9) for s in (1, 2, 5)):
        if count <= step * most:
            return sorted({1, *range(step, count + 1, step)})
    return [1, count]
