"""Runs a fixture script unless its output is already there and made by the same script and library versions.

usage: cached.py SCRIPT OUT_DIR
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys


def fingerprint(script: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(script.parent.glob("*")):
        if file == script or file.name.startswith(("common", "requirements")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def main() -> int:
    script, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    stamp = out / "made-by"
    wanted = fingerprint(script)
    if stamp.exists() and stamp.read_text() == wanted:
        print(f"{out} is up to date")
        return 0
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    result = subprocess.run([sys.executable, str(script), str(out)])
    if result.returncode == 0:
        stamp.write_text(wanted)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
