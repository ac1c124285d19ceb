"""A function that is small enough to read in every language."""

import paraxis as px


def swing(q, k):
    return {"tau": [px.math.sin(q[1]) * k + 0.5, px.math.cos(q[1]) * -9.81]}
