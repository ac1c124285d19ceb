"""STL, binary and ASCII."""

import re

import numpy as np

from ...errors import RobotError
from .mesh import MOST_TRIANGLES, Mesh, too_many

HEAD_OF_TEXT = 4096
HEAD = 84  # bytes before the triangles, the last four of which count them
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"\bvertex\s+(\S{1,40})\s+(\S{1,40})\s+(\S{1,40})")


def read_stl(data, files):
    """The one mesh of a file."""
    count = int.from_bytes(data[80:HEAD], "little") if len(data) >= HEAD else -1
    room = (len(data) - HEAD) // RECORD.itemsize
    # a binary file may begin with this word, too
    if data[:5].lower() == b"solid" and count != room and b"vertex" in data[:HEAD_OF_TEXT]:
        return [_ascii(data)]
    if count < 0 or count > room:
        raise RobotError(f"it ends after {max(room, 0):,} of {max(count, 0):,} triangles")
    corners = np.frombuffer(data, RECORD, count, HEAD)["corners"].reshape(-1, 3)
    return [Mesh(corners, np.arange(len(corners)).reshape(-1, 3))]


def _ascii(data):
    words = VERTEX.findall(data)
    if len(words) > 3 * MOST_TRIANGLES:
        raise too_many(len(words) // 3)
    try:
        corners = np.array([[float(x) for x in each] for each in words]).reshape(-1, 3)
    except ValueError:
        raise RobotError("a vertex has a word that is no number") from None
    if len(corners) % 3:
        raise RobotError(f"it has {len(corners):,} corners, which is no multiple of three")
    return Mesh(corners, np.arange(len(corners)).reshape(-1, 3))
