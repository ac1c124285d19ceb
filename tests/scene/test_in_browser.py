"""Pages of robots opened in Chromium: they draw, move, answer, and ask for nothing."""

import base64
import io

import numpy as np
import pytest
from support.browser import browser, chromium
from support.on_ground import at, box

import paraxis as px
from paraxis.robots.frame import Frame
from paraxis.robots.inertia import Inertia
from paraxis.robots.joint import Joint
from paraxis.robots.pose import Pose
from paraxis.scene.page import scene_page

Image = pytest.importorskip("PIL.Image")  # matplotlib brings it
pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")


@pytest.fixture(scope="module")
def page():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def fall():
    q0 = np.array([0.0, -1.2, 1.5, -0.3, 0.5, 0.0])
    robot = px.load("ur5")
    return px.simulate(robot, q0, np.zeros(6), dt=1e-3, steps=1000, every=10, limits=False)


def opened(page, scene, path, width=720, height=560, still=True, dark=False):
    """Open the page of a scene, and wait for its first picture."""
    scene.to_html(path)
    for kept in (page.errors, page.messages, page.requests):
        kept.clear()
    page.look(width, height, still=still, dark=dark)
    page.open(path)
    page.until("window.paraxis && paraxis.frames > 0", 60)
    return page


def picture(page):
    """What the canvas shows: red, green, blue and opacity."""
    text = page.run("paraxis.view.draw(), paraxis.view.canvas.toDataURL()")
    data = base64.b64decode(text.partition(",")[2])
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")).astype(int)


def is_quiet(page, path):
    """No error, no message, and no request but that for the page itself."""
    assert not page.errors and not page.messages
    assert page.requests == [path.as_uri()]
    return True


def test_a_run_draws_moves_and_answers(page, fall, tmp_path):
    path = tmp_path / "fall.html"
    opened(page, fall.as_scene(), path)
    first = picture(page)
    robot = first[..., 3] == 255  # the grid is fainter
    assert robot.mean() > 0.005
    assert len(np.unique(first[robot][:, :3], axis=0)) > 50  # it has colours and light
    assert not page.run("paraxis.player.playing")  # as motion is to be reduced

    page.run("paraxis.player.seek(0.5)")
    assert abs(picture(page) - first).max(axis=-1).astype(bool).mean() > 0.005
    expected = [round(float(x), 4) for x in fall.q[50]]
    shown = page.run("paraxis.plots[0].panel.curves.map((_, c) => paraxis.plots[0].at(c, 30))")
    kept = page.run("paraxis.recording.times[30]")
    assert np.allclose(shown, fall.q[round(kept * 100)], atol=1e-6) and expected

    page.click("#play")
    page.until("paraxis.player.playing && paraxis.player.time > 0.55")
    page.press(" ", "Space", " ")
    page.until("!paraxis.player.playing")
    t = page.run("paraxis.player.time")
    page.press("ArrowRight")
    assert page.run("paraxis.player.time") > t
    page.press("Home")
    assert page.run("paraxis.player.time") == 0

    x, y, width, height = page.box("#scrub")
    page.drag((x + 9, y + height / 2), (x + width / 2, y + height / 2))
    assert abs(page.run("paraxis.player.time") - 0.5) < 0.05
    assert page.run("document.getElementById('clock').textContent").endswith("/ 1.00 s")
    x, y, width, height = page.box(".plot-canvas")
    page.drag((x + width / 2, y + height / 2), (x + width - 12, y + height / 2))
    assert page.run("paraxis.player.time") > 0.95
    assert is_quiet(page, path)


def test_the_poses_of_the_page_are_those_of_the_robot(page, fall, tmp_path):
    path = tmp_path / "fall.html"
    opened(page, fall.as_scene(), path)
    robot = px.load("ur5")
    for t in (0.0, 0.305, 1.0):
        page.run(f"paraxis.player.seek({t})")
        found = page.run("paraxis.view.groups.slice(1).map(group => group.matrix.elements)")
        q = np.array([np.interp(t, fall.t, column) for column in fall.q.T])
        frames = [Frame(f"{i}", i) for i in range(6)]
        posed = px.Robot("posed", robot.joints, robot.inertias, frames)
        expected = px.frame_poses(posed, q)
        error = abs(np.array(found).reshape(6, 4, 4).transpose(0, 2, 1) - expected).max()
        assert error < 2e-3  # a line between two moments


def test_the_camera_turns_by_drags_and_tools_by_clicks(page, fall, tmp_path):
    path = tmp_path / "fall.html"
    opened(page, fall.as_scene(), path)
    before = page.run("paraxis.view.camera.position.toArray()")
    page.drag((200, 150), (240, 160), (300, 170))
    assert page.run("paraxis.view.camera.position.toArray()") != before
    for key in "jlik+-":
        before = page.run("paraxis.view.camera.position.toArray()")
        page.press(key, text=key)
        assert page.run("paraxis.view.camera.position.toArray()") != before, key
    plain = picture(page)
    for name in ("axes", "frames", "mass", "torque"):
        page.run(f"paraxis.buttons.{name}.click()")
        assert page.run(f"paraxis.buttons.{name}.getAttribute('aria-pressed')") == "true"
        with_it = picture(page)
        assert (with_it != plain).any(), name
        plain = with_it
    assert page.run("document.querySelectorAll('#labels span').length") > 6
    assert is_quiet(page, path)


def test_it_plays_by_itself_unless_motion_is_to_be_reduced(page, fall, tmp_path):
    opened(page, fall.as_scene(), tmp_path / "fall.html", still=False)
    page.until("paraxis.player.playing && paraxis.player.time > 0.02")


def test_a_phone_needs_no_scrolling_sideways(page, fall, tmp_path):
    for dark in (False, True):
        opened(page, fall.as_scene(), tmp_path / "fall.html", 390, 844, dark=dark)
        assert page.run("document.documentElement.scrollWidth") <= 390
        assert (picture(page)[..., 3] == 255).mean() > 0.005


def test_many_robots_are_one_picture(page, tmp_path):
    robot, path = px.load("ur5"), tmp_path / "many.html"
    q0 = np.random.default_rng(0).uniform(-1, 1, (300, 6))
    run = px.simulate(robot, q0, np.zeros((300, 6)), dt=1e-3, steps=300, every=20, limits=False)
    opened(page, run.as_scene(), path)
    with_others = picture(page)
    page.run("paraxis.toggle('crowd')")
    alone = picture(page)
    assert (with_others[..., 3] == 255).mean() > 1.5 * (alone[..., 3] == 255).mean()
    page.run("paraxis.chooseRobot(7)")
    assert (picture(page) != alone).any()
    assert page.run("paraxis.view.renderer.info.render.calls") < 80
    assert is_quiet(page, path)


OCTAHEDRON = """v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1
usemtl red\nmtllib r.mtl
f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n"""
URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry>
<mesh filename="r.obj" scale="0.2 0.2 0.4"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
</joint></robot>"""


def test_a_mesh_has_its_colour_and_a_robot_shows_its_joints(page, tmp_path):
    (tmp_path / "r.obj").write_text(OCTAHEDRON)
    (tmp_path / "r.mtl").write_text("newmtl red\nKd 0.9 0.05 0.05\n")
    (tmp_path / "r.urdf").write_text(URDF)
    path = tmp_path / "r.html"
    opened(page, px.show(px.load(tmp_path / "r.urdf"), open=False), path)
    assert page.run("paraxis.view.look") == "visual"
    solid = picture(page)
    solid = solid[solid[..., 3] == 255]
    assert len(solid) > 1000 and (solid[:, 0] > 2 * solid[:, 2]).mean() > 0.9
    page.run("paraxis.player.seek(0.4)")
    labels = "[...document.querySelectorAll('#labels span:not([hidden])')].map(x => x.textContent)"
    page.until(f"{labels}.join() === 'turn'")
    z = page.run("paraxis.view.groups[1].matrix.elements[10]")
    assert abs(z - np.cos(0.6)) < 1e-3  # as far as it goes
    assert is_quiet(page, path)


def test_forces_of_the_ground_are_arrows(page, tmp_path):
    robot, points = box()
    ground = px.simulation.Ground(points, px.simulation.Plane())
    run = px.simulate(robot, at(0, 0, 0.05), np.zeros(6), dt=1e-3, steps=200, ground=ground)
    path = tmp_path / "box.html"
    opened(page, run.as_scene(), path)
    page.run("paraxis.player.seek(0.2)")
    with_forces = picture(page)
    page.run("paraxis.buttons.forces.click()")
    changed = abs(picture(page) - with_forces).max(axis=-1) > 30
    assert changed.mean() > 1e-3
    pink = with_forces[changed].mean(axis=0)
    assert pink[0] > pink[1] and pink[2] > pink[1]
    assert page.run("paraxis.view.floor") == 0 and is_quiet(page, path)


HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    '"><svg onload=window.hacked=1>',
    "{{constructor}}`${window.hacked = 1}`",
    "<!--<script>",
    "\u2028\u202e\0\ud83d\ude00",
)


def test_names_are_text_and_never_markup(page, tmp_path):
    joints = [
        Joint(f"{name} {k}", "revolute", k - 1, Pose.from_rpy((0.2, 0, 0.1)))
        for k, name in enumerate(HOSTILE)
    ]
    bodies = [Inertia.of(1, (0.1, 0, 0), (0.1, 0.1, 0.1)) for _ in joints]
    frames = [Frame(name, k) for k, name in enumerate(HOSTILE)]
    robot = px.Robot(HOSTILE[0] + HOSTILE[1], joints, bodies, frames)
    q = np.linspace(0, 1, 30)[:, None] * np.ones(6)
    scene = px.show(robot, q, qd=0 * q, title=HOSTILE[0], open=False)
    path = tmp_path / "hostile.html"
    opened(page, scene, path)
    page.run("paraxis.toggle('axes'), paraxis.toggle('frames'), paraxis.view.draw()")
    assert page.run("typeof window.hacked") == "undefined"
    assert HOSTILE[0] in page.run("document.querySelector('h1').textContent")
    assert HOSTILE[1] in page.run("document.querySelector('.legend').textContent")
    assert page.run("document.querySelectorAll('main img, main svg:not(.mark), main script').length") == 0
    assert is_quiet(page, path)


LIVE = """
const module = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
WebAssembly.compile(module).then(() => { page.compiled = true; });
const own = new Float32Array(bodies * POSE);
let turns = 0;
function live() {
  turns += data.pace;
  for (let body = 0; body < bodies; body++) {
    own.set([0, 0, body, 0, 0, Math.sin(turns / 2), Math.cos(turns / 2)], body * POSE);
  }
  page.view.setPoses(own);
  page.turns = turns;
  requestAnimationFrame(live);
}
live();
"""


def test_a_script_may_move_the_robot(page, tmp_path):
    robot, path = px.load("planar3"), tmp_path / "live.html"
    scene = px.show(robot, px.neutral(robot), open=False)
    given = {"panel": "<button id='own'>Mine</button>", "data": {"pace": 0.1}}
    html = scene_page(scene, scripts=[LIVE], allow="'wasm-unsafe-eval'", **given)
    path.write_text(html)
    for kept in (page.errors, page.messages, page.requests):
        kept.clear()
    page.open(path)
    page.until("paraxis.turns > 1 && paraxis.compiled && paraxis.frames > 5", 60)
    x, y, z = page.run("paraxis.view.groups[3].matrix.elements.slice(12, 15)")
    assert (x, y, z) == (0, 0, 2) and page.run("document.querySelector('#own').textContent")
    assert page.run("document.getElementById('time').hidden")  # nothing is recorded
    assert is_quiet(page, path)


def test_a_browser_without_3d_says_so(page, fall, tmp_path):
    path = tmp_path / "fall.html"
    html = fall.as_scene().html
    path.write_text(html)
    page.errors.clear()
    page.send("Page.enable")
    script = "HTMLCanvasElement.prototype.getContext = () => null"
    found = page.send("Page.addScriptToEvaluateOnNewDocument", source=script)
    try:
        page.open(path)
        assert "cannot draw in 3-D" in page.until("document.getElementById('trouble').textContent")
        assert not page.errors
    finally:
        page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=found["identifier"])
