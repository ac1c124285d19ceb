"""`px.show`: pages of robots and runs, as text."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import paraxis as px
from paraxis.robots.frame import Frame
from paraxis.scene import library
from paraxis.scene.poses import body_poses, quaternions


def data_of(scene):
    """What the page's script is given."""
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', scene.html)[1]
    )


def test_three_js_is_the_pinned_one():
    folder = Path(library.__file__).parent / "three"
    listed = re.findall(
        r"^\| `([\w.]+)` \|.*\| (\w{64}) \|$", (folder / "README.md").read_text(), re.M
    )
    assert len(listed) == 4
    for name, digest in listed:
        assert sha256((folder / name).read_bytes()).hexdigest() == digest, name


def test_a_page_has_nothing_to_fetch():
    html = px.show(px.load("ur5"), open=False).html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:; ")
    assert "script-src 'sha256-" in policy
    assert "http" not in policy and len(html.encode()) < 1_500_000
    assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)=(?!\"data:)", html)


def test_quaternions_against_rotations():
    rng = np.random.default_rng(0)
    q = rng.normal(size=(500, 4))
    q[:4] = np.eye(4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    x, y, z, w = q.T
    r = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    found = quaternions(r)
    assert abs(abs((found * q).sum(1)) - 1).max() < 1e-12


@pytest.mark.parametrize("name", ["ur5", "puma560", "stanford"])
def test_poses_are_those_of_the_bodies(name):
    robot = px.load(name)
    q = np.random.default_rng(0).uniform(-1, 1, (7, robot.nq))
    found = body_poses(robot, q)
    posed = replace(robot, frames=[Frame("root", -1), *(Frame(f"{i}", i) for i in range(robot.n))])
    expected = px.frame_poses(posed, q)
    assert found.shape == (7, robot.n + 1, 7) and found.dtype == np.float32
    assert abs(found[..., :3] - expected[..., :3, 3]).max() < 1e-6
    assert abs(found[:, 0] - [0, 0, 0, 0, 0, 0, 1]).max() < 1e-7


def test_what_cannot_be_shown_is_refused():
    robot = px.load("ur5")
    for error, arguments, keywords in (
        ("expected a Robot", (3,), {}),
        ("give q as well", (robot,), {"qd": np.zeros((2, 6))}),
        ("increasing times", (robot, np.zeros((2, 6)), [0, 0]), {}),
        (r"tau: expected shape \(2, 6\)", (robot, np.zeros((2, 6))), {"tau": np.zeros((3, 6))}),
        ("no positions", (robot, np.zeros((0, 6))), {}),
    ):
        with pytest.raises(px.ArgumentError, match=error):
            px.show(*arguments, open=False, **keywords)
