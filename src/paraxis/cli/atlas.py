"""`paraxis atlas`: maps of the sampling periods at which control with stale data is stable."""

from ..checks import shown
from .arguments import add_robot, load_robot, numbers
from .files import check_writable, print_written, write


def add(commands):
    about = "an interactive page of sampling periods at which control with stale data is stable"
    atlas = commands.add_parser("atlas", help=about, description=f"Make {about}.")
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
        help="stale-data policies (default: all)",
    )
    return atlas


def run(arguments):
    from ..control.atlas.atlas import stability_atlas
    from ..control.atlas.summary import HEADS, summary, usual_row, why_more_may_hold
    from .terminal import Column, Terminal, print_table

    check_writable(output=arguments.output)
    given = arguments.kp, arguments.kd, arguments.policies
    atlas = stability_atlas(load_robot(arguments), *given)
    write(arguments.output, atlas.to_html())
    terminal = Terminal(stderr=arguments.output == "-")
    terminal.title(shown(atlas.robot.name), f"largest safe period at {usual_row(atlas).words}")
    terminal.print()
    columns = [Column(head, right=head != HEADS[0]) for head in HEADS]
    print_table(terminal, columns, summary(atlas))
    terminal.note(why_more_may_hold(atlas))
    print_written(terminal, arguments.output)
    return 0
