"""Programs of apps/greenmarl on neighbours and on paths through a node, compared with igraph, NetworkX and SciPy."""

import math
import random

import numpy
import pytest
import scipy.sparse

GRAPHS = ["empty", "tiny", "rmat", "votes"]


@pytest.fixture(params=GRAPHS)
def graph(request, graphs):
    return graphs(request.param)


@pytest.fixture(params=GRAPHS)
def symmetric(request, graphs):
    return graphs(request.param, "symmetric")


def test_triangle_counting(apps, symmetric):
    simple = symmetric.simple
    at_each = numpy.asarray((simple @ simple).multiply(simple).sum(axis=1)).ravel() // 2
    for threads in [1, 4]:
        answer = apps("triangle_counting", symmetric, "--threads", threads, save=["triangles"])
        assert answer.property("triangles") == at_each.tolist()
        assert answer.returned == at_each.sum() // 3
    assert answer.returned == len(symmetric.igraph.as_undirected().simplify().list_triangles())


def test_triangle_counting_directed(apps, graph):
    simple = graph.simple
    two_steps = simple @ simple
    for threads in [1, 4]:
        answer = apps("triangle_counting_directed", graph, "--threads", threads)
        assert answer.output("cycles") == two_steps.multiply(simple.T).sum() // 3
        assert answer.output("shortcuts") == two_steps.multiply(simple).sum()
        assert answer.returned == answer.output("cycles") + answer.output("shortcuts")


def paths_from(graph, roots):
    """Returns the betweenness of each node, summed over these roots: the fraction of shortest paths that lead
    through it. Computed by products of the adjacency matrix with the nodes of each level."""
    total = numpy.zeros(graph.nodes)
    for root in roots:
        hops = numpy.array(graph.igraph.distances(root)[0])
        levels = [hops == level for level in range(int(max(hops[hops < numpy.inf])) + 1)]
        paths = levels[0].astype(float)
        for level in levels[1:]:
            paths += level * (graph.matrix.T @ paths) * (paths == 0)
        share = numpy.zeros(graph.nodes)
        for level, next_level in zip(levels[-2:0:-1], levels[:1:-1]):
            behind = numpy.divide(1 + share, paths, out=numpy.zeros(graph.nodes), where=next_level)
            share += level * paths * (graph.matrix @ behind)
        total += share
    return total.tolist()


def digraph(graph):
    import networkx

    theirs = networkx.DiGraph()
    theirs.add_nodes_from(range(graph.nodes))
    theirs.add_edges_from(graph.edges)
    return theirs


@pytest.mark.parametrize("name", ["tiny", "rmat"])
def test_the_answer_for_bc_is_right(graphs, name):
    import networkx

    graph = graphs(name)
    theirs = networkx.betweenness_centrality_subset(digraph(graph), [3], range(graph.nodes))
    assert paths_from(graph, [3]) == pytest.approx(list(theirs.values()), rel=1e-9, abs=1e-9)


def test_bc(apps, graph):
    roots = random.Random(3).choices(range(graph.nodes), k=5) if graph.nodes else []
    roots += roots[:1]
    for threads in [1, 4]:
        answer = apps("bc", graph, "--threads", threads, load={"roots": map(graph.label, roots)},
                      save=["centrality"])
        assert answer.property("centrality") == pytest.approx(paths_from(graph, roots), rel=1e-9, abs=1e-9)
        assert answer.returned == len(roots)


@pytest.mark.parametrize("name", ["empty", "tiny", "rmat"])
def test_bc_all_by_networkx(apps, graphs, name):
    import networkx

    graph = graphs(name)
    expected = networkx.betweenness_centrality(digraph(graph), normalized=False)
    answer = apps("bc_all", graph, halve=False, save=["centrality"])
    assert answer.property("centrality") == pytest.approx(list(expected.values()), rel=1e-9, abs=1e-9)
    assert answer.returned == pytest.approx(max(expected.values(), default=0), rel=1e-9)


@pytest.mark.parametrize("name", ["empty", "tiny", "rmat", "first-votes"])
def test_bc_all_of_undirected_graphs(apps, graphs, name):
    graph = graphs(name, "symmetric")
    expected = graph.igraph.as_undirected().betweenness()
    answer = apps("bc_all", graph, halve=True, save=["centrality"])
    assert answer.property("centrality") == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_bc_random(apps, graph):
    drawn = []
    for threads, seed in [(1, 1), (4, 1), (4, 2)]:
        answer = apps("bc_random", graph, "--threads", threads, "--seed", seed, k=6, save=["centrality", "roots"])
        roots = answer.nodes("roots")
        assert len(roots) == (6 if graph.nodes else 0)
        expected = [graph.nodes / 6 * value for value in paths_from(graph, roots)]
        assert answer.property("centrality") == pytest.approx(expected, rel=1e-9, abs=1e-9)
        hops = [hops for root in set(roots) for hops in graph.igraph.distances(root)[0] if hops < float("inf")]
        assert answer.returned == max(hops, default=0)
        drawn.append(roots)
    assert drawn[0] == drawn[1]
    assert not graph.nodes or drawn[1] != drawn[2]


def likenesses(graph):
    """Returns the Adamic-Adar similarity of each edge's ends, computed by products of matrices."""
    degree = numpy.asarray(graph.matrix.sum(axis=1)).ravel()
    weight = numpy.array([1 / math.log(edges) if edges > 1 else 0.0 for edges in degree])
    if not graph.edges:
        return []
    ends = numpy.array(graph.edges, dtype=int).reshape(-1, 2).T
    return numpy.asarray((graph.matrix @ scipy.sparse.diags(weight) @ graph.matrix)[ends[0], ends[1]]).ravel().tolist()


def test_adamic_adar(apps, symmetric):
    expected = likenesses(symmetric)
    for threads in [1, 4]:
        answer = apps("adamic_adar", symmetric, "--threads", threads, save=["alike"])
        numpy.testing.assert_allclose(answer.edge_property("alike"), expected, rtol=1e-9)
        assert answer.returned == pytest.approx(max(expected, default=-float("inf")), rel=1e-9)
        answer = apps("adamic_adar2", symmetric, "--threads", threads, save=["alike"])
        numpy.testing.assert_allclose(answer.edge_property("alike"), expected, rtol=1e-9)
        assert answer.returned == sum(value > 0 for value in expected)


def test_adamic_adar_by_networkx(apps, graphs):
    import networkx

    whole = graphs("rmat", "symmetric")
    graph = graphs.make("simple", whole.nodes, [(v, w) for v, w in whole.edges if v != w], whole.labels)
    theirs = [value for _, _, value in networkx.adamic_adar_index(networkx.Graph(graph.edges), graph.edges)]
    for program in ["adamic_adar", "adamic_adar2"]:
        alike = apps(program, graph, save=["alike"]).edge_property("alike")
        assert alike == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("k", [5, 40, 200])
def test_avg_teen_count(apps, graph, k):
    age = numpy.random.default_rng(2).integers(3, 90, graph.nodes)
    teens = graph.matrix.T @ ((age > 9) & (age < 20)).astype(int)
    lines = [f"{graph.label(node)} {years}" for node, years in enumerate(age)]
    for threads in [1, 4]:
        answer = apps("avg_teen_count", graph, "--threads", threads, k=k, load={"age": lines}, save=["teens"])
        assert answer.property("teens") == teens.tolist()
        of_old = teens[age > k]
        assert answer.returned == pytest.approx(of_old.mean() if len(of_old) else 0, rel=1e-6)


@pytest.mark.parametrize("name", ["empty", "tiny", "rmat", "road"])
def test_potential_friends(apps, graphs, name):
    graph = graphs(name)
    friends = [set(row) for row in graph.out]
    expected = [set().union(*(friends[f] for f in friends[p])) - friends[p] - {p} for p in range(graph.nodes)]
    for threads, asking in [(1, None), *((4, asking) for asking in range(min(graph.nodes, 4)))]:
        answer = apps("potential_friends", graph, "--threads", threads, asking=graph.label(asking),
                      save=["candidates", "known", "alone"])
        assert answer.nodes("candidates") == ([] if asking is None else sorted(expected[asking]))
        assert answer.property("known") == list(map(len, expected))
        assert answer.nodes("alone") == [p for p in range(graph.nodes) if not expected[p]]
        assert answer.returned == sum(map(len, expected))
