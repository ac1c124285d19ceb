"""Stability atlases: runs and predictions are those of the functions they stand for; the page."""

import base64
import hashlib
import io
import json
import math
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from support.functions import random_tree
from support.pages import addresses

import paraxis as px
from paraxis.cli.main import main
from paraxis.control.atlas.motion import CYCLE, at_speed, swaying
from paraxis.control.atlas.page import SCRIPTS, _file
from paraxis.simulation import progress

ARM = px.robots.planar(3)
POLICIES = ["exact", "hamilton"]
PERIODS = np.geomspace(1e-3, 0.12, 6)
ONE_CELL = {"periods": [1e-3], "axes": {"speed": [1.0]}}
AXES = {"speed": [1.0, 3.0], "gain": [0.5, 2.0], "payload": [0.0, 1.5]}


@pytest.fixture(scope="module")
def atlas():
    return px.control.stability_atlas(ARM, 100.0, policies=POLICIES, periods=PERIODS, axes=AXES)


def conditions(axis, value):
    """kp, kd, the motion and parameters of the plant in a row."""
    speed = value if axis == "speed" else 1.0
    gain = value if axis == "gain" else 1.0
    held = px.payload(ARM, mass=value) if axis == "payload" else {}
    motion = at_speed(swaying(ARM))
    return 100.0 * gain, 20.0 * math.sqrt(gain), lambda t: motion(t, speed), CYCLE / speed, held


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("policy", POLICIES)
def test_cells_are_single_runs(atlas, policy, axis):
    found = atlas[policy, axis]
    for row, column in ((0, 1), (1, 3), (1, 5)):
        kp, kd, motion, _, held = conditions(axis, AXES[axis][row])
        controller = px.control.computed_torque(ARM, kp, kd, policy)
        run = px.control.closed_loop(ARM, controller, motion, PERIODS[column], duration=3.0, **held)
        assert found.error[row, column] == pytest.approx(float(run.error), rel=1e-6)
        assert found.diverged[row, column] == bool(run.diverged)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("policy", POLICIES)
def test_boundaries_are_those_of_safe_period(atlas, policy, axis):
    found = atlas[policy, axis]
    kp, kd, motion, cycle, held = conditions(axis, AXES[axis][1])
    controller = px.control.computed_torque(ARM, kp, kd, policy)
    near = found.boundary[1]
    safe = px.control.safe_period(
        ARM, controller, motion, periodic=True, duration=cycle, **held,
        shortest=0.8 * near, longest=1.25 * near,
    )  # fmt: skip
    # periods that divide the cycle are looked at there
    assert near == pytest.approx(safe.period, rel=0.03 + 2 * near / cycle)
    assert safe.spectral_radius(0.8 * near) < 1


def test_runs_do_mostly_as_predicted(atlas):
    for found in atlas.maps.values():
        right = found.predicted != found.diverged
        assert found.agreement == right.mean() > 0.8
        assert 0 < found.diverged.mean() < 1  # there is something to agree on
    assert atlas.agreement == pytest.approx(np.mean([m.agreement for m in atlas.maps.values()]))


def test_the_last_period_that_held(atlas):
    found = atlas["hamilton", "gain"]
    for diverged, last in zip(found.diverged, found.held_up_to, strict=True):
        k = PERIODS.tolist().index(last)
        assert not diverged[: k + 1].any() and diverged[k + 1]


def test_boundaries_beyond_the_map():
    axes = {"speed": [1.0]}
    short = px.control.stability_atlas(ARM, policies="exact", periods=[1e-3, 2e-3], axes=axes)
    assert np.isinf(short["exact", "speed"].boundary).all()
    assert short["exact", "speed"].predicted.all()
    assert np.isinf(short["exact", "speed"].held_up_to).all()
    long = px.control.stability_atlas(ARM, policies="exact", periods=[0.15, 0.2], axes=axes)
    assert (long["exact", "speed"].boundary == 0).all()
    assert not long["exact", "speed"].predicted.any()
    assert (long["exact", "speed"].held_up_to == 0).all()


def test_a_motion_of_ones_own():
    def nodding(t):
        still = [0.0, 0.0]
        return (
            [px.math.sin(t) * 0.2, *still],
            [px.math.cos(t) * 0.2, *still],
            [px.math.sin(t) * -0.2, *still],
        )

    given = {"policies": "hamilton", "periods": [2e-3, 8e-3], "axes": {"speed": [1.0]}}
    found = px.control.stability_atlas(ARM, motion=nodding, cycle=2 * math.pi, **given)
    assert found.duration == pytest.approx(3 * math.pi)
    usual = px.control.stability_atlas(ARM, duration=found.duration, **given)
    assert 0 < found["hamilton", "speed"].error[0, 0] < usual["hamilton", "speed"].error[0, 0]


def motion_of(first):
    """One joint goes as `first` says, (q, qd, qdd) of t; the others stand."""
    return lambda t: tuple([each, 0.0, 0.0] for each in first(t))


def test_a_motion_that_does_not_come_back_is_refused():
    def check(first, cycle):
        px.control.stability_atlas(
            ARM, policies="exact", motion=motion_of(first), cycle=cycle, **ONE_CELL
        )

    with pytest.raises(px.ArgumentError, match="cycle of 3 s: .*qd .* differs by -1.99"):
        check(lambda t: (px.math.sin(t), px.math.cos(t), -px.math.sin(t)), 3.0)
    with pytest.raises(px.ArgumentError, match="q of joint 'joint1' .* differs by 0.5"):
        check(lambda t: (0.5 * t, 0.5, 0.0), 1.0)
    with pytest.raises(px.ArgumentError, match="qd of joint"):  # it starts and ends at zero
        check(lambda t: (px.math.sin(t), px.math.cos(t), -px.math.sin(t)), math.pi)
    with pytest.raises(px.ArgumentError, match="does not repeat"):  # back at 0 with the same rate
        check(lambda t: (t * (t - 1.0) * (t - 0.5), 1.0, 0.0), 1.0)
    check(lambda t: (2 * math.pi * t, 2 * math.pi, 0.0), 1.0)  # round and round


def test_a_trajectory_ends_and_is_no_motion_of_an_atlas():
    there = px.trajectories.quintic([0.0] * 3, [0.3] * 3, duration=1.0)
    with pytest.raises(px.ArgumentError, match="motion: expected a function of t .*Trajectory"):
        px.control.stability_atlas(ARM, motion=there, cycle=1.0)


def test_joints_sway_within_their_limits():
    robot = px.load("stanford")
    t = np.linspace(0, CYCLE, 50)
    q, qd, _ = np.array([swaying(robot)(each) for each in t.tolist()]).swapaxes(0, 1)
    for k, joint in enumerate(robot.joints):
        assert joint.lower <= q[:, k].min() and q[:, k].max() <= joint.upper
    assert np.gradient(q, t, axis=0)[1:-1] == pytest.approx(qd[1:-1], abs=0.02)
    assert q[0] == pytest.approx(q[-1])


BAD = {
    "kp: expected a number > 0": {"kp": -1.0},
    "kd: expected numbers": {"kd": "much"},
    "policy: expected one of": {"policies": ["stale"]},
    "policies: expected one or more distinct names": {"policies": ["exact", "exact"]},
    "has uncertain ages": {"policies": [px.control.policy("vuskovic", age=(1, 2))]},
    "periods: expected increasing numbers > 0": {"periods": [2e-3, 1e-3]},
    "axes: expected a dict with some of": {"axes": {"mass": [1.0]}},
    "axes['speed']: expected increasing numbers > 0": {"axes": {"speed": [0.0, 1.0]}},
    "axes['payload']: expected increasing numbers >= 0": {"axes": {"payload": [-1.0]}},
    "motion: expected a function of t": {"motion": swaying(ARM)},
    "cycle: only a motion takes this": {"cycle": 2.0},
    "frame: it carries the payload": {"frame": "link3", "axes": {"speed": [1.0]}},
    "duration: expected": {"duration": 0.0},
    "bound: expected": {"bound": -1.0},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(px.ArgumentError) as error:
        px.control.stability_atlas(ARM, **BAD[message])
    assert message in str(error.value)


def test_a_frame_holds_the_payload_of_a_robot_with_several_tips():
    robot, (frame, *_) = random_tree(1), random_tree(1).frame_names[::-1]
    mass = 0.3 * sum(body.mass for body in robot.inertias)
    given = {"policies": "exact", "periods": [1e-3, 2e-3], "axes": {"payload": [mass]}}
    for named, words in (({}, "tips, so name a frame"), ({"frame": "hand"}, "no frame 'hand'")):
        with pytest.raises(px.RobotError, match=words):
            px.control.stability_atlas(robot, **given, **named)
    found = px.control.stability_atlas(robot, frame=frame, **given)["exact", "payload"]
    law = px.control.computed_torque(robot, 100.0, 20.0)
    held = px.payload(robot, mass=mass, frame=frame)
    run = px.control.closed_loop(robot, law, swaying(robot), 2e-3, duration=1.5 * CYCLE, **held)
    assert found.error[0, 1] == pytest.approx(float(run.error), rel=1e-6)


def test_maps_that_are_not_there(atlas):
    with pytest.raises(px.ArgumentError, match="expected one of"):
        atlas["hamilton", "mass"]


# -- the page --------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements of a page; every tag must be closed by its own."""

    def __init__(self, source):
        super().__init__()
        self.open, self.attributes, self.words, self.scripts = [], [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag not in ("meta", "link"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def test_the_page_holds_every_cell(atlas):
    data = json.loads(Page(atlas.to_html()).scripts[0])
    assert data["periods"] == PERIODS.tolist() and list(data["maps"]) == POLICIES
    assert {name: axis["values"] for name, axis in data["axes"].items()} == AXES
    for (policy, axis), found in atlas.maps.items():
        own = data["maps"][policy][axis]
        cells = np.array(own["cells"])
        assert ((cells < 0) == found.diverged).all()
        kept = ~found.diverged
        assert cells[kept] == pytest.approx(found.error[kept], rel=5e-3)
        assert -cells[~kept] == pytest.approx(found.diverged_at[~kept], rel=5e-3)
        boundary = [math.inf if value is None else value for value in own["boundary"]]
        assert boundary == pytest.approx(found.boundary.tolist(), rel=1e-3)


def test_a_boundary_beyond_the_map_is_said():
    given = {"policies": "exact", "axes": {"gain": [1.0]}}
    found = Page(px.control.stability_atlas(ARM, periods=[1e-3, 2e-3], **given).to_html())
    assert json.loads(found.scripts[0])["maps"]["exact"]["gain"]["boundary"] == [None]
    assert found.words.count("above 2") == 2
    words = Page(px.control.stability_atlas(ARM, periods=[0.15, 0.2], **given).to_html()).words
    assert "below 150" in words


def test_the_page_says_how_often_both_agree(atlas):
    words = " ".join(Page(atlas.to_html()).words)
    assert f"They agree in {atlas.agreement:.1%} of 72 cells" in words
    assert (
        "prediction are independent" in words
        and atlas.prediction in words
        and "kp 100 and kd 20" in words
    )


def test_the_page_says_why_more_may_hold_than_is_predicted(atlas):
    words = " ".join(Page(atlas.to_html()).words)
    apart = PERIODS[1] / PERIODS[0] - 1
    assert "held up to, ms" in words
    assert f"simulated periods are {apart:.0%} apart" in words and "a run of 3 s" in words


def test_the_page_fetches_nothing_and_runs_its_own_script_only(atlas, tmp_path):
    source = atlas.to_html(tmp_path / "atlas.html")
    assert (tmp_path / "atlas.html").read_text("utf-8") == source
    found = Page(source)
    assert not addresses(found.attributes) and "://" not in source
    (policy,) = [value for _, value in found.attributes if value and "default-src" in value]
    digest = base64.b64encode(hashlib.sha256(found.scripts[1].encode()).digest()).decode()
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy
    assert dict(Page(atlas._repr_html_()).attributes)["srcdoc"] == source


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_script_knows_places_and_round_numbers(atlas):
    data = Page(atlas.to_html()).scripts[0]
    source = (
        f"const document = {{ getElementById: () => ({{ textContent: {json.dumps(data)} }}) }};\n"
        f"{_file('model.js')}\nnew Function({json.dumps(' '.join(map(_file, SCRIPTS)))});\n"
        "console.log(JSON.stringify([place(periods, periods[2], true), place([1, 3], 2, false),"
        "ticksOf([0.25, 4], true, 8), ticksOf([0, 1.5], false, 4),"
        "outcome('hamilton', { row: 1, column: 5 }), usualCell(), stopsOf(['exact', 'hamilton']),"
        "[0, 1, 2, 5, 8, 16, 99].map(error => standing(error, [1, 1, 2, 8, 16]))]))"
    )
    ran = subprocess.run(["node", "-"], input=source, capture_output=True, text=True)
    third, middle, log, linear, last, usual, stops, standing = json.loads(ran.stdout or ran.stderr)
    assert third == pytest.approx(2.5) and middle == pytest.approx(1.0)
    assert log == [0.5, 1, 2] and linear == [0, 0.5, 1, 1.5]
    assert last["lost"] and not last["stable"]
    row = atlas["exact", "speed"]
    assert usual == {"row": 0, "column": int((row.boundary[0] >= PERIODS).sum()) - 1}
    both = [atlas[policy, "speed"] for policy in POLICIES]
    errors = np.concatenate([each.error[~each.diverged] for each in both])
    assert stops[::4] == pytest.approx([errors.min(), errors.max()], rel=5e-3)
    assert stops[2] == pytest.approx(np.quantile(errors, 0.5, method="nearest"), rel=5e-3)
    assert standing == pytest.approx([0, 0, 2, 2 + math.log(2.5, 4), 3, 4, 4])
    assert last["boundary"] == pytest.approx(atlas["hamilton", "speed"].boundary[1], rel=1e-3)


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.long
def test_the_command_writes_the_page(tmp_path, capsys):
    path = tmp_path / "atlas.html"
    given = ["--policies", "exact,hamilton", "--kp", "100,80,60", "-o", str(path)]
    given += ["--processors", "1,3", "--latency", "0,10", "--flop-time", "1e-5"]
    assert main(["atlas", "planar3", *given]) == 0
    assert "kp 100, 80, 60 and kd 20, 17.89, 15.49" in path.read_text("utf-8")
    printed = capsys.readouterr().out
    assert "hamilton" in printed and "atlas.html" in printed and "held up to" in printed
    assert "When are stale data worth it?  at 1e-05 s per flop" in printed
    assert 'data-network="bus"' in path.read_text("utf-8")


def test_progress_is_one_bar(monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    px.control.stability_atlas(ARM, policies=POLICIES, **ONE_CELL)
    text = screen.getvalue()
    _, within = text.split("stability atlas", 1)
    assert "closed loop" not in within and "100%" in within
    assert text.endswith("\x1b[2K")  # its line is erased in the end


def test_the_command_names_what_is_wrong_before_it_maps(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("paraxis.control.atlas.atlas.stability_atlas", None)
    for given in (
        ["--kp", "much"],
        ["--policies", "stale"],
        ["-o", "/nowhere/atlas.html"],
        ["--processors", "0"],
        ["--latency", "-1"],
        ["--flop-time", "0.0"],
        ["--frame", "hand"],
    ):
        assert main(["atlas", "planar3", "-o", str(tmp_path / "x.html"), *given]) == 2
        assert given[1] in capsys.readouterr().err
