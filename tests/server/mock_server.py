"""mock_server.py [--port N] [--api-key KEY] [--step-seconds S]: the native API and the page of `gass serve` without an engine.

For work on the page and for its tests: jobs take the time they are told to, and their pictures are drawn, not generated."""

import argparse
import io
import json
import pathlib
import re
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import mock_jobs
import mock_pictures
from mock_capabilities import CAPABILITIES, METHODS, MODELS

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
CSP = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'")
OPTIONS = argparse.Namespace()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, data=b"", kind="application/json", **headers):
        body = json.dumps(data).encode() if kind == "application/json" and status != 204 else data
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, where, message, **headers):
        self.send(status, {"error": {"code": code, "where": where, "message": message, "request_id": "mock"}}, **headers)

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def do_DELETE(self):
        self.answer("DELETE")

    def answer(self, verb):
        url = urlsplit(self.path)
        self.query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if not url.path.startswith("/api/v1/"):
                return self.page(url.path)
            if OPTIONS.api_key and self.headers.get("Authorization") != "Bearer " + OPTIONS.api_key:
                return self.refuse(401, "unauthorized", "Authorization", "expected an API key")
            self.api(verb, url.path.removeprefix("/api/v1/").split("/"))
        except mock_jobs.Refused as refusal:
            self.refuse(400, "usage", refusal.where, str(refusal))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def page(self, path):
        if path == "/health":
            return self.send(200, {"status": "ok", "version": CAPABILITIES["version"]})
        name = "index.html" if path == "/" else path.removeprefix("/assets/")
        file = WEB / name
        if not re.fullmatch(r"[a-z0-9_]+\.[a-z]+", name) or not file.is_file():
            return self.refuse(404, "not_found", path, "there is nothing at this address")
        self.send(200, file.read_bytes(), TYPES[file.suffix], Content_Security_Policy=CSP, Cache_Control="no-cache",
                  X_Content_Type_Options="nosniff")

    def api(self, verb, parts):
        if parts[0] == "jobs" and len(parts) > 1:
            job = mock_jobs.JOBS.get(parts[1])
            if job is None:
                return self.refuse(404, "not_found", parts[1], "there is no such job")
            return self.job(verb, job, *parts[2:])
        answers = {("GET", "capabilities"): lambda: self.send(200, CAPABILITIES),
                   ("GET", "models"): lambda: self.send(200, {"models": MODELS}),
                   ("GET", "methods"): lambda: self.send(200, {"methods": METHODS}),
                   ("GET", "jobs"): self.list_jobs, ("POST", "jobs"): self.add_job,
                   ("POST", "compare"): self.compare, ("POST", "inspect"): self.inspect}
        answers.get((verb, parts[0]), lambda: self.refuse(404, "not_found", self.path, "there is nothing at this address"))()

    def list_jobs(self):
        jobs = mock_jobs.found(self.query.get("query", ""), self.query.get("state"))
        start, limit = int(self.query.get("before", 0)), int(self.query.get("limit", 20))
        following = start + limit
        self.send(200, {"jobs": [job.json(mock_jobs.position(job)) for job in jobs[start:following]],
                        "next": str(following) if following < len(jobs) else None})

    def add_job(self):
        job = mock_jobs.add(json.loads(self.body))
        self.send(202, job.json(mock_jobs.position(job)), Location=f"/api/v1/jobs/{job.id}")

    def compare(self):
        request = json.loads(self.body)
        methods = request.pop("methods")
        first = mock_jobs.add({**request, "method": methods[0]})
        jobs = [first] + [mock_jobs.add({**request, "method": method}, first.plan["seed"]) for method in methods[1:]]
        self.send(202, {"id": first.id, "jobs": [job.json(mock_jobs.position(job)) for job in jobs]})

    def inspect(self):
        picture = self.body.split(b"\r\n\r\n", 1)[1].rsplit(b"\r\n--", 1)[0]
        texts = mock_pictures.texts_of(picture)
        self.send(200, {"record": json.loads(texts["gass"]) if "gass" in texts else None, "parameters": texts.get("parameters")})

    def job(self, verb, job, part="", index="0"):
        if verb == "DELETE":
            job.stop()
            mock_jobs.JOBS.pop(job.id, None)
            return self.send(204)
        if part == "cancel":
            job.stop()
            with job.lock:  # a running one ends at its next step
                job.lock.wait_for(lambda: job.state in mock_jobs.FINAL, 2)
            return self.send(200, job.json())
        if part == "events":
            return self.events(job)
        seeds = [image["seed"] for image in job.images]
        if part == "images" and int(index) < len(seeds):
            return self.send(200, job.image_file(int(index)), "image/png")
        if part == "previews" and int(index) in job.previews:
            return self.send(200, job.previews[int(index)], "image/png", Cache_Control="no-store")
        if part == "sheet" and seeds:
            return self.send(200, mock_pictures.sheet(seeds), "image/png")
        if part == "record":
            return self.send(200, job.record())
        if part == "explain" and seeds and not job.plan["method"].startswith("none"):
            return self.send(200, b'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200"><circle cx="99" cy="99" r="50"/></svg>', "image/svg+xml")
        if part == "zip" and seeds:
            return self.send(200, self.zipped(job), "application/zip")
        if part == "":
            return self.send(200, job.json(mock_jobs.position(job)))
        self.refuse(404, "not_found", self.path, "there is nothing at this address")

    def zipped(self, job):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for image in job.images:
                archive.writestr(f"{image['index']:04}.png", job.image_file(image["index"]))
            archive.writestr("group.json", json.dumps(job.record(), indent=2))
        return out.getvalue()

    def events(self, job):
        at = int(self.headers.get("Last-Event-ID") or self.query.get("after") or 0)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        while True:
            with job.lock:
                job.lock.wait_for(lambda: len(job.events) > at, 15)
                new = job.events[at:]
            text = "".join(f"id: {at + i + 1}\nevent: {name}\ndata: {data}\n\n" for i, (name, data) in enumerate(new))
            self.wfile.write((text or ": still here\n\n").encode())
            self.wfile.flush()
            at += len(new)
            if any(name in ("done", "failed", "cancelled") for name, _ in new):
                self.close_connection = True
                return


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--api-key")
    parser.add_argument("--step-seconds", type=float, default=0.05)
    parser.parse_args(namespace=OPTIONS)
    threading.Thread(target=mock_jobs.work, args=(OPTIONS.step_seconds,), daemon=True).start()
    server = Server(("127.0.0.1", OPTIONS.port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
