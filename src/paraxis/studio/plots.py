"""Curves beside the robot, drawn by the browser."""

import numpy as np

from ..checks import shown
from .triangles import HUES

DASHES = (None, (6, 3), (2, 3))  # for curves beyond the colours


class Chart:
    """A place in the panel where a Plot is shown, or nothing."""

    def __init__(self, gui):
        from viser import uplot

        self.uplot, self.gui = uplot, gui
        self.place, self.handle = gui.add_folder("Plot", visible=False), None

    def show(self, plot):
        if self.handle is not None:
            self.handle.remove()
            self.handle = None
        self.place.visible = plot is not None
        if plot is None:
            return
        curves = [np.asarray(each, np.float64) for each in plot.curves.values()]
        data = tuple(np.where(np.isfinite(each), each, np.nan) for each in curves)
        u = self.uplot
        series = [u.Series(label=shown(plot.x_name, 80))]
        for k, name in enumerate(plot.curves):
            dash = DASHES[k // len(HUES) % len(DASHES)]
            more = {} if dash is None else {"dash": list(dash)}
            series.append(
                u.Series(label=shown(name, 40), stroke=HUES[k % len(HUES)], width=2, **more)
            )
        kind = {"distr": 3} if plot.logarithmic else {}
        scales = {"x": u.Scale(time=False, **kind), "y": u.Scale(**kind)}
        axes = (u.Axis(label=shown(plot.x_name, 60)), u.Axis(label=shown(plot.y_name, 60)))
        with self.place:
            self.handle = self.gui.add_uplot(
                (np.asarray(plot.x, np.float64), *data), tuple(series), scales=scales, axes=axes,
                aspect=1.4,
            )  # fmt: skip
