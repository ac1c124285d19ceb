"""Chromium, driven through pipes by its DevTools protocol: for pages that must work when opened.

Nothing but an installed Chromium is needed. Everything that a page says or asks for is kept:
errors, messages of the console, requests.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",  # for containers, where there is only root
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--mute-audio",
)
# the browser reads commands from 3 and writes to 4
STARTED = """
import fcntl, os, sys
theirs, answers, *command = sys.argv[1:]
high = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in (theirs, answers)]
os.dup2(high[0], 3), os.dup2(high[1], 4)
os.execv(command[0], command)
"""


def chromium():
    """The path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """An open page. `requests` has the addresses that it asked for, itself among them."""

    def __init__(self, writing, reading):
        self.writing, self.reading, self.session, self.count = writing, reading, None, 0
        self.read = b""
        self.errors, self.messages, self.requests = [], [], []
        self.loaded = 0

    def send(self, method, **parameters):
        """Call a method of the protocol; its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.writing.write(json.dumps(message).encode() + b"\0")
        self.writing.flush()
        while True:
            found = self._next()
            if found.get("id") == self.count:
                assert "error" not in found, found["error"]
                return found["result"]

    def _next(self):
        while b"\0" not in self.read:
            piece = os.read(self.reading, 2**20)
            assert piece, "the browser has ended"
            self.read += piece
        text, _, self.read = self.read.partition(b"\0")
        found = json.loads(text)
        self._note(found.get("method"), found.get("params", {}))
        return found

    def _note(self, method, what):
        if method == "Runtime.exceptionThrown":
            self.errors.append(what["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled":
            words = [str(each.get("value", each.get("description"))) for each in what["args"]]
            self.messages.append((what["type"], " ".join(words)))
        elif method == "Log.entryAdded":
            self.messages.append((what["entry"]["level"], what["entry"]["text"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded += 1

    def open(self, path):
        """Load a file."""
        self.loaded = 0
        self.send("Page.navigate", url=Path(path).resolve().as_uri())
        while not self.loaded:
            self._next()

    def run(self, expression):
        """The value of JavaScript, awaited if it is a promise."""
        found = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression, seconds=20):
        """Wait for a condition; its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(expression)):
            assert time.monotonic() < end, f"not in {seconds} s: {expression}"
            time.sleep(0.02)
        return value

    def look(self, width=1280, height=800, sharp=1, dark=False, still=False):
        """The size of the window, its theme, and whether motion is reduced."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=sharp, mobile=width < 600,
        )  # fmt: skip
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.send("Emulation.setEmulatedMedia", features=features)

    def press(self, key, code=None, text=None):
        """Press and release a key."""
        common = {"key": key, "code": code or key}
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {})
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def drag(self, *points):
        """Press the left button at the first point, move over the others, and release it."""
        (x, y), *others = points
        held = {"button": "left", "buttons": 1, "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **held)
        for x, y in others:
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **held)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **held)

    def box(self, selector):
        """Where an element is: left, top, width and height."""
        element = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.run(f"(b => [b.x, b.y, b.width, b.height])({element})")

    def click(self, selector):
        """Click the middle of an element."""
        x, y, width, height = self.box(selector)
        self.drag((x + width / 2, y + height / 2))

    def picture(self, path=None):
        """What the window shows, as PNG."""
        data = b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if path is not None:
            Path(path).write_bytes(data)
        return data


@contextmanager
def browser():
    """An empty Page of a browser that ends with the block."""
    (theirs, writing), (reading, answers) = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED, str(theirs), str(answers), chromium(), *OPTIONS,
             f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        os.close(answers)
        try:
            with open(writing, "wb") as out:
                page = Page(out, reading)
                targets = page.send("Target.getTargets")["targetInfos"]
                target = next(each for each in targets if each["type"] == "page")["targetId"]
                page.session = page.send("Target.attachToTarget", targetId=target, flatten=True)[
                    "sessionId"
                ]
                for domain in ("Page", "Runtime", "Log", "Network"):
                    page.send(f"{domain}.enable")
                yield page
        finally:
            process.kill()
            process.wait()
            os.close(reading)
