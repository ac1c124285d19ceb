"""The studio opened in Chromium: a robot is drawn, a slider moves it, names are only text."""

import io
import json
import time
from dataclasses import replace

import numpy as np
import pytest
from support.browser import browser, chromium

from paraxis.studio.opening import Opened, by_name, line_of
from paraxis.studio.studio import Studio

pytest.importorskip("viser", reason="viser is not installed")
pytestmark = [
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here"),
    # what viser says when it sends something to who has just gone
    pytest.mark.filterwarnings("ignore:Queued a .* on a closed connection"),
]

HOSTILE = "<img src=http://example.org/x onerror=window.hurt=1>[a](javascript:alert(1))`*"


@pytest.fixture(scope="module")
def page():
    with browser() as found:
        yield found


def shown(page, studio, word):
    """The studio once a word is in its panel, and its one panel here."""
    page.errors.clear(), page.messages.clear(), page.requests.clear()
    page.look(width=1000, height=600)
    page.send("Page.navigate", url=studio.url)
    page.until(f"document.body?.innerText.includes({json.dumps(word)})", 60)
    (panel,) = studio.panels.values()
    return panel


def picture(page):
    """What the scene shows beside the panel, as red, green and blue."""
    from PIL import Image

    whole = np.asarray(Image.open(io.BytesIO(page.picture())).convert("RGB")).astype(int)
    return whole[150:, :600]


def until_it_shows(page, condition, seconds=40):
    """Pictures until one is as it should be; that one."""
    end = time.monotonic() + seconds
    while not condition(found := picture(page)):
        assert time.monotonic() < end, f"not in {seconds} s"
    return found


def coloured(found):
    """How many points have the colours of joints: the ground and the links are grey."""
    return int((found.max(-1) - found.min(-1) > 60).sum())


def click(page, text):
    """Click the innermost element with that text."""
    at = page.run(
        "(t => { const e = [...document.querySelectorAll('*')]"
        ".filter(e => e.innerText?.trim() == t && e.getClientRects().length).pop();"
        "const b = e?.getBoundingClientRect(); return b && [b.x + b.width / 2, b.y + b.height / 2]"
        f"}})({json.dumps(text)})"
    )
    assert at, text
    page.drag(at)


def test_a_robot_is_drawn_and_a_slider_moves_it(page, tmp_path):
    studio = Studio(by_name("planar3"), line_of("planar3"), folder=tmp_path)
    try:
        panel = shown(page, studio, "joint1")
        first = until_it_shows(page, lambda found: coloured(found) > 300)
        thumb = "document.querySelector('.mantine-Slider-thumb').getBoundingClientRect()"
        at = page.run(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({thumb})")
        page.drag(at, (at[0] + 10, at[1]), (at[0] + 30, at[1]))
        end = time.monotonic() + 20
        while not panel.work.q[0] > 0.1:
            assert time.monotonic() < end, panel.work.q
            page.run("1")
        moved = until_it_shows(page, lambda found: (abs(found - first).max(-1) > 60).sum() > 300)
        assert coloured(moved) > 300
        click(page, "Simulate")
        page.until("document.body.innerText.includes('driven by')")
        click(page, "Simulate")  # the tab is the first of that name, the button the last
        page.until("document.body.innerText.includes('<Run: 1 robot')", 60)
        assert "px.simulate(" in panel.work.journal.text and panel.player.span == 2.0
        said = [each for each in page.messages if each[0] == "error"]
        own = f"http://127.0.0.1:{studio.served.port}/"
        assert not page.errors and not said
        assert all(each.startswith((own, "data:", f"blob:{own}")) for each in page.requests)
    finally:
        studio.stop()


@pytest.mark.long
def test_names_are_no_script(page, tmp_path):
    robot = by_name("planar3").robot
    joints = [replace(each, name=f"{HOSTILE}{k}") for k, each in enumerate(robot.joints)]
    robot = replace(robot, name=HOSTILE, joints=joints, warn=False)
    studio = Studio(Opened(robot, [HOSTILE]), "robot = None", folder=tmp_path)
    try:
        shown(page, studio, "onerror")
        until_it_shows(page, lambda found: coloured(found) > 300)
        assert not page.run("window.hurt") and not page.errors
        inside = "[...document.querySelectorAll('img, a')].map(e => e.outerHTML).join()"
        assert "example.org" not in page.run(inside) and "javascript" not in page.run(inside)
        assert not [each for each in page.requests if "example.org" in each]
    finally:
        studio.stop()
