"""An exported solver as files: source, header and self-test."""

import os
import shlex

import numpy as np

from ...checks import integer
from ...targets.number import checked_dtype
from ...targets.source.c import block_comment
from ...targets.source.files import Exported, write_file
from ...targets.source.text import listed
from .problems import problems
from .source import Source
from .template import filled


def export(solver, folder, name, dtype, iterations, given):
    """Write the files to `folder`; see `Solver.export`."""
    dtype, iterations = checked_dtype(dtype), integer("iterations", iterations)
    made = Source(solver.problem, solver.horizon, name, dtype)
    exact = type(solver)(solver.problem, solver.horizon, "float64")
    test = self_test(made, problems(exact, dtype, iterations, given), iterations)
    files = {f"{made.name}.h": made.header(), f"{made.name}.c": made.source()}
    files[f"{made.name}_test.c"] = test
    paths = [write_file(folder, file, text) for file, text in files.items()]
    program = os.path.join(folder, f"{made.name}_test")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    build = ["cc", "-std=c99", "-O2", *warnings, *paths[1:], "-lm", "-o", program]
    return Exported(paths, [shlex.join(build)], shlex.join([program]))


def self_test(source, problems, iterations):
    """A program that compares with the solutions; it exits with 0 if they agree."""
    arrays = [problems.given[name] for name in ("x0", *source.parameters)]
    rows = [
        ",\n".join(_row(source, array[p].ravel(), "     ") for array in arrays)
        for p in range(len(problems.cost))
    ]
    members = [
        f"    {source.real} {name}[{source.entries(key) * source.times(key)}];"
        for key, name in source.parameters.items()
    ]
    arguments = ["&test_work", "given->x0"]
    arguments += [f"given->{name}" for name in source.parameters.values()]
    arguments.append(str(iterations))
    of_controls, of_cost = (f"{each:.0e}" for each in problems.tolerances)
    comment = [
        f"Compares {source.name} with solutions of Paraxis after {iterations} iterations: cost and "
        f"controls, as shares of the largest. Prints the errors and exits with 0 when they are at "
        f"most {of_cost} and {of_controls}, else with 1."
    ]
    words = {
        "comment": block_comment(comment),
        "count": len(problems.cost),
        "entries": problems.controls[0].size,
        "given": "\n".join(members),
        "problems": ",\n".join(f"    {{\n{row}\n    }}" for row in rows),
        "costs": _row(source, problems.cost, "    ").replace("{", "", 1).replace("}", ""),
        "controls": ",\n".join(_row(source, u.ravel(), "    ") for u in problems.controls),
        "solve": listed(f"        {source.name}_solve(", arguments, ");", " " * 12),
        "tiny": repr(float(np.finfo(np.float32).tiny)),
        "of_controls": of_controls,
        "of_cost": of_cost,
    }
    return filled("test.c", source.features, source.words | words)


def _row(source, values, indent):
    literals = [source.language.literal(float(value)) for value in values]
    return listed(f"{indent}{{", literals, "}", indent + " ")
