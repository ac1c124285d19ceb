"""Descriptions that other Python packages hold: robot_descriptions, yourdfpy, xacrodoc."""

import os

from ...checks import quoted, shown
from ...errors import MissingPackageError, RobotError

MOST = 500  # characters of the words of another package


def path_of_module(module):
    """The path that a module of robot_descriptions names, and the arguments of a xacro file."""
    for name in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        path = getattr(module, name, None)
        if isinstance(path, str | os.PathLike):
            arguments = getattr(module, "XACRO_ARGS", None) if name == "XACRO_PATH" else None
            return path, arguments
    raise RobotError(
        f"module {quoted(module.__name__)}: expected a module of robot_descriptions, with a "
        "URDF_PATH or an MJCF_PATH, found none of them"
    )


def text_of_yourdfpy(urdf):
    """The URDF of a yourdfpy.URDF, as it writes it."""
    text = urdf.write_xml_string()
    return text.decode() if isinstance(text, bytes) else text


def expanded(path, arguments=None):
    """The URDF that a xacro file becomes. Unlike URDF, xacro is code: it may read other files."""
    try:
        from xacrodoc import XacroDoc
    except ImportError:
        raise MissingPackageError(
            "a .xacro file needs xacrodoc: pip install xacrodoc; or expand it to URDF with xacro"
        ) from None
    if not os.path.isfile(path):
        raise RobotError("no such file; expected a xacro file")
    try:
        document = XacroDoc.from_file(os.fsdecode(path), subargs=arguments)
        return document.to_urdf_string()
    except Exception as error:  # xacro evaluates expressions, and raises whatever these raise
        words = shown(" ".join(f"{type(error).__name__}: {error}".split()), MOST)
        raise RobotError(f"xacro cannot expand it: {words}") from None
