#!/usr/bin/env python3
"""Small images of every kind that gass reads, with the pixels and texts that Pillow sees in them.

    image_fixtures.py OUT_DIR            writes the files, NAME.rgb (raw bytes) and index.json
    image_fixtures.py --verify FILE…     checks that Pillow reads our sample files as tests/io wrote them

Needs Pillow and numpy. The same versions write the same bytes.
"""

import argparse
import io
import json
import pathlib
import struct
import warnings
import xml.sax.saxutils
import zlib

import numpy as np
from PIL import Image, ImageOps, PngImagePlugin

PARAMETERS = "a cat, 猫\nNegative prompt: ugly\nSteps: 20, Sampler: Euler a, Seed: 1, Size: 8x8"


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def pack_rows(samples, depth):
    """Unfiltered scanlines of integer samples [height][width][channels]."""
    out = b""
    for row in samples:
        flat = row.reshape(-1)
        if depth == 16:
            line = flat.astype(">u2").tobytes()
        elif depth == 8:
            line = flat.astype(np.uint8).tobytes()
        else:
            bits = (flat[:, None] >> np.arange(depth - 1, -1, -1)) & 1
            line = np.packbits(bits.reshape(-1).astype(np.uint8)).tobytes()
        out += b"\0" + line
    return out


def png(samples, depth, color, chunks=b"", interlaced=False, tail=b""):
    height, width = samples.shape[:2]
    if interlaced:
        passes = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        raw = b"".join(pack_rows(part, depth) for part in passes if part.size)
    else:
        raw = pack_rows(samples, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunks + chunk(b"IDAT", zlib.compress(raw)) + tail
            + chunk(b"IEND", b""))


def png_kinds(random):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
    names = {0: "gray", 2: "rgb", 3: "palette", 4: "graya", 6: "rgba"}
    depths = {0: (1, 2, 4, 8), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    for color, name in names.items():
        for depth in depths[color]:
            samples = random.integers(0, 2**depth, (13, 11, channels[color]))
            palette = chunk(b"PLTE", random.integers(0, 256, 3 * 2**depth).astype(np.uint8).tobytes()) if color == 3 else b""
            for interlaced in (False, True):
                kind = f"{name}{depth}" + ("-interlaced" if interlaced else "")
                yield kind, png(samples, depth, color, palette, interlaced)
            transparent = {0: b"\0\1", 2: b"\0\1\0\2\0\3", 3: bytes([0, 128])}.get(color)
            if transparent:
                yield f"{name}{depth}-trns", png(samples, depth, color, palette + chunk(b"tRNS", transparent))
    for size in (1, 2, 3, 5, 8):
        samples = random.integers(0, 256, (size, 9 - size, 3))
        yield f"interlaced-{size}", png(samples, 8, 2, interlaced=True)
    short = chunk(b"PLTE", bytes([10, 20, 30, 40, 50, 60]))
    yield "palette-index-beyond", png(np.array([[[0], [1], [2], [200]]]), 8, 3, short)
    yield "gamma-and-broken-profile", png(random.integers(0, 256, (4, 4, 3)), 8, 2,
                                          chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"iCCP", b"p\0\0garbage"))


def png_texts():
    samples = np.zeros((2, 2, 3), int)
    latin = "café, ñ\nline two"
    text = chunk(b"tEXt", b"parameters\0" + latin.encode("latin-1"))
    packed = chunk(b"zTXt", b"parameters\0\0" + zlib.compress(latin.encode("latin-1")))
    international = chunk(b"iTXt", b"parameters\0\0\0\0\0" + PARAMETERS.encode())
    squeezed = chunk(b"iTXt", b"parameters\0\1\0en\0\xc3\xa9\0" + zlib.compress(PARAMETERS.encode()))
    for name, part, value in (("text", text, latin), ("ztxt", packed, latin), ("itxt", international, PARAMETERS),
                              ("itxt-packed", squeezed, PARAMETERS)):
        yield f"{name}", png(samples, 8, 2, part), {"parameters": value}
        yield f"{name}-late", png(samples, 8, 2, tail=part), {"parameters": value}
    info = PngImagePlugin.PngInfo()
    info.add_text("parameters", PARAMETERS)
    info.add_text("gass", '{"seed": 1}')
    out = io.BytesIO()
    Image.new("RGB", (3, 2), (1, 2, 3)).save(out, "PNG", pnginfo=info)
    yield "pillow-text", out.getvalue(), {"parameters": PARAMETERS, "gass": '{"seed": 1}'}


def smooth(mode, size=(37, 29)):
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    rgb = np.stack([x * 255 // size[0], y * 255 // size[1], (x * 3 + y * 5) % 256], -1).astype(np.uint8)
    return Image.fromarray(rgb).convert(mode)


def jpeg(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=90, **options)
    return out.getvalue()


def ycck(image):
    """A CMYK JPEG stored as YCCK: the same samples, with the Adobe marker that says so."""
    data = jpeg(image, subsampling=0)
    at = data.index(b"\xff\xee\x00\x0eAdobe")
    return data[: at + 15] + b"\x02" + data[at + 16 :]


def comment_exif(little_endian, code, content):
    """A block with nothing but a UserComment, laid out by hand because writers disagree about it."""
    order = "<" if little_endian else ">"
    value = code + content
    out = (b"II" if little_endian else b"MM") + struct.pack(order + "HI", 42, 8)
    out += struct.pack(order + "HHHII", 1, 0x8769, 4, 1, 26) + struct.pack(order + "I", 0)
    out += struct.pack(order + "HHHII", 1, 0x9286, 7, len(value), 44) + struct.pack(order + "I", 0)
    return b"Exif\0\0" + out + value


def orientation_exif(value, little_endian):
    exif = Image.Exif()
    exif.endian = "<" if little_endian else ">"
    exif[0x0112] = value
    return exif.tobytes()


def jpeg_kinds():
    for name, options in (("444", {"subsampling": 0}), ("422", {"subsampling": 1}), ("420", {"subsampling": 2}),
                          ("progressive", {"progressive": True}), ("restart", {"restart_marker_blocks": 2}),
                          ("rgb", {"keep_rgb": True}), ("optimized", {"optimize": True})):
        yield name, jpeg(smooth("RGB"), **options), {}
    yield "gray", jpeg(smooth("L")), {}
    yield "gray-progressive", jpeg(smooth("L"), progressive=True), {}
    yield "cmyk", jpeg(smooth("CMYK")), {}
    yield "ycck", ycck(smooth("CMYK")), {}
    yield "comment", jpeg(smooth("L"), comment="gass: {}".encode()), {"gass": "{}"}
    for name, block in (
        ("a1111", comment_exif(False, b"UNICODE\0", PARAMETERS.encode("utf-16-be"))),
        ("little-endian", comment_exif(True, b"UNICODE\0", PARAMETERS.encode("utf-16-le"))),
        ("a1111-in-little-endian", comment_exif(True, b"UNICODE\0", PARAMETERS.encode("utf-16-be"))),
        ("unspecified", comment_exif(True, b"\0" * 8, PARAMETERS.encode() + b"\0\0")),
    ):
        yield f"user-comment-{name}", jpeg(smooth("L"), exif=block), {"parameters": PARAMETERS}
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9286] = b"UNICODE\0" + PARAMETERS.encode("utf-16-be")
    yield "user-comment-pillow", jpeg(smooth("L"), exif=exif), {"parameters": PARAMETERS}
    ascii_text = "a cat\nSteps: 1, Seed: 2, Size: 8x8"
    block = comment_exif(False, b"ASCII\0\0\0", ascii_text.encode())
    yield "user-comment-ascii", jpeg(smooth("L"), exif=block), {"parameters": ascii_text}


RECORD = '{"prompt": "a <b> & \\"猫\\""}'
XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:gass="urn:gass:1.0/"{}</rdf:RDF></x:xmpmeta>"""


def packets():
    """XMP packets with our record as an element, and as the attribute that Adobe's toolkit makes of it."""
    text = xml.sax.saxutils.escape(RECORD)
    yield "element", XMP.format(f"><gass:record>{text}</gass:record></rdf:Description>").encode()
    yield "attribute", XMP.format(f" gass:record={xml.sax.saxutils.quoteattr(RECORD)}/>").encode()


def webp(image, **options):
    out = io.BytesIO()
    image.save(out, "WEBP", **options)
    return out.getvalue()


def webp_kinds():
    clear = smooth("RGB").convert("RGBA")
    clear.putalpha(smooth("L"))
    for name, image in (("rgb", smooth("RGB")), ("gray", smooth("L")), ("alpha", clear), ("palette", smooth("P"))):
        yield f"{name}-lossy", webp(image, quality=80), {}
        yield f"{name}-lossless", webp(image, lossless=True, exact=True), {}
    yield "one-pixel", webp(smooth("RGB", (1, 1)), quality=1), {}
    yield "odd-sides", webp(smooth("RGB", (17, 33)), quality=60, method=6), {}
    yield "profile", webp(smooth("RGB"), icc_profile=b"no profile"), {}
    block = comment_exif(False, b"UNICODE\0", PARAMETERS.encode("utf-16-be"))
    yield "user-comment-a1111", webp(smooth("RGB"), exif=block.removeprefix(b"Exif\0\0")), {"parameters": PARAMETERS}
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9286] = b"UNICODE\0" + PARAMETERS.encode("utf-16-be")
    yield "user-comment-pillow", webp(smooth("RGB"), exif=exif), {"parameters": PARAMETERS}
    for name, packet in packets():
        yield f"xmp-{name}", webp(smooth("RGB"), xmp=packet, exif=block), {"parameters": PARAMETERS, "gass": RECORD}


def fixtures():
    random = np.random.default_rng(1)
    for name, data in png_kinds(random):
        yield f"png-{name}.png", data, {}
    for name, data, text in png_texts():
        yield f"png-{name}.png", data, text
    for value in range(1, 9):
        block = orientation_exif(value, value % 2 == 0)
        samples = random.integers(0, 256, (3, 5, 3))
        yield f"png-orientation-{value}.png", png(samples, 8, 2, chunk(b"eXIf", block.removeprefix(b"Exif\0\0"))), {}
        yield f"jpeg-orientation-{value}.jpg", jpeg(smooth("RGB"), subsampling=0, exif=block), {}
        yield f"webp-orientation-{value}.webp", webp(smooth("RGB"), lossless=True, exif=block), {}
    for name, data, text in jpeg_kinds():
        yield f"jpeg-{name}.jpg", data, text
    for name, packet in packets():
        yield f"jpeg-xmp-{name}.jpg", jpeg(smooth("L"), xmp=packet), {"gass": RECORD}
    for name, data, text in webp_kinds():
        yield f"webp-{name}.webp", data, text


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore", "Palette images with Transparency")
    index = []
    for name, data, text in fixtures():
        with Image.open(io.BytesIO(data)) as opened:
            rgb = ImageOps.exif_transpose(opened).convert("RGB")
            for key, value in text.items():  # the expectation itself, as far as Pillow has a say in it
                assert opened.format != "PNG" or opened.text[key] == value, name
        (folder / name).write_bytes(data)
        (folder / f"{name}.rgb").write_bytes(rgb.tobytes())
        entries = [{"key": key, "value": value} for key, value in text.items()]
        index.append({"file": name, "width": rgb.width, "height": rgb.height, "text": entries})
    (folder / "index.json").write_text(json.dumps(index, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(index)} images in {folder}")


def verify(paths):
    for path in paths:
        with Image.open(path) as image:
            if image.format == "PNG":
                assert image.text["parameters"] == PARAMETERS, image.text
                continue
            comment = image.getexif().get_ifd(0x8769)[0x9286]
            assert comment == b"UNICODE\0" + PARAMETERS.encode("utf-16-be"), comment
            assert b'{"seed": 1}' in image.info["xmp"], image.info
    print("Pillow reads them")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", nargs="?", type=pathlib.Path)
    parser.add_argument("--verify", nargs="+", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.verify:
        verify(arguments.verify)
    elif arguments.out_dir:
        write(arguments.out_dir)
    else:
        parser.error("needs OUT_DIR or --verify")


if __name__ == "__main__":
    main()
