"""The panel beside the robot, in one browser: what is pressed becomes commands of a Work."""

import threading
from functools import partial

import numpy as np

from ..checks import counted, shown
from ..errors import ParaxisError
from ..scene.motion import coordinate_names
from .opening import names
from .text import as_code, as_list, escaped
from .work import ranges

STEP = 1e-3  # of sliders, rad or m
MOST_SLIDERS = 80


class Panel:
    """Of one `client`, on a `stage`, for a `work`."""

    def __init__(self, client, stage, work):
        self.client, self.gui, self.stage, self.work = client, client.gui, stage, work
        self.sliders, self.busy = [], threading.Lock()
        self.gui.configure_theme(
            control_layout="fixed", control_width="large", show_logo=False, show_share_button=False
        )
        self.title = self.gui.add_markdown("")
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Robot"):
            self._robot()
        with tabs.add_tab("Python"):
            self._python()

    # -- the robot -------------------------------------------------------------------------------

    def _robot(self):
        gui = self.gui
        known = names()
        self.name = gui.add_text("name", known[0], hint="a built-in robot: " + ", ".join(known))
        gui.add_button("Open").on_click(lambda _: self._try(self._open_name))
        upload = gui.add_upload_button("Open a URDF file", mime_type=".urdf,.xml")
        upload.on_upload(lambda event: self._try(partial(self._open_text, event.target.value)))
        self.about = gui.add_markdown("")
        frames = gui.add_checkbox("frames", False)
        frames.on_update(lambda event: self._try(partial(self._frames, event.target.value)))
        gui.add_button("Back to the first posture").on_click(lambda _: self._try(self._stand))
        self.joints = gui.add_folder("Joints")

    def _open_name(self):
        self.work.open(self.name.value.strip())
        self.opened()

    def _open_text(self, file):
        self.work.open_text(file.content)
        self.opened()

    def opened(self):
        """Show the robot that the work has now."""
        robot = self.work.robot
        notes = [*self.work.notes, *self.stage.open(robot)]
        poses = self.stage.poses_of(self.work.q[None])
        self.stage.draw(poses)
        self.stage.look_at(poses)
        lead = f"{counted(robot.n, 'joint')}, {counted(len(robot.frames), 'frame')}, "
        lead += f"{sum(body.mass for body in robot.inertias):.4g} kg"
        found = as_list(notes) if notes else "Nothing is wrong with its description."
        self.about.content = f"{lead}\n\n{found}"
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
        self.stage.draw(self.stage.poses_of(self.work.q[None]))

    def _stand(self):
        self.work.stand()
        for k, slider in enumerate(self.sliders):
            slider.value = float(self.work.q[k])
        self.stage.draw(self.stage.poses_of(self.work.q[None]))

    def _frames(self, on):
        self.stage.show_frames = on
        if self.stage.poses is not None:
            self.stage.draw(self.stage.poses)

    # -- what was done ---------------------------------------------------------------------------

    def _python(self):
        gui = self.gui
        self.file = gui.add_markdown("Nothing is done yet.")
        self.code = gui.add_markdown("")
        gui.add_button("Save a copy").on_click(lambda _: self._download())

    def _journal(self):
        journal = self.work.journal
        self.file.content = f"Saved as it is done, in `{escaped(shown(journal.path, 300))}`."
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

    def _tell(self, title, body):
        self.client.add_notification(title, shown(body, 1_000), color="red", auto_close_seconds=15)
