"""atoll graph: generated, converted and printed graphs, compared with Python's, NetworkX's and SciPy's results."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import time

import networkx
import pytest
import scipy.io
import scipy.sparse


def info(atoll, file, *more):
    return json.loads(atoll("graph", "info", file, "--json", *more).stdout)


def edges_in(file):
    return [tuple(map(int, line.split())) for line in file.read_text().splitlines()]


@pytest.fixture
def text(tmp_path):
    """An edge list with duplicates, self-loops and isolated nodes, and its edges."""
    chance = random.Random(1)
    edges = [(chance.randrange(300), chance.randrange(300) ** 2 // 300) for _ in range(700)]
    edges += edges[:50] + [(7, 7), (310, 2)]
    file = tmp_path / "g.txt"
    file.write_text("# a comment\n" + "".join(f"{a}\t{b}\n" for a, b in edges))
    return file, edges


def test_info_agrees_with_networkx(atoll, text):
    file, edges = text
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(range(311))
    graph.add_edges_from(edges)
    told = info(atoll, file, "--components")
    components = [len(nodes) for nodes in networkx.weakly_connected_components(graph)]
    out = [degree for _, degree in graph.out_degree()]
    assert told["nodes"] == 311 and told["edges"] == len(edges)
    assert told["components"] == {"count": len(components), "largest": max(components)}
    assert told["max_out_degree"] == max(out)
    assert told["max_in_degree"] == max(degree for _, degree in graph.in_degree())
    assert told["dangling"] == out.count(0)
    assert told["isolated"] == len(list(networkx.isolates(graph)))
    assert told["self_loops"] == networkx.number_of_selfloops(graph)
    assert told["duplicates"] == len(edges) - len(set(edges))
    assert told["symmetric"] is False
    for row in told["out_degrees"]:
        first, _, last = row["degree"].partition("-")
        assert row["nodes"] == sum(int(first) <= degree <= int(last or first) for degree in out)
    assert sum(row["nodes"] for row in told["out_degrees"]) == 311


def test_info_for_people(atoll, text):
    done = atoll("graph", "info", text[0])
    assert re.search(r"nodes +311, 32-bit ids", done.stdout)
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80


@pytest.mark.parametrize("options", [
    [], ["--symmetrise"], ["--keep-duplicates"], ["--drop-self-loops"], ["--wide-ids"],
    ["--symmetrise", "--keep-duplicates", "--drop-self-loops"]])
def test_convert(atoll, text, tmp_path, options):
    file, edges = text
    if "--drop-self-loops" in options:
        edges = [(a, b) for a, b in edges if a != b]
    if "--symmetrise" in options:
        edges = edges + [(b, a) for a, b in edges if a != b]
    edges = sorted(edges if "--keep-duplicates" in options else set(edges))
    binary, back = tmp_path / "g.atoll", tmp_path / "back.el"
    atoll("graph", "convert", file, "-o", binary, *options)
    atoll("graph", "convert", binary, "-o", back)
    assert edges_in(back) == edges
    told = info(atoll, binary)
    assert told["node_id_bits"] == (64 if "--wide-ids" in options else 32)
    assert told["symmetric"] == ("--symmetrise" in options)
    assert told["arrays"] == ["begin", "node_idx", "r_begin", "r_node_idx"]
    half = tmp_path / "half.atoll"
    atoll("graph", "convert", binary, "-o", half, "--directions", "out")
    assert info(atoll, half)["arrays"] == ["begin", "node_idx"]
    if options:
        assert options[0] in atoll.refuses("graph", "convert", half, "-o", back, *options)


def test_labels(atoll, text, tmp_path):
    labels, binary = tmp_path / "labels", tmp_path / "g.atoll"
    labels.write_text("".join(f"node {i}\n" for i in range(400)))
    atoll("graph", "convert", text[0], "--labels", labels, "-o", binary)
    told = info(atoll, binary)
    assert told["nodes"] == 400 and told["labels"]
    labels.write_text("a\n")
    assert "labels" in atoll.refuses("graph", "convert", text[0], "--labels", labels, "--duplicates", "first", "-o", tmp_path / "x")
    assert "labels" in atoll.refuses("graph", "convert", text[0], "--labels", labels, "-o", tmp_path / "x.el")
    assert not (tmp_path / "x").exists() and not (tmp_path / "x.el").exists()


@pytest.mark.parametrize("kind", ["rmat", "uniform"])
def test_generate(atoll, tmp_path, kind):
    def generate(name, *options, **more):
        atoll("graph", "generate", kind, "--scale", 12, "--edge-factor", 8, "-o", tmp_path / name, *options, **more)
        return (tmp_path / name).read_bytes()

    both = generate("both")
    one_cpu = {min(os.sched_getaffinity(0))}
    assert both == generate("one", preexec_fn=lambda: os.sched_setaffinity(0, one_cpu))
    assert both != generate("seed", "--seed", 2)
    told = info(atoll, tmp_path / "both")
    assert told["nodes"] == 4096 and told["symmetric"] and not told["self_loops"] and not told["duplicates"]
    generate("plain", "--no-symmetrise", "--no-deduplicate", "--no-permute", "--wide-ids")
    told = info(atoll, tmp_path / "plain")
    assert told["edges"] == 8 * 4096 and not told["symmetric"] and told["node_id_bits"] == 64
    generate("text.el")
    assert edges_in(tmp_path / "text.el")[0][0] >= 0
    assert sorted(os.listdir(tmp_path)) == ["both", "one", "plain", "seed", "text.el"]


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["pattern", "real", "integer", "complex"])
def test_matrix_market_agrees_with_scipy(atoll, tmp_path, symmetry, field):
    if (symmetry == "hermitian" and field != "complex") or (symmetry == "skew-symmetric" and field == "pattern"):
        return  # the format doesn't store this
    chance = random.Random(2)
    cells = {(chance.randrange(1, 60), chance.randrange(1, 60)) for _ in range(300)}
    if symmetry != "general":
        cells = {(i, j) for i, j in cells if (i > j if symmetry == "skew-symmetric" else i >= j)}
    value = {"pattern": "", "real": " 1.5e0", "integer": " 3", "complex": " 2 0"}[field]
    file = tmp_path / "m.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n% x\n60 60 {len(cells)}\n"
                    + "".join(f"{i} {j}{value}\n" for i, j in cells))
    matrix = scipy.sparse.coo_matrix(scipy.io.mmread(file))
    atoll("graph", "convert", file, "-o", tmp_path / "m.el")
    assert edges_in(tmp_path / "m.el") == sorted(zip(matrix.row.tolist(), matrix.col.tolist()))


def test_an_interrupted_call_leaves_nothing(atoll, tmp_path):
    for milliseconds in (50, 150, 300, 500):
        call = subprocess.Popen([atoll.program, "graph", "generate", "uniform", "--scale", "19", "-o", tmp_path / "g"],
                                stdout=subprocess.DEVNULL)
        time.sleep(milliseconds / 1000)
        call.send_signal(signal.SIGINT if milliseconds % 100 else signal.SIGTERM)
        call.wait(timeout=60)
        assert os.listdir(tmp_path) == [] or (call.returncode == 0 and os.listdir(tmp_path) == ["g"])
        (tmp_path / "g").unlink(missing_ok=True)


def test_peak_memory_of_a_text_load(atoll, sanitized, tmp_path):
    """The peak is at most 3 times the size of the rows in both directions."""
    if sanitized:
        pytest.skip("a sanitizer's shadow memory counts too; the plain build is measured")
    text = tmp_path / "g.el"
    atoll("graph", "generate", "rmat", "--scale", 19, "--edge-factor", 8, "-o", text)
    child = subprocess.Popen([atoll.program, "graph", "convert", text, "-o", tmp_path / "g"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0
    told = info(atoll, tmp_path / "g")
    rows = 2 * 4 * (told["nodes"] + 1 + told["edges"])
    assert usage.ru_maxrss * 1024 < 3 * rows


REAL = {  # according to the README next to the files
    "soc-Slashdot0902.el": (82168, 948464),
    "ego-twitter.el": (81306, 1342310),
    "email-Enron.el": (36692, 183831),
    "wiki-Vote.el": (7115, 103689),
    "road-liechtenstein.wel": (54382, 111577),
}


@pytest.fixture(scope="module")
def shared_data(source):
    folder = source.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"{folder} isn't there: the real graphs and matrices are not tested")
    return folder


@pytest.mark.parametrize("name", REAL)
def test_real_graphs(atoll, shared_data, tmp_path, name):
    file = tmp_path / name
    subprocess.run(["zstd", "-dqf", shared_data / "graphs" / f"{name}.zst", "-o", file], check=True)
    done = atoll("graph", "info", file, "--json")
    told = json.loads(done.stdout)
    assert (told["nodes"], told["edges"]) == REAL[name]
    assert ("columns" in done.stderr) == name.endswith(".wel")
    assert len(set(edges_in_columns(file))) == told["edges"] - told["duplicates"]


def edges_in_columns(file):
    return [tuple(line.split()[:2]) for line in file.read_text().splitlines()]


def test_real_matrices(atoll, shared_data, tmp_path):
    files = sorted((shared_data / "matrices").glob("*.mtx.gz"))
    assert files
    for packed in files:
        file = tmp_path / "m.mtx"
        file.write_bytes(gzip.decompress(packed.read_bytes()))
        matrix = scipy.sparse.coo_matrix(scipy.io.mmread(file))
        if matrix.shape[0] == matrix.shape[1]:
            atoll("graph", "convert", file, "-o", tmp_path / "m.el")
            assert set(edges_in(tmp_path / "m.el")) == set(zip(matrix.row.tolist(), matrix.col.tolist()))
