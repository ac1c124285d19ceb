"""Draw docs/images/cpu.svg: the time per state of inverse dynamics, by robot and library.

From benchmarks/results/cpu.json; see make_tables.py.
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from make_tables import PEERS, PLOT, RESULTS, plural, short, thread_counts
from matplotlib.ticker import FuncFormatter, NullLocator

# one neutral card that reads on light and dark pages alike
PAPER, INK, FAINT = "#f7f7f5", "#2b2b2b", "#d4d4cf"
COLOURS = {
    "pinocchio": "#9a9a94",
    "casadi_c": "#6f8fb3",
    "casadi_lanes": "#3f5f8a",
    "paraxis": "#d4552d",
}


def draw(data, path):
    """One line per robot, one dot per library; the scale is logarithmic."""
    threads = thread_counts(data)[-1]
    robots = data["robots"]
    plt.rcParams.update({"svg.hashsalt": "paraxis", "font.size": 10, "text.color": INK})
    figure, axes = plt.subplots(figsize=(8, 1.1 + 0.46 * len(robots)), facecolor=PAPER)
    axes.set_facecolor(PAPER)
    names = PEERS | {"paraxis": "Paraxis"}
    labelled = set()
    everything = []
    for row, robot in enumerate(robots.values()):
        times = {name: robot[name][threads] for name in names if threads in robot.get(name, {})}
        everything += times.values()
        ends = [min(times.values()), max(times.values())]
        axes.plot(ends, [row, row], color=FAINT, lw=2, zorder=1)
        for name, time in times.items():
            label = None if name in labelled else names[name]
            labelled.add(name)
            size = 74 if name == "paraxis" else 46
            axes.scatter(time, row, s=size, color=COLOURS[name], label=label, zorder=2)
        for name, side in (("paraxis", -1), ("pinocchio", 1)):
            if name in times:
                axes.annotate(
                    f"{short(times[name])} ns",
                    (times[name], row),
                    xytext=(9 * side, 0),
                    textcoords="offset points",
                    ha="right" if side < 0 else "left",
                    va="center",
                    fontsize=9,
                    color=INK,
                )
    axes.set_xscale("log")
    axes.set_xlim(min(everything) / 3, max(everything) * 2.2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f} ns"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(robots)), [f"{k} ({r['n']} joints)" for k, r in robots.items()])
    axes.invert_yaxis()
    axes.tick_params(length=0, labelcolor=INK)
    axes.grid(axis="x", color=FAINT, lw=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.suptitle(
        f"Inverse dynamics: time per state, {plural(int(threads), 'thread')}, {data['dtype']} "
        "(logarithmic scale, left is faster)",
        fontsize=10.5,
        x=0.02,
        ha="left",
    )
    figure.legend(
        *axes.get_legend_handles_labels(), ncols=len(names), loc="lower center", frameon=False
    )
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, facecolor=PAPER, metadata={"Date": None})
    plt.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=PLOT)
    options = parser.parse_args(arguments)
    draw(json.loads(options.results.read_text()), options.out)
    print(f"written: {options.out.name}")


if __name__ == "__main__":
    main()
