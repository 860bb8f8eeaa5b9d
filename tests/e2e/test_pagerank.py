"""PageRank of Debian's packages, compiled from Green-Marl, compared with two independent implementations: Gauss-Seidel
written here, and NetworkX."""

import subprocess

import pytest

DAMPING = 0.85


@pytest.fixture(scope="module")
def debian(build, source):
    """The demo's graph: (binary file, list of out-neighbours)."""
    subprocess.run([source / "demo/prepare", build], check=True, timeout=600)
    graph = build / "demo/debian.atoll"
    targets = {}
    with open(build / "demo/debian.el") as edges:
        for line in edges:
            if not line.startswith("#"):
                source_node, target = map(int, line.split())
                targets.setdefault(source_node, []).append(target)
    nodes = sum(1 for _ in open(build / "demo/debian.labels"))
    return graph, [targets.get(node, []) for node in range(nodes)]


@pytest.fixture(scope="module")
def ranks(atoll, source, debian, tmp_path_factory):
    """Atoll's ranks by label, normalised to a sum of 1."""
    file = tmp_path_factory.mktemp("ranks") / "ranks"
    report = atoll.json("run", source / "apps/greenmarl/pagerank.gm", "--graph", debian[0], "--arg", "e=1e-13",
                        "--arg", f"d={DAMPING}", "--arg", "max=1000", "--save", f"pg_rank={file}")
    assert report["trip_counts"]["k"] < 1000, "it converged"
    values = [float(line.split()[1]) for line in file.read_text().splitlines()]
    assert report["results"][0]["sum"] == pytest.approx(sum(values))
    total = sum(values)
    return [value / total for value in values]


def apart(a, b):
    """Returns the L1 distance of two distributions."""
    return sum(abs(x - y) for x, y in zip(a, b, strict=True))


def test_size(debian):
    _, targets = debian
    assert 55_000 < len(targets) < 90_000
    assert 200_000 < sum(map(len, targets)) < 400_000


def test_against_gauss_seidel(debian, ranks):
    _, targets = debian
    nodes = len(targets)
    sources = [[] for _ in range(nodes)]
    for node, neighbours in enumerate(targets):
        for neighbour in neighbours:
            sources[neighbour].append(node)
    share = [DAMPING / len(neighbours) if neighbours else 0.0 for neighbours in targets]
    rank = [1.0] * nodes
    change = 1.0
    while change > 1e-15 * nodes:
        change = 0.0
        for node in range(nodes):
            value = 1 - DAMPING + sum(rank[w] * share[w] for w in sources[node])
            change += abs(value - rank[node])
            rank[node] = value
    total = sum(rank)
    assert apart(ranks, [value / total for value in rank]) < 1e-9


def test_against_networkx(debian, ranks):
    import networkx

    _, targets = debian
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(targets)))
    graph.add_edges_from((v, w) for v, neighbours in enumerate(targets) for w in neighbours)
    theirs = networkx.pagerank(graph, alpha=DAMPING, tol=1e-13 / len(targets), max_iter=1000)
    assert apart(ranks, [theirs[node] for node in range(len(targets))]) < 1e-9


@pytest.mark.parametrize("layout", ["auto", "single", "distributed", "partitioned", "replicated"])
@pytest.mark.parametrize("memory", ["linux", "portable"])
def test_layouts_give_the_same_ranks(atoll, source, debian, ranks, tmp_path, layout, memory):
    file = tmp_path / "ranks"
    atoll("run", source / "apps/greenmarl/pagerank.gm", "--graph", debian[0], "--arg", "e=1e-13", "--arg",
          f"d={DAMPING}", "--arg", "max=1000", "--save", f"pg_rank={file}", "--layout", layout,
          "--memory", memory)
    values = [float(line.split()[1]) for line in file.read_text().splitlines()]
    total = sum(values)
    assert [value / total for value in values] == ranks, "the same to the last bit"
