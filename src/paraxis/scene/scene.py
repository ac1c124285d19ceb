"""`Scene`: a robot, at rest or moving, as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..checks import counted, shown
from ..drawing.interactive.page import framed
from ..robots.robot import Robot
from ..robots.shape import Shape
from .motion import Motion
from .page import scene_page

HEIGHT = 620  # pixels in a notebook


class Scene:
    """Something to look at: a robot, or robots that move. Made by `px.show` and `run.to_html`.

    In a notebook it shows itself. It is one page without any address in it: three.js, geometry
    and motion are inside.
    """

    def __init__(
        self,
        robot: Robot,
        motion: Motion,
        title: str | None = None,
        surroundings: Sequence[Shape] = (),
    ):
        self.robot, self.motion, self.surroundings = robot, motion, surroundings
        self.title = robot.name if title is None else str(title)
        self._document: str | None = None

    @property
    def html(self) -> str:
        """The whole document."""
        if self._document is None:
            self._document = scene_page(self, **self._more())
        return self._document

    def _more(self) -> dict[str, Any]:
        """What else the page holds, as of `scene_page`."""
        return {}

    def to_html(self, path: str | PathLike) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def open(self) -> Scene:
        """Show the page in a browser, from a file of its own that only this user can read."""
        import tempfile  # here: few scenes are opened, and runs know this class
        import webbrowser

        handle, path = tempfile.mkstemp(".html", "paraxis-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self.html)
        if not webbrowser.open(Path(path).as_uri()):
            print(f"There is no browser to open here; the page is in {path}")
        return self

    def _repr_html_(self) -> str:
        return framed(self.title, self.html, HEIGHT)

    def __repr__(self) -> str:
        count, robots = self.motion.q.shape[:2]
        return (
            f"<Scene {shown(self.title)}: {counted(robots, 'robot')}, {counted(count, 'moment')}>"
        )
