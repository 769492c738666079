"""Jobs: from acceptance to their one end, whatever happens to the server meanwhile."""

import http.client
import io
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest
import zipfile

from support import FINAL, GASS, OwnServerTest, ServerTest, wait_for

ONE_THREAD = {**os.environ, "GASS_THREADS": "1"}  # as the servers of tests have
SLOW = {"model": "mini-flow", "images": 8, "steps": 100, "width": 128, "height": 128}  # some ten seconds


class Native(ServerTest):
    models = ("mini-turbo", "mini-flow")

    def done(self, **body):
        job = self.server.wait(self.server.job(body))
        self.assertEqual(job["state"], "completed", job["error"])
        return job

    def test_from_prompt_to_pictures(self):
        answer = self.server.post("/api/v1/jobs", {"prompt": "a red car", "images": 2, "width": 64, "height": 64, "seed": 7, "client": "me"})
        self.assertEqual(answer.status, 202)
        self.assertEqual(answer.headers["Location"], f"/api/v1/jobs/{answer.json['id']}")
        self.assertRegex(answer.json["id"], "^[a-z0-9]{26}$")
        self.assertEqual(answer.json["plan"]["seed"], 7)
        self.assertEqual(answer.json["request"]["client"], "me")
        job = self.server.wait(answer.json)
        self.assertEqual(job["state"], "completed")
        self.assertEqual([image["index"] for image in job["images"]], [0, 1])
        self.assertLessEqual({image["seed"] for image in job["images"]}, set(job["plan"]["seeds"]))
        for image in job["images"]:
            self.assertLessEqual(max(map(abs, image["place"])), 1)
        self.assertGreater(job["spread"]["vendi"], 1)
        self.assertGreater(job["cost"]["evaluations"], 0)

    def test_the_bytes_are_those_of_the_command(self):
        job = self.done(images=2, seed=11)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([GASS, "generate", "-m", "mini-turbo", "-p", "a red car", "-n", "2", "-s", "11", "-W", "64", "-H", "64", "-o", folder],
                           check=True, capture_output=True, env=ONE_THREAD)  # fmt: skip
            for i in range(2):
                served = self.server.get(f"/api/v1/jobs/{job['id']}/images/{i}")
                self.assertEqual(served.headers["Content-Type"], "image/png")
                self.assertEqual(served.body, (pathlib.Path(folder) / f"{i:04}.png").read_bytes())

    def test_the_command_makes_it_again(self):
        job = self.done(images=2, seed=5, method="cads", steps=3)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["bash", "-c", f'gass() {{ "{GASS}" "$@"; }}; {job["command"]} -o "{folder}"'], check=True, capture_output=True, env=ONE_THREAD)
            self.assertEqual((pathlib.Path(folder) / "0001.png").read_bytes(), self.server.get(job["images"][1]["url"]).body)

    def test_what_there_is_of_a_set(self):
        job = self.done(images=2)
        place = f"/api/v1/jobs/{job['id']}"
        self.assertTrue(self.server.get(place + "/sheet").body.startswith(b"\x89PNG"))
        record = self.server.get(place + "/record").json
        self.assertEqual((record["prompt"], len(record["images"])), ("a red car", 2))
        svg = self.server.get(place + "/explain")
        self.assertEqual(svg.headers["Content-Type"], "image/svg+xml")
        self.assertIn(b"<svg", svg.body)
        packed = self.server.get(place + "/zip")
        self.assertIn("attachment", packed.headers["Content-Disposition"])
        with zipfile.ZipFile(io.BytesIO(packed.body)) as archive:
            names = {pathlib.Path(name).name for name in archive.namelist()}
            self.assertEqual(names, {"0000.png", "0001.png", "sheet.png", "index.html", "group.json"})
            self.assertIsNone(archive.testzip())
        self.assertEqual(sorted(file.name for file in (self.folder / "serve/sets" / job["id"]).iterdir() if file.name.startswith(".")), [])
        for path in ("/images/2", "/images/-1", "/images/x", "/images/99999999999999999999", "/previews/0"):
            self.assert_refused(self.server.get(place + path), 404, "not_found")
        for path in ("/api/v1/jobs/" + "a" * 26, "/api/v1/jobs/x/events", "/api/v1/jobs/x/zip"):
            self.assert_refused(self.server.get(path), 404, "not_found")

    def test_events(self):
        job = self.server.job({"images": 2, "model": "mini-flow", "steps": 8})
        events = self.server.events(job)
        names = [name for _, name, _ in events]
        self.assertEqual([number for number, _, _ in events], list(range(1, len(events) + 1)))
        self.assertEqual((names[0], names[-1]), ("state", "done"))
        self.assertEqual(names.count("image"), 2)
        for name in ("progress", "preview", "statistics"):
            self.assertIn(name, names)
        phases = [data["phase"] for _, name, data in events if name == "progress"]
        self.assertEqual(list(dict.fromkeys(phases)), ["loading", "text", "sampling", "decoding", "saving"])
        self.assertTrue(any(data["eta_s"] for _, name, data in events if name == "progress"))
        self.assertEqual(events[-1][2], self.server.get(f"/api/v1/jobs/{job['id']}").json)
        middle = len(events) // 2
        self.assertEqual(self.server.events(job, after=middle), events[middle:])
        self.assertEqual(self.server.events(job, after=len(events)), [])

    def test_events_are_resumed_where_they_were_left(self):
        job = self.server.job({"images": 2, "model": "mini-flow", "steps": 12})
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("GET", f"/api/v1/jobs/{job['id']}/events")
        response = connection.getresponse()
        last = 0
        while last < 6:
            line = response.fp.readline()
            if line.startswith(b"id: "):
                last = int(line[4:])
        response.close()
        connection.close()
        rest = self.server.events(job, after=last)
        self.assertEqual(rest[0][0], last + 1)
        self.assertEqual(rest[-1][1], "done")

    def test_previews_are_there_while_it_is_made(self):
        job = self.server.job({**SLOW, "steps": 60})
        wait_for(lambda: self.server.get(f"/api/v1/jobs/{job['id']}/previews/0").status == 200)
        self.assertTrue(self.server.get(f"/api/v1/jobs/{job['id']}/previews/7").body.startswith(b"\xff\xd8"))
        self.server.post(f"/api/v1/jobs/{job['id']}/cancel")
        self.assertEqual(self.server.get(f"/api/v1/jobs/{job['id']}/previews/0").status, 404)

    def test_cancel_in_every_state(self):
        running = self.server.job(SLOW)
        queued = self.server.job({})
        wait_for(lambda: self.server.get(f"/api/v1/jobs/{running['id']}").json["state"] == "running")
        for job in (queued, running):
            answer = self.server.post(f"/api/v1/jobs/{job['id']}/cancel")
            self.assertEqual((answer.status, answer.json["state"]), (200, "cancelled"))
            self.assertEqual(self.server.events(job)[-1][1], "cancelled")
        done = self.done()
        self.assertEqual(self.server.post(f"/api/v1/jobs/{done['id']}/cancel").json["state"], "completed")
        self.assertFalse((self.folder / "serve/sets" / running["id"]).exists())

    def test_delete(self):
        done, running = self.done(), self.server.job(SLOW)
        for job in (done, running):
            self.assertEqual(self.server.request("DELETE", f"/api/v1/jobs/{job['id']}").status, 204)
            self.assertEqual(self.server.get(f"/api/v1/jobs/{job['id']}").status, 404)
        self.done()  # the worker is free again
        self.assertFalse((self.folder / "serve/sets" / done["id"]).exists())
        self.assertFalse((self.folder / "serve/sets" / running["id"]).exists())

    def test_history(self):
        made = [self.done(prompt=f"50% of a_{word} \\ {word}") for word in ("zebra", "gnu", "zebra")]
        found = self.server.get("/api/v1/jobs?query=a_zebra").json["jobs"]
        self.assertEqual([job["id"] for job in found], [made[2]["id"], made[0]["id"]])
        self.assertEqual(self.server.get("/api/v1/jobs?query=a%25zebra").json["jobs"], [])
        page = self.server.get("/api/v1/jobs?query=50%25&limit=2").json
        rest = self.server.get(f"/api/v1/jobs?query=50%25&limit=2&before={page['next']}").json
        self.assertEqual([job["id"] for job in page["jobs"] + rest["jobs"]], [job["id"] for job in reversed(made)])
        self.assertIsNone(rest["next"])
        self.assertEqual(self.server.get("/api/v1/jobs?state=failed").json["jobs"], [])
        for query in ("state=done", "limit=0", "limit=x", "before=-1", "limit=100000", "query=" + "x" * 2000):
            self.assert_refused(self.server.get("/api/v1/jobs?" + query), 400, "usage")

    def test_fields_that_are_wrong_are_named(self):
        for body, where, part in (({"width": 65}, "width", "multiple"), ({"images": 0}, "images", "1"), ({"method": "gas"}, "method", "gass"),
                                  ({"sampling_method": "eular"}, "sampling_method", "euler"), ({"stepz": 3}, "body", "steps"),
                                  ({"model": "mini-trubo"}, "model", "mini-turbo"), ({"vary": "x"}, "vary", "|"), ({"target": "x"}, "target", "vendi")):  # fmt: skip
            answer = self.server.post("/api/v1/jobs", {"prompt": "a", **body})
            self.assertIn(answer.status, (400, 404))
            self.assertEqual(answer.json["error"]["where"], where)
            self.assertIn(part, answer.json["error"]["message"])

    def test_a_set_that_cannot_be_made_harms_no_other(self):
        slow = self.server.job(SLOW)
        job = self.server.job({})
        place = self.folder / "serve/sets" / job["id"]
        place.write_text("in the way")
        self.server.post(f"/api/v1/jobs/{slow['id']}/cancel")
        failed = self.server.wait(job)
        self.assertEqual((failed["state"], failed["error"]["where"]), ("failed", "output"))
        self.assertNotIn(str(self.folder), failed["error"]["message"])
        self.assertEqual(self.server.events(job)[-1][1], "failed")
        self.done()
        self.assertEqual(self.server.request("DELETE", f"/api/v1/jobs/{job['id']}").status, 204)

    def test_chance_is_drawn_once(self):
        first, second = self.done(seed=-1), self.done(seed=-1)
        self.assertNotEqual(first["plan"]["seed"], second["plan"]["seed"])
        self.assertGreaterEqual(first["plan"]["seed"], 0)

    def test_compare(self):
        answer = self.server.post("/api/v1/compare", {"prompt": "a cat", "images": 2, "width": 64, "height": 64, "seed": -1, "methods": ["none", "cads", "gass:strength=1"]})
        self.assertEqual(answer.status, 202)
        jobs = [self.server.wait(job) for job in answer.json["jobs"]]
        self.assertEqual([job["plan"]["method"].split(":")[0] for job in jobs], ["none", "cads", "gass"])
        self.assertEqual(jobs[0]["plan"]["seeds"], jobs[1]["plan"]["seeds"])
        self.assertEqual(jobs[2]["plan"]["seeds"][:2], jobs[0]["plan"]["seeds"])
        answer = self.server.post("/api/v1/compare", {"prompt": "a cat", "images": 2, "width": 64, "height": 64, "strength": 0.8, "dep": 0.5,
                                                      "methods": ["none", "gass", "gass:strength=0.3"]})
        methods = [self.server.wait(job)["plan"]["method"] for job in answer.json["jobs"]]
        self.assertEqual(methods[0], "none")
        self.assertTrue(methods[1].startswith("gass:strength=0.8,"))
        self.assertTrue(methods[2].startswith("gass:strength=0.3,"))
        self.assertTrue(all(",dep=0.5," in method for method in methods[1:]))
        for methods in ([], ["none"] * 17, "none", [1], ["nothing"]):
            self.assertEqual(self.server.post("/api/v1/compare", {"prompt": "a", "methods": methods}).status, 400)
        self.assertEqual(self.server.get("/api/v1/jobs?state=queued").json["jobs"], [])

    def test_what_pages_build_their_forms_from(self):
        can = self.server.get("/api/v1/capabilities").json
        self.assertEqual((can["default_model"], can["schema"]), ("mini-turbo", 1))
        turbo = can["models"][0]
        self.assertEqual((turbo["name"], turbo["is_default"], turbo["is_distilled"], turbo["family"], turbo["steps"]), ("mini-turbo", True, True, "flow", 4))
        gass = next(method for method in can["methods"] if method["name"] == "gass")
        self.assertTrue(gass["has_dial"] and gass["takes_axes"])
        cads = next(method for method in can["methods"] if method["name"] == "cads")
        self.assertFalse(cads["has_dial"] or cads["takes_axes"])
        scale = next(parameter for parameter in cads["parameters"] if parameter["name"] == "scale")
        self.assertEqual((scale["kind"], scale["default"]), ("number", 0.1))
        names = {setting["name"] for setting in can["settings"]}
        self.assertLessEqual({"images", "seed", "strength", "width", "vary"}, names)
        self.assertNotIn("shield", names)

    def test_axes(self):
        job = self.done(images=2, vary="at night|at noon")
        self.assertEqual(job["plan"]["vary"], "at night|at noon")

    def form(self, fields, files):
        boundary = "----a-boundary"
        parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields]
        parts += [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="../../x.png"\r\nContent-Type: image/png\r\n\r\n'.encode() + content + b"\r\n"
                  for name, content in files]  # fmt: skip
        return b"".join(parts) + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}

    def test_measure_and_inspect_uploads(self):
        job = self.done(images=2)
        pictures = [self.server.get(image["url"]).body for image in job["images"]]
        body, headers = self.form([("metrics", "vendi,clip_score"), ("prompt", "a red car")], [("images", picture) for picture in pictures])
        answer = self.server.post("/api/v1/measure", body, headers=headers)
        self.assertEqual(answer.status, 200, answer.body)
        values = {result["metric"]: result["value"] for result in answer.json["results"]}
        self.assertAlmostEqual(values["vendi"], job["spread"]["vendi"], delta=0.1)
        body, headers = self.form([], [("image", pictures[0])])
        seen = self.server.post("/api/v1/inspect", body, headers=headers).json
        self.assertEqual(seen["record"]["prompt"], "a red car")
        self.assertIn("Steps: 4", seen["parameters"])

    def test_image_bombs_in_uploads(self):
        """A small file that unpacks to a picture that fills the memory, and others that are none."""
        import struct
        import zlib

        def chunk(kind, content):
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

        def png(side):
            pixels = zlib.compress(b"\0" * (1 << 20))
            return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")

        before = self.server.memory()
        for content in (png(16000), png(60000), b"\x89PNG\r\n\x1a\n", b"", b"GIF89a", b"\xff\xd8\xff", b"RIFF\xff\xff\xff\xffWEBPVP8 "):
            for path, name in (("/api/v1/inspect", "image"), ("/api/v1/measure", "images")):
                body, headers = self.form([], [(name, content)])
                answer = self.server.post(path, body, headers=headers)
                self.assertIn(answer.status, (400, 422), (path, content[:20]))
        self.assertLess(self.server.memory() - before, 200 << 20)

    def test_forms_that_are_none(self):
        for content_type in ("", "text/plain", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 100,
                             "multipart/form-data; boundary=b"):  # fmt: skip
            for body in (b"", b"--b", b"--b\r\n", b"--b\r\n\r\n--b--", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", b"x" * 100000):
                answer = self.server.post("/api/v1/inspect", body, headers={"Content-Type": content_type} if content_type else {})
                self.assert_refused(answer, 400, "usage")


class Queue(OwnServerTest):
    def test_every_client_has_his_turn(self):
        server = self.start(models=("mini-turbo", "mini-flow"))
        server.job({**SLOW, "steps": 30, "images": 2, "client": "first"})
        many = [server.job({"client": "many", "previews": False}) for _ in range(5)]
        one = server.job({"client": "one"})
        self.assertEqual([server.get(f"/api/v1/jobs/{job['id']}").json["position"] for job in (many[0], one, many[1])], [1, 2, 3])
        jobs = [server.wait(job) for job in [*many, one]]
        started = [job["started"] for job in jobs]
        self.assertLess(started[-1], started[1])

    def test_a_full_queue_says_so(self):
        server = self.start("--queue", "2", models=("mini-flow",))
        running = server.job(SLOW)
        wait_for(lambda: server.get(f"/api/v1/jobs/{running['id']}").json["state"] == "running")
        server.job({}), server.job({})
        answer = server.post("/api/v1/jobs", {"prompt": "a"})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (429, "queue_full"))
        self.assertGreater(int(answer.headers["Retry-After"]), 0)

    def test_a_set_that_takes_too_long_is_given_up(self):
        server = self.start("--job-timeout", "1", models=("mini-flow",))
        job = server.wait(server.job(SLOW))
        self.assertEqual((job["state"], job["error"]["where"]), ("failed", "time"))
        self.assertLess(job["cost"] or 0, 1)

    def test_models_make_room_for_each_other(self):
        server = self.start("--max-vram", "0.2", models=("mini-turbo", "mini-flow", "mini-unet"))

        def loaded():
            return {model["name"] for model in server.get("/api/v1/models").json["models"] if model["is_loaded"]}

        self.assertEqual(loaded(), {"mini-turbo"})
        for name in ("mini-flow", "mini-turbo", "mini-unet"):
            job = server.wait(server.job({"model": name, "steps": 2}))
            self.assertEqual((job["state"], job["plan"]["model"]), ("completed", name), job["error"])
            self.assertIn(name, loaded())
            self.assertLess(len(loaded()), 2)

    def test_several_devices_work_at_the_same_time(self):
        server = self.start("--devices", "cpu,cpu", models=("mini-flow",))
        jobs = [server.job({**SLOW, "steps": 20, "images": 2}) for _ in range(2)]
        wait_for(lambda: len(server.get("/api/v1/jobs?state=running").json["jobs"]) == 2)
        self.assertEqual({server.wait(job)["state"] for job in jobs}, {"completed"})


class Durable(OwnServerTest):
    def test_nothing_is_lost_when_it_is_killed(self):
        server = self.start(models=("mini-flow", "mini-turbo"))
        done = server.wait(server.job({"model": "mini-turbo"}))
        running = server.job({**SLOW, "steps": 30, "images": 2, "seed": -1})
        queued = server.job({"model": "mini-turbo", "seed": -1, "prompt": "a blue bird"})
        wait_for(lambda: server.get(f"/api/v1/jobs/{running['id']}").json["state"] == "running")
        time.sleep(0.3)
        picture = server.get(done["images"][0]["url"]).body
        server.kill()
        server = self.start(models=("mini-flow", "mini-turbo"))
        self.assertEqual(server.get(f"/api/v1/jobs/{done['id']}").json, done)
        self.assertEqual(server.get(done["images"][0]["url"]).body, picture)
        for job in (running, queued):
            again = server.wait(job)
            self.assertEqual((again["state"], again["plan"]), ("completed", job["plan"]))
        self.assertEqual(server.events(done)[-1][1], "done")
        self.assertEqual([name for _, name, _ in server.events(done)], ["state", "image", "done"])

    def test_a_set_that_was_written_is_not_made_again(self):
        server = self.start()
        job = server.wait(server.job({}))
        server.kill()
        import sqlite3

        with sqlite3.connect(self.folder / "serve/jobs.db") as database:
            database.execute("UPDATE jobs SET state = 1, result = '', finished = 0")
        picture = self.folder / "serve/sets" / job["id"] / "0000.png"
        before = picture.stat().st_mtime_ns
        again = self.start().wait(job)
        self.assertEqual((again["state"], again["images"], picture.stat().st_mtime_ns), ("completed", job["images"], before))

    def test_what_ends_the_server_each_time_is_given_up(self):
        server = self.start(models=("mini-flow",))
        job = server.job({**SLOW, "steps": 200})
        for _ in range(5):
            wait_for(lambda: server.get(f"/api/v1/jobs/{job['id']}").json["state"] == "running")
            server.kill()
            server = self.start(models=("mini-flow",))
        self.assertEqual(server.get(f"/api/v1/jobs/{job['id']}").json["state"], "failed")

    def test_what_runs_is_finished_when_it_is_stopped(self):
        server = self.start(models=("mini-flow",))
        running = server.job({**SLOW, "steps": 30, "images": 2})
        queued = server.job({"steps": 2})
        wait_for(lambda: server.get(f"/api/v1/jobs/{running['id']}").json["state"] == "running")
        self.assertEqual(server.stop(), 0)
        server = self.start(models=("mini-flow",))
        self.assertEqual(server.get(f"/api/v1/jobs/{running['id']}").json["state"], "completed")
        self.assertEqual(server.wait(queued)["state"], "completed")

    def test_or_saved_if_that_takes_too_long(self):
        server = self.start("--grace", "0.2", models=("mini-flow",))
        running = server.job({**SLOW, "steps": 40, "images": 2})
        wait_for(lambda: server.get(f"/api/v1/jobs/{running['id']}").json["state"] == "running")
        begin = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - begin, 5)
        server = self.start(models=("mini-flow",))
        again = server.wait(running)
        self.assertEqual((again["state"], again["plan"]["seeds"]), ("completed", running["plan"]["seeds"]))

    def test_listeners_hear_the_end_of_a_server(self):
        server = self.start("--grace", "0.2", models=("mini-flow",))
        job = server.job(SLOW)
        heard = []
        thread = threading.Thread(target=lambda: heard.extend(server.events(job)))
        thread.start()
        wait_for(lambda: server.get(f"/api/v1/jobs/{job['id']}").json["state"] == "running")
        time.sleep(0.3)
        self.assertEqual(server.stop(), 0)
        thread.join(10)
        self.assertIn("progress", {name for _, name, _ in heard})
        self.assertNotIn("done", {name for _, name, _ in heard})

    def test_finished_sets_go_after_a_while(self):
        server = self.start("--keep", "2s")
        job = server.wait(server.job({}))
        self.assertIn(job["state"], FINAL)
        wait_for(lambda: server.get(f"/api/v1/jobs/{job['id']}").status == 404, 20)
        wait_for(lambda: not (self.folder / "serve/sets" / job["id"]).exists())

    def test_a_database_that_is_none_of_ours(self):
        (self.folder / "serve").mkdir()
        (self.folder / "serve/jobs.db").write_bytes(b"something else" * 1000)
        result = subprocess.run([GASS, "serve", "--port", "0", "-m", "mini-turbo", "-o", str(self.folder / "serve")], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 3, result.stderr)


if __name__ == "__main__":
    unittest.main()
