"""One arm computes its torques from fresh data, the others from stale data: one of them is lost."""

import sys

import numpy as np

import paraxis as px

robot = px.load("ur5")
rest = np.array([0.0, -1.2, 1.5, -0.3, 0.5, 0.0])
period, runs = 0.03, []
for policy in ("exact", "hamilton", "binder_herzog"):
    law = px.control.computed_torque(robot, kp=16, kd=8, policy=policy)
    safe = px.control.safe_period(robot, law, rest).period
    loop = px.control.closed_loop(
        robot, law, rest, period, q0=rest + 0.2, duration=3.0, record=("q",)
    )
    runs.append(loop.q)
    print(f"{policy:14} safe up to {safe * 1e3:5.1f} ms, sampled every {period * 1e3:.0f} ms")
q = np.stack([np.where(np.isfinite(each), each, np.nan) for each in runs], 1)
px.show(robot, q, loop.t, title="Current and stale data", open=False).to_html(
    sys.argv[1] if len(sys.argv) > 1 else "stale.html"
)
