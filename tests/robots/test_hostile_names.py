"""Names from anyone's file reach a terminal without their control characters."""

from dataclasses import replace

import pytest

import paraxis as px

# CSI as one character, a bidirectional override, a new line, a terminal's title
HOSTILE = "a\x9b31m\u202eb\nc\x1b]0;x\x07"


def hostile(robot):
    joints = tuple(replace(j, name=HOSTILE + str(k)) for k, j in enumerate(robot.joints))
    frames = tuple(replace(frame, name=HOSTILE + frame.name) for frame in robot.frames)
    return replace(robot, name=HOSTILE, joints=joints, frames=frames)


ARM = hostile(px.robots.planar(2))
TASKS = px.TaskGraph({HOSTILE: 1, HOSTILE + "2": 2}, [(HOSTILE, HOSTILE + "2")], HOSTILE)


def atlas():
    return px.control.stability_atlas(
        ARM, policies=["exact"], periods=[0.01, 0.02], axes={"speed": [1.0]}, duration=0.1
    )


OBJECTS = {
    "robot": lambda: ARM,
    "joint": lambda: ARM.joints[0],
    "program": lambda: px.program(ARM),
    "critical path": lambda: px.program(ARM).critical_path(),
    "tasks": lambda: TASKS,
    "tasks of a program": lambda: px.TaskGraph.from_program(px.program(ARM), grain=20),
    "streamlined tasks": lambda: px.streamlined_tasks(ARM),
    "schedule": lambda: px.schedule(TASKS, processors=2),
    "speed-up curve": lambda: px.parallel.speedup_curve(TASKS, [1, 2]),
    "pipeline": lambda: px.pipeline(TASKS),
    "systolic array": lambda: px.parallel.systolic_array(ARM),
    "controller": lambda: px.control.computed_torque(ARM, 100.0, 20.0),
    "policy": lambda: px.control.policies()[0],
    "unsynchronised": lambda: px.control.unsynchronised(ARM),
    "atlas": atlas,
    "circuit": lambda: px.hardware.inverse_kinematics_circuit(hostile(px.load("puma560")), word=16),
    "tasks of a circuit": lambda: OBJECTS["circuit"]().tasks,
    "base parameters": lambda: px.base_parameters(ARM),
    "equations": lambda: px.closed_form(ARM),
    "contact": lambda: px.Contact.pinned(ARM.frames[-1].name),
}


@pytest.mark.parametrize("made", OBJECTS.values(), ids=OBJECTS)
def test_what_is_shown_is_printable(made):
    thing = made()
    for text in (repr(thing), str(thing)):
        assert not [c for c in text if not c.isprintable() and c != "\n"]
        assert "b\nc" not in text  # a name's own line break
