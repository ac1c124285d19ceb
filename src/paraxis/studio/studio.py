"""The studio: a server, and for each browser a work, a stage and a panel."""

import threading

from .journal import Journal
from .panel import Panel
from .served import Served
from .stage import Stage
from .work import Work

MOST_LEFT = 20  # works whose browser has gone


class Studio:
    """Serves from when it is made until `stop()`.

    `opened` is the robot that everyone begins with, and `line` opens it in Python. A browser
    that comes goes on with the work that was left last, if there is one: a page that is loaded
    again, or a browser that was killed and started again, finds what it had.
    """

    def __init__(self, opened, line, *, host="127.0.0.1", port=0, folder=None):
        self.opened, self.line, self.folder = opened, line, folder
        self.works, self.left, self.lock = {}, [], threading.Lock()
        self.panels, self.gone = {}, set()
        self.served = Served(host, port)
        self.url = self.served.url
        self.served.viser.on_client_connect(self._came)
        self.served.viser.on_client_disconnect(self._went)

    def _came(self, client):
        with self.lock:
            if client.client_id in self.gone:  # before this thread began
                return
            work = self.left.pop() if self.left else Work(Journal(self.folder))
            self.works[client.client_id] = work
        panel = Panel(client, Stage(client), work)
        with self.lock:
            if client.client_id in self.gone:
                return
            self.panels[client.client_id] = panel
        panel.begin(self.opened, self.line)

    def _went(self, client):
        with self.lock:
            self.gone.add(client.client_id)
            work = self.works.pop(client.client_id, None)
            panel = self.panels.pop(client.client_id, None)
            if work is not None and work.journal.path is not None:
                self.left = [*self.left, work][-MOST_LEFT:]
        if panel is not None:
            panel.closed()

    def stop(self):
        """End it; what was saved stays."""
        self.served.stop()
