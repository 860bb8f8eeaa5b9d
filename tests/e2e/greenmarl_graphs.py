"""Graphs for the programs of apps/greenmarl, each as a file and as objects of Python libraries: an empty
graph; a tiny one with self-loops, an isolated node and words as labels; R-MAT; and real ones."""

import random
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import igraph
import numpy
import pytest
import scipy.sparse

@dataclass
class Graph:
    nodes: int
    edges: list  # pairs, ascending: the position of a pair is the number of its edge
    lengths: list  # length of each edge, above 0
    file: Path
    labels: list

    def label(self, node):
        return "NIL" if node is None else self.labels[node]

    def node(self, label):
        return None if label == "NIL" else self.numbers[label]

    @cached_property
    def numbers(self):
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def edge(self):
        """Returns {pair of nodes: edge number}."""
        return {pair: number for number, pair in enumerate(self.edges)}

    @cached_property
    def out(self):
        lists = [[] for _ in range(self.nodes)]
        for v, w in self.edges:
            lists[v].append(w)
        return lists

    @cached_property
    def into(self):
        lists = [[] for _ in range(self.nodes)]
        for v, w in self.edges:
            lists[w].append(v)
        return lists

    @cached_property
    def igraph(self):
        return igraph.Graph(self.nodes, self.edges, directed=True)

    @cached_property
    def matrix(self):
        """Returns the adjacency matrix, including self-loops."""
        pairs = numpy.array(self.edges, dtype=int).reshape(-1, 2)
        return scipy.sparse.csr_matrix((numpy.ones(len(pairs), dtype=numpy.int64), (pairs[:, 0], pairs[:, 1])),
                                       shape=(self.nodes, self.nodes))

    @cached_property
    def simple(self):
        """Returns the adjacency matrix without self-loops."""
        matrix = self.matrix.tolil()
        matrix.setdiag(0)
        matrix = matrix.tocsr()
        matrix.eliminate_zeros()
        return matrix

    def distances(self, root):
        """Returns the distance of each node from the root, computed by igraph."""
        return self.igraph.distances(root, weights=self.lengths)[0] if root is not None else []


def real_edges(source, name):
    """Returns the edges of a graph that is stored next to the source tree. If it is missing, skips the test."""
    packed = source.resolve().parent / "shared/data/graphs" / name
    if not packed.exists():
        pytest.skip(f"there is no {packed}")
    text = subprocess.run(["zstd", "-dc", packed], check=True, capture_output=True).stdout
    return numpy.array(text.split(), dtype=numpy.int64).reshape(-1, 2 if ".el" in name else 3)[:, :2].tolist()


TINY = [(0, 0), (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 4), (1, 3), (6, 7), (7, 6), (0, 4)]  # 5 is isolated
TINY_LABELS = ["anna", "bert", "cleo", "dora", "emil", "lone", "fred", "gina"]


class Graphs:
    """Creates graphs on request: empty, tiny, rmat, votes, first-votes, road. Each is also available as symmetric
    (every edge in both directions), or as bipartite: nodes are on the left, and edges lead to their copies on the
    right."""

    def __init__(self, atoll, source, folder):
        self.atoll, self.source, self.folder = atoll, source, folder
        self.made = {}

    def __call__(self, name, shape="directed"):
        if (name, shape) not in self.made:
            self.made[name, shape] = self.make(f"{name}-{shape}", *self.shaped(name, shape))
        return self.made[name, shape]

    def shaped(self, name, shape):
        nodes, pairs = self.pairs(name)
        if shape == "symmetric":
            pairs = [*pairs, *((w, v) for v, w in pairs)]
        if shape == "twice":
            pairs = [edge for v, w in pairs for edge in [(v, nodes + w), (nodes + w, v)]]
            nodes = 2 * nodes
        labels = list(map(str, range(nodes)))
        if name == "tiny":
            labels = (TINY_LABELS + [f"{label}'" for label in TINY_LABELS])[:nodes]
        return nodes, pairs, labels

    def pairs(self, name):
        if name == "empty":
            return 0, []
        if name == "tiny":
            return len(TINY_LABELS), TINY
        if name == "rmat":
            file = self.folder / "rmat.el"
            self.atoll("graph", "generate", "rmat", "--scale", 9, "--edge-factor", 6, "--no-symmetrise", "-o", file)
            return 2**9, [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
        if name == "first-votes":
            return 1000, [(v, w) for v, w in self.pairs("votes")[1] if max(v, w) < 1000]
        pairs = real_edges(self.source, {"votes": "wiki-Vote.el.zst", "road": "road-liechtenstein.wel.zst"}[name])
        return 1 + max(map(max, pairs)), pairs

    def make(self, name, nodes, pairs, labels, lengths=None):
        """Creates a graph with these edges; both directions of an edge get the same length."""
        edges = sorted(set(map(tuple, pairs)))
        if lengths is None:
            chance = {}
            draw = random.Random(7)
            lengths = [chance.setdefault((min(edge), max(edge)), draw.randrange(1, 20)) for edge in edges]
        matrix, names, file = (self.folder / f"{name}.{end}" for end in ("mtx", "labels", "atoll"))
        matrix.write_text(f"%%MatrixMarket matrix coordinate integer general\n{nodes} {nodes} {len(edges)}\n" +
                          "".join(f"{v + 1} {w + 1} {length}\n" for (v, w), length in zip(edges, lengths)))
        names.write_text("".join(f"{label}\n" for label in labels))
        options = ["--labels", names] if nodes else []
        self.atoll("graph", "convert", matrix, "--value", "len=3", *options, "-o", file)
        return Graph(nodes, edges, lengths, file, labels)
