"""Policies that learn by evolution strategies, with NumPy alone, on the CPU.

    python examples/learn_a_policy.py                     # a cart balances a pole: seconds
    python examples/learn_a_policy.py reach               # an arm reaches for points: seconds
    python examples/learn_a_policy.py walk                # a Go2 walks: about half a minute

The policy is linear, action = tanh(W x + b), of observations x that are scaled by how much they
vary. In each generation every robot tries other random changes of W and b, and these are then moved
along those that earned most. `walk` needs the package example-robot-data, which has the robot.
"""

import sys
import time

import numpy as np

import paraxis as px

ROBOTS = 256
PLANS = {  # generations, steps, how far weights are changed to try, and how far they are moved
    "balance": (20, 500, 0.3, 0.1),
    "reach": (300, 100, 0.05, 0.03),
    "walk": (200, 250, 0.05, 0.02),
}


def act(weights, x):
    """Actions of all robots, each with weights of its own (robots, actions, x and 1), or shared."""
    x = np.append(x, np.ones((len(x), 1), x.dtype), axis=1)
    return np.tanh((weights @ x[:, :, None])[:, :, 0])


def episodes(env, policy, steps, seed):
    """The sum of rewards of each robot's first episode, and what was observed."""
    observation, _ = env.reset(seed=seed)
    total, going, seen = np.zeros(env.num_envs), np.ones(env.num_envs, bool), []
    for _ in range(steps):
        seen.append(observation[going])
        observation, reward, terminated, truncated, _ = env.step(policy(observation))
        total += reward * going
        going &= ~(terminated | truncated)
        if not going.any():
            break
    return total, np.concatenate(seen)


def learn(env, generations, steps, change, rate, rng):
    """W and b beside each other, and mean and spread of observations, as a policy uses them."""
    shape = env.single_action_space.shape[0], env.single_observation_space.shape[0] + 1
    weights, speed, square = (np.zeros(shape, np.float32) for _ in range(3))
    count, mean, spread = 1e-4, np.zeros(shape[1] - 1), np.ones(shape[1] - 1)
    for k in range(1, generations + 1):
        half = rng.standard_normal((env.num_envs // 2, *shape), np.float32)
        tried = weights + change * np.concatenate([half, -half])  # pairs of opposite changes
        scaled = np.float32(mean), np.float32(spread)
        earned, seen = episodes(
            env, lambda x, w=tried, s=scaled: act(w, (x - s[0]) / s[1]), steps, 1000 * k
        )
        rank = earned.argsort().argsort() / (env.num_envs - 1)
        slope = np.tensordot(rank[: len(half)] - rank[len(half) :], half, 1) / len(half)
        speed, square = 0.9 * speed + 0.1 * slope, 0.99 * square + 0.01 * slope**2  # Adam
        step = speed / (1 - 0.9**k) / (np.sqrt(square / (1 - 0.99**k)) + 1e-8)
        weights = weights + rate * step.astype(np.float32)
        share = len(seen) / (count + len(seen))
        variance = (1 - share) * (spread**2 + share * (seen.mean(0) - mean) ** 2)
        variance += share * seen.var(0)
        mean = mean + share * (seen.mean(0) - mean)
        count, spread = count + len(seen), np.sqrt(np.maximum(variance, 1e-4))
        if k in (1, generations // 2, generations):
            print(f"generation {k:3}: {earned.mean():8.1f} on average, {earned.max():8.1f} at best")
    return weights, np.float32(mean), np.float32(spread)


def main(task="balance", generations=None):
    """(return of random actions, return of the policy)"""
    most, steps, change, rate = PLANS[task]
    generations = generations or most
    env, rng = px.gym.make(task, num_envs=ROBOTS, dtype="float32"), np.random.default_rng(0)
    begin = time.perf_counter()
    weights, mean, spread = learn(env, generations, steps, change, rate, rng)
    passed = time.perf_counter() - begin
    count = env.action_space.shape
    chance, _ = episodes(env, lambda x: rng.uniform(-1, 1, count), steps, seed=1)
    learnt, _ = episodes(env, lambda x: act(weights, (x - mean) / spread), steps, seed=1)
    print(f"{task}: {generations} generations of {ROBOTS} robots in {passed:.1f} s")
    print(f"random actions earn {chance.mean():.1f}, the policy {learnt.mean():.1f} per episode")
    return chance.mean(), learnt.mean()


if __name__ == "__main__":
    main(*sys.argv[1:2])
