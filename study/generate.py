"""Makes the images of the study: one gass process for each model, configuration and seed group.

A run leaves SEED.json beside its folder: what was asked for, and whether it is complete. So a study that was stopped
goes on where it was, and a configuration that changed is made again.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from plan import configs_for, prompts_of, read_configs


class Failed(Exception):
    pass


def seed_of(group: int) -> int:
    """So far apart that the candidates of a method that selects, counted up from here, are no other group's."""
    return 1000 * (group + 1)


def check_methods(gass: pathlib.Path, configs: list[dict]) -> None:
    """gass itself complains only when a configuration's turn comes, which may be an hour later."""
    shown = subprocess.run([gass, "methods", "--json"], capture_output=True, text=True, check=True).stdout
    known = {m["name"]: {p["name"] for p in m["parameters"]} for m in json.loads(shown)["methods"]}
    for config in configs:
        for method in config["method"].split("+"):
            name, _, parameters = method.partition(":")
            if name not in known:
                raise SystemExit(f"{config['name']}: gass has no method {name!r}, only {', '.join(known)}")
            for key in (part.partition("=")[0] for part in parameters.split(",") if part):
                if key not in known[name]:
                    raise SystemExit(f"{config['name']}: gass's method {name} has no parameter {key!r}")


class Run:
    """The groups of one model, configuration and seed: a folder for each prompt."""

    def __init__(self, options: argparse.Namespace, prompts: list[str], model: str, config: dict, seed: int):
        self.options, self.model, self.config, self.seed = options, model, config, seed
        self.folder = options.out / model / config["name"] / str(seed)
        self.record = self.folder.with_suffix(".json")
        self.asked = {"model": model, "config": config["name"], "seed": seed, "method": config["method"],
                      "cfg_scale": config.get("cfg_scale"), "images": options.images, "device": options.device,
                      "dtype": options.dtype, "prompts": prompts}

    def is_complete(self) -> bool:
        return self.record.exists() and json.loads(self.record.read_text()) == self.asked | {"complete": True}

    def command(self, prompt_file: pathlib.Path) -> list[str]:
        guidance = ["--cfg-scale", str(self.config["cfg_scale"])] if "cfg_scale" in self.config else []
        threads = max(1, len(os.sched_getaffinity(0)) // self.options.jobs)
        return [str(self.options.gass), "generate", "--prompt-file", str(prompt_file), "-m", self.model,
                "-n", str(self.options.images), "-s", str(self.seed), "--method", self.config["method"], *guidance,
                "--device", self.options.device, "--dtype", self.options.dtype, "--threads", str(threads),
                "--progress", "none", "-o", str(self.folder)]

    def prepare(self) -> None:
        """Another half's folders would be taken for this one's; only what the study itself made is removed."""
        if self.record.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
        elif self.folder.exists():
            raise Failed(f"{self.folder} is there already, and not from this study")
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.record.write_text(json.dumps(self.asked | {"complete": False}, indent=1))

    def finish(self) -> None:
        groups = [json.loads(path.read_text()) for path in self.folder.rglob("group.json")]
        made = sorted(g["prompt"] for g in groups if g["complete"] and len(g["images"]) == self.options.images)
        if made != sorted(self.asked["prompts"]):
            raise Failed(f"{self.folder}: {len(made)} of {len(self.asked['prompts'])} groups are complete")
        self.record.write_text(json.dumps(self.asked | {"complete": True}, indent=1))


class Crew:
    """Runs gass processes side by side; when one fails, the others are ended and no more are started."""

    def __init__(self, prompt_file: pathlib.Path):
        self.prompt_file = prompt_file
        self.lock = threading.Lock()
        self.children: set[subprocess.Popen] = set()
        self.stopped = False

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for child in self.children:
                child.terminate()

    def work(self, run: Run) -> float:
        start = time.monotonic()
        command = run.command(self.prompt_file)
        with self.lock:
            if self.stopped:
                return 0.0
            run.prepare()
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.children.add(child)
        complaint = child.communicate()[1]
        with self.lock:
            self.children.remove(child)
            if self.stopped:
                return 0.0
        if child.returncode != 0:
            raise Failed(f"exit status {child.returncode} of\n  {' '.join(command)}\n{complaint.strip()}")
        run.finish()
        return time.monotonic() - start


def work_through(runs: list[Run], crew: Crew, jobs: int) -> None:
    left = {}
    for run in runs:
        left.setdefault((run.model, run.config["name"]), []).append(run)
    seconds = dict.fromkeys(left, 0.0)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(crew.work, run): run for run in runs}
        try:
            for future in concurrent.futures.as_completed(futures):
                run = futures[future]
                key = (run.model, run.config["name"])
                seconds[key] += future.result()
                left[key].remove(run)
                if not left[key]:
                    print(f"{run.model} {run.config['name']}: {seconds[key]:.1f} s", flush=True)
        except BaseException:
            crew.stop()
            pool.shutdown(cancel_futures=True)
            raise


def generate(options: argparse.Namespace) -> None:
    configs = [c for c in read_configs(options.configs) if re.fullmatch(options.only, c["name"])]
    if not configs:
        raise SystemExit(f"{options.configs} has no config that matches {options.only!r}")
    if not options.gass.exists():
        raise SystemExit(f"there is no {options.gass}; --gass says where it is")
    check_methods(options.gass, configs)
    prompts = prompts_of(options.half)[: options.prompts]
    options.out.mkdir(parents=True, exist_ok=True)
    prompt_file = options.out / f"prompts-{options.half}-{len(prompts)}.txt"
    prompt_file.write_text("".join(prompt + "\n" for prompt in prompts))
    runs = [Run(options, prompts, model, config, seed_of(group)) for model in options.models.split(",")
            for config in configs_for(configs, model) for group in range(options.seeds)]
    wanted = [run for run in runs if not run.is_complete()]
    print(f"{len(runs)} runs of {len(prompts)} prompts, {len(runs) - len(wanted)} of them there already", flush=True)
    start = time.monotonic()
    try:
        work_through(wanted, Crew(prompt_file), options.jobs)
    except Failed as failure:
        raise SystemExit(f"stopped: {failure}")
    print(f"done in {time.monotonic() - start:.0f} s")
