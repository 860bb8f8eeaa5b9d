"""Bad input: exit code 2 and one line on standard error that names the file, the position and the remedy; no crash, no
partial output. Cases that other files test in depth occur once here."""

import os
import re
import time

import pytest

ARGUMENTS = ["--arg", "e=1e-9", "--arg", "d=0.85", "--arg", "max=100"]


@pytest.fixture(scope="module")
def pagerank(source):
    return source / "apps/greenmarl/pagerank.gm"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    file = tmp_path_factory.mktemp("good") / "good.el"
    file.write_text("0 1\n1 2\n2 0\n")
    return file


@pytest.fixture(scope="module")
def binary(atoll, tmp_path_factory):
    file = tmp_path_factory.mktemp("good") / "good.atoll"
    atoll("graph", "generate", "uniform", "--scale", 8, "-o", file)
    return file.read_bytes()


TEXTS = {
    "empty": (b"", "empty"),
    "comments only": (b"# nothing\n", "edge"),
    "garbage": (bytes(range(128, 256)) * 20, ""),
    "half a line": (b"0 1\n2\n", ":2"),
    "words": (b"0 1\nfoo bar\n", ":2"),
    "negative id": (b"0 1\n1 -2\n", ":2"),
    "overflowing id": (b"0 1\n1 99999999999999999999999\n", ":2"),
    "beyond any id": (b"0 1\n1 9300000000000000000\n", ":2"),
    "matrix: index 0": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n", ":3"),
    "matrix: beyond": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", ":3"),
    "matrix: entries missing": (b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", ""),
    "matrix: not square": (b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", ":2"),
    "matrix: no header": (b"%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n", ":1"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("verb", ["run", "convert", "info"])
def test_graph_texts(atoll, pagerank, tmp_path, name, verb):
    content, place = TEXTS[name]
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    out = tmp_path / "out.atoll"
    call = {
        "run": ["run", pagerank, "--graph", file, *ARGUMENTS, "--save", f"pg_rank={out}"],
        "convert": ["graph", "convert", file, "-o", out],
        "info": ["graph", "info", file],
    }[verb]
    line = atoll.refuses(*call)
    assert "bad.txt" in line and place in line
    assert sorted(os.listdir(tmp_path)) == ["bad.txt"], "nothing half written"


@pytest.mark.parametrize("cut", [1, 8, 40, 100, 1000, -1, -4096])
def test_truncated_binary_graphs(atoll, binary, tmp_path, cut):
    file = tmp_path / "cut.atoll"
    file.write_bytes(binary[:cut])
    assert "cut.atoll" in atoll.refuses("graph", "info", file)


def test_flipped_bits_in_binary_graphs(atoll, binary, tmp_path):
    for position in range(0, len(binary), max(1, len(binary) // 40)):
        flipped = bytearray(binary)
        flipped[position] ^= 0x40
        file = tmp_path / "flipped.atoll"
        file.write_bytes(flipped)
        done = atoll("graph", "info", file, check=False)
        assert done.returncode in (0, 2), f"byte {position}: {done.stderr}"  # 0: the byte is padding


CALLS = {
    "missing graph": (["run", "P", "--graph", "none.el", *ARGUMENTS], "none.el"),
    "directory as graph": (["run", "P", "--graph", "/", *ARGUMENTS], "directory"),
    "missing program": (["run", "none.gm", "--graph", "G", *ARGUMENTS], "none.gm"),
    "directory as program": (["run", "/", "--graph", "G", *ARGUMENTS], "directory"),
    "unknown argument": (["run", "P", "--graph", "G", *ARGUMENTS, "--arg", "x=1"], "'x'"),
    "missing argument": (["run", "P", "--graph", "G", "--arg", "e=1"], "'d'"),
    "argument twice": (["run", "P", "--graph", "G", *ARGUMENTS, "--arg", "e=2"], "twice"),
    "not a number": (["run", "P", "--graph", "G", "--arg", "e=x", "--arg", "d=1", "--arg", "max=1"], "'x'"),
    "NaN": (["run", "P", "--graph", "G", "--arg", "e=nan", "--arg", "d=1", "--arg", "max=1"], "'nan' is not a"),
    "too big an Int": (
        ["run", "P", "--graph", "G", "--arg", "e=1", "--arg", "d=1", "--arg", "max=9999999999"], "32 bits"),
    "unknown result": (["run", "P", "--graph", "G", *ARGUMENTS, "--save", "x=y"], "'x'"),
    "result into a missing folder": (
        ["run", "P", "--graph", "G", *ARGUMENTS, "--save", "pg_rank=/none/such"], "/none/such"),
    "unknown layout": (["run", "P", "--graph", "G", *ARGUMENTS, "--layout", "x"], "--layout"),
    "machine without dry run": (
        ["run", "P", "--graph", "G", *ARGUMENTS, "--machine", "opteron-8x8"], "--dry-run"),
    "unknown preset": (
        ["run", "P", "--graph", "G", "--dry-run", "--machine", "opteron-9x9"], "opteron-8x8"),
    "unknown preset of atoll machine": (["machine", "--machine", "no-such"], "no-such"),
    "missing machine file": (["machine", "--machine", "none.json"], "none.json"),
    "unknown verb": (["frobnicate"], "frobnicate"),
    "no verb": ([], "--help"),
    "unknown option": (["machine", "--frobnicate"], "--frobnicate"),
    "generate: no output": (["graph", "generate", "rmat"], "-o"),
    "generate: scale": (["graph", "generate", "rmat", "--scale", "99", "-o", "x"], "scale"),
    "no threads": (["run", "P", "--graph", "G", *ARGUMENTS, "--threads", "-1"], "'-1' is not a whole"),
    "no top": (["run", "P", "--graph", "G", *ARGUMENTS, "--top", "-1"], "'-1' is not a whole"),
    "half a thread": (["run", "P", "--graph", "G", *ARGUMENTS, "--threads", "1.5"], "'1.5' is not"),
    "many threads": (["run", "P", "--graph", "G", *ARGUMENTS, "--threads", "100000"], "--oversubscribe"),
    "nameless machine": (["machine", "--machine", ""], "--machine"),
    "nameless machine to run on": (
        ["run", "P", "--graph", "G", "--dry-run", "--machine", ""], "--machine"),
    "too large a machine": (["machine", "--machine", "pack:1000000 core:4 pu:2"], "65536"),
    "endless labels": (["graph", "convert", "G", "--labels", "/dev/zero", "-o", "x"], "/dev/zero"),
    "compile: missing": (["compile", "none.gm"], "none.gm"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(atoll, pagerank, good, tmp_path, name):
    call, place = CALLS[name]
    call = [{"P": pagerank, "G": good}.get(word, word) for word in call]
    start = time.monotonic()
    line = atoll.refuses(*call, cwd=tmp_path)
    assert place in line and len(line) < 300
    if call[:1] != ["run"]:  # `run` may compile the program first
        assert time.monotonic() - start < 5, "at once"
    assert os.listdir(tmp_path) == [], "nothing half written"


def test_more_threads_than_processing_units(atoll, pagerank, good):
    many = 4 * len(os.sched_getaffinity(0)) + 1
    call = ["run", pagerank, "--graph", good, *ARGUMENTS, "--threads"]
    atoll(*call, many - 1)
    assert f"{many} threads" in atoll.refuses(*call, many)
    atoll(*call, many, "--oversubscribe")


def test_a_comment_may_be_long(atoll, pagerank, tmp_path):
    long = "x" * (1 << 20)
    for begin, end in [("//", "\n"), ("/*", "*/")]:
        program = tmp_path / "commented.gm"
        program.write_text(begin + long + end + pagerank.read_text())
        assert "pg_rank" in atoll("compile", program, "--patterns").stdout
    for text in [f"#{long}\n0 1\n", f"0 1\n%{long}\n",
                 f"%%MatrixMarket matrix coordinate pattern general\n%{long}\n2 2 1\n1 2\n"]:
        graph = tmp_path / "commented.el"
        graph.write_text(text)
        assert atoll.json("graph", "info", graph)["edges"] == 1


PROGRAMS = {
    "unknown name": ("G.x = y;", r":2:\d+"),
    "undeclared property": ("Foreach (n: G.Nodes) { n.y = 1; }", r":2:\d+"),
    "duplicate": ("Int a; Int a;", r":2:\d+"),
    "type mismatch": ("Bool b = 1.5;", r":2:\d+"),
    "syntax": ("Int a = ;", r":2:\d+"),
    "no closing brace": ("If (True) { Int a = 1;", r":\d+:\d+"),
    "unterminated comment": ("/* never ends", r":\d+:\d+"),
    "not a character": ("Int a = 1 $ 2;", r":2:\d+"),
    "number too large": ("Int a = 99999999999999999999;", r":2:\d+"),
    "not supported yet": ("InBFS (v: G.Nodes From r) { }", r":2:\d+"),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("verb", ["compile", "run"])
def test_programs(atoll, good, tmp_path, name, verb):
    body, place = PROGRAMS[name]
    file = tmp_path / "bad.gm"
    file.write_text(f"Procedure p(G: Graph; x: Node_Prop<Int>(G)) {{\n{body}\n}}\n")
    call = ["compile", file, "-o", tmp_path / "bad"] if verb == "compile" else ["run", file, "--graph", good]
    line = atoll.refuses(*call)
    assert "bad.gm" in line and re.search(place, line)
    assert os.listdir(tmp_path) == ["bad.gm"]


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"Procedure", b"{" * 100_000, b"(" * 100_000])
def test_garbage_programs(atoll, tmp_path, content):
    file = tmp_path / "bad.gm"
    file.write_bytes(content)
    assert "bad.gm" in atoll.refuses("compile", file, "--patterns")


def test_contradicting_machine_files(atoll, tmp_path):
    import json

    good = atoll.json("machine", "--machine", "hbm-2s")
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(good))
    atoll("machine", "--machine", file)
    file.write_text(json.dumps(good)[:-20])
    assert "bad.json" in atoll.refuses("machine", "--machine", file)
    for key in [key for key, value in good.items() if isinstance(value, (list, dict)) and value]:
        without = {other: value for other, value in good.items() if other != key}
        file.write_text(json.dumps(without | {key: []}))
        done = atoll("machine", "--machine", file, check=False)
        assert done.returncode in (0, 2) and len(done.stderr.splitlines()) == (done.returncode == 2)
    file.write_text("[]")
    assert "bad.json" in atoll.refuses("machine", "--machine", file)


def test_no_huge_pages_is_no_error(atoll, pagerank, good):
    """If huge pages are not permitted: a note, small pages, exit code 0."""
    import ctypes

    def forbid():
        ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # PR_SET_THP_DISABLE

    done = atoll("run", pagerank, "--graph", good, *ARGUMENTS, "--pages", "2m", preexec_fn=forbid)
    notes = done.stderr.splitlines()
    assert len(notes) == 1 and "4 KiB pages instead of 2 MiB" in notes[0]
    done = atoll("run", pagerank, "--graph", good, *ARGUMENTS, "--pages", "4k", preexec_fn=forbid)
    assert done.stderr == ""


def test_too_big_for_the_machine(atoll, pagerank, tmp_path):
    """A graph that needs more memory than exists is refused before any page is mapped."""
    file = tmp_path / "wide.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n")
    done = atoll("run", pagerank, "--graph", file, *ARGUMENTS, check=False)
    assert done.returncode in (1, 2) and len(done.stderr.splitlines()) == 1
