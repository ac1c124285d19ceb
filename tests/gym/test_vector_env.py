"""px.gym.make against gymnasium's own SyncVectorEnv, its checks and its wrappers."""

from dataclasses import replace

import numpy as np
import pytest
from support.processes import script

import paraxis as px

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv  # noqa: E402
from gymnasium.wrappers.vector import (  # noqa: E402
    NormalizeObservation,
    RecordEpisodeStatistics,
)

MODES = [mode.value for mode in AutoresetMode]
CART = replace(px.gym.balance(), max_steps=30)


def short(robots, mode="NextStep", **options):
    return px.gym.make(CART, num_envs=robots, autoreset_mode=mode, **options)


def same(mine, theirs):
    """Whether two infos, observations, ... are equal, in types as well."""
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys()
        for name in theirs:
            same(mine[name], theirs[name])
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert mine.dtype == object and mine.shape == theirs.shape
        for a, b in zip(mine, theirs, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                same(a, b)
    else:
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("mode", MODES)
def test_all_modes_are_those_of_gymnasium(mode):
    robots = 7
    mine = short(robots, mode)
    theirs = SyncVectorEnv(
        [lambda: px.gym.make_single(CART)] * robots, autoreset_mode=AutoresetMode(mode)
    )
    for name in ("observation_space", "action_space", "single_observation_space"):
        assert getattr(mine, name) == getattr(theirs, name)
    assert mine.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    for a, b in zip(mine.reset(seed=3), theirs.reset(seed=3), strict=True):
        same(a, b)
    rng, ends, limits = np.random.default_rng(0), 0, 0
    for _ in range(100):
        actions = rng.uniform(-1, 1, (robots, 1)) + np.linspace(-1, 1, robots)[:, None]
        actions = actions.astype(np.float32)
        found, expected = mine.step(actions), theirs.step(actions)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
        over = found[2] | found[3]
        ends, limits = ends + found[2].sum(), limits + found[3].sum()
        if mode == "Disabled" and over.any():
            for a, b in zip(
                mine.reset(options={"reset_mask": over}),
                theirs.reset(options={"reset_mask": over.copy()}),
                strict=True,
            ):
                same(a, b)
    assert ends > 10 and limits > 1


def test_the_last_observation_is_not_lost():
    env = short(16, "SameStep")
    env.reset(seed=0)
    for _ in range(30):
        observation, _, terminated, truncated, infos = env.step(np.ones((16, 1), np.float32))
        over = terminated | truncated
        if over.any():
            assert np.array_equal(infos["_final_obs"], over)
            for k in np.flatnonzero(over):
                last = infos["final_obs"][k]
                assert last.dtype == np.float32 and env.single_observation_space.contains(last)
                assert abs(np.arctan2(last[1], last[2])) > 0.25 > abs(observation[k, 1])
    assert over.sum() < 16


def rolled(env, seed, steps=50, actions=0.7):
    """Observations of a run, that of the reset as the first."""
    seen = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        seen.append(env.step(np.full((env.num_envs, 1), actions, np.float32))[0])
    return np.array(seen)


def test_seeds_decide_and_nothing_else():
    first = rolled(short(9), 4)
    again = short(9)
    assert np.array_equal(rolled(again, 4), first)
    assert np.array_equal(rolled(again, 4), first)  # whatever was before
    assert np.array_equal(rolled(short(3), 6), first[:, 2:5])  # robot k has seed + k
    assert np.array_equal(rolled(short(3), [6, 4, 4]), first[:, [2, 0, 0]])
    assert not np.array_equal(rolled(short(9), 5), first)
    one = px.gym.make_single(CART)
    assert np.array_equal(one.reset(seed=4)[0], first[0, 0])


def test_without_a_seed_episodes_go_on_and_differ():
    env = short(4)
    first = env.reset(seed=1)[0]
    second = env.reset()[0]
    assert not np.isclose(first, second).all(axis=1).any()
    both = env.reset(seed=1)[0], env.reset()[0]
    assert np.array_equal(both[0], first) and np.array_equal(both[1], second)
    assert not np.array_equal(short(4).reset()[0], short(4).reset()[0])


def test_masks_leave_others_alone():
    env = short(6, "Disabled")
    rolled(env, 0, 5)
    before = env.simulator.state.copy()
    mask = np.arange(6) % 2 == 0
    observation, infos = env.reset(seed=11, options={"reset_mask": mask})
    state = env.simulator.state
    assert infos == {}
    assert np.array_equal(state.q[~mask], before.q[~mask])
    assert np.array_equal(observation[mask], short(6).reset(seed=11)[0][mask])


def test_observations_are_the_callers_own():
    env = short(3)
    first, _ = env.reset(seed=0)
    kept = first.copy()
    env.step(np.ones((3, 1), np.float32))
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("task", ["balance", "reach"])
def test_gymnasium_checks_a_single_one(task):
    check_env(px.gym.make_single(task), skip_render_check=True)


def test_wrappers_of_gymnasium_fit():
    env = NormalizeObservation(RecordEpisodeStatistics(short(8, "NextStep")))
    assert isinstance(env.unwrapped, VectorEnv)
    env.reset(seed=0)
    lengths = []
    for _ in range(70):
        *_, infos = env.step(env.action_space.sample())
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert len(lengths) > 8 and max(lengths) <= 30


def test_float32_is_close():
    double, single = (rolled(short(5, dtype=each), 2, 20) for each in ("float64", "float32"))
    assert single.dtype == double.dtype == np.float32
    assert 0 < abs(double - single).max() < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_a_state_that_is_not_finite_ends_its_episode_only(mode):
    env, undisturbed = short(4, mode), short(4, mode)
    env.reset(seed=0), undisturbed.reset(seed=0)
    env.simulator.state.qd[2] = np.nan
    actions = np.zeros((4, 1), np.float32)
    found, expected = env.step(actions), undisturbed.step(actions)
    others = [0, 1, 3]
    assert found[2].tolist() == [False, False, True, False]
    for a, b in zip(found[:4], expected[:4], strict=True):
        assert np.isfinite(a).all() and np.array_equal(a[others], b[others])
    infos = found[4]["final_info"] if mode == "SameStep" else found[4]
    assert infos["failed"].tolist() == infos["_failed"].tolist() == [False, False, True, False]
    if mode == "Disabled":
        env.reset(options={"reset_mask": infos["failed"]})
    observation, _, terminated, *_ = env.step(actions)
    assert not terminated.any() and observation[2].any()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: px.gym.make("balanc"), "did you mean 'balance'"),
        (lambda: px.gym.make(CART, num_envs=0), "num_envs: expected an integer >= 1"),
        (lambda: px.gym.make(CART, poles=2), "poles is an option of tasks"),
        (lambda: short(2, "Never"), "autoreset_mode: expected one of 'NextStep', 'SameStep'"),
        (lambda: short(2).step(np.zeros((2, 1))), "call reset first"),
        (lambda: short(2).reset(seed=-1), "seed: expected integers from 0"),
        (lambda: short(2).reset(seed=1.5), "seed: expected an integer or a list"),
        (lambda: short(2).reset(seed=[1, 0.5]), "seed: expected integers from 0"),
        (lambda: short(2).reset(seed=[1]), "seed: expected 2 seeds, found 1"),
        (lambda: short(2).reset(options={"low": 0.0}), "expected only 'reset_mask', found 'low'"),
        (lambda: short(2).reset(options={"reset_mask": np.ones(2)}), "reset_mask: expected bool"),
        (
            lambda: short(2).reset(options={"reset_mask": np.array([True, False])}),
            "the first reset must be of all",
        ),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(px.ArgumentError, match=message):
        call()


def test_wrong_actions_and_ended_episodes_are_refused():
    env = short(2, "Disabled")
    env.reset(seed=0)
    with pytest.raises(px.ArgumentError, match=r"actions: expected shape \(2, 1\), found \(1, 1\)"):
        env.step(np.zeros((1, 1)))
    with pytest.raises(px.ArgumentError, match=r"episodes have ended \(1\) .*; call reset\("):
        for _ in range(31):
            env.step(np.ones((2, 1)))
    many = short(9, "Disabled")
    many.reset(seed=0)
    many.simulator.state.qd[...] = np.nan
    many.step(np.zeros((9, 1)))
    with pytest.raises(px.ArgumentError, match=r"\(0, 1, 2, 3, 4, \.\.\.\)"):
        many.step(np.zeros((9, 1)))


def test_without_gymnasium_the_error_says_what_to_install():
    script("""
        import sys
        sys.modules["gymnasium"] = None  # as if it were not there
        import paraxis as px
        assert px.gym.balance().actions == 1
        try:
            px.gym.make("balance")
        except px.MissingPackageError as error:
            assert "pip install 'paraxis[gym]'" in str(error), error
        else:
            raise AssertionError("expected an error")
    """)
