"""What a study is recognised by: everything that its function reads."""

import functools
import importlib
import random
import sys

import numpy as np
import pytest

import paraxis as px
from paraxis.sweeps.identity import Reading

pytest.importorskip("zarr")


def cached(k):
    return functools.lru_cache(lambda x: k * x)


def vectorized(k):
    return np.vectorize(lambda x: k * x)


def wrapper(k):
    class Wrapper:
        def __init__(self, function):
            functools.update_wrapper(self, function)
            self.function = function

        def __call__(self, x):
            return self.function(x)

    return Wrapper(lambda x: k * x)


def method_of(kind):
    def made(k):
        class Own:
            gain = kind(lambda *_: k)

            def __call__(self, x):
                return x

        return Own()

    return made


def bound(k):
    return {"x": k}.get


@pytest.mark.parametrize(
    "made",
    [
        cached,
        vectorized,
        wrapper,
        *map(method_of, (staticmethod, classmethod, property)),
        bound,
    ],
)
def test_what_a_function_is_wrapped_in_hides_nothing(made):
    assert Reading(made(1)).digest == Reading(made(1)).digest != Reading(made(2)).digest


def test_a_function_without_its_code_is_refused():
    with pytest.raises(px.ArgumentError, match="'ufunc'.*cannot be recognised"):
        Reading(np.frompyfunc(lambda x: x, 1, 1))
    assert Reading(np.add).digest == Reading(np.add).digest != Reading(np.subtract).digest


@pytest.mark.parametrize(
    "generator", [np.random.default_rng(0), np.random.RandomState(0), random.Random(0)]
)
def test_numbers_that_depend_on_what_was_drawn_before_are_refused(generator, tmp_path):
    with pytest.raises(px.ArgumentError, match="draw from the index of the states"):
        px.sweep(lambda x: x + generator.random(), {"x": np.arange(4.0)}, tmp_path / "s.zarr")
    with pytest.raises(px.ArgumentError, match="draw from the index of the states"):
        Reading(functools.partial(np.add, generator))


@pytest.mark.parametrize("first", [True, False])
def test_own_modules_belong_to_a_function(tmp_path, monkeypatch, first):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    top, inside = ("import own_gains\n", "") if first else ("", "    import own_gains\n")
    (tmp_path / "own_study.py").write_text(
        f"{top}def f(x):\n{inside}    return own_gains.scaled(x)\n"
    )

    def run(gain):
        text = f"GAIN = {gain}\ndef scaled(x):\n    return GAIN * x\n"
        (tmp_path / "own_gains.py").write_text(text)
        for name in ("own_study", "own_gains"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        f = importlib.import_module("own_study").f
        return px.sweep(f, {"x": np.arange(4.0)}, tmp_path / "s.zarr", block=2)

    run(2.0)
    run(2.0)  # goes on
    with pytest.raises(px.sweeps.StoreError, match="has changed"):
        run(3.0)
