"""Programs of apps/greenmarl that use random numbers: properties of every result, and frequencies of results. The seed
determines the numbers for any threads."""

from collections import Counter

import pytest
import scipy.stats
from scipy.sparse.csgraph import maximum_bipartite_matching

GRAPHS = ["empty", "tiny", "rmat", "votes"]
RUNS = [(1, 1), (4, 1), (4, 2)]  # threads, seed


@pytest.fixture(params=GRAPHS)
def graph(request, graphs):
    return graphs(request.param)


def same_for_a_seed(found, graph):
    """Checks that RUNS have equal results for equal seeds and, unless the graph is tiny, different ones for
    different seeds."""
    assert found[0] == found[1]
    assert graph.nodes < 100 or found[1] != found[2]


def test_random_node_sampling(apps, graph):
    found = []
    for k in [0, graph.nodes // 3, graph.nodes + 1]:
        for threads, seed in RUNS:
            answer = apps("random_node_sampling", graph, "--threads", threads, "--seed", seed, k=k,
                          save=["sample", "chosen", "between"])
            sample = answer.nodes("sample")
            drawn = set(sample)
            assert sample == sorted(drawn) and len(drawn) == min(k, graph.nodes)
            assert answer.property("chosen") == [node in drawn for node in range(graph.nodes)]
            between = [v in drawn and w in drawn for v, w in graph.edges]
            assert answer.edge_property("between") == between
            assert answer.returned == sum(between)
            found.append(sample)
    same_for_a_seed(found[3:6], graph)


def test_nodes_are_as_likely_as_each_other(apps, graphs):
    graph = graphs("tiny")
    drawn = Counter()
    for seed in range(120):
        drawn.update(apps("random_node_sampling", graph, "--seed", seed, k=1, save=["sample"]).nodes("sample"))
    assert scipy.stats.chisquare([drawn[node] for node in range(graph.nodes)]).pvalue > 0.001


def test_random_degree_sampling(apps, graph):
    degree = list(map(len, graph.out))
    found = []
    for k in [0, graph.nodes // 5, graph.nodes]:
        for threads, seed in RUNS:
            answer = apps("random_degree_sampling", graph, "--threads", threads, "--seed", seed, k=k,
                          save=["sample", "key"])
            sample, key = answer.nodes("sample"), answer.property("key")
            can = [node for node in range(graph.nodes) if degree[node]]
            best = sorted(can, key=lambda node: -key[node])[:k]
            assert sample == sorted(best)
            mean = sum(degree[node] for node in sample) / len(sample) if sample else 0
            assert answer.returned == pytest.approx(mean)
            found.append(key)
    same_for_a_seed(found[3:6], graph)
    if len(can) > 100:  # key ** degree is the random number that the program drew
        drawn = [key[node] ** degree[node] for node in can]
        assert scipy.stats.kstest(drawn, "uniform").pvalue > 0.001


@pytest.mark.parametrize("jump", [0, 0.2, 1])
def test_random_walk_sampling(apps, graph, jump):
    k, steps, found = graph.nodes // 4, 4 * graph.nodes, []
    for threads, seed in RUNS:
        answer = apps("random_walk_sampling", graph, "--threads", threads, "--seed", seed, k=k, jump=jump,
                      steps=steps, save=["found", "visits"])
        nodes, visits = answer.nodes("found"), answer.map("visits")
        assert len(set(nodes)) == len(nodes) <= k
        assert set(visits) == set(nodes)
        done = sum(visits.values()) - 1
        assert done <= steps and (len(nodes) == k or done == steps)
        jumps = answer.output("jumps")
        last = answer.node_returned()
        if not nodes:
            assert (last, jumps) == (None, 0)
            continue
        assert last == nodes[-1] if len(nodes) == k else last in nodes
        when = {node: i for i, node in enumerate(nodes)}
        no_step = sum(not any(when.get(v, k) < i for v in graph.into[node]) for i, node in enumerate(nodes))
        dead = sum(visits[node] for node in nodes if not graph.out[node]) - (not graph.out[last])
        assert max(no_step - 1, dead) <= jumps <= done
        if jump == 0:
            assert jumps == dead
        elif jump == 1:
            assert jumps == done
        elif done - dead > 500:
            assert scipy.stats.binomtest(jumps - dead, done - dead, jump).pvalue > 0.001
        found.append((nodes, visits))
    if k:
        same_for_a_seed(found, graph)


@pytest.mark.parametrize("back", [0, 0.25, 1])
def test_parallel_walk_sampling(apps, graph, back):
    found = []
    for threads, seed in RUNS:
        answer = apps("parallel_walk_sampling", graph, "--threads", threads, "--seed", seed, walks=50, steps=8,
                      back=back, save=["starts", "sample", "visits"])
        starts, sample, visits = answer.nodes("starts"), answer.nodes("sample"), answer.property("visits")
        assert len(starts) == (50 if graph.nodes else 0)
        assert sample == [node for node in range(graph.nodes) if visits[node]]
        assert answer.returned == len(sample)
        assert sum(visits) == 9 * len(starts)
        for node, times in Counter(starts).items():
            assert visits[node] >= times * (9 if back == 1 else 1)
        near = set(starts)
        for _ in range(8):
            near |= {w for node in near for w in graph.out[node]}
        assert near.issuperset(sample)
        found.append((starts, visits))
    same_for_a_seed(found, graph)


def test_walks_from_one_start_part(apps, graphs):
    """Walks are independent, even if they start at the same node: from the hub of a star, they reach all leaves
    equally often."""
    graph = graphs.make("star", 11, [(0, leaf) for leaf in range(1, 11)], list(map(str, range(11))))
    answer = apps("parallel_walk_sampling", graph, walks=2000, steps=1, back=0, save=["starts", "visits"])
    begun, visits = Counter(answer.nodes("starts")), answer.property("visits")
    # With one step, a walk from a leaf, which has no out-edge, restarts at this leaf: its start counts twice.
    arrived = [visits[leaf] - 2 * begun[leaf] for leaf in range(1, 11)]
    assert sum(arrived) == begun[0] > 100
    assert scipy.stats.chisquare(arrived).pvalue > 0.001


@pytest.mark.parametrize("name", GRAPHS)
def test_random_bipartite_matching(apps, graphs, name):
    graph = graphs(name, "twice")
    half = graph.nodes // 2
    lines = [f"{graph.label(node)} {node < half}" for node in range(graph.nodes)]
    possible = 0
    if graph.nodes:
        possible = sum(right >= 0 for right in maximum_bipartite_matching(graph.matrix[:half, half:]))
    found = []
    for threads, seed in RUNS:
        answer = apps("random_bipartite_matching", graph, "--threads", threads, "--seed", seed,
                      load={"is_left": lines}, save=["match"])
        match = answer.node_property("match")
        pairs = [(node, other) for node, other in enumerate(match[:half]) if other is not None]
        assert all(match[other] == node and (node, other) in graph.edge for node, other in pairs)
        assert sum(other is not None for other in match) == 2 * len(pairs)
        assert all(match[v] is not None or match[w] is not None for v, w in graph.edges)
        assert answer.returned == len(pairs)
        assert possible <= 2 * len(pairs) <= 2 * possible
        found.append(match)
    same_for_a_seed(found, graph)
