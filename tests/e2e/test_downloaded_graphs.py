"""Typical texts from the web: sparse ids, words, tables, values of edges. The results are compared with those of
Python's csv module and dictionaries for the same text."""

import csv
import io
import json
import random
import resource
import subprocess

import pytest

LARGE = 1_300_000_000


@pytest.fixture
def convert(atoll, tmp_path):
    """Returns a function that writes a text, converts it and returns the graph's content. Its `.note` has the
    notes printed."""
    def call(text, *options, name="g.txt"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        done = atoll("graph", "convert", tmp_path / name, "-o", tmp_path / "g.atoll", *options)
        atoll("graph", "convert", tmp_path / "g.atoll", "-o", tmp_path / "back.el")
        told = json.loads(atoll("graph", "info", tmp_path / "g.atoll", "--json").stdout)
        told["rows"] = [line.split() for line in (tmp_path / "back.el").read_text().splitlines()]
        told["note"] = done.stderr
        return told
    return call


def labels_of(path):
    """Returns the labels in a graph file, as specified in docs/graph-file.md."""
    data = path.read_bytes()
    number = lambda at: int.from_bytes(data[at:at + 8], "little")
    sections = {number(56 + 32 * i): (number(64 + 32 * i), number(72 + 32 * i)) for i in range(number(48))}
    begin, text = sections[6][0], sections[7][0]
    ends = [text + number(begin + 8 * node) for node in range(number(16) + 1)]
    return [data[first:last].decode() for first, last in zip(ends, ends[1:])]


def test_sparse_ids_become_labels(convert, tmp_path):
    chance = random.Random(4)
    ids = chance.sample(range(LARGE), 3000)
    edges = {(chance.choice(ids), chance.choice(ids)) for _ in range(20000)}
    used = sorted({end for edge in edges for end in edge})
    told = convert("# comment\n" + "".join(f"{a}\t{b}\n" for a, b in edges))
    assert told["nodes"] == len(used) and told["labels"]
    labels = labels_of(tmp_path / "g.atoll")
    assert labels == [str(i) for i in used]
    assert {(int(labels[int(a)]), int(labels[int(b)])) for a, b in told["rows"]} == edges
    assert told["note"].count("\n") == 1 and f"{len(used):,} of the ids up to" in told["note"]


def test_ids_by_hand(convert, atoll, tmp_path):
    kept = convert("7 70\n", "--keep-ids")
    assert kept["nodes"] == 71 and not kept["labels"] and not kept["note"]
    dense = convert("0 1\n1 2\n")
    assert not dense["labels"] and not dense["note"]
    told = convert("2 1\n1 0\n", "--relabel")
    assert told["labels"] and labels_of(tmp_path / "g.atoll") == ["0", "1", "2"]
    assert convert("1 2\n2 3\n", "--one-based")["nodes"] == 3
    assert convert("1 2\n2 3\n")["nodes"] == 4
    line = atoll.refuses("graph", "convert", tmp_path / "g.txt", "-o", tmp_path / "x", "--relabel", "--keep-ids")
    assert "--keep-ids" in line
    (tmp_path / "g.txt").write_text(f"0 {1 << 62}\n")
    line = atoll.refuses("graph", "convert", tmp_path / "g.txt", "-o", tmp_path / "x", "--keep-ids")
    assert ":1: " in line and "--relabel" in line


@pytest.mark.plain_build("a sanitizer needs more address space than the limits here")
def test_the_range_of_ids_takes_no_memory(atoll, tmp_path):
    """A bitmap of these ids would take 2^58 bytes, their offsets far more."""
    chance = random.Random(5)
    text = "".join(f"{chance.randrange(1 << 61)} {chance.randrange(1 << 61)}\n" for _ in range(30000))
    (tmp_path / "g").write_text(text)
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    atoll("graph", "convert", tmp_path / "g", "-o", tmp_path / "g.atoll", preexec_fn=limit, timeout=30)
    assert len(labels_of(tmp_path / "g.atoll")) > 59000


def test_words_as_ids(convert, atoll, tmp_path):
    text = "Ann Bob\nBob Cy\n007 Ann\n"
    told = convert(text, "--relabel")
    assert labels_of(tmp_path / "g.atoll") == ["Ann", "Bob", "Cy", "007"]
    assert told["rows"] == [["0", "1"], ["1", "2"], ["3", "0"]]
    line = atoll.refuses("graph", "convert", tmp_path / "g.txt", "-o", tmp_path / "x")
    assert ":1: 'Ann'" in line and "--relabel" in line


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tables_agree_with_the_csv_module(convert, tmp_path, separator, mark):
    chance = random.Random(6)
    word = lambda: chance.choice(["a", "#b", 'say "x"', f"one{separator} two", "  c", "ü", "0", ""]) + str(chance.randrange(30))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(["when", "to whom", "weight", "who", "note"])
    for line in range(2000):
        writer.writerow([line, word(), f"{chance.uniform(-9, 9):.3g}", word(), word()])
    rows = list(csv.DictReader(io.StringIO(out.getvalue(), newline=""), delimiter=separator))
    expected, order = {}, []
    for row in rows:
        who, whom = row["who"].strip(), row["to whom"].strip()
        order += [name for name in (who, whom) if name not in order]
        expected.setdefault((order.index(who), order.index(whom)), (float(row["weight"]), float(row["when"])))
    told = convert(mark + out.getvalue(), "--columns", "who,to whom", "--relabel", "--value", "w=weight",
                   "--value", "t=when")
    assert [[name.strip() for name in labels_of(tmp_path / "g.atoll")]] == [order]
    assert told["values"] == ["w", "t"]
    assert {(int(a), int(b)): (float(w), float(t)) for a, b, w, t in told["rows"]} == expected


def test_columns_by_number_need_no_header(convert):
    told = convert("% x\n5,1,2,0.5\n6,0,1,1.5\n", "--columns", "2,3", "--value", "w=4")
    assert told["rows"] == [["0", "1", "1.5"], ["1", "2", "0.5"]]


def test_a_header_between_blanks(convert):
    told = convert("source target\n0 1\n1 2\n", "--columns", "target,source")
    assert told["rows"] == [["1", "0"], ["2", "1"]]


WRONG = {  # text, options, and message
    "no such column": ("a,b\n0,1\n", ["--columns", "a,c"], ":1: no column 'c'; its columns are a, b"),
    "commas": ("0,1\n1,2\n", [], "--columns FROM,TO"),
    "names of columns": ("a,b\n0,1\n", [], ":1: the line has names of columns, 'a'; name those of the two ends: "
                         "--columns a,b"),
    "names with blanks": ("# x\n\nthe source;the target\n0;1\n", [], ":3: the line has names of columns, "
                          "'the source'; name those of the two ends: --columns 'the source,the target'"),
    "one column": ("a,b\n0,1\n", ["--columns", "a"], "--columns"),
    "three columns": ("a,b\n0,1\n", ["--columns", "a,b,c"], "--columns"),
    "a short line": ("a,b\n0,1\n1\n", ["--columns", "a,b"], ":3: 1 columns"),
    "an open quote": ('a,b\n0,1\n"1,2\n', ["--columns", "a,b"], ":3: a quote"),
    "words": ("a,b\n0,1\nx,2\n", ["--columns", "a,b"], ":3: 'x' is not a node id"),
    "an empty word": ("a,b\n0,1\n,2\n", ["--columns", "a,b", "--relabel"], ":3: an empty node id"),
    "only a header": ("a,b\n", ["--columns", "a,b"], "no edges"),
    "nothing but blanks": (" \n\n", ["--columns", "a,b"], "no line with the columns' names"),
    "a lone return": ("a,b\n0,1\r1,2\n", ["--columns", "a,b"], ":2: a carriage return"),
    "no value": ("0 1 5\n1 2\n", ["--value", "w=3"], ":2: 2 columns, and column 3"),
    "a word as value": ("0 1 5\n1 2 x\n", ["--value", "w=3"], ":2: 'x' is not a number"),
    "half a number as value": ("0 1 1D\n", ["--value", "w=3"], ":1: '1D'"),
    "a name as column": ("0 1 5\n", ["--value", "w=weight"], "--columns FROM,TO"),
    "column 0": ("0 1 5\n", ["--value", "w=0"], "'0'"),
    "a value without column": ("0 1 5\n", ["--value", "w"], "NAME=COLUMN"),
    "a value's name": ("0 1 5\n", ["--value", "1 x=3"], "NAME=COLUMN"),
    "a value twice": ("0 1 5\n", ["--value", "w=3", "--value", "w=1"], "twice"),
    "matrix": ("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", ["--one-based"], "--one-based"),
    "matrix with words": ("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", ["--relabel"], "--relabel"),
    "matrix without values": (
        "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", ["--value", "w=3"], ":3: "),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_texts_and_calls(atoll, tmp_path, name):
    text, options, says = WRONG[name]
    (tmp_path / "g").write_text(text, newline="")
    assert says in atoll.refuses("graph", "convert", tmp_path / "g", "-o", tmp_path / "x", *options)
    assert not (tmp_path / "x").exists()


def test_text_options_on_a_graph_file(convert, atoll, tmp_path):
    convert("0 1 5\n", "--value", "w=3")
    for options in (["--relabel"], ["--value", "v=3"], ["--columns", "a,b"], ["--one-based"], ["--keep-ids"]):
        assert options[0] in atoll.refuses("graph", "info", tmp_path / "g.atoll", *options)
    atoll("graph", "convert", tmp_path / "g.atoll", "-o", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "g.atoll").read_bytes()


def test_labels_of_a_file_keep_the_ids(convert, atoll, tmp_path):
    (tmp_path / "labels").write_text("".join(f"n{i}\n" for i in range(71)))
    told = convert("7 70\n", "--labels", tmp_path / "labels")
    assert told["nodes"] == 71 and labels_of(tmp_path / "g.atoll")[70] == "n70"
    assert "--relabel" in atoll.refuses(
        "graph", "convert", tmp_path / "g.txt", "--labels", tmp_path / "labels", "--relabel", "-o", tmp_path / "x")


def test_values_of_the_road_network(source, atoll, tmp_path):
    file = source.parent / "shared" / "data" / "graphs" / "road-liechtenstein.wel.zst"
    if not file.exists():
        pytest.skip(f"{file} isn't there")
    atoll("graph", "convert", file, "--value", "length=3", "-o", tmp_path / "g.el")
    expected = {}
    for line in subprocess.run(["zstd", "-dc", file], capture_output=True, text=True, check=True).stdout.splitlines():
        a, b, length = map(int, line.split())
        expected.setdefault((a, b), length)
    rows = [tuple(map(int, line.split())) for line in (tmp_path / "g.el").read_text().splitlines()]
    assert {(a, b): length for a, b, length in rows} == expected and len(rows) == len(expected)
