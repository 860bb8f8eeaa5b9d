"""METIS graphs on the command line: read, compressed or not, and written again; mistakes are reported in one
line. If the meshes of the papers are present, they are read, too."""

import gzip
import json
import random
import subprocess
from pathlib import Path

import pytest


def mesh(side):
    """Returns the neighbours of each node of a grid, with the nodes in random order and numbered from 0."""
    names = list(range(side * side))
    random.Random(7).shuffle(names)
    rows = [[] for _ in names]
    for x in range(side):
        for y in range(side):
            for other in ((x + 1, y), (x, y + 1)):
                if max(other) < side:
                    a, b = names[x * side + y], names[other[0] * side + other[1]]
                    rows[a].append(b)
                    rows[b].append(a)
    return rows


def text_of(rows):
    edges = sum(map(len, rows)) // 2
    return f"% made\n{len(rows)} {edges}\n" + "".join(" ".join(str(i + 1) for i in row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["m.graph", "m.txt", "m.graph.gz", "m.graph.zst"])
def test_a_mesh_is_the_same_graph_as_its_edge_list(atoll, tmp_path, name):
    rows = mesh(40)
    text = text_of(rows).encode()
    if name.endswith("gz"):
        text = gzip.compress(text)
    if name.endswith("zst"):
        text = subprocess.run(["zstd", "-qc"], input=text, capture_output=True, check=True).stdout
    (tmp_path / name).write_bytes(text)
    (tmp_path / "m.el").write_text("".join(f"{i} {j}\n" for i, row in enumerate(rows) for j in row))
    atoll("graph", "convert", tmp_path / name, "-o", tmp_path / "a.atoll")
    atoll("graph", "convert", tmp_path / "m.el", "-o", tmp_path / "b.atoll")
    assert (tmp_path / "a.atoll").read_bytes() == (tmp_path / "b.atoll").read_bytes()


def test_weights_are_kept_there_and_back(atoll, tmp_path):
    (tmp_path / "w.graph").write_text("3 2 011\n4 2 7\n5 1 7 3 8\n6 2 8\n")
    atoll("graph", "convert", tmp_path / "w.graph", "--value", "w=3", "-o", tmp_path / "w.atoll")
    atoll("graph", "convert", tmp_path / "w.atoll", "-o", tmp_path / "w.el")
    assert (tmp_path / "w.el").read_text() == "0 1 7\n1 0 7\n1 2 8\n2 1 8\n"
    atoll("graph", "convert", tmp_path / "w.atoll", "-o", tmp_path / "back.graph")
    assert (tmp_path / "back.graph").read_text() == "3 2 001\n2 7\n1 7 3 8\n2 8\n"


def test_what_is_wrong_is_one_line_with_file_and_line(atoll, tmp_path):
    bad = tmp_path / "bad.graph"
    for text, says in {
        "3 2\n2\n1 3\n": "bad.graph:1: this line gives 3 vertices",
        "3 3\n2\n1 3\n2\n": "bad.graph:1: this line gives 3 edges",
        "3 2\n2\n1 3\n\n": "bad.graph:3: vertex 2 has the neighbour 3, whose line lacks 2",
        "2 1 1\n2 -5\n1 -5\n": "bad.graph:2: the edge's weight '-5' is negative",
        "2 1\n2\n3\n": "bad.graph:3: the neighbour 3 is not from 1 to 2",
    }.items():
        bad.write_text(text)
        for call in (["info", bad], ["convert", bad, "-o", tmp_path / "out.atoll"]):
            assert says in atoll.refuses("graph", *call)
        bad.rename(tmp_path / "bad.graph.gz")
        (tmp_path / "bad.graph.gz").write_bytes(gzip.compress(text.encode()))
        assert says.replace(".graph", ".graph.gz") in atoll.refuses("graph", "info", tmp_path / "bad.graph.gz")
        (tmp_path / "bad.graph.gz").unlink()
    (tmp_path / "one.el").write_text("0 1\n")
    assert "--symmetrise" in atoll.refuses("graph", "convert", tmp_path / "one.el", "-o", tmp_path / "one.graph")
    assert not (tmp_path / "one.graph").exists()
    bad.write_text("2 1\n2\n1\n")
    assert "--relabel says nothing of a METIS graph" in atoll.refuses("graph", "info", bad, "--relabel")


SIZES = {"4elt": (15606, 45878), "copter2": (55476, 352238), "mdual": (258569, 513132)}


@pytest.mark.parametrize("name", SIZES)
def test_the_meshes_of_the_papers(atoll, source, name):
    file = Path(source).resolve().parent / "shared/data/meshes" / f"{name}.graph.gz"
    if not file.exists():
        pytest.skip("the meshes are not here: ../shared/data/meshes")
    told = json.loads(atoll("graph", "info", file, "--json").stdout)
    nodes, edges = SIZES[name]
    assert (told["nodes"], told["edges"]) == (nodes, 2 * edges)
