"""Semantics of the language's constructs, each on a graph small enough for a manually derived result."""

import pytest

# Node 5 is unreachable from node 0; node 4 has a self-loop.
EDGES = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 4), (5, 6)]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    file = tmp_path_factory.mktemp("graph") / "graph.el"
    file.write_text("".join(f"{v} {w}\n" for v, w in EDGES))
    return file


@pytest.mark.parametrize("layout", ["auto", "replicated"])
def test_deferral_and_collections(atoll, source, graph, layout):
    outputs = atoll.json("run", source / "tests/programs/deferral.gm", "--graph", graph, "--arg", "r=0",
                         "--layout", layout)["outputs"]
    assert outputs == {
        "upward": 1 + 2 + 2 + 3 + 2 + 1 + 1,  # 1, plus the value of each parent; nodes 5 and 6 keep 1
        "reverse": 5 + 4 * 6 + 1 + 1,  # all except the root get 1 + 5 in reverse; the root keeps its previous value
        "latest": 50,
        "depth": 1 + 2 + 3 + 4 + 5 + 100 * 5,  # effects are invisible until the end
        "either": 1,
        "entries": 7 + len(EDGES),
        # The second edges into nodes 3 and 4 read 13: assignments @ w take effect when the inner loop ends,
        # those @ n when the outer loop ends.
        "nested": 10 * (5 * 14 + 3 + 2) + 2,
        "taken": 1710,
        "items": 1,
        "passed": 10 * 1 + len(EDGES) - 1,
    }


@pytest.mark.parametrize("layout", ["auto", "replicated"])
def test_levels_and_the_order_of_nodes(atoll, source, graph, layout):
    outputs = atoll.json("run", source / "tests/programs/orders.gm", "--graph", graph, "--arg", "r=0",
                         "--layout", layout)["outputs"]
    assert outputs == {
        "paths": 1 + 1 + 1 + 2 + 2,  # shortest paths from node 0
        "below": 6,
        "hops": 0 + 1 + 1 + 2 + 3,
        "least": "1",
        "greatest": "5",
        "last": "5",
        "far": "2",
        "farthest": "6",
        "none": 111,
        "down": "1",
        "up": "5",
        "beside": 0,  # for node 6, which has no neighbour and was reached from the largest node
        "entry": "5",
        "lowest": True,
    }


def test_a_collection_that_is_empty_gives_none(atoll, graph, tmp_path):
    program = tmp_path / "p.gm"
    program.write_text("Procedure p(G: Graph) : Long {\n  Collection<Node_Set> C;\n"
                       "  Node_Set t = C.PopBack();\n  Return t.Size();\n}\n")
    done = atoll("run", program, "--graph", graph, check=False)
    assert done.returncode == 1
    assert "p.gm:3:16" in done.stderr and "PopBack" in done.stderr


@pytest.mark.parametrize("layout", ["auto", "replicated"])
def test_foreign_text_changes_an_element_outside_of_loops(atoll, graph, tmp_path, layout):
    program = tmp_path / "p.gm"
    program.write_text("Procedure p(G: Graph, r: Node) : Int {\n  Int x = 40; N_P<Int> a = 0;\n"
                       "  [ $x = $x + 1; ] :: [x]\n  [ $r.a = $x; ] :: [r.a];\n"
                       "  Return [ $r.a ] + Sum(n: G.Nodes){ n.a };\n}\n")
    report = atoll.json("run", program, "--graph", graph, "--arg", "r=1", "--layout", layout)
    assert report["returned"] == 2 * 41
