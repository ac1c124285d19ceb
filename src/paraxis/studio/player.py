"""Motions over time, played in real time: again and again, or one moment as the slider says."""

import threading
import time

import numpy as np

from ..scene.motion import Motion

RATE = 30.0  # pictures per second


class Player:
    """Moves a stage through `t` and poses (times, robots, bodies, 7); calls `moved(t)`."""

    def __init__(self, stage, moved):
        self.stage, self.moved = stage, moved
        self.t, self.poses, self.at = np.zeros(1), None, 0.0
        self.thread, self.ended, self.lock = None, threading.Event(), threading.Lock()
        self.drawn = 0  # pictures, for measurements

    @property
    def span(self):
        return float(self.t[-1])

    @property
    def playing(self):
        return self.thread is not None

    def take(self, robot, t, q):
        """Another motion, from its beginning; what of it is left out, in sentences."""
        self.pause()
        motion = Motion.of(robot, q, t).shown()
        rate = (len(motion.t) - 1) / max(float(motion.t[-1]), 1e-9)
        count, robots = motion.q.shape[:2]
        flat = self.stage.poses_of(motion.q.reshape(count * robots, -1))
        self.t, self.poses, self.at = motion.t, flat.reshape(count, robots, -1, 7), 0.0
        self.show(0.0)
        notes = [note for note in motion.notes if "robots" in note]
        if len(motion.t) < len(t) and rate < RATE:
            notes.append(f"So many robots are shown {rate:.0f} times per second of their time.")
        return notes

    def forget(self):
        """No motion: the robot stands."""
        self.pause()
        self.t, self.poses = np.zeros(1), None

    def show(self, at):
        """One moment."""
        if self.poses is None:
            return
        self.at = min(max(at, 0.0), self.span)
        k = min(int(np.searchsorted(self.t, self.at - 1e-9)), len(self.t) - 1)
        self.stage.draw(self.poses[k])
        self.drawn += 1

    def play(self):
        with self.lock:
            if self.poses is None or self.thread is not None:
                return
            self.ended = threading.Event()
            self.thread = threading.Thread(target=self._run, args=(self.ended,), daemon=True)
            self.thread.start()

    def pause(self):
        with self.lock:
            thread, self.thread = self.thread, None
            self.ended.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(2.0)

    def _run(self, ended):
        begin, count = time.monotonic() - (self.at if self.at < self.span else 0.0), 0
        while not ended.is_set():
            at = (time.monotonic() - begin) % (self.span or 1.0)
            self.show(at)
            if count % 6 == 0:  # the slider follows more slowly: each time it is drawn anew
                self.moved(self.at)
            count += 1
            late = (time.monotonic() - begin) * RATE
            ended.wait((1.0 - late % 1.0) / RATE)
