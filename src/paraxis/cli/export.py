"""`paraxis export`: a function of a robot as source or library, with a self-test."""

import re
from inspect import signature

from .. import api
from ..checks import did_you_mean, one_of, shown
from ..errors import ArgumentError
from ..robot_functions import COORDINATES
from ..targets.cpu.machines import MACHINES
from ..targets.source.files import LANGUAGES, write_files
from ..targets.source.text import LONGEST
from .arguments import FUNCTION_NAMES, add_function, add_robot, load_robot, numbers, refuse
from .files import check_folder

EXAMPLES = """examples:
  paraxis export ur5 --language c -o build
  paraxis export ur5 --function mass_matrix --language library -o build
  paraxis export puma560 --function inverse_kinematics --language verilog -o b
"""
VERILOG = "verilog"
CIRCUITS = ("inverse_kinematics", "inverse_dynamics")  # functions that Verilog can have
CHIP = "systolic"
ARCHITECTURES = ("pipelined", "iterative", CHIP)
OF_CIRCUITS = ("word", "iterations", "arm", "elbow", "wrist", "near", "velocity", "acceleration")


def add(commands):
    about = "a function as source or as a library, with a self-test"
    command = commands.add_parser(
        "export",
        help=about,
        description="Write a function of a robot as source or as a library, with a self-test.",
        epilog="\n".join((EXAMPLES, FUNCTION_NAMES)),
    )
    add_robot(command)
    option = command.add_argument
    add_function(command, more=f"; for Verilog {' or '.join(CIRCUITS)}")
    option("--algorithm", metavar="NAME", help="algorithm of the function (default: the cheapest)")
    option("--frame", metavar="FRAME", help="the frame, for functions of a frame")
    option("--coordinates", choices=COORDINATES, help="coordinates of the motion of that frame")
    option(
        "--parameters",
        metavar="NAME,...",
        type=lambda text: tuple(text.split(",")),
        default=(),
        help="parameters of the robot that become inputs: mass, external_force, ...",
    )
    languages = (*LANGUAGES, VERILOG)
    option(
        "--language",
        metavar="NAME",
        choices=languages,
        required=True,
        help=f"what to write: {', '.join(languages[:-1])} or {languages[-1]}",
    )
    option(
        "--dtype",
        choices=("float64", "float32"),
        help="scalar type (default: float64); not for Verilog",
    )
    option("--name", help="name in the source (default: from the names of robot and function)")
    option(
        "--cpu",
        metavar="LEVEL",
        help="CPU level of a library: x86-64-v3 or x86-64-v4 (default: that of "
        "this machine; x86-64-v3 with --target)",
    )
    option(
        "--target",
        metavar="MACHINE",
        help=f"machine of a library, if not this one: {', '.join(MACHINES)}",
    )
    option("-o", "--output", metavar="DIR", required=True, help="folder to write to")
    _add_circuit(command.add_argument_group("options for Verilog").add_argument)
    return command


def _add_circuit(option):
    option(
        "--architecture",
        choices=ARCHITECTURES,
        help="pipelined: a new item every clock; iterative: one processor per task, reused; "
        "systolic: Lathrop's robot chip, for the inverse dynamics of a chain "
        f"(default: {ARCHITECTURES[0]})",
    )
    option("--word", metavar="BITS", type=int, help="word length (default: 24)")
    option(
        "--iterations",
        metavar="N",
        type=int,
        help="CORDIC iterations per processor (default: as many as bits)",
    )
    for sign in ("arm", "elbow", "wrist"):
        option(
            f"--{sign}",
            type=int,
            choices=(1, -1),
            help=f"for inverse kinematics: the {sign} branch of the solution (default: 1)",
        )
    option(
        "--near",
        metavar="X",
        type=float,
        help="for inverse kinematics: poses closer than this to a singularity are marked invalid "
        "(default: 1/256)",
    )
    for name, unit in (("velocity", "rad/s or m/s"), ("acceleration", "rad/s² or m/s²")):
        option(
            f"--{name}",
            metavar="X,...",
            type=numbers,
            help=f"for inverse dynamics: the largest {name}, in {unit}",
        )


def run(arguments):
    check_folder(arguments.output)
    if arguments.language == VERILOG:
        refuse(
            arguments,
            ("parameters", "algorithm", "coordinates", "dtype", "cpu", "target"),
            f"--language {VERILOG}",
        )
        options = {name: getattr(arguments, name) for name in ("frame", *OF_CIRCUITS)}
        exported = export_circuit(
            load_robot(arguments),
            arguments.function,
            arguments.output,
            architecture=arguments.architecture or ARCHITECTURES[0],
            name=arguments.name,
            **{name: value for name, value in options.items() if value is not None},
        )
    else:
        refuse(arguments, ("architecture", *OF_CIRCUITS), f"--language {arguments.language}")
        exported = export(
            load_robot(arguments),
            arguments.function,
            arguments.language,
            arguments.output,
            algorithm=arguments.algorithm,
            parameters=arguments.parameters,
            frame=arguments.frame,
            coordinates=arguments.coordinates,
            dtype=arguments.dtype or "float64",
            name=arguments.name,
            cpu=arguments.cpu,
            target=arguments.target,
        )
    for path in exported.paths:
        print(f"wrote  {shown(path, 300)}")
    if exported.elsewhere:
        print(f"There is no compiler for {arguments.target} here; with one, run in that folder:")
    for command in exported.link:
        print(f"link   {command}")
    for k, command in enumerate(exported.build):
        print(f"{'or   ' if k else 'build'}  {command}")
    print(f"test   {exported.test}")
    return 0


def export(
    robot,
    function,
    language,
    folder,
    *,
    algorithm=None,
    parameters=(),
    frame=None,
    coordinates=None,
    dtype="float64",
    name=None,
    cpu=None,
    target=None,
):
    """Write the files of one function to `folder`; see `Program.export`.

    `algorithm`, `parameters`, `frame` and `coordinates` are as for `px.program`. `name` is the
    function's name in the source, by default made from the names of robot and function.
    """
    program = api.program(robot, function, algorithm, parameters, frame, coordinates)
    name = name or default_name(robot, function)
    about = notes(robot, algorithm, frame)
    return write_files(program.graph, language, folder, name, dtype, cpu, about, target)


def export_circuit(robot, function, folder, *, architecture, name=None, **options):
    """Write Verilog of one function of CIRCUITS to `folder`, with a test bench.

    `name` is the module's. `options` are those of `px.hardware.inverse_kinematics_circuit`,
    `px.hardware.inverse_dynamics_circuit` or `px.hardware.inverse_dynamics_chip`.
    """
    from .. import hardware

    one_of(function, CIRCUITS, "function in Verilog")
    chip = architecture == CHIP
    if chip and function != "inverse_dynamics":
        raise ArgumentError(
            f"--architecture {CHIP} is for --function inverse_dynamics, found {function}"
        )
    make = hardware.inverse_dynamics_chip if chip else getattr(hardware, f"{function}_circuit")
    known = signature(make).parameters
    for option in options:
        if option not in known:
            near = did_you_mean(option, known)
            of = f"{function} as a {CHIP} chip" if chip else function
            raise ArgumentError(f"--{option} is not an option of {of}{near}")
    made = make(robot, **options)
    if chip:
        return made.export(folder, name=name)
    return made.export(folder, architecture, name=name)


def default_name(robot, function):
    """The name of a robot's function in source."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", robot.name).strip("_")
    if not stem[:1].isalpha():
        stem = f"robot_{stem}".rstrip("_")
    return f"{stem[: LONGEST - len(function) - 1]}_{function}"


def notes(robot, algorithm=None, frame=None):
    """Comments on the robot. Names may come from anyone's file: targets make them harmless."""
    gravity = " ".join(f"{v:g}" for v in robot.gravity)
    about = "" if frame is None else f"; about its frame {_short(frame)}"
    joints = [f"  {i}  {_short(joint.name)}, {joint.kind}" for i, joint in enumerate(robot.joints)]
    return [
        f"The robot is {_short(robot.name)}, under gravity ({gravity}) m/s^2{about}. The algorithm "
        f"is {algorithm or 'the cheapest of all'}. Units are SI: positions in rad, or in m for "
        "prismatic joints; torques in N m, or forces in N. Spatial vectors are angular first.",
        ["Joints, numbered from 0 in the order of entries:", *joints],
    ]


def _short(name, most=60):
    return name if len(name) <= most else name[: most - 3] + "..."
