"""A figure: curves over one quantity, as a picture, as HTML, and as a table of their points."""

from dataclasses import dataclass
from html import escape

from .axes import LinearAxis, LogAxis, number_text
from .page import details, plot, table
from .svg import LINE, Drawing, legend_places

LEFT, RIGHT, BOTTOM = 60, 36, 48  # room around the axes for their labels
HUES = ("c1", "c2", "c4", "c5", "c6", "c7", "c8")  # c3 is the grey of the background
CROWDED = 40  # points per curve above which dots would hide the line


@dataclass(frozen=True)
class Figure:
    """Curves over one quantity. `curves` maps a name to its (x, y) points; `dashed` names bounds
    and printed values; `log` is which axes are logarithmic, as "x", "y" or "xy"."""

    title: str
    lead: str
    x: str
    y: str
    curves: dict[str, list[tuple[float, float]]]
    dashed: tuple[str, ...] = ()
    log: str = ""

    @property
    def heads(self) -> tuple[str, ...]:
        """The headings of the table of points."""
        return (self.x, *self.curves)

    def rows(self, most: int | None = None) -> list[tuple[str, ...]]:
        """One row per x: its value, then that of each curve or nothing; thinned to `most` rows.

        A curve of which nothing would be left has as many rows of its own.
        """
        values = [dict(points) for points in self.curves.values()]
        every = sorted({x for points in values for x in points})
        if most is not None:
            kept = _thinned(every, most, "x" in self.log)
            lost = [sorted(points) for points in values if {*kept}.isdisjoint(points)]
            every = sorted({*kept}.union(*(_thinned(each, most, "x" in self.log) for each in lost)))
        return [(number_text(x), *(_cell(points.get(x)) for points in values)) for x in every]


def figure_html(figure):
    """The picture for wide and narrow screens, and its numbers behind a fold."""
    numbers = table(figure.heads, figure.rows(), numeric=set(figure.heads))
    unit = f"<p class='fine'>{escape(figure.y)}</p>"
    return plot(draw, figure) + details("The same as numbers", unit + numbers)


def draw(figure, width):
    """The figure as a Drawing that is `width` pixels wide."""
    curves = {name: sorted(points) for name, points in figure.curves.items() if points}
    hues = {name: HUES[k % len(HUES)] for k, name in enumerate(curves)}
    kinds = {name: hue + " dashed" * (name in figure.dashed) for name, hue in hues.items()}
    legend = [(kind, name) for name, kind in kinds.items()]
    places = legend_places(legend, width)
    top = (places[-1][1] + LINE if places else 0) + 34
    drawing = Drawing(width, top + 290 + BOTTOM, figure.title)
    drawing.legend(legend)
    if not curves:
        return drawing
    x, y = _axes(figure, curves, drawing, top)
    # the first on top, and dashes above all, where what is under them is seen too
    for name in sorted(reversed(curves), key=lambda name: name in figure.dashed):
        points = curves[name]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        drawing.add("polyline", points=path, kind=f"curve {kinds[name]}", stroke_width=2.5)
        radius = 2.5 if name in figure.dashed else 4
        for a, b in points if len(points) <= CROWDED else ():
            where = f"{name}, {figure.x} {number_text(a)}: {number_text(b)}"
            drawing.add("circle", title=where, cx=x(a), cy=y(b), r=radius, kind=f"dot {hues[name]}")
    return drawing


def _axes(figure, curves, drawing, top):
    """Draw the axes; return what takes values to pixels on either."""
    floor, right = drawing.height - BOTTOM, drawing.width - RIGHT
    xs, ys = ([point[k] for each in curves.values() for point in each] for k in (0, 1))
    across = LogAxis if "x" in figure.log else LinearAxis.tight
    upward = LogAxis if "y" in figure.log else LinearAxis.from_zero
    x, y = across(xs, LEFT, right, most=drawing.width // 70), upward(ys, floor, top, most=8)
    for tick in y.ticks:
        drawing.line(LEFT, y(tick), right, y(tick), "grid")
        drawing.text(LEFT - 8, y(tick) + 4, number_text(tick), "tick", "end")
    for tick in x.ticks:
        drawing.line(x(tick), floor, x(tick), floor + 5, "axis")
        drawing.text(x(tick), floor + 20, number_text(tick), "tick", "middle")
    drawing.line(LEFT, floor, right, floor, "axis")
    drawing.text(0, top - 14, figure.y, "unit")
    drawing.text((LEFT + right) / 2, drawing.height - 8, figure.x, "unit", "middle")
    return x, y


def _thinned(values, most, log):
    """At most so many of them: first, last, and those between at round numbers."""
    if len(values) <= most:
        return values
    axis = LogAxis if log else LinearAxis.tight
    ticks = {float(tick) for tick in axis(values, 0, 1, most - 3).ticks}
    between = [value for value in values[1:-1] if float(value) in ticks]
    if len(between) < most // 3:  # the values are no round ones
        between = values[1 : -1 : -(-(len(values) - 2) // (most - 2))]
    return [values[0], *between, values[-1]]


def _cell(value):
    return "" if value is None else number_text(value)
