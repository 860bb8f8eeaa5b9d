"""Programs of apps/greenmarl that divide a graph into parts, against igraph, NetworkX and SciPy."""

import pytest

GRAPHS = ["empty", "tiny", "rmat", "votes"]


def partition(labels):
    """The parts, whatever they are called."""
    parts = {}
    for node, label in enumerate(labels):
        parts.setdefault(label, []).append(node)
    return sorted(parts.values())


@pytest.fixture(params=GRAPHS)
def graph(request, graphs):
    return graphs(request.param)


@pytest.fixture(params=GRAPHS)
def symmetric(request, graphs):
    return graphs(request.param, "symmetric")


def strong(graph):
    return partition(graph.igraph.connected_components(mode="strong").membership)


def test_kosaraju(apps, graph):
    parts = strong(graph)
    for threads in [1, 4]:
        answer = apps("kosaraju", graph, "--threads", threads, save=["component"])
        assert partition(answer.property("component")) == parts
        assert sorted(set(answer.property("component"))) == list(range(len(parts)))
        assert answer.returned == len(parts)


def test_tarjan_scc(apps, graph):
    parts = strong(graph)
    answer = apps("tarjan_scc", graph, save=["component"])
    component = answer.node_property("component")
    assert partition(component) == parts
    assert all(component[first] == first for first in component)
    assert answer.returned == len(parts)
    assert answer.output("largest") == max(map(len, parts), default=0)
    assert answer.output("lonely") == sum(len(part) == 1 for part in parts)


def test_vertex_cover(apps, graph):
    answers = []
    for threads, seed in [(1, 1), (4, 1), (4, 2)]:
        answer = apps("vertex_cover", graph, "--threads", threads, "--seed", seed, save=["covered", "drawn"])
        covered, drawn = answer.property("covered"), answer.edge_property("drawn")
        assert all(covered[v] or covered[w] for v, w in graph.edges)
        ends = [end for edge, is_drawn in zip(graph.edges, drawn) if is_drawn for end in set(edge)]
        assert len(ends) == len(set(ends)), "drawn edges share no end"
        assert sorted(ends) == [node for node in range(graph.nodes) if covered[node]]
        assert answer.returned == len(ends)
        answers.append(drawn)
    assert answers[0] == answers[1]
    assert len(graph.edges) < 20 or answers[1] != answers[2]
