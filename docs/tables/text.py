"""Numbers, tables and settings as text."""

PACKAGES = {  # key in a results file -> the name people know
    "paraxis": "Paraxis",
    "pin": "Pinocchio",
    "casadi": "CasADi",
    "mujoco": "MuJoCo",
    "crocoddyl": "Crocoddyl",
    "gcc": "gcc",
}


def markdown(rows):
    """A table whose first row is the head; numbers to the right, the first column to the left."""
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


def with_notes(rows, *notes):
    """A table and the paragraphs below it; empty ones are left out."""
    table = rows if isinstance(rows, str) else markdown(rows)
    return "\n\n".join([table, *filter(None, notes)])


def setting(*parts):
    """The paragraph that every table ends in: how its numbers were measured."""
    return f"*Setting:* {'; '.join(filter(None, parts))}."


def machine(data, *packages):
    """The processor, the versions of the peers that a table shows, and when it was measured."""
    about = data.get("machine", {})
    if not about:
        return ""
    cores = f", {plural(about['cores'], 'core')}" if "cores" in about else ""
    vectors = ", AVX-512" if "avx512f" in about.get("flags", ()) else ""
    keys = [key for key in ("paraxis", *packages) if key in about]
    versions = "".join(f", {PACKAGES[key]} {about[key]}" for key in keys)
    date = f", {about['date']}" if "date" in about else ""
    return f"{about['cpu']}{cores}{vectors}{versions}{date}"


def device(data):
    """The GPU and the version that was measured, as results of a GPU may be older than the code."""
    version = data.get("versions", {}).get("paraxis")
    return data.get("device", "GPU not recorded") + (f", Paraxis {version}" if version else "")


def short(value):
    """Three digits or so."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio):
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.0f} ms"


def milli(value):
    return f"{value * 1e3:.3g} ms"


def micro(value):
    return f"{value * 1e6:,.1f} µs" if value < 1e-4 else f"{value * 1e6:,.0f} µs"


def million(rate):
    return f"{rate / 1e6:.2f}" if rate < 1e7 else f"{rate / 1e6:.1f}"


def giga(rate):
    return f"{rate / 1e9:.1f} G" if rate >= 1e10 else f"{short(rate / 1e6)} M"


def span(values, form=str):
    """The least and the most: "2.0 to 3.5", or one of them where they read alike."""
    values = list(values)
    return " to ".join(dict.fromkeys(map(form, (min(values), max(values)))))


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def words(name):
    """A function's name as people write it."""
    base = name.removesuffix("_derivatives")
    return f"{'' if base == name else 'derivatives of '}{base}".replace("_", " ")


def measured(data):
    """The rows that a run has numbers for."""
    return [row for row in data["rows"] if "missing" not in row]


def not_measured(data, *names):
    """The rows that a run has no number for, and why."""
    rows = [row for row in data["rows"] if "missing" in row]
    if not rows:
        return ""
    lines = (
        f"- {', '.join(str(row[name]) for name in names if name in row)}: {row['missing']}"
        for row in rows
    )
    return "Not measured:\n\n" + "\n".join(lines)
