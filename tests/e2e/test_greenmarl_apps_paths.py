"""Programs of apps/greenmarl that find shortest paths, compared with igraph."""

import math

import pytest

GRAPHS = {"empty": None, "tiny": 1, "rmat": 3, "road": 500}  # the root of the shortest paths
INF = math.inf


@pytest.fixture(params=[1, 4])
def threads(request, graph):
    """Returns the number of threads. It is at most 2 on large graphs, whose many rounds have little work:
    four threads would wait for each other and for processors."""
    return min(request.param, 4 if graph.nodes < 10_000 else 2)


@pytest.fixture(params=GRAPHS)
def graph(request, graphs):
    graph = graphs(request.param)
    graph.root = GRAPHS[request.param]
    if graph.root is not None:
        assert len(graph.out[graph.root]) > 0
    return graph


def some_goals(graph):
    """Returns the node farthest from the root, the root, a node in between, and, if there is one, an
    unreachable node."""
    if graph.root is None:
        return [None]
    reached = sorted((far, node) for node, far in enumerate(graph.distances(graph.root)) if far < INF)
    lost = [node for node, far in enumerate(graph.distances(graph.root)) if far == INF]
    return [reached[-1][1], graph.root, reached[len(reached) // 2][1], *lost[:1]]


def length_of(graph, path):
    return sum(graph.lengths[graph.edge[step]] for step in zip(path, path[1:]))


def test_hop_dist(apps, graph, threads):
    far = graph.igraph.distances(graph.root)[0] if graph.nodes else []
    answer = apps("hop_dist", graph, "--threads", threads, root=graph.label(graph.root), save=["dist"])
    assert answer.property("dist") == far
    assert answer.returned == max((hops for hops in far if hops < INF), default=-1)


def test_sssp(apps, graph, threads):
    answer = apps("sssp", graph, "--threads", threads, root=graph.label(graph.root), save=["dist"])
    assert answer.property("dist") == graph.distances(graph.root)
    assert answer.returned is True


def test_sssp_with_negative_lengths(apps, graphs):
    edges = [(0, 1), (0, 2), (1, 3), (2, 1), (3, 4), (4, 3), (5, 5)]
    lengths = [4, 6, 3, -5, 2, -1, -1]  # the last one is an unreachable cycle
    graph = graphs.make("negative", 6, edges, list("abcdef"), lengths)
    answer = apps("sssp", graph, root="a", save=["dist"])
    assert answer.returned is True
    assert answer.property("dist") == graph.distances(0)[:5] + [INF] == [0, 1, 6, 4, 6, INF]
    assert apps("sssp", graph, root="f").returned is False
    lengths[5] = -3
    assert apps("sssp", graphs.make("cycle", 6, edges, list("abcdef"), lengths), root="a").returned is False


def test_sssp_path(apps, graph, threads):
    far = graph.distances(graph.root)
    for goal in some_goals(graph)[:4 if threads == 1 else 1]:
        answer = apps("sssp_path", graph, "--threads", threads, root=graph.label(graph.root),
                      goal=graph.label(goal), save=["dist", "prev", "path"])
        assert answer.property("dist") == far
        for node, prev in enumerate(answer.node_property("prev")):
            if node == graph.root or far[node] == INF:
                assert prev is None
            else:
                assert far[prev] + graph.lengths[graph.edge[prev, node]] == far[node]
        path = answer.nodes("path")
        assert answer.returned == (far[goal] if far else INF)
        if answer.returned == INF:
            assert path == []
        else:
            assert (path[0], path[-1], length_of(graph, path)) == (graph.root, goal, far[goal])


def test_sssp_path_adj(apps, graph, threads):
    far = graph.distances(graph.root)
    answer = apps("sssp_path_adj", graph, "--threads", threads, root=graph.label(graph.root),
                  save=["dist", "prev", "via", "on_tree"])
    assert answer.property("dist") == far
    tree = set()
    prev = answer.node_property("prev")
    for node, edge in enumerate(answer.property_of_edges("via")):
        if node == graph.root or far[node] == INF:
            assert (prev[node], edge) == (None, None)
        else:
            assert edge == (prev[node], node)
            assert far[prev[node]] + graph.lengths[graph.edge[edge]] == far[node]
            tree.add(edge)
    assert answer.edge_property("on_tree") == [edge in tree for edge in graph.edges]
    assert answer.returned == sum(length < INF for length in far)


def test_dijkstra(apps, graph):
    far = graph.distances(graph.root)
    for goal in some_goals(graph):
        answer = apps("dijkstra", graph, root=graph.label(graph.root), goal=graph.label(goal),
                      save=["prev", "via"])
        assert answer.returned == (far[goal] if far else INF)
        prev, via = answer.node_property("prev"), answer.property_of_edges("via")
        assert [edge and edge[0] for edge in via] == prev
        if answer.returned < INF:
            path = [goal]
            while prev[path[0]] is not None:
                path.insert(0, prev[path[0]])
            assert (path[0], length_of(graph, path)) == (graph.root, far[goal])
            nearer = sum(length < far[goal] for length in far)
            no_farther = sum(length <= far[goal] for length in far)
            assert nearer < answer.output("steps") <= no_farther
        else:
            assert answer.output("steps") == sum(length < INF for length in far)


def test_bidir_dijkstra(apps, graph):
    far = graph.distances(graph.root)
    for goal in some_goals(graph):
        answer = apps("bidir_dijkstra", graph, start=graph.label(graph.root), goal=graph.label(goal),
                      save=["path"])
        path = answer.nodes("path")
        assert answer.returned == (far[goal] if far else INF)
        if answer.returned == INF:
            assert path == []
        else:
            assert (path[0], path[-1], length_of(graph, path)) == (graph.root, goal, far[goal])
