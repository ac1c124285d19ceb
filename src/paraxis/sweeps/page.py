"""The page of a study: slices of its results as pictures of cells, and histograms."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from ..checks import shown
from ..drawing.frame import file_text, header
from ..drawing.interactive.page import interactive_page
from ..drawing.page import table
from .amounts import size_text
from .files import StoreError

MOST = 150_000  # numbers of the page
MOST_READ = 2_000_000  # states of histograms
BINS = 40
HEADS = ("result", "least", "median", "largest", "not finite")


def page(sweep: Any) -> str:
    """The whole document."""
    store, status = sweep._store, sweep.status
    if not status.done:
        raise StoreError(f"{shown(sweep.store, 300)}: no block is done yet, so there is no result")
    data = sweep.open()
    study = store.study
    axes = [name for name in study["axes"] if name in data.coords]
    scalars = {name: each for name, each in _scalars(data, study)}
    cells = axes if len(axes) == len(study["axes"]) else []  # samples are in no order
    thinned = _thinned(data, cells, len(scalars))
    seen = data if cells else _some_blocks(data, store)
    title = f"{study['function']}: {shown(sweep.store, 200)}"
    content = {
        "axes": [
            {
                "name": name,
                "values": [_plain(x) for x in thinned[name].values.tolist()],
                "unit": data[name].attrs.get("units", ""),
            }
            for name in cells
        ],
        "results": [
            {
                "name": name,
                "unit": data[name.partition("[")[0]].attrs.get("units", ""),
                "cells": _cells(pick(thinned), cells) if cells else None,
                "histogram": _histogram(pick(seen).values),
            }
            for name, pick in scalars.items()
        ],
    }
    rows = [_row(name, pick(seen).values) for name, pick in scalars.items()]
    size = sum(each.nbytes for each in data.data_vars.values())
    body = file_text(__package__, "page.html").format(
        header=header(
            f"{escape(shown(study['function'], 100))}: a sweep", escape(_about(status, size))
        ),
        errors=_errors(status),
        table=table(HEADS, rows, numeric=HEADS[1:]),
    )
    style = file_text(__package__, "page.css")
    return interactive_page(title, body, content, style, [file_text(__package__, "page.js")])


def _about(status, size):
    text = f"{status.states:,} states, {status.done:,} of {status.blocks:,} blocks done"
    return f"{text}, {size_text(size)} of results."


def _errors(status):
    if not status.errors:
        return ""
    rows = [[str(number), shown(error, 200)] for number, error in [*status.errors.items()][:20]]
    words = f"<p>{status.failed:,} blocks failed; their states are empty below.</p>"
    return words + table(("block", "error"), rows, numeric=("block",))


def _scalars(data, study):
    """(name, what takes it from a dataset) of results, and of the entries of those with a few."""
    for name in study["results"]:
        if name in study["variables"]:
            continue
        entries = [axis for axis in data[name].dims if axis not in study["axes"]]
        if not entries:
            yield name, lambda some, name=name: some[name]
            continue
        shape = [data.sizes[axis] for axis in entries]
        for place in list(np.ndindex(*shape))[:12]:
            at = dict(zip(entries, place, strict=True))
            label = f"{name}[{', '.join(map(str, place))}]"
            yield label, lambda some, name=name, at=at: some[name].isel(at)


def _some_blocks(data, store):
    """States of a few blocks that are done, evenly chosen: pages need not read terabytes."""
    done, (axis,) = sorted(store.done()), store.study["axes"]
    most = max(1, MOST_READ // store.layout.states)
    chosen = [done[k * len(done) // most] for k in range(most)] if len(done) > most else done
    regions = (store.layout.region(number)[0] for number in chosen)
    states = np.concatenate([np.arange(region.start, region.stop) for region in regions])
    return data.isel({axis: states})


def _thinned(data, axes, results):
    """Fewer values along the axes, where there are too many for a page."""
    steps = dict.fromkeys(axes, 1)

    def count():
        sizes = [-(-data.sizes[axis] // step) for axis, step in steps.items()]
        return int(np.prod(sizes, dtype=float)) * max(results, 1)

    while axes and count() > MOST:
        longest = max(axes, key=lambda axis: data.sizes[axis] / steps[axis])
        steps[longest] += 1
    return data.isel({axis: slice(None, None, step) for axis, step in steps.items()})


def _cells(array, axes):
    values = np.asarray(array.transpose(*axes).values, float).ravel()
    return [None if not np.isfinite(x) else float(f"{x:.4g}") for x in values]


def _plain(value):
    if isinstance(value, list):
        return str(value)
    return value if isinstance(value, str) else float(f"{value:.6g}")


def _histogram(values):
    values = np.asarray(values, float).ravel()
    finite = values[np.isfinite(values)]
    if not len(finite):
        return {"edges": [0.0, 1.0], "counts": [0]}
    counts, edges = np.histogram(finite, BINS)
    return {"edges": [float(f"{x:.5g}") for x in edges], "counts": counts.tolist()}


def _row(name, values):
    values = np.asarray(values, float).ravel()
    finite = values[np.isfinite(values)]
    lost = f"{len(values) - len(finite):,}"
    if not len(finite):
        return [name, "–", "–", "–", lost]
    each = finite.min(), np.median(finite), finite.max()
    return [name, *(f"{x:.4g}" for x in each), lost]
