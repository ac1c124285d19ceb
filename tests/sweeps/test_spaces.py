"""Spaces: the values of a state depend on its place alone, however the space is cut."""

import pickle

import numpy as np
import pytest

import paraxis as px
from paraxis.sweeps.layout import Layout, layout_for

RANGES = {"a": (-1.0, 1.0), "b": ([0.0, 10.0, 20.0], [1.0, 11.0, 20.0])}


def whole(space):
    return space.values(tuple(slice(0, n) for n in space.shape))


@pytest.mark.parametrize("method", ["random", "latin_hypercube", "sobol"])
@pytest.mark.parametrize("states", [1, 7, 64])
def test_samples_depend_on_the_index_alone(method, states):
    pytest.importorskip("scipy")
    space = px.sweeps.sampled(100, method=method, seed=3, **RANGES)
    layout, expected = layout_for(space, states), whole(space)
    order = np.random.default_rng(0).permutation(layout.count).tolist()
    for number in order:
        region = layout.region(number)
        found = pickle.loads(pickle.dumps(space)).values(region)
        for name, values in found.items():
            assert values.tobytes() == np.ascontiguousarray(expected[name][region[0]]).tobytes()


@pytest.mark.parametrize("method", ["random", "latin_hypercube", "sobol"])
def test_samples_fill_their_ranges(method):
    pytest.importorskip("scipy")
    values = whole(px.sweeps.sampled(1024, method=method, **RANGES))
    assert values["a"].shape == (1024,) and values["b"].shape == (1024, 3)
    shares = [(values["a"] + 1) / 2, values["b"][:, 0], values["b"][:, 1] - 10]
    for share in shares:
        counts, _ = np.histogram(share, 16, (0, 1))
        assert counts.sum() == 1024 and abs(counts - 64).max() <= (40 if method == "random" else 1)
    assert (values["b"][:, 2] == 20).all()
    together = np.corrcoef(shares)
    assert abs(together - np.eye(3)).max() < 0.12
    if method == "sobol":  # whose dimensions are the same ones, shifted
        return
    other = whole(px.sweeps.sampled(1024, method=method, seed=1, **RANGES))
    assert abs(np.corrcoef(values["a"], other["a"])[0, 1]) < 0.12


def test_a_product_has_every_combination_once():
    space = px.sweeps.product(word=["x", "y"], k=[1, 2, 3], v=[[0.0, 1.0], [2.0, 3.0]])
    layout, seen = layout_for(space, 4), []
    assert layout.chunk[0] == 1  # one word at a time
    for number in range(layout.count):
        region = layout.region(number)
        values, index = space.values(region), space.index(region)
        assert isinstance(values["word"], str) and values["v"].shape == (len(index), 2)
        seen += [
            (int(i), values["word"], int(k), tuple(v))
            for i, k, v in zip(index, values["k"], values["v"], strict=True)
        ]
    assert [state[0] for state in sorted(seen)] == [*range(12)]
    assert [state[1:] for state in sorted(seen)] == [
        (word, k, v) for word in "xy" for k in (1, 2, 3) for v in ((0.0, 1.0), (2.0, 3.0))
    ]


def test_blocks_cover_every_state_once():
    for shape, chunk in (((7, 5), (3, 2)), ((10,), (4,)), ((2, 3, 4), (2, 3, 4))):
        layout, seen = Layout(shape, chunk), np.zeros(shape, int)
        for number in range(layout.count):
            assert layout.number(layout.place(number)) == number
            seen[layout.region(number)] += 1
        assert (seen == 1).all()


def test_chosen_blocks_have_about_as_many_states_as_asked_for():
    space = px.sweeps.product(a=range(40), b=range(100))
    for states in (1, 10, 100, 350, 4000, 10**9):
        layout = layout_for(space, states)
        assert min(states, 4000) / 3 < layout.states <= max(states, 1)


def test_mistakes_are_named():
    for wrong, message in (
        (lambda: px.sweeps.points(a=[1, 2], b=[1, 2, 3]), "expected as many values of each"),
        (lambda: px.sweeps.product(a=[1.0, np.nan]), "a: expected finite numbers"),
        (lambda: px.sweeps.product(**{"a b": [1]}), "expected a name of ASCII"),
        (lambda: px.sweeps.product(index=[1]), "expected a name of ASCII"),
        (lambda: px.sweeps.product(), "one variable or more"),
        (lambda: px.sweeps.sampled(10, a=(1.0, 0.0)), "the lowest first"),
        (lambda: px.sweeps.sampled(10, a=1.0), r"a: expected \(lowest, highest\)"),
        (lambda: px.sweeps.sampled(0, a=(0, 1)), "count: expected an integer >= 1"),
        (lambda: px.sweeps.sampled(3, method="sobl", a=(0, 1)), "did you mean 'sobol'"),
        (lambda: px.sweeps.sampled(10**9, method="latin_hypercube", a=(0, 1)), "too many"),
        (lambda: px.sweep(len, [1, 2], "x"), "space: expected a dict"),
    ):
        with pytest.raises(px.ArgumentError, match=message):
            wrong()


def test_limits_and_seeds_that_make_no_numbers_are_refused():
    with pytest.raises(px.ArgumentError, match="less than 1e308 apart"):
        px.sweeps.sampled(4, x=(-1e308, 1e308))
    with pytest.raises(px.ArgumentError, match="seed: expected an integer below"):
        px.sweeps.sampled(4, seed=2**128, x=(0, 1))
    with pytest.raises(px.ArgumentError, match="sobol: expected at most 21,201"):
        px.sweeps.sampled(4, method="sobol", x=(np.zeros(21_202), 1))
