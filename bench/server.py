#!/usr/bin/env python3
"""What gass serve costs beside the command, and how much its HTTP layer carries.

    bench/server.py build/bin/gass [MODEL]

Sets of 4 images through the server, from a full queue, against the same sets by `gass generate --prompt-file`, both on one thread: processor
time, which tells the same on a machine with other things to do, and time on the wall. What starting and loading take is left out of both.
Then health checks on connections that stay open, each waiting for its answer, and with 32 under way.
"""

import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/server"))
gass = sys.argv[1]
model = sys.argv[2] if len(sys.argv) > 2 else "mini-turbo"
sys.argv = [sys.argv[0], gass]

from support import GASS, Server  # noqa: E402

SETS = 20
ROUNDS = 3
SECONDS = 5
TICKS = os.sysconf("SC_CLK_TCK")


def command(folder, sets):
    """Processor and wall seconds of a whole command."""
    prompts = folder / f"{sets}.txt"
    prompts.write_text("".join(f"a red car {i}\n" for i in range(sets)))
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([GASS, "generate", "-m", model, "-t", "1", "--prompt-file", prompts, "-n", "4", "-o", folder / f"sets{sets}"],
                   check=True, capture_output=True)  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begin


def by_command(folder):
    one, many = command(folder, 1), command(folder, SETS + 1)
    return many[0] - one[0], many[1] - one[1]


def processor_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def by_server(folder):
    server = Server(folder / "serve", models=(model,))
    try:
        body = {"prompt": "a", "images": 4, "previews": False}
        server.wait(server.post("/api/v1/jobs", body).json)  # what is read when it is first used is read by now
        before, begin = processor_seconds(server), time.monotonic()
        jobs = [server.post("/api/v1/jobs", body | {"prompt": f"a red car {i}"}).json for i in range(SETS)]
        assert server.events(jobs[-1])[-1][1] == "done"
        return processor_seconds(server) - before, time.monotonic() - begin
    finally:
        server.kill()


def checks(server, connections, depth):
    """How many are answered in a second, and how many in a second of the server's processor time."""
    request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with server.socket() as probe:
        probe.sendall(request)
        size = len(probe.recv(65536))
    counts = [0] * connections
    before, end = processor_seconds(server), time.monotonic() + SECONDS

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
    return sum(counts) / SECONDS, sum(counts) / (processor_seconds(server) - before)


def main():
    ratios = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            asked, served = by_command(pathlib.Path(folder)), by_server(pathlib.Path(folder))
            ratios.append(served[0] / asked[0])
            print(f"{SETS} sets of 4 images by {model}: command {asked[0]:.2f} s of processor ({asked[1]:.2f} s), "
                  f"server {served[0]:.2f} s ({served[1]:.2f} s), {ratios[-1]:.3f} times")  # fmt: skip
    print(f"median {sorted(ratios)[len(ratios) // 2]:.3f} times")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder) / "serve", models=(model,))
        try:
            for connections, depth in ((1, 1), (8, 1), (4, 32)):
                rate, of_processor = checks(server, connections, depth)
                print(f"health checks, {connections} connections, {depth} under way on each: {rate:.0f} a second, "
                      f"{of_processor:.0f} in a second of the server's processor time")  # fmt: skip
        finally:
            server.kill()


if __name__ == "__main__":
    main()
