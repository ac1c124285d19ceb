"""The package beside the library: its version, and its use of public names."""

import ast
import importlib
import tomllib
from pathlib import Path
from types import ModuleType

import paraxis_papers

import paraxis as px

PAPERS = Path(paraxis_papers.__file__).resolve().parent
SPACES = [px, *(getattr(px, name) for name in dir(px) if type(getattr(px, name)) is ModuleType)]


def test_its_version_is_that_of_paraxis():
    project = tomllib.loads((PAPERS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == px.__version__
    assert f"paraxis[opt]=={px.__version__}" in project["dependencies"]


def imported():
    """(file, module of Paraxis, name) of every import of a name."""
    for path in sorted(PAPERS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "paraxis":
                module = importlib.import_module(node.module)
                yield from ((path.name, module, alias.name) for alias in node.names)


def test_public_names_are_used_where_there_are_any():
    assert len(SPACES) > 5
    found = list(imported())
    assert len(found) > 100
    for file, module, name in found:
        if module in SPACES:
            assert name in dir(module), f"{file}: {module.__name__}.{name} is not public"
            continue
        for space in SPACES:
            public = name in dir(space) and getattr(space, name) is getattr(module, name)
            assert not public, f"{file}: {module.__name__}.{name} is {space.__name__}.{name}"
