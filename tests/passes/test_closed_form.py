"""Graphs multiplied out: the terms, what they are equal to, and how they are written."""

import ctypes
import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from support.robots import pinocchio_torques, random_robot, relative_error, robots, states

import paraxis as px
from paraxis.dynamics.equations import ClosedForm
from paraxis.dynamics.formula import Text
from paraxis.graph.trace import trace
from paraxis.passes.angle_sums import angle_sums
from paraxis.passes.expand import LIMIT, expand
from paraxis.physics import ALGORITHMS
from paraxis.robots.model import PARAMETERS, Model

DATA = Path(__file__).parents[1] / "data"


def closed_form(robot, algorithm="spatial", parameters=()):
    """From inverse dynamics: M by unit accelerations at rest without gravity, h by none."""
    recursion, n = ALGORITHMS["inverse_dynamics"][algorithm], robot.n
    shapes = {
        name: tuple(n if size == "n" else size for size in PARAMETERS[name]) for name in parameters
    }

    def mass_matrix(q, **values):
        values = {name: v for name, v in values.items() if name != "gravity"}
        model = Model(robot.with_gravity((0, 0, 0)), values)
        rows = [recursion(model, q, [0.0] * n, [float(i == j) for i in range(n)]) for j in range(n)]
        return {"M": rows}

    def bias_forces(q, qd, **values):
        return {"h": recursion(Model(robot, values), q, qd, [0.0] * n)}

    return ClosedForm.of(
        trace(mass_matrix, {"q": (n,)} | shapes),
        trace(bias_forces, {"q": (n,), "qd": (n,)} | shapes),
        robot.joint_names,
        [not joint.is_revolute for joint in robot.joints],
    )


def expanded(function, **shapes):
    """The terms of the one output of a function, as {product: coefficient}."""
    graph = trace(function, {name: (size,) for name, size in shapes.items()})
    ((terms, *_),) = expand(graph).values()
    return named(terms, graph.inputs)


def named(terms, inputs):
    notation = Text(inputs)
    return {"*".join(notation.powers(factors)): coefficient for coefficient, factors in terms}


# -- the expansion ---------------------------------------------------------------------------------


def test_products_are_multiplied_out_and_collected():
    assert expanded(lambda x: (x[0] + 2 * x[1]) * (x[0] - 2 * x[1]) + 3, x=2) == {
        "": 3,
        "x1^2": 1,
        "x2^2": -4,
    }


def test_a_cosine_stands_at_most_once_in_a_product():
    assert expanded(lambda q: px.math.cos(q[0]) ** 2, q=1) == {"": 1, "s1^2": -1}
    assert expanded(lambda q: px.math.cos(q[0]) ** 2 + px.math.sin(q[0]) ** 2, q=1) == {"": 1}
    both = expanded(lambda q: px.math.cos(q[0]) ** 3 * px.math.cos(q[1]) ** 2, q=2)
    assert both == {"c1": 1, "c1*s1^2": -1, "c1*s2^2": -1, "c1*s1^2*s2^2": 1}


def test_sums_of_angles_are_taken_apart():
    def together(q):
        return px.math.sin(q[0] - 2 * q[1] + 0.5)

    def apart(q):
        s, c = px.math.sin(q[0]), px.math.cos(q[0])
        s2, c2 = 2 * px.math.sin(q[1]) * px.math.cos(q[1]), 1 - 2 * px.math.sin(q[1]) ** 2
        return (s * c2 - c * s2) * math.cos(0.5) + (c * c2 + s * s2) * math.sin(0.5)

    assert expanded(together, q=2) == pytest.approx(expanded(apart, q=2), rel=1e-14)


def test_rounding_errors_are_dropped_and_small_terms_are_not():
    assert expanded(lambda x: 0.1 * x[0] + 0.2 * x[0] - 0.3 * x[0] + 1e-20 * x[1], x=2) == {
        "x2": 1e-20
    }


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda q: q[0] / q[1], "sin and cos can be multiplied out, found /"),
        (lambda q: px.math.sqrt(q[0]), "found sqrt"),
        (lambda q: px.math.maximum(q[0], 1.0), "found maximum"),
        (lambda q: px.math.sin(q[0] * q[1]), "integer multiples of inputs"),
        (lambda q: px.math.sin(0.5 * q[0]), "integer multiples of inputs"),
        (lambda q: q[0] ** 128, "powers higher than 127"),
    ],
)
def test_what_cannot_be_multiplied_out_is_refused(function, reason):
    graph = trace(lambda q: {"fine": q[0], "bad": [q[1], function(q)]}, {"q": (2,)})
    with pytest.raises(px.ProgramError, match=f"output 'bad', entry 1: .*{reason}"):
        expand(graph)


@pytest.mark.parametrize(("joints", "output"), [(20, "M"), (7, "h")])
def test_too_many_terms_are_refused(joints, output):
    limit = f"output '{output}', entry 0: multiplied out it has more than {LIMIT} terms"
    with pytest.raises(px.ProgramError, match=limit):
        closed_form(px.robots.chain(joints))


@pytest.mark.parametrize("seed", [2, 13, 15, 22])
@pytest.mark.long
def test_every_algorithm_expands_to_the_same_terms(seed):
    robot = random_robot(seed, joints=(4, 4))
    assert not robot.branching  # some algorithms are for chains
    first, *others = (closed_form(robot, name) for name in ALGORITHMS["inverse_dynamics"])
    for other in others:
        for ours, theirs in zip((*first.M, first.h), (*other.M, other.h), strict=True):
            for one, two in zip(ours, theirs, strict=True):
                one, two = named(one, first.inputs), named(two, first.inputs)
                largest = max((abs(c) for c in one.values()), default=0)
                for product in one.keys() | two.keys():
                    error = abs(one.get(product, 0) - two.get(product, 0))
                    assert error <= 1e-12 * largest, product


# -- the equations of motion -----------------------------------------------------------------------


@settings(max_examples=40)
@given(robots(joints=(1, 4)))
def test_the_closed_form_moves_as_the_robot(robot):
    q, qd, qdd = states(robot)
    form = closed_form(robot)
    reference = pinocchio_torques(robot, q, qd, qdd)
    for written in (form, form.angle_sums()):
        value = written.program().evaluate(q=q, qd=qd)
        torques = np.einsum("bij,bj->bi", value["M"], qdd) + value["h"]
        assert relative_error(torques, reference) < 1e-11


def test_the_closed_form_compiles():
    robot = random_robot(13, joints=(4, 4))
    q, qd, qdd = states(robot)
    M, h = closed_form(robot).program().compile()(q, qd)
    torques = np.einsum("bij,bj->bi", M, qdd) + h
    assert relative_error(torques, px.inverse_dynamics(robot, q, qd, qdd)) < 1e-12


def test_gravity_stands_apart():
    robot = px.robots.planar(3)
    form, weightless = closed_form(robot), closed_form(robot.with_gravity((0, 0, 0)))
    assert form.coriolis == weightless.h
    assert [len(entry) for entry in weightless.gravity] == [0, 0, 0]
    for all_, moving, still in zip(form.h, form.coriolis, form.gravity, strict=True):
        assert sorted(all_) == sorted(moving + still)


def test_sums_of_angles_expand_back():
    form = closed_form(random_robot(15, joints=(4, 4)))
    back = expand(form.angle_sums().program().graph)["h"]
    for entry, again in zip(form.h, back, strict=True):
        again = named(again, form.inputs)
        assert again == pytest.approx(named(entry, form.inputs), rel=1e-9, abs=1e-12)


def test_parallel_axes_have_few_sums_of_angles():
    for n in (2, 3, 4):
        gravity = [angle_sums(entry) for entry in closed_form(px.robots.planar(n)).gravity]
        assert [len(entry) for entry in gravity] == list(range(n, 0, -1))  # c1, c12, c123, ...


def test_rounded_right_angles_can_be_cleared_away():
    """A description that writes a right angle with 12 digits has terms of that size."""
    form = closed_form(px.load("ur5", snap=0).subchain("forearm_link", drop_rest=True))
    assert form.rounded().terms < form.terms
    sizes = [abs(c) for entry in form.rounded().h for c, _ in entry]
    assert min(sizes) > 1e-3 > 1e-9 > min(abs(c) for entry in form.h for c, _ in entry)


def boom_and_finger(length=1.0, mass=1.0, right=1.57079632679):
    """A crane's boom, a telescope, and a finger far lighter; its right angles are rounded."""
    rows = [(0, 0, 0, 0), (-right, 0, 0.4 * length, 0), (right, 0, 0.3 * length, right)]
    rows += [(-right, 0.2 * length, 0, 0)]
    links = [
        (1e3 * mass, (0, 0.1 * length, 0), np.array([90.0, 80, 100]) * mass * length**2),
        (1e2 * mass, (0, 0, 0.2 * length), np.array([9.0, 8, 7]) * mass * length**2),
        (10 * mass, (0, 0.1 * length, 0), np.array([0.9, 0.8, 1.0]) * mass * length**2),
        (1e-6 * mass, (1e-2 * length, 0, 0), np.array([1e-10, 3e-10, 2e-10]) * mass * length**2),
    ]
    kinds, gravity = ["revolute", "revolute", "prismatic", "revolute"], (0, 0, -9.81 * length)
    return px.Robot.from_dh(rows, links, kinds=kinds, gravity=gravity, warn=False)


def test_what_is_left_out_is_rounding_whatever_the_units_and_the_size_of_a_link():
    """The same terms stay as of a robot whose right angles are exact, in every unit."""

    def kept(form):
        return {
            (place, factors)
            for place, entry in [*enumerate(form.h), *enumerate(sum(form.M, ()), start=10)]
            for _, factors in entry
        }

    exact = px.closed_form(boom_and_finger(right=np.pi / 2))
    of_finger = exact.M[3][3][0].coefficient
    assert 0 < of_finger < 1e-11 * exact.M[0][0][0].coefficient
    assert len(exact.h[3]) > 5 and len(exact.gravity[3]) > 0
    for length, mass in ((1, 1), (1e3, 1e6), (1e-3, 1e-3), (1e3, 1)):
        form = px.closed_form(boom_and_finger(length, mass))
        assert kept(form) == kept(exact)
        assert len(form.dropped) > len(exact.dropped) and form.dropped[0].share < 1e-9
        assert f"left out as rounding: {len(form.dropped)} terms, at most" in str(form)


def test_every_term_is_either_kept_or_listed():
    robot = px.load("ur5", snap=0).subchain("forearm_link")
    every, form = closed_form(robot), px.closed_form(robot)
    assert form.terms + len(form.dropped) == every.terms
    entry, term, share = form.dropped[0]
    assert share == max(each.share for each in form.dropped) < 1e-9
    place = [int(number) - 1 for number in re.findall(r"\d+", entry)]
    among = every.h[place[0]] if entry[0] == "h" else every.M[place[0]][place[1]]
    assert term.factors in [each.factors for each in among]
    assert repr(form).endswith(f"terms, {len(form.dropped)} left out>")


def test_two_rods_as_in_the_textbook():
    """Two links with masses m, centres at c along x, inertias I about the hinge's direction, the
    second hinge at l (Craig; Spong and Vidyasagar), every parameter a symbol."""
    form = closed_form(
        px.robots.planar(2), parameters=("mass", "com", "inertia", "origin", "gravity")
    )
    rod = {"com1_1", "com2_1", "inertia1_2", "inertia2_2", "origin2_1", "gravity3"}

    def of_rods(entry):
        """Without the terms of parameters that a rod along x has none of."""
        found = {}
        for product, coefficient in named(entry, form.inputs).items():
            factors = {factor.split("^")[0] for factor in product.split("*")}
            parameters = {f for f in factors if f.startswith(("com", "iner", "orig", "grav"))}
            if parameters <= rod:
                found[product] = pytest.approx(coefficient, rel=1e-15)
        return found

    assert of_rods(form.M[0][0]) == {
        "inertia1_2": 1,
        "inertia2_2": 1,
        "com1_1^2*mass1": 1,
        "com2_1^2*mass2": 1,
        "mass2*origin2_1^2": 1,
        "com2_1*mass2*origin2_1*c2": 2,
    }
    assert of_rods(form.M[0][1]) == {
        "inertia2_2": 1,
        "com2_1^2*mass2": 1,
        "com2_1*mass2*origin2_1*c2": 1,
    }
    assert of_rods(form.M[1][1]) == {"inertia2_2": 1, "com2_1^2*mass2": 1}
    assert of_rods(form.coriolis[0]) == {
        "com2_1*mass2*origin2_1*s2*qd1*qd2": -2,
        "com2_1*mass2*origin2_1*s2*qd2^2": -1,
    }
    assert of_rods(form.coriolis[1]) == {"com2_1*mass2*origin2_1*s2*qd1^2": 1}
    assert of_rods(angle_sums(form.gravity[0])) == {
        "com1_1*gravity3*mass1*c1": -1,
        "gravity3*mass2*origin2_1*c1": -1,
        "com2_1*gravity3*mass2*c12": -1,
    }
    assert of_rods(angle_sums(form.gravity[1])) == {"com2_1*gravity3*mass2*c12": -1}


# -- the thesis ------------------------------------------------------------------------------------


def thesis_arm(mass):
    """The arm behind the closed form that Dhanaraj prints for PUMA's first three joints (D.4).

    It is the arm of appendix D.1.2 with the payload of that program, m4, set to 10 kg at
    p4 = (0, -0.4318, 0), and rounded to four decimals before it was typed into the generator:
    the centre of mass (6.05 * 0.07 + 10 * 0.4318) / 16.05 = 0.2954, and 10 * 0.4318^2 = 1.8645
    more inertia about x and z. That program uses the sum as if it were about the centre of mass,
    which counts the payload twice.
    """
    right = math.pi / 2
    rows = [(0, 0, 0, 0), (-right, 0, 0.2435, 0), (0, 0.4318, -0.0934, 0)]
    links = [
        (0, (0, 0, 0), (0, 0, 1.49)),
        (17.4, (-0.068, 0, 0), (0.13, 0.524, 5.249)),
        (mass, (0, -0.2954, 0), (0.192 + 1.8645, 0.0154, 1.042 + 1.8645)),
    ]
    return px.Robot.from_dh(rows, links, gravity=(0, 0, -9.8), warn=False)


def thesis_mismatch(printed, entries, inputs):
    """The largest difference of a coefficient, over what seven printed digits leave open; the
    products themselves must be the same."""
    worst = 0.0
    for place, entry in entries.items():
        factor, terms = printed[place]["factor"], printed[place]["terms"]
        ours = {product.replace("qd", "v"): c for product, c in named(entry, inputs).items()}
        assert ours.keys() == terms.keys(), place
        for product, coefficient in terms.items():
            error = abs(ours[product] / factor - coefficient)
            worst = max(worst, error / (1e-7 + 1e-6 * abs(coefficient)))
    return worst


def test_the_thesis_prints_the_same_terms():
    """All 25 printed terms of M and 43 of h. M is of an arm whose third link has 16.04 kg, h of
    one with 16.05 kg: the generator was run twice, and once with a slip of the pen."""
    printed = json.loads((DATA / "puma3_closed_form.json").read_text())
    mismatch = {}
    for mass in (16.04, 16.05):
        form = closed_form(thesis_arm(mass))
        M = {f"{i + 1},{j + 1}": form.M[i][j] for i in range(3) for j in range(3)}
        h = {f"{i + 1}": entry for i, entry in enumerate(form.h)}
        assert M.keys() == printed["M"].keys() and h.keys() == printed["h"].keys()
        mismatch[mass] = [
            thesis_mismatch(printed[name], entries, form.inputs)
            for name, entries in (("M", M), ("h", h))
        ]
    assert mismatch[16.04][0] < 1 < 100 < mismatch[16.04][1]
    assert mismatch[16.05][1] < 1 < 100 < mismatch[16.05][0]


# -- how it is written -----------------------------------------------------------------------------


def test_text():
    form = closed_form(px.robots.planar(2))
    assert str(form) == (
        "M(q) qdd + h(q, qd) = tau: 13 terms; joints 1 joint1, 2 joint2\n"
        "M[1,1] = 1.66667 + c2\n"
        "M[1,2] = M[2,1] = 0.333333 + 0.5*c2\n"
        "M[2,2] = 0.333333\n"
        "h[1] = g[1] - s2*qd1*qd2 - 0.5*s2*qd2^2\n"
        "h[2] = g[2] + 0.5*s2*qd1^2\n"
        "g[1] = 14.715*c1 + 4.905*c1*c2 - 4.905*s1*s2\n"
        "g[2] = 4.905*c1*c2 - 4.905*s1*s2\n"
    )
    assert form.text(digits=3).splitlines()[-1] == "g[2] = 4.91*c1*c2 - 4.91*s1*s2"
    assert str(form.angle_sums()).splitlines()[-2:] == [
        "g[1] = 14.715*c1 + 4.905*c12",
        "g[2] = 4.905*c12",
    ]
    assert repr(form) == "<ClosedForm of 2 joints: 13 terms>"


def test_long_sums_are_broken_before_brackets():
    lines = str(
        closed_form(px.load("puma560").subchain("link3", drop_rest=True)).angle_sums()
    ).splitlines()
    assert max(map(len, lines)) <= 96
    at = next(k for k, line in enumerate(lines) if line.startswith("h[1]"))
    assert lines[at : at + 4] == [
        "h[1] = qd1*qd2*(-0.0141984*c22 - 1.3688*s22 + 0.29017*c223 + 0.07702*s2233)",
        "    + qd1*qd3*(0.145085*c223 + 0.07702*s2233 + 0.145085*c3)",
        "    + qd2^2*(0.609298*c2 - 0.023751*s2 + 0.0551376*s23) + 0.110275*s23*qd2*qd3",
        "    + 0.0551376*s23*qd3^2",
    ]


def test_names_of_sums_of_angles():
    def name(function, n=3):
        graph = trace(function, {"q": (n,)})
        (((_, factors),),) = (angle_sums(terms) for (terms,) in expand(graph).values())
        return "*".join(Text(graph.inputs).powers(factors))

    assert name(lambda q: px.math.cos(2 * q[1] + q[2])) == "c223"
    assert name(lambda q: px.math.sin(q[0] - q[2])) == "s1m3"
    assert name(lambda q: px.math.sin(q[0] + q[2]), n=12) == "s1_3"  # s13 would be joint 13
    assert name(lambda q: px.math.sin(q[10]), n=12) == "s11"


def test_latex():
    robot = px.load("stanford").subchain("link3", drop_rest=True)
    lines = closed_form(robot).latex(digits=4).splitlines()
    assert lines[0] == r"\begin{align*}" and lines[-1] == r"\end{align*}"
    assert lines[1] == (
        r"M_{1,1} ={}& 1.544 + 4.284\,s_{2}^{2} + 5.48\,s_{2}^{2}\,q_{3}"
        r" + 4.25\,s_{2}^{2}\,q_{3}^{2} \\"
    )
    assert lines[-7:-5] == [
        r"h_{3} ={}& g_{3} \\",
        r"& + \dot q_{1}^{2}\,(-2.74\,s_{2}^{2} - 4.25\,s_{2}^{2}\,q_{3}) \\",
    ]
    assert lines[-2] == r"g_{3} ={}& 41.69\,c_{2}"
    small = px.robots.planar(1, mass=1e-6)
    assert r"M_{1,1} ={}& 3.33333 \cdot 10^{-7}" in closed_form(small).latex()


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran")
@pytest.mark.parametrize("sums", [False, True])
def test_fortran_computes_the_same(tmp_path, sums):
    robot = random_robot(15, joints=(4, 4))
    form = closed_form(robot)
    form = form.angle_sums() if sums else form
    source, library = tmp_path / "closed_form.f90", tmp_path / "closed_form.so"
    source.write_text(form.fortran())
    command = ["gfortran", "-std=f2008", "-Wall", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*command, source, "-o", library], check=True, capture_output=True)
    q, qd, _ = states(robot, count=1)
    M, h = np.empty((robot.n, robot.n)), np.empty(robot.n)
    arrays = [a.ctypes.data_as(ctypes.c_void_p) for a in (q, qd, M, h)]
    ctypes.CDLL(str(library)).closed_form_(*arrays)
    value = form.program().evaluate(q=q[0], qd=qd[0])
    assert relative_error(M, value["M"]) < 1e-14  # M is symmetric: rows or columns
    assert relative_error(h, value["h"]) < 1e-14


@pytest.mark.parametrize("below", (math.nan, -1, 1, 2, "a"))
def test_terms_are_left_out_below_a_share(below):
    with pytest.raises(px.ArgumentError, match="below: expected a number >= 0 and < 1"):
        px.closed_form(px.robots.planar(2)).rounded(below)
