"""`paraxis safe-rate`: the largest sampling period at which control with stale data is stable."""

from ..checks import counted, shown
from ..errors import ArgumentError
from .arguments import add_robot, load_robot, numbers

EXAMPLES = """examples:
  paraxis safe-rate ur5 --kp 100 --kd 20
  paraxis safe-rate ur5 --kp 100 --kd 20 --policy hamilton --check
"""


def add(commands):
    about = "the largest sampling period that is stable with stale data"
    command = commands.add_parser(
        "safe-rate",
        help=about,
        description="Find the largest sampling period at which computed-torque control with stale "
        "data is stable.",
        epilog=EXAMPLES,
    )
    add_robot(command)
    option = command.add_argument
    option("--kp", metavar="K,...", type=numbers, required=True, help="position gains in 1/s²")
    option("--kd", metavar="K,...", type=numbers, required=True, help="rate gains in 1/s")
    option("--policy", metavar="NAME", help="stale-data policy (default: a table of all)")
    posture = command.add_mutually_exclusive_group()
    posture.add_argument(
        "--posture",
        metavar="Q,...",
        type=numbers,
        help="joint positions (default: the middle of the joints' ranges)",
    )
    posture.add_argument(
        "--postures", metavar="N", type=int, help="the worst of N random postures in the ranges"
    )
    option(
        "--delay",
        metavar="FRACTION",
        type=float,
        default=0.0,
        help="from a sample to its torques, in periods, 0 to 1 (default: 0)",
    )
    option(
        "--missed",
        metavar="N",
        type=int,
        default=0,
        help="most control steps missed in a row (default: 0)",
    )
    option(
        "--payload",
        metavar="KG",
        type=float,
        default=0.0,
        help="mass the controller does not know of (default: 0)",
    )
    option("--frame", metavar="FRAME", help="frame that holds the payload (default: the tool)")
    option("--check", action="store_true", help="also find the period by simulation")
    return command


def run(arguments):
    from ..control.controller import computed_torque
    from ..control.dry_friction import without_dry_friction
    from ..control.stale_policies import policies, policy
    from .rates import least_rate, random_postures, rests_elsewhere, safe_rate
    from .rates_text import print_least_rates, print_safe_rates
    from .terminal import Terminal, waiting

    _check(arguments)
    delay, missed, several = arguments.delay, arguments.missed, arguments.postures
    names = [arguments.policy] if arguments.policy else policies()
    for name in names:
        policy(name)  # refuse a wrong one before anything is loaded
    robot = load_robot(arguments)
    laws = [computed_torque(robot, arguments.kp, arguments.kd, name) for name in names]
    posture = _posture(arguments, robot)
    plant = robot
    if arguments.payload:
        plant = robot.with_payload(arguments.payload, frame=arguments.frame)
    plant = without_dry_friction(plant)

    def rates(find, *given):
        found = []
        with waiting() as say:
            for law in laws:
                say(f"policy {law.policy.name}")
                found.append(find(law, plant, *given))
        return found

    conditions = _conditions(arguments)
    if several is not None:
        found = rates(least_rate, random_postures(robot, several), delay, missed)
        kinds = "1 random posture" if several == 1 else f"{several} random postures"
        print_least_rates(Terminal(), robot, found, ", ".join([f"at {kinds}", *conditions]))
        return 0
    found = rates(safe_rate, posture, delay, missed, arguments.check)
    rest = found[0].predicted
    if rests_elsewhere(robot, rest, posture):
        conditions.append(f"with which it rests at {_listed(rest.posture)}")
    where = f"at the posture {_listed(posture)}"
    print_safe_rates(Terminal(), robot, found, ", ".join([where, *conditions]))
    return 0


def _check(arguments):
    """Refuse what can be refused without the robot."""
    if not 0 <= arguments.delay <= 1:
        raise ArgumentError(
            f"--delay: expected a fraction of the period from 0 to 1, found {arguments.delay:g}; "
            "for longer delays see the policies of px.control.safe_period in Python"
        )
    if arguments.check and arguments.missed:
        raise ArgumentError(
            "--check cannot be used with --missed: the worst pattern of missed steps is not known"
        )
    if arguments.postures is not None:
        if arguments.postures < 1:
            raise ArgumentError(f"--postures: expected an integer >= 1, found {arguments.postures}")
        if arguments.check:
            raise ArgumentError(
                "--check cannot be used with --postures: simulating many postures takes too long"
            )
    if arguments.frame is not None and not arguments.payload:
        raise ArgumentError("--frame needs --payload: it names the frame that holds the payload")


def _posture(arguments, robot):
    import numpy as np

    from .rates import middle_posture

    if arguments.posture is None:
        return middle_posture(robot)
    posture = np.atleast_1d(arguments.posture)
    if len(posture) != robot.nq:
        raise ArgumentError(
            f"--posture: expected {counted(robot.nq, 'number')} for {shown(robot.name)}, found "
            f"{len(posture)}"
        )
    if not np.isfinite(posture).all():
        raise ArgumentError(f"--posture: expected finite numbers, found {_listed(posture)}")
    return posture


def _conditions(arguments):
    """What was asked for besides the posture, in words."""
    delay, missed, payload = arguments.delay, arguments.missed, arguments.payload
    share = "one period" if delay == 1 else f"{delay:g} of the period"
    steps = "1 control step" if missed == 1 else f"{missed} control steps in a row"
    words = [f"a delay of {share}"] * bool(delay)
    words += [f"up to {steps} missed"] * bool(missed)
    return words + [f"an unknown payload of {payload:g} kg"] * bool(payload)


def _listed(posture):
    return ", ".join(f"{q:.3g}" for q in posture)
