"""The panel beside the robot, in one browser: what is pressed becomes commands of a Work."""

import threading
from functools import partial

import numpy as np

from .. import api
from ..checks import counted, shown
from ..errors import ParaxisError
from ..scene.motion import coordinate_names
from . import motions
from .costs import costs
from .opening import names
from .optimum import optimum
from .player import Player
from .plots import Chart
from .text import as_code, as_list, escaped, in_line
from .work import ranges

STEP = 1e-3  # of sliders, rad or m
MOST_SLIDERS = 80
POSTURE, TOOL = "the goal posture", "a point, with the tool"


class Panel:
    """Of one `client`, on a `stage`, for a `work`."""

    def __init__(self, client, stage, work):
        self.client, self.gui, self.stage, self.work = client, client.gui, stage, work
        self.sliders, self.busy = [], threading.Lock()
        self.running = None  # the button of the command that runs
        self.player = Player(stage, self._played)
        self.gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        self.gui.main_panel.dock_right()
        self.title = self.gui.add_markdown("")
        tabs = self.gui.add_tab_group()
        for label, fill in (
            ("Robot", self._robot),
            ("Cost", self._functions),
            ("Simulate", self._simulate),
            ("Sweep", self._sweep),
            ("Optimal", self._optimal),
            ("Python", self._python),
        ):
            with tabs.add_tab(label):
                fill()
        with self.gui.add_folder("Motion"):
            self.play = self.gui.add_button("Play", disabled=True)
            self.play.on_click(lambda _: self._play_or_pause())
            self.time = self.gui.add_slider("time, s", 0.0, 1.0, 0.01, 0.0, disabled=True)
            self.time.on_update(self._scrubbed)

    # -- the robot -------------------------------------------------------------------------------

    def _robot(self):
        gui = self.gui
        known = names()
        self.name = gui.add_text("name", "", hint="a built-in robot: " + ", ".join(known))
        gui.add_button("Open").on_click(lambda _: self._try(self._open_name))
        self.upload = gui.add_upload_button(
            "Open a URDF or MJCF file", mime_type=".urdf,.xml,.mjcf"
        )
        self.upload.on_upload(lambda event: self._try(partial(self._open_text, event.target.value)))
        self.about = gui.add_markdown("")
        frames = gui.add_checkbox("frames", False)
        frames.on_update(lambda event: self._try(partial(self._frames, event.target.value)))
        gui.add_button("Back to the first posture").on_click(lambda _: self._try(self._stand))
        goal = gui.add_button(
            "Make this posture the goal", hint="of controllers and optimal control"
        )
        goal.on_click(lambda _: self._try(self._goal))
        self.joints = gui.add_folder("Joints")

    def _open_name(self):
        self.work.open(self.name.value.strip())
        self.opened()

    def _open_text(self, file):
        self.work.open_text(file.content)
        self.opened()

    def begin(self, opened, line):
        """Show the work that there is, or begin with a robot."""

        def command():
            if self.work.robot is None:
                self.work.open_given(opened, line)
            self.opened()

        self._try(command)

    def opened(self):
        """Show the robot that the work has now."""
        robot = self.work.robot
        self.player.forget()
        self.play.disabled = self.time.disabled = True
        notes = [*self.work.notes, *self.stage.open(robot)]
        poses = self.stage.poses_of(self.work.q[None])
        self.stage.draw(poses)
        self.stage.look_at(poses)
        lead = f"{counted(robot.n, 'joint')}, {counted(len(robot.frames), 'frame')}, "
        lead += f"{sum(body.mass for body in robot.inertias):.4g} kg"
        found = as_list(notes) if notes else "Nothing is wrong with its description."
        self.about.content = f"{lead}\n\n{found}"
        self.name.value = robot.name if robot.name in names() else ""
        self.title.content = f"## {escaped(shown(robot.name, 60))}"
        for slider in self.sliders:
            slider.remove()
        self.sliders = []
        entries = coordinate_names(robot)[0][:MOST_SLIDERS]
        with self.joints:
            for k, (entry, (low, high)) in enumerate(
                zip(entries, ranges(robot)[: len(entries)], strict=True)
            ):
                joint = robot.joints[entry["joint"]]
                limits = np.isfinite([joint.lower, joint.upper]).all() and joint.nq == 1
                slider = self.gui.add_slider(
                    shown(entry["name"], 40), low, max(high, low + STEP), STEP,
                    float(self.work.q[k]),
                    hint=f"{joint.kind}, " + ("its limits" if limits else "without limits"),
                )  # fmt: skip
                slider.on_update(partial(self._moved, k))
                self.sliders.append(slider)
        self._journal()

    def _moved(self, k, event):
        if event.client_id is None:  # set from here
            return
        self.work.set_coordinate(k, float(event.target.value))
        self._posed()

    def _posed(self):
        """Show the posture of the sliders instead of a motion."""
        self.player.pause()
        self.play.label = "Play"
        self.stage.draw(self.stage.poses_of(self.work.q[None]))

    def _stand(self):
        self.work.stand()
        for k, slider in enumerate(self.sliders):
            slider.value = float(self.work.q[k])
        self._posed()

    def _goal(self):
        self.work.set_goal()
        self._tell("Goal", "Controllers and optimal control now go to this posture.", "green")

    def _frames(self, on):
        self.stage.show_frames = on
        if self.stage.poses is not None:
            self.stage.draw(self.stage.poses)

    # -- functions, and motions ------------------------------------------------------------------

    def _functions(self):
        gui = self.gui
        function = gui.add_dropdown("function", api.functions(), initial_value="inverse_dynamics")
        cheapest = "the cheapest"
        algorithm = gui.add_dropdown("algorithm", [cheapest, *api.algorithms(function.value)])

        def changed(_):
            algorithm.options = [cheapest, *api.algorithms(function.value)]

        function.on_update(changed)

        def run():
            name = "" if algorithm.value == cheapest else algorithm.value
            return costs(self.work, function.value, name)

        self._command("Count and measure", run)

    def _simulate(self):
        gui = self.gui
        drive = gui.add_dropdown("driven by", motions.DRIVES)
        robots = gui.add_number("robots", 1, min=1, max=motions.MOST_ROBOTS, step=1)
        seconds = gui.add_number("seconds", 2.0, min=0.01, max=motions.MOST_SECONDS, step=0.01)
        spread = gui.add_number("apart, rad or m", 0.1, min=0.0, max=10.0, step=0.01)
        kp, kd = self._gains()
        self._command(
            "Simulate",
            lambda: motions.simulate(
                self.work, drive.value, robots.value, seconds.value, spread.value,
                kp.value, kd.value,
            ),
        )  # fmt: skip

    def _sweep(self):
        gui = self.gui
        parameter = gui.add_dropdown("parameter", tuple(motions.SWEPT))
        low = gui.add_number("from", 10.0, step=0.01)
        high = gui.add_number("to", 400.0, step=0.01)
        count = gui.add_number("values", 20, min=2, max=motions.MOST_ROBOTS, step=1)
        seconds = gui.add_number("seconds", 2.0, min=0.01, max=motions.MOST_SECONDS, step=0.01)
        kp, kd = self._gains()

        def changed(_):
            low.value, high.value = motions.SUGGESTED[parameter.value]

        parameter.on_update(changed)
        self._command(
            "Sweep",
            lambda: motions.sweep(
                self.work, parameter.value, low.value, high.value, count.value, seconds.value,
                kp.value, kd.value,
            ),
        )  # fmt: skip

    def _gains(self):
        kp = self.gui.add_number("kp, 1/s²", 100.0, min=0.0, max=motions.SWEPT["kp"][2], step=0.1)
        kd = self.gui.add_number("kd, 1/s", 20.0, min=0.0, max=motions.SWEPT["kd"][2], step=0.1)
        return kp, kd

    def _optimal(self):
        gui = self.gui
        to = gui.add_dropdown("to", (POSTURE, TOOL))
        point = gui.add_vector3("point, m", (0.4, 0.2, 0.5), step=0.01, visible=False)
        seconds = gui.add_number("seconds", 1.0, min=0.1, max=4.0, step=0.1)
        effort = gui.add_number(
            "effort", 1e-4, min=1e-6, max=1e3, step=1e-6, hint="what a squared N m costs"
        )

        def changed(_):
            point.visible = to.value == TOOL

        to.on_update(changed)
        self._command(
            "Find the best motion",
            lambda: optimum(
                self.work, seconds.value, point.value if to.value == TOOL else None, effort.value
            ),
        )

    def _command(self, label, run):
        """A button, and beneath it what the command came to. While it runs, the button ends it."""
        button = self.gui.add_button(label)
        text, chart = self.gui.add_markdown(""), Chart(self.gui)

        def command():
            self.work.stop.clear()
            self.running, button.label = button, "Computing ... cancel"
            try:
                result = run()
            finally:
                self.running, button.label = None, label
            notes = result.notes
            if result.q is not None:
                notes = [*notes, *self.player.take(self.work.robot, result.t, result.q)]
                self._ready()
            text.content = as_code(result.text, "text") + "\n\n" + as_list(notes)
            chart.show(result.plot)
            self._journal()

        def pressed(_):
            if self.running is button:
                self.work.stop.set()
            else:
                self._try(command)

        button.on_click(pressed)

    def _ready(self):
        """There is a motion: play it."""
        self.time.max = max(self.player.span, 0.01)
        self.play.disabled = self.time.disabled = False
        self.player.play()
        self.play.label = "Pause"

    def _play_or_pause(self):
        if self.player.playing:
            self.player.pause()
        else:
            self.player.play()
        self.play.label = "Pause" if self.player.playing else "Play"

    def _played(self, at):
        self.time.value = round(at, 2)

    def _scrubbed(self, event):
        if event.client_id is None:
            return
        self.player.pause()
        self.play.label = "Play"
        self.player.show(float(event.target.value))

    def closed(self):
        """The browser has gone."""
        self.player.pause()

    # -- what was done ---------------------------------------------------------------------------

    def _python(self):
        gui = self.gui
        self.file = gui.add_markdown("")
        self.code = gui.add_markdown("")
        gui.add_button("Save a copy").on_click(lambda _: self._download())

    def _journal(self):
        journal = self.work.journal
        self.file.content = "What is done here is saved as it is done."
        if journal.path is not None:
            self.file.content = f"Saved as it is done, in {in_line(shown(journal.path, 300))}"
        self.code.content = as_code(journal.text)

    def _download(self):
        self.client.send_file_download("studio.py", self.work.journal.text.encode())

    # -- commands --------------------------------------------------------------------------------

    def _try(self, command):
        """Run a command; what goes wrong is shown and ends nothing."""
        if not self.busy.acquire(blocking=False):
            self._tell("Still computing", "One command runs at a time.")
            return
        try:
            command()
        except ParaxisError as error:
            self._tell("That is not possible", str(error))
        except Exception as error:  # a defect here must not end other people's work
            self._tell("This failed", f"{type(error).__name__}: {error}")
            raise
        finally:
            self.busy.release()

    def _tell(self, title, body, colour="red"):
        self.client.add_notification(title, shown(body, 1_000), color=colour, auto_close_seconds=15)
