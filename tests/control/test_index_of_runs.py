"""Random numbers of closed loops by the index of a run in a larger study."""

import numpy as np
import pytest

import paraxis as px


def test_parts_of_a_study_meet_the_numbers_of_the_whole():
    robot = px.load("planar3")
    controller = px.control.computed_torque(robot, 100.0, 20.0)

    def goal(t):
        wave = px.math.sin(3.0 * t)
        return [wave] * 3, [3.0 * px.math.cos(3.0 * t)] * 3, [-9.0 * wave] * 3

    periods = np.linspace(0.005, 0.02, 12)
    options = {"duration": 0.3, "jitter": 0.3, "missed": 0.1, "seed": 4}
    whole = px.control.closed_loop(robot, controller, goal, periods, **options)
    parts = [
        px.control.closed_loop(
            robot, controller, goal, periods[some], index=np.arange(12)[some], **options
        )
        for some in (slice(0, 5), slice(5, 6), slice(6, 12))
    ]
    assert np.concatenate([part.error for part in parts]).tobytes() == whole.error.tobytes()
    other = px.control.closed_loop(robot, controller, goal, periods[5:], **options)
    assert (other.error != whole.error[5:]).any()
    for wrong, message in ((-1, ">= 0"), (0.5, "integers"), (np.arange(3), "do not broadcast")):
        with pytest.raises(px.ArgumentError, match=message):
            px.control.closed_loop(robot, controller, goal, periods, index=wrong, **options)
