"""Damages the bytes of a file. The seed determines the result."""

import random
import re

NUMBERS = [b"99999999999999999999", b"-1", b"nan", b"1e9999", b"0", b"18446744073709551615", b"2147483648", b""]


def cut(data, rng):
    return data[:rng.randrange(len(data) + 1)]


def cut_end(data, rng):
    return data[:max(0, len(data) - rng.randrange(1, 40))]


def flip_bit(data, rng):
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 32))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def flip_head(data, rng):
    changed = bytearray(data)
    if changed:
        changed[rng.randrange(min(64, len(changed)))] = rng.randrange(256)
    return bytes(changed)


def zeros(data, rng):
    begin = rng.randrange(len(data) + 1)
    length = rng.choice((1, 8, 512, 4096))
    return data[:begin] + bytes(min(length, len(data) - begin)) + data[begin + length:]


def insert(data, rng):
    begin = rng.randrange(len(data) + 1)
    return data[:begin] + rng.randbytes(rng.choice((1, 7, 200))) + data[begin:]


def remove(data, rng):
    begin = rng.randrange(len(data) + 1)
    return data[:begin] + data[begin + rng.choice((1, 8, 300)):]


def number(data, rng):
    """Replaces a number of a text or, in a binary file, eight bytes."""
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", data[:200_000]))
    if found and b"\0" not in data[:1000]:
        one = rng.choice(found)
        return data[:one.start()] + rng.choice(NUMBERS) + data[one.end():]
    begin = rng.randrange(max(1, len(data) // 8)) * 8
    value = rng.choice((0, 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)).to_bytes(8, "little")
    return data[:begin] + value + data[begin + 8:]


def line(data, rng):
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at:at + 1] = rng.choice(([], [lines[at]] * 2, [lines[at] + b" x"], [b"\xff\xfe" + lines[at]]))
    return b"\n".join(lines)


def word(data, rng):
    """Replaces a word of a text by another word of the same text."""
    words = list(re.finditer(rb"[A-Za-z_]+", data[:200_000]))
    if len(words) < 2:
        return flip_bit(data, rng)
    one, other = rng.choice(words), rng.choice(words)
    return data[:one.start()] + other.group() + data[one.end():]


def twice(data, rng):
    return data + data


def junk(data, rng):
    return data + rng.randbytes(rng.choice((1, 16, 5000)))


def noise(data, rng):
    return rng.randbytes(len(data) % 5000)


def nothing(data, rng):
    return b""


def long_line(data, rng):
    return data + b"7" * 1_000_000


KINDS = {kind.__name__: kind for kind in (cut, cut_end, flip_bit, flip_head, zeros, insert, remove, number, line, word,
                                          twice, junk, noise, nothing, long_line)}


def damaged(data, kind, seed):
    return KINDS[kind](data, random.Random(seed))
