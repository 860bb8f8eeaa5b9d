"""`atoll schedule`: partitions and orders graphs into schedules, and checks schedules. Graphviz and METIS can
read its output. Invalid graphs and schedules are refused in one line."""

import json
import random
import re
import subprocess

import pytest


def grid(width, height):
    """Returns a METIS file of a grid with shuffled vertices."""
    order = list(range(width * height))
    random.Random(3).shuffle(order)
    number = {node: place for place, node in enumerate(order)}
    lines = []
    edges = 0
    for node in order:
        x, y = node % width, node // width
        near = [(x + dx, y + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        near = [number[b * width + a] + 1 for a, b in near if 0 <= a < width and 0 <= b < height]
        edges += len(near)
        lines.append(" ".join(map(str, near)))
    return f"{width * height} {edges // 2}\n" + "\n".join(lines) + "\n"


@pytest.fixture
def atoll(build, tmp_path):
    def run(*words, **more):
        return subprocess.run([build / "atoll", *map(str, words)], cwd=tmp_path, capture_output=True, text=True,
                              timeout=120, **more)

    return run


def refused(done, *words):
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_a_shuffled_grid(atoll, tmp_path):
    (tmp_path / "g").write_text(grid(60, 50))
    done = atoll("schedule", "g", "-o", "s", "--machine", "opteron-8x8", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["tasks"], told["edges"], told["threads"], told["weight"]) == (3000, 5890, 64, 5890)
    assert [level["between"] for level in told["levels"]] == ["package", "numa", "l2", "l1"]
    assert told["levels"][0]["after"] < told["levels"][0]["before"] / 5
    assert told["imbalance_after"] <= 47 / (3000 / 64) - 1 + 1e-9
    text = atoll("schedule", "g", "-o", "again", "--machine", "opteron-8x8")
    assert text.returncode == 0 and all(len(line) <= 80 for line in text.stdout.splitlines())
    assert (tmp_path / "again").read_bytes() == (tmp_path / "s").read_bytes()
    check = atoll("schedule", "--check", "s", "--machine", "opteron-8x8")
    assert (check.returncode, check.stderr) == (0, "")
    assert "64 threads" in check.stdout and "loop tasks: 3,000 tasks" in check.stdout
    told = json.loads(atoll("schedule", "--check", "s", "--machine", "opteron-8x8", "--json").stdout)
    assert told["loops"] == [{"name": "tasks", "iterations": 3000, "chunk": 1, "tasks": 3000, "fingerprint": 0,
                              "predicted": {"alone": None, "packed": None}}]


@pytest.mark.parametrize("tasks", [2048, 2049, 50000])
def test_tasks_that_share_nothing(atoll, tmp_path, tasks):
    (tmp_path / "g").write_text(f"{tasks} 0\n" + "\n" * tasks)
    for machine in ("opteron-8x8", "pack:1 core:2 pu:1"):
        done = atoll("schedule", "g", "-o", "s", "--machine", machine, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["imbalance_after"] <= 0.05
        assert atoll("schedule", "--check", "s", "--machine", machine).returncode == 0


def test_weights_and_threads(atoll, tmp_path):
    # Figure 5 of the paper: threads 0 and 2 share data, 1 and 3 share data, no others do.
    (tmp_path / "g").write_text("4 2 001\n3 10000\n4 10000\n1 10000\n2 10000\n")
    done = atoll("schedule", "-", "-o", "s", "--machine", "altix-3700", "--threads", 4, "--seed", 1, "--loop", "blocks",
                 "--json", stdin=open(tmp_path / "g"))
    assert done.returncode == 0, done.stderr
    levels = json.loads(done.stdout)["levels"]
    assert sum(level["before"] for level in levels) == sum(level["after"] for level in levels) == 20000


def test_graphs_for_graphviz_and_metis(atoll, tmp_path):
    (tmp_path / "g").write_text(grid(12, 10))
    done = atoll("schedule", "g", "--dot", "g.dot", "--metis", "g.metis")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    told = json.loads(atoll("schedule", "g", "--dot", "g.dot", "--json").stdout)
    assert told == {"loop": "tasks", "tasks": 120, "edges": 218}
    plain = subprocess.run(["dot", "-Tplain", tmp_path / "g.dot"], capture_output=True, text=True, timeout=60)
    assert plain.returncode == 0, plain.stderr
    kinds = [line.split()[0] for line in plain.stdout.splitlines()]
    assert (kinds.count("node"), kinds.count("edge")) == (120, 218)
    metis = subprocess.run(["gpmetis", "g.metis", "4"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert re.search(r"#Vertices: 120, #Edges: 218,", metis.stdout), metis.stdout
    assert sorted(set((tmp_path / "g.metis.part.4").read_text().split())) == ["0", "1", "2", "3"]
    assert atoll("schedule", "g.metis", "-o", "s").returncode == 0


@pytest.mark.parametrize("text, words", [
    ("", ["ends before"]),
    ("3 2\n2\n1 3\n", ["3 vertices", "2 lines"]),
    ("3 5\n2\n1 3\n2\n", ["5 edges", "has 2"]),
    ("3 2\n2\n3\n2\n", ["g:2", "lacks 1"]),
    ("2 1 1\n2 -5\n1 -5\n", ["g:2", "'-5'"]),
    ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", ["Matrix Market", "atoll graph convert"]),
])
def test_graphs_that_are_none(atoll, tmp_path, text, words):
    (tmp_path / "g").write_text(text)
    refused(atoll("schedule", "g", "-o", "s"), *words)
    assert not (tmp_path / "s").exists()


def test_calls_that_mean_nothing(atoll, tmp_path):
    (tmp_path / "g").write_text(grid(3, 3))
    refused(atoll("schedule"), "GRAPH", "missing")
    refused(atoll("schedule", "g"), "-o")
    refused(atoll("schedule", "none", "-o", "s"), "none")
    refused(atoll("schedule", "g", "-o", "no/folder/s"), "no/folder/s")
    refused(atoll("schedule", "g", "-o", "s", "--threads", -1), "--threads")
    refused(atoll("schedule", "g", "-o", "s", "--machine", "nowhere"), "nowhere")
    refused(atoll("schedule", "g", "-o", "s", "--location", "line"), "--location", "traces")
    refused(atoll("schedule", "g", "--check", "s"), "--check")


def test_schedules_that_are_none(atoll, tmp_path):
    (tmp_path / "g").write_text(grid(5, 5))
    assert atoll("schedule", "g", "-o", "s", "--machine", "opteron-8x8").returncode == 0
    whole = (tmp_path / "s").read_bytes()
    here = atoll("schedule", "--check", "s", "--machine", "pack:1 core:2 pu:1")
    refused(here, "s: thread 2 is on processing unit", "hasn't got")
    for content, word in ((whole[:-9], "cut short"), (whole[:50], "cut short"), (b"", "is no schedule"),
                          (whole[:-4] + b"\1\0\0\0", "damaged"), (b"text, and no schedule", "is no schedule")):
        (tmp_path / "bad").write_bytes(content)
        refused(atoll("schedule", "--check", "bad", "--machine", "opteron-8x8"), "bad: ", word)
    refused(atoll("schedule", "--check", "none"), "none")
    refused(atoll("schedule", "--check", "."), ".")
