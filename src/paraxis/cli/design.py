"""`paraxis design`: a robot's control computations for p cores, in one command.

What Dhanaraj's thesis proposes as a design tool for robot designers: from the description of a
robot and its drives to inverse kinematics, dynamics and friction as C for a given number of
processors, with their schedule, and what they cost.
"""

from ..errors import ArgumentError
from .arguments import add_robot, integer, load_robot, numbers
from .files import check_folder, print_written, write

MOST_PROCESSORS = 64
KP, KD = 100.0, 20.0  # 1/s² and 1/s: 10 rad/s, critically damped

FILES = """examples:
  paraxis design ur5 --processors 4 --drives x.yaml -o build

writes to DIR:
  ROBOT_inverse_kinematics.c   all solutions, if the arm has a closed form
  ROBOT_FUNCTION.c             torques of the motors, or of the joints without
                               drives, for one core
  ROBOT_FUNCTION_onP.c         the same for P cores, by the schedule
  ..._test.c, ..._time.c       self-tests, and a timer of the C for P cores
  schedule.html                the schedule, interactive
  design.html                  everything in one page
"""


def add(commands):
    about = "C for control on p cores, with its schedule and safe rate"
    command = commands.add_parser(
        "design",
        help=about,
        description="Write the control computations of a robot for p cores: inverse kinematics, "
        "dynamics and friction as C, with their schedule, their times and the safe rate.",
        epilog=FILES,
    )
    add_robot(command)
    option = command.add_argument
    option(
        "--processors",
        metavar="P",
        type=integer(1, MOST_PROCESSORS),
        required=True,
        help="number of cores",
    )
    option(
        "--kp",
        metavar="K,...",
        type=numbers,
        default=KP,
        help=f"position gains in 1/s², for the safe rate (default: {KP:g})",
    )
    option(
        "--kd",
        metavar="K,...",
        type=numbers,
        default=KD,
        help=f"rate gains in 1/s, for the safe rate (default: {KD:g})",
    )
    option("-o", "--output", metavar="DIR", required=True, help="folder to write to")
    return command


def run(arguments):
    import os

    from ..control.controller import gains_of
    from ..parallel.gantt.page import page as schedule_page
    from .design_page import page
    from .design_text import print_design
    from .designed import designed
    from .terminal import Terminal, waiting

    check_folder(arguments.output)
    robot = load_robot(arguments)
    if arguments.drives is not None:
        check_drives(robot, arguments.drives)
    for name in ("kp", "kd"):
        gains_of(robot, getattr(arguments, name), f"--{name}")  # refused before minutes are spent
    with waiting() as say:
        design = designed(
            robot, arguments.processors, arguments.kp, arguments.kd, arguments.output, say
        )
    chart = os.path.join(arguments.output, "schedule.html")
    whole = os.path.join(arguments.output, "design.html")
    write(
        chart,
        schedule_page(
            design.schedule,
            title=robot.name,
            source=design.tasks_in_words,
            back=("design.html", "The design"),
        ),
    )
    write(whole, page(design))
    terminal = Terminal()
    print_design(terminal, design)
    print_written(terminal, *design.sources, chart, whole)
    return 0


def check_drives(robot, path):
    """Refuse drives that leave out a joint: its motor would silently be an ideal one."""
    from ..checks import listing, quoted
    from ..robots.drives import read_drives

    given = read_drives(path)
    missing = [
        joint.name
        for joint in robot.joints
        if joint.nv == 1 and "transmission" not in given.get(joint.name, ())
    ]
    if missing:
        what = "joint" if len(missing) == 1 else "joints"
        raise ArgumentError(
            f"{quoted(path, most=300)}: expected a transmission for every joint, found none for "
            f"{what} {listing(missing)}; a motor without a gear box has transmission: {{ratio: 1}}"
        )
