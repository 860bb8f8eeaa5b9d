"""`atoll run --dry-run` makes the same decisions as the real run, without a C++ compiler and without the graph in
memory."""

import json
import subprocess

import pytest

PROGRAMS = {
    "apps/greenmarl/pagerank": {"e": "1e-9", "d": "0.85", "max": "100"},
    "tests/programs/hop_distance": {"root": "0"},
    "tests/programs/label_average": {"rounds": "3", "hub_degree": "8"},
    "tests/programs/neighbour_average": {},
}


@pytest.fixture(scope="module")
def graph(atoll, tmp_path_factory):
    file = tmp_path_factory.mktemp("graphs") / "graph.atoll"
    atoll("graph", "generate", "rmat", "--scale", 10, "-o", file)
    return file


@pytest.fixture
def bare(atoll, tmp_path, monkeypatch):
    """Calls atoll in an environment without programs, without a C++ compiler and with an empty cache."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CXX", raising=False)
    return type(atoll)(atoll.program, tmp_path / "empty-cache")


def words_of(arguments):
    return [word for name, value in arguments.items() for word in ("--arg", f"{name}={value}")]


def decided(report):
    """Returns the decided parts of a report, without measurements."""
    for array in report["arrays"]:
        array.pop("copies", None)
    return {name: report[name] for name in
            ["program", "source", "graph", "machine", "threads", "thread_nodes", "policy", "arrays"]}


@pytest.mark.parametrize("policy", ["cost", "shoal"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_it_decides_as_the_real_run_without_a_compiler(atoll, source, graph, tmp_path, request, program, policy):
    call = ["run", source / f"{program}.gm", "--graph", graph, *words_of(PROGRAMS[program]), "--policy", policy]
    real, text = atoll.json(*call), atoll(*call).stdout
    bare = request.getfixturevalue("bare")
    assert decided(bare.json(*call, "--dry-run")) == decided(real)
    dry_text = bare(*call, "--dry-run").stdout.replace("would lie", "lies")
    lines = [line for line in text.splitlines() if not line.startswith("    pages")]
    assert dry_text.splitlines() == lines[:lines.index("", lines.index("Where each array lies"))]
    assert not bare.cache.exists()
    assert "C++ compiler" in bare.refuses(*call, code=1), "the real run needs one"


def test_the_compiled_program_says_the_same(atoll, source, graph, tmp_path):
    atoll("compile", source / "apps/greenmarl/pagerank.gm", "-o", tmp_path / "pagerank")
    options = ["--graph", graph, "--dry-run", "--machine", "opteron-8x8", "--pages", "2m"]
    for more in [[], ["--json"], ["--layout", "distributed"], ["--threads", "3"], ["--policy", "shoal"]]:
        said = subprocess.run([tmp_path / "pagerank", *options, *more], capture_output=True, text=True, check=True)
        assert atoll("run", source / "apps/greenmarl/pagerank.gm", *options, *more).stdout == said.stdout


def test_of_a_graph_file_the_head_is_enough(atoll, source, graph, tmp_path):
    call = ["run", source / "apps/greenmarl/pagerank.gm", *words_of(PROGRAMS["apps/greenmarl/pagerank"])]
    content = bytearray(graph.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    damaged = tmp_path / "damaged.atoll"
    damaged.write_bytes(content)
    assert "checksum" in atoll.refuses(*call, "--graph", damaged)
    dry = atoll.json(*call, "--graph", damaged, "--dry-run")
    assert dry["arrays"] == atoll.json(*call, "--graph", graph, "--dry-run")["arrays"]
    assert "bytes instead of" in atoll.refuses(*call, "--graph", cut(damaged), "--dry-run")


def cut(file):
    with file.open("r+b") as content:
        content.truncate(8192)
    return file


def test_a_text_counts_as_it_is_loaded(atoll, source, tmp_path):
    text = tmp_path / "text.el"
    text.write_text("0 1\n0 1\n1000000 0\n")  # one edge twice, and most ids without an edge
    call = ["run", source / "apps/greenmarl/pagerank.gm", "--graph", text,
            *words_of(PROGRAMS["apps/greenmarl/pagerank"])]
    dry = json.loads(atoll(*call, "--dry-run", "--json").stdout)
    assert (dry["graph"]["nodes"], dry["graph"]["edges"]) == (3, 2)
    assert decided(dry) == decided(atoll.json(*call))


def test_mistakes_are_found_as_in_a_real_run(bare, source, graph):
    call = ["run", source / "tests/programs/hop_distance.gm", "--graph", graph, "--dry-run"]
    assert "no argument 'x'" in bare.refuses(*call, "--arg", "x=1")
    assert "no node 1024" in bare.refuses(*call, "--arg", "root=1024")
    assert "not a result" in bare.refuses(*call, "--save", "x=y")
    assert "threads are more than" in bare.refuses(*call, "--threads", "100000")
    assert "no such file" in bare.refuses(*call[:3], "missing.atoll", "--dry-run")
