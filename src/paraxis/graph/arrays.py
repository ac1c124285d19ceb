"""Arrays of traced scalars: what a user's own function is called with while it is traced.

They are NumPy's arrays of objects, one node per entry, so that arithmetic, broadcasting, slicing,
`@` and stacking are NumPy's own and mean what they mean for numbers. Wherever a function of a
user's is traced (`px.trace`, a controller of `px.simulate`, a trajectory of
`px.control.closed_loop`), it gets these arrays, and functions of robots return them.
"""

import numpy as np


def traced_array(scalars):
    """Nested lists of scalars as an array; a single scalar stays itself."""
    return np.array(scalars, dtype=object) if isinstance(scalars, (list, tuple)) else scalars


def on_arrays(function):
    """`function`, called with arrays in place of the nested lists that a trace has."""

    def called(**inputs):
        return function(**{name: traced_array(scalars) for name, scalars in inputs.items()})

    return called
