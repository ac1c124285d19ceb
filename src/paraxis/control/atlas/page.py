"""The page of an atlas: one map, or two side by side, with the numbers of every cell."""

from html import escape

import numpy as np

from ...checks import shown
from ...drawing.axes import number_text
from ...drawing.frame import brand, file_text
from ...drawing.interactive.page import framed as in_frame
from ...drawing.interactive.page import interactive_page
from ...drawing.page import plot, table
from ...robots.rows import rows_of
from .comparison import draw
from .rows import AXES
from .summary import HEADS, USUAL, digits, summary, usual_row, why_more_may_hold

SCRIPTS = ("model.js", "picture.js", "words.js", "hands.js")  # each uses those before
LOG = ("speed", "gain")
UNITS = {"speed": "×", "gain": "×", "payload": "kg"}


def page(atlas):
    """The whole document."""
    title = f"{shown(atlas.robot.name, 200)}: stability atlas"
    return interactive_page(title, body(atlas), data(atlas), style(), scripts())


def body(atlas):
    """The content of the page, as HTML."""
    runs = sum(each.error.size for each in atlas.maps.values())
    return _file("page.html").format(
        brand=brand(),
        name=escape(shown(atlas.robot.name, 200)),
        about=escape(_about(atlas)),
        prediction=escape(atlas.prediction),
        agreement=f"{atlas.agreement:.1%}",
        runs=number_text(runs),
        axes="".join(
            f'<button type="button" data-axis="{axis}">{axis}</button>' for axis in atlas.axes
        ),
        unit=unit(atlas.robot),
        bound=f"{atlas.bound:g} {unit(atlas.robot)}",
        row=usual_row(atlas).words,
        comparison=plot(draw, atlas),
        table=table(HEADS, summary(atlas), numeric=HEADS[1:]),
        why=escape(why_more_may_hold(atlas)),
    )


def style():
    return _file("style.css")


def scripts():
    return [_file(name) for name in SCRIPTS]


def framed(atlas):
    """The page as an element of another page."""
    return in_frame("A stability atlas", page(atlas), 1250 + 30 * len(atlas.policies))


def _file(name):
    return file_text(__package__, name)


# -- words -----------------------------------------------------------------------------------------


def _about(atlas):
    gains = f"kp {_several(atlas.kp)} and kd {_several(atlas.kd)}"
    return (
        f"Computed-torque control with {gains}, with some of its data from earlier control steps. "
        f"A cell is a run of {atlas.duration:g} s that starts on a motion with a cycle of "
        f"{atlas.cycle:g} s, at speed 1."
    )


def _several(gains):
    each = [f"{gain:.4g}" for gain in gains]
    return each[0] if len(set(each)) == 1 else ", ".join(each)


def unit(robot):
    """The unit of its joints."""
    units = {"rad" if joint.is_revolute else "m" for joint in rows_of(robot).own_rows}
    return " or ".join(sorted(units, reverse=True))


# -- data ------------------------------------------------------------------------------------------


def data(atlas):
    """The data that its scripts draw."""
    return {
        "periods": atlas.periods.tolist(),
        "bound": atlas.bound,
        "unit": unit(atlas.robot),
        "axes": {
            name: {
                "values": [float(digits(value, 6)) for value in values],
                "about": AXES[name],
                "unit": UNITS[name],
                "usual": USUAL[name],
                "log": name in LOG,
            }
            for name, values in atlas.axes.items()
        },
        "maps": {
            policy: {axis: _map(atlas[policy, axis]) for axis in atlas.axes}
            for policy in atlas.policies
        },
    }


def _map(found):
    """A cell is the error of a run, or minus the time when it diverged; null: beyond the map."""
    cells = np.where(found.diverged, -found.diverged_at, found.error)
    return {
        "cells": [[float(digits(value)) for value in row] for row in cells.tolist()],
        "boundary": [
            None if np.isinf(value) else float(digits(value, 4)) for value in found.boundary
        ],
        "agreement": found.agreement,
    }
