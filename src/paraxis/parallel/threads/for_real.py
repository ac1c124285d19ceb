"""A schedule of a Program on the processors of a machine: as threads, or as C for each core."""

from ...targets.cpu.map import ELEMENTS
from ...targets.cpu.parts import compile_parts
from ...targets.cpu.text.parts import room
from ...targets.number import checked_dtype
from ...targets.source import c_parts
from ...targets.source.files import write_parts
from .division import divided


def compiled(schedule, dtype="float64"):
    """A kernel; with tasks on one processor only, one as any Program's."""
    dtype = checked_dtype(dtype)
    parts, lines = divided(schedule, room(ELEMENTS[dtype]))
    program = schedule.tasks.program
    if len(parts) == 1:
        return program.compile(dtype=dtype, threads=1)
    return compile_parts(program.graph, parts, len(lines), dtype)


def c_source(schedule, name=None, dtype="float64"):
    """The text of a C file."""
    dtype = checked_dtype(dtype)
    parts, _ = divided(schedule, c_parts.room(dtype))
    return c_parts.source(schedule.tasks.program.graph, parts, name, dtype)


def exported(schedule, folder, name=None, dtype="float64"):
    """Source, header and self-test as files."""
    dtype = checked_dtype(dtype)
    parts, _ = divided(schedule, c_parts.room(dtype))
    return write_parts(schedule.tasks.program.graph, parts, folder, name, dtype)
