"""What the server's tests share: a server of their own, and ways to talk to it."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

GASS = str(pathlib.Path(sys.argv.pop(1)).resolve())  # the program under test is the first argument
os.environ["XDG_CONFIG_HOME"] = os.path.join(tempfile.gettempdir(), "no-settings-of-the-caller")
FINAL = {"completed", "failed", "cancelled"}


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """gass serve on a port of its own, ready when this returns."""

    def __init__(self, folder, *arguments, models=("mini-turbo",), wait=True, environment=None):
        self.folder = folder
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GASS_")}
        clean["GOMP_SPINCOUNT"] = "10000"
        clean.update(environment or {})
        # On one thread small sets are as quick, and do not wait for each other's threads where tests run side by side.
        command = [GASS, "serve", "--port", "0", "--threads", "1", "-o", str(folder), *(part for model in models for part in ("-m", model)), *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=clean)
        self.lines = []
        self._has_port = threading.Event()
        self.port = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._has_port.wait(60) or self.port is None:
            raise AssertionError("no server: " + "".join(self.lines))
        if wait:
            self.wait_until_ready()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if self.port is None and b'"listening"' in line:
                self.port = json.loads(line)["port"]
                self._has_port.set()
        self._has_port.set()
        self.process.stderr.close()

    def log(self):
        """What the server said that is a line of its log; each must be one."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def wait_until_ready(self):
        wait_for(lambda: self.get("/health").status == 200, 60)

    def request(self, method, path, body=None, headers=None, timeout=300):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def socket(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def raw(self, data, timeout=30):
        """Everything that comes back for these bytes, until the server closes."""
        with self.socket(timeout) as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return read_all(connection)

    def job(self, body, **options):
        answer = self.post("/api/v1/jobs", {"prompt": "a red car", "width": 64, "height": 64, "images": 1, **body}, **options)
        if answer.status != 202:
            raise AssertionError(f"{answer.status} {answer.body!r}")
        return answer.json

    def wait(self, job, seconds=600, **options):
        """The job once it is over."""
        state = {}

        def is_over():
            state.update(self.get(f"/api/v1/jobs/{job['id']}", **options).json)
            return state["state"] in FINAL

        wait_for(is_over, seconds)
        return state

    def events(self, job, after=None, headers=None, timeout=300):
        """The events of a job as (id, name, data), until the stream ends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        wanted = dict(headers or {})
        if after is not None:
            wanted["Last-Event-ID"] = str(after)
        connection.request("GET", f"/api/v1/jobs/{job['id']}/events", headers=wanted)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        result = []
        for block in response.read().decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if fields:
                result.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
        connection.close()
        return result

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=60):
        """Ends it as a service manager does; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(seconds)
        self._reader.join(5)
        return status

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def read_all(connection):
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except (ConnectionResetError, TimeoutError):
        pass
    return received


def wait_for(condition, seconds=120, pause=0.02):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(pause)


class ServerTest(unittest.TestCase):
    """Tests that share a server; `arguments` says which."""

    arguments = ()
    models = ("mini-turbo",)
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls._temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._temporary.cleanup)
        cls.folder = pathlib.Path(cls._temporary.name)
        cls.server = Server(cls.folder / "serve", *cls.arguments, models=cls.models)
        cls.addClassCleanup(cls._end)

    @classmethod
    def _end(cls):
        cls.server.process.kill()
        cls.server.process.wait()

    def assert_refused(self, answer, status, code, *parts):
        self.assertEqual(answer.status, status, answer.body)
        error = answer.json["error"]
        self.assertEqual(error["code"], code)
        self.assertEqual(error["request_id"], answer.headers["X-Request-Id"])
        for part in parts:
            self.assertIn(part, json.dumps(error, ensure_ascii=False))


class OwnServerTest(unittest.TestCase):
    """Tests that each start servers, in a folder of their own."""

    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def start(self, *arguments, **options):
        server = Server(self.folder / "serve", *arguments, **options)
        self.addCleanup(lambda: (server.process.kill(), server.process.wait()))
        return server
