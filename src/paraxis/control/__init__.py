"""Controllers with memory; stale-data controllers, their closed loops, and safe periods."""

from ..later import namespace

_NAMES = {
    "ClosedLoop": "sampled_control",
    "Controller": "controller",
    "Cut": "stale_policies",
    "DelayLine": "laws.filters",
    "Derivative": "laws.filters",
    "Law": "laws.law",
    "LinearFilter": "laws.filters",
    "LowPass": "laws.filters",
    "PID": "laws.pid",
    "SafePeriod": "safe_periods",
    "best_cut": "tradeoff.best_cut",
    "closed_loop": "sampled_control",
    "computed_torque": "controller",
    "delayed": "laws.rates",
    "feed_forward": "controller",
    "measured": "laws.measured",
    "motor": "laws.actuators",
    "pd": "controller",
    "policies": "stale_policies",
    "policy": "stale_policies",
    "position_servo": "laws.actuators",
    "safe_period": "safe_periods",
    "sampled": "laws.rates",
    "simulated_safe_period": "simulated_period",
    "speculate": "speculation",
    "stability_atlas": "atlas.atlas",
    "stale_data_tradeoff": "tradeoff.tradeoff",
    "threaded_loop": "threads_in_step",
    "tracking": "laws.tracking",
    "unsynchronised": "decoupled.scheme",
    "velocity_servo": "laws.actuators",
    "with_data": "laws.law",
    "with_memory": "laws.law",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)
