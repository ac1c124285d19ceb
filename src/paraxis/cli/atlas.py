"""`paraxis atlas`: maps of the sampling periods at which control with stale data is stable."""

from ..checks import shown
from .arguments import add_robot, integers, load_robot, numbers, one_number
from .files import check_writable, print_written, write
from .sweep import add_where, where_of

EXAMPLES = """examples:
  paraxis atlas planar3 -o atlas.html
  paraxis atlas ur5 --kp 100 --policies exact,hamilton -o atlas.html
"""
HARDWARE = ("network", "processors", "latency", "highest rate", "rate", "least error")
NUMBERS = ("processors", "latency", "rate")


def add(commands):
    about = "a page of the sampling periods that are stable with stale data"
    atlas = commands.add_parser(
        "atlas",
        help=about,
        description="Make an interactive page of the sampling periods at which control with stale "
        "data is stable, over gains, speeds and payloads, and of when it is worth it.",
        epilog=EXAMPLES,
    )
    add_robot(atlas)
    atlas.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the page; - for stdout"
    )
    atlas.add_argument(
        "--kp",
        metavar="K,...",
        type=numbers,
        default=100.0,
        help="position gains in 1/s² (default: 100)",
    )
    atlas.add_argument(
        "--kd", metavar="K,...", type=numbers, help="rate gains in 1/s (default: critical damping)"
    )
    atlas.add_argument(
        "--policies",
        metavar="NAME,...",
        type=lambda text: text.split(","),
        help="stale-data policies (default: all; of the hardware, those that are compared)",
    )
    atlas.add_argument(
        "--frame", metavar="FRAME", help="frame that holds the payload (default: the tool)"
    )
    add_where(atlas)
    atlas.add_argument(
        "--store", metavar="STORE", help="keep results there, so that the same command continues"
    )
    hardware = atlas.add_argument_group("hardware on which stale data may be worth it")
    hardware.add_argument(
        "--processors",
        metavar="N,...",
        type=integers,
        help="numbers of processors (default: 1, and 1, 2 and 4 per link)",
    )
    hardware.add_argument(
        "--latency",
        metavar="L,...",
        type=numbers,
        default=[0, 10, 50],
        help="times of a message, in flops (default: 0,10,50)",
    )
    hardware.add_argument(
        "--flop-time",
        metavar="S",
        type=one_number,
        default=45e-6,
        help="time of a multiplication or addition in s (default: 45e-6)",
    )
    return atlas


def run(arguments):
    from ..control.atlas.atlas import stability_atlas
    from ..control.atlas.summary import HEADS, summary, usual_row, why_more_may_hold
    from ..control.tradeoff.tradeoff import POLICIES, stale_data_tradeoff
    from ..dynamics.loads import payload
    from .terminal import Column, Terminal, print_table, waiting

    check_writable(output=arguments.output)
    given = arguments.kp, arguments.kd, arguments.policies
    robot = load_robot(arguments)
    payload(robot, 0.0, frame=arguments.frame)  # what has no such frame is found out at once
    hardware = {"processors": arguments.processors, "latency": arguments.latency}
    gains, chosen = (arguments.kp, arguments.kd), arguments.policies or POLICIES
    where = {"frame": arguments.frame, "store": arguments.store, **where_of(arguments)}
    with waiting() as say:
        say("scheduling control on processors")
        time = arguments.flop_time
        tradeoff = stale_data_tradeoff(robot, *gains, chosen, **hardware, flop_time=time)
        say("finding the stable periods")  # longer, and with fewer arguments to be wrong
        atlas = stability_atlas(robot, *given, **where)
    write(arguments.output, tradeoff.to_html(atlas=atlas))
    terminal = Terminal(stderr=arguments.output == "-")
    terminal.title(shown(atlas.robot.name), f"largest safe period at {usual_row(atlas).words}")
    terminal.print()
    columns = [Column(head, right=head != HEADS[0]) for head in HEADS]
    print_table(terminal, columns, summary(atlas))
    terminal.note(why_more_may_hold(atlas))
    terminal.title("When are stale data worth it?", f"at {tradeoff.flop_time:g} s per flop")
    terminal.print()
    columns = [Column(head, right=head in NUMBERS) for head in HARDWARE]
    print_table(terminal, columns, list(_winners(tradeoff)))
    terminal.note(
        f"{tradeoff.conclusion} Of the policies that are stable there. Rate: over that of exact "
        "control, as scheduled."
    )
    print_written(terminal, arguments.output)
    return 0


def _winners(tradeoff):
    """Rows under HARDWARE."""
    names = [*tradeoff.policies, "none is stable"]  # -1 is the last
    for n, network in enumerate(tradeoff.networks):
        for p, processors in enumerate(tradeoff.processors.tolist()):
            for k, latency in enumerate(tradeoff.latencies.tolist()):
                fastest, accurate = tradeoff.fastest[n, p, k], tradeoff.most_accurate[n, p, k]
                rate = f"{tradeoff.rate_gain[n, p, k, fastest]:.2f} ×" if fastest >= 0 else ""
                machine = network, str(processors), f"{latency:g}"
                yield *machine, names[fastest], rate, names[accurate]
