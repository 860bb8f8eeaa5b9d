"""`atoll reorder`: its output is the same matrix or graph in the order that it reports, compared with SciPy; values
keep their text; symmetry, labels and weights are kept; an optimal order is kept."""

import gzip
import json
import random
from pathlib import Path

import numpy
import pytest
import scipy.io
import scipy.sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from test_metis import mesh, text_of

ORDERS = ["created", "degree", "breadth-first", "rcm"]


def entries_of(path):
    """Returns the header, the size, and (row, column) -> the value's text."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        lines = [line.split(None, 2) for line in file.read().splitlines()]
    header, lines = lines[0], [line for line in lines[1:] if line and not line[0].startswith("%")]
    return header, lines[0], [(int(i) - 1, int(j) - 1, value[0].strip() if value else "") for i, j, *value in lines[1:]]


def reorder(atoll, tmp_path, file, *options):
    out = tmp_path / "out.mtx"
    told = json.loads(atoll("reorder", file, "-o", out, "--rows", tmp_path / "p", "--columns", tmp_path / "q", "--json",
                            *options).stdout)
    lines = [numpy.array([int(line) for line in (tmp_path / name).read_text().split()]) for name in "pq"]
    return out, *lines, told


VALUES = {
    "real": lambda chance: chance.choice(["1", "-2.50", "+3.e-7", "1e300", "0.1000000000000000055511151231257827", "-0"]),
    "integer": lambda chance: str(chance.randrange(-10**15, 10**15)),
    "complex": lambda chance: f"{chance.random()!r} {chance.random() - 0.5!r}",
    "pattern": lambda chance: "",
}


def made(tmp_path, field, symmetry, rows, columns, seed=1):
    chance = random.Random(seed)
    places = set()
    while len(places) < 3 * rows:
        i, j = chance.randrange(rows), chance.randrange(columns)
        if symmetry != "general" and (i < j or (i == j and symmetry == "skew-symmetric")):
            continue
        places.add((i, j))
    entries = []
    for i, j in sorted(places, key=lambda place: place[::-1]):
        value = VALUES[field](chance)
        if symmetry == "hermitian" and i == j:
            value = value.split()[0] + " 0.0"
        entries.append(f"{i + 1} {j + 1} {value}".strip())
    file = tmp_path / "in.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n% kept\n{rows} {columns} {len(entries)}\n"
                    + "\n".join(entries) + "\n")
    return file


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("field, symmetry, rows, columns", [
    ("real", "general", 300, 300), ("real", "general", 200, 500), ("integer", "general", 500, 90),
    ("pattern", "general", 300, 300), ("complex", "general", 100, 300), ("pattern", "symmetric", 300, 300),
    ("real", "symmetric", 300, 300), ("integer", "skew-symmetric", 300, 300), ("complex", "hermitian", 300, 300)])
def test_a_matrix_is_the_same_one_permuted(atoll, tmp_path, order, field, symmetry, rows, columns):
    file = made(tmp_path, field, symmetry, rows, columns)
    out, p, q, told = reorder(atoll, tmp_path, file, "--order", order)
    assert told["order"] == order and sorted(p) == list(range(rows)) and sorted(q) == list(range(columns))
    if rows == columns:
        assert (p == q).all()
    before, after = scipy.io.mmread(file).tocsr(), scipy.io.mmread(out).tocsr()
    assert (abs(before[p][:, q] - after) != 0).nnz == 0
    header, size, entries = entries_of(file)
    assert entries_of(out)[:2] == (header, size) and "% kept\n" in out.read_text()
    # Each value keeps its text, except for the sign of one that was transposed.
    old = {(i, j): value for i, j, value in entries}
    for i, j, value in entries_of(out)[2]:
        if (p[i], q[j]) in old:
            assert value == old[p[i], q[j]]
            continue
        assert symmetry != "general" and i > j
        words, was = value.split(), old[p[j], q[i]].split()
        if symmetry == "skew-symmetric":
            assert words[0] == (was[0][1:] if was[0][0] == "-" else "-" + was[0])
        elif symmetry == "hermitian":
            assert words[0] == was[0] and words[1] == (was[1][1:] if was[1][0] == "-" else "-" + was[1])
        else:
            assert words == was


def test_back_again_is_the_same_file(atoll, tmp_path):
    """The file is ordered by (row, column), so that the inverse order gives the same bytes."""
    file = made(tmp_path, "real", "general", 200, 200)
    sorted_file, *_ = reorder(atoll, tmp_path, file, "--order", "created")
    text = sorted_file.read_bytes()
    (tmp_path / "s.mtx.gz").write_bytes(gzip.compress(text))
    out, p, _, _ = reorder(atoll, tmp_path, tmp_path / "s.mtx.gz", "--order", "rcm")
    place = {old: new for new, old in enumerate(p)}
    entries = sorted((p[i], p[j], value) for i, j, value in entries_of(out)[2])
    back = b"".join(b"%d %d %s\n" % (i + 1, j + 1, value.encode()) for i, j, value in entries)
    assert text.endswith(back) and len(place) == 200


def shuffled_matrix(tmp_path, side):
    rows = mesh(side)
    entries = [f"{i + 1} {j + 1} {(i * j) % 97 / 8}" for i, row in enumerate(rows) for j in (*row, i)]
    file = tmp_path / "mesh.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate real general\n{len(rows)} {len(rows)} {len(entries)}\n"
                    + "\n".join(entries) + "\n")
    return file


def test_of_a_shuffled_mesh_a_better_order_is_found(atoll, tmp_path):
    file = shuffled_matrix(tmp_path, 600)  # its vector has 2.9 MB, a core of the preset 1.5 MB of cache
    out, p, _, told = reorder(atoll, tmp_path, file, "--machine", "xeon-x7550")
    assert told["order"] in ("breadth-first", "rcm") and told["predicted_change"] < -0.03
    assert told["after"]["line_misses"] < told["before"]["line_misses"] / 2
    spoken = atoll("reorder", file, "-o", tmp_path / "b.mtx", "--machine", "xeon-x7550").stdout
    assert all(len(line) <= 80 for line in spoken.splitlines()[1:]) and f"Order: {told['order']}" in spoken
    assert (tmp_path / "b.mtx").read_bytes() == out.read_bytes()
    seconds = {candidate["order"]: candidate["seconds"] for candidate in told["candidates"]}
    assert list(seconds) == ORDERS and told["least_seconds"] is None
    assert (seconds["created"], seconds[told["order"]]) == (told["before"]["seconds"], told["after"]["seconds"])
    assert seconds[told["order"]] <= min(seconds.values()) / 0.97
    table = spoken.splitlines()[-len(ORDERS):]
    assert [row.split()[0] for row in table] == ORDERS
    assert [row.split()[0] for row in table if row.endswith("chosen")] == [told["order"]]
    # The bandwidth equals that of SciPy's order.
    matrix = scipy.io.mmread(file).tocsr()
    _, p, _, _ = reorder(atoll, tmp_path, file, "--order", "rcm")
    width = lambda order: (lambda m: abs(m.row - m.col).max())(matrix[order][:, order].tocoo())
    assert width(p) <= 1.2 * width(reverse_cuthill_mckee(matrix, symmetric_mode=False))


def test_why_no_order_is_tried(atoll, tmp_path):
    """The vector fits the cache in any order, so no other order is tried."""
    _, _, _, told = reorder(atoll, tmp_path, shuffled_matrix(tmp_path, 30), "--machine", "xeon-x7550")
    assert [candidate["order"] for candidate in told["candidates"]] == ["created"]
    assert told["before"]["seconds"] >= told["least_seconds"] > 0.97 * told["before"]["seconds"]
    spoken = atoll("reorder", tmp_path / "mesh.mtx", "-o", tmp_path / "b.mtx", "--machine", "xeon-x7550").stdout
    assert "none was tried" in spoken and all(len(line) <= 80 for line in spoken.splitlines()[1:])


def test_a_metis_graph_keeps_its_weights(atoll, tmp_path):
    (tmp_path / "in.graph").write_text("% c\n4 3 111 2\n9 1 2 2 5\n8 3 4 1 5 3 6\n7 5 6 2 6 4 7\n6 7 8 3 7\n")
    atoll("reorder", tmp_path / "in.graph", "-o", tmp_path / "out.graph", "--order", "degree", "--rows", tmp_path / "p")
    assert (tmp_path / "p").read_text() == "1\n2\n0\n3\n"
    assert (tmp_path / "out.graph").read_text() == "4 3 111 2\n8 3 4 2 6 3 5\n7 5 6 1 6 4 7\n9 1 2 1 5\n6 7 8 2 7\n"
    (tmp_path / "m.graph").write_text(text_of(mesh(30)))
    atoll("reorder", tmp_path / "m.graph", "-o", tmp_path / "r.graph", "--order", "rcm", "--rows", tmp_path / "p")
    order = [int(line) for line in (tmp_path / "p").read_text().split()]
    rows = [[int(j) - 1 for j in line.split()] for line in (tmp_path / "r.graph").read_text().splitlines()[1:]]
    assert [sorted(order[j] for j in rows[k]) for k in range(900)] == [sorted(mesh(30)[i]) for i in order]


@pytest.mark.parametrize("labels", [True, False])
def test_page_ranks_by_label_are_unchanged(atoll, source, tmp_path, labels):
    chance = random.Random(2)
    edges = sorted({(chance.randrange(300), chance.randrange(300)) for _ in range(1500)})
    name = (lambda i: f"page{i * 7}") if labels else str
    (tmp_path / "g.el").write_text("".join(f"{name(a)} {name(b)} {a * b}\n" for a, b in edges))
    atoll("graph", "convert", tmp_path / "g.el", "-o", tmp_path / "g.atoll", "--value", "v=3",
          "--relabel" if labels else "--keep-ids")
    atoll("reorder", tmp_path / "g.atoll", "-o", tmp_path / "r.atoll", "--order", "rcm", "--rows", tmp_path / "p")
    order = [int(line) for line in (tmp_path / "p").read_text().split()]
    assert order != sorted(order)
    ranks = []
    for graph in ("g", "r"):
        atoll("run", source / "apps/greenmarl/pagerank.gm", "--graph", tmp_path / f"{graph}.atoll", "--arg", "e=1e-12",
              "--arg", "d=0.85", "--arg", "max=200", "--save", f"pg_rank={tmp_path / graph}")
        ranks.append({key: float(value) for key, value in map(str.split, (tmp_path / graph).read_text().splitlines())})
    assert ranks[0].keys() == ranks[1].keys()
    assert max(abs(ranks[0][key] - ranks[1][key]) for key in ranks[0]) < 1e-12
    rows = []  # edges and their values are permuted with the nodes
    for graph in ("g", "r"):
        atoll("graph", "convert", tmp_path / f"{graph}.atoll", "-o", tmp_path / f"{graph}.txt.el")
        rows.append([line.split() for line in (tmp_path / f"{graph}.txt.el").read_text().splitlines()])
    moved = sorted([str(order[int(a)]), str(order[int(b)]), value] for a, b, value in rows[1])
    assert moved == sorted(rows[0])


def test_what_is_wrong_is_one_line(atoll, tmp_path):
    head = "%%MatrixMarket matrix coordinate real general\n"
    for name, text, says in [
        ("a.mtx", head + "2 3 1\n1 4 5\n", "a.mtx:3: column 4 is not from 1 to 3"),
        ("a.mtx", head + "2 3 1\n3 1 5\n", "a.mtx:3: row 3 is not from 1 to 2"),
        ("a.mtx", head + "2 3 1\n0 1 5\n", "a.mtx:3: row 0 is not from 1 to 2"),
        ("a.mtx", head + "2 3 2\n1 1 5\n", "a.mtx:2: this line gives 2 entries, but the file has 1"),
        ("a.mtx", head + "2 3 1\n1 1 --5\n", "a.mtx:3: '--5' is no number"),
        ("a.mtx", head + "2 3 1\n1 1 1e\n", "a.mtx:3: '1e' is no number"),
        ("a.mtx", head + "2 3 1\n1 1\n", "a.mtx:3: 0 numbers behind row and column"),
        ("a.mtx", head.replace("general", "symmetric") + "2 3 1\n1 1 1\n", "a.mtx:2: 2 rows and 3 columns"),
        ("a.mtx", head + "2 3\n", "a.mtx:2: this is no size line"),
        ("a.mtx", head, "the file ends before its size line"),
        ("a.graph", "2 1\n2\n\n", "a.graph:2: vertex 1 has the neighbour 2, whose line lacks 1"),
        ("a.el", "0 1\n", "atoll graph convert"),
    ]:
        (tmp_path / name).write_text(text)
        assert says in atoll.refuses("reorder", tmp_path / name, "-o", tmp_path / "out")
        (tmp_path / name).unlink()
    assert list(tmp_path.iterdir()) == []
    assert "--order" in atoll.refuses("reorder", "x.mtx", "-o", tmp_path / "out", "--order", "best")


def test_matrices_without_entries(atoll, tmp_path):
    for rows, columns in [(0, 0), (3, 3), (2, 5), (0, 4)]:
        file = tmp_path / "e.mtx"
        file.write_text(f"%%MatrixMarket matrix coordinate pattern general\n{rows} {columns} 0\n")
        for order in ORDERS:
            out, p, q, _ = reorder(atoll, tmp_path, file, "--order", order)
            assert out.read_text() == file.read_text() and len(p) == rows and len(q) == columns


@pytest.fixture
def meshes(source):
    folder = Path(source).resolve().parent / "shared/data/meshes"
    if not folder.exists():
        pytest.skip("the meshes are not here: ../shared/data/meshes")
    return folder


def test_a_mesh_in_a_good_order_keeps_it(atoll, meshes, tmp_path):
    told = atoll("reorder", meshes / "4elt.graph.gz", "-o", tmp_path / "out.graph")
    assert "Order: as it was; nothing beats it by 3 %" in told.stdout
    assert [line.split() for line in (tmp_path / "out.graph").read_text().splitlines()][0] == ["15606", "45878"]


def test_what_the_last_cache_answers_counts(atoll, meshes, tmp_path):
    """mdual's vector of 2 MiB fits a core's share of the last cache of both machines, no L1, and the L2 of one
    machine."""
    told = {machine: json.loads(atoll("reorder", meshes / "mdual.graph.gz", "-o", tmp_path / "out.graph", "--machine",
                                      machine, "--json").stdout) for machine in ("xeon-2x10", "opteron-8x8")}
    assert [told[machine]["order"] for machine in told] == ["breadth-first", "breadth-first"]
    before, after = told["xeon-2x10"]["before"], told["xeon-2x10"]["after"]
    assert before["line_misses"] == after["line_misses"] and after["l2_misses"] < before["l2_misses"] / 10
    assert told["xeon-2x10"]["predicted_change"] < told["opteron-8x8"]["predicted_change"] < -0.03
    opteron = told["opteron-8x8"]
    assert opteron["before"]["l2_misses"] == opteron["after"]["l2_misses"] == 0
    assert opteron["after"]["l1_misses"] < opteron["before"]["l1_misses"] / 2


def test_a_matrix_of_empty_rows_is_refused(atoll, tmp_path):
    """A loop over all rows would take gigabytes and minutes, for two entries."""
    file = tmp_path / "a.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 2\n1 2 0.5\n3 1 0.25\n")
    for options in [[], ["--order", "degree"]]:
        line = atoll.refuses("reorder", file, "-o", tmp_path / "out.mtx", *options, timeout=20)
        assert "a.mtx:2" in line and "only 2 entries" in line
    file.write_text("%%MatrixMarket matrix coordinate real general\n100000 100000 2\n1 2 0.5\n3 1 0.25\n")
    atoll("reorder", file, "-o", tmp_path / "out.mtx", "--order", "degree", timeout=20)
