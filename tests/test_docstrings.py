"""Docstrings of public names: examples that run, and every argument explained."""

import dataclasses
import doctest
import importlib
import inspect
import re
from types import ModuleType

import numpy as np
import pytest

import paraxis as px

OTHERS = [  # of optional packages
    f"paraxis.{package}.{name}"
    for package in ("jax", "torch")
    for name in ("function", "simulate", "solve", "tangent")
]
SLOW = (  # examples that take seconds
    "px.control.best_cut",
    "px.control.simulated_safe_period",
    "px.control.stability_atlas",
    "px.gym.functional",
    *OTHERS,
)


def public_names():
    """px.name and px.namespace.name."""
    spaces = [name for name in dir(px) if isinstance(getattr(px, name), ModuleType)]
    inner = [f"px.{space}.{name}" for space in spaces for name in dir(getattr(px, space))]
    return [*(f"px.{name}" for name in px.__all__), *inner]


def find(name):
    if name in OTHERS:
        package, _, name = name.rpartition(".")
        pytest.importorskip(package.removeprefix("paraxis."))
        return getattr(importlib.import_module(package), name)
    found = px
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


PUBLIC = [name for name in public_names() if callable(find(name))]
ERRORS = [
    name for name in PUBLIC if inspect.isclass(find(name)) and issubclass(find(name), BaseException)
]
FUNCTIONS = [name for name in PUBLIC if not inspect.isclass(find(name))]
CLASSES = [name for name in PUBLIC if inspect.isclass(find(name)) and name not in ERRORS]


class Numbers(doctest.OutputChecker):
    """The sign of a zero may differ from machine to machine."""

    def check_output(self, want, got, flags):
        want, got = (re.sub(r"-(0\.0*)(?=[\],\s)])", r"\1", text) for text in (want, got))
        return super().check_output(want, got, flags | doctest.NORMALIZE_WHITESPACE)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in SLOW else ())
        for name in [*PUBLIC, *OTHERS]
        if name not in ERRORS
    ],
)
def test_the_example_runs(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # some write files
    text = inspect.getdoc(find(name))
    for package in re.findall(r"^>>> import (jax|mujoco|pinocchio)$", text, re.M):
        pytest.importorskip(package)
    example = doctest.DocTestParser().get_doctest(text, {"np": np, "px": px}, name, None, None)
    assert example.examples, f"{name} has no example"
    said = []
    with np.printoptions(precision=3, suppress=True):
        doctest.DocTestRunner(Numbers()).run(example, out=said.append)
    assert not said, "".join(said)


def explained(text, heading=r"\*\*Arguments:\*\*\n\n"):
    """The names in the list behind a heading."""
    found = re.search(rf"{heading}((?:[- ].*\n?|\n(?=[- ]))*)", text)
    lines = re.findall(r"^- ((?:`\w+`(?:, |(?=:)))+)", found[1] if found else "", re.M)
    return re.findall(r"\w+", " ".join(lines))


@pytest.mark.parametrize("name", [*FUNCTIONS, *OTHERS])
def test_arguments_are_explained(name):
    arguments = list(inspect.signature(find(name)).parameters)
    listed = explained(inspect.getdoc(find(name)))
    if not name.startswith("px.math.") or listed:  # a line says it all of sin(x)
        assert sorted(listed) == sorted(arguments)


@pytest.mark.parametrize("name", CLASSES)
def test_arguments_and_fields_of_classes_are_explained(name):
    kind = find(name)
    text = inspect.getdoc(kind)
    if "**Arguments:**" in text:
        fields = list(inspect.signature(kind).parameters)
        assert sorted(explained(text)) == sorted(fields)
    elif dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind) if field.name[0] != "_"]
    else:
        fields = getattr(kind, "_fields", ())
    assert [field for field in fields if f"`{field}`" not in text] == []


@pytest.mark.parametrize("name", CLASSES)
def test_arguments_of_methods_are_explained(name):
    for method, value in vars(find(name)).items():
        function = getattr(value, "__func__", value)  # of class methods
        text = inspect.getdoc(function) or ""
        if method[0] != "_" and callable(function) and "**Arguments:**" in text:
            arguments = {*inspect.signature(function).parameters} - {"self", "cls"}
            assert sorted(explained(text)) == sorted(arguments), method
