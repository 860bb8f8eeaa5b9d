#!/usr/bin/python3
"""Makes an animation of frames that a stencil program wrote: animate.py FRAME.png ... -o ANIMATION.png

The animation is an APNG: a PNG file with more pictures behind the first. Every browser plays it, and
what doesn't know APNG shows the first frame. The frames' compressed pictures are taken as they are, so
all need to have one size and one palette, as Frames writes them.
"""

import argparse
import os
import struct
import sys
import zlib
from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Wrong(Exception):
    """A frame that can't be used; the text is one line."""


def chunks(path):
    """The chunks of a PNG file: type and data. Their checksums are compared."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Wrong(f"{path}: can't be read: {error.strerror}") from None
    if not data.startswith(SIGNATURE):
        raise Wrong(f"{path}: isn't a PNG file; name frames that a program wrote")
    at = len(SIGNATURE)
    kind = b""
    while at < len(data) and kind != b"IEND":
        head = data[at:at + 8]
        length = int.from_bytes(head[:4], "big")
        kind, body, check = head[4:], data[at + 8:at + 8 + length], data[at + 8 + length:at + 12 + length]
        if len(check) < 4 or int.from_bytes(check, "big") != zlib.crc32(kind + body):
            raise Wrong(f"{path}: is cut short or damaged; write it again")
        yield kind, body
        at += 12 + length
    if kind != b"IEND":
        raise Wrong(f"{path}: is cut short or damaged; write it again")


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def animation(frames, delays):
    """The bytes of an APNG, in parts. `delays` are in milliseconds."""
    number = 0
    first = None
    for path, delay in zip(frames, delays):
        found = list(chunks(path))
        shape = [(kind, body) for kind, body in found if kind in (b"IHDR", b"PLTE", b"tRNS")]
        if first is None:
            first = shape
            yield SIGNATURE + chunk(*shape[0])
            yield chunk(b"acTL", struct.pack(">II", len(frames), 0))
            for kind, body in shape[1:]:
                yield chunk(kind, body)
        elif shape != first:
            raise Wrong(f"{path}: has another size or palette than {frames[0]}; draw all frames alike")
        width, height = struct.unpack(">II", shape[0][1][:8])
        yield chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, delay, 1000, 0, 0))
        number += 1
        for kind, body in found:
            if kind != b"IDAT":
                continue
            if path is frames[0]:
                yield chunk(b"IDAT", body)
            else:
                yield chunk(b"fdAT", struct.pack(">I", number) + body)
                number += 1
    yield chunk(b"IEND", b"")


def write(path, parts):
    """The file is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb") as file:
            for part in parts:
                file.write(part)
        os.replace(beside, path)
    except OSError as error:
        raise Wrong(f"{path}: can't be written: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("frames", nargs="+", type=Path)
    parser.add_argument("-o", dest="output", type=Path, required=True)
    parser.add_argument("--fps", type=float, default=25, help="frames a second (25)")
    parser.add_argument("--hold", type=float, default=1.5, help="seconds that the last frame stays (1.5)")
    call = parser.parse_args()
    if not 1 <= call.fps <= 1000 or not 0 <= call.hold <= 60:
        parser.error("--fps is 1 to 1000, and --hold 0 to 60 seconds")
    delay = round(1000 / call.fps)
    delays = [delay] * (len(call.frames) - 1) + [max(delay, round(1000 * call.hold))]
    try:
        write(call.output, animation(call.frames, delays))
    except Wrong as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
