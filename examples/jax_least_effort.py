"""The motion between two postures that takes the least torque, found by gradients through JAX.

A motion is a smooth step plus a few polynomials that vanish at both ends, with their slopes. The
torques along it are one call on a batch of states; JAX differentiates the cost with respect to the
coefficients, by the Program that pulls torques' weights back to positions, rates and accelerations.
"""

import time

import jax
import jax.numpy as jnp
import numpy as np
from numpy.polynomial import Polynomial

import paraxis as px
import paraxis.jax as pj

DURATION, SAMPLES, SHAPES, STEPS = 1.0, 100, 4, 300


def samples(polynomial):
    """Its values and first two time derivatives along the motion."""
    s = np.linspace(0, 1, SAMPLES)
    return [polynomial.deriv(k)(s) / DURATION**k for k in range(3)]


def main():
    robot = px.load("ur5")
    start = np.array([0.0, -0.3, 0.9, 0.0, 0.5, 0.0])
    goal = np.array([1.5, -1.2, 1.8, 1.0, -0.5, 2.0])
    step = Polynomial([0, 0, 0, 10, -15, 6])  # from 0 to 1, at rest at both ends
    ends = Polynomial([0, 1, -1]) ** 3
    bumps = [samples(ends * Polynomial.basis(k)) for k in range(SHAPES)]
    direct = np.multiply.outer(samples(step), goal - start)  # (3, samples, joints)
    direct[0] += start
    bumps = np.moveaxis(bumps, 0, -1)  # (3, samples, shapes)

    def torques(coefficients):
        q, qd, qdd = direct + bumps @ coefficients
        return pj.inverse_dynamics(robot, q, qd, qdd)

    def effort(coefficients):
        return jnp.mean(torques(coefficients) ** 2)

    @jax.jit
    def improve(coefficients):
        """Steepest descent with momentum."""

        def one(carry, _):
            at, speed = carry
            value, slope = jax.value_and_grad(effort)(at)
            speed = 0.9 * speed - 2e-2 * slope
            return (at + speed, speed), value

        return jax.lax.scan(one, (coefficients, jnp.zeros_like(coefficients)), length=STEPS)

    begin = jnp.zeros((SHAPES, robot.n))
    (found, _), values = jax.block_until_ready(improve(begin))  # compiles
    started = time.perf_counter()
    jax.block_until_ready(improve(begin))
    each = (time.perf_counter() - started) / STEPS
    for name, at in (("straight in joint space", begin), ("after descent", found)):
        tau = torques(at)
        print(
            f"{name:24} mean square torque {float(effort(at)):7.1f} N²m², "
            f"largest {float(abs(tau).max()):5.1f} N·m"
        )
    assert values[-1] < values[0]
    print(f"{STEPS} gradients over {SAMPLES} states each, {each * 1e6:.0f} µs a gradient")


if __name__ == "__main__":
    main()
