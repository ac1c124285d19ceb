"""docs/project/layout.md lists every module once, in its folder, below all that it imports."""

import ast
import re
from collections import Counter
from pathlib import Path

from support.import_graph import among_children, import_graph, modules

import paraxis

ROOT = Path(paraxis.__file__).resolve().parent
PAGE = Path(__file__).resolve().parents[1] / "docs/project/layout.md"
SECTION = re.compile(r"## `([\w/]+)/`")
LINE = re.compile(r"( *)(\w+)(/|\.py) +\S")


def listed():
    """Names of modules as tuples, in the order of the page; those of a section's block are in its
    folder, and four spaces stand for a subfolder."""
    found, folder, fenced = [], None, False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := SECTION.fullmatch(line):
            parts = tuple(heading[1].split("/"))
            folder = () if parts == ("src", "paraxis") else parts
            path = []
        elif line.startswith("```"):
            fenced = not fenced
        elif fenced:
            entry = LINE.match(line)
            assert entry, f"{PAGE}: expected a name and what it holds, found {line!r}"
            depth = len(entry[1]) // 4
            path[depth:] = [entry[2]]
            name = (*folder, *path)
            found.append(name[:-1] if name[-1] == "__init__" else name)
    return found


def line_of(name, path):
    """A line to add, with the module's own words, which may be shortened."""
    words = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
    last = f"{name[-1]}/" if path.name == "__init__.py" else f"{name[-1]}.py"
    return f"{'    ' * max(len(name) - 2, 0)}{last}  {words}"


def folder_of(name):
    return "/".join(name[:-1]) + "/" if len(name) > 1 else "src/paraxis/"


def test_every_module_is_listed_once():
    known, found, missing = modules(ROOT), Counter(listed()), {}
    for name, path in known.items():
        if name not in found:
            missing.setdefault(folder_of(name), []).append(line_of(name, path))
    changes = ["\n".join([f"add to {folder}:", *lines]) for folder, lines in missing.items()]
    changes += [f"remove {'/'.join(name)}: no such module" for name in found if name not in known]
    changes += [f"list {'/'.join(name)} once" for name, count in found.items() if count > 1]
    assert not changes, "docs/project/layout.md:\n" + "\n".join(changes)


def test_every_module_is_listed_below_what_it_imports():
    graph, place = import_graph(ROOT), {name: k for k, name in enumerate(listed())}
    late = []
    for folder in sorted({name[:-1] for name in graph if name}):
        for child, targets in among_children(graph, folder).items():
            here = place.get((*folder, child), -1)
            late += [
                f"in {folder_of((*folder, child))} move {child} below {target}"
                for target in sorted(targets)
                if (*folder, target) in place and place[*folder, target] > here >= 0
            ]
    assert not late, "docs/project/layout.md:\n" + "\n".join(late)


def test_what_is_beside_the_package_exists():
    text = PAGE.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:papers|tests|benchmarks|examples|docs)/[\w/.]*)`", text)
    assert paths and not [path for path in paths if not (PAGE.parents[2] / path).exists()]
