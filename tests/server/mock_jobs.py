"""Jobs of the mock server: the states, events and results of the real ones, with landscapes for pictures."""

import copy
import json
import math
import random
import secrets
import threading
import time
from datetime import datetime, timezone

import mock_pictures
from mock_capabilities import METHODS, MODELS

FINAL = ("completed", "failed", "cancelled")
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Refused(Exception):
    def __init__(self, where, message):
        super().__init__(message)
        self.where = where


def check(request):
    """What the real server refuses of what the page can send."""
    if not isinstance(request.get("prompt"), str) or not request["prompt"]:
        raise Refused("prompt", "expected a prompt, got none")
    for key in ("width", "height"):
        if request.get(key) is not None and request[key] % 8:
            raise Refused(key, f"`{key}`: expected a multiple of 8, got {request[key]}")
    if request.get("model", "mini-flow") not in [model["name"] for model in MODELS]:
        raise Refused("model", f"there is no model \"{request['model']}\"")
    for part in request.get("method", "gass").split("+"):
        if part.split(":")[0] not in [method["name"] for method in METHODS]:
            raise Refused("method", f"unknown method \"{part}\"; did you mean \"gass\"?")


class Job:
    """Its fields are written under `lock` alone."""

    def __init__(self, request, seed):
        self.id = "".join(secrets.choice(ALPHABET) for _ in range(26))
        model = next(m for m in MODELS if m["name"] == request.get("model", "mini-flow"))
        self.request = request
        self.plan = {key: request.get(key, model.get(key)) for key in ("steps", "cfg_scale", "width", "height")}
        self.plan |= {"model": model["name"], "images": request.get("images", 4), "seed": seed, "method": request.get("method", "gass")}
        if "strength" in request:
            self.plan["strength"] = request["strength"]
        self.state, self.created, self.started, self.finished = "queued", now(), None, None
        self.progress = {"step": 0, "steps": self.plan["steps"], "eta_s": None, "phase": "queued"}
        self.error, self.images, self.spread, self.cost = None, [], None, {"seconds": 0, "evaluations": 0}
        self.seeds = self._seeds()
        self.previews = {}
        self.events = []
        self.is_stopped = False
        self.lock = threading.Condition()

    def _seeds(self):
        n, seed = self.plan["images"], self.plan["seed"]
        if not self.plan["method"].startswith("gass"):
            return list(range(seed, seed + n))
        return sorted(random.Random(seed + 1000 * n).sample(range(seed, seed + 4 * n), n))

    def json(self, position=None):
        command = ["gass generate -p", "'" + self.request["prompt"].replace("'", "'\\''") + "'", f"--model {self.plan['model']}"]
        command += [f"--images {self.plan['images']} --steps {self.plan['steps']} --method {self.plan['method']} --seed {self.plan['seed']}"]
        return copy.deepcopy({
            "id": self.id, "state": self.state, "created": self.created, "started": self.started, "finished": self.finished,
            "position": position, "request": self.request, "plan": self.plan, "progress": None if self.state in FINAL else self.progress,
            "error": self.error, "images": self.images, "spread": self.spread, "cost": self.cost, "command": " ".join(command)})

    def record(self):
        images = [{"file": f"{i['index']:04}.png", "seed": i["seed"], "prompt": self.request["prompt"]} for i in self.images]
        axes = [axis for axis in (self.request.get("vary") or "").split(";") if axis.strip()]
        if axes:
            for image in images:
                rng = random.Random(image["seed"])
                image["axis_places"] = [round(rng.uniform(-1, 1), 2) for _ in axes]
        settings = self.plan | {key: self.request[key] for key in ("negative_prompt", "vary") if self.request.get(key)}
        seed = settings.pop("seed")
        return {"gass": "0.0.0-mock", "prompt": self.request["prompt"], "seeds": list(range(seed, seed + 4 * self.plan["images"])),
                "settings": settings, "images": images, "complete": self.state == "completed", "spread": self.spread}

    def tell(self, name, data):
        with self.lock:
            self.events.append((name, json.dumps(data)))
            self.lock.notify_all()

    def stop(self):
        with self.lock:
            self.is_stopped = True
            self.lock.notify_all()
        with _CHANGED:
            if self in _QUEUE:
                _QUEUE.remove(self)
        if self.state == "queued":
            self.end("cancelled")

    def end(self, state, error=None):
        with self.lock:
            if self.state in FINAL:
                return
            self.state, self.finished, self.error = state, now(), error
        self.tell({"completed": "done"}.get(state, state), self.json())

    def _wait(self, seconds):
        with self.lock:
            self.lock.wait_for(lambda: self.is_stopped, seconds)
            return not self.is_stopped

    def run(self, step_seconds):
        """As an engine works, in fewer joules."""
        began = time.monotonic()
        with self.lock:
            if self.state in FINAL:
                return
            self.state, self.started = "running", now()
        self.tell("state", self.json())
        steps, kept = self.plan["steps"], self._kept()
        for phase in ("loading", "text", "candidates"):
            self._advance(0, steps, None, phase)
            if not self._wait(min(0.2, 2 * step_seconds)):
                return self.end("cancelled")
        for step in range(1, steps + 1):
            if not self._wait(step_seconds):
                return self.end("cancelled")
            if "fail" in self.request["prompt"] and step > steps / 2:
                return self.end("failed", {"code": "memory", "where": "denoise", "message": "there is not enough memory for 4 images of 128x128"})
            self._advance(step, steps, (steps - step) * step_seconds, "sampling")
            self.tell("statistics", {"step": step, "spp": 0.05 + 0.1 * step / steps})
            if step < steps and self.request.get("previews", True):
                self._preview(step, steps)
        self._advance(steps, steps, 0.1, "decoding")
        for index, seed in enumerate(self.seeds):
            self._add_image(index, kept.get(index, seed))
        self._measure()
        self.cost = {"seconds": round(time.monotonic() - began, 3), "evaluations": steps * len(self.seeds)}
        self.end("completed")

    def _kept(self):
        keep = self.request.get("keep") or {}
        source = JOBS.get(keep.get("job"))
        return {i: source.images[i]["seed"] for i in keep.get("images", [])} if source else {}

    def _advance(self, step, steps, eta, phase):
        with self.lock:
            self.progress = {"step": step, "steps": steps, "eta_s": eta, "phase": phase}
        self.tell("progress", self.progress)

    def _preview(self, step, steps):
        for index, seed in enumerate(self.seeds):
            self.previews[index] = mock_pictures.preview(seed, 0.9 * (1 - step / steps))
            url = f"/api/v1/jobs/{self.id}/previews/{index}"
            link = {"data": mock_pictures.data_url(self.previews[index])} if index % 2 else {"url": url}
            self.tell("preview", {"index": index, "step": step, **link})

    def _add_image(self, index, seed):
        image = {"index": index, "seed": seed, "url": f"/api/v1/jobs/{self.id}/images/{index}", "width": self.plan["width"],
                 "height": self.plan["height"], "place": None}
        with self.lock:
            self.images.append(image)
        self.tell("image", {"index": index, "seed": seed, "url": image["url"]})

    def _measure(self):
        n = len(self.images)
        if n < 2:
            return
        places = [random.Random(image["seed"]) for image in self.images]
        strength = self.request.get("strength", 0.5)
        across = [rng.gauss(0, 0.2 + 0.3 * strength) for rng in places]
        along = [0.43 + rng.gauss(0, 0.015) for rng in places]
        spread = math.sqrt(sum(a * a for a in across) / n)
        self.spread = {"vendi": 1 + (n - 1) * min(0.95, spread), "pairwise": spread, "spp": 0.1 + 0.1 * spread, "d_dep": 0.03,
                       "d_ind": 0.07 + 0.1 * spread, "clip_score": sum(along) / n, "along": along, "across": across}

    def image_file(self, index):
        image = self.images[index]
        record = {key: value for key, value in self.record().items() if key != "images"} | {"index": index}
        texts = {"gass": json.dumps(record), "parameters": f"{self.request['prompt']}\nSteps: {self.plan['steps']}, Seed: {image['seed']}"}
        return mock_pictures.picture(image["seed"], self.plan["width"], self.plan["height"], texts)


JOBS = {}
_QUEUE = []
_CHANGED = threading.Condition()


def add(request, seed=None):
    check(request)
    if seed is None:
        seed = request.get("seed", 42)
        if seed < 0:
            seed = random.randrange(1 << 32)
    job = Job(request, seed)
    job.tell("state", job.json(position=len(_QUEUE) + 1))
    with _CHANGED:
        JOBS[job.id] = job
        _QUEUE.append(job)
        _CHANGED.notify()
    return job


def position(job):
    with _CHANGED:
        return _QUEUE.index(job) + 1 if job in _QUEUE else None


def work(step_seconds):
    """One worker, one job after another."""
    while True:
        with _CHANGED:
            _CHANGED.wait_for(lambda: _QUEUE)
            job = _QUEUE.pop(0)
        job.run(step_seconds)


def found(query, state):
    return [job for job in sorted(JOBS.values(), key=lambda j: j.created, reverse=True)
            if (not state or job.state in state.split(",")) and query.lower() in job.request["prompt"].lower()]
