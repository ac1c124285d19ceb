"""`paraxis show`: a robot in 3-D, on a page."""

from .arguments import add_robot, load_robot, numbers
from .files import check_writable, write_or_open

EXAMPLES = """examples:
  paraxis show arm.urdf -o arm.html
  paraxis show ur5 --fall 5             let it fall, in a browser
"""
LONGEST, STEP, EVERY = 600.0, 1e-3, 10  # s, s, steps per record


def add(commands):
    about = "a page with a robot in 3-D"
    show = commands.add_parser(
        "show",
        help=about,
        description=f"Make {about}: its shapes, or a skeleton, with joint axes, frames, masses "
        "and inertia. The page is one file that loads nothing else.",
        epilog=EXAMPLES,
    )
    add_robot(show)
    show.add_argument("-o", "--output", metavar="FILE", help="the page; - for stdout. Without it, "
                      "the page opens in a browser")  # fmt: skip
    show.add_argument(
        "-q", metavar="Q,...", type=numbers, help="joint positions (default: neutral)"
    )
    show.add_argument(
        "--fall",
        metavar="SECONDS",
        type=float,
        help="simulate it without torques from there, for that long",
    )
    return show


def run(arguments):
    from ..errors import ArgumentError
    from ..scene.show import scene_of
    from .terminal import Terminal, waiting

    if arguments.output is not None:
        check_writable(output=arguments.output)
    robot, q, seconds = load_robot(arguments), arguments.q, arguments.fall
    if isinstance(q, float):  # as of one joint, so of all
        q = [q] * robot.nq
    if seconds is not None and not 0.0 < seconds <= LONGEST:
        raise ArgumentError(f"--fall: expected a time of at most {LONGEST:g} s, found {seconds:g}")
    with waiting() as say:
        say("drawing" if seconds is None else "simulating")
        scene = scene_of(robot, q) if seconds is None else _falling(robot, q, seconds)
    write_or_open(scene, Terminal(), arguments.output)
    return 0


def _falling(robot, q, seconds):
    """The Scene of the robot under gravity alone."""
    import numpy as np

    from .. import api
    from ..simulation.limits import Limits
    from ..simulation.once import simulate

    q = api.neutral(robot) if q is None else q
    steps = max(1, round(seconds / STEP / EVERY)) * EVERY
    run = simulate(
        robot,
        q,
        np.zeros(robot.nv),
        dt=STEP,
        steps=steps,
        every=EVERY,
        limits=Limits(),  # without the notice that they act: here they can be seen
        method="semi_implicit_euler" if robot.has_losses else None,  # stiff friction is no matter
    )
    return run.as_scene()
