"""soak_test.py GASS [JOBS [CLIENTS [KILLS]]]: many small jobs from many clients who cancel, go away, send nonsense and read slowly, while the
server is killed again and again. Every accepted job must end in exactly one final state; then as many again without kills: memory must stay flat.
Prints the run's figures (docs/server.md has those of one)."""

import collections
import http.client
import json
import pathlib
import random
import socket
import sqlite3
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
NUMBERS = [int(argument) for argument in sys.argv[2:]]
del sys.argv[2:]

from support import FINAL, Server, wait_for  # noqa: E402

JOBS, CLIENTS, KILLS = NUMBERS + [1000, 50, 20][len(NUMBERS):]
SMALL = {"width": 64, "height": 64, "images": 1, "steps": 2, "method": "none", "previews": False}
STATES = ("queued", "running", "completed", "failed", "cancelled")
NONSENSE = (b"{", b"[" * 5000, b'{"prompt": 5}', b"\xff\xfe", b'{"prompt": "a", "images": 1e99}', b'{"prompt": "a", "shield": "/etc"}')


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Soak:
    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.lock = threading.Lock()
        self.left = 0
        self.accepted = {}  # id: plan
        self.seen = {}  # id: the final state that a client was told
        self.counts = collections.Counter()
        self.ended = collections.Counter()  # lines of logs: (id, state)
        self.memory = []
        self.latencies = []
        self.server = None
        self.start()

    def start(self):
        self.server = Server(self.folder, "--port", str(self.port), "--queue", "5000", "--keep", "0")

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def note(self, name):
        with self.lock:
            self.counts[name] += 1

    def ask(self, method, path, body=None, timeout=120):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def tell(self, job):
        """What a client was told of a job must stay so."""
        with self.lock:
            before = self.seen.setdefault(job["id"], job["state"])
        if before != job["state"]:
            raise AssertionError(f"{job['id']} was {before} and is {job['state']}")

    def client(self, number):
        chance = random.Random(number)
        while self.take():
            while True:
                try:
                    self.act(number, chance)
                    break
                except (OSError, http.client.HTTPException, json.JSONDecodeError):
                    self.note("broken connections")
                    time.sleep(0.2)

    def act(self, number, chance):
        kind = chance.random()
        if kind < 0.05:
            self.note("malformed bodies")
            status, _ = self.ask("POST", "/api/v1/jobs", chance.choice(NONSENSE))
            if status == 503:
                raise OSError("it starts just now")
            assert 400 <= status < 500, status
        if 0.05 < kind < 0.1:
            return self.go_away(chance)
        begin = time.monotonic()
        status, body = self.ask("POST", "/api/v1/jobs", {"prompt": f"a car {number}", "seed": chance.randrange(10**6), "client": str(number), **SMALL})
        if status == 503:
            raise OSError("it starts just now")
        assert status == 202, body
        with self.lock:
            self.latencies.append(time.monotonic() - begin)
            job = json.loads(body)
            self.accepted[job["id"]] = job["plan"]
        if kind < 0.2:
            self.note("cancels")
            time.sleep(chance.random() * 0.3)
            job = json.loads(self.ask("POST", f"/api/v1/jobs/{job['id']}/cancel")[1])
            if job["state"] not in FINAL:
                raise AssertionError(f"cancelled, and it is {job['state']}")
            return self.tell(job)
        if kind < 0.3:
            return self.read_slowly(job)
        while True:
            status, body = self.ask("GET", f"/api/v1/jobs/{job['id']}")
            if status == 404:
                raise AssertionError(f"{job['id']} is lost")
            now = json.loads(body)
            if now.get("state") in FINAL:
                return self.tell(now)
            time.sleep(0.1 + chance.random() * 0.3)

    def go_away(self, chance):
        """A call that waits, and whose caller does not."""
        self.note("disconnects")
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            body = json.dumps({"prompt": "a boat", "size": "64x64", "steps": 2}).encode()
            connection.sendall(b"POST /v1/images/generations HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(chance.random() * 0.5)

    def read_slowly(self, job):
        self.note("slow readers")
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.sendall(f"GET /api/v1/jobs/{job['id']}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            for _ in range(20):
                time.sleep(0.05)
                if not connection.recv(64):
                    return

    def run_clients(self, jobs, kills):
        self.left = jobs
        errors = []

        def work(number):
            try:
                self.client(number)
            except BaseException as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for kill in range(kills):
            wait_for(lambda limit=jobs * (kills - kill) // (kills + 1): self.left <= limit or errors, 1200, 0.05)
            self.server.kill()
            self.collect()
            self.start()
        while any(thread.is_alive() for thread in threads):
            if not kills:
                self.memory.append((jobs - self.left, self.server.memory()))
            time.sleep(0.5)
        if errors:
            raise errors[0]
        wait_for(lambda: self.unfinished() == 0, 600, 0.2)

    def unfinished(self):
        return sum(len(json.loads(self.ask("GET", f"/api/v1/jobs?state={state}")[1])["jobs"]) for state in ("queued", "running"))

    def collect(self):
        """What a server that is gone said of the ends of jobs."""
        self.server._reader.join(10)
        for entry in self.server.log():
            if entry["event"] == "job ended":
                self.ended[entry["job"], entry["state"]] += 1

    def check(self):
        with sqlite3.connect(self.folder / "jobs.db") as database:
            rows = {row[0]: (STATES[row[1]], json.loads(row[2]), row[3]) for row in database.execute("SELECT id, state, plan, attempts FROM jobs")}
        states = collections.Counter(state for state, _, _ in rows.values())
        assert set(states) <= FINAL, states
        assert states["failed"] == 0, states
        lost = set(self.accepted) - set(rows)
        assert not lost, f"{len(lost)} are lost"
        for job, told in self.seen.items():
            assert rows[job][0] == told, (job, told, rows[job][0])
        for (job, state), times in self.ended.items():
            assert times == 1 and rows[job][0] == state, (job, state, times)
        for job, (state, plan, _) in rows.items():
            folder = self.folder / "sets" / job
            if state == "completed":
                record = json.loads((folder / "group.json").read_text())
                assert record["seeds"] == plan["seeds"], job
                assert (folder / "0000.png").read_bytes().startswith(b"\x89PNG")
            else:
                assert not (folder / "group.json").exists(), job
        return states, sum(1 for _, _, attempts in rows.values() if attempts > 1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(pathlib.Path(folder) / "serve")
        try:
            begin = time.monotonic()
            soak.run_clients(JOBS, KILLS)
            seconds = time.monotonic() - begin
            counts = dict(soak.counts)
            soak.run_clients(JOBS, 0)
            assert soak.server.stop() == 0
        finally:
            soak.server.process.kill()
        soak.collect()
        states, again = soak.check()
        settled = [memory for done, memory in soak.memory if done >= JOBS / 4]
        growth = (settled[-1] - settled[0]) / 1e6
        latencies = sorted(soak.latencies)
        print(f"{JOBS} jobs, {CLIENTS} clients and {KILLS} kills in {seconds:.0f} s: {counts}")
        print(f"{len(soak.accepted)} accepted in both parts: {dict(states)}; {again} were begun again; none lost, none ended twice")
        print(f"answer to a new job: median {1000 * latencies[len(latencies) // 2]:.1f} ms, 99 % below {1000 * latencies[len(latencies) * 99 // 100]:.0f} ms")
        print(f"memory over the last {JOBS * 3 // 4} jobs without kills: {settled[0] / 1e6:.0f} to {settled[-1] / 1e6:.0f} MB")
        assert growth < 30, f"memory grew by {growth} MB"


if __name__ == "__main__":
    main()
