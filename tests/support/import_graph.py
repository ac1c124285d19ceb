"""Which module of a package imports which, read from the sources: no statement is run."""

import ast


def modules(root):
    """name -> file of every module under the folder `root`; a name is a tuple of its parts.

    The package itself is ().
    """
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[parts[:-1] if parts[-1] == "__init__" else parts] = path
    return found


def import_graph(root):
    """name -> the names of the modules of the same package that it imports, anywhere in it."""
    known = modules(root)
    return {
        name: imported(name, path.read_text(encoding="utf-8"), known, root.name, path)
        for name, path in known.items()
    }


def imported(name, source, known, package, path=None):
    """The modules among `known` that a source imports, also inside functions.

    Relative imports are seen from the folder of `name`, which is `name` itself for an __init__.py.
    """
    folder = name if path is not None and path.name == "__init__.py" else name[:-1]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            stem = [package, *folder[: len(folder) - node.level + 1]] if node.level else []
            stem += node.module.split(".") if node.module else []
            targets = [[*stem, alias.name] for alias in node.names]
        else:
            continue
        for first, *rest in targets:
            if first == package:
                whole = tuple(rest)
                found.add(whole if whole in known else whole[:-1])  # else a name in a module
    return found - {name}


def among_children(graph, folder):
    """Which file or subfolder of a folder imports which other one of it."""
    depth, edges = len(folder), {}
    for name, targets in graph.items():
        if len(name) > depth and name[:depth] == folder:
            inside = edges.setdefault(name[depth], set())
            for target in targets:
                if len(target) > depth and target[:depth] == folder:
                    inside.add(target[depth])
    return {child: targets - {child} for child, targets in edges.items()}


def cycle(edges):
    """A way from some node back to itself, as a list; empty if there is none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        path.append(node)
        for target in sorted(edges.get(node, ())):
            if found := visit(target):
                return found
        done.add(path.pop())
        return []

    for node in sorted(edges):
        if found := visit(node):
            return found
    return []
