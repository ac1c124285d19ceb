"""three.js as a part of one script: its modules become functions that return what they export.

A page without a server cannot import one module from another, so `import` and `export`, which are
at known places of these pinned files, become an object of names.
"""

import re
from functools import cache

from ..drawing.frame import file_text

MODULES = {  # the name that others import it by -> its file; imported ones first
    "./three.core.min.js": "three/three.core.min.js",
    "three": "three/three.module.min.js",
    "three/orbit": "three/OrbitControls.js",
}
IMPORT = re.compile(r"import\s*\{([^}]*)\}\s*from\s*[\"']([^\"']+)[\"'];")
AGAIN = re.compile(r"export\s*\{([^}]*)\}\s*from\s*[\"']([^\"']+)[\"'];")
EXPORT = re.compile(r"export\s*\{([^}]*)\};")


@cache
def three_js():
    """A script that defines THREE, with OrbitControls."""
    parts = ["const modules = {};"]
    for name, file in MODULES.items():
        source = AGAIN.sub(_passed_on, file_text(__package__, file))
        source = IMPORT.sub(lambda m: f"const {{{_names(m[1])}}} = modules[{m[2]!r}];", source)
        source = EXPORT.sub(lambda m: f"Object.assign(exported, {{{_names(m[1], True)}}});", source)
        parts.append(f"modules[{name!r}] = (() => {{\nconst exported = {{}};\n{source}")
        parts.append("return exported;\n})();")
    parts.append('const THREE = { ...modules["three"], ...modules["three/orbit"] };')
    return "\n".join(parts) + "\n"


def _names(listed, turned=False):
    """`a as b, c` as properties of an object: `a: b, c`, or, turned, `b: a, c`."""
    found = []
    for each in filter(None, (part.strip() for part in listed.split(","))):
        one, _, other = each.partition(" as ")
        pair = (other, one) if turned else (one, other)
        found.append(": ".join(pair) if other else one)
    return ", ".join(found)


def _passed_on(match):
    """Names exported from another module."""
    pairs = _names(match[1], True).split(", ")
    entries = [
        (pair.split(": ")[0], pair.split(": ")[-1]) for pair in pairs
    ]  # as this one calls it, as the other does
    body = ", ".join(f"{own}: modules[{match[2]!r}].{other}" for own, other in entries)
    return f"Object.assign(exported, {{{body}}});"
