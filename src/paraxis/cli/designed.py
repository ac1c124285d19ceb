"""What `paraxis design` makes: C for p cores, and what is known about it."""

import shlex
import tempfile
import time
from dataclasses import dataclass

from .. import __version__, api
from ..control.controller import computed_torque
from ..control.dry_friction import without_dry_friction
from ..errors import ParaxisError
from ..kinematics.positioning import positioning_body
from ..kinematics.puma_solutions import solutions_body
from ..parallel.schedules.scheduling import schedule
from ..parallel.tasks.task_graph import TaskGraph
from ..parallel.threads import CallTimes, divided, exported, timed, timing
from ..passes.parts import steps
from ..robots.transmission import IDEAL
from ..targets.cpu import threads
from ..targets.source import c_parts
from ..targets.source.compiler import c_compiler
from ..targets.source.files import write_files
from .export import default_name, notes
from .machine import machine
from .neighbours import Neighbours
from .operations import Operations
from .rates import middle_posture, safe_rate

FLOPS = 3  # in a task at most, as in Dhanaraj's subtasks
SEARCH = 20  # seconds for the schedule
POSES = "up to eight solutions per pose"
POSITIONS = "the first three joints, up to four solutions per position"
LATE = 1.0  # periods from a sample to its torques: a whole one is there to compute them


@dataclass(frozen=True)
class Design:
    """All that the page shows; reasons are for what the robot or the machine does not have."""

    version: str
    robot: object
    function: str
    operations: list  # Operations, of inverse dynamics and, with losses, of the motors' torques
    schedule: object
    waits: list  # how often each core waits for another in one call
    lines: int  # messages between cores in one call
    times: dict  # number of cores -> CallTimes
    why_no_times: str
    kinematics: str  # what the closed form solves, if there is one
    why_no_kinematics: str
    rate: object  # SafeRate
    why_no_rate: str
    gains: tuple
    generated_s: float  # from the robot to C
    sources: list  # C files to take away
    commands: list  # that build and run the self-tests, and what times the C for all cores
    warning: str  # that other processes were computing too, or nothing
    machine: dict

    @property
    def tasks_in_words(self):
        return f"tasks of at most {FLOPS} flops of {self.function.replace('_', ' ')}"

    @property
    def processors(self):
        return self.schedule.processors

    @property
    def loop(self) -> tuple[int, CallTimes] | None:
        """The fastest that was measured: on how many cores, and its times."""
        return min(self.times.items(), key=lambda item: item[1].median, default=None)


def designed(robot, processors, kp, kd, folder, say=lambda words: None):
    """Write the C of a robot's control to a folder, time it, and return the Design."""
    driven = robot.has_losses or any(joint.transmission != IDEAL for joint in robot.joints)
    function = "motor_torques" if driven else "inverse_dynamics"
    say("generating C")
    begun = time.perf_counter()
    kinematics, solves, why_no_kinematics = _kinematics(robot, folder)
    program = api.program(robot, function)
    plain = write_files(
        program.graph, "c", folder, default_name(robot, function), notes=notes(robot)
    )
    name = default_name(robot, f"{function}_on{processors}")
    say(f"scheduling on {processors} processors, at most {SEARCH} s")
    tasks = TaskGraph.from_program(program.balanced(), grain=FLOPS)
    best = schedule(tasks, processors, "optimal", time_limit=SEARCH)
    parallel = exported(best, folder, name)
    generated = time.perf_counter() - begun
    say("timing")
    timer, words = timing(best, folder, name)
    with Neighbours() as others:
        times, why_no_times = _times(tasks, best, folder, name)
    say("finding the safe rate")
    rate, why_no_rate = _rate(robot, kp, kd)
    parts, lines = divided(best, c_parts.room("float64"))
    made = [each for each in (kinematics, plain, parallel) if each]
    return Design(
        version=__version__,
        robot=robot,
        function=function,
        operations=_operations(robot, program, function),
        schedule=best,
        waits=[sum(step.op == "wait" for step in row) for row in steps(parts)],
        lines=len(lines),
        times=times,
        why_no_times=why_no_times,
        kinematics=solves,
        why_no_kinematics=why_no_kinematics,
        rate=rate,
        why_no_rate=why_no_rate,
        gains=(kp, kd),
        generated_s=generated,
        sources=[path for each in made for path in each.paths if path.endswith(".c")],
        commands=[
            *(command for each in made for command in (*each.build, each.test)),
            shlex.join(["cc", *words]),
            shlex.join([timer]),
        ],
        warning=others.warning(max(times, default=1)),
        machine=machine(),
    )


def _kinematics(robot, folder):
    """The files of the closed form and what it solves, or nothing and why there is none."""
    try:
        graph, solves = solutions_body(robot).graph, POSES
    except ParaxisError as no_poses:
        try:
            graph, solves = positioning_body(robot).graph, POSITIONS
        except ParaxisError as no_positions:
            return None, "", str(no_poses if robot.n > 3 else no_positions)
    name = default_name(robot, "inverse_kinematics")
    return write_files(graph, "c", folder, name, notes=notes(robot)), solves, ""


def _operations(robot, program, function):
    bare = Operations.of("inverse dynamics", api.program(robot))
    if function == "inverse_dynamics":
        return [bare]
    return [bare, Operations.of("motor torques, with friction", program)]


def _times(tasks, best, folder, name):
    """number of cores -> CallTimes, and why those of the design are not among them.

    Timed are one core and as many of the design's as this machine has.
    """
    if c_compiler() is None:
        return {}, "not measured: no C compiler (cc, gcc, clang) was found"
    cores, processors, times = threads.available(), best.processors, {}
    with tempfile.TemporaryDirectory() as aside:  # for what is timed only to compare with
        for count in sorted({1, min(cores, processors)} - {processors}):
            fewer = schedule(tasks, count, "optimal", time_limit=SEARCH)
            exported(fewer, aside, name)
            times[count] = timed(fewer, aside, name)
    if processors > cores:
        return times, f"not measured on {processors} cores: this machine has {cores}"
    return times | {processors: timed(best, folder, name)}, ""


def _rate(robot, kp, kd):
    """The SafeRate at the middle of the joints' ranges, or why there is none."""
    try:
        law = computed_torque(robot, kp, kd)
        found = safe_rate(law, without_dry_friction(robot), middle_posture(robot), LATE)
    except ParaxisError as error:
        return None, str(error)
    if found.predicted.period is None:
        return None, "no sampling period is known to be stable with these gains"
    return found, ""
