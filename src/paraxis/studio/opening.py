"""Robots that are opened in the studio: by a name that is known, or as the text of a file.

Someone else may be at the browser. So names are those of robots that are installed, never paths;
and of a text nothing but itself is read: its meshes are not drawn.
"""

from dataclasses import dataclass, field, replace

from ..checks import one_of, shown
from ..errors import RobotError
from ..robots.by_name import FILES, source_of
from ..robots.loading import load
from ..robots.readers.mesh_files import NOWHERE
from ..robots.readers.urdf import parse_urdf
from ..robots.robot import Robot
from ..robots.snapping import SNAP
from ..robots.zoo import ZOO
from .guard import MOST_UPLOAD
from .lines import literal
from .mjcf_text import is_mjcf, without_files
from .noticing import MOST_LETTERS, noticed

MOST_NOTES = 40


@dataclass(frozen=True)
class Opened:
    """`notes`: what is wrong with the description, in sentences. `text` is what was read of a file
    that a browser brought, and `ending` that of its name."""

    robot: Robot
    notes: list[str] = field(default_factory=list)
    text: bytes = b""
    ending: str = ".urdf"


def names():
    """The robots that can be opened by name: our own, then those of example-robot-data."""
    return [*ZOO, *sorted({*FILES} - {*ZOO})]


def by_name(name):
    """A robot that is installed; the error about another names the most similar one."""
    one_of(name, names(), "robot", RobotError)
    if name in ZOO:  # not load(name), which prefers a file of that name
        return with_notes(lambda: ZOO[name]().snapped(SNAP))
    return with_notes(load, source_of(name, ZOO))


def by_text(text):
    """The robot of a URDF or MJCF file, given as bytes."""
    if len(text) > MOST_UPLOAD:
        raise RobotError(f"the file is larger than {MOST_UPLOAD // 2**20} MiB")
    if is_mjcf(text):
        return _by_mjcf(text)
    found = with_notes(parse_urdf, text, folder=NOWHERE)
    kept = [shape for shape in found.robot.shapes if shape.kind != "mesh"]
    meshes = len(found.robot.shapes) - len(kept)
    notes = found.notes
    if meshes:
        notes = [
            *notes,
            f"Not drawn: {meshes} of its shapes, as their meshes are in other files. Of what a "
            "browser brings nothing but itself is read; `paraxis studio FILE` draws all.",
        ]
    return Opened(replace(found.robot, shapes=kept, warn=False), notes, text)


def _by_mjcf(text):
    """The same of MJCF, of which only a part reaches MuJoCo's compiler."""
    from ..robots.readers.mjcf import parse_mjcf  # here: few robots are MJCF

    kept, notes = without_files(text)
    found = with_notes(lambda: parse_mjcf(kept).snapped(SNAP))
    return Opened(found.robot, [*notes, *found.notes], kept.encode(), ".xml")


def with_notes(make, *arguments, **options):
    """What `make` opens, with the warnings about it and what it has ignored."""
    with noticed() as notes:
        robot = make(*arguments, **options)
    notes += [f"Not read: {shown(each, MOST_LETTERS)}" for each in robot.ignored]
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"{len(notes) - MOST_NOTES:,} more"]
    return Opened(robot, notes)


def line_of(source, options=None):
    """Opening a robot, as Python."""
    given = [literal(source), *(f"{name}={literal(x)}" for name, x in (options or {}).items())]
    return f"robot = px.load({', '.join(given)})"
