"""Mutated URDF files: each is refused with a ParaxisError, or is a robot whose results are finite.

Bytes are changed at random, and so is structure: elements are dropped, doubled, swapped and moved,
attributes lost, numbers replaced by ordinary and by absurd ones.
"""

import math
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from support.counting import at_most, case, memory_within, report, scaled

import paraxis as px
from paraxis.robots.readers.urdf import parse_urdf

TOGETHER = 100  # files under one guard; each is a case of its own
ORDINARY = ("0", "1", "-1", "0.5", "1e-3", "3.14159", "2", "-0.25", "1e3")
ABSURD = (
    "1e308", "-1e308", "1e-308", "5e-324", "1e154", "1e-200", "nan", "inf", "1e999", "", " ", "x",
    "0x10", "1_0", "1,5", "1 2", "1 2 3 4", "-", "٣", "9" * 400, "1e-999", "${x}", "$(arg x)",
)  # fmt: skip
NAMES = ("a", "b", "base", "", "world", "j1", "é", "a b", "x" * 300, "\x85", "\u202e")
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "")
NOISE = b"<>/=\"'&; \x00\xff\n-.e0123456789![]CDATA?"


def link(name, mass="1.5"):
    return (
        f'<link name="{name}"><inertial><origin xyz="0.1 0 0.2" rpy="0 0.3 0"/>'
        f'<mass value="{mass}"/><inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0" '
        'iyz="-0.02"/></inertial><visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    )


def joint(name, kind, parent, child):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        '<origin xyz="0 0.1 0.3" rpy="1.57 0 0.2"/><axis xyz="0 0.6 0.8"/>'
        '<limit lower="-1" upper="2" velocity="3" effort="40"/>'
        '<dynamics damping="0.1" friction="0.2"/></joint>'
    )


def document(*parts):
    return f'<?xml version="1.0"?><robot name="r">{"".join(parts)}</robot>'


SEEDS = {
    "tree": document(
        *map(link, "abcde"),
        joint("j1", "revolute", "a", "b"),
        joint("j2", "prismatic", "b", "c"),
        joint("j3", "fixed", "c", "d"),
        joint("j4", "continuous", "b", "e"),
    ),
    "pendulum": document(link("a"), link("b"), joint("j1", "revolute", "a", "b")),
    "massless": document(
        '<link name="base"/>', link("a", "0"), link("b"),
        joint("j1", "continuous", "base", "a"), joint("j2", "revolute", "a", "b"),
    ),
}  # fmt: skip


# -- mutations -------------------------------------------------------------------------------------


def noisy(rng, text):
    """Some bytes lost, changed, doubled or put elsewhere."""
    data = bytearray(text.encode())
    for _ in range(rng.choice((1, 1, 2, 5))):
        k = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                del data[k : k + rng.choice((1, 1, 8, 60))]
            case 1:
                data[k] = rng.choice(NOISE)
            case 2:
                data[k:k] = data[k : k + rng.choice((1, 20, 200))]
            case _:
                data[k:k] = bytes(rng.choice(NOISE) for _ in range(rng.randint(1, 4)))
    return bytes(data)


def restructured(rng, text):
    """Well-formed XML in which something else is written."""
    root = ElementTree.fromstring(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        holders = [element for element in root.iter() if len(element)]
        holder = rng.choice(holders)
        child = rng.choice(list(holder))
        with_attributes = [element for element in root.iter() if element.attrib]
        element = rng.choice(with_attributes or [root])
        key = rng.choice([*element.attrib, "name", "xyz"])
        match rng.randrange(8):
            case 0 if len(root) > 1:
                holder.remove(child)
            case 1:
                holder.append(child)
            case 2:
                rng.choice([each for each in root.iter() if each is not child]).append(
                    ElementTree.Element(child.tag, child.attrib)
                )
            case 3:
                element.attrib.pop(key, None)
            case 4:
                child.tag = rng.choice(("link", "joint", "inertial", "origin", "mass", "xacro:x"))
            case 5:
                element.set(key, rng.choice((*NAMES, *KINDS)))
            case 6:
                element.set(key, rng.choice(ABSURD))
            case _:
                count = len(element.get(key, "").split())
                element.set(key, " ".join(rng.choice(ORDINARY) for _ in range(max(1, count))))
    return ElementTree.tostring(root, rng.choice(("unicode", "utf-8", "utf-16")))


# -- the check -------------------------------------------------------------------------------------


def is_moderate(robot):
    """Whether its numbers are such that no result should overflow."""
    numbers = []
    for joint, body in zip(robot.joints, robot.inertias, strict=True):
        numbers += [*joint.placement.translation, body.mass, *body.com, *body.about_com]
        numbers += [joint.friction.viscous, joint.friction.coulomb]
    return all(abs(number) < 1e12 for number in numbers)


def check(text, rng):
    """Whether it was read. Of a robot, torques and energy in a random state are computed."""
    try:
        robot = parse_urdf(text)
    except px.ParaxisError as error:
        assert len(str(error)) < 3000
        return False
    assert robot.n >= 1 and all(math.isfinite(body.mass) for body in robot.inertias)
    str(robot), repr(robot)
    if rng.random() < 0.15 and is_moderate(robot):
        q, qd, qdd = np.array([[rng.uniform(-2, 2) for _ in range(robot.n)] for _ in range(3)])
        for function, arrays in (
            ("inverse_dynamics", {"q": q, "qd": qd, "qdd": qdd}),
            ("kinetic_energy", {"q": q, "qd": qd}),
        ):
            program = px.program(robot, function, px.algorithms(function)[0])
            assert np.isfinite(program.evaluate(**arrays)).all(), function
    return True


@pytest.mark.parametrize("mutation", [noisy, restructured])
def test_urdfs(mutation, record_property):
    read, tried, texts = 0, 0, list(SEEDS.values())
    with warnings.catch_warnings(), memory_within(megabytes=1024):
        warnings.simplefilter("ignore", px.RobotWarning)
        for k in range(0, scaled(15_000), TOGETHER):
            with at_most(seconds=600):
                for each in range(k, k + TOGETHER):
                    with case("urdfs", mutation.__name__, each) as rng:
                        read += check(mutation(rng, rng.choice(texts)), rng)
                        tried += 1
    assert 0 < read < tried
    report(record_property, tried, "mutated URDFs")
