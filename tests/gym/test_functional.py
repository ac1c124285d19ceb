"""px.gym.functional: the same numbers as px.gym.make, in jit, vmap and derivatives."""

import numpy as np
import pytest

import paraxis as px

jax = pytest.importorskip("jax")
pytest.importorskip("gymnasium")

import jax.numpy as jnp  # noqa: E402


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def robot(states, k=0):
    return jax.tree.map(lambda x: x[k], states)


@pytest.mark.parametrize("name", ["balance", "reach", "walk"])
def test_steps_are_those_of_the_vector_environment(name):
    functions = px.gym.functional(name)
    states = jax.vmap(functions.reset)(jax.random.split(jax.random.key(0), 6))
    env = px.gym.make(name, num_envs=6, autoreset_mode="Disabled")
    env.reset(seed=0)
    for key, array in states.begun.items():  # the same start
        env._begun[key][...] = array
    env.simulator.reset(env._begun["q"], env._begun["qd"], np.ones(6, bool))
    step, rng = jax.jit(jax.vmap(functions.step)), np.random.default_rng(1)
    for _ in range(8):
        actions = rng.uniform(-1.2, 1.2, (6, functions.actions))
        states, observation, reward, done = step(states, actions)
        found = env.step(actions)
        assert np.allclose(observation, found[0], 1e-6, 1e-6)
        assert np.allclose(reward, found[1], 0, 1e-9)
        assert np.array_equal(states.terminated, found[2])
        assert np.array_equal(done, found[2] | found[3])
    assert np.allclose(jax.vmap(functions.observe)(states), observation, 0, 1e-12)
    assert repr(functions) == (
        f"<functions of the task {name!r}: {functions.actions} actions, "
        f"{functions.observations} observations>"
    )


def test_episodes_are_random_and_end():
    functions = px.gym.functional("balance")
    states = jax.vmap(functions.reset)(jax.random.split(jax.random.key(1), 50))
    q = np.asarray(states.carried["q"])
    assert len(np.unique(q)) == 100 and 0.04 < abs(q).max() < 0.05

    def act(state, _):
        state, _, _, done = functions.step(state, jnp.ones(1))
        return state, (done, state.terminated, state.steps)

    _, (done, terminated, steps) = jax.lax.scan(act, robot(states), None, length=510)
    first = int(np.argmax(done))
    assert 5 < first < 60 and terminated[first] and steps[first] == first + 1
    assert done[499:].all()


def test_episodes_begin_again_where_one_wants():
    functions = px.gym.functional("balance")

    @jax.jit
    def roll(key):
        def act(carried, key):
            state, earned = carried
            state, _, reward, done = functions.step(state, jax.random.uniform(key, (1,)))
            new = functions.reset(key)
            state = jax.tree.map(lambda a, b: jnp.where(done, a, b), new, state)
            return (state, earned + reward), state.steps

        keys = jax.random.split(key, 200)
        return jax.lax.scan(act, (functions.reset(key), 0.0), keys)

    (_, earned), steps = jax.vmap(roll)(jax.random.split(jax.random.key(0), 4))
    assert (earned > 150).all() and ((steps == 0).sum(axis=1) > 2).all() and steps.max() < 60


def test_gradients_are_exact_without_ground():
    functions = px.gym.functional("reach")
    state = functions.reset(jax.random.key(0))

    def earned(action):
        after, _, reward, _ = functions.step(state, action)
        return reward + functions.step(after, 0.5 * action)[2]

    action = jnp.linspace(-0.4, 0.5, 6)
    found = jax.grad(earned)(action)
    eps = 1e-6
    expected = [
        (earned(action + eps * e) - earned(action - eps * e)) / (2 * eps) for e in np.eye(6)
    ]
    assert np.allclose(found, expected, 1e-6, 1e-8)


def test_on_the_ground_derivatives_go_forward_only():
    functions = px.gym.functional("walk")
    state = functions.reset(jax.random.key(0))
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(lambda action: functions.step(state, action)[2])(jnp.zeros(12))


def test_single_precision_is_close():
    double = px.gym.functional("reach")
    after = double.step(double.reset(jax.random.key(0)), jnp.ones(6))[1]
    assert after.dtype == jnp.float64
    jax.config.update("jax_enable_x64", False)
    single = px.gym.functional("reach")
    state = single.reset(jax.random.key(0))
    found = single.step(state, jnp.ones(6))[1]
    assert found.dtype == jnp.float32 and np.isfinite(found).all()
    env = px.gym.make("reach", num_envs=1)
    env.reset(seed=0)
    for key, array in state.begun.items():
        env._begun[key][...] = array
    env.simulator.reset(env._begun["q"], env._begun["qd"], np.ones(1, bool))
    assert np.allclose(found, env.step(np.ones((1, 6)))[0][0], 0, 1e-4)


def test_wrong_actions_are_refused():
    functions = px.gym.functional("balance")
    with pytest.raises(px.ArgumentError, match=r"action: expected shape \(1,\), found \(2,\)"):
        functions.step(functions.reset(jax.random.key(0)), jnp.zeros(2))
