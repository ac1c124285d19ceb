"""`px.show`: pages of robots and runs, as text."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import paraxis as px
from paraxis.cli.main import main
from paraxis.robots import Frame, Inertia, Joint, Pose, Shape
from paraxis.scene import library
from paraxis.scene.looks import Looks
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
    posed = replace(robot, frames=[Frame(f"{i}", i) for i in range(robot.n)])
    expected = px.frame_poses(posed, q)
    assert found.shape == (7, robot.n, 7) and found.dtype == np.float32
    assert abs(found[..., :3] - expected[..., :3, 3]).max() < 1e-6


def all_kinds():
    """A robot with a joint of every kind."""
    kinds = ("free", "revolute", "prismatic", "helical", "universal", "spherical", "planar")
    joints = [
        Joint(
            f"{kind} joint",
            kind,
            k - 1,
            Pose.from_rpy((0.2, 0.1, 0), (0.1, 0.2, 0.3)),
            axis=(0, 1, 0),
            second_axis=(1, 0, 0) if kind == "universal" else None,
            pitch=0.05 if kind == "helical" else 0.0,
        )
        for k, kind in enumerate(kinds)
    ]
    bodies = [Inertia.of(1, (0.1, 0, 0), (0.02, 0.03, 0.04)) for _ in joints]
    return px.Robot("all", joints, bodies)


def test_every_kind_of_joint():
    robot = all_kinds()
    q = px.integrate(robot, px.neutral(robot), np.random.default_rng(0).normal(size=(9, robot.nv)))
    scene = px.show(robot, q, qd=np.zeros((9, robot.nv)), open=False)
    data = data_of(scene)
    assert data["motion"]["poses"]["shape"] == [9, 1, 7, 7]
    names = [curve["name"] for curve in data["motion"]["curves"][0]["curves"]]
    assert len(names) == robot.nq and names[:7] == [
        f"free joint {x}" for x in ("x", "y", "z", "qx", "qy", "qz", "qw")
    ]
    assert [panel["unit"] for panel in data["motion"]["curves"]] == [
        "rad or m",
        "rad/s or m/s",
        "J",
    ]
    kinds = {part["kind"] for part in data["parts"] if part["look"] == "skeleton"}
    assert kinds == {"box", "sphere", "cylinder", "capsule"}
    tour = data_of(px.show(robot, open=False))["motion"]["moving"]
    assert set(tour) == {1, 2, 3}  # those of one number


MJCF = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"
rgba="1 0 0 1"/><body><joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0"
size=".05"/><geom type="ellipsoid" size=".1 .2 .3" contype="0" conaffinity="0"/></body></body>
<geom type="plane" size="0 0 1"/></worldbody></mujoco>"""


def test_shapes_of_mjcf():
    pytest.importorskip("mujoco")
    data = data_of(px.show(px.load(MJCF), open=False))
    seen = [part for part in data["parts"] if part["look"] == "visual"]
    assert sorted(part["kind"] for part in seen) == ["box", "capsule", "ellipsoid", "plane"]
    box = next(part for part in seen if part["kind"] == "box")
    assert box["size"] == [0.2, 0.4, 0.6] and box["colour"] == [1, 0, 0, 1] and box["body"] == 1
    plane = next(part for part in seen if part["kind"] == "plane")
    assert plane["size"] == [None, None] and plane["body"] == 0


@pytest.mark.parametrize("name", ["panda", "go2", "ur10", "talos"])
def test_robots_with_meshes(name):
    pytest.importorskip("pinocchio")  # example-robot-data comes with it
    robot = px.load(name)
    data = data_of(px.show(robot, px.neutral(robot), open=False))
    bodies = {part["body"] for part in data["parts"] if part["look"] == "visual"}
    assert len(bodies) >= 0.7 * robot.n and data["meshes"]
    assert sum(mesh["faces"]["shape"][0] for mesh in data["meshes"]) <= 80_000
    assert not [note for note in data["notes"] if note.startswith("Not drawn")]


def test_many_shapes_are_some():
    robot = px.load("planar3")
    shapes = [px.robots.Shape("s", 0, Pose(), "sphere", (0.1,))] * 5_000
    data = data_of(px.show(replace(robot, shapes=shapes), open=False))
    assert sum(part["look"] == "visual" for part in data["parts"]) == 2_000
    assert "Of 5,000 shapes, the first 2,000 are drawn." in data["notes"]


def test_closed_loops_are_shown_where_they_are():
    from support.loops import four_bar

    robot = four_bar()
    data = data_of(px.show(robot, open=False))
    assert data["motion"]["poses"]["shape"][2] == robot.n and "moving" not in data["motion"]


def test_no_more_moments_than_screens_show():
    robot = px.load("planar3")
    t = np.arange(5001) * 1e-3
    q = np.sin(t)[:, None] * np.ones(3)
    data = data_of(px.show(robot, q, t, qd=q, open=False))
    kept = unpacked(data["motion"]["times"])
    assert len(kept) == 301 and kept[0] == 0 and kept[-1] == 5
    assert abs(np.diff(kept) - 1 / 60).max() < 2e-3
    curves = unpacked(data["motion"]["curves"][0]["values"])
    assert np.allclose(curves[0, 0], np.sin(kept), atol=1e-6)
    assert "Of 5,001 states, 301 are on this page, as screens show no more." in data["notes"]


def test_a_thousand_robots_are_small_numbers():
    robot = px.load("ur5")
    q = np.random.default_rng(0).uniform(-1, 1, (300, 1000, 6))
    q[5, 3] = np.nan
    scene = px.show(robot, q, open=False)
    data = data_of(scene)
    motion = data["motion"]
    assert len(scene.html) < 16e6 and motion["poses"]["dtype"] == "int16"
    small = unpacked(motion["poses"])
    moments = np.rint(unpacked(motion["times"]) * 60).astype(int)
    assert 90 < len(moments) < 300 and "so that the page stays small" in data["notes"][0]
    exact = body_poses(robot, q[moments[7]])
    where = (small[7, ..., :3] + 32767.0) / 65534 * motion["poses"]["span"] + motion["poses"]["low"]
    assert abs(where - exact[..., :3]).max() < 1e-4
    assert abs(small[7, ..., 3:] / 32767 - exact[..., 3:]).max() < 1e-4
    if 5 in moments:
        assert (small[list(moments).index(5), 3] == -32768).all()


@pytest.mark.parametrize("shapes, expected", [(1, {"box", "capsule", "cylinder"}), (4, {"box"})])
def test_a_robot_of_which_little_has_shapes_is_a_skeleton_too(shapes, expected):
    robot = px.robots.planar(10)
    boxes = [Shape("foot", 9 - k, Pose(), "box", (0.1, 0.2, 0.3)) for k in range(shapes)]
    parts = Looks(replace(robot, shapes=tuple(boxes), warn=False)).parts
    assert {part.kind for part in parts if part.look == "visual"} == expected


def test_robots_draw_themselves_in_notebooks():
    html = px.load("planar3")._repr_html_()
    assert html.startswith("<iframe title=") and "each moves in turn" in html


def test_more_robots_than_there_is_room_for():
    robot = px.load("planar3")
    data = data_of(px.show(robot, np.zeros((3, 5_000, 3)), open=False))
    assert data["motion"]["robots"] == 4_096
    assert "Of 5,000 robots, the first 4,096 are shown." in data["notes"]
    large = px.robots.planar(20)
    scene = px.show(large, np.zeros((50, 1_000, 20)), open=False)
    assert data_of(scene)["motion"]["robots"] == 8_000_000 // (14 * 20 * 40)
    assert len(scene.html) < 16e6


def test_a_robot_that_is_nowhere_leaves_an_empty_scene():
    robot = px.load("planar3").with_base(Pose.from_rpy((1, 2, 3)))
    html = px.show(robot, np.full((5, 3), np.nan), qd=np.zeros((5, 3)), open=False).html
    assert "NaN" not in html.partition('id="data">')[2].partition("</script>")[0]
    assert '"root":[1.0,2.0,3.0,' in html


def unpacked(packed):
    return np.frombuffer(b64decode(packed["data"]), packed["dtype"]).reshape(packed["shape"])


def test_the_command_writes_a_page(tmp_path, capsys):
    path = tmp_path / "arm.html"
    assert main(["show", "planar3", "-o", str(path)]) == 0
    assert "each moves in turn" in path.read_text() and "arm.html" in capsys.readouterr().out
    assert main(["show", "planar3", "-q", "1,2,3", "--fall", "0.5", "-o", str(path)]) == 0
    assert "3 joints · 0.5 s" in path.read_text()
    assert main(["show", "planar3", "-q", "1,2", "-o", str(path)]) == 2
    assert main(["show", "planar3", "--fall", "-1", "-o", str(path)]) == 2
    assert "--fall: expected a time" in capsys.readouterr().err


def test_a_browser_is_opened_and_its_absence_is_said(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(opened.append(address)))
    px.show(px.load("planar3"))
    assert opened[0].startswith("file:///") and "the page is in" in capsys.readouterr().out
    path = Path(opened[0].removeprefix("file://"))
    assert path.stat().st_mode & 0o077 == 0 and "</html>" in path.read_text()
    path.unlink()


def test_what_cannot_be_shown_is_refused():
    robot = px.load("ur5")
    for error, arguments, keywords in (
        ("expected a Robot", (3,), {}),
        ("found 'arm.urdf'; px.load makes a Robot of a file", ("arm.urdf",), {}),
        ("give q as well", (robot,), {"qd": np.zeros((2, 6))}),
        ("increasing times", (robot, np.zeros((2, 6)), [0, 0]), {}),
        (r"tau: expected shape \(2, 6\)", (robot, np.zeros((2, 6))), {"tau": np.zeros((3, 6))}),
        ("no positions", (robot, np.zeros((0, 6))), {}),
    ):
        with pytest.raises(px.ArgumentError, match=error):
            px.show(*arguments, open=False, **keywords)
