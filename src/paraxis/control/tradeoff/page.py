"""The page of a trade-off: a table of machines, after the maps of an atlas if there is one."""

from html import escape

import numpy as np

from ...checks import shown
from ...drawing.frame import brand, file_text
from ...drawing.interactive.page import framed as in_frame
from ...drawing.interactive.page import interactive_page
from ..atlas import page as atlas_page

SCRIPT, STYLE = "tradeoff.js", "style.css"


def page(tradeoff, atlas=None):
    """The whole document."""
    name = shown(tradeoff.robot.name, 200)
    data, style, script = {"tradeoff": _data(tradeoff)}, _file(STYLE), _file(SCRIPT)
    if atlas is None:
        body = _file("header.html").format(brand=brand(), name=escape(name)) + _section(tradeoff)
        return interactive_page(f"{name}: stale data", body, data, style, [script])
    body = atlas_page.body(atlas) + _section(tradeoff)
    data |= atlas_page.data(atlas)
    style, scripts = atlas_page.style() + style, [*atlas_page.scripts(), script]
    return interactive_page(f"{name}: stability atlas", body, data, style, scripts)


def framed(tradeoff):
    """The page as an element of another page."""
    height = 620 + 60 * len(tradeoff.processors) + 34 * len(tradeoff.policies)
    return in_frame("When stale data are worth it", page(tradeoff), height)


def _file(name):
    return file_text(__package__, name)


def _section(tradeoff):
    about = (
        "A loop takes as long as its schedule on the processors, including messages, at "
        f"{tradeoff.flop_time * 1e6:g} µs per flop; its torques are applied at the end. It counts "
        "as stable if the linear loop is stable and the simulation stayed bounded. Loop times are "
        "those of the shortest schedules found, with lower bounds for all schedules."
    )
    return _file("section.html").format(
        conclusion=escape(tradeoff.conclusion),
        about=escape(about),
        networks="".join(
            f'<button type="button" data-network="{name}">{name}</button>'
            for name in tradeoff.networks
        ),
    )


def _data(tradeoff):
    lost = ~np.isfinite(tradeoff.error) | tradeoff.diverged
    error = np.where(lost, None, tradeoff.error)
    answers = [
        [
            [tradeoff.answer(p, latency, network) for latency in tradeoff.latencies.tolist()]
            for p in tradeoff.processors.tolist()
        ]
        for network in tradeoff.networks
    ]
    return {
        "networks": tradeoff.networks,
        "processors": tradeoff.processors.tolist(),
        "latencies": tradeoff.latencies.tolist(),
        "policies": tradeoff.policies,
        "unit": atlas_page.unit(tradeoff.robot),
        "flopTime": tradeoff.flop_time,
        "loopTime": tradeoff.loop_time.tolist(),
        "loopBound": tradeoff.loop_bound.tolist(),
        "safePeriod": tradeoff.safe_period.tolist(),
        "error": error.tolist(),
        "stable": tradeoff.stable.tolist(),
        "fastest": tradeoff.fastest.tolist(),
        "accurate": tradeoff.most_accurate.tolist(),
        "answers": answers,
    }
