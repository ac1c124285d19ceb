"""Imports flow one way, and importing Paraxis is light."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import paraxis

ROOT = Path(paraxis.__file__).resolve().parent

# What each part of the package may import, besides itself; see the layout in the design. A part
# that is not listed is not known: say here where it stands.
PHYSICS = {"errors", "checks", "scalar", "spatial", "robot", "algorithms"}
GRAPHS = {"errors", "checks", "graph", "passes"}
COMPILER = GRAPHS | {"drivers", "backends"}
MAY_IMPORT = {
    "errors": set(),
    "later": set(),
    "checks": {"errors"},
    "drawing": set(),
    "scalar": set(),
    "spatial": {"scalar"},
    "robot": {"errors", "checks", "scalar", "spatial"},
    "algorithms": {"errors", "checks", "scalar", "spatial", "robot"},
    "graph": {"errors", "checks"},
    "passes": {"errors", "checks", "graph"},
    "drivers": GRAPHS,
    "backends": GRAPHS | {"drivers"},
    "program": COMPILER,
    "formula": GRAPHS,
    "equations": COMPILER | {"program", "formula"},
    "identification": PHYSICS,
    "loads": PHYSICS,
    "parallel": COMPILER | PHYSICS | {"program", "drawing"},
    "functions": GRAPHS | PHYSICS,
    "api": COMPILER
    | PHYSICS
    | {"functions", "program", "equations", "identification", "loads", "parallel", "chains"},
    "frameworks": PHYSICS | {"functions", "api"},
    "derivatives": COMPILER | {"program"},
    "jax": COMPILER | PHYSICS | {"program", "frameworks", "derivatives"},
    "torch": COMPILER | {"program", "frameworks", "derivatives"},
    "chains": COMPILER | PHYSICS | {"program"},
    "friction": COMPILER | PHYSICS | {"functions", "program", "api"},
    "contacts": COMPILER | PHYSICS | {"functions", "program", "api", "chains"},
    "simulation": COMPILER | PHYSICS | {"functions", "program", "api", "contacts"},
    "kinematics": COMPILER | PHYSICS | {"functions", "program", "api"},
    "trajectories": COMPILER | PHYSICS | {"functions", "program", "api", "kinematics"},
    "cordic": COMPILER | PHYSICS | {"program", "parallel", "api", "kinematics"},
    "control": COMPILER
    | PHYSICS
    | {"functions", "loads", "program", "drawing", "parallel", "api"}
    | {"simulation", "kinematics", "trajectories"},
    "report": COMPILER
    | PHYSICS
    | {"functions", "program", "drawing", "parallel", "api", "control", "cordic"}
    | {"simulation", "kinematics", "trajectories"},
    "export": COMPILER | PHYSICS | {"functions", "program", "parallel", "api", "cordic"},
    "cli": COMPILER
    | PHYSICS
    | {"functions", "program", "parallel", "api", "control", "report", "export"},
    "__main__": {"cli"},
}
FACADES = {"report", "cli", "__main__"}  # these may also ask the package for its public names
HEAVY = (
    "paraxis.parallel",
    "paraxis.hardware",
    "cupy",
    "plotly",
    "matplotlib",
    "scipy",
    "ortools",
    "torch",
    "jax",
    "casadi",
    "pinocchio",
    "yaml",
)


def modules():
    """(path below the package, part it belongs to) of every file."""
    for path in sorted(ROOT.rglob("*.py")):
        below = path.relative_to(ROOT)
        if below != Path("__init__.py"):
            yield below, below.parts[0].removesuffix(".py")


def imported(below, tree):
    """The parts of Paraxis a file imports, wherever the statement stands; "" is the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = []
            if node.level:
                package = ["paraxis", *below.parts[:-1]]
                package = package[: len(package) - node.level + 1]
            stem = [*package, *(node.module.split(".") if node.module else [])]
            names = [".".join(stem + [alias.name]) for alias in node.names]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if first == "paraxis":
                known = rest and ((ROOT / rest[0]).is_dir() or (ROOT / f"{rest[0]}.py").exists())
                yield rest[0] if known else ""


def parts_of(source, below="physics/x.py"):
    return sorted(imported(Path(below), ast.parse(source)))


def test_the_walker_sees_every_way_to_import():
    assert parts_of("from ..graph.node import Node") == ["graph"]
    assert parts_of("from .. import graph, scalar") == ["graph", "scalar"]
    assert parts_of("from . import newton_euler") == ["algorithms"]
    assert parts_of("import paraxis.graph.node as n, math") == ["graph"]
    assert parts_of("from paraxis import load") == [""]
    assert parts_of("def f():\n    from ..passes.count import count") == ["passes"]
    assert parts_of("from ...errors import X", "targets/cpu/x.py") == ["errors"]
    assert parts_of("from .. import cache", "targets/cpu/x.py") == ["backends"]
    assert parts_of("import numpy\nfrom math import pi") == []


@pytest.mark.parametrize(("below", "part"), list(modules()), ids=str)
def test_imports_flow_one_way(below, part):
    assert part in MAY_IMPORT, f"{part}: say in MAY_IMPORT what it may import"
    allowed = MAY_IMPORT[part] | {part} | ({""} if part in FACADES else set())
    found = set(imported(below, ast.parse((ROOT / below).read_text(encoding="utf-8"))))
    assert found <= allowed, f"{below} imports {sorted(found - allowed)}"


def test_the_layers_have_no_cycle():
    done = []
    while len(done) < len(MAY_IMPORT):
        ready = [p for p, below in MAY_IMPORT.items() if p not in done and below <= {*done}]
        assert ready, f"a cycle among {set(MAY_IMPORT) - set(done)}"
        done += ready


def test_algorithms_and_graphs_meet_only_above():
    """An algorithm knows no graph, and a graph no robot."""
    physics, graphs = {"robot", "algorithms"}, {"graph", "passes", "drivers", "backends"}
    for below, part in modules():
        found = set(imported(below, ast.parse((ROOT / below).read_text(encoding="utf-8"))))
        if part in physics | {"scalar", "spatial"}:
            assert not found & graphs, below
        if part in graphs | {"program"}:
            assert not found & physics, below


def test_importing_paraxis_is_light():
    code = f"import sys, paraxis; print([m for m in {HEAVY} if m in sys.modules])"
    here = os.environ | {"PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=here, check=True
    )
    assert done.stdout.strip() == "[]"


def test_no_module_takes_the_place_of_a_public_name():
    """Importing a submodule binds its name in the package, over a function of the same name."""
    source = """
        import contextlib, importlib, pkgutil, types, paraxis
        for found in pkgutil.walk_packages(paraxis.__path__, "paraxis."):
            if not found.name.endswith("__main__"):
                with contextlib.suppress(paraxis.MissingPackageError):
                    importlib.import_module(found.name)
        taken = [name for name in paraxis.__all__
                 if isinstance(getattr(paraxis, name), types.ModuleType)]
        assert not taken, taken
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT.parent)},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_missing_framework_says_what_to_install(framework):
    source = f"""
        import sys
        sys.modules["{framework}"] = None  # as if it were not there
        import paraxis
        try:
            import paraxis.{framework}
        except paraxis.MissingPackageError as error:
            assert "pip install 'paraxis[{framework}]'" in str(error), error
        else:
            raise AssertionError("expected an error")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT.parent)},
    )
    assert done.returncode == 0, done.stderr
