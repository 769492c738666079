"""Chromium without a window, driven over its debugging pipe (Chrome DevTools Protocol) with Python alone."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser():
    """The program; a test without one has tested nothing, so that there must be one. Ubuntu alone has none to install:
    its package asks for a snap, which sees neither our folders nor, in a container, anything."""
    found = [path for name in (os.environ.get("GASS_CHROMIUM"), *NAMES) if name and (path := shutil.which(name))]
    for path in found:
        with open(path, "rb") as program:
            if b"/snap/bin/" not in program.read(8192):
                return path
    if found:
        reason = f"{found[0]} is a snap; GASS_CHROMIUM names another Chromium"
        print(reason, file=sys.stderr)  # for ctest, which calls the test skipped then
        raise unittest.SkipTest(reason)
    raise RuntimeError("there is no Chromium here (looked for GASS_CHROMIUM, " + ", ".join(NAMES) +
                       "); scripts/setup test installs it")


class Browser:
    """One page at a time. `messages` collects what a good page does not cause: console output, exceptions, requests."""

    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser = os.pipe()
        from_browser = os.pipe()
        # Chromium reads from 3 and writes to 4; the ends must not lie there already when they are moved.
        read_end = fcntl.fcntl(to_browser[0], fcntl.F_DUPFD, 10)
        write_end = fcntl.fcntl(from_browser[1], fcntl.F_DUPFD, 10)

        def place_ends():
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        self._process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             f"--user-data-dir={self._profile.name}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=place_ends, env={**os.environ, "HOME": self._profile.name})
        for end in (to_browser[0], from_browser[1], read_end, write_end):
            os.close(end)
        self._out, self._in = to_browser[1], from_browser[0]
        self._buffer = b""
        self._count = 0
        self._session = None
        self._loaded = False
        self.messages = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        os.close(self._out)  # the end of its pipe is the end of the browser
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._profile.cleanup()

    def call(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, seconds=60):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError(f"Chromium said nothing for {seconds} s")
            data = os.read(self._in, 1 << 20)
            if not data:
                raise RuntimeError("Chromium ended by itself")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        kind, details = event.get("method"), event.get("params", {})
        if kind == "Page.loadEventFired":
            self._loaded = True
        elif kind == "Network.requestWillBeSent" and not details["request"]["url"].startswith(("data:", "file:")):
            self.messages.append("request: " + details["request"]["url"])
        elif kind == "Log.entryAdded":
            self.messages.append("log: " + details["entry"]["text"])
        elif kind == "Runtime.consoleAPICalled":
            self.messages.append("console: " + json.dumps(details["args"]))
        elif kind == "Runtime.exceptionThrown":
            self.messages.append("exception: " + json.dumps(details["exceptionDetails"]))
        elif kind == "Page.javascriptDialogOpening":
            self.messages.append("dialog: " + details["message"])

    def open(self, path, width, height=800, dark=False, media=""):
        """Shows a file in a window of that width, as a phone does below 500 pixels."""
        self.messages.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self._loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._note(self._receive())

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text="\r" if key == "Enter" and kind == "keyDown" else "")

    def screenshot(self, whole=True):
        """The bytes of a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
