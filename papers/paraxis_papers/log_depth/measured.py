"""Long chains as benchmarks/chains.py measured them: times, errors and memory. No number is new."""

import json
from functools import cache
from importlib.resources import files

from paraxis.drawing.figure import Figure

from ..document import Row, Table

FUNCTIONS = {"forward_dynamics": "forward dynamics", "inverse_dynamics": "inverse dynamics"}
SERIAL, SCAN, PINOCCHIO = CONTENDERS = "serial", "scan", "pinocchio"
NAMES = {
    PINOCCHIO: "Pinocchio",
    SERIAL: "Paraxis serial",
    SCAN: "Paraxis scan",
    "closed": "Paraxis scan, tip pinned",
}
ROUNDED = "rounded"  # the reference as float64
MIB = 2**20
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@cache
def results():
    """What the benchmark wrote down."""
    return json.loads(files(__package__).joinpath("measured.json").read_text("utf-8"))


def rows(sliding=False):
    """Its lengths; those of chains in which some joints slide apart."""
    return [row for row in results()["rows"] if bool(row["sliding"]) == sliding]


def where():
    """A sentence on what was measured when, and on what."""
    machine = results()["machine"]
    return (
        f"Measured on {machine['date']} by benchmarks/chains.py on {machine['cores']} cores of "
        f"{machine['cpu']} with {machine['memory_gib']:g} GiB, float64, Pinocchio {machine['pin']}."
    )


def name(contender):
    return NAMES.get(contender, contender)


def length(n):
    """Of a chain, as a power of two."""
    return "2" + str(n.bit_length() - 1).translate(RAISED)


def speed_ratio(row, function, fast, slow):
    """How many times as fast one contender is as another; None where one was not measured."""
    times = row[function]["ns_a_link"]
    return times[slow] / times[fast] if {fast, slow} <= times.keys() else None


# -- times -----------------------------------------------------------------------------------------


def time_table(function):
    """ns per link over the length of the chain."""
    found = [_time_row(row, function) for row in rows()]
    found += [_time_row(row, function, ", some joints slide") for row in rows(sliding=True)]
    lead = (
        f"Nanoseconds per link for the {FUNCTIONS[function]} of one chain in one state, by the "
        "scan; "
        "no two links are alike and no number is zero. Pinocchio and the serial recursion use one "
        f"core, the scan all of them, and vectors along the chain. {where()}"
    )
    ends = results()["pinocchio_ends"]
    why = f"Pinocchio ends at {ends['links']:,} links: {ends['reason']}."
    return Table(f"Long chains: {FUNCTIONS[function]}", lead, found, (why,))


def _time_row(row, function, what=""):
    times = row[function]["ns_a_link"]
    rivals = [
        f"{times[each] / times[SCAN]:.2f} times as fast as {name(each)}, {times[each]:,.0f}"
        for each in (PINOCCHIO, SERIAL)
        if each in times
    ]
    quantity = f"N = {length(row['n'])}{what}"
    return Row("Paraxis", quantity, None, round(times[SCAN], 1), "; ".join(rivals))


def order_table():
    """What other algorithms, and other orders of theirs, take at the longest chain they were on."""
    found = []
    for function, spoken in FUNCTIONS.items():
        for contender in _contenders(lambda row, f=function: row[f]["ns_a_link"]):
            if contender in CONTENDERS:
                continue
            row = [row for row in rows() if contender in row[function]["ns_a_link"]][-1]
            time, scan = (row[function]["ns_a_link"][each] for each in (contender, SCAN))
            note = f"{time / scan:.1f} times the {scan:,.0f} of the scan"
            quantity = f"N = {length(row['n'])}, {spoken}, {name(contender)}"
            found.append(Row("Paraxis", quantity, None, round(time, 1), note))
    lead = (
        "Nanoseconds per link on all cores, by constraint forces, divide and conquer or Lathrop's "
        "logarithmic recursion in the order that is named, and of the closed chain, each at the "
        "longest chain it was measured on. The scan itself is articulated bodies or Newton and "
        "Euler's recursion on segments of links, which is less work. Reduction does each link "
        "once, elimination and doubling once per round."
    )
    return Table("Long chains: other algorithms and orders", lead, found)


def time_figure(function):
    return _figure(
        f"Long chains: time of {FUNCTIONS[function]}",
        "Of one chain in one state.",
        "ns per link",
        lambda row: row[function]["ns_a_link"],
    )


def crossover_table():
    """From which length on one is faster than another."""
    found = []
    for function, pairs in results()["crossovers"].items():
        for pair, crossover in pairs.items():
            fast, slow = map(name, pair.split(" over "))
            ratios = {int(n): ratio for n, ratio in crossover["ratios"].items()}
            most = max(ratios, key=ratios.get)
            note = f"at most {ratios[most]:.2f} times as fast, at N = {length(most)}"
            if crossover["from"] is None:
                note = f"not at the longest chain of both, {length(max(ratios))}; {note}"
            quantity = f"{FUNCTIONS[function]}: {fast} faster than {slow}"
            found.append(Row("Paraxis", quantity, None, crossover["from"], note))
    lead = "The shortest chain from which on one stays faster than another."
    return Table("Long chains: crossovers", lead, found)


# -- errors and memory -----------------------------------------------------------------------------


def accuracy_table():
    """The largest errors over all lengths."""
    found = []
    for function, spoken in FUNCTIONS.items():
        for contender in _contenders(lambda row, f=function: row[f]["error"]):
            there = [row for row in results()["rows"] if contender in row[function]["error"]]
            row = max(there, key=lambda row: row[function]["error"][contender])
            longest = max(row["n"] for row in there)
            worst = row[function]["error"][contender]
            note = f"at N = {length(row['n'])}, of lengths to {length(longest)}"
            if row["reference"] != "quadruple":
                note += f"; the reference there is in {row['reference']}"
            quantity = f"{spoken}, {name(contender)}"
            found.append(Row("Paraxis", quantity, None, _digit(worst), note))
    last = rows()[-1]
    for contender, residual in last["forward_dynamics"]["residual"].items():
        what = "the reference rounded" if contender == ROUNDED else name(contender)
        note = "torques that are not met, over the largest moment that any joint carries"
        quantity = f"residual at N = {length(last['n'])}, {what}"
        found.append(Row("Paraxis", quantity, None, _digit(residual), note))
    lead = (
        "The largest error over all lengths, max|Δ| / max(1, max|reference|), beside a reference "
        "in quadruple precision unless stated otherwise. The residual puts accelerations back "
        "into inverse dynamics: a long chain multiplies even the rounding of the reference to "
        "float64, which no result in float64 can be much better than."
    )
    return Table("Long chains: accuracy", lead, found)


def memory_table():
    """What a process holds at most."""
    found = []
    for row in rows():
        memory = row["memory_mib"]
        others = [f"{name(each)} {held:,.0f}" for each, held in memory.items() if each != SCAN]
        quantity = f"N = {length(row['n'])}"
        found.append(Row("Paraxis", quantity, None, round(memory[SCAN]), "; ".join(others)))
    lead = (
        "MiB that a process held at most for both functions by the scan, all included: the "
        "interpreter, its libraries, the robot as objects and as arrays, what the scan keeps. From "
        f"{length(rows()[-2]['n'])} to {length(rows()[-1]['n'])} links it grows by "
        f"{bytes_a_link():,.0f} bytes a link."
    )
    return Table("Long chains: memory", lead, found)


def bytes_a_link():
    """Between the two longest chains."""
    before, last = rows()[-2:]
    more = last["memory_mib"][SCAN] - before["memory_mib"][SCAN]
    return more * MIB / (last["n"] - before["n"])


def error_figure():
    return _figure(
        "Long chains: error of forward dynamics",
        "Beside a reference in extended precision.",
        "max|Δ| / max(1, max|reference|)",
        lambda row: row["forward_dynamics"]["error"],
    )


# -- pieces ----------------------------------------------------------------------------------------


def _figure(title, lead, y, values):
    """A curve for each contender; `values` gives theirs in a row."""
    curves = {
        name(each): [(row["n"], values(row)[each]) for row in rows() if each in values(row)]
        for each in _contenders(values)
    }
    return Figure(title, lead, "links", y, curves, log="xy")


def _contenders(values):
    """All that appear in some row, in the order in which they do."""
    return list(dict.fromkeys(each for row in rows() for each in values(row)))


def _digit(value):
    return float(f"{value:.0e}")
