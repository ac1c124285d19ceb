"""Names that do not exist: the error lists those that do, and the one that was probably meant."""

import importlib

import pytest
from support.processes import script

import paraxis as px
from paraxis import checks
from paraxis.checks import counted, did_you_mean, one_of
from paraxis.cli.main import main

ARM = px.robots.planar(2)


def test_one_of():
    assert one_of("left", ("left", "right"), "side") == "left"
    with pytest.raises(px.ArgumentError) as error:
        one_of("Lefft", ("left", "right"), "side")
    assert str(error.value) == (
        "side: expected one of 'left', 'right', found 'Lefft'; did you mean 'left'?"
    )
    for value in ("up", 3, None, ["left"]):
        with pytest.raises(px.RobotError, match="side: expected one of") as error:
            one_of(value, ("left", "right"), "side", px.RobotError)
        assert "did you mean" not in str(error.value)


def test_a_suggestion_takes_the_place_of_a_long_list():
    names = [f"name{k}" for k in range(checks.FEW + 1)]
    with pytest.raises(px.ArgumentError) as error:
        one_of("nmae3", names, "side")
    assert str(error.value) == (
        "side: expected one of 13 names, found 'nmae3'; did you mean 'name3'?"
    )
    with pytest.raises(px.ArgumentError, match="expected one of 'name0', .*'name12', found 'up'"):
        one_of("up", names, "side")


@pytest.mark.parametrize(
    "word, function",
    [("rnea", "inverse_dynamics"), ("aba", "forward_dynamics"), ("CRBA", "mass_matrix")],
)
def test_the_names_of_the_field_lead_to_functions(word, function):
    with pytest.raises(px.ArgumentError, match=f"did you mean '{function}'"):
        px.program(ARM, word)
    with pytest.raises(AttributeError, match=f"did you mean '{function}'"):
        getattr(px, word)


@pytest.mark.parametrize(
    "word, name",
    [
        ("IK", "inverse_kinematics"),
        ("nle", "bias_forces"),
        ("nonLinearEffects", "bias_forces"),
        ("rnea_derivatives", "inverse_dynamics_derivatives"),
        ("computeRNEADerivatives", "inverse_dynamics_derivatives"),
        ("computeABADerivatives", "forward_dynamics_derivatives"),
        ("computeMinverse", "mass_matrix_inverse"),
        ("ccrba", "centroidal_momentum_matrix"),
        ("rollout", "simulate"),
        ("mj_step", "Simulator"),
        ("ddp", "optimal_control"),
    ],
)
def test_the_names_of_other_libraries_lead_to_ours(word, name):
    with pytest.raises(AttributeError, match=f"did you mean '{name}'"):
        getattr(px, word)


def test_words_lead_to_names_that_exist():
    """A suggestion whose name does not exist would never be made."""
    known = {*dir(px), *KINDS.values(), "fixed", "cuda"}
    assert set(checks.MEANS.values()) <= known
    assert all(word == word.lower() for word in checks.MEANS)


def test_singular_and_plural():
    words = [counted(k, "degree of freedom") for k in (0, 1, 2, 3000)]
    few = ["0 degrees of freedom", "1 degree of freedom", "2 degrees of freedom"]
    assert words == [*few, "3,000 degrees of freedom"]
    with pytest.raises(px.RobotError, match="joint 'joint1': expected 1 number, found 2"):
        ARM.locked({"joint1": [0.1, 0.2]})


def test_names_from_files_stay_short_and_printable():
    names = ["arm\n\x9b31m" + "x" * 1000, "hand"]
    assert did_you_mean("hadn", names) == "; did you mean 'hand'?"
    assert did_you_mean("y" * 10**6, names) == ""
    assert did_you_mean("arm\n\x9b31mx", [names[0][:20]]).isprintable()
    with pytest.raises(px.ArgumentError) as error:
        one_of("z" * 10**6, names, "frame")
    assert len(str(error.value)) < 300 and str(error.value).isprintable()


MEANT = {
    "link2": lambda: px.forward_kinematics(ARM, [0, 0], "lnik2"),
    "inverse_dynamics": lambda: px.program(ARM, "inverse_dynamic"),
    "newton_euler": lambda: px.program(ARM, algorithm="newton_eulr"),
    "mass": lambda: px.program(ARM, parameters=["mas"]),
    "body": lambda: px.jacobian(ARM, [0, 0], coordinates="bdy"),
    "puma560": lambda: px.load("puma56"),
    "joint1": lambda: ARM.with_drives({"jiont1": {}}),
    "friction": lambda: ARM.with_drives({"joint1": {"fricton": {}}}),
    "prismatic": lambda: px.robots.Joint("a", "prizmatic"),
    "tau": lambda: px.program(ARM).jacobian("taw", "q"),
    "qdd": lambda: px.program(ARM).jacobian("tau", "qd d"),
    "optimal": lambda: px.schedule(px.TaskGraph({"a": 1}), 1, "optimum"),
    "priority": lambda: px.schedule(px.TaskGraph({"a": 1}), 1, priorty="hlf"),
    "hamilton": lambda: px.control.policy("hamiltn"),
    "float32": lambda: px.program(ARM).compile(dtype="flot32"),
    "fortran": lambda: px.program(ARM).export("x", "fortan"),
    "cuda": lambda: px.program(ARM).compile("gpu"),
    "semi_implicit_euler": lambda: px.simulate(ARM, [0, 0], [0, 0], dt=1, steps=1, method="euler"),
}


KINDS = {"ball": "spherical", "floating": "free", "hinge": "revolute", "slide": "prismatic"}
KINDS |= {"continuos": "continuous", "screw": "helical", "Ball": "spherical"}


@pytest.mark.parametrize("word", KINDS)
def test_kinds_of_joints_by_the_names_of_others(word):
    with pytest.raises(px.RobotError, match=f"did you mean '{KINDS[word]}'"):
        px.robots.Joint("a", word)


@pytest.mark.parametrize("name", MEANT)
def test_the_name_that_was_meant(name):
    with pytest.raises(px.ParaxisError, match=rf"; did you mean '{name}'\?$"):
        MEANT[name]()


def test_a_function_without_a_program():
    with pytest.raises(px.ArgumentError, match=r"has no Program; it is paraxis.inverse_kinematics"):
        px.program(ARM, "inverse_kinematics")


IN_A_MODULE = {
    "px.kinematics.inverse_kinematics": "it is paraxis.inverse_kinematics",
    "px.parallel.schedule": "it is paraxis.schedule",
    "px.parallel.TaskGraph": "it is paraxis.TaskGraph",
    "px.control.Run": "it is paraxis.simulation.Run",
    "px.robots.load": "it is paraxis.load",
    "px.math.load": "it is paraxis.load",
    "px.Joint": "it is paraxis.robots.Joint",
    "px.sin": "it is paraxis.math.sin",
    "px.simulat": "did you mean 'simulate'?",
    "px.math.arcsin": "it is paraxis.math.asin",
    "px.math.abs": "it is paraxis.math.absolute",
    "px.math.where": "it is paraxis.math.select",
    "px.math.multiply": "write x * y",
    "px.math.power": "write x**n",
    "px.math.log10": "write px.math.log(x) / np.log(10)",
    "px.math.clip": "np.clip takes traced values too",
    "px.math.sine": "did you mean 'sin'?",
}


@pytest.mark.parametrize("words", IN_A_MODULE)
def test_a_name_that_a_module_does_not_have(words):
    path, _, name = words.rpartition(".")
    module = path.replace("px", "paraxis")
    with pytest.raises(AttributeError) as error:
        getattr(importlib.import_module(module), name)
    assert str(error.value) == (
        f"module {module!r} has no attribute {name!r}; {IN_A_MODULE[words]}"
    )
    assert not hasattr(px.math, "fma") and not hasattr(px.math, "_private")


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_framework_that_was_not_imported(framework):
    script(f"""
        import paraxis
        try:
            paraxis.{framework}
        except AttributeError as error:
            assert str(error).endswith("; write import paraxis.{framework} first"), error
        else:
            raise AssertionError("expected an error")
    """)


COMMANDS = {
    "info": ["inof", "ur5"],
    "ur5": ["info", "ur-5"],
    "--method": ["schedule", "ur5", "--processors", "2", "--methd", "list"],
    "--tip": ["info", "ur5", "--tpi=tool0"],
    "heft": ["schedule", "ur5", "--processors", "2", "--method", "hefd"],
    "counts": ["report", "count"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_word_of_a_command_that_was_meant(name, capsys):
    assert main(COMMANDS[name]) == 2
    assert f"; did you mean '{name}'?" in capsys.readouterr().err


def test_a_kind_of_joint_that_does_not_exist():
    expected = "joint 'a' kind: expected one of 'revolute', 'continuous', 'prismatic', .* found "
    for kind in ("ball", "floating", None, ["revolute"]):
        with pytest.raises(px.RobotError, match=expected):
            px.robots.Joint("a", kind)


def gripper(*ends):
    """A hand that carries fingers."""
    joints = [
        px.robots.Joint("wrist", "revolute"),
        *(px.robots.Joint(f"{e}_j", "prismatic", 0) for e in ends),
    ]
    frames = [px.robots.Frame("base", -1), px.robots.Frame("wrist", 0), px.robots.Frame("hand", 0)]
    frames += [px.robots.Frame(end, i + 1) for i, end in enumerate(ends)]
    return px.Robot("gripper", joints, [px.robots.Inertia(1.0)] * len(joints), frames, warn=False)


def test_a_robot_with_fingers_points_at_its_hand():
    with pytest.raises(px.RobotError) as error:
        px.jacobian(gripper("left", "right"), [0, 0, 0])
    assert str(error.value) == (
        "robot 'gripper' has 2 tips, so name a frame: 'hand', 'wrist' (carrying all of them), or "
        "'left', 'right'"
    )
    assert gripper("left").tool().name == "left"
