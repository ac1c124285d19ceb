"""One textbook algorithm a file, over generic scalars. This table names them."""

from . import modified_newton_euler, newton_euler, spatial_newton_euler

# function -> algorithm name -> callable(model, q, qd, ...)
ALGORITHMS = {
    "inverse_dynamics": {
        "newton_euler": newton_euler.inverse_dynamics,
        "spatial": spatial_newton_euler.inverse_dynamics,
        "modified_newton_euler": modified_newton_euler.inverse_dynamics,
    },
}

# Those that use a body's inertia only about its frame's origin, so that masses may be regrouped.
ABOUT_ORIGIN = {"inverse_dynamics": ("spatial", "modified_newton_euler")}
