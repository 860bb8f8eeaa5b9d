"""igraph's PageRank (PRPACK), run as a program: pagerank_igraph.py EDGES NODES D RANKS.

EDGES holds pairs of 32-bit ids; RANKS gets raw doubles. Prints {"seconds": ...} of the ranking alone;
building igraph's graph isn't counted."""

import array
import json
import sys
import time

import igraph

edges, nodes, damping, ranks = sys.argv[1:5]
ids = array.array("I")
with open(edges, "rb") as file:
    ids.frombytes(file.read())
graph = igraph.Graph(n=int(nodes), edges=zip(ids[0::2], ids[1::2]), directed=True)
del ids
start = time.perf_counter()
values = graph.pagerank(damping=float(damping), implementation="prpack")
seconds = time.perf_counter() - start
with open(ranks, "wb") as file:
    array.array("d", values).tofile(file)
print(json.dumps({"seconds": seconds}))
