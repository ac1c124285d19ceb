"""Docstrings of the functions that PyTorch and JAX share: each has an example of its own."""

import inspect
from collections.abc import Callable


def described(function: Callable, framework: str) -> Callable:
    """The function as one of paraxis.torch or paraxis.jax."""
    name = function.__name__
    function.__module__, function.__qualname__ = f"paraxis.{framework}", name
    function.__doc__ = (
        f"{inspect.cleandoc(function.__doc__ or '')}\n\nArrays are those of {framework}.\n\n"
        f"**Example:**\n{EXAMPLES[framework, name]}"
    )
    return function


EXAMPLES = {
    ("jax", "tangent"): """
>>> import jax
>>> import paraxis.jax
>>> brick = px.robots.Inertia(1.0, (0.1, 0.0, 0.0), (0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
>>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
>>> def energy(q):
...     return paraxis.jax.potential_energy(robot, q)
...
>>> q = jax.numpy.array(px.neutral(robot))
>>> jax.grad(paraxis.jax.tangent(robot, energy))(jax.numpy.zeros(6), q)  # N, then N m
Array([ 0.   ,  0.   ,  9.81 ,  0.   , -0.981,  0.   ], dtype=float32)
""",
    ("jax", "simulate"): """
>>> import jax
>>> import paraxis.jax
>>> robot = px.robots.planar(1)
>>> def end(tau):
...     q, qd = paraxis.jax.simulate(robot, [0.0], [0.0], tau, dt=0.01, steps=50)
...     return q[-1, 0]
...
>>> tau = jax.numpy.array([4.0])
>>> end(tau), jax.grad(end)(tau)  # rad, rad per N m
(Array(-0.332, dtype=float32), Array([0.36], dtype=float32))
""",
    ("jax", "solve"): """
>>> import jax
>>> import paraxis.jax
>>> def cost(q, qd, u, goal):
...     return (q - goal) @ (q - goal) + 0.01 * u @ u
...
>>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
>>> solver = px.optimal_control(robot, cost, 20, dt=0.05, parameters={"goal": 1})
>>> def best(goal):
...     return paraxis.jax.solve(solver, jax.numpy.zeros(2), goal=goal)[2]
...
>>> jax.grad(best)(jax.numpy.array([0.5]))  # of the least cost
Array([5.207], dtype=float32)
""",
    ("torch", "tangent"): """
>>> import torch
>>> import paraxis.torch
>>> brick = px.robots.Inertia(1.0, (0.1, 0.0, 0.0), (0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
>>> robot = px.Robot("brick", [px.robots.Joint("base", "free")], [brick])
>>> def energy(q):
...     return paraxis.torch.potential_energy(robot, q)
...
>>> v = torch.zeros(6, dtype=torch.float64, requires_grad=True)
>>> q = torch.tensor(px.neutral(robot))
>>> paraxis.torch.tangent(robot, energy)(v, q).backward()
>>> v.grad  # N, then N m
tensor([ 0.0000,  0.0000,  9.8100,  0.0000, -0.9810,  0.0000],
       dtype=torch.float64)
""",
    ("torch", "simulate"): """
>>> import torch
>>> import paraxis.torch
>>> robot = px.robots.planar(1)
>>> start = torch.zeros(1, dtype=torch.float64)
>>> tau = torch.tensor([4.0], dtype=torch.float64, requires_grad=True)
>>> q, qd = paraxis.torch.simulate(robot, start, start, tau, dt=0.01, steps=50)
>>> q[-1, 0].backward()
>>> tau.grad  # rad per N m
tensor([0.3598], dtype=torch.float64)
""",
    ("torch", "solve"): """
>>> import torch
>>> import paraxis.torch
>>> def cost(q, qd, u, goal):
...     return (q - goal) @ (q - goal) + 0.01 * u @ u
...
>>> robot = px.robots.planar(1).with_gravity([0, 0, 0])
>>> solver = px.optimal_control(robot, cost, 20, dt=0.05, parameters={"goal": 1})
>>> goal = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
>>> xs, us, least, solved = paraxis.torch.solve(solver, torch.zeros(2).double(), goal=goal)
>>> least.backward()
>>> goal.grad  # of the least cost
tensor([5.2075], dtype=torch.float64)
""",
}
