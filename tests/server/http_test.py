"""The HTTP layer, and whoever means it ill. Each line of the security list in docs/server.md has its test here."""

import json
import os
import subprocess
import threading
import time
import unittest

from support import GASS, OwnServerTest, ServerTest, read_all


def status_of(received):
    return int(received.split(b" ", 2)[1]) if received.startswith(b"HTTP/1.1 ") else None


class Plain(ServerTest):
    def test_health_needs_nothing(self):
        answer = self.server.get("/health")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["status"], "ok")

    def test_numbers_for_prometheus(self):
        self.server.get("/health")
        text = self.server.get("/metrics").body.decode()
        for name in ('gass_requests_total{route="GET /health",status="200"}', 'gass_jobs{state="queued"} 0', "gass_models_loaded 1",
                     "process_resident_memory_bytes"):  # fmt: skip
            self.assertIn(name, text)

    def test_what_is_not_there(self):
        self.assert_refused(self.server.get("/nothing/here"), 404, "not_found")
        answer = self.server.request("PUT", "/api/v1/jobs")
        self.assert_refused(answer, 405, "method_not_allowed", "POST")
        self.assertIn("GET", answer.headers["Allow"])

    def test_head_has_no_body(self):
        answer = self.server.request("HEAD", "/health")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Length"], str(len(self.server.get("/health").body)))

    def test_requests_in_a_row_on_one_connection(self):
        one = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        received = self.server.raw(one * 20 + last)
        self.assertEqual(received.count(b"HTTP/1.1 200"), 21)

    def test_http_1_0(self):
        received = self.server.raw(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
        self.assertEqual(status_of(received), 200)

    def test_continue_is_said_when_it_is_asked_for(self):
        with self.server.socket() as connection:
            connection.sendall(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            self.assertIn(b"100 Continue", connection.recv(1000))
            connection.sendall(b"{}")
            self.assertEqual(status_of(connection.recv(1000)), 400)

    def test_request_ids(self):
        answer = self.server.get("/health", headers={"X-Request-Id": "my-own.7"})
        self.assertEqual(answer.headers["X-Request-Id"], "my-own.7")
        for bad in ("two words", "x" * 65, '"', "a\tb"):
            self.assertRegex(self.server.get("/health", headers={"X-Request-Id": bad}).headers["X-Request-Id"], "^[0-9a-f]{16}$")

    def test_the_page_and_its_policy(self):
        answer = self.server.get("/")
        self.assertEqual(answer.status, 200)
        self.assertIn("text/html", answer.headers["Content-Type"])
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        again = self.server.get("/", headers={"If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.body), (304, b""))


class Hostile(ServerTest):
    arguments = ("--allow-host", "gass.example.com")

    def tearDown(self):
        self.assertEqual(self.server.get("/health").status, 200)

    def test_foreign_host(self):
        """A page whose name somebody bends to this address (DNS rebinding) gets nothing."""
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:7860"):
            self.assert_refused(self.server.get("/health", headers={"Host": host}), 403, "forbidden_host")
        for host in ("localhost", "127.0.0.1:1", "[::1]:80", "LOCALHOST", "gass.example.com", "gass.example.com.", "192.168.1.7"):
            self.assertEqual(self.server.get("/health", headers={"Host": host}).status, 200, host)
        for host in ("", "a b", "host/", "a:b:c", "localhost:99999", "user@localhost", "[::1"):
            self.assertEqual(self.server.get("/health", headers={"Host": host}).status, 400, host)
        self.assertEqual(status_of(self.server.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")), 400)
        self.assertEqual(status_of(self.server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")), 400)

    def test_foreign_pages(self):
        """No page of another origin may post here, and none is let in by CORS."""
        for origin in ("https://evil.example", "null", "http://localhost:1", "file://"):
            answer = self.server.post("/api/v1/jobs", {"prompt": "a"}, headers={"Origin": origin, "Content-Type": "text/plain"})
            self.assert_refused(answer, 403, "forbidden_origin")
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])
        own = {"Origin": f"http://localhost:{self.server.port}", "Host": f"localhost:{self.server.port}"}
        self.assertEqual(self.server.get("/api/v1/models", headers=own).status, 200)

    def test_path_traversal_in_addresses(self):
        for path in ("/../etc/passwd", "/assets/../../etc/passwd", "/assets/..%2f..%2fetc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd",
                     "/assets/..%5c..%5cetc", "//etc/passwd", "/api/v1/jobs/../../../etc/passwd", "/api/v1/jobs/..%2f..%2f/record",
                     "/api/v1/jobs/%00/record", "/api/v1/jobs/%ff%fe/record", "/api/v1/jobs/%c0%ae%c0%ae/record", "/assets/%", "/assets/%zz",
                     "/assets/.", "/assets//etc/passwd", "/api/v1/jobs/a/images/..%2f0", "http://evil.example/x"):  # fmt: skip
            received = self.server.raw(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertIn(status_of(received), (400, 404), path)
            self.assertNotIn(b"root:", received)

    def test_path_traversal_in_fields(self):
        """Nothing that a request says is taken for a file of this machine."""
        folder = str(self.folder)
        for field in ({"model": "/etc/passwd"}, {"model": "../../etc"}, {"model": folder}, {"model": "./mini-turbo"}):
            self.assert_refused(self.server.post("/api/v1/jobs", {"prompt": "a", **field}), 404, "model_not_found")
        for field in ({"shield": folder}, {"output": folder}, {"init_image": "/etc/passwd"}, {"guide": "/etc/passwd"},
                      {"start_image": "/etc/passwd"}, {"preset": "/etc/passwd"}, {"like": "/etc/passwd"}):  # fmt: skip
            self.assert_refused(self.server.post("/api/v1/jobs", {"prompt": "a", **field}), 400, "usage")
        answer = self.server.post("/api/v1/jobs", {"prompt": "a", "method": "spell:shield=/etc/passwd"})
        self.assertEqual(answer.status, 400)
        self.assertNotIn(b"root:", answer.body)

    def test_oversized_bodies(self):
        head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n"
        self.assertEqual(status_of(self.server.raw(head)), 413)
        self.assertEqual(status_of(self.server.raw(head.replace(b"999999999999", b"99999999999999999999999999"))), 400)
        answer = self.server.post("/api/v1/jobs", {"prompt": "a" * 70000})
        self.assert_refused(answer, 400, "usage", "prompt")
        big = json.dumps({"prompt": "a" * (2 << 20)})
        try:
            self.assertEqual(self.server.post("/api/v1/jobs", big).status, 413)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it did not even wait for it
        self.assertEqual(status_of(self.server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde")), 413)

    def test_bodies_without_an_end(self):
        before = self.server.memory()
        with self.server.socket(60) as connection:
            connection.sendall(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
            sent = 0
            try:
                while sent < 200 << 20:
                    connection.sendall(chunk)
                    sent += len(chunk)
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertLess(sent, 40 << 20)
        self.assertLess(self.server.memory() - before, 20 << 20)

    def test_header_bombs(self):
        start = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
        for bomb in (b"X: " + b"a" * (1 << 20), b"X: y\r\n" * 200000, b"".join(b"X%d: y\r\n" % i for i in range(100000)), b"a" * (1 << 20)):
            self.assertIn(status_of(self.server.raw(start + bomb + b"\r\n\r\n")), (400, 431, None))
        self.assertIn(status_of(self.server.raw(b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n\r\n")), (400, 431))

    def test_what_is_no_http(self):
        for garbage in (b"\x00\x01\x02\x03\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /health\r\n\r\n", b"\r\n\r\n\r\n",
                        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n", os.urandom(10000),
                        b"GET  /health  HTTP/1.1\r\n\r\n", b"G\xc3\xa9T /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n", b"GET /health HTTP/1.1\r\n folded: x\r\n\r\n"):  # fmt: skip
            with self.server.socket() as connection:
                connection.sendall(garbage)
                connection.shutdown(1)
                self.assertNotEqual(status_of(read_all(connection)), 200, garbage)

    def test_two_ends_of_one_body(self):
        """What a proxy might take for two requests is none."""
        both = (b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")  # fmt: skip
        received = self.server.raw(both)
        self.assertEqual(received.count(b"HTTP/1.1 "), 1)
        self.assertEqual(status_of(received), 400)
        twice = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 9\r\n\r\n{}{}"
        self.assertEqual(status_of(self.server.raw(twice)), 400)

    def test_json_bombs(self):
        for body in ("[" * 100000, '{"a":' * 100000, '{"prompt": "a", "prompt": "b"}', "1e999999", '{"prompt": 1e400}', b"\xff\xfe", "", "null", "[]",
                     '"text"', '{"prompt": "\\ud800"}', '{"prompt": "a", "images": 1e30}', '{"prompt": "a", "images": -1}', '{"prompt": "a", "seed": 1.5}',
                     '{"prompt": "a", "images": "4"}', '{"prompt": ["a"]}', '{"prompt": "a", "steps": true}', "[" + "1," * 400000 + "1]"):  # fmt: skip
            begin = time.monotonic()
            answer = self.server.post("/api/v1/jobs", body)
            self.assert_refused(answer, 400, "usage")
            self.assertLess(time.monotonic() - begin, 5)

    def test_too_much_at_once(self):
        for field in ({"images": 1000}, {"width": 16384}, {"height": 16384}, {"steps": 1000}, {"method": "gass:candidates=64", "images": 65},
                      {"seeds": [1] * 100000}, {"client": "x" * 1000}, {"method": "x" * 10000}, {"variation_strength": 0.5}):  # fmt: skip
            self.assert_refused(self.server.post("/api/v1/jobs", {"prompt": "a", **field}), 400, "usage")

    def test_log_injection(self):
        """Whatever a request says, it is one line of JSON in the log, and no terminal's commands are among it."""
        for path in (b"/x%0a%7b%22event%22:%22job%20ended%22%7d", b"/x\x1b[31m", b"/\xe2\x80\xa8", b"/x?q=%0d%0a", b"/" + b"a" * 5000):
            self.server.raw(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\x0bb\r\nConnection: close\r\n\r\n")
        self.server.raw(b"EVIL\x1b[2J /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.server.get("/health", headers={"X-Request-Id": 'a"}'})
        self.server.post("/api/v1/jobs", {"prompt": "a", "model": 'x"}\n{"event": "forged"}'})
        time.sleep(0.3)
        for line in self.server.lines:
            self.assertRegex(line, r"^\{[\x20-\x7e]*\}\n$")
        self.assertNotIn("forged", {entry["event"] for entry in self.server.log()})

    def test_slow_readers_delay_nobody(self):
        """A hundred that ask for much and take nothing."""
        slow = []
        for _ in range(100):
            connection = self.server.socket()
            connection.sendall(b"GET /api/v1/capabilities HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            slow.append(connection)
        begin = time.monotonic()
        for _ in range(50):
            self.assertEqual(self.server.get("/health").status, 200)
        self.assertLess(time.monotonic() - begin, 2)
        for connection in slow:
            connection.close()

    def test_slow_loris(self):
        """Whoever sends his request letter by letter is let go; others do not notice him meanwhile."""
        ends = []

        def drip():
            with self.server.socket(60) as connection:
                begin = time.monotonic()
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
                try:
                    while time.monotonic() - begin < 40:
                        connection.sendall(b"a")
                        time.sleep(0.2)
                except OSError:
                    pass
                ends.append(time.monotonic() - begin)

        threads = [threading.Thread(target=drip) for _ in range(50)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        begin = time.monotonic()
        self.assertEqual(self.server.get("/health").status, 200)
        self.assertLess(time.monotonic() - begin, 1)
        for thread in threads:
            thread.join()
        self.assertEqual(len(ends), 50)
        self.assertLess(max(ends), 25)


class Keys(ServerTest):
    arguments = ("--api-key", "first-key-of-two", "--api-key", "second-key-of-two")

    def test_who_has_none_or_a_wrong_one(self):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}, {"Authorization": "Basic Zmlyc3Q6"}, {"X-Api-Key": ""},
                        {"X-Api-Key": "first-key-of-tw"}, {"X-Api-Key": "first-key-of-two "[:-1] + "x"}, {"Authorization": "first-key-of-two"}):  # fmt: skip
            for path in ("/api/v1/jobs", "/api/v1/capabilities", "/v1/models", "/sdapi/v1/progress", "/metrics", "/nothing"):
                answer = self.server.get(path, headers=headers)
                self.assertEqual(answer.status, 401, (headers, path))
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")

    def test_who_has_one(self):
        for headers in ({"Authorization": "Bearer first-key-of-two"}, {"authorization": "bearer second-key-of-two"}, {"X-Api-Key": "second-key-of-two"}):
            self.assertEqual(self.server.get("/api/v1/jobs", headers=headers).status, 200, headers)

    def test_what_needs_none(self):
        for path in ("/health", "/", "/api/v1/openapi.json"):
            self.assertEqual(self.server.get(path).status, 200)

    def test_jobs_of_another_key_are_not_there(self):
        mine, other = {"X-Api-Key": "first-key-of-two"}, {"X-Api-Key": "second-key-of-two"}
        job = self.server.job({}, headers=mine)
        self.server.wait(job, headers=mine)
        place = f"/api/v1/jobs/{job['id']}"
        for method, path in (("GET", ""), ("GET", "/events"), ("GET", "/images/0"), ("GET", "/sheet"), ("GET", "/record"), ("GET", "/zip"),
                             ("GET", "/explain"), ("GET", "/previews/0"), ("POST", "/cancel"), ("DELETE", "")):  # fmt: skip
            answer = self.server.request(method, place + path, headers=other)
            self.assertEqual(answer.status, 404, path)
            self.assertEqual(answer.json["error"]["code"], "not_found")
        self.assertEqual(self.server.get("/api/v1/jobs", headers=other).json["jobs"], [])
        self.assertEqual(self.server.get(place, headers=mine).json["state"], "completed")

    def test_no_key_is_kept_or_told(self):
        self.assertNotIn("key-of-two", "".join(self.server.lines))
        for file in (self.folder / "serve").glob("jobs.db*"):
            self.assertNotIn(b"key-of-two", file.read_bytes())
            self.assertEqual(file.stat().st_mode & 0o077 if file.name == "jobs.db" else 0, 0)


class Cors(ServerTest):
    arguments = ("--cors-origin", "https://app.example.com")

    def test_a_named_origin_is_let_in_and_no_other(self):
        answer = self.server.get("/api/v1/models", headers={"Origin": "https://app.example.com"})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (200, "https://app.example.com"))
        self.assertIsNone(answer.headers["Access-Control-Allow-Credentials"])
        self.assertEqual(self.server.get("/api/v1/models", headers={"Origin": "https://app.example.com.evil"}).status, 403)

    def test_preflight(self):
        asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        answer = self.server.request("OPTIONS", "/api/v1/jobs", headers=asked)
        self.assertEqual(answer.status, 204)
        self.assertIn("POST", answer.headers["Access-Control-Allow-Methods"])
        self.assertIn("Authorization", answer.headers["Access-Control-Allow-Headers"])
        self.assertEqual(self.server.request("OPTIONS", "/api/v1/jobs", headers={**asked, "Origin": "https://evil.example"}).status, 403)


class Start(OwnServerTest):
    def refused(self, *arguments):
        result = subprocess.run([GASS, "serve", "--port", "0", "-o", str(self.folder / "serve"), *arguments], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr.decode()

    def test_others_need_a_key(self):
        self.assertIn("--api-key", self.refused("--host", "0.0.0.0"))
        self.assertIn("--no-api-key", self.refused("--host", "192.168.1.1"))
        self.assertEqual(self.start("--host", "0.0.0.0", "--no-api-key").get("/health").status, 200)

    def test_keys_from_a_file(self):
        keys = self.folder / "keys"
        keys.write_text("a-key-in-a-file\n\nanother-key\r\n")
        server = self.start("--api-key-file", str(keys))
        self.assertEqual(server.get("/api/v1/jobs", headers={"X-Api-Key": "another-key"}).status, 200)
        self.assertEqual(server.get("/api/v1/jobs", headers={"X-Api-Key": ""}).status, 401)

    def test_what_cannot_be_served(self):
        self.assertIn("8 characters", self.refused("--api-key", "short"))
        self.assertIn("--keep", self.refused("--keep", "long"))
        self.assertIn("--cors-origin", self.refused("--cors-origin", "example.com"))
        server = self.start()
        self.assertIn("another process", self.refused())
        result = subprocess.run([GASS, "serve", "--port", str(server.port), "-o", str(self.folder / "b")], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 4)
        result = subprocess.run([GASS, "serve", "-m", "no-such-model", "-o", str(self.folder / "b")], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 3)

    def test_it_says_when_it_is_not_ready(self):
        server = self.start(models=("mini-flow",), wait=False)
        first = server.get("/health")
        if first.status == 503:
            self.assertEqual(first.json, {"status": "loading"})
            self.assertEqual(server.post("/api/v1/jobs", {"prompt": "a"}).status, 503)
        server.wait_until_ready()

    def test_it_ends_when_it_is_asked_to(self):
        server = self.start()
        with server.socket() as idle:
            idle.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(status_of(idle.recv(1000)), 200)
            self.assertEqual(server.stop(), 0)
            self.assertEqual(idle.recv(10), b"")
        self.assertEqual(server.log()[-1]["event"], "stopped")


if __name__ == "__main__":
    unittest.main()
