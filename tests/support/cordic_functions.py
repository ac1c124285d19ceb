"""Random functions made of all that a CORDIC unit can compute."""

import math
import random

import paraxis as px

NEW_NUMBERS = (
    lambda a, b, θ: [a * b],
    lambda a, b, θ: [a - b, 3.0 * a],
    lambda a, b, θ: [a * a + b * b - 0.7],
    lambda a, b, θ: [a / (b * b + 1.0)],
    lambda a, b, θ: [px.math.sqrt(a * a + b * b)],
    lambda a, b, θ: [px.math.sqrt(a * a + 2.0 * b * b + 0.1)],
    lambda a, b, θ: [px.math.sqrt(2.0 * a * a - b * b + 0.5)],  # where there is one
    lambda a, b, θ: [
        px.math.sqrt((a * a + 1.0) * (b * b + 0.3)),
        px.math.sqrt(b * b * b * b + 0.2),
    ],
    lambda a, b, θ: [px.math.sqrt((1.5 + px.math.cos(θ)) * (1.5 - px.math.cos(θ)))],
    lambda a, b, θ: [
        a * px.math.cos(θ) + b * px.math.sin(θ),
        b * px.math.cos(θ) - a * px.math.sin(θ),
    ],
)
NEW_ANGLES = (
    lambda a, b, θ, φ: [px.math.atan2(a, b)],
    lambda a, b, θ, φ: [math.pi - θ, θ - 1.0, -math.pi / 2 - φ],
    lambda a, b, θ, φ: [θ - φ],
    lambda a, b, θ, φ: [],
)


def random_function(seed):
    """Numbers and angles made of one another in all the ways there are."""
    rng = random.Random(seed)

    def function(x, q):
        numbers, angles = [*x, 0.3], list(q)
        for _ in range(rng.randint(3, 16)):
            (a, b), (θ, φ) = rng.sample(numbers, 2), rng.sample(angles, 2)
            numbers += rng.choice(NEW_NUMBERS)(a, b, θ)
            angles += rng.choice(NEW_ANGLES)(a, b, θ, φ)
        return {"numbers": numbers[-4:], "angles": [px.math.atan2(x[0], x[1]), *angles[-3:]]}

    return function
