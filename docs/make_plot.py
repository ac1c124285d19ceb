"""Draw docs/images/cpu.svg: the time per state of inverse dynamics, by robot and library.

From benchmarks/results/cpu.json; see make_tables.py. Libraries differ in the shape of their marks,
too, and colours are those of Okabe and Ito, which people without red or green cones tell apart. The
picture is a card with a background of its own, dark where the page around it is or, where that
does not say, where the reader's system is.
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from make_tables import PLOT, RESULTS
from matplotlib.ticker import FuncFormatter, NullLocator
from tables.cpu import PEERS, thread_counts
from tables.text import plural, short

PAPER, INK, QUIET, FAINT = "#fbfbf9", "#222222", "#555555", "#d4d4cf"
MARKS = {  # colour, shape, size
    "pinocchio": ("#7f7f7f", "s", 42),
    "casadi_c": ("#56b4e9", "D", 40),
    "casadi_lanes": ("#0072b2", "^", 58),
    "paraxis": ("#d55e00", "o", 78),
}
DARK = {  # colour on a light card -> on a dark one
    PAPER: "#1c1d20",
    INK: "#ececec",
    QUIET: "#b3b3b3",
    FAINT: "#44464b",
    "#7f7f7f": "#9a9a9a",
    "#56b4e9": "#a6dcff",
    "#0072b2": "#3391e0",
    "#d55e00": "#f07f2e",
}
NAMES = PEERS | {"paraxis": "Paraxis"}


def draw(data, path):
    """One line per robot, one mark per library; the scale is logarithmic."""
    threads = thread_counts(data)[-1]
    robots = data["robots"]
    plt.rcParams.update({"svg.hashsalt": "paraxis", "font.size": 10, "text.color": INK})
    height = 1.75 + 0.5 * len(robots)
    figure, axes = plt.subplots(figsize=(8, height), facecolor=PAPER, edgecolor=FAINT, linewidth=1)
    axes.set_facecolor(PAPER)
    everything = []
    for row, robot in enumerate(robots.values()):
        found = {name: robot[name][threads] for name in NAMES if threads in robot.get(name, {})}
        everything += found.values()
        axes.plot([min(found.values()), max(found.values())], [row, row], color=FAINT, lw=2)
        for name, time in found.items():
            colour, shape, size = MARKS[name]
            label = None if row else NAMES[name]
            axes.scatter(time, row, s=size, color=colour, marker=shape, label=label, zorder=2)
            write(axes, name, time, row)
    axes.set_xscale("log")
    axes.set_xlim(min(everything) / 2.4, max(everything) * 2.2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f} ns"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(robots)), [f"{k} ({r['n']} joints)" for k, r in robots.items()])
    axes.set_ylim(len(robots) - 0.5, -0.6)
    axes.tick_params(length=0, labelcolor=INK)
    axes.grid(axis="x", color=FAINT, lw=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)
    line = 0.2 / height
    left = {"x": 0.02, "ha": "left", "va": "top"}
    title = "Inverse dynamics of a batch: time per state (logarithmic scale, left is faster)"
    figure.text(y=1 - 0.6 * line, s=title, fontsize=11, weight="bold", **left)
    figure.text(y=1 - 1.9 * line, s=conditions(data, threads), fontsize=8.5, color=QUIET, **left)
    figure.legend(
        *axes.get_legend_handles_labels(), ncols=len(NAMES), loc="lower center", frameon=False
    )
    figure.tight_layout(rect=(0, 1.5 * line, 1, 1 - 2.6 * line))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, facecolor=PAPER, edgecolor=FAINT, metadata={"Date": None})
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<defs>", f"<style>{dark_style()}</style>\n <defs>", 1), "utf-8")


def dark_style():
    """The same picture on a dark card; colours stand in attributes, which only !important beats."""
    rules = "".join(
        f' [style*="{kind}: {light}"] {{ {kind}: {dark} !important }}'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme: dark) {{{rules} }}"


def write(axes, name, time, row):
    """The time beside the fastest and the slowest, above the others."""
    places = {
        "paraxis": {"xytext": (-9, 0), "ha": "right", "va": "center"},
        "pinocchio": {"xytext": (9, 0), "ha": "left", "va": "center"},
    }
    place = places.get(name, {"xytext": (0, 6), "ha": "center", "va": "bottom"})
    big = name in places
    axes.annotate(
        f"{short(time)} ns" if big else short(time),
        (time, row),
        textcoords="offset points",
        fontsize=9 if big else 8,
        weight="bold" if name == "paraxis" else "normal",
        color=INK if big else QUIET,
        **place,
    )


def conditions(data, threads):
    return (
        f"{plural(int(threads), 'thread')}, {data['dtype']}, batch of {data['batch']:,} states, "
        "fixed base, one call per batch, its overhead included, "
        f"{data['machine']['cpu']}"
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS / "cpu.json")
    parser.add_argument("--out", type=Path, default=PLOT)
    options = parser.parse_args(arguments)
    draw(json.loads(options.results.read_text(encoding="utf-8")), options.out)
    print(f"written: {options.out.name}")


if __name__ == "__main__":
    main()
