"""Landscapes that differ by their seed, for a server without a model: PNG files, written with the standard library alone."""

import base64
import functools
import math
import random
import struct
import zlib


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, pixels, texts=None):
    """`pixels` are rows of RGB bytes; `texts` become text chunks."""
    raw = b"".join(b"\0" + bytes(row) for row in pixels)
    out = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    for key, text in (texts or {}).items():
        out += _chunk(b"iTXt", key.encode() + b"\0\0\0\0\0" + text.encode())
    return out + _chunk(b"IDAT", zlib.compress(raw, 6)) + _chunk(b"IEND", b"")


def texts_of(data):
    """The text chunks that `png` wrote."""
    texts, at = {}, 8
    while at + 8 <= len(data):
        length = struct.unpack(">I", data[at:at + 4])[0]
        if data[at + 4:at + 8] == b"iTXt":
            key, text = data[at + 8:at + 8 + length].split(b"\0\0\0\0\0", 1)
            texts[key.decode()] = text.decode()
        at += length + 12
    return texts


@functools.lru_cache(maxsize=512)
def _scene(seed, width, height):
    rng = random.Random(seed)
    hue = rng.random() * 6.28
    sky = [[120 + 100 * math.sin(hue + shift + turn) for turn in (0, 2, 4)] for shift in (0, 0.9)]
    land = [60 + 60 * math.sin(hue + 2.5 + turn) for turn in (0, 2, 4)]
    sun_x, sun_y, sun_r = rng.random() * width, rng.uniform(0.1, 0.5) * height, rng.uniform(0.08, 0.2) * width
    waves = [(rng.uniform(1, 4), rng.random() * 6.28, rng.uniform(0.03, 0.1)) for _ in range(3)]
    base = rng.uniform(0.5, 0.8)
    horizon = [height * (base + sum(size * math.sin(f * 6.28 * x / width + p) for f, p, size in waves)) for x in range(width)]
    rows = []
    for y in range(height):
        share = y / height
        row = []
        for x in range(width):
            if y > horizon[x]:
                deep = (y - horizon[x]) / height
                color = [c * (1 - deep) for c in land]
            elif (x - sun_x) ** 2 + (y - sun_y) ** 2 < sun_r ** 2:
                color = (255, 236, 190)
            else:
                color = [a * (1 - share) + b * share for a, b in zip(*sky)]
            row.extend(min(255, max(0, int(c))) for c in color)
        rows.append(row)
    return rows


def picture(seed, width, height, texts=None):
    return png(width, height, _scene(seed, width, height), texts)


def preview(seed, noise, side=24):
    """A small picture under that share of noise, as a model's estimate looks half way."""
    rng = random.Random(seed)
    rows = [[int(c * (1 - noise) + rng.randrange(256) * noise) for c in row] for row in _scene(seed, side, side)]
    return png(side, side, rows)


def data_url(data):
    return "data:image/png;base64," + base64.b64encode(data).decode()


def sheet(seeds, side=64, columns=4):
    rows = []
    for start in range(0, len(seeds), columns):
        scenes = [_scene(seed, side, side) for seed in seeds[start:start + columns]]
        blank = [250] * (3 * side * (columns - len(scenes)))
        rows += [sum((scene[y] for scene in scenes), []) + blank for y in range(side)]
    return png(side * columns, len(rows), rows)
