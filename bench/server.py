#!/usr/bin/env python3
"""What gass serve costs beside the command, and how much its HTTP layer carries.

    bench/server.py build/bin/gass [MODEL]

Sets of 4 images through the server, one after another from a full queue, against the same sets by `gass generate --prompt-file`:
the time from the first start to the last end, by the server's own account, against what the command's group.json files say that
computing and writing took. Then health checks on connections that stay open, each waiting for its answer, and with 32 under way.
"""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/server"))
gass = sys.argv[1]
model = sys.argv[2] if len(sys.argv) > 2 else "mini-turbo"
sys.argv = [sys.argv[0], gass]

from support import GASS, Server  # noqa: E402

SETS = 20
ROUNDS = 3
SECONDS = 5


def by_command(folder):
    prompts = folder / "prompts.txt"
    prompts.write_text("".join(f"a red car {i}\n" for i in range(SETS)))
    subprocess.run([GASS, "generate", "-m", model, "--prompt-file", prompts, "-n", "4", "-o", folder / "sets"], check=True, capture_output=True)
    records = [json.loads(file.read_text()) for file in sorted((folder / "sets").glob("*/group.json"))]
    return sum(record["timings"]["total"] - record["timings"]["load"] for record in records)


def by_server(folder):
    server = Server(folder / "serve", models=(model,))
    try:
        server.wait(server.post("/api/v1/jobs", {"prompt": "a", "images": 4, "previews": False}).json)  # the guide is read by now
        jobs = [server.post("/api/v1/jobs", {"prompt": f"a red car {i}", "images": 4, "previews": False}).json for i in range(SETS)]
        ended = [server.wait(job) for job in jobs]
        moments = [datetime.fromisoformat(job[key].replace("Z", "+00:00")) for job in ended for key in ("started", "finished")]
        return (max(moments) - min(moments)).total_seconds()
    finally:
        server.kill()


def checks_per_second(server, connections, depth):
    request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with server.socket() as probe:
        probe.sendall(request)
        size = len(probe.recv(65536))
    counts = [0] * connections
    end = time.monotonic() + SECONDS

    def ask(number):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            while time.monotonic() < end:
                connection.sendall(request * depth)
                left = size * depth
                while left > 0:
                    left -= len(connection.recv(min(left, 1 << 20)))
                counts[number] += depth

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


def main():
    ratios = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            command, served = by_command(pathlib.Path(folder)), by_server(pathlib.Path(folder))
            ratios.append(served / command)
            print(f"{SETS} sets of 4 images by {model}: command {command:.2f} s, server {served:.2f} s, {served / command:.3f} times")
    print(f"median {sorted(ratios)[len(ratios) // 2]:.3f} times")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder) / "serve", models=(model,))
        try:
            for connections, depth in ((1, 1), (8, 1), (4, 32)):
                rate = checks_per_second(server, connections, depth)
                print(f"health checks, {connections} connections, {depth} under way on each: {rate:.0f} a second")
        finally:
            server.kill()


if __name__ == "__main__":
    main()
