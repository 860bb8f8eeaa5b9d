"""Files in the formats of web sites and papers' archives, on the command line: the edges must equal those of
SciPy, networkx, or the formats' definitions."""

import json
import subprocess

import networkx
import numpy
import pytest
import scipy.io


@pytest.fixture
def convert(atoll, tmp_path):
    """Writes a text and converts it; returns the number of nodes, the lines of the edge list, and the notes."""
    def call(text, *options, name="g.txt"):
        (tmp_path / name).write_text(text)
        done = atoll("graph", "convert", tmp_path / name, "-o", tmp_path / "out.el", *options)
        nodes = int(done.stdout.split(": ")[1].split()[0].replace(",", ""))
        return nodes, (tmp_path / "out.el").read_text().splitlines(), done.stderr
    return call


@pytest.fixture
def refused(atoll, tmp_path):
    def call(text, *options, name="g.txt"):
        (tmp_path / name).write_text(text)
        line = atoll.refuses("graph", "convert", tmp_path / name, "-o", tmp_path / "out.el", *options)
        assert not (tmp_path / "out.el").exists()
        return line
    return call


MATRICES = {
    "unsigned": "%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 18446744073709551615\n2 3 1\n",
    "Fortran's numbers": "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1e9999\n2 3 1e-9999\n3 1 100\n",
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_are_read_as_scipy_reads_them(convert, tmp_path, name):
    nodes, lines, _ = convert(MATRICES[name], "--value", "w=3", name="g.mtx")
    expected = scipy.io.mmread(tmp_path / "g.mtx").tocoo()
    assert nodes == expected.shape[0]
    assert {(int(a), int(b)): float(w) for a, b, w in map(str.split, lines)} == {
        (int(a), int(b)): float(w) for a, b, w in zip(expected.row, expected.col, expected.data)}


def test_a_comment_after_blanks(convert):
    """SciPy reads such a file since 1.12; Debian's version refuses it."""
    text = "%%MatrixMarket matrix coordinate real general\n   % x\n   3 3 2\n  1 2 0.5\n  3 1 0.25\n"
    assert convert(text, "--value", "w=3", name="g.mtx") == (3, ["0 1 0.5", "2 0 0.25"], "")


def test_a_banner_with_one_percent(convert):
    body = "MatrixMarket matrix coordinate pattern symmetric\n5 5 5\n2 1\n3 1\n4 2\n5 3\n5 4\n"
    two = convert("%%" + body, name="g.mtx")
    assert two[0] == 5 and len(two[1]) == 10
    for before in ["%", "  %%", "\n % "]:
        assert convert(before + body, name="g.mtx") == two


def test_a_dense_matrix_is_refused(refused):
    assert ":1: the format 'array' can't be a graph" in refused(
        "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n3\n")


def test_values_beyond_the_ranges(convert):
    head = "%%MatrixMarket matrix coordinate "
    assert convert(head + "integer general\n3 3 2\n1 2 -9223372036854775808\n2 3 9123456789012345\n", "--value",
                   "w=3")[1] == ["0 1 -9223372036854775808", "1 2 9123456789012345"]
    assert convert(head + "real general\n3 3 3\n1 2 1e9999\n2 3 1e-9999\n3 1 1D+02\n", "--value", "w=3")[1] == [
        "0 1 inf", "1 2 0", "2 0 100"]


def test_dimacs(convert, atoll, tmp_path):
    roads = "c from a challenge\np sp 4 5\na 1 2 803\na 2 1 803\na 3 4 2\na 4 3 2\na 2 3 10\n"
    nodes, lines, note = convert(roads, "--value", "length=3", name="roads.gr")
    assert (nodes, note) == (4, "")
    assert lines == ["0 1 803", "1 0 803", "1 2 10", "2 3 2", "3 2 2"]
    assert "--relabel" in atoll.refuses("graph", "convert", tmp_path / "roads.gr", "-o", tmp_path / "x", "--relabel")
    nodes, lines, _ = convert("p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n", name="cycle.col")
    assert nodes == 4 and lines == ["0 1", "0 3", "1 0", "1 2", "2 1", "2 3", "3 0", "3 2"]
    # Declared nodes without edges are kept.
    atoll("graph", "convert", tmp_path / "cycle.col", "-o", tmp_path / "g.atoll")
    (tmp_path / "few.gr").write_text("p sp 100 1\na 7 9 1\n")
    atoll("graph", "convert", tmp_path / "few.gr", "-o", tmp_path / "g.atoll")
    told = json.loads(atoll("graph", "info", tmp_path / "g.atoll", "--json").stdout)
    assert told["nodes"] == 100 and not told["labels"]
    assert "is not written here" in atoll.refuses("graph", "convert", tmp_path / "few.gr", "-o", tmp_path / "x.gr")


def test_real_roads_as_dimacs(source, convert, tmp_path):
    """The same roads are written as DIMACS and as an edge list, and give the same edges."""
    file = source.parent / "shared/data/graphs/road-liechtenstein.wel.zst"
    if not file.exists():
        pytest.skip(f"{file} isn't there")
    text = subprocess.run(["zstd", "-dc", file], capture_output=True, text=True, check=True).stdout
    edges = [tuple(map(int, line.split())) for line in text.splitlines() if not line.startswith("#")]
    plain = convert(text, "--value", "length=3", "--keep-ids")
    arcs = "".join(f"a {a + 1} {b + 1} {length}\n" for a, b, length in edges)
    told = convert(f"c roads\np sp {plain[0]} {len(edges)}\n{arcs}", "--value", "length=3", name="roads.gr")
    assert told[:2] == plain[:2]


def test_a_header_is_no_edge(convert, refused):
    text = "FromNodeId\tToNodeId\n0\t1\n1\t2\n"
    line = refused(text)
    assert ":1: " in line and "--columns FromNodeId,ToNodeId" in line and "--relabel" not in line
    assert convert(text, "--columns", "FromNodeId,ToNodeId")[:2] == (3, ["0 1", "1 2"])
    assert "--columns FromNodeId,ToNodeId" in convert(text, "--relabel")[2]


def test_konect_bipartite(convert):
    nodes, lines, _ = convert("% bip unweighted\n% 4 3 2\n1 1\n1 2 \n2 1\n3 2\n", name="out.bipartite")
    assert nodes == 5 and lines == ["0 3", "0 4", "1 3", "2 4"]


WEIGHTED = "0 1 5\n0 1 7\n0 1 3\n1 0 9\n"


@pytest.mark.parametrize("rule, value", [("first", "5"), ("last", "3"), ("min", "3"), ("max", "7"), ("sum", "15")])
def test_duplicates(convert, rule, value):
    nodes, lines, note = convert(WEIGHTED, "--value", "w=3", "--duplicates", rule)
    assert lines == [f"0 1 {value}", "1 0 9"] and note == ""


def test_duplicates_are_reported_or_refused(convert, refused):
    note = convert(WEIGHTED, "--value", "w=3")[2]
    assert note.count("\n") == 1 and "2 edges dropped" in note
    assert "2 edges dropped" in convert(WEIGHTED)[2]
    assert convert(WEIGHTED, "--keep-duplicates", "--value", "w=3")[1:] == (WEIGHTED.splitlines(), "")


def test_duplicates_as_an_error(refused):
    assert "from '0' to '1'" in refused(WEIGHTED, "--duplicates", "error")
    assert "--keep-duplicates" in refused(WEIGHTED, "--duplicates", "sum", "--keep-duplicates")
    assert "--duplicates" in refused(WEIGHTED, "--duplicates", "mean")


def test_sums_agree_with_scipy(convert, tmp_path):
    text = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 2.5\n1 2 4\n3 1 1\n1 2 1\n"
    lines = convert(text, "--value", "w=3", "--duplicates", "sum", name="g.mtx")[1]
    dense = numpy.zeros((3, 3))
    for a, b, w in map(str.split, lines):
        dense[int(a), int(b)] = float(w)
    assert (dense == scipy.io.mmread(tmp_path / "g.mtx").toarray()).all()


def test_symmetrise_keeps_both_values(convert):
    assert convert("0,1,5\n1,0,7\n2,0,4\n", "--columns", "1,2", "--value", "w=3", "--symmetrise")[1:] == (
        ["0 1 5", "0 2 4", "1 0 7", "2 0 4"], "")


@pytest.mark.parametrize("text", ["18446744073709551615 3\n3 9223372036854775808\n", "-1 5\n5 2\n"])
def test_ids_that_are_no_numbers_of_nodes(convert, refused, text):
    assert "--relabel" in refused(text)
    nodes, lines, _ = convert(text, "--relabel")
    assert (nodes, len(lines)) == (3, 2)


def test_networkx_edge_lists(convert, tmp_path):
    graph = networkx.DiGraph()
    graph.add_edge(0, 1, weight=0.5, name="a {'weight': 7}, b")
    graph.add_edge(1, 2, weight=2)
    graph.add_edge(2, 0)
    networkx.write_edgelist(graph, tmp_path / "nx")
    nodes, lines, note = convert((tmp_path / "nx").read_text(), "--value", "w=weight")
    assert lines == ["0 1 0.5", "1 2 2", "2 0 nan"]
    assert "1 of 3 edges have no 'weight'" in note
    assert convert((tmp_path / "nx").read_text())[1] == ["0 1", "1 2", "2 0"]


def test_a_list_of_vertices(atoll, tmp_path):
    (tmp_path / "g.e").write_text("1 2 0.5\n2 3 1.25\n3 1 2\n")
    (tmp_path / "g.v").write_text("1\n2\n3\n7\n9\n")
    atoll("graph", "convert", tmp_path / "g.e", "--vertices", tmp_path / "g.v", "--relabel", "--value", "w=3", "-o",
          tmp_path / "g.atoll")
    told = json.loads(atoll("graph", "info", tmp_path / "g.atoll", "--json").stdout)
    assert (told["nodes"], told["edges"], told["isolated"]) == (5, 3, 2)
    (tmp_path / "g.v").write_text("1\n2\n")
    assert "the node '3' of an edge isn't in" in atoll.refuses(
        "graph", "convert", tmp_path / "g.e", "--vertices", tmp_path / "g.v", "--value", "w=3", "-o", tmp_path / "x")
    assert "none: no such file" in atoll.refuses(
        "graph", "convert", tmp_path / "g.e", "--vertices", tmp_path / "none", "-o", tmp_path / "x")


def test_rutherford_boeing_is_refused(refused):
    lines = ["A title".ljust(72) + "KEY", "9 1 4 4 0", "rua".ljust(14) + " 5 5 13 0", "(26I3)          (26I3)", "1 4 7"]
    assert "Matrix Market" in refused("\n".join(lines) + "\n", name="m.rb")


def test_standard_output(atoll, tmp_path):
    (tmp_path / "g.el").write_text("0 1 5\n1 0 7\n")
    done = atoll("graph", "convert", "g.el", "--value", "w=3", "-o", "-", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("0 1 5\n1 0 7\n", "")
    assert [file.name for file in tmp_path.iterdir()] == ["g.el"]
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    assert "standard output" in atoll.refuses("reorder", "m.mtx", "-o", "-", cwd=tmp_path)
    assert not (tmp_path / "-").exists()
    with open("/dev/full", "w") as full:
        done = subprocess.run([atoll.program, "graph", "convert", tmp_path / "g.el", "-o", "-"], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output" in done.stderr


def test_messages_show_utf8(refused):
    assert "'Zürich'" in refused("Zürich Genève\n")
    assert "'東京'" in refused("0 1 東京\n", "--value", "w=3")
