"""Imports flow one way, importing Paraxis is light, and names mean one thing."""

from functools import cache
from pathlib import Path

import paraxis_papers
import pytest
from support.import_graph import among_children, cycle, import_graph, imported, modules
from support.processes import SOURCE, script

ROOT = SOURCE / "paraxis"
PAPERS = Path(paraxis_papers.__file__).resolve().parent

# The parts of the package in reading order. A part imports only parts before it, lazily or not.
PARTS = (
    "errors",
    "checks",
    "later",
    "scalar",
    "counter_random",
    "compiling",
    "spatial",
    "robots",
    "physics",
    "math",
    "graph",
    "passes",
    "body",
    "drivers",
    "targets",
    "programs",
    "coupled_functions",
    "spring_functions",
    "looped_functions",
    "robot_functions",
    "joint_functions",
    "function_bodies",
    "chains",
    "calls",
    "api",
    "drawing",
    "scene",
    "dynamics",
    "kinematics",
    "trajectories",
    "simulation",
    "parallel",
    "sweeps",
    "control",
    "optimal",
    "hardware",
    "live",
    "frameworks",
    "jax",
    "torch",
    "gym",
    "studio",
    "cli",
    "__main__",
)
PHYSICS = {"robots", "physics"}
COMPILER = {"graph", "passes", "body", "drivers", "targets", "programs"}
# these may also ask the package itself: for its version, and for lines of Python that use it
PUBLIC = {"studio", "cli", "__main__"}
HEAVY = (
    "paraxis.parallel",
    "paraxis.hardware",
    "cupy",
    "viser",
    "matplotlib",
    "scipy",
    "ortools",
    "torch",
    "jax",
    "gymnasium",
    "casadi",
    "pinocchio",
    "yaml",
)
graph_of = cache(import_graph)  # not at import: every worker imports all tests


def parts_of(name):
    """The parts, other than its own, that a module imports; the package itself is ""."""
    return {target[0] if target else "" for target in graph_of(ROOT)[name]} - {name[0]}


def test_the_walker_sees_every_way_to_import():
    known = modules(ROOT)

    def found(source, name="physics.x", path=None):
        names = imported(tuple(name.split(".")), source, known, "paraxis", path)
        return sorted(".".join(each) for each in names)

    assert found("from ..graph.node import Node") == ["graph.node"]
    assert found("from .. import graph, scalar") == ["graph", "scalar"]
    assert found("from . import newton_euler") == ["physics.newton_euler"]
    assert found("from . import newton_euler", "physics", Path("__init__.py")) == [
        "physics.newton_euler"
    ]
    assert found("import paraxis.graph.node as n, math") == ["graph.node"]
    assert found("from paraxis import load") == [""]
    assert found("def f():\n    from ..passes.count import count") == ["passes.count"]
    assert found("from ...errors import ParaxisError", "targets.cpu.x") == ["errors"]
    assert found("import numpy\nfrom math import pi") == []


def test_a_cycle_is_found():
    edges = {"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}
    assert cycle(edges) == ["b", "d", "b"]
    assert cycle(edges | {"d": {"c"}}) == []
    graph = {("f", "a"): {("g", "x")}, ("g", "x"): {("f", "b")}, ("f", "b"): set()}
    assert cycle(graph) == [] and cycle(among_children(graph, ())) == ["f", "g", "f"]


def test_every_part_has_its_place():
    found = {name[0] for name in graph_of(ROOT) if name}
    assert found == {*PARTS}, f"not in both: {sorted(found ^ {*PARTS})}"


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_only_parts_before_it(part):
    allowed = {*PARTS[: PARTS.index(part)]} | ({""} if part in PUBLIC else set())
    wrong = {
        ".".join(name): sorted(parts_of(name) - allowed)
        for name in graph_of(ROOT)
        if name[:1] == (part,) and not parts_of(name) <= allowed
    }
    assert not wrong


@pytest.mark.parametrize("root", [ROOT, PAPERS], ids=lambda root: root.name)
def test_no_module_and_no_folder_imports_one_that_imports_it(root):
    """Lazy imports count: whoever reads a folder finds an order in which to read it."""
    graph = graph_of(root)
    assert not cycle(graph)
    folders = {name[:depth] for name in graph for depth in range(len(name))}
    found = {"/".join(each): cycle(among_children(graph, each)) for each in sorted(folders)}
    assert not {folder: path for folder, path in found.items() if path}


def test_algorithms_and_graphs_meet_only_above():
    """An algorithm knows no graph, and a graph no robot."""
    for name in graph_of(ROOT):
        if name[:1] and name[0] in PHYSICS | {"scalar", "spatial"}:
            assert not parts_of(name) & COMPILER, name
        if name[:1] and name[0] in COMPILER:
            assert not parts_of(name) & PHYSICS, name


def test_importing_paraxis_is_light():
    code = f"import sys, paraxis; print([m for m in {HEAVY} if m in sys.modules])"
    assert script(code).strip() == "[]"


def test_a_name_is_a_module_or_a_public_name_but_never_both():
    """Importing a submodule binds its name in the package, over a function of the same name."""
    script("""
        import contextlib, importlib, pkgutil, sys, types, paraxis
        for found in pkgutil.walk_packages(paraxis.__path__, "paraxis.", onerror=lambda name: None):
            if not found.name.endswith("__main__"):
                with contextlib.suppress(paraxis.MissingPackageError):
                    importlib.import_module(found.name)
        spaces = {name for name in dir(paraxis) if f"paraxis.{name}" in sys.modules}
        assert spaces == set(paraxis._NAMESPACES), spaces
        for space in (paraxis, *(getattr(paraxis, name) for name in spaces)):
            names = [name for name in dir(space) if name[0] != "_"]
            assert set(names) == {*space.__all__} | (spaces if space is paraxis else set()), space
            for name in set(names) - spaces:
                value = getattr(space, name)
                assert not isinstance(value, types.ModuleType), f"{space.__name__}.{name}"
            for name in {*paraxis.__all__} - {*names}:  # px.robots.load is no module either
                assert not hasattr(space, name), f"{space.__name__}.{name} hides paraxis.{name}"
        for name, module in list(sys.modules.items()):
            package, _, last = name.rpartition(".")
            if package.split(".")[0] == "paraxis":
                assert getattr(sys.modules[package], last) is module, f"{name} is shadowed"
    """)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_missing_framework_says_what_to_install(framework):
    script(f"""
        import sys
        sys.modules["{framework}"] = None  # as if it were not there
        import paraxis
        try:
            import paraxis.{framework}
        except paraxis.MissingPackageError as error:
            assert "pip install 'paraxis[{framework}]'" in str(error), error
        else:
            raise AssertionError("expected an error")
    """)
