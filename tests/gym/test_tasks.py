"""The tasks of px.gym, and custom tasks."""

import importlib.util
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import far_arrays
from support.far_arrays import FarArray, far

import paraxis as px

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "learn_a_policy.py"


# -- balance --------------------------------------------------------------------------------------


def test_the_cart_pole_is_that_of_gymnasium():
    """Barto, Sutton and Anderson's equations, as gymnasium writes them; its angle is ours."""
    robot = px.gym.balance().robot
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (2, 20, 2))
    force = rng.uniform(-10, 10, 20)
    total, length, pole, g = 1.1, 0.5, 0.1, 9.81
    sine, cosine = np.sin(q[:, 1]), np.cos(q[:, 1])
    temp = (force + pole * length * qd[:, 1] ** 2 * sine) / total
    turn = (g * sine - cosine * temp) / (length * (4 / 3 - pole * cosine**2 / total))
    slide = temp - pole * length * turn * cosine / total
    found = px.forward_dynamics(robot, q, qd, np.stack([force, 0 * force], -1))
    assert np.allclose(found, np.stack([slide, turn], -1), 1e-12)


def test_poles_stand_still_or_fall():
    env = px.gym.make("balance", num_envs=4, poles=2)
    assert env.reset(seed=0)[0].shape == (4, 8)
    count = 0
    while True:
        _, reward, terminated, *_ = env.step(np.zeros((4, 1)))
        count += 1
        if terminated.any():
            break
    assert 5 < count < 200 and 0.9 < reward.max() <= 1.0


def test_swinging_up_begins_below():
    env = px.gym.make("balance", num_envs=4, swing_up=True)
    observation, _ = env.reset(seed=0)
    assert (observation[:, 2] < -0.99).all()
    _, reward, terminated, *_ = env.step(np.zeros((4, 1)))
    assert not terminated.any() and (reward < 0.02).all()


# -- reach ----------------------------------------------------------------------------------------


def test_reaching_pays_by_distance():
    task = px.gym.reach()
    env = px.gym.make(task, num_envs=8, autoreset_mode="Disabled")
    observation, _ = env.reset(seed=0)
    for _ in range(task.max_steps):  # by the Jacobian
        jacobian = px.jacobian(task.robot, observation[:, :6])[:, 3:]
        away = observation[:, 15:]
        rates = np.stack([np.linalg.pinv(J, 0.05) @ x for J, x in zip(jacobian, away, strict=True)])
        observation, reward, terminated, truncated, _ = env.step(2.0 * rates)
        place = px.forward_kinematics(task.robot, env.simulator.state.q)[:, :3, 3]
        assert np.allclose(observation[:, 12:15], place, 0, 1e-6)
        assert not terminated.any()
    assert truncated.all()
    assert np.linalg.norm(observation[:, 15:], axis=1).max() < 0.03 and (reward > -0.04).all()


def test_other_arms_reach():
    env = px.gym.make("reach", num_envs=2, robot=px.robots.planar(3), posture=(0.5, 0.5, 0.5))
    assert env.reset(seed=1)[0].shape == (2, 12)
    with pytest.raises(px.ArgumentError, match="one degree of freedom"):
        px.gym.reach(px.load("go2", floating_base=True))


# -- walk -----------------------------------------------------------------------------------------


def test_a_go2_stands_or_falls():
    env = px.gym.make("walk", num_envs=8)
    observation, _ = env.reset(seed=0)
    assert np.allclose(observation[:, :3], [0, 0, -1], 0, 0.01)
    for _ in range(100):
        observation, reward, terminated, *_ = env.step(np.zeros((8, 12)))
        assert not terminated.any()
    state = env.simulator.state
    assert abs(state.qd).max() < 0.3 and (state.q[:, 2] > 0.28).all()
    assert np.allclose(observation[:, 3:9], state.qd[:, :6], 0, 1e-6)
    for _ in range(60):  # to one side
        action = np.tile([-1.0, 0.0, 1.0, 1.0, 1.0, -1.0], (8, 2))
        _, reward, terminated, *_ = env.step(action)
        if terminated.any():
            break
    assert terminated.any() and np.isfinite(reward).all()


def test_walking_is_the_same_alone_and_in_a_batch():
    task = replace(px.gym.walk(), max_steps=3)
    mine = px.gym.make(task, num_envs=3, autoreset_mode="SameStep")
    theirs = SyncVectorEnv(
        [lambda: px.gym.make_single(task)] * 3, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert np.array_equal(mine.reset(seed=1)[0], theirs.reset(seed=1)[0])
    rng = np.random.default_rng(0)
    for _ in range(8):
        actions = rng.uniform(-1, 1, (3, 12)).astype(np.float32)
        found, expected = mine.step(actions), theirs.step(actions)
        for a, b in zip(found[:4], expected[:4], strict=True):
            assert np.array_equal(a, b)


def test_bodies_and_ground_are_random():
    env = px.gym.make("walk", num_envs=4, randomize=True, autoreset_mode="Disabled")
    env.reset(seed=0)
    mass, friction = env.simulator.given["mass"].copy(), env.simulator.of_ground["friction"]
    assert mass.shape == (4, 13) and np.ptp(mass, axis=0).min() > 0
    assert ((friction > 0.5) & (friction < 1.1)).all() and len(np.unique(friction)) == 4
    env.step(np.zeros((4, 12)))
    env.reset(options={"reset_mask": np.array([True, False, False, False])})
    after = env.simulator.given["mass"]
    assert not (after[0] == mass[0]).any() and np.array_equal(after[1:], mass[1:])


# -- one's own ------------------------------------------------------------------------------------


class Servo:
    """A controller with memory, and with a setting that an episode begins with."""

    def __init__(self):
        self.memory = {"sum": np.zeros(2)}

    def __call__(self, t, q, qd, memory, u, gain):
        total = memory["sum"] + (u - q) * 0.01
        return gain * (u - q) - 3 * qd + 5 * total, {"sum": total}


def own(**changes):
    def start(draws):
        return {
            "q": draws.uniform(-1, 1, 2),
            "gain": draws.uniform(10, 20),
            "goal": draws.uniform(),
        }

    given = {
        "robot": px.robots.planar(2).with_gravity((0.0, 0.0, 0.0)),
        "dt": 0.01,
        "controller": Servo(),
        "actions": 2,
        "start": start,
        "observe": lambda now: np.append(now.memory["sum"], [now.t, now.goal, now.gain]),
        "reward": lambda now: now.action[0] - 10 * now.last_action[0],
        "terminated": lambda now: now.t > 0.1 + now.goal,
        "decimation": 3,
        "max_steps": None,
    }
    return px.gym.Task(**given | changes)


def test_a_task_of_ones_own():
    env = px.gym.make(own(), num_envs=5)
    first, _ = env.reset(seed=0)
    goal, gain = first[:, 3], first[:, 4]
    assert (first[:, :3] == 0).all() and (goal > 0).all() and (gain > 10).all()
    state = env.simulator.state.copy()
    actions = np.array([0.1, 0.2, 0.5])[:, None, None] * np.ones((5, 2))
    actions[1] = 3.0  # more than is allowed
    rewards, total = [], np.zeros((5, 2))
    for action in actions:
        observation, reward, *_ = env.step(action)
        rewards.append(reward)
    assert np.allclose(rewards, np.array([0.1, 1 - 1, 0.5 - 10])[:, None])
    q, qd = state.q, state.qd
    for action in np.clip(actions, -1, 1):
        for _ in range(3):
            total = total + (action - q) * 0.01
            tau = gain[:, None] * (action - q) - 3 * qd + 5 * total
            run = px.simulate(env.task.robot, q, qd, tau, dt=0.01, steps=1)
            q, qd = run.q[-1], run.qd[-1]
    assert np.allclose(env.simulator.state.q, q, 0, 1e-6)
    assert np.allclose(observation[:, :2], total, 0, 1e-6)
    assert np.allclose(observation[:, 2], 0.09)
    ends = np.zeros(5)
    for k in range(4, 60):
        _, _, terminated, truncated, _ = env.step(actions[0])
        assert not truncated.any()
        ends = np.where((ends == 0) & terminated, k, ends)
    assert np.array_equal(ends, np.floor((0.1 + goal) / 0.03) + 1)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"dt": 0.0}, "dt: expected a number > 0"),
        ({"decimation": 0}, "decimation: expected an integer >= 1"),
        ({"reward": 3.0}, "reward: expected a function, found float"),
        ({"method": "adaptive"}, "tasks have fixed steps"),
        ({"start": lambda draws: draws.uniform(0, 1, 2)}, "start: expected a dict"),
        ({"start": lambda draws: {"q": np.zeros(3)}}, r"expected q of shape \(2,\), found \(3,\)"),
        ({"start": lambda draws: {"q": np.zeros(2), "t": 0.0}}, "t has a meaning of its own"),
        ({"reward": lambda now: now.q}, r"reward: expected a single number, found shape \(2,\)"),
        ({"observe": lambda now: np.eye(2)}, "observe: expected an array of one axis"),
        ({"reward": lambda now: None}, "reward: expected numbers, found None"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(changes, message):
    with pytest.raises(px.ArgumentError, match=message):
        px.gym.make(own(**changes)).reset()


def test_values_that_change_after_tracing_are_mentioned():
    scale = [1.0]
    env = px.gym.make(own(reward=lambda now: scale[0] * now.action[0]), num_envs=2)
    env.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(np.ones((2, 2)))
    scale[0] = 5.0
    with pytest.warns(px.SimulationWarning, match="that reward read has changed"):
        assert np.allclose(env.step(np.ones((2, 2)))[1], 1.0)
    again = px.gym.make(own(reward=lambda now: scale[0] * now.action[0]), num_envs=2)
    again.reset(seed=0)
    assert np.allclose(again.step(np.ones((2, 2)))[1], 5.0)


def test_rewards_that_are_not_finite_are_mentioned_once():
    env = px.gym.make(own(reward=lambda now: np.sqrt(-1.0 - now.q[0] * now.q[0])), num_envs=3)
    with pytest.warns(px.SimulationWarning, match="reward of 3 of 3 robots is not finite"):
        env.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert env.step(np.zeros((3, 2)))[4]["failed"].all()


def test_a_moment_has_no_other_attributes():
    with pytest.raises(AttributeError, match="a moment has no 'velocity', only qd, q, gain"):
        px.gym.make(own(reward=lambda now: now.velocity))


# -- where arrays are -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_arrays_stay_on_a_stand_in_for_a_gpu(mode, monkeypatch):
    def rolled(like, actions, of):
        env = px.gym.make(own(), num_envs=3, autoreset_mode=mode, like=like)
        env.reset(seed=0)
        seen = []
        for action in actions:
            found = env.step(of(action))
            seen.append(found)
            if mode == "Disabled" and np.asarray(found[2]).any():
                env.reset(options={"reset_mask": found[2]})
        return seen

    actions = np.random.default_rng(0).uniform(-1, 1, (60, 3, 2)).astype(np.float32)
    near = rolled(None, actions, lambda action: action)
    far_arrays.use(monkeypatch)
    there = rolled(far(np.zeros(1)), actions, far)
    assert sum(found[2].sum() for found in near) > 3
    for mine, theirs in zip(there, near, strict=True):
        for a, b in zip(mine[:4], theirs[:4], strict=True):
            assert isinstance(a, FarArray) and a.dtype == b.dtype
            assert np.allclose(np.array(a, float), np.array(b, float), 0, 1e-6)


# -- learning -------------------------------------------------------------------------------------


@pytest.mark.parametrize("task, generations", [("balance", 12), ("reach", 25)])
def test_a_policy_learns(task, generations, capsys):
    spec = importlib.util.spec_from_file_location("learn_a_policy", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    chance, learnt = example.main(task, generations)
    assert "random actions earn" in capsys.readouterr().out
    assert learnt > 5 * chance if chance > 0 else learnt > 0.6 * chance


@pytest.mark.parametrize("name", ["start", "observe", "reward"])
def test_random_numbers_of_python_are_refused(name):
    """They would be drawn once, and be the same in every episode."""
    task, rng = px.gym.balance(), np.random.default_rng(0)
    wrong = {
        "start": lambda draws: {"q": rng.uniform(-0.1, 0.1, 2)},
        "observe": lambda now: now.q + rng.normal(size=2),
        "reward": lambda now: now.q[0] * rng.normal(),
    }
    with pytest.raises(px.ArgumentError, match=f"{name}.*different when called again"):
        px.gym.make(replace(task, **{name: wrong[name]}))
