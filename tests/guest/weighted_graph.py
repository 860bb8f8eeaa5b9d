"""Writes an edge list with a length for each edge: weighted_graph.py NODES EDGES FILE. A node has edges to
near and to distant nodes, so that programs have many levels and many paths. FILE.age and FILE.is_left have
values of nodes."""

import random
import sys

nodes, edges, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
draw = random.Random(7)
pairs = {(v, (v + 1) % nodes) for v in range(0, nodes, 2)}
while len(pairs) < edges:
    v = draw.randrange(nodes)
    w = draw.randrange(nodes) if draw.random() < 0.3 else (v + draw.randrange(1, 40)) % nodes
    pairs.update({(v, w), (w, v)})
with open(path, "w", encoding="ascii") as file:
    for v, w in sorted(pairs):
        file.write(f"{v} {w} {draw.randrange(1, 100)}\n")
for name, most in [("age", 90), ("is_left", 1)]:
    with open(f"{path}.{name}", "w", encoding="ascii") as file:
        file.writelines(f"{v} {draw.randint(0, most)}\n" for v in range(nodes))
