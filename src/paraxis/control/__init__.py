"""Controllers that use stale data, their closed loops, and the periods at which these are safe."""

from ..later import namespace

_NAMES = {
    "ClosedLoop": "sampled_control",
    "Controller": "controller",
    "Cut": "stale_policies",
    "SafePeriod": "safe_periods",
    "best_cut": "tradeoff.best_cut",
    "closed_loop": "sampled_control",
    "computed_torque": "controller",
    "feed_forward": "controller",
    "pd": "controller",
    "policies": "stale_policies",
    "policy": "stale_policies",
    "safe_period": "safe_periods",
    "simulated_safe_period": "simulated_period",
    "speculate": "speculation",
    "stability_atlas": "atlas.atlas",
    "stale_data_tradeoff": "tradeoff.tradeoff",
    "threaded_loop": "threads_in_step",
    "unsynchronised": "decoupled.scheme",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
