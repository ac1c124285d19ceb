"""One long chain, along its links: on a CPU beside Pinocchio, and on a GPU."""

from .text import device, machine, setting, short, times, with_notes

SHOWN = (64, 256, 1024, 4096, 16384, 65536, 2**18, 2**20)  # links
KINDS = ("pinocchio", "serial", "scan")


def chains(data):
    """One line per length: forward and inverse dynamics, ns per link, and the former's error."""
    heads = [
        f"{what}: {who}"
        for what in ("forward", "inverse")
        for who in ("Pinocchio", "serial", "scan")
    ]
    rows = [["links", *heads, "error", "memory"]]
    for row in data["rows"]:
        if row["sliding"] or row["n"] not in SHOWN:
            continue
        cells = [f"{row['n']:,}"]
        for function in ("forward_dynamics", "inverse_dynamics"):
            found = row[function]["ns_a_link"]
            least = min(found[kind] for kind in KINDS if kind in found)
            for kind in KINDS:
                shown = short(found[kind]) if kind in found else "–"
                cells.append(f"**{shown}**" if found.get(kind) == least else shown)
        cells.append(f"{row['forward_dynamics']['error']['scan']:.0e}")
        rows.append([*cells, f"{row['memory_mib']['scan'] / 1024:.1f} GiB"])
    note = (
        "ns per link; the fastest in bold. The error is that of the scan's accelerations, against "
        "quadruple precision up to 65,536 links, and beyond that against long double, whose own "
        "error it may be. Memory is that of the process, with the robot. Pinocchio cannot go "
        f"beyond {data['pinocchio_ends']['links']:,} links."
    )
    return with_notes(
        rows,
        note,
        setting(
            "one state of one chain, no two links alike, on a fixed base",
            "float64",
            "Pinocchio and serial: 1 thread; scan: 2",
            "whole calls, call overhead included",
            machine(data, "pin"),
            "command: `python benchmarks/chains.py`",
        ),
    )


def gpu_chains(data):
    """One line per length and function on a GPU."""
    heads = ("time", "per link", "one CPU core, serial", "memory", "error")
    rows = [["function, links", *heads]]
    for row in data.get("chains", []):
        if "missing" in row:
            continue
        rows.append(
            [
                f"{row['function'].replace('_', ' ')}, {row['n']:,}",
                f"{row['ms']:.2f} ms",
                f"{row['ms'] * 1e6 / row['n']:.1f} ns",
                f"{row['serial_ms']:.1f} ms ({times(row['times_serial'])})",
                f"{row['gpu_mib']:,.0f} MiB" if row["gpu_mib"] >= 0 else "–",
                f"{row['error']:.0e}" if "error" in row else "–",
            ]
        )
    return with_notes(
        rows,
        "In parentheses: how many times as long one core of the GPU's host takes. The error is "
        "against extended precision, relative to the largest result.",
        setting(
            "one state of one chain, no two links alike, on a fixed base",
            "float64",
            "arrays on the GPU; calls queued one after another, by the GPU's clock",
            device(data),
        ),
    )


def chain_work():
    """What the sweeps along a chain compute, from their bodies."""
    from paraxis.chains.bodies import along
    from paraxis.chains.recursions.link import REVOLUTE

    def flops(*names):
        return sum(along(name, REVOLUTE, True).work for name in names)

    alone = flops("spin_free", "inward_free", "outward_free")
    rows = flops("spin", "inward", "outward")
    inverse, in_rows = flops("motion_free", "torque"), flops("reach", "motion", "torque")
    return f"""One link after another, articulated bodies cost {alone:,} flops per link (a sine and
cosine count as 50). In segments they cost {rows:,}, {rows / alone:.1f} times as many: the end of a
segment needs its response to a force, a 6×6 matrix through every joint. That is the price of
segments that run in parallel, in the lanes of a register and on all cores. Inverse dynamics costs
{inverse:,} flops per link serially and {in_rows:,} in segments."""


def answer(data):
    rows = [row for row in data["rows"] if not row["sliding"]]

    def ns(row, kind):
        return row["forward_dynamics"]["ns_a_link"].get(kind)

    ahead = [row["n"] for row in rows if ns(row, "scan") < (ns(row, "pinocchio") or 1e9)]
    faster = [row["n"] for row in rows if ns(row, "scan") < ns(row, "serial")]
    longest = rows[-1]
    return (
        f"Forward dynamics of {longest['n']:,} links takes {ns(longest, 'scan'):.0f} ns per link "
        f"on two cores. The scan over segments is faster than Pinocchio from {min(ahead):,} links "
        f"on, and than the serial recursion of Paraxis from {min(faster):,} on."
    )


ANSWER = ("chains",), answer
TABLES = {
    "chains": ("chains", chains),
    "gpu_chains": ("gpu_chains", gpu_chains),
    "text:chain": (None, chain_work),
}
