"""Gradients of simulations, and environments for learning."""

from .text import machine, setting, span, times, with_notes

PEERS = {"balance": "CartPole-v1", "walk": "mujoco.rollout"}
CALLED = {
    "CartPole-v1": "gymnasium's CartPole-v1 in NumPy, Euler steps",
    "mujoco.rollout": "`mujoco.rollout`, the same robot, motors and feet",
}
ORDER = ("balance", "CartPole-v1", "reach", "walk", "mujoco.rollout")


def simulation_gradients(data):
    """One line per case: times over that of `px.simulate` with the same records."""
    rows = [["run", "gradient alone", "run and gradient"]]
    for row in data["rows"]:
        both = row["forward"] + row["gradient"]
        each = [f"{part / row['simulate']:.1f}×" for part in (row["gradient"], both)]
        rows.append([row["title"], *each])
    ratio = data["jax_scan"]["ratio"]
    note = (
        "Times divided by that of `px.simulate` with the same records. For 100 steps of 256 UR5, "
        f"JAX's own gradient of a `lax.scan` takes {ratio:.1f} times as long as ours"
        + (", so JAX is the faster one there." if ratio < 1 else ".")
    )
    return with_notes(
        rows,
        note,
        setting(
            "4,096 UR5 on a fixed base, 1,000 steps of 1 ms with torques per step; 1,024 legged "
            "robots on a floating base that stand under a PD law, 100 steps of 2 ms",
            f"as many threads as cores ({data['machine']['cores']})",
            "float64",
            "whole calls, median of 5, compiling excluded",
            machine(data),
            "command: `python benchmarks/simulation_gradients.py`",
        ),
    )


def environments(data):
    """One line per environment: its steps per second, over its peer's."""
    rows = [["thousand environment steps per second"]]
    rows[0] += [f"{row['robots']:,} robots" for row in data["rows"]]
    for name in ORDER:
        for kind in ("",) if name in CALLED else (" float64", " float32"):
            rows.append([CALLED.get(name, f"`{name}`,{kind}")])
            for row in data["rows"]:
                rate = row[name + kind]
                over = f" ({times(rate / row[PEERS[name]])})" if name in PEERS else ""
                rows[-1].append(f"{rate / 1e3:,.0f}{over}")
    return with_notes(
        rows,
        "In parentheses: the rate divided by that of the peer, which is the next line that names "
        "one. `reach` has no peer.",
        setting(
            "random actions, environments that end are reset",
            "calls of `env.step` from Python, their overhead included",
            f"as many threads as cores ({data['machine']['cores']}); CartPole-v1: 1",
            "`walk`: floating base, four steps of 5 ms per action",
            machine(data, "mujoco"),
            "command: `python benchmarks/environments.py`",
        ),
    )


def answer(gradients, learning):
    costs = [(row["forward"] + row["gradient"]) / row["simulate"] for row in gradients["rows"]]
    rows = learning["rows"]
    walk = [row["walk float32"] / row["mujoco.rollout"] for row in rows]
    balance = [row["balance float32"] / row["CartPole-v1"] for row in rows]
    return (
        f"A run and its gradient take {span(costs, '{:.1f}'.format)} times as long as the run. A "
        f"walking Go2 as an environment in float32 is {span(walk, times)} as fast as a loop over "
        f"`mujoco.rollout`; a cart-pole runs at {span(balance, times)} the rate of gymnasium's, "
        "which is written in NumPy."
    )


ANSWER = ("simulation_gradients", "environments"), answer
TABLES = {
    "simulation_gradients": ("simulation_gradients", simulation_gradients),
    "environments": ("environments", environments),
}
