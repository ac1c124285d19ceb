"""Files made to take all memory or time: read, or refused with a RobotError, within stated bounds.

Each file is read in a process of its own, which may take no more than MEMORY beyond what it has
when it begins. TIME only tells a hang from work. The files are the same in every run.
"""

import multiprocessing
import random
import resource
from pathlib import Path

import pytest

from paraxis.errors import RobotError
from paraxis.robots.readers.urdf import parse_urdf
from paraxis.robots.yaml_text import parse_yaml

MB = 2**20
MEMORY = 1024 * MB
TIME = 600  # s of CPU

HEAD = (
    '<link name="a"/><link name="b"/>'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
)


WELD = '<joint name="{0}" type="fixed"><parent link="a"/><child link="b"/></joint>'
LONG = f'<link name="{"x" * 9_000}\N{GRINNING FACE}{{0}}"/>'


def urdf(inside, attributes=""):
    return f'<robot name="r" {attributes}>{HEAD}{inside}</robot>'


def numbered(pattern, count):
    return "".join(pattern.format(i) for i in range(count))


URDFS = {
    "a long namespace": lambda: urdf("<n:a/>" * 20_000, f'xmlns:n="{"u" * 200_000}"'),
    "a longer namespace": lambda: urdf("<n:a/>" * 1_000_000, f'xmlns:n="{"u" * 900_000}"'),
    "a long default namespace": lambda: urdf("<a/>" * 300_000, f'xmlns="{"u" * 2_000_000}"'),
    "namespaces inside each other": lambda: urdf(numbered('<a xmlns:p{0}="u{0}"/>', 500_000)),
    "deep": lambda: "<robot>" + "<a>" * (20 * MB),
    "deep in a link": lambda: urdf("<link name='c'>" + "<inertial>" * (4 * MB)),
    "many elements": lambda: urdf("<a/>" * (15 * MB)),
    "many names": lambda: urdf(numbered("<e{0}/>", 4_000_000)),
    "many attributes": lambda: urdf("<a " + numbered('a{0}="" ', 90_000) + "/>"),
    "many links": lambda: urdf(numbered('<link name="l{0}"/>', 2_500_000)),
    "many joints": lambda: urdf(numbered(WELD, 700_000)),
    "one element twice, and again": lambda: urdf(
        f'<link name="c"><inertial>{"<origin/>" * 3_000_000}</inertial></link>'
    ),
    "a long comment": lambda: urdf(f"<!--{'x' * (50 * MB)}-->"),
    "a long instruction": lambda: urdf(f"<?p {'x' * (50 * MB)}?>"),
    "a long text": lambda: urdf("x" * (50 * MB)),
    "a long section": lambda: urdf(f"<![CDATA[{'x' * (50 * MB)}]]>"),
    "a long tag": lambda: urdf(f"<{'x' * (50 * MB)}/>"),
    "a long name": lambda: urdf(f'<link name="{"x" * (50 * MB)}"/>'),
    "long names": lambda: urdf(numbered(LONG, 6_000)),
    "characters by number": lambda: urdf("&#65;" * (10 * MB)),
    "two bytes a character": lambda: urdf("<a/>" * (3 * MB)).encode("utf-16"),
    "nothing after the end": lambda: urdf("") + " " * (60 * MB),
}  # fmt: skip
ROOM = MB - 100
YAMLS = {
    "deep": lambda: "[" * ROOM,
    "deep by indents": lambda: "\n".join(" " * i + "a:" for i in range(1_400)),
    "many items": lambda: "[" + "1," * (ROOM // 2) + "]",
    "many keys": lambda: numbered("k{0}: 1\n", 90_000),
    "a long word": lambda: "a: " + "x" * ROOM,
    "a long quotation": lambda: 'a: "' + "\\n" * (ROOM // 2) + '"',
    "many lines of one word": lambda: "a: " + "x\n " * (ROOM // 3),
    "many keys of nothing": lambda: "? " * (ROOM // 2),
    "many documents": lambda: "---\n" * (ROOM // 4),
    "an alias of an alias": lambda: (
        "a0: &a0 x\n" + numbered("b{0}: &b{0} [*b{0}, *b{0}]\n", 30_000)
    ),
}


def bounded(read, make, answer):
    """Run in a process of its own: what was read, or the error, or what it should not raise."""
    text = make()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (TIME, TIME))
    try:
        read(text)
        answer.put("read")
    except RobotError as error:
        answer.put("refused" if len(str(error)) < 2_000 else "refused at length")
    except BaseException as error:
        answer.put(f"{type(error).__name__}: {error}"[:200])


def outcome(read, make):
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    process = context.Process(target=bounded, args=(read, make, answer))
    process.start()
    process.join()
    return "killed" if answer.empty() else answer.get()


@pytest.mark.parametrize("name", URDFS)
def test_hostile_urdf(name):
    assert outcome(parse_urdf, URDFS[name]) in ("read", "refused")


@pytest.mark.parametrize("name", YAMLS)
def test_hostile_yaml(name):
    assert outcome(parse_yaml, YAMLS[name]) in ("read", "refused")


def a_random_file(seed):
    """Several megabytes of pieces of URDF, some repeated very often, in any order."""
    rng = random.Random(seed)
    pieces = [
        *(
            "<a>",
            "</a>",
            "<link name='{0}'/>",
            "<joint/>",
            "<inertial>",
            "</inertial>",
            "<origin/>",
        ),
        *("<n{0}:a/>", "<a b{0}='{0}'/>", "<!--", "-->", "<![CDATA[", "]]>", "x", "&amp;", "&#9;"),
        *(
            "<mass value='{0}'/>",
            "<link name='l{0}'>",
            "</link>",
            "<?p ?>",
            "<a xmlns='u{0}'>",
            "<origin/>",
        ),
    ]
    parts = []
    for _ in range(rng.randint(1, 12)):
        piece, count = rng.choice(pieces), int(10 ** rng.uniform(0, 5.5))
        parts.append(numbered(piece, count) if "{" in piece else piece * count)
    attributes = rng.choice(("", f'xmlns="{"u" * int(10 ** rng.uniform(0, 6))}"'))
    text = urdf("".join(parts), attributes)
    return text if rng.random() < 0.8 else text[: rng.randrange(len(text))]


@pytest.mark.parametrize("block", range(10))
def test_random_hostile_urdf(block):
    for seed in range(20 * block, 20 * block + 20):
        found = outcome(parse_urdf, lambda seed=seed: a_random_file(seed))
        assert found in ("read", "refused"), (seed, found)


def test_a_chain_of_100_000_links_is_read():
    """30 MB, and no attack."""
    moments = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'
    link = f'<link name="l{{0}}"><inertial><mass value="1"/><inertia {moments}/></inertial></link>'
    parts = ['<robot name="r"><link name="l0"/>']
    for i in range(1, 100_001):
        parts.append(link.format(i))
        parts.append(
            f'<joint name="joint{i}" type="revolute"><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/><origin xyz="0 0 0.001" rpy="0 0 0"/><axis xyz="0 1 0"/></joint>'
        )
    robot = parse_urdf("".join(parts) + "</robot>")
    assert robot.n == 100_000 and robot.branching == []
