"""Compressed graphs and archives, packed by Python's modules and zstd: they are read like their content, and errors
are reported in one line."""

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import tarfile
import time
import zipfile

import pytest


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


def tar(*members):
    """Packs (name, content) pairs, in a folder, into a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in members:
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


PACK = {
    "gz": gzip.compress,
    "zst": zstd,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "tar": lambda data: tar(("g.el", data)),
    "tar.gz": lambda data: gzip.compress(tar(("g.el", data))),
    "tar.zst": lambda data: zstd(tar(("g.el", data))),
    "tar.xz": lambda data: lzma.compress(tar(("g.el", data))),
    "zip": lambda data: zipped(("g.el", data)),
    "two streams": lambda data: gzip.compress(data[:1000]) + gzip.compress(data[1000:]) + bytes(512),
    "plain": lambda data: data,
}


@pytest.fixture(scope="module")
def edges():
    """Returns an edge list that is larger than the blocks that threads pass to each other."""
    chance = random.Random(3)
    lines = (f"{chance.randrange(50_000)} {chance.randrange(50_000)}\n" for _ in range(150_000))
    return "".join(dict.fromkeys(lines)).encode()  # without duplicates, which would cause a note


@pytest.fixture(scope="module")
def binary(atoll, edges, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    (folder / "g.el").write_bytes(edges)
    atoll("graph", "convert", folder / "g.el", "-o", folder / "g.atoll")
    return (folder / "g.atoll").read_bytes()


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("through", ["file", "pipe", "redirected"])
def test_packed_is_read_as_plain_text_is(atoll, edges, binary, tmp_path, kind, through):
    packed, out = tmp_path / "packed", tmp_path / "out"
    packed.write_bytes(PACK[kind](edges))
    if through == "file":
        done = atoll("graph", "convert", packed, "-o", out)
    elif through == "redirected":
        with packed.open("rb") as file:
            done = atoll("graph", "convert", "-", "-o", out, stdin=file)
    else:
        call = [atoll.program, "graph", "convert", "-", "-o", out]
        done = subprocess.run(call, input=packed.read_bytes(), capture_output=True, timeout=300, check=True)
    assert not done.stderr
    assert out.read_bytes() == binary


def test_a_graph_file_from_standard_input(atoll, binary, tmp_path):
    (tmp_path / "g.atoll").write_bytes(binary)
    with (tmp_path / "g.atoll").open("rb") as file:
        atoll("graph", "convert", "-", "-o", tmp_path / "out", stdin=file)
    assert (tmp_path / "out").read_bytes() == binary
    done = subprocess.run([atoll.program, "graph", "info", "-"], input=binary, capture_output=True, timeout=60)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"standard input: " in done.stderr


def test_matrix_market_in_a_tar(atoll, tmp_path):
    """SuiteSparse packs its matrices in this way."""
    text = b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 1\n"
    file = tmp_path / "m.tar.gz"
    file.write_bytes(gzip.compress(tar(("m.mtx", text))))
    atoll("graph", "convert", file, "-o", tmp_path / "m.el")
    assert (tmp_path / "m.el").read_text() == "0 1\n1 0\n2 2\n"


GOOD = b"0 1\n1 2\n" * 50
ENCRYPTED = bytearray(zipped(("g.el", GOOD)))
ENCRYPTED[6] |= 1  # the flag in the member's head; the password isn't needed
FLIPPED = bytearray(gzip.compress(GOOD))
FLIPPED[-6] ^= 1  # changes the checksum
FLIPPED_TAR = bytearray(gzip.compress(tar(("g.el", GOOD))))
FLIPPED_TAR[-6] ^= 1
LONG = b"".join(b"%d %d\n" % (i, i * i % 999983) for i in range(300_000))

def shell(commands):
    """Returns the output of shell commands, which run in processes of their own: this process must stay
    small, because tests of memory fork from it."""
    return subprocess.run(commands, shell=True, capture_output=True, check=True).stdout


WRONG = {  # content, and message
    "gzip, cut off": (lambda: gzip.compress(LONG)[:-100], "cut off"),
    "gzip, cut off at its head": (lambda: gzip.compress(GOOD)[:5], "cut off"),
    "gzip, a wrong checksum": (lambda: bytes(FLIPPED), "data check"),
    "gzip, a wrong checksum behind a tar": (lambda: bytes(FLIPPED_TAR), "data check"),
    "gzip, garbage in it": (lambda: gzip.compress(LONG)[:5000] + bytes(range(256)) * 20, "can't be unpacked"),
    "gzip, garbage behind it": (lambda: gzip.compress(GOOD) + b"garbage", "can't be unpacked"),
    "zstd, cut off": (lambda: zstd(LONG)[:-100], "can't be unpacked"),
    "xz, cut off": (lambda: lzma.compress(LONG)[:-100], "can't be unpacked"),
    "bzip2, cut off": (lambda: bz2.compress(LONG)[:-100], "can't be unpacked"),
    "tar, cut off": (lambda: tar(("g.el", LONG))[:-20000], "can't be unpacked"),
    "zip, cut off": (lambda: zipped(("g.el", LONG))[:-50000], "can't be unpacked"),
    "several files": (lambda: gzip.compress(tar(("g.el", GOOD), ("h.el", GOOD))), "'folder/g.el', 'folder/h.el'"),
    "several files, the first no graph": (lambda: tar(("README", b"read me"), ("h.el", LONG)), "'folder/README', "),
    "several files in a zip": (lambda: zipped(("g.el", GOOD), ("h.el", GOOD)), "'g.el', 'h.el'"),
    "encrypted": (lambda: bytes(ENCRYPTED), "encrypted"),
    "gzip in gzip": (lambda: gzip.compress(gzip.compress(GOOD)), "packed more than once"),
    "xz in gzip": (lambda: gzip.compress(lzma.compress(GOOD)), "packed more than once"),
    "gzip in xz": (lambda: lzma.compress(gzip.compress(GOOD)), "packed more than once"),
    "gzip in a tar": (lambda: tar(("g.el.gz", gzip.compress(GOOD))), "packed more than once"),
    "tar in a tar": (lambda: tar(("g.tar", tar(("g.el", GOOD)))), "packed more than once"),
    "nothing in gzip": (lambda: gzip.compress(b""), "no file"),
    "nothing in a tar": (lambda: gzip.compress(tar()), "no file"),
    "nothing in the file of a tar": (lambda: tar(("g.el", b"")), "(folder/g.el): the file is empty"),
    "a line in gzip": (lambda: gzip.compress(b"0 1\n1 x\n"), "bad.txt:2: 'x'"),
    "a line in a tar": (lambda: tar(("g.el", b"0 1\n1 x\n")), "bad.txt(folder/g.el):2: 'x'"),
    "bomb: the same edge": (lambda: shell("yes '1 1' | head -c 256M | zstd -qc"), "200 times"),
    "bomb: zeros": (lambda: shell("(echo 1 1; head -c 64M /dev/zero) | gzip -9"), "a line of more than 1 MiB"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_unpacked_is_refused(atoll, tmp_path, name):
    content, says = WRONG[name]
    file = tmp_path / "bad.txt"
    file.write_bytes(content())
    start = time.monotonic()
    line = atoll.refuses("graph", "convert", file, "-o", tmp_path / "out")
    assert "bad.txt" in line and says in line
    assert os.listdir(tmp_path) == ["bad.txt"]
    assert time.monotonic() - start < 30


def test_a_packed_graph_file_is_refused(atoll, binary, tmp_path):
    file = tmp_path / "g.atoll.gz"
    file.write_bytes(gzip.compress(binary))
    assert "mapped" in atoll.refuses("graph", "info", file)


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_an_error_does_not_wait_for_the_rest_of_a_pipe(atoll, edges, tmp_path, pack):
    """The error ends the reader at once, as the writer may continue for hours."""
    wrong = pack(edges[:100] + b"x\n" + edges)
    call = subprocess.Popen([atoll.program, "graph", "convert", "-", "-o", tmp_path / "out"],
                            stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        call.stdin.write(wrong)
        call.stdin.flush()
    except BrokenPipeError:
        pass  # the reader has stopped reading
    assert call.wait(timeout=60) == 2
    assert call.stderr.read().startswith(b"atoll: standard input:")
    try:
        call.stdin.close()
    except BrokenPipeError:
        pass


MARKED = {  # text, and the format that is detected
    "mark": (b"\xef\xbb\xbf0 1\n1 2\n", "0 1\n1 2\n"),
    "mark and comment": (b"\xef\xbb\xbf# x\r\n0 1\r\n1 2\r\n", "0 1\n1 2\n"),
    "carriage return at the end": (b"0 1\r\n1 2\r", "0 1\n1 2\n"),
    "carriage returns behind values": (b"0 1 5\r\n1 2 \r\n", "0 1\n1 2\n"),
    "mark of a matrix": (b"\xef\xbb\xbf%%MatrixMarket matrix coordinate pattern general\r\n2 2 1\r\n1 2\r\n", "0 1\n"),
}


@pytest.mark.parametrize("name", MARKED)
def test_byte_order_marks_and_carriage_returns(atoll, tmp_path, name):
    content, says = MARKED[name]
    (tmp_path / "g").write_bytes(content)
    atoll("graph", "convert", tmp_path / "g", "-o", tmp_path / "g.el")
    assert (tmp_path / "g.el").read_text() == says


LONE = {
    "between edges": (b"0 1\n0 1\r1 2\r\n", ":2: a carriage return"),
    "between ids": (b"0 1\n3\r4\n", ":2: a carriage return"),
    "in a comment": (b"# x\r0 1\r", ":1: a carriage return"),
    "behind values": (b"0 1 1.5\r1 2 1.5\n", ":1: a carriage return"),
    "in a matrix's head": (b"%%MatrixMarket matrix coordinate pattern general\r2 2 1\r1 2\r", ":1: a carriage return"),
    "everywhere": (b"0 1\r" * 300_000, ": a carriage return"),
    "UTF-16": ("0 1\n".encode("utf-16"), "UTF-16"),
}


@pytest.mark.parametrize("name", LONE)
def test_lone_carriage_returns_are_refused(atoll, tmp_path, name):
    content, says = LONE[name]
    (tmp_path / "g").write_bytes(content)
    assert says in atoll.refuses("graph", "convert", tmp_path / "g", "-o", tmp_path / "g.el")
