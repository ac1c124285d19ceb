"""Exported source under sanitizers: built with -fsanitize=address,undefined, its self-test run.

C, the CUDA text as C++, schedules as parts on threads and, where gfortran is installed, Fortran: of
random robots, functions, parameters and dtypes. Warnings are errors.
"""

import shutil
import subprocess

import pytest
from support.counting import case, report, scaled
from support.robots import random_robot

import paraxis as px
from paraxis.robot_functions import MATTERS

SANITIZE = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Werror"
COMPILERS = {
    "c": ["gcc", "-std=c99", "-pedantic"],
    "cuda": ["g++", "-x", "c++", "-std=c++11", "-Wno-unknown-pragmas"],
    "fortran": ["gfortran", "-std=f2008"],
}
SLOW = ("forward_dynamics_derivatives", "operational_space_inertia")  # to find the cheapest of


def random_program(rng):
    """A function of a small random robot, some of its parameters as inputs."""
    function = rng.choice([name for name in px.functions() if name not in SLOW])
    robot = random_robot(rng, (1, 4))
    parameters = [name for name in MATTERS[function] if rng.random() < 0.2]
    algorithm = None if robot.n < 3 else px.algorithms(function)[0]
    about = ("jacobian", "bias_acceleration", "forward_kinematics")
    frame = "f0" if function in about or function.startswith("operational") else None
    return px.program(robot, function, algorithm, parameters, frame)


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def built_and_run(compiler, options, sources, folder):
    """Build the files of these endings and run the self-test among them."""
    flags = [*SANITIZE.split(), *options]
    run([compiler, *flags, *sources, "-lm", "-o", str(folder / "checked")], folder)
    run([str(folder / "checked")], folder)


@pytest.mark.parametrize("language", COMPILERS)
def test_exported_programs(language, tmp_path, record_property):
    compiler, *options = COMPILERS[language]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for k in range(scaled(80)):
        with case("sanitizers", language, k) as rng:
            program, dtype = random_program(rng), rng.choice(("float64", "float32"))
            exported = program.export(str(tmp_path / str(k)), language, "f", dtype)
            ending = {"c": ".c", "cuda": "_test.cu", "fortran": ".f90"}[language]
            sources = [path for path in exported.paths if path.endswith(ending)]
            built_and_run(compiler, options, sources, tmp_path / str(k))
    report(record_property, scaled(80), "exported programs under sanitizers")


def test_exported_schedules(tmp_path, record_property):
    """Programs in parts, each on a thread of its own."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    for k in range(scaled(40)):
        with case("sanitizers", "parts", k) as rng:
            tasks = px.TaskGraph.from_program(random_program(rng))
            schedule = px.schedule(tasks, rng.randint(1, 4))
            exported = schedule.export(str(tmp_path / str(k)), "f")
            sources = [path for path in exported.paths if path.endswith(".c")]
            built_and_run("gcc", ["-std=c11", "-pthread"], sources, tmp_path / str(k))
    report(record_property, scaled(40), "exported programs under sanitizers")
