"""The page of the demo, opened from a disk in Chromium: the robot in it moves by itself."""

import pytest
from support.browser import browser, chromium

from paraxis.cli import main as cli

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")
INSIDE = "document.querySelector('iframe').contentWindow.paraxis"
POSE = f"JSON.stringify([...{INSIDE}.live.q])"


@pytest.mark.parametrize("width", [pytest.param(390, marks=pytest.mark.long), 1280])
def test_the_robot_moves_and_nothing_is_fetched(tmp_path, width):
    path = tmp_path / "demo.html"
    assert cli.main(["demo", "--quick", "--robot", "planar3", "-o", str(path)]) == 0
    with browser() as page:
        page.look(width=width)
        page.open(path)
        page.until(f"{INSIDE}?.frames > 2", 60)
        before = page.run(POSE)
        page.until(f"{POSE} !== {before!r}", 20)
        assert page.run("document.documentElement.scrollWidth") == width  # nothing sticks out
        asked = {each.partition(":")[0] for each in page.requests}
        assert asked <= {"file", "data", "about"} and page.requests
        assert not page.errors and not page.messages
